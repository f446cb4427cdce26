// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "bench/background/background.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/option_table.h"
#include "bench/cli/subcommands.h"
#include "bench/output/json_result.h"
#include "bench/output/series.h"
#include "bench/page/page.h"
#include "bench/run/internal.h"
#include "trial/trial.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The run's root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80

struct run {
    struct series base;
    struct options options;
    struct record records[OPTIONS_TOPOLOGIES_MAX]; /* of each target */
    struct cells cells;
    struct run_metrics metrics;
};

/* ------------------------------------------------------------------ one trial */

static struct trial_plan plan_of(const struct run *run, const struct cell *cell, const char *root)
{
    const struct options *options = &run->options;
    return (struct trial_plan){
        .recipe = cell->recipe,
        .workload = options->plan.workload,
        .pace = options->plan.pace,
        .fleet.driver = options->target.driver,
        .hold = options->plan.hold,
        .fleet.sessions = cell->clients,
        .locks = options->plan.locks,
        .fleet.processes = options->plan.processes,
        .handoffs = options_handoffs(options, cell->clients),
        .duration_ns = options->plan.duration_ns,
        .max_rate = options->plan.max_rate,
        .traced = options->plan.traced.list,
        .traced_count = options->plan.traced.count,
        .fleet.timeout_ns = options->plan.timeout_ns,
        .fleet.session_timeout_ms = (uint32_t)(options->plan.session_timeout_ns / NS_PER_MS),
        .fleet.seed = options->plan.seed + cell->trial,
        .root = root,
        .fleet.servers = &run->base.targets.list[cell->topology].placement,
    };
}

/* Without its load there is no trial. */
static enum error_kind run_beside(const struct background_options *options,
                                  const struct trial_plan *plan, const struct trial_host *host,
                                  struct background_figures *figures, struct trial_result **result,
                                  struct error *error)
{
    struct background background = {0};
    const struct background_plan load = {
        .mix = options->mix, .rate_per_s = options->rate_per_s, .alone_s = BACKGROUND_ALONE_S};
    enum error_kind kind = background_run(&background, &load, plan, host, figures, result, error);
    return kind == ERROR_NONE && *result == NULL
               ? error_raise(error, ERROR_SESSION_LOST, 0, "background", "%s", figures->ended)
               : kind;
}

/* Runs a plan for a cell, with the load of --background beside it unless `background` is NULL, and
 * learns from it how long such a trial takes here. */
static enum error_kind run_plan(struct run *run, const struct cell *cell,
                                const struct trial_plan *plan, const struct trial_watch *watch,
                                struct background_figures *background, struct trial_result **result,
                                struct error *error)
{
    const struct target *target = &run->base.targets.list[cell->topology];
    const struct trial_host host = {.setup = target->setup,
                                    .servers = &target->servers,
                                    .ensemble = target->ensemble,
                                    .simulation = &target->simulation,
                                    .watch = *watch};
    uint64_t began_ns = clock_now_ns();
    enum error_kind kind =
        background != NULL && run->options.plan.background.given
            ? run_beside(&run->options.plan.background, plan, &host, background, result, error)
            : trial_run(plan, &host, result, error);
    if (kind != ERROR_NONE)
        return kind;
    cells_learn(&run->cells, cell, cell->rpcs, clock_now_ns() - began_ns);
    return ERROR_NONE;
}

/* The progress callback of a cell's trial. */
static void show(void *context, const struct trial_progress *trial)
{
    struct run *run = context;
    const struct cell *cell = &run->cells.list[run->base.progress.at];
    bool several = run->options.target.topology_count > 1;
    char what[128];
    snprintf(what, sizeof what, "%s n=%u", cell->recipe->name, cell->clients);
    const struct progress_name name = {several ? run->base.targets.list[cell->topology].name : "",
                                       what, cell->trial, cell->clients};
    progress_show(&run->base.progress, &name, trial);
    run->metrics.trial = trial;
    series_answer(&run->base);
    run->metrics.trial = NULL;
}

/* The same of a trial that is not kept. */
static void answer(void *context, const struct trial_progress *trial)
{
    (void)trial;
    series_answer(&((const struct run *)context)->base);
}

static enum error_kind keep(struct run *run, const struct cell *cell,
                            const struct trial_result *result,
                            const struct background_figures *background, struct error *error)
{
    struct record *record = &run->records[cell->topology];
    enum error_kind kind = record_add(record, cell, result, background, error);
    if (kind == ERROR_NONE)
        run_metrics_add(&run->metrics, cell, table_row(&record->rows, record->rows.rows - 1),
                        result);
    return kind;
}

static enum error_kind run_cell(struct run *run, size_t at, struct error *error)
{
    const struct cell *cell = &run->cells.list[at];
    const struct trial_watch watch = {
        .progress = show, .context = run, .interrupt_descriptor = run->base.targets.signals};
    struct trial_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/t%04zu", run->base.targets.list[cell->topology].root, at);
    struct trial_plan plan = plan_of(run, cell, root);
    struct background_figures background = {0};
    progress_begin(&run->base.progress, at, cells_time_left_ns(&run->cells, at));
    run_metrics_begin(&run->metrics, cell);
    enum error_kind kind = run_plan(run, cell, &plan, &watch, &background, &result, error);
    if (kind != ERROR_NONE)
        return kind;
    progress_clear(&run->base.progress);
    kind = keep(run, cell, result, &background, error);
    trial_result_free(result);
    return kind;
}

/* A discarded trial, which also tells how fast this machine is. */
static enum error_kind warm_up_with(struct run *run, const struct cell *cell, size_t at,
                                    struct error *error)
{
    const struct trial_watch watch = {
        .progress = answer, .context = run, .interrupt_descriptor = run->base.targets.signals};
    struct trial_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/w%04zu", run->base.targets.list[cell->topology].root, at);
    struct trial_plan plan = plan_of(run, cell, root);
    plan.workload = WORKLOAD_DRAIN;
    plan.hold.mean_ns = 0;
    plan.locks = plan.fleet.processes = 1;
    plan.traced_count = 0;
    enum error_kind kind = run_plan(run, cell, &plan, &watch, NULL, &result, error);
    trial_result_free(result);
    return kind;
}

static enum error_kind warm_up(struct run *run, struct error *error)
{
    const struct options *options = &run->options;
    enum error_kind kind = ERROR_NONE;
    progress_say(&run->base.progress, "warming up");
    for (size_t topology = 0; topology < options->target.topology_count; topology++) {
        for (size_t i = 0; kind == ERROR_NONE && i < options->plan.recipe_count; i++) {
            struct cell cell = cells_warm_up(options, i, topology);
            kind = warm_up_with(run, &cell, i, error);
        }
    }
    return kind;
}

/* ------------------------------------------------------------------ before the first trial */

/* What differs between the leader and a follower may be that, then. */
static void warn_of_versions(struct record *record, const struct target *target)
{
    char versions[CONNECT_ENDPOINTS_MAX * (ENDPOINT_TEXT_SIZE + 80)];
    targets_describe_versions(target, versions, sizeof versions);
    if (versions[0] != '\0')
        record_warn(record, "the servers are of different versions: %s", versions);
}

static enum error_kind open_record(void *context, size_t topology, const char *out,
                                   struct error *error)
{
    struct run *run = context;
    const struct series *base = &run->base;
    struct record *record = &run->records[topology];
    const struct target *target = &base->targets.list[topology];
    enum error_kind kind =
        record_open(record, &run->options, target, out, base->planned / base->targets.count, error);
    if (kind != ERROR_NONE)
        return kind;
    manifest_begin(&record->manifest,
                   &(struct manifest_start){base->argc, base->argv, run->options.plan.seed,
                                            option_table_plan(&run->options), &run->options.target,
                                            target});
    limits_warn(&run->options, &run->cells, target->placement.count, record);
    warn_of_versions(record, target);
    if (base->left_out[0] != '\0')
        record_warn(record, "%s", base->left_out);
    return ERROR_NONE;
}

/* A recipe that is broken on purpose has a verdict that fails. */
static void tell_of_broken(const struct options *options)
{
    for (size_t i = 0; i < options->plan.recipe_count && !options->output.quiet; i++) {
        if (options->plan.recipes[i]->broken)
            complain_mildly("%s is broken on purpose: its verdict must fail",
                            options->plan.recipes[i]->name);
    }
}

static enum error_kind check(void *context, struct error *error)
{
    const struct run *run = context;
    enum error_kind kind = space_check(&run->options, error);
    if (kind == ERROR_NONE)
        tell_of_broken(&run->options);
    return kind;
}

static enum error_kind lay_out(void *context, struct error *error)
{
    struct run *run = context;
    enum error_kind kind = cells_init(&run->cells, &run->options, error);
    run->base.progress.count = run->base.planned = run->cells.count;
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind run_cells(void *context, struct error *error)
{
    struct run *run = context;
    if (series_tells_demand(&run->base))
        demand_tell(&run->options, &run->cells, &run->base.targets.list[0].placement);
    enum error_kind kind = warm_up(run, error);
    if (kind != ERROR_NONE)
        return kind;
    bool time_decides = run->options.plan.duration_ns != 0;
    progress_announce(&run->base.progress, time_decides ? 0 : cells_rpcs(&run->cells, 0),
                      cells_time_left_ns(&run->cells, 0));
    for (size_t at = 0; kind == ERROR_NONE && at < run->cells.count; at++)
        kind = run_cell(run, at, error);
    progress_clear(&run->base.progress);
    return kind;
}

static enum error_kind close_record(void *context, size_t topology, const struct error *cut_short,
                                    struct error *error)
{
    struct run *run = context;
    struct record *record = &run->records[topology];
    if (record->rows.rows > 0)
        progress_say(&run->base.progress, cut_short == NULL || cut_short->kind != ERROR_INTERRUPTED
                                              ? "drawing the plots"
                                              : "drawing the plots; interrupt again to end at "
                                                "once");
    enum error_kind kind = record_close(record, cut_short, run->base.targets.signals, error);
    progress_clear(&run->base.progress);
    return kind;
}

static size_t kept(const void *context, size_t topology)
{
    const struct run *run = context;
    return run->records[topology].rows.rows;
}

/* A failed verdict outweighs a trial that is not valid. */
static int judge(const struct run *run)
{
    int verdict = 0;
    for (size_t i = 0; verdict != 1 && i < run->base.record_count; i++) {
        int judged = trial_rows_verdict(&run->records[i].rows);
        verdict = judged != 0 ? judged : verdict;
    }
    return verdict;
}

/* Tells of all records that have trials. */
static int tell_in_text(const struct run *run)
{
    for (size_t i = 0; i < run->base.record_count; i++) {
        if (run->records[i].rows.rows > 0)
            record_tell(&run->records[i]);
    }
    return 0;
}

static int tell_in_json(const struct run *run, int verdict)
{
    struct error error;
    json_t *records = json_array();
    for (size_t i = 0; i < run->base.record_count; i++) {
        if (run->records[i].rows.rows == 0)
            continue;
        record_complain(&run->records[i]);
        json_array_append_new(records, record_describe(&run->records[i]));
    }
    return json_result_write_records(verdict, records, "run", stdout, &error) == ERROR_NONE
               ? 0
               : complain(&error);
}

static int tell(void *context, int *verdict)
{
    const struct run *run = context;
    if (run->base.targets.made_out)
        page_add_common(run->options.output.out, run->options.output.quiet);
    *verdict = judge(run);
    return run->options.output.json ? tell_in_json(run, *verdict) : tell_in_text(run);
}

static void write_metrics(void *context, FILE *stream)
{
    run_metrics_write(&((struct run *)context)->metrics, stream);
}

static const struct series_user user = {.check = check,
                                        .lay_out = lay_out,
                                        .open_record = open_record,
                                        .run = run_cells,
                                        .close_record = close_record,
                                        .kept = kept,
                                        .tell = tell,
                                        .write_metrics = write_metrics};

static int lead(struct run *run, int argc, char **argv)
{
    struct options *options = &run->options;
    const struct series_options of_series = {
        "run", &options->target, &options->output, &options->plan.clients, options->plan.processes,
        NULL};
    series_init(&run->base, &of_series, &user, run);
    run_metrics_init(&run->metrics, options, run->records, &run->base.progress);
    int status = series_lead(&run->base, argc, argv);
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        record_free(&run->records[i]);
    series_deinit(&run->base);
    cells_deinit(&run->cells);
    return status;
}

int run_main(int argc, char **argv)
{
    struct run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "run"});
    int status = command_line_parse(argc, argv, &run->options);
    if (status == ARGUMENTS_GO) {
        status = lead(run, argc, argv);
        options_deinit(&run->options);
    }
    free(run);
    return status;
}
