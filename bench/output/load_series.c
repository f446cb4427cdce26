// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_series.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/output/load_record.h"
#include "bench/target/resources.h"

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ cells */

/* One trial of every cell. */
static size_t add_round(struct load_cell *list, const struct load_options *options, uint32_t trial)
{
    size_t count = 0;
    for (size_t topology = 0; topology < options->target.topology_count; topology++) {
        for (size_t mix = 0; mix < load_options_mixes(options); mix++) {
            for (size_t rate = 0; rate < load_options_rates(options); rate++) {
                for (size_t i = 0; i < options->sessions.count; i++)
                    list[count++] = (struct load_cell){
                        .mix = load_options_mix(options, mix),
                        .sessions = (uint32_t)options->sessions.list[i],
                        .rate_per_s = load_options_rate(options, rate),
                        .topology = topology,
                        .trial = trial,
                    };
            }
        }
    }
    return count;
}

struct load_cells load_cells_of(const struct load_options *options)
{
    size_t round = options->target.topology_count * load_options_mixes(options) *
                   load_options_rates(options) * options->sessions.count;
    struct random random;
    struct load_cells cells = {
        .list = memory_new(round * (options->trials + options->rehearses), sizeof *cells.list),
        .rehearsals = options->rehearses ? round : 0};
    random_init(&random, options->seed);
    for (uint32_t trial = options->rehearses ? 0 : 1; trial <= options->trials; trial++) {
        struct load_cell *first = cells.list + cells.count;
        cells.count += add_round(first, options, trial);
        random_shuffle(&random, first, round, sizeof *first);
    }
    return cells;
}

/* The load's root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 80
/* What a trial takes beside its warm-up and its measured time, about. */
#define OVERHEAD_NS NS_PER_S

/* ------------------------------------------------------------------ one trial */

static struct load_plan plan_of(const struct load_series *series, const struct load_cell *cell,
                                const char *root)
{
    const struct load_options *options = series->options;
    return (struct load_plan){
        .fleet = {.driver = options->target.driver,
                  .sessions = cell->sessions,
                  .processes = options->processes,
                  .depth = mix_requests(&cell->mix, options->depth),
                  .session_timeout_ms = (uint32_t)(options->session_timeout_ns / NS_PER_MS),
                  .timeout_ns = options->timeout_ns,
                  .seed = options->seed + cell->trial,
                  .servers = &series->base.targets.list[cell->topology].placement},
        .mix = cell->mix,
        .rate_per_s = cell->rate_per_s,
        .poisson = options->poisson,
        .value_bytes = options->value_bytes,
        .znodes = options->znodes,
        .watch_percent = options->watch_percent,
        .warm_up_ns = options->warm_up_ns,
        .seconds = (uint32_t)(options->duration_ns / NS_PER_S),
        .faults = series->user->faults,
        .fault_count = series->user->fault_count,
        .root = root,
    };
}

static enum error_kind keep(struct load_series *series, const struct load_cell *cell,
                            const struct load_result *result, struct error *error)
{
    struct load_record *record = &series->records[cell->topology];
    enum error_kind kind = load_record_add(record, cell, result, error);
    if (kind != ERROR_NONE)
        return kind;
    const struct table_value *row = table_row(&record->rows, record->rows.rows - 1);
    if (series->base.metrics != NULL)
        kind = load_metrics_add(&series->metrics, row, result, error);
    if (kind != ERROR_NONE || series->user->keep == NULL)
        return kind;
    return series->user->keep(series->user->context, row, result, error);
}

/* The progress callback of a trial. */
static void show(void *context, const struct load_progress *progress)
{
    struct load_series *series = context;
    live_show(&series->live, progress);
    series->metrics.progress = progress;
    series_answer(&series->base);
    series->metrics.progress = NULL;
}

static enum error_kind run_cell(struct load_series *series, size_t at, struct error *error)
{
    const struct load_cell *cell = &series->cells.list[at];
    const struct target *target = &series->base.targets.list[cell->topology];
    struct load_result *result = NULL;
    char root[TRIAL_ROOT_MAX];
    snprintf(root, sizeof root, "%s/t%04zu", target->root, at);
    struct load_plan plan = plan_of(series, cell, root);
    const struct load_host host = {
        .setup = target->setup,
        .servers = &target->servers,
        .ensemble = target->ensemble,
        .simulation = &target->simulation,
        .watch = {.progress = show,
                  .context = series,
                  .interrupt_descriptor = series->base.targets.signals},
    };
    live_begin(&series->live, at, cell, series->base.targets.count > 1 ? target->name : "");
    load_metrics_begin(&series->metrics, cell);
    enum error_kind kind = load_run(&plan, &host, &result, error);
    live_clear(&series->live);
    if (kind != ERROR_NONE)
        return kind;
    if (cell->trial > 0)
        kind = keep(series, cell, result, error);
    load_result_free(result);
    return kind;
}

/* ------------------------------------------------------------------ before the first trial */

static enum error_kind lay_out(void *context, struct error *error)
{
    struct load_series *series = context;
    const struct load_options *options = series->options;
    series->cells = load_cells_of(options);
    series->base.planned = series->cells.count - series->cells.rehearsals;
    live_init(&series->live, series->cells.count,
              options->warm_up_ns + options->duration_ns + OVERHEAD_NS, options->output.quiet);
    (void)error;
    return ERROR_NONE;
}

static enum error_kind open_record(void *context, size_t topology, const char *out,
                                   struct error *error)
{
    struct load_series *series = context;
    const struct series *base = &series->base;
    struct load_record *record = &series->records[topology];
    const struct target *target = &base->targets.list[topology];
    enum error_kind kind =
        load_record_open(record, series->options, target, out, base->planned / base->targets.count,
                         base->argc, base->argv, error);
    if (kind != ERROR_NONE)
        return kind;
    const char *warning = resources_warning(&series->options->target, target->servers.count);
    if (series->user->warning != NULL)
        manifest_warn(&record->manifest, series->user->warning);
    if (base->left_out[0] != '\0')
        load_record_warn(record, base->left_out);
    if (warning != NULL)
        load_record_warn(record, warning);
    return ERROR_NONE;
}

/* On servers that are somebody's. */
static void tell_load(const struct load_series *series)
{
    const struct load_options *options = series->options;
    const struct target *target = &series->base.targets.list[0];
    const struct mix mix = load_options_mix(options, 0);
    uint32_t requests = mix_requests(&mix, options->depth);
    char where[CONNECT_TEXT_SIZE], sessions[32], time[32], number[32],
        rate[64] = "in a closed loop";
    if (!series_tells_demand(&series->base))
        return;
    text_format_count(series_most_clients(&series->base), sessions, sizeof sessions);
    text_format_duration(series->cells.count * series->live.trial_ns, time, sizeof time);
    if (options->rates.count > 0)
        snprintf(rate, sizeof rate, "at most %s a second",
                 text_format_count(options->rates.list[options->rates.count - 1], number,
                                   sizeof number));
    complain_mildly("on %s: at most %s sessions at a time, each with at most %u request%s "
                    "outstanding, %s, for about %s; others who use these servers will notice",
                    connect_typed(&target->placement, where, sizeof where), sessions, requests,
                    requests == 1 ? "" : "s", rate, time);
}

/* Who uses them already. */
static void tell_others(const struct load_series *series)
{
    const struct load_options *options = series->options;
    const struct target *target = &series->base.targets.list[0];
    char where[CONNECT_TEXT_SIZE], clients[32], requests[32];
    if (!options->target.connect || options->output.quiet)
        return;
    struct target_others others = target_count_others(target);
    if (others.clients > 0)
        complain_mildly("on %s: %s other client%s connected, and send%s %s requests a second",
                        connect_typed(&target->placement, where, sizeof where),
                        text_format_count(others.clients, clients, sizeof clients),
                        others.clients == 1 ? " is" : "s are", others.clients == 1 ? "s" : "",
                        text_format_count(others.requests_per_s, requests, sizeof requests));
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind run(void *context, struct error *error)
{
    struct load_series *series = context;
    enum error_kind kind = ERROR_NONE;
    tell_load(series);
    tell_others(series);
    for (size_t at = 0; kind == ERROR_NONE && at < series->cells.count; at++)
        kind = run_cell(series, at, error);
    return kind;
}

static enum error_kind close_record(void *context, size_t topology, const struct error *cut_short,
                                    struct error *error)
{
    struct load_series *series = context;
    return load_record_close(&series->records[topology], cut_short, series->base.targets.signals,
                             error);
}

/* A folder for several targets gets the cells of all of them, and their plots. */
static enum error_kind join_records(void *context, struct error *error)
{
    const struct load_series *series = context;
    bool written;
    if (!series->base.targets.made_out)
        return ERROR_NONE;
    enum error_kind kind = load_joined_write(series->records, series->base.record_count,
                                             series->options->output.out, &written, error);
    if (kind != ERROR_NONE || !written)
        return kind;
    return load_joined_draw(series->options, series->base.targets.signals, error);
}

static size_t kept(const void *context, size_t topology)
{
    const struct load_series *series = context;
    return series->records[topology].rows.rows;
}

static int tell(void *context, int *verdict)
{
    struct load_series *series = context;
    return series->user->tell(series, series->user->context, verdict);
}

static void write_metrics(void *context, FILE *stream)
{
    load_metrics_write(&((struct load_series *)context)->metrics, stream);
}

int load_series_lead(struct load_series *series, int argc, char **argv)
{
    return series_lead(&series->base, argc, argv);
}

int load_series_verdict(const struct load_series *series)
{
    int verdict = 0;
    for (size_t i = 0; verdict != 1 && i < series->base.record_count; i++) {
        int judged = load_record_verdict(&series->records[i]);
        verdict = judged != 0 ? judged : verdict;
    }
    return verdict;
}

void load_series_init(struct load_series *series, struct load_options *options,
                      const struct load_series_user *user)
{
    static const struct series_user trials = {.lay_out = lay_out,
                                              .open_record = open_record,
                                              .run = run,
                                              .close_record = close_record,
                                              .join = join_records,
                                              .kept = kept,
                                              .tell = tell,
                                              .write_metrics = write_metrics};
    const struct series_options of_series = {user->subcommand,   &options->target,
                                             &options->output,   &options->sessions,
                                             options->processes, NULL};
    *series = (struct load_series){.options = options, .user = user};
    series_init(&series->base, &of_series, &trials, series);
    load_metrics_init(&series->metrics, &series->live, series->records,
                      options->target.topology_count);
}

void load_series_deinit(struct load_series *series)
{
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        load_record_free(&series->records[i]);
    series_deinit(&series->base);
    live_deinit(&series->live);
    free(series->cells.list);
}
