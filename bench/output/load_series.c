// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_series.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"

#include <stdio.h>
#include <stdlib.h>

/* What a trial takes beside its warm-up and its measured time, about. */
#define OVERHEAD_NS NS_PER_S

/* ------------------------------------------------------------------ before the first trial */

struct load_cell *load_cells_new(const struct load_options *options, struct rounds *rounds)
{
    size_t mixes = load_options_mixes(options), rates = load_options_rates(options),
           sessions = options->sessions.count;
    rounds_init(rounds, options->target.topology_count * mixes * rates * sessions);
    struct load_cell *list = memory_new(rounds->cell_count, sizeof *list);
    for (size_t i = 0; i < rounds->cell_count; i++) {
        list[i] = (struct load_cell){
            .mix = load_options_mix(options, i / sessions / rates % mixes),
            .sessions = (uint32_t)options->sessions.list[i % sessions],
            .rate_per_s = load_options_rate(options, i / sessions % rates),
            .topology = i / sessions / rates / mixes,
        };
        rounds->cells[i] =
            (struct rounds_cell){.topology = list[i].topology, .rehearsed = options->rehearses};
    }
    rounds->trial_ns = options->warm_up_ns + options->duration_ns + OVERHEAD_NS;
    rounds_lay_out(rounds, options->trials, options->seed);
    return list;
}

static enum error_kind lay_out(void *context, struct error *error)
{
    struct load_series *series = context;
    (void)error;
    series->cells = load_cells_new(series->options, &series->base.rounds);
    return ERROR_NONE;
}

static enum error_kind add_files(void *context, struct series_record *record, struct error *error)
{
    struct load_series *series = context;
    return load_files_open(&series->files[record->topology], record, error);
}

static json_t *describe_plan(const void *context)
{
    return load_options_plan(((const struct load_series *)context)->options);
}

static void warn(void *context, struct series_record *record)
{
    const struct load_series *series = context;
    if (series->user->warning != NULL)
        manifest_warn(&record->manifest, series->user->warning);
}

/* On servers that are somebody's: what the load demands, and which clients use them already. */
static enum error_kind begin(void *context, struct error *error)
{
    const struct load_series *series = context;
    const struct load_options *options = series->options;
    const struct target *target = &series->base.targets.list[0];
    const struct levels *rates = &options->rates;
    const struct mix mix = load_options_mix(options, 0);
    uint32_t requests = mix_requests(&mix, options->depth);
    char each[200], time[32], number[32], rate[64] = "in a closed loop", where[CONNECT_TEXT_SIZE];
    (void)error;
    if (!options->target.connect || options->output.quiet)
        return ERROR_NONE;
    if (rates->count > 0)
        snprintf(rate, sizeof rate, "at most %s a second",
                 text_format_count(rates->list[rates->count - 1], number, sizeof number));
    snprintf(each, sizeof each, "each with at most %u request%s outstanding, %s, for about %s",
             requests, text_plural(requests), rate,
             text_format_duration(rounds_left_ns(&series->base.rounds, 0), time, sizeof time));
    series_announce_demand(&series->base, each);
    struct target_others others = target_count_others(target);
    if (others.clients > 0)
        complain_mildly("on %s: other clients: %s, %s requests a second",
                        connect_typed(&target->placement, where, sizeof where),
                        text_format_count(others.clients, number, sizeof number),
                        text_format_count(others.requests_per_s, rate, sizeof rate));
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ one trial */

static struct load_plan plan_of(const struct load_series *series, const struct load_cell *cell)
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
        .root = series->base.root,
    };
}

static enum error_kind keep(struct load_series *series, const struct load_cell *cell,
                            const struct load_result *result, struct error *error)
{
    struct load_files *files = &series->files[cell->topology];
    struct table_value *row = table_add(&files->record->rows);
    load_row_fill(cell, result, series->options, files->record, cores_allowed(), row);
    const struct noise_row noise = {
        .columns = &row[load_row_attempt],
        .valid = &row[load_row_valid],
        .reason = &row[load_row_reason],
        .complete = row[load_row_complete].flag,
        .fails = row[load_row_miscounted].flag,
        .others_packets = result->reconcile.others_packets,
    };
    noise_watch_end(&series->base.noise, &noise);
    if (series->base.noise.again)
        return ERROR_NONE;
    series_keep(&series->base, files->record, result->load->shared, result->reconcile.why);
    enum error_kind kind = load_files_add(files, row, result, error);
    if (kind != ERROR_NONE || series->user->keep == NULL)
        return kind;
    return series->user->keep(series->user->context, row, result, error);
}

/* The phase of a trial with how far it is; of the measured time the last second that has ended. */
static void format_phase(const struct load_progress *progress, char *text, size_t size)
{
    static const char *const phases[] = {
        [LOAD_CONNECTS] = "opening sessions", [LOAD_LAYS_OUT] = "laying out znodes",
        [LOAD_WARMS_UP] = "warming up",       [LOAD_MEASURES] = "measuring",
        [LOAD_CLEARS] = "deleting znodes",
    };
    const struct load_plan *plan = progress->load->plan;
    uint64_t done = atomic_load(&progress->load->chores_done), all = load_plan_znodes(plan);
    char first[32], second[32];
    if (progress->phase == LOAD_CONNECTS)
        done = progress->established, all = plan->fleet.sessions;
    snprintf(text, size, "%s", phases[progress->phase]);
    if (progress->phase == LOAD_MEASURES && progress->second > 0) {
        const struct load_second_sum sum =
            load_shared_second_sum(progress->load, progress->second - 1);
        snprintf(text, size, "%u of %u s: %s/s, errors %s", progress->second, plan->seconds,
                 text_format_count(sum.answered, first, sizeof first),
                 text_format_count(sum.errors, second, sizeof second));
    } else if (progress->phase != LOAD_WARMS_UP && progress->phase != LOAD_MEASURES) {
        snprintf(text, size, "%s: %s of %s", phases[progress->phase],
                 text_format_count(done, first, sizeof first),
                 text_format_count(all, second, sizeof second));
    }
}

/* The progress callback of a trial (struct load_watch): a line on a terminal. */
static void show(void *context, const struct load_progress *progress)
{
    const struct series *series = &((const struct load_series *)context)->base;
    const struct progress *whole = &series->progress;
    const struct load_plan *plan = progress->load->plan;
    uint64_t gone_ns = clock_now_ns() - whole->began_ns;
    const char *topology = series_topology(series);
    char mix[128], left[32], phase[128], line[400];
    if (!whole->shown)
        return;
    format_phase(progress, phase, sizeof phase);
    text_format_duration(whole->left_ns > gone_ns ? whole->left_ns - gone_ns : NS_PER_S, left,
                         sizeof left);
    snprintf(line, sizeof line, "[%zu/%zu] %s left: %s; %s%s%u sessions, %s", whole->at + 1,
             whole->count, left, phase, topology, topology[0] != '\0' ? ", " : "",
             plan->fleet.sessions, mix_format(&plan->mix, mix, sizeof mix));
    progress_show_step(whole, line);
}

static enum error_kind make(void *context, struct error *error)
{
    struct load_series *series = context;
    struct series *base = &series->base;
    struct load_result *result = NULL;
    struct load_cell cell = series->cells[base->trial->cell];
    cell.trial = base->trial->number;
    const struct load_plan plan = plan_of(series, &cell);
    struct load_host host =
        target_load_host(&base->targets.list[cell.topology], base->targets.signals);
    host.watch.progress = show;
    host.watch.context = series;
    enum error_kind kind = load_run(&plan, &host, &result, error);
    progress_clear(&base->progress);
    if (kind == ERROR_NONE && cell.trial > 0)
        kind = keep(series, &cell, result, error);
    load_result_free(result);
    return kind;
}

/* ------------------------------------------------------------------ after the last trial */

static enum error_kind finish(void *context, struct series_record *record, bool whole,
                              struct error *error)
{
    struct load_series *series = context;
    const struct table *rows = &record->rows;
    struct table *cells = &series->found[record->topology], *findings = &record->findings;
    load_cells_add(rows, cells);
    load_cells_add_findings(cells, findings);
    trial_findings_add_faults(&load_row_trials, rows, "", findings);
    trial_findings_add_servers(&load_row_trials, rows, findings);
    trial_findings_add_noise(&load_row_trials, rows, &series->base.noise, record->made_again.rows,
                             findings);
    return whole ? file_set_save_table(record->files.folder, cells, NULL, error) : ERROR_NONE;
}

static const char *name_plots(const void *context, struct plots *plots)
{
    (void)context;
    plots->kind = PLOTS_OF_LOAD;
    return "they need two seconds at least, or two shares of reads, offered rates, or numbers of "
           "sessions that leave watches";
}

/* A folder for several targets gets the cells of all of them, and their plots, if two of them have
 * trials at least. */
static enum error_kind join_records(void *context, struct error *error)
{
    const struct load_series *series = context;
    const struct output_options *output = &series->options->output;
    struct plots plots = {.kind = PLOTS_OF_LOAD,
                          .folder = output->out,
                          .formats = output->plots,
                          .interrupts = series->base.targets.signals};
    struct table cells = {0};
    size_t with_trials = 0;
    enum error_kind kind = ERROR_NONE;
    enum plots_end end = PLOTS_NOTHING;
    for (size_t i = 0; i < series->base.record_count; i++) {
        with_trials += series->base.records[i].rows.rows > 0;
        load_cells_add(&series->base.records[i].rows, &cells);
    }
    if (series->base.targets.made_out && with_trials >= 2) {
        kind = file_set_save_table(output->out, &cells, NULL, error);
        end = kind == ERROR_NONE ? plots_draw(&plots) : end;
    }
    table_deinit(&cells);
    if (end == PLOTS_SKIPPED && !output->quiet)
        complain_mildly("the plots of %s are skipped: %s", output->out, plots.why);
    return end == PLOTS_INTERRUPTED
               ? error_raise(error, ERROR_INTERRUPTED, 0, series->base.options.subcommand,
                             "the plots are not drawn")
               : kind;
}

static int print_results(void *context, int *verdict)
{
    struct load_series *series = context;
    return series->user->print_results(series, series->user->context, verdict);
}

/* ------------------------------------------------------------------ the whole */

int load_series_run(struct load_options *options, const struct load_series_user *user, int argc,
                    char **argv)
{
    static const struct series_user of_loads = {.lay_out = lay_out,
                                                .rows = &load_row_table,
                                                .add_files = add_files,
                                                .describe_plan = describe_plan,
                                                .warn = warn,
                                                .begin = begin,
                                                .make = make,
                                                .finish = finish,
                                                .name_plots = name_plots,
                                                .join = join_records,
                                                .print_results = print_results};
    const struct series_options of_series = {.subcommand = user->subcommand,
                                             .target = &options->target,
                                             .output = &options->output,
                                             .clients = &options->sessions,
                                             .processes = options->processes,
                                             .seed = options->seed,
                                             .verdict_of_nothing = user->verdict_of_nothing};
    struct load_series *series = memory_new(1, sizeof *series);
    series->options = options;
    series->user = user;
    series_init(&series->base, &of_series, &of_loads, series);
    int status = series_run(&series->base, argc, argv);
    if (user->interrupted != NULL)
        *user->interrupted = series->base.interrupted;
    series_deinit(&series->base);
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        table_deinit(&series->found[i]);
    free(series->cells);
    free(series);
    return status;
}
