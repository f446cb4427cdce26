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

int paper_loads_lead(const struct load_series_user *wanted, struct paper_options *options, int argc,
                     char **argv, bool *interrupted)
{
    char text[512], subcommand[32];
    struct load_options *load = &options->load;
    /* A server's code is compiled in its first minute, on its own share of the CPU; that of servers
     * that are started again in each trial, in each warm-up. */
    load->rehearses = load->target.driver != DRIVER_SIMULATED && wanted->fault_count == 0;
    const char *warning = choose_shares(load, text, sizeof text);
    if (warning != NULL && !load->output.quiet)
        complain_mildly("%s", warning);
    struct load_series_user user = *wanted;
    snprintf(subcommand, sizeof subcommand, "paper %s", argv[1]);
    user.subcommand = subcommand;
    user.warning = warning;
    user.interrupted = interrupted;
    return load_series_lead(load, &user, argc, argv);
}

int paper_loads_tell(const struct load_series *series, struct paper_outcome *outcome, int *verdict)
{
    outcome->series = &series->base;
    outcome->fails = false;
    for (size_t i = 0; i < series->base.record_count; i++) {
        const struct series_record *record = &series->base.records[i];
        char where[100];
        load_series_complain(series, record, series_where(&series->base, record, where));
        outcome->fails =
            outcome->fails || series_rows_verdict(&record->rows, load_row_verdict) == 1;
    }
    return paper_tell(outcome, verdict);
}

/* ------------------------------------------------------------------ by a design */

struct lead {
    const struct experiment *experiment;
    const struct paper_options *options;
};

static int tell(const struct load_series *series, void *context, int *verdict)
{
    const struct lead *lead = context;
    const struct table *rows[OPTIONS_TOPOLOGIES_MAX];
    struct paper_cells cells;
    for (size_t i = 0; i < series->options->target.topology_count; i++)
        rows[i] = &series->base.records[i].rows;
    paper_cells_init(&cells, lead->experiment->design, lead->options, rows);
    int status = paper_loads_tell(series,
                                  &(struct paper_outcome){.experiment = lead->experiment,
                                                          .options = lead->options,
                                                          .file = &cells.figures,
                                                          .cells = &cells.figures,
                                                          .judgements = &cells.judgements},
                                  verdict);
    paper_cells_deinit(&cells);
    return status;
}

int paper_loads_lead_design(const struct experiment *experiment, struct paper_options *options,
                            int argc, char **argv, bool *interrupted)
{
    struct lead lead = {experiment, options};
    const struct load_series_user user = {.tell = tell, .context = &lead};
    return paper_loads_lead(&user, options, argc, argv, interrupted);
}
