// SPDX-License-Identifier: Apache-2.0
#include "bench/model/model.h"

#include "base/memory.h"
#include "base/output.h"
#include "base/random.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/terminal.h"
#include "bench/model/internal.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/output/verdict.h"
#include "bench/target/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUBCOMMAND "plan"

struct prediction_options {
    bool predict;
    bool validate;
    uint32_t draws;
    bool processes_given, session_timeout_given, timeout_given; /* on the command line */
    struct drain_options drains;
    struct target_options target; /* costs: the file */
    struct output_options output;
};

/* ------------------------------------------------------------------ the command line */

static const char usage[] =
    "Usage: zkherd plan --predict --costs FILE [OPTION]...\n"
    "       zkherd plan --validate --costs FILE [OPTION]...\n"
    "Predict how long drains take, from the simulation with measured costs (zkherd\n"
    "calibrate), each with an interval; or predict drains that the costs were not\n"
    "fitted to, measure them, and print both.\n"
    "\n";

static const char notes[] =
    "\n"
    "Exit status: 0 done; 1 --validate: fewer than 8 of 10 intervals cover what was\n"
    "measured; 2 wrong usage, or costs of other servers; 3 the environment; 4 the\n"
    "measurement is not valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd plan --predict --costs costs.json -r scalable -n 100..1600x2\n"
    "  zkherd plan --validate --costs costs.json -n 64,128\n";

static const struct option_row rows[] = {
    {.name = "--predict",
     OPTION_FLAG(struct prediction_options, predict),
     .help = "      --predict            by the simulation; nothing is measured\n"},
    {.name = "--validate",
     OPTION_FLAG(struct prediction_options, validate),
     .help = "      --validate           predict, then measure\n"},
    {.name = "--costs",
     .parse = option_row_file,
     .member = OPTION_MEMBER(struct prediction_options, target.costs),
     .help = "      --costs FILE         of zkherd calibrate\n"},
    DRAIN_ROW_RECIPES(struct prediction_options),
    DRAIN_ROW_CLIENTS(struct prediction_options, "64,128"),
    {.name = "--locks",
     .letter = 'k',
     .parse = option_row_levels,
     .member = OPTION_MEMBER(struct prediction_options, drains.locks),
     .least = 1,
     .most = 10000,
     .expected = "expected whole numbers from 1 to 10000, such as 1,4 or 1..16x2",
     .value = "1",
     .help = "  -k, --locks LIST         locks over which the clients are spread [1]\n"},
    {.name = "--servers",
     .parse = rows_simulated_topologies,
     .member = OPTION_MEMBER(struct prediction_options, target),
     .given = OPTION_MEMBER(struct prediction_options, target.servers_given),
     .least = 1,
     .most = SIM_SERVERS_MAX,
     .value = "1",
     .help = "      --servers LIST       --predict: 1, 3, ... 13; --validate: one number\n"
             "                           [those of the costs]\n"},
    {.name = "--draws",
     OPTION_NUMBER(struct prediction_options, draws, 5, 10000),
     .value = "30",
     .help = "      --draws K            of the costs, for the interval [30]\n"},
    DRAIN_ROW_TRIALS(struct prediction_options, 1, "5"),
    DRAIN_ROW_WARM_UP(struct prediction_options),
    ROW_PROCESSES(struct prediction_options, drains.processes,
                  .given = OPTION_MEMBER(struct prediction_options, processes_given)),
    ROW_HEAP(struct prediction_options),
    ROW_SERVER_CPUS(struct prediction_options),
    ROW_FSYNC(struct prediction_options),
    ROW_DATA(struct prediction_options),
    ROW_CONNECT(struct prediction_options),
    ROWS_IDENTITY(struct prediction_options),
    ROW_SESSION_TIMEOUT(struct prediction_options, drains.session_timeout_ns,
                        .given = OPTION_MEMBER(struct prediction_options, session_timeout_given)),
    ROW_TIMEOUT(struct prediction_options, drains.timeout_ns,
                .given = OPTION_MEMBER(struct prediction_options, timeout_given)),
    ROW_SEED(struct prediction_options, drains.seed),
    ROWS_NOISE(struct prediction_options),
    {.name = "--out",
     .letter = 'o',
     OPTION_FOLDER(struct prediction_options, output.out),
     .help = "  -o, --out DIR            new folder for the figures [results/TIME-predict, or\n"
             "                           results/TIME-validate]\n"},
    ROW_JSON(struct prediction_options),
    ROW_QUIET(struct prediction_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

/* The first option that is given and has no meaning for a prediction; NULL: none. */
static const char *find_measurement(const struct prediction_options *options)
{
    const struct target_options *target = &options->target;
    const struct {
        bool given;
        const char *option;
    } list[] = {
        {options->drains.trials_given, "--trials"},
        {options->drains.warm_up_given, "--warm-up"},
        {options->processes_given, "--processes"},
        {target->heap_given, "--heap"},
        {target->cpu_percent > 0, "--server-cpus"},
        {target->fsync_given, "--fsync"},
        {target->data != NULL, "--data"},
        {options->session_timeout_given, "--session-timeout"},
        {options->timeout_given, "--timeout"},
        {target->noise.given, "--noise"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (list[i].given)
            return list[i].option;
    }
    return NULL;
}

static bool check_measurement(const struct prediction_options *options)
{
    const char *option = options->predict ? find_measurement(options) : NULL;
    return option == NULL || complain_value(SUBCOMMAND, option, "with --predict",
                                            "nothing is measured: the option is one of --validate");
}

static bool check_servers(const struct prediction_options *options)
{
    const struct target_options *target = &options->target;
    struct error error = {0};
    if (options->predict && target->connect)
        return complain_value(SUBCOMMAND, "--predict", "with --connect",
                              "nothing is measured: the servers are those of --costs");
    if (options->predict)
        return true;
    if (target->topology_count > 1)
        return complain_value(SUBCOMMAND, "--servers", "with --validate",
                              "costs hold for one ensemble: give one number");
    if (!target->connect &&
        ensemble_check_size((unsigned)target->server_counts[0], &error) != ERROR_NONE)
        return complain_value(SUBCOMMAND, "--servers", "with --validate", error.detail);
    return true;
}

static bool is_consistent(const struct prediction_options *options)
{
    if (options->predict && options->validate)
        return complain_value(SUBCOMMAND, "--validate", "with --predict",
                              "give only one: --validate predicts, too");
    if (options->target.costs == NULL)
        return complain_value(SUBCOMMAND, "--costs", "FILE",
                              "the option is missing: zkherd calibrate writes the file");
    return drain_options_fit(SUBCOMMAND, &options->drains) && check_servers(options) &&
           check_measurement(options) &&
           !target_conflicts(SUBCOMMAND, &options->target, options->drains.processes);
}

/* ------------------------------------------------------------------ one prediction */

/* Sums over the draws of the logarithms of a time. */
struct moments {
    double sum, squares;
};

static double variance_of(const struct moments *moments, double count)
{
    double mean = moments->sum / count;
    return fmax(0, moments->squares / count - mean * mean) * count / (count - 1);
}

/* Each draw has a seed of its own, and none of those of drain_expect. */
static enum error_kind simulate_draws(const struct prediction_basis *basis,
                                      const struct drain_cell *cell, unsigned servers,
                                      struct moments moments[DRAIN_TIMES], struct error *error)
{
    struct sim_options options = costs_file_simulation(basis->costs, servers);
    struct random random;
    random_init(&random, basis->seed);
    for (uint32_t i = 0; i < basis->draws; i++) {
        double list_ns[CALIBRATION_COSTS_MAX] = {0}, times_s[DRAIN_TIMES] = {0};
        calibration_draw(&basis->costs->fit, &random, list_ns);
        options.costs = cost_list_give(list_ns);
        enum error_kind kind =
            drain_simulate(&options, cell, DRAIN_SEEDS + 1 + i, basis->interrupts, times_s, error);
        if (kind != ERROR_NONE)
            return kind;
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++) {
            moments[time].sum += log(times_s[time]);
            moments[time].squares += pow(log(times_s[time]), 2);
        }
    }
    return ERROR_NONE;
}

static struct interval widen(const struct prediction_basis *basis, enum drain_time time,
                             double value_s, double variance)
{
    const struct costs_file *costs = basis->costs;
    double all =
        variance + pow(costs->fit.model_sd, 2) + pow(costs->trial_sd[time], 2) / basis->trials;
    double width = exp(statistics_t(0.95, basis->draws - 1) * sqrt(all));
    return (struct interval){value_s, value_s / width, value_s * width};
}

enum error_kind prediction_make(const struct prediction_basis *basis, const struct drain_cell *cell,
                                unsigned servers, struct interval predicted_s[DRAIN_TIMES],
                                struct error *error)
{
    const struct sim_options options = costs_file_simulation(basis->costs, servers);
    struct moments moments[DRAIN_TIMES] = {{0}};
    double times_s[DRAIN_TIMES];
    enum error_kind kind = drain_expect(&options, cell, basis->interrupts, times_s, error);
    if (kind == ERROR_NONE)
        kind = simulate_draws(basis, cell, servers, moments, error);
    for (enum drain_time time = 0; kind == ERROR_NONE && time < DRAIN_TIMES; time++)
        predicted_s[time] =
            widen(basis, time, times_s[time], variance_of(&moments[time], basis->draws));
    return kind;
}

/* ------------------------------------------------------------------ the verdict */

static bool is_measured(const struct prediction_cell *cell, enum drain_time time)
{
    return cell->measured.trials > 0 && isfinite(cell->measured.times_s[time]);
}

/* Also on the ends of the interval. */
static bool is_covered(const struct prediction_cell *cell, enum drain_time time)
{
    return cell->measured.times_s[time] >= cell->predicted_s[time].low &&
           cell->measured.times_s[time] <= cell->predicted_s[time].high;
}

struct prediction_score prediction_cells_score(const struct prediction_cells *cells)
{
    struct prediction_score score = {0};
    for (const struct prediction_cell *cell = cells->list; cell < cells->list + cells->count;
         cell++) {
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++) {
            if (!is_measured(cell, time))
                continue;
            score.count++;
            score.covered += is_covered(cell, time);
            score.worst =
                fmax(score.worst,
                     fabs(cell->predicted_s[time].value / cell->measured.times_s[time] - 1));
        }
    }
    score.passes = score.count > 0 && score.covered * 10 >= score.count * 8;
    return score;
}

/* ------------------------------------------------------------------ the table */

enum {
    COLUMN_RECIPE,
    COLUMN_CLIENTS,
    COLUMN_LOCKS,
    COLUMN_SERVERS,
    COLUMN_TIME,
    COLUMN_PREDICTED,
    COLUMN_INTERVAL,
    COLUMN_MEASURED,
    COLUMN_COVERED,
    TABLE_COLUMNS
};

static const struct grid_column columns[TABLE_COLUMNS] = {
    [COLUMN_RECIPE] = {.title = "recipe"},
    [COLUMN_CLIENTS] = {.title = "clients", .right = true},
    [COLUMN_LOCKS] = {.title = "locks", .right = true},
    [COLUMN_SERVERS] = {.title = "servers", .right = true},
    [COLUMN_TIME] = {.title = "ms"},
    [COLUMN_PREDICTED] = {.title = "predicted", .right = true},
    [COLUMN_INTERVAL] = {.title = "95 % interval", .right = true},
    [COLUMN_MEASURED] = {.title = "measured", .right = true},
    [COLUMN_COVERED] = {.title = "covered"},
};

/* Three significant digits. */
static const char *put_ms(double time_s, char text[32])
{
    double ms = time_s * 1e3;
    int decimals = ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0;
    snprintf(text, 32, "%.*f", decimals, ms);
    return text;
}

static void put_row(const struct prediction_cell *cell, enum drain_time time, struct grid *grid)
{
    const struct interval *predicted = &cell->predicted_s[time];
    char value[32], low[32], high[32];
    grid_put(grid, "%s", cell->drain.recipe->name);
    grid_put(grid, "%u", cell->drain.clients);
    grid_put(grid, "%u", cell->drain.locks);
    grid_put(grid, "%u", cell->servers);
    grid_put(grid, "%s", drain_word(time));
    if (isfinite(predicted->value)) {
        grid_put(grid, "%s", put_ms(predicted->value, value));
        grid_put(grid, "%s-%s", put_ms(predicted->low, low), put_ms(predicted->high, high));
    } else {
        grid_put(grid, GRID_UNKNOWN);
        grid_put(grid, GRID_UNKNOWN);
    }
    if (is_measured(cell, time)) {
        grid_put(grid, "%s", put_ms(cell->measured.times_s[time], value));
        grid_put(grid, is_covered(cell, time) ? "yes" : "NO");
    } else {
        grid_put(grid, GRID_UNKNOWN);
        grid_put(grid, GRID_UNKNOWN);
    }
}

static void print_table(const struct prediction_cells *cells, FILE *stream)
{
    struct grid grid;
    grid_init(&grid, columns, TABLE_COLUMNS, 2);
    for (size_t i = 0; i < cells->count; i++) {
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
            put_row(&cells->list[i], time, &grid);
    }
    grid.hidden[COLUMN_LOCKS] = grid_all_are(&grid, COLUMN_LOCKS, "1");
    grid.hidden[COLUMN_MEASURED] = grid.hidden[COLUMN_COVERED] = !cells->validates;
    grid_write(&grid, terminal_columns(STDOUT_FILENO), stream);
    grid_deinit(&grid);
}

/* ------------------------------------------------------------------ what to know about it */

static bool is_calibrated(const struct costs_file *costs, const struct recipe *recipe)
{
    for (size_t i = 0; i < costs->cell_count; i++) {
        if (costs->cells[i].drain.recipe == recipe)
            return true;
    }
    return false;
}

/* With a measurement the score, else what the costs do not know. */
static void explain(const struct prediction_cells *cells, FILE *stream)
{
    const struct costs_file *costs = cells->costs;
    const struct prediction_score score = prediction_cells_score(cells);
    uint32_t most_clients = 0;
    bool other_servers = false, other_recipes = false;
    for (size_t i = 0; i < costs->cell_count; i++) {
        if (costs->cells[i].drain.clients > most_clients)
            most_clients = costs->cells[i].drain.clients;
    }
    for (size_t i = 0; i < cells->count; i++) {
        other_servers |= cells->list[i].servers != costs->holds_for.server_count;
        other_recipes |= !is_calibrated(costs, cells->list[i].drain.recipe);
    }
    if (cells->validates)
        wrap_sentence(stream,
                      "%zu of %zu intervals cover what was measured: %s (at least 8 of 10 must). "
                      "The worst prediction is off by %.0f %%.",
                      score.covered, score.count, score.passes ? "passes" : "FAILS",
                      100 * score.worst);
    else
        wrap_sentence(stream,
                      "The costs were fitted to at most %u clients, on %u server%s. The intervals "
                      "do not know what the simulation leaves out and the calibration did not "
                      "meet%s%s.",
                      most_clients, costs->holds_for.server_count,
                      costs->holds_for.server_count == 1 ? "" : "s",
                      other_servers ? "; other numbers of servers were not measured" : "",
                      other_recipes ? "; some of these recipes were not measured" : "");
}

void prediction_cells_print(const struct prediction_cells *cells, FILE *stream)
{
    print_table(cells, stream);
    fputc('\n', stream);
    explain(cells, stream);
}

/* ------------------------------------------------------------------ the file and the JSON */

static const char *const words_in_files[] = {
    [DRAIN_TOTAL] = "drain", [DRAIN_HANDOFF] = "handoff_p50"};

#define PREDICTION_COLUMNS(X, T)                                                                   \
    X(T, costs, TEXT, "", 0, KEY, "the file of `--costs`")                                         \
    X(T, recipe, TEXT, "", 0, KEY, "its name")                                                     \
    X(T, clients, COUNT, "", 0, KEY, "of all locks together")                                      \
    X(T, locks, COUNT, "", 0, KEY, "over which they are spread")                                   \
    X(T, servers, COUNT, "", 0, KEY, "number of servers")                                          \
    X(T, time, TEXT, "", 0, KEY, "`drain` or `handoff_p50`")                                       \
    X(T, predicted_s, REAL, "s", 9, NONE, "by the simulation with the costs")                      \
    X(T, low_s, REAL, "s", 9, NONE, "the lower end of its interval of 95 %")                       \
    X(T, high_s, REAL, "s", 9, NONE, "the upper end")                                              \
    X(T, trials, COUNT, "", 0, NONE, "that were measured")                                         \
    X(T, measured_s, REAL, "s", 9, NONE, "their geometric mean")                                   \
    X(T, covered, FLAG, "", 0, NONE, "whether the interval covers it")
TABLE_DECLARE(prediction, PREDICTION_COLUMNS);
TABLE_DEFINE(prediction, "predict.csv", PREDICTION_COLUMNS)

/* A row for each cell and time; to be freed with table_deinit. */
static struct table rows_of(const struct prediction_cells *cells)
{
    struct table table = {.type = &prediction_table};
    for (size_t i = 0; i < cells->count * DRAIN_TIMES; i++) {
        const struct prediction_cell *cell = &cells->list[i / DRAIN_TIMES];
        enum drain_time time = (enum drain_time)(i % DRAIN_TIMES);
        const struct interval *predicted = &cell->predicted_s[time];
        struct table_value *row = table_add(&table);
        row[prediction_costs] = table_text(cells->costs_path);
        row[prediction_recipe] = table_text(cell->drain.recipe->name);
        row[prediction_clients] = table_count(cell->drain.clients);
        row[prediction_locks] = table_count(cell->drain.locks);
        row[prediction_servers] = table_count(cell->servers);
        row[prediction_time] = table_text(words_in_files[time]);
        row[prediction_predicted_s] = table_real(predicted->value);
        row[prediction_low_s] = table_real(predicted->low);
        row[prediction_high_s] = table_real(predicted->high);
        if (!is_measured(cell, time))
            continue;
        row[prediction_trials] = table_count(cell->measured.trials);
        row[prediction_measured_s] = table_real(cell->measured.times_s[time]);
        row[prediction_covered] = table_flag(is_covered(cell, time));
    }
    return table;
}

void prediction_cells_write(const struct prediction_cells *cells, struct csv *csv)
{
    struct table table = rows_of(cells);
    table_write_header(table.type, csv);
    for (size_t i = 0; i < table.rows; i++)
        table_write_row(table.type, table_row(&table, i), csv);
    table_deinit(&table);
}

static void print_json(const struct prediction_cells *cells, const char *folder)
{
    const struct prediction_score score = prediction_cells_score(cells);
    const char *verdict = verdict_word(score.passes ? VERDICT_HOLDS : VERDICT_FAILS);
    struct json_sentences sentences;
    struct table table = rows_of(cells);
    json_t *list = json_array();
    for (size_t i = 0; i < table.rows; i++) {
        json_t *object = json_object();
        json_result_set_row(object, table.type, table_row(&table, i), prediction_recipe,
                            prediction_covered);
        json_array_append_new(list, object);
    }
    table_deinit(&table);
    explain(cells, json_sentences_begin(&sentences));
    json_result_write(json_pack("{s:s?, s:o, s:o, s:o, s:I, s:I, s:o}", "verdict",
                                cells->validates ? verdict : NULL, "folder", json_text(folder),
                                "costs", json_text(cells->costs_path), "cells", list, "intervals",
                                (json_int_t)score.count, "covered", (json_int_t)score.covered,
                                "sentences", json_sentences_end(&sentences)),
                      stdout);
}

/* ------------------------------------------------------------------ the subcommand */

struct prediction_run {
    struct prediction_options options;
    struct costs_file costs;
    struct prediction_cells cells;
};

static void lay_out(struct prediction_run *run, const struct drain_cell *drains, size_t count)
{
    const struct target_options *target = &run->options.target;
    struct prediction_cells *cells = &run->cells;
    size_t topologies = target->connect ? 1 : target->topology_count;
    *cells = (struct prediction_cells){
        .costs_path = target->costs,
        .costs = &run->costs,
        .validates = run->options.validate,
        .list = memory_new(count * topologies, sizeof *cells->list),
    };
    for (size_t i = 0; i < count; i++) {
        for (size_t t = 0; t < topologies; t++)
            cells->list[cells->count++] = (struct prediction_cell){
                .drain = drains[i],
                .servers =
                    (unsigned)(target->connect ? target->servers.count : target->server_counts[t])};
    }
}

/* Whether the costs were fitted to none of the drains that are to be measured. */
static enum error_kind check_held_out(const struct costs_file *costs,
                                      const struct drain_cell *drains, size_t count,
                                      struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < costs->cell_count; j++) {
            const struct drain_cell *drain = &drains[i], *fitted = &costs->cells[j].drain;
            if (drain->recipe == fitted->recipe && drain->clients == fitted->clients &&
                drain->locks == fitted->locks)
                return error_raise(error, ERROR_USAGE, 0, "--validate",
                                   "the costs were fitted to %s with %u clients: give other "
                                   "numbers (-n)",
                                   drain->recipe->name, drain->clients);
        }
    }
    return ERROR_NONE;
}

/* What can be wrong before the work begins. */
static enum error_kind prepare(struct prediction_run *run, struct error *error)
{
    struct prediction_options *options = &run->options;
    struct target_options *target = &options->target;
    enum error_kind kind = costs_file_read(target->costs, &run->costs, error);
    size_t count;
    if (kind != ERROR_NONE)
        return kind;
    /* What the command line leaves to the costs. */
    if (strcmp(run->costs.holds_for.driver, options_drivers[DRIVER_THREADS]) == 0)
        target->driver = DRIVER_THREADS;
    if (!target->servers_given && !target->connect)
        target->server_counts[0] = run->costs.holds_for.server_count;
    struct drain_cell *drains = drain_options_cells(&options->drains, &count);
    if (options->validate)
        kind = check_held_out(&run->costs, drains, count, error);
    else
        lay_out(run, drains, count);
    free(drains);
    if (kind == ERROR_NONE && options->predict)
        kind = folder_check(options->output.out, error);
    if (kind == ERROR_NONE && options->predict && (options->output.json || !options->output.quiet))
        kind = standard_output_check(error);
    return kind;
}

static enum error_kind predict(struct prediction_run *run, struct progress *progress,
                               int interrupts, struct error *error)
{
    const struct prediction_options *options = &run->options;
    const struct prediction_basis basis = {.costs = &run->costs,
                                           .draws = options->draws,
                                           .trials = options->validate ? options->drains.trials : 1,
                                           .seed = options->drains.seed,
                                           .interrupts = interrupts};
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < run->cells.count; i++) {
        struct prediction_cell *cell = &run->cells.list[i];
        char text[96];
        snprintf(text, sizeof text, "predicting %s n=%u: %zu of %zu", cell->drain.recipe->name,
                 cell->drain.clients, i + 1, run->cells.count);
        progress_say(progress, text);
        kind = prediction_make(&basis, &cell->drain, cell->servers, cell->predicted_s, error);
    }
    progress_clear(progress);
    return kind;
}

static void write_cells(FILE *stream, const void *cells)
{
    prediction_cells_write(cells, &(struct csv){.stream = stream});
}

static enum error_kind tell(const struct prediction_run *run, struct error *error)
{
    const struct output_options *output = &run->options.output;
    const char *word = run->options.validate ? "validate" : "predict";
    char folder[PATH_MAX], name[32];
    snprintf(name, sizeof name, "%s.csv", word);
    enum error_kind kind = folder_make(output->out, clock_utc_ns(), word, folder, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = output_write(folder, name, write_cells, &run->cells, error);
    if (kind != ERROR_NONE)
        folder_discard(folder);
    if (kind == ERROR_NONE && output->json)
        print_json(&run->cells, folder);
    if (kind != ERROR_NONE || output->json || output->quiet)
        return kind;
    prediction_cells_print(&run->cells, stdout);
    printf("\nThe figures are in %s\n", folder);
    return ERROR_NONE;
}

static int predict_and_tell(struct prediction_run *run)
{
    struct error error;
    struct progress progress;
    int signals = signals_block();
    progress_init(&progress, 0, run->options.output.quiet);
    enum error_kind kind = predict(run, &progress, signals, &error);
    if (signals >= 0)
        close(signals);
    if (kind == ERROR_NONE)
        kind = tell(run, &error);
    if (kind == ERROR_INTERRUPTED)
        drain_note_interruption(&run->options.output, SUBCOMMAND,
                                "before all cells were predicted: nothing is kept", &error);
    return kind == ERROR_NONE ? 0 : complain_about(SUBCOMMAND, &error);
}

/* ------------------------------------------------------------------ a validation */

/* The predictions are made before the first trial. */
static enum error_kind begin(struct drain_series *series, void *context, struct error *error)
{
    struct prediction_run *run = context;
    const struct costs_record record = drain_series_record(series);
    enum error_kind kind =
        costs_file_check_holds(&run->costs, run->options.target.costs, &record, error);
    if (kind != ERROR_NONE)
        return kind;
    lay_out(run, series->cells, series->cell_count);
    return predict(run, &series->base.progress, series->base.targets.signals, error);
}

static int tell_measured(struct drain_series *series, void *context, int *verdict)
{
    struct prediction_run *run = context;
    struct error error;
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < run->cells.count; i++)
        kind = drain_series_summarize(series, i, &run->cells.list[i].measured, &error);
    if (kind == ERROR_NONE)
        kind = tell(run, &error);
    if (kind != ERROR_NONE)
        return complain_about(SUBCOMMAND, &error);
    const struct prediction_score score = prediction_cells_score(&run->cells);
    if (!score.passes)
        complain_plainly("%s: %zu of %zu intervals cover what was measured; at least 8 of 10 must",
                         run->options.target.costs, score.covered, score.count);
    *verdict = score.passes ? 0 : 1;
    return 0;
}

int plan_prediction_main(int argc, char **argv)
{
    static const struct arguments arguments = {SUBCOMMAND, usage, rows, notes, NULL};
    static const struct drain_series_user user = {SUBCOMMAND, "validation", begin, tell_measured};
    struct error error = {0};
    struct prediction_run *run = memory_new(1, sizeof *run);
    struct prediction_options *options = &run->options;
    options->target.max_clients = UINT64_MAX;
    options->drains.seed = clock_utc_ns();
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && !is_consistent(options))
        status = error_exit_status(ERROR_USAGE);
    if (status == ARGUMENTS_GO && prepare(run, &error) != ERROR_NONE)
        status = complain_about(SUBCOMMAND, &error);
    if (status == ARGUMENTS_GO)
        status = options->validate ? drain_series_lead(&options->drains, &options->target,
                                                       &options->output, &user, run, argc, argv)
                                   : predict_and_tell(run);
    target_options_deinit(&options->target);
    drain_options_deinit(&options->drains);
    free(run->cells.list);
    free(run);
    return status;
}
