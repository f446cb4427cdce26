// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table3_series.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/signals.h"
#include "bench/cli/standard_output.h"
#include "bench/output/folder.h"
#include "bench/output/interruption.h"
#include "bench/target/data.h"
#include "bench/target/resources.h"
#include "recipes/registry.h"

#include <stdio.h>

#define SUBCOMMAND "paper table3"

/* The root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80

static uint64_t most_clients(const struct table3_series *series)
{
    const struct client_counts *clients = &series->options->load.sessions;
    return clients->list[clients->count - 1];
}

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
                  .servers = &series->targets.list[trial->topology].placement},
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
    const struct table3_trial *trial = &series->plan.list[series->progress.at];
    char what[64];
    snprintf(what, sizeof what, "%u clients, %u barriers%s", trial->clients, trial->barriers,
             trial->number == 0 ? ", rehearsal" : "");
    const struct progress_name name = {
        series->targets.count > 1 ? series->targets.list[trial->topology].name : "", what,
        trial->number, trial->clients};
    progress_show(&series->progress, &name, progress);
}

static enum error_kind run_trial(struct table3_series *series, size_t at, struct error *error)
{
    const struct table3_trial *trial = &series->plan.list[at];
    const struct target *target = &series->targets.list[trial->topology];
    struct trial_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/t%04zu", target->root, at);
    const struct trial_plan plan = plan_of(series, trial, root);
    const struct trial_host host = {.setup = target->setup,
                                    .servers = &target->servers,
                                    .ensemble = target->ensemble,
                                    .simulation = &target->simulation,
                                    .watch = {.progress = show,
                                              .context = series,
                                              .interrupt_descriptor = series->targets.signals}};
    uint64_t began_ns = clock_now_ns();
    progress_begin(&series->progress, at, table3_plan_left_ns(&series->plan, at));
    enum error_kind kind = trial_run(&plan, &host, &result, error);
    progress_clear(&series->progress);
    if (kind != ERROR_NONE)
        return kind;
    table3_plan_learn(&series->plan, trial, clock_now_ns() - began_ns);
    if (trial->number > 0)
        kind = table3_record_add(&series->records[trial->topology], trial, result, error);
    trial_result_free(result);
    return kind;
}

/* ------------------------------------------------------------------ before the first trial */

static enum error_kind open_record(struct table3_series *series, size_t topology, int argc,
                                   char **argv, struct error *error)
{
    const struct load_options *options = &series->options->load;
    const struct target *target = &series->targets.list[topology];
    struct table3_record *record = &series->records[topology];
    size_t trials = (series->plan.count - series->plan.rehearsals) / series->targets.count;
    char folder[PATH_MAX];
    const char *out;
    enum error_kind kind =
        targets_folder(&series->targets, topology, options->output.out, folder, &out, error);
    if (kind == ERROR_NONE)
        kind = table3_record_open(record, series->options, target, out, trials, argc, argv, error);
    if (kind != ERROR_NONE)
        return kind;
    series->record_count++;
    const char *warning = resources_warning(&options->target, target->servers.count);
    if (series->left_out[0] != '\0')
        table3_record_warn(record, series->left_out);
    if (warning != NULL)
        table3_record_warn(record, warning);
    return ERROR_NONE;
}

static enum error_kind lay_out(struct table3_series *series, struct error *error)
{
    struct load_options *options = &series->options->load;
    options->rehearses = options->target.driver != DRIVER_SIMULATED;
    enum error_kind kind =
        capacity_fit(&series->targets.list[0].capacity, options->target.max_clients,
                     &options->sessions, series->left_out, sizeof series->left_out, error);
    if (kind == ERROR_NONE)
        kind = table3_plan_init(&series->plan, series->options, error);
    series->progress.count = series->plan.count;
    return kind;
}

/* On servers that are somebody's. */
static void tell_demand(const struct table3_series *series)
{
    const struct load_options *options = &series->options->load;
    const struct target *target = &series->targets.list[0];
    char where[CONNECT_TEXT_SIZE], clients[32];
    if (options->target.connect && !target->stands && !options->output.quiet)
        complain_mildly("on %s: at most %s sessions at a time, each of which sends its next "
                        "request as soon as it may; others who use these servers will notice",
                        connect_typed(&target->placement, where, sizeof where),
                        text_format_count(most_clients(series), clients, sizeof clients));
}

static enum error_kind open_targets(struct table3_series *series, struct error *error)
{
    const struct target_options *options = &series->options->load.target;
    if (options->driver != DRIVER_SIMULATED)
        progress_say(&series->progress,
                     options->connect ? "looking at the servers" : "starting private servers");
    enum error_kind kind = targets_open(&series->targets, options, most_clients(series), error);
    progress_clear(&series->progress);
    return kind;
}

static enum error_kind prepare(struct table3_series *series, int argc, char **argv,
                               struct error *error)
{
    const struct load_options *options = &series->options->load;
    enum error_kind kind = folder_check(options->output.out, error);
    if (kind == ERROR_NONE && !options->output.quiet)
        kind = standard_output_check(error);
    if (kind == ERROR_NONE)
        kind = resources_check(&options->target, most_clients(series), options->processes, error);
    if (kind == ERROR_NONE)
        kind = data_prepare(&options->target, &series->made_data, error);
    if (kind != ERROR_NONE)
        return kind;
    progress_init(&series->progress, 0, options->output.quiet);
    kind = open_targets(series, error);
    if (kind == ERROR_NONE)
        kind = lay_out(series, error);
    for (size_t i = 0; kind == ERROR_NONE && i < series->targets.count; i++)
        kind = open_record(series, i, argc, argv, error);
    if (kind == ERROR_NONE)
        tell_demand(series);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

/* Closes all records, whether or not one fails. Complains about the first error that is not the one
 * that has cut the trials short, about which the caller complains. Returns the exit status. */
static int close_records(struct table3_series *series, const struct error *cut_short)
{
    int status = 0;
    for (size_t i = 0; i < series->record_count; i++) {
        struct error error = {0};
        if (table3_record_close(&series->records[i], cut_short, &error) != ERROR_NONE &&
            status == 0 && (cut_short == NULL || error.kind != cut_short->kind))
            status = complain(&error);
    }
    return status;
}

/* Behind all else: what else went wrong may be why znodes remain. */
static int tell_left(const struct table3_series *series, int status)
{
    int left = series->left.kind != ERROR_NONE ? complain(&series->left) : 0;
    return status != 0 ? status : left;
}

static size_t trials_kept(const struct table3_series *series)
{
    size_t trials = 0;
    for (size_t i = 0; i < series->record_count; i++)
        trials += series->records[i].samples.count;
    return trials;
}

/* Before the trials are laid out none are planned. */
static void reword_interruption(const struct table3_series *series, struct error *error)
{
    interruption_reword(error, SUBCOMMAND, "trial", trials_kept(series),
                        series->plan.count - series->plan.rehearsals);
}

/* What fails outweighs everything else, and an error what is not determined. */
static int weigh(int status, int verdict)
{
    return verdict == 1 || status == 0 ? verdict : status;
}

/* From the open targets to the verdict. */
static int lead(struct table3_series *series)
{
    struct error error = {0};
    enum error_kind kind = ERROR_NONE;
    for (size_t at = 0; kind == ERROR_NONE && at < series->plan.count; at++)
        kind = run_trial(series, at, &error);
    kind = targets_find_cause(&series->targets, kind, &error);
    series->interrupted = kind == ERROR_INTERRUPTED;
    reword_interruption(series, &error);
    if (series->interrupted)
        signals_take(series->targets.signals);      /* the next one leaves out the plots */
    targets_close(&series->targets, &series->left); /* before plots and tables: nobody waits */
    int closed = close_records(series, kind != ERROR_NONE ? &error : NULL);
    int verdict = 0, written = trials_kept(series) > 0 ? series->tell(series, &verdict) : 0;
    int status = kind != ERROR_NONE ? complain(&error) : closed != 0 ? closed : written;
    return weigh(tell_left(series, status), verdict);
}

/* Records that were opened before an error have no trials: closing them removes them. */
int table3_series_lead(struct table3_series *series, int argc, char **argv)
{
    struct error error = {0};
    if (prepare(series, argc, argv, &error) == ERROR_NONE)
        return lead(series);
    series->interrupted = error.kind == ERROR_INTERRUPTED;
    reword_interruption(series, &error);
    int status = error.kind == ERROR_UNREAD ? error_exit_status(error.kind)
                                            : complain_about(SUBCOMMAND, &error);
    close_records(series, &error);
    targets_close(&series->targets, &series->left);
    return tell_left(series, status);
}

void table3_series_init(struct table3_series *series, struct paper_options *options,
                        int (*tell)(const struct table3_series *series, int *verdict))
{
    *series = (struct table3_series){.options = options, .targets.signals = -1, .tell = tell};
}

void table3_series_deinit(struct table3_series *series)
{
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        table3_record_free(&series->records[i]);
    targets_deinit(&series->targets, series->options->load.output.out);
    data_remove(&series->options->load.target, series->made_data);
    table3_plan_deinit(&series->plan);
}
