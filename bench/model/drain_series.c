// SPDX-License-Identifier: Apache-2.0
#include "bench/model/drain_series.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/random.h"
#include "bench/cli/complain.h"
#include "bench/model/costs_target.h"
#include "bench/output/trial_times.h"
#include "bench/target/resources.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80

static const struct target *target_of(const struct drain_series *series)
{
    return &series->base.targets.list[0];
}

/* ------------------------------------------------------------------ before the first trial */

static enum error_kind allocate(struct drain_series *series, struct error *error)
{
    series->trial_count = series->cell_count * series->options->trials;
    assert(series->trial_count > 0);
    series->samples = calloc(series->trial_count, sizeof *series->samples);
    series->order = calloc(series->trial_count, sizeof *series->order);
    series->took_ns = calloc(series->cell_count, sizeof *series->took_ns);
    if (series->samples == NULL || series->order == NULL || series->took_ns == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "plan", "%zu trials", series->trial_count);
    return ERROR_NONE;
}

static void order_trials(struct drain_series *series)
{
    struct random random;
    random_init(&random, series->options->seed);
    for (uint32_t round = 0; round < series->options->trials; round++) {
        size_t *first = series->order + round * series->cell_count;
        for (size_t i = 0; i < series->cell_count; i++)
            first[i] = i;
        random_shuffle(&random, first, series->cell_count, sizeof *first);
    }
}

static enum error_kind lay_out(void *context, struct error *error)
{
    struct drain_series *series = context;
    enum error_kind kind =
        drain_options_cells(series->options, &series->cells, &series->cell_count, error);
    if (kind == ERROR_NONE && series->cell_count == 0)
        kind = error_raise(error, ERROR_CONNECTION_LIMIT, 0, series->user->subcommand,
                           "the locks are more than the clients that remain");
    if (kind == ERROR_NONE)
        kind = allocate(series, error);
    if (kind != ERROR_NONE)
        return kind;
    order_trials(series);
    series->base.progress.count = series->base.planned = series->trial_count;
    return ERROR_NONE;
}

/* There is none: the user writes its files in the end. */
static enum error_kind open_record(void *context, size_t topology, const char *out,
                                   struct error *error)
{
    (void)context, (void)topology, (void)out, (void)error;
    return ERROR_NONE;
}

static enum error_kind close_record(void *context, size_t topology, const struct error *cut_short,
                                    struct error *error)
{
    (void)context, (void)topology, (void)cut_short, (void)error;
    return ERROR_NONE;
}

static void warn(const struct drain_series *series)
{
    const char *shares = resources_warning(series->target, target_of(series)->servers.count);
    if (series->base.options.output->quiet)
        return;
    if (series->base.left_out[0] != '\0')
        complain_mildly("%s", series->base.left_out);
    if (shares != NULL)
        complain_mildly("%s", shares);
}

void drain_series_record(const struct drain_series *series, struct costs_record *record)
{
    costs_target_describe(series->target, target_of(series), series->options->processes, record);
}

/* ------------------------------------------------------------------ one trial */

/* The progress callback of a trial. */
static void show(void *context, const struct trial_progress *progress)
{
    const struct drain_series *series = context;
    size_t at = series->base.progress.at;
    const struct drain_cell *cell = &series->cells[series->order[at]];
    char what[128];
    snprintf(what, sizeof what, "%s n=%u", cell->recipe->name, cell->clients);
    const struct progress_name name = {"", what, (uint32_t)(at / series->cell_count) + 1,
                                       cell->clients};
    progress_show(&series->base.progress, &name, progress);
}

static struct trial_plan plan_of(const struct drain_series *series, const struct drain_cell *cell,
                                 const char *root)
{
    const struct drain_options *options = series->options;
    struct trial_plan plan = drain_plan(cell);
    plan.fleet.driver = series->target->driver;
    plan.fleet.processes = options->processes < cell->clients ? options->processes : cell->clients;
    plan.fleet.session_timeout_ms = (uint32_t)(options->session_timeout_ns / NS_PER_MS);
    plan.fleet.timeout_ns = options->timeout_ns;
    plan.fleet.seed = options->seed;
    plan.fleet.servers = &target_of(series)->placement;
    plan.root = root;
    return plan;
}

static enum error_kind run_plan(struct drain_series *series, const struct trial_plan *plan,
                                const struct trial_watch *watch, struct trial_result **result,
                                struct error *error)
{
    const struct target *target = target_of(series);
    const struct trial_host host = {.setup = target->setup,
                                    .servers = &target->servers,
                                    .ensemble = target->ensemble,
                                    .watch = *watch};
    return trial_run(plan, &host, result, error);
}

/* What the cells have taken so far says how long the others take: by their clients. */
static uint64_t left_ns(const struct drain_series *series, size_t from)
{
    double took_ns = 0, clients = 0, left_ns = 0;
    for (size_t i = 0; i < series->cell_count; i++) {
        took_ns += (double)series->took_ns[i];
        clients += series->took_ns[i] > 0 ? series->cells[i].clients : 0;
    }
    for (size_t at = from; at < series->trial_count && clients > 0; at++) {
        size_t cell = series->order[at];
        left_ns += series->took_ns[cell] > 0 ? (double)series->took_ns[cell]
                                             : took_ns / clients * series->cells[cell].clients;
    }
    return (uint64_t)left_ns;
}

/* Complains about a trial whose times do not stand. */
static bool judge(const struct drain_series *series, const struct drain_cell *cell,
                  const struct trial_result *result)
{
    char reason[512] = "";
    bool stands = result->end == END_DONE && result->not_valid[0] == '\0';
    if (!stands)
        snprintf(reason, sizeof reason, "%s",
                 result->end != END_DONE ? result->reason : result->not_valid);
    else
        stands = trial_times_stand(result, cores_allowed(), reason, sizeof reason);
    if (!stands)
        complain_plainly("%s, %u clients, trial %zu: not used: %s", cell->recipe->name,
                         cell->clients, series->sample_count / series->cell_count + 1, reason);
    return stands;
}

static enum error_kind run_trial(struct drain_series *series, size_t at, struct error *error)
{
    struct drain_sample *sample = &series->samples[at];
    const struct drain_cell *cell = &series->cells[series->order[at]];
    const struct trial_watch watch = {
        .progress = show, .context = series, .interrupt_descriptor = series->base.targets.signals};
    struct trial_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/t%04zu", target_of(series)->root, at);
    const struct trial_plan plan = plan_of(series, cell, root);
    uint64_t began_ns = clock_now_ns();
    progress_begin(&series->base.progress, at, left_ns(series, at));
    enum error_kind kind = run_plan(series, &plan, &watch, &result, error);
    progress_clear(&series->base.progress);
    if (kind != ERROR_NONE)
        return kind;
    series->took_ns[series->order[at]] = clock_now_ns() - began_ns;
    sample->cell = series->order[at];
    sample->stands = judge(series, cell, result);
    sample->client_cpu_ns = (double)result->client_cpu_ns;
    sample->messages =
        (double)(2 * tally_rpcs(&result->total) + result->total.of[TALLY_NOTIFICATION]);
    drain_read(result, sample->times_s);
    series->sample_count++;
    trial_result_free(result);
    return ERROR_NONE;
}

/* Drains of the largest cells, in turn, until the time is over. */
static enum error_kind warm_up(struct drain_series *series, struct error *error)
{
    const struct trial_watch watch = {.interrupt_descriptor = series->base.targets.signals};
    uint64_t most = series_most_clients(&series->base);
    uint64_t until_ns = clock_now_ns() +
                        drain_options_warm_up_ns(series->options, target_of(series)->servers.count);
    enum error_kind kind = ERROR_NONE;
    progress_say(&series->base.progress, "warming up");
    for (size_t i = 0; kind == ERROR_NONE && clock_now_ns() < until_ns; i++) {
        const struct drain_cell *cell = &series->cells[i % series->cell_count];
        if (cell->clients < most)
            continue;
        struct trial_result *result = NULL;
        char root[TRIAL_ROOT_MAX];
        snprintf(root, sizeof root, "%s/w%06zu", target_of(series)->root, i);
        const struct trial_plan plan = plan_of(series, cell, root);
        kind = run_plan(series, &plan, &watch, &result, error);
        trial_result_free(result);
    }
    progress_clear(&series->base.progress);
    return kind;
}

static enum error_kind run(void *context, struct error *error)
{
    struct drain_series *series = context;
    enum error_kind kind = ERROR_NONE;
    warn(series);
    series_tell_demand(&series->base);
    if (series->user->begin != NULL)
        kind = series->user->begin(series, series->context, error);
    if (kind == ERROR_NONE)
        kind = warm_up(series, error);
    for (size_t at = 0; kind == ERROR_NONE && at < series->trial_count; at++)
        kind = run_trial(series, at, error);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

/* Some of the cells are no result. */
static size_t kept(const void *context, size_t topology)
{
    const struct drain_series *series = context;
    (void)topology;
    return series->sample_count == series->trial_count ? series->sample_count : 0;
}

static int tell(void *context, int *verdict)
{
    struct drain_series *series = context;
    return series->user->tell(series, series->context, verdict);
}

int drain_series_lead(struct drain_series *series, int argc, char **argv)
{
    return series_lead(&series->base, argc, argv);
}

void drain_series_init(struct drain_series *series, struct drain_options *options,
                       const struct target_options *target, const struct output_options *output,
                       const struct drain_series_user *user, void *context)
{
    static const struct series_user of_series = {.lay_out = lay_out,
                                                 .open_record = open_record,
                                                 .run = run,
                                                 .close_record = close_record,
                                                 .kept = kept,
                                                 .tell = tell};
    const struct series_options base = {.subcommand = user->subcommand,
                                        .target = target,
                                        .output = output,
                                        .clients = &options->clients,
                                        .processes = options->processes,
                                        .piece = user->piece};
    *series = (struct drain_series){
        .options = options, .target = target, .user = user, .context = context};
    series_init(&series->base, &base, &of_series, series);
}

void drain_series_deinit(struct drain_series *series)
{
    series_deinit(&series->base);
    free(series->cells);
    free(series->samples);
    free(series->order);
    free(series->took_ns);
}

/* ------------------------------------------------------------------ what was measured */

struct drain_summary drain_series_summarize(const struct drain_series *series, size_t cell)
{
    struct drain_summary summary = {0};
    double logs[DRAIN_TIMES] = {0};
    for (size_t i = 0; i < series->sample_count; i++) {
        const struct drain_sample *sample = &series->samples[i];
        if (sample->cell != cell || !sample->stands)
            continue;
        summary.trials++;
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
            logs[time] += log(sample->times_s[time]);
    }
    for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
        summary.times_s[time] = summary.trials > 0 ? exp(logs[time] / summary.trials) : NAN;
    return summary;
}

double drain_series_scatter(const struct drain_series *series, enum drain_time time)
{
    double squares = 0, degrees = 0;
    for (size_t i = 0; i < series->cell_count; i++) {
        const struct drain_summary summary = drain_series_summarize(series, i);
        if (summary.trials < 2 || !isfinite(summary.times_s[time]))
            continue;
        degrees += summary.trials - 1;
        for (size_t j = 0; j < series->sample_count; j++) {
            const struct drain_sample *sample = &series->samples[j];
            if (sample->cell == i && sample->stands)
                squares += pow(log(sample->times_s[time] / summary.times_s[time]), 2);
        }
    }
    return degrees > 0 ? sqrt(squares / degrees) : 0;
}

double drain_series_message_ns(const struct drain_series *series)
{
    double most = 0, message_ns = NAN;
    for (size_t cell = 0; cell < series->cell_count; cell++) {
        double messages = 0, cpu_ns = 0, trials = 0;
        for (size_t i = 0; i < series->sample_count; i++) {
            const struct drain_sample *sample = &series->samples[i];
            bool counts = sample->cell == cell && sample->stands;
            messages += counts ? sample->messages : 0;
            cpu_ns += counts ? sample->client_cpu_ns : 0;
            trials += counts;
        }
        if (trials > 0 && messages / trials > most) {
            most = messages / trials;
            message_ns = cpu_ns / messages;
        }
    }
    return message_ns;
}
