// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/paper_loads.h"

#include "bench/cli/complain.h"
#include "bench/output/record_json.h"
#include "bench/paper/paper_json.h"
#include "bench/target/core_shares.h"

#include <stdio.h>
#include <stdlib.h>

/* Sets the share of each server that the options leave open. Returns a warning in `text` if this
 * machine has none; else NULL. */
static const char *choose_shares(struct load_options *load, char *text, size_t size)
{
    struct target_options *target = &load->target;
    char found[400];
    if (target->driver == DRIVER_SIMULATED || target->connect || target->cpu_percent > 0)
        return NULL;
    const char *why =
        core_shares_find(load->processes, target->server_counts[target->topology_count - 1],
                         &target->cpu_percent, found, sizeof found);
    if (why == NULL)
        return NULL;
    snprintf(text, size,
             "%s; the servers share the cores, so the shape cannot show, and is not judged between "
             "numbers of servers",
             why);
    return text;
}

int paper_loads_lead(struct paper_options *options, int argc, char **argv,
                     int (*tell)(const struct load_series *series, void *context, int *verdict),
                     bool *interrupted)
{
    return paper_loads_lead_for(&(struct load_series_user){.tell = tell, .context = options},
                                options, argc, argv, interrupted);
}

int paper_loads_lead_for(const struct load_series_user *wanted, struct paper_options *options,
                         int argc, char **argv, bool *interrupted)
{
    char text[512], subcommand[32];
    struct load_options *load = &options->load;
    struct load_series *series = calloc(1, sizeof *series);
    if (series == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "paper"});
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
    load_series_init(series, load, &user);
    int status = load_series_lead(series, argc, argv);
    *interrupted = series->base.interrupted;
    load_series_deinit(series);
    free(series);
    return status;
}

static json_t *describe_records(const struct load_series *series,
                                const struct paper_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < series->base.record_count; i++) {
        const struct load_record *record = &series->records[i];
        if (record->rows.rows > 0)
            json_array_append_new(list, record_json_new(&record->manifest, record->files.set.folder,
                                                        record->context.servers,
                                                        results->describe(results->table, i)));
    }
    return list;
}

int paper_loads_tell(const struct load_series *series, const struct paper_options *options,
                     const struct paper_results *results, int *verdict)
{
    for (size_t i = 0; i < series->base.record_count; i++)
        load_record_complain(&series->records[i]);
    int status =
        paper_results_tell(results, series->options,
                           series->base.record_count == 1 ? &series->records[0].manifest : NULL,
                           series->base.targets.signals);
    *verdict = load_series_verdict(series) == 1 ? 1 : judgements_exit_status(results->judgements);
    if (options->experiments != NULL)
        paper_json_add(options->experiments,
                       &(struct paper_json_experiment){
                           series->base.argv[1], *verdict, options->load.output.out,
                           describe_records(series, results), results->judgements});
    return status;
}
