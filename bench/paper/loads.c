// SPDX-License-Identifier: Apache-2.0
/* The experiments whose trials are loads. */
#include "bench/paper/internal.h"

#include "bench/cli/complain.h"
#include "bench/target/resources.h"

/* Sets the share of each server that the options leave open. Returns a warning in `text` if this
 * machine has none; else NULL. */
static const char *choose_shares(struct load_options *load, char *text, size_t size)
{
    struct target_options *target = &load->target;
    char found[400];
    if (target->driver == DRIVER_SIMULATED || target->connect || target->cpu_percent > 0)
        return NULL;
    const char *why =
        resources_find_share(load->processes, target->server_counts[target->topology_count - 1],
                             &target->cpu_percent, found, sizeof found);
    if (why == NULL)
        return NULL;
    snprintf(text, size,
             "%s; the servers share the cores, so the shape cannot show, and is not judged between "
             "numbers of servers",
             why);
    return text;
}

int paper_loads_lead(struct paper *paper, const struct load_series_user *wanted)
{
    char text[512];
    struct load_options *load = &paper->options->load;
    /* A server's code is compiled in its first minute, on its own share of the CPU; that of servers
     * that are started again in each trial, in each warm-up. */
    load->rehearses = load->target.driver != DRIVER_SIMULATED && wanted->fault_count == 0;
    const char *warning = choose_shares(load, text, sizeof text);
    if (warning != NULL && !load->output.quiet)
        complain_mildly("%s", warning);
    struct load_series_user user = *wanted;
    user.subcommand = paper->experiment->command.arguments.subcommand;
    user.warning = warning;
    user.interrupted = &paper->interrupted;
    return load_series_lead(load, &user, paper->argc, paper->argv);
}

bool paper_loads_complain(const struct load_series *series)
{
    bool fails = false;
    for (size_t i = 0; i < series->base.record_count; i++) {
        const struct series_record *record = &series->base.records[i];
        char where[100];
        load_series_complain(series, record, series_where(&series->base, record, where));
        fails = fails || series_rows_verdict(&record->rows, load_row_verdict) == 1;
    }
    return fails;
}

/* ------------------------------------------------------------------ by a design */

static int tell(const struct load_series *series, void *context, int *verdict)
{
    return paper_tell_design(context, &series->base, paper_loads_complain(series), verdict);
}

int paper_loads_lead_design(struct paper *paper)
{
    const struct load_series_user user = {.tell = tell, .context = paper};
    return paper_loads_lead(paper, &user);
}
