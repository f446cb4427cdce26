// SPDX-License-Identifier: Apache-2.0
#include "bench/run/run.h"

#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/option_table.h"
#include "bench/cli/progress.h"
#include "bench/cli/signals.h"
#include "bench/cli/standard_output.h"
#include "bench/output/folder.h"
#include "bench/output/interruption.h"
#include "bench/run/background.h"
#include "bench/run/cells.h"
#include "bench/run/command_line.h"
#include "bench/run/demand.h"
#include "bench/run/limits.h"
#include "bench/run/record.h"
#include "bench/run/space.h"
#include "bench/target/data.h"
#include "bench/target/resources.h"
#include "bench/target/targets.h"
#include "trial/trial.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The run's root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80

struct run {
    struct options options;
    struct targets targets;
    struct record records[OPTIONS_TOPOLOGIES_MAX]; /* of each target */
    size_t record_count;
    struct cells cells;
    struct progress progress;
    char left_out[512]; /* which numbers of clients, and why; "": none */
    struct error left;  /* ERROR_LEFT_BEHIND: znodes that could not be removed */
    bool made_out;      /* the folder of --out, for the folders of several targets */
    bool made_data;     /* the folder of --data */
    int signals;        /* a signalfd: readable when the run is to end */
};

static uint64_t most_clients(const struct run *run)
{
    const struct client_counts *clients = &run->options.plan.clients;
    return clients->list[clients->count - 1];
}

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
        .fleet.timeout_ns = options->plan.timeout_ns,
        .fleet.session_timeout_ms = (uint32_t)(options->plan.session_timeout_ns / NS_PER_MS),
        .fleet.seed = options->plan.seed + cell->trial,
        .root = root,
        .fleet.servers = &run->targets.list[cell->topology].placement,
    };
}

/* Runs a plan for a cell, with the load of --background beside it unless `background` is NULL, and
 * learns from it how long such a trial takes here. */
static enum error_kind run_plan(struct run *run, const struct cell *cell,
                                const struct trial_plan *plan, const struct trial_watch *watch,
                                struct background_figures *background, struct trial_result **result,
                                struct error *error)
{
    const struct target *target = &run->targets.list[cell->topology];
    const struct trial_host host = {.setup = target->setup,
                                    .servers = &target->servers,
                                    .ensemble = target->ensemble,
                                    .simulation = &target->simulation,
                                    .watch = *watch};
    uint64_t began_ns = clock_now_ns();
    enum error_kind kind =
        background != NULL && run->options.plan.background.given
            ? background_run(&run->options, plan, &host, background, result, error)
            : trial_run(plan, &host, result, error);
    if (kind != ERROR_NONE)
        return kind;
    cells_learn(&run->cells, cell, cell->rpcs, clock_now_ns() - began_ns);
    return ERROR_NONE;
}

/* The progress callback of a cell's trial. */
static void show(void *context, const struct trial_progress *trial)
{
    const struct run *run = context;
    const struct cell *cell = &run->cells.list[run->progress.at];
    bool several = run->options.target.topology_count > 1;
    char what[128];
    snprintf(what, sizeof what, "%s n=%u", cell->recipe->name, cell->clients);
    const struct progress_name name = {several ? run->targets.list[cell->topology].name : "", what,
                                       cell->trial, cell->clients};
    progress_show(&run->progress, &name, trial);
}

static enum error_kind run_cell(struct run *run, size_t at, struct error *error)
{
    const struct cell *cell = &run->cells.list[at];
    const struct trial_watch watch = {
        .progress = show, .context = run, .interrupt_descriptor = run->targets.signals};
    struct trial_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/t%04zu", run->targets.list[cell->topology].root, at);
    struct trial_plan plan = plan_of(run, cell, root);
    struct background_figures background = {0};
    progress_begin(&run->progress, at, cells_time_left_ns(&run->cells, at));
    enum error_kind kind = run_plan(run, cell, &plan, &watch, &background, &result, error);
    if (kind != ERROR_NONE)
        return kind;
    progress_clear(&run->progress);
    kind = record_add(&run->records[cell->topology], cell, result, &background, error);
    trial_result_free(result);
    return kind;
}

/* A discarded trial, which also tells how fast this machine is. */
static enum error_kind warm_up_with(struct run *run, const struct cell *cell, size_t at,
                                    struct error *error)
{
    const struct trial_watch watch = {.interrupt_descriptor = run->targets.signals};
    struct trial_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/w%04zu", run->targets.list[cell->topology].root, at);
    struct trial_plan plan = plan_of(run, cell, root);
    plan.workload = WORKLOAD_DRAIN;
    plan.hold.mean_ns = 0;
    plan.locks = plan.fleet.processes = 1;
    enum error_kind kind = run_plan(run, cell, &plan, &watch, NULL, &result, error);
    trial_result_free(result);
    return kind;
}

static enum error_kind warm_up(struct run *run, struct error *error)
{
    const struct options *options = &run->options;
    enum error_kind kind = ERROR_NONE;
    progress_say(&run->progress, "warming up");
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

static enum error_kind open_targets(struct run *run, struct error *error)
{
    const struct options *options = &run->options;
    if (options->target.driver != DRIVER_SIMULATED)
        progress_say(&run->progress, options->target.connect ? "looking at the servers"
                                                             : "starting private servers");
    enum error_kind kind = targets_open(&run->targets, &options->target, most_clients(run), error);
    progress_clear(&run->progress);
    return kind;
}

static enum error_kind open_records(struct run *run, int argc, char **argv, struct error *error)
{
    for (size_t i = 0; i < run->options.target.topology_count; i++) {
        struct record *record = &run->records[i];
        char folder[PATH_MAX];
        const char *out;
        enum error_kind kind =
            targets_folder(&run->targets, i, run->options.output.out, folder, &out, error);
        if (kind == ERROR_NONE)
            kind = record_open(record, &run->options, &run->targets.list[i], out,
                               run->cells.count / run->options.target.topology_count, error);
        if (kind != ERROR_NONE)
            return kind;
        run->record_count++;
        manifest_begin(&record->manifest,
                       &(struct manifest_start){argc, argv, run->options.plan.seed,
                                                option_table_plan(&run->options),
                                                &run->options.target, &run->targets.list[i]});
        limits_warn(&run->options, &run->cells, run->targets.list[i].placement.count, record);
        warn_of_versions(record, &run->targets.list[i]);
        if (run->left_out[0] != '\0')
            record_warn(record, "%s", run->left_out);
    }
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

/* What the servers do not allow is left out: only --connect has such servers, and they are one
 * target. */
static enum error_kind lay_out_cells(struct run *run, struct error *error)
{
    struct options *options = &run->options;
    enum error_kind kind =
        capacity_fit(&run->targets.list[0].capacity, options->target.max_clients,
                     &options->plan.clients, run->left_out, sizeof run->left_out, error);
    if (kind == ERROR_NONE)
        kind = cells_init(&run->cells, options, error);
    run->progress.count = run->cells.count;
    return kind;
}

/* On servers that are somebody's: behind what is left out, for it is of the rest. */
static void tell_load(const struct run *run)
{
    const struct options *options = &run->options;
    if (options->target.connect && !run->targets.list[0].stands && !options->output.quiet)
        demand_tell(options, &run->cells, &run->targets.list[0].placement);
}

static enum error_kind prepare(struct run *run, int argc, char **argv, struct error *error)
{
    enum error_kind kind = folder_check(run->options.output.out, error);
    if (kind == ERROR_NONE && !run->options.output.quiet)
        kind = standard_output_check(error);
    if (kind == ERROR_NONE)
        kind = space_check(&run->options, error);
    if (kind == ERROR_NONE)
        kind = resources_check(&run->options.target, most_clients(run), run->options.plan.processes,
                               error);
    if (kind == ERROR_NONE)
        kind = data_prepare(&run->options.target, &run->made_data, error);
    if (kind != ERROR_NONE)
        return kind;
    tell_of_broken(&run->options);
    progress_init(&run->progress, 0, run->options.output.quiet);
    kind = open_targets(run, error);
    if (kind == ERROR_NONE)
        kind = lay_out_cells(run, error);
    if (kind == ERROR_NONE)
        kind = open_records(run, argc, argv, error);
    if (kind == ERROR_NONE)
        tell_load(run);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind run_cells(struct run *run, struct error *error)
{
    enum error_kind kind = warm_up(run, error);
    if (kind != ERROR_NONE)
        return kind;
    progress_announce(&run->progress, cells_rpcs(&run->cells, 0),
                      cells_time_left_ns(&run->cells, 0));
    for (size_t at = 0; kind == ERROR_NONE && at < run->cells.count; at++)
        kind = run_cell(run, at, error);
    progress_clear(&run->progress);
    return kind;
}

/* Behind all else: what else went wrong may be why znodes remain. */
static int tell_left(const struct run *run, int status)
{
    int left = run->left.kind != ERROR_NONE ? complain(&run->left) : 0;
    return status != 0 ? status : left;
}

static void release(struct run *run)
{
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        record_free(&run->records[i]);
    targets_deinit(&run->targets, run->options.output.out);
    data_remove(&run->options.target, run->made_data);
    cells_deinit(&run->cells);
    options_deinit(&run->options);
}

/* Closes all records, whether or not one fails; complains about the first error that is not the one
 * that has cut the run short, which lead() reports. */
static int close_records(struct run *run, const struct error *cut_short)
{
    int status = 0;
    for (size_t i = 0; i < run->record_count; i++) {
        struct error error = {0};
        if (run->records[i].samples.count > 0)
            progress_say(&run->progress, cut_short == NULL || cut_short->kind != ERROR_INTERRUPTED
                                             ? "drawing the plots"
                                             : "drawing the plots; interrupt again to end at once");
        enum error_kind kind =
            record_close(&run->records[i], cut_short, run->targets.signals, &error);
        progress_clear(&run->progress);
        if (kind != ERROR_NONE && status == 0 && (cut_short == NULL || kind != cut_short->kind))
            status = complain(&error);
    }
    return status;
}

/* A failed verdict outweighs everything else, and an error a trial that is not valid. */
static int judge(const struct run *run, int status)
{
    for (size_t i = 0; i < run->record_count; i++) {
        int judged = record_verdict(&run->records[i]);
        if (judged == 1 || (judged != 0 && status == 0))
            status = judged;
        if (judged == 1)
            break;
    }
    return status;
}

/* Tells of all records that have trials, whether or not one fails; complains about the first error.
 */
static int tell_records(const struct run *run)
{
    int status = 0;
    for (size_t i = 0; i < run->record_count; i++) {
        struct error error;
        if (run->records[i].samples.count > 0 &&
            record_tell(&run->records[i], &error) != ERROR_NONE && status == 0)
            status = complain(&error);
    }
    return status;
}

/* The interruption of a trial, or of a request before the first, in the words of a run. */
static void reword_interruption(const struct run *run, struct error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->record_count; i++)
        kept += run->records[i].samples.count;
    interruption_reword(error, "run", "trial", kept, run->cells.count);
}

/* From the open targets to the verdict. */
static int lead(struct run *run)
{
    struct error error = {0};
    enum error_kind kind = targets_find_cause(&run->targets, run_cells(run, &error), &error);
    reword_interruption(run, &error);
    if (kind == ERROR_INTERRUPTED)
        signals_take(run->targets.signals);   /* the next one leaves out the plots */
    targets_close(&run->targets, &run->left); /* before plots and tables: nobody waits for them */
    int finished = close_records(run, kind != ERROR_NONE ? &error : NULL);
    int written = tell_records(run);
    int status = kind != ERROR_NONE ? complain(&error) : finished != 0 ? finished : written;
    return judge(run, tell_left(run, status));
}

/* Records that were opened before an error have no trials: closing them removes them. */
static int prepare_and_lead(struct run *run, int argc, char **argv)
{
    struct error error = {0};
    if (prepare(run, argc, argv, &error) == ERROR_NONE)
        return lead(run);
    reword_interruption(run, &error);
    int status =
        error.kind == ERROR_UNREAD ? error_exit_status(error.kind) : complain_about("run", &error);
    close_records(run, &error);
    targets_close(&run->targets, &run->left);
    return tell_left(run, status);
}

int run_main(int argc, char **argv)
{
    struct run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "run"});
    run->targets.signals = -1;
    int status = command_line_parse(argc, argv, &run->options);
    if (status == ARGUMENTS_GO) {
        status = prepare_and_lead(run, argc, argv);
        release(run);
    }
    free(run);
    return status;
}
