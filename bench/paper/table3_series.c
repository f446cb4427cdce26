// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table3_series.h"

#include "base/clock.h"
#include "bench/target/resources.h"
#include "recipes/registry.h"

#include <stdio.h>

/* The root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80

/* ------------------------------------------------------------------ one trial */

static struct trial_plan plan_of(const struct table3_series *series,
                                 const struct table3_trial *trial, const char *root)
{
    const struct load_options *options = &series->options->load;
    return (struct trial_plan){
        .fleet = {.driver = options->target.driver,
                  .sessions = trial->clients,
                  .processes = options->processes,
                  .session_timeout_ms = (uint32_t)(options->session_timeout_ns / NS_PER_MS),
                  .timeout_ns = options->timeout_ns,
                  .seed = options->seed + trial->number,
                  .servers = &series->base.targets.list[trial->topology].placement},
        .recipe = registry_find("barrier"),
        .workload = WORKLOAD_DRAIN,
        .pace = PACE_FREE,
        .locks = 1,
        .barriers = trial->barriers,
        .root = root,
    };
}

/* The progress callback of a trial. */
static void show(void *context, const struct trial_progress *progress)
{
    const struct table3_series *series = context;
    const struct table3_trial *trial = &series->plan.list[series->base.progress.at];
    char what[64];
    snprintf(what, sizeof what, "%u clients, %u barriers%s", trial->clients, trial->barriers,
             trial->number == 0 ? ", rehearsal" : "");
    const struct progress_name name = {
        series->base.targets.count > 1 ? series->base.targets.list[trial->topology].name : "", what,
        trial->number, trial->clients};
    progress_show(&series->base.progress, &name, progress);
}

static enum error_kind run_trial(struct table3_series *series, size_t at, struct error *error)
{
    const struct table3_trial *trial = &series->plan.list[at];
    const struct target *target = &series->base.targets.list[trial->topology];
    struct trial_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/t%04zu", target->root, at);
    const struct trial_plan plan = plan_of(series, trial, root);
    const struct trial_host host = {
        .setup = target->setup,
        .servers = &target->servers,
        .ensemble = target->ensemble,
        .simulation = &target->simulation,
        .watch = {.progress = show,
                  .context = series,
                  .interrupt_descriptor = series->base.targets.signals}};
    uint64_t began_ns = clock_now_ns();
    progress_begin(&series->base.progress, at, table3_plan_left_ns(&series->plan, at));
    enum error_kind kind = trial_run(&plan, &host, &result, error);
    progress_clear(&series->base.progress);
    if (kind != ERROR_NONE)
        return kind;
    table3_plan_learn(&series->plan, trial, clock_now_ns() - began_ns);
    if (trial->number > 0)
        kind = table3_record_add(&series->records[trial->topology], trial, result, error);
    trial_result_free(result);
    return kind;
}

/* ------------------------------------------------------------------ before the first trial */

static enum error_kind lay_out(void *context, struct error *error)
{
    struct table3_series *series = context;
    struct load_options *options = &series->options->load;
    options->rehearses = options->target.driver != DRIVER_SIMULATED;
    enum error_kind kind = table3_plan_init(&series->plan, series->options, error);
    series->base.progress.count = series->plan.count;
    series->base.planned = series->plan.count - series->plan.rehearsals;
    return kind;
}

static enum error_kind open_record(void *context, size_t topology, const char *out,
                                   struct error *error)
{
    struct table3_series *series = context;
    const struct series *base = &series->base;
    const struct target *target = &base->targets.list[topology];
    struct table3_record *record = &series->records[topology];
    enum error_kind kind =
        table3_record_open(record, series->options, target, out,
                           base->planned / base->targets.count, base->argc, base->argv, error);
    if (kind != ERROR_NONE)
        return kind;
    const char *warning = resources_warning(&series->options->load.target, target->servers.count);
    if (base->left_out[0] != '\0')
        table3_record_warn(record, base->left_out);
    if (warning != NULL)
        table3_record_warn(record, warning);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind run(void *context, struct error *error)
{
    struct table3_series *series = context;
    enum error_kind kind = ERROR_NONE;
    series_tell_demand(&series->base);
    for (size_t at = 0; kind == ERROR_NONE && at < series->plan.count; at++)
        kind = run_trial(series, at, error);
    return kind;
}

static enum error_kind close_record(void *context, size_t topology, const struct error *cut_short,
                                    struct error *error)
{
    struct table3_series *series = context;
    return table3_record_close(&series->records[topology], cut_short, error);
}

static size_t kept(const void *context, size_t topology)
{
    const struct table3_series *series = context;
    return series->records[topology].samples.count;
}

static int tell(void *context, int *verdict)
{
    const struct table3_series *series = context;
    return series->tell(series, verdict);
}

int table3_series_lead(struct table3_series *series, int argc, char **argv)
{
    return series_lead(&series->base, argc, argv);
}

void table3_series_init(struct table3_series *series, struct paper_options *options,
                        int (*tell_results)(const struct table3_series *series, int *verdict))
{
    static const struct series_user user = {.lay_out = lay_out,
                                            .open_record = open_record,
                                            .run = run,
                                            .close_record = close_record,
                                            .kept = kept,
                                            .tell = tell};
    struct load_options *load = &options->load;
    const struct series_options of_series = {"paper table3",  &load->target,   &load->output,
                                             &load->sessions, load->processes, NULL};
    *series = (struct table3_series){.options = options, .tell = tell_results};
    series_init(&series->base, &of_series, &user, series);
}

void table3_series_deinit(struct table3_series *series)
{
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        table3_record_free(&series->records[i]);
    series_deinit(&series->base);
    table3_plan_deinit(&series->plan);
}
