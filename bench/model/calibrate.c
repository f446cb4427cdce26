// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/model/internal.h"
#include "bench/output/json_result.h"
#include "bench/target/target.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUBCOMMAND "calibrate"

struct calibrate_options {
    struct drain_options drains;
    struct target_options target; /* one topology */
    struct output_options output; /* out: the file */
};

struct calibrate {
    struct calibrate_options options;
    struct costs_file costs;
};

/* ------------------------------------------------------------------ the command line */

static const char usage[] =
    "Usage: zkherd calibrate [OPTION]...\n"
    "Measure drains of several recipes, estimate from them what a read, a write, a\n"
    "notification, a name, the disk and the network take on these servers, and write\n"
    "these costs with their intervals to a file. The simulation uses them:\n"
    "zkherd run -d simulated --costs FILE, zkherd plan --predict --costs FILE.\n"
    "\n";

static const char notes[] =
    "\n"
    "Durations D need a unit: 500ms, 30s, 5m. Exit status: 0 done; 2 wrong usage;\n"
    "3 the environment; 4 a cell has no valid trial, or interrupted: no file is\n"
    "written.\n"
    "\n"
    "Examples:\n"
    "  zkherd calibrate                                a private server, two minutes\n"
    "  zkherd calibrate --servers 3 --server-cpus 0.3 -o three.json\n"
    "  zkherd calibrate --connect zk1,zk2,zk3/test     your own servers\n";

static const char *const drivers[] = {"events", "threads", NULL};

static const struct option_row rows[] = {
    DRAIN_ROW_RECIPES(struct calibrate_options),
    DRAIN_ROW_CLIENTS(struct calibrate_options, "8,16,32"),
    DRAIN_ROW_TRIALS(struct calibrate_options, 2, "15"),
    DRAIN_ROW_WARM_UP(struct calibrate_options),
    {.name = "--driver",
     .letter = 'd',
     OPTION_WORD(struct calibrate_options, target.driver, drivers, "expected events or threads"),
     .value = "events",
     .help = "  -d, --driver NAME        events: one event loop per process; threads: a thread\n"
             "                           per session [events]\n"},
    ROW_PROCESSES(struct calibrate_options, drains.processes),
    ROW_SERVERS(struct calibrate_options),
    ROW_HEAP(struct calibrate_options),
    ROW_SERVER_CPUS(struct calibrate_options),
    ROW_FSYNC(struct calibrate_options),
    ROW_DATA(struct calibrate_options),
    ROW_CONNECT(struct calibrate_options),
    ROWS_IDENTITY(struct calibrate_options),
    ROWS_ONE_HOST,
    ROW_SESSION_TIMEOUT(struct calibrate_options, drains.session_timeout_ns),
    ROW_TIMEOUT(struct calibrate_options, drains.timeout_ns),
    ROW_SEED(struct calibrate_options, drains.seed),
    ROWS_NOISE(struct calibrate_options),
    {.name = "--out",
     .letter = 'o',
     .parse = option_row_file,
     .member = OPTION_MEMBER(struct calibrate_options, output.out),
     .value = "costs.json",
     .help = "  -o, --out FILE           new file for the costs [costs.json]\n"},
    ROW_JSON(struct calibrate_options),
    ROW_QUIET(struct calibrate_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

static bool is_consistent(const struct calibrate_options *options)
{
    char value[32];
    if (options->target.topology_count > 1) {
        snprintf(value, sizeof value, "%zu numbers", options->target.topology_count);
        return complain_value(SUBCOMMAND, "--servers", value,
                              "a file has the costs of one ensemble: give one number");
    }
    return drain_options_fit(SUBCOMMAND, &options->drains) &&
           !target_conflicts(SUBCOMMAND, &options->target, options->drains.processes);
}

/* ------------------------------------------------------------------ the fit */

/* How far a cost may well be from its prior: two of these are a factor of 4. A sync depends on the
 * disk: a factor of 7. The driver's CPU time for a message holds a share of its turns. */
#define PRIOR_SD          0.7
#define PRIOR_SYNC_SD     1.0
#define PRIOR_MEASURED_SD 0.3

/* Costs that the simulation leaves out by default: CPU for a message, and for a turn. */
#define PRIOR_NS             5000
#define PRIOR_TURN_NS        20000
#define PRIOR_CLIENT_TURN_NS 10000

/* The least error of a quantity whose trials happen to be equal: no mean of a few trials is known
 * better. */
#define LEAST_SD 0.02

/* The quantities are the two times of each cell, and the model is the simulation. */
struct fit {
    const struct drain_series *series;
    struct costs_file *costs;
    struct calibration_measured measured[COSTS_FILE_CELLS_MAX * DRAIN_TIMES];
    size_t measured_count;
    size_t runs;
};

static bool is_quantity(const struct costs_cell *cell, size_t time)
{
    return isfinite(cell->measured_s[time]) && cell->measured_s[time] > 0;
}

static enum error_kind take_cells(struct fit *fit, struct error *error)
{
    struct costs_file *costs = fit->costs;
    for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
        costs->trial_sd[time] = drain_series_scatter(fit->series, time);
    costs->cell_count = fit->series->cell_count;
    for (size_t i = 0; i < costs->cell_count; i++) {
        struct costs_cell *cell = &costs->cells[i];
        struct drain_summary summary;
        enum error_kind kind = drain_series_summarize(fit->series, i, &summary, error);
        if (kind != ERROR_NONE)
            return kind;
        *cell = (struct costs_cell){.drain = fit->series->cells[i], .trials = summary.trials};
        memcpy(cell->measured_s, summary.times_s, sizeof cell->measured_s);
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++) {
            double sd = costs->trial_sd[time] / sqrt(cell->trials);
            if (is_quantity(cell, time))
                fit->measured[fit->measured_count++] = (struct calibration_measured){
                    cell->measured_s[time], sd > LEAST_SD ? sd : LEAST_SD};
        }
    }
    return ERROR_NONE;
}

static enum error_kind simulate(const struct fit *fit, const double *list_ns,
                                const struct costs_cell *cell, double times_s[DRAIN_TIMES],
                                struct error *error)
{
    const struct sim_options options = {.servers = fit->costs->holds_for.server_count,
                                        .cores = fit->costs->shared_cores,
                                        .costs = cost_list_give(list_ns)};
    return drain_expect(&options, &cell->drain, fit->series->base.targets.signals, times_s, error);
}

static enum error_kind predict(void *context, const double *list_ns, double *quantities,
                               struct error *error)
{
    struct fit *fit = context;
    char text[96];
    size_t count = 0;
    snprintf(text, sizeof text, "fitting the costs: simulation %zu of each cell", ++fit->runs);
    progress_say(&fit->series->base.progress, text);
    for (size_t i = 0; i < fit->costs->cell_count; i++) {
        const struct costs_cell *cell = &fit->costs->cells[i];
        double times_s[DRAIN_TIMES];
        enum error_kind kind = simulate(fit, list_ns, cell, times_s, error);
        if (kind != ERROR_NONE)
            return kind;
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++) {
            if (is_quantity(cell, time))
                quantities[count++] = times_s[time];
        }
    }
    return ERROR_NONE;
}

/* The simulation's defaults are of the order of any server's. The most that is added to a message
 * at random cannot be told from the message itself. What a message costs the driver was measured.
 */
static void set_priors(const struct drain_series *series,
                       struct calibration_prior priors[COST_LIST_COUNT])
{
    const struct sim_options options = sim_options_default();
    double list_ns[COST_LIST_COUNT], message_ns = drain_series_message_ns(series);
    cost_list_take(&options.costs, list_ns);
    for (size_t i = 0; i < COST_LIST_COUNT; i++)
        priors[i] = (struct calibration_prior){list_ns[i] > 0 ? list_ns[i] : PRIOR_NS, PRIOR_SD};
    priors[COST_LIST_network_jitter].sd = 0;
    priors[COST_LIST_sync].sd = PRIOR_SYNC_SD;
    priors[COST_LIST_client_name].value = list_ns[COST_LIST_name];
    priors[COST_LIST_turn].value = PRIOR_TURN_NS;
    priors[COST_LIST_client_turn].value = PRIOR_CLIENT_TURN_NS;
    if (message_ns > 0)
        priors[COST_LIST_client_message] =
            (struct calibration_prior){message_ns, PRIOR_MEASURED_SD};
}

static enum error_kind estimate(struct fit *fit, struct error *error)
{
    struct costs_file *costs = fit->costs;
    struct calibration_prior priors[COST_LIST_COUNT];
    double list_ns[COST_LIST_COUNT];
    const struct calibration_problem problem = {.priors = priors,
                                                .cost_count = COST_LIST_COUNT,
                                                .measured = fit->measured,
                                                .measured_count = fit->measured_count,
                                                .model = predict,
                                                .context = fit};
    set_priors(fit->series, priors);
    enum error_kind kind = calibration_fit(&problem, &costs->fit, error);
    for (size_t i = 0; kind == ERROR_NONE && i < COST_LIST_COUNT; i++)
        list_ns[i] = costs->fit.costs[i].value;
    for (size_t i = 0; kind == ERROR_NONE && i < costs->cell_count; i++)
        kind = simulate(fit, list_ns, &costs->cells[i], costs->cells[i].fitted_s, error);
    progress_clear(&fit->series->base.progress);
    return kind;
}

static enum error_kind fit_costs(const struct drain_series *series, struct costs_file *costs,
                                 struct error *error)
{
    struct fit *fit = memory_new(1, sizeof *fit);
    *fit = (struct fit){.series = series, .costs = costs};
    /* Private servers share the cores with the driver, unless each has its share; those of others
     * run elsewhere. */
    bool share = strcmp(costs->holds_for.servers, "private") == 0 &&
                 costs->holds_for.server_cpu_percent == 0;
    costs->shared_cores = share ? (uint32_t)fmax(1, round(costs->holds_for.cores)) : 0;
    enum error_kind kind = take_cells(fit, error);
    if (kind == ERROR_NONE)
        kind = estimate(fit, error);
    free(fit);
    return kind;
}

/* ------------------------------------------------------------------ the tables
 *
 * A standard deviation of logarithms is told as a factor, the geometric standard deviation; of
 * small ones a percentage would be about the same, of large ones it would not. */

#define GAP 2 /* blanks between two columns */

/* A standard deviation of the logarithm: with it the costs tell little. */
#define MUCH_SCATTER 1.0

static const struct grid_column cost_columns[] = {
    {.title = "cost"},
    {.title = "us", .right = true},
    {.title = "95 % interval", .right = true},
    {.title = ""},
};

static void fill_costs(const struct costs_file *costs, struct grid *grid)
{
    grid_init(grid, cost_columns, sizeof cost_columns / sizeof cost_columns[0], GAP);
    for (size_t i = 0; i < COST_LIST_COUNT; i++) {
        const struct interval cost = costs_file_cost(costs, i);
        const struct calibration_cost *fitted = &costs->fit.costs[i];
        grid_put(grid, "%s", cost_list_name(i));
        grid_put(grid, "%.3g", cost.value / 1e3);
        if (isfinite(cost.low))
            grid_put(grid, "%.3g-%.3g", cost.low / 1e3, cost.high / 1e3);
        else
            grid_put(grid, GRID_UNKNOWN);
        grid_put(grid, "%s",
                 fitted->sd == 0      ? "not estimated"
                 : fitted->determined ? ""
                                      : "not determined by these drains");
    }
}

static const struct grid_column cell_columns[] = {
    {.title = "recipe"},
    {.title = "clients", .right = true},
    {.over = "drain, ms", .title = "measured", .right = true},
    {.title = "fitted", .right = true},
    {.title = "ratio", .right = true},
    {.over = "handoff p50, ms", .title = "measured", .right = true},
    {.title = "fitted", .right = true},
    {.title = "ratio", .right = true},
};

static void put_time(struct grid *grid, const struct costs_cell *cell, enum drain_time time)
{
    double measured_ms = cell->measured_s[time] * 1e3, fitted_ms = cell->fitted_s[time] * 1e3;
    grid_put_real(grid, measured_ms, measured_ms < 99.95 ? 2 : 0);
    grid_put_real(grid, fitted_ms, fitted_ms < 99.95 ? 2 : 0);
    grid_put_real(grid, fitted_ms / measured_ms, 2);
}

static void fill_cells(const struct costs_file *costs, struct grid *grid)
{
    grid_init(grid, cell_columns, sizeof cell_columns / sizeof cell_columns[0], 1);
    for (size_t i = 0; i < costs->cell_count; i++) {
        const struct costs_cell *cell = &costs->cells[i];
        grid_put(grid, "%s", cell->drain.recipe->name);
        grid_put(grid, "%u", cell->drain.clients);
        put_time(grid, cell, DRAIN_TOTAL);
        put_time(grid, cell, DRAIN_HANDOFF);
    }
}

void calibrate_write_table(const struct costs_file *costs, FILE *stream)
{
    void (*const fill[])(const struct costs_file *costs, struct grid *grid) = {fill_costs,
                                                                               fill_cells};
    for (size_t i = 0; i < sizeof fill / sizeof fill[0]; i++) {
        struct grid grid;
        fill[i](costs, &grid);
        grid_write(&grid, terminal_columns(STDOUT_FILENO), stream);
        grid_deinit(&grid);
        fputc('\n', stream);
    }
    wrap_sentence(stream,
                  "Trials of one cell scatter by a factor of %.2f (drain) and %.2f (handoff p50); "
                  "beyond that, the simulation differs from the servers by a factor of %.2f "
                  "(geometric standard deviations).%s",
                  exp(costs->trial_sd[DRAIN_TOTAL]), exp(costs->trial_sd[DRAIN_HANDOFF]),
                  exp(costs->fit.model_sd),
                  costs->fit.converged ? "" : " The fit did not converge.");
}

char *calibrate_warning(const struct costs_file *costs, enum drain_time time)
{
    if (costs->trial_sd[time] <= MUCH_SCATTER)
        return NULL;
    return memory_format(
        "the trials of one cell scatter by a factor of %.1f (%s, geometric standard "
        "deviation): the costs tell little; calibrate again when nothing else runs here, with "
        "more trials or a longer --warm-up",
        exp(costs->trial_sd[time]), drain_word(time));
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind begin(struct drain_series *series, void *context, struct error *error)
{
    struct costs_file *costs = &((struct calibrate *)context)->costs;
    (void)error;
    costs->holds_for = drain_series_record(series);
    clock_format_utc(clock_utc_ns(), 0, costs->date, sizeof costs->date);
    snprintf(costs->zkherd, sizeof costs->zkherd, "%s", version_text);
    return ERROR_NONE;
}

static enum error_kind write_and_print(const struct calibrate *calibrate, struct error *error)
{
    const struct output_options *output = &calibrate->options.output;
    enum error_kind kind = costs_file_write(&calibrate->costs, output->out, error);
    if (kind == ERROR_NONE && output->json)
        json_result_write_exactly(costs_file_describe(&calibrate->costs), stdout);
    if (kind != ERROR_NONE || output->json || output->quiet)
        return kind;
    calibrate_write_table(&calibrate->costs, stdout);
    printf("\nThe costs are in %s\n", output->out);
    return ERROR_NONE;
}

static int tell(struct drain_series *series, void *context, int *verdict)
{
    struct calibrate *calibrate = context;
    const struct output_options *output = &calibrate->options.output;
    struct error error;
    (void)verdict;
    enum error_kind kind = fit_costs(series, &calibrate->costs, &error);
    if (kind == ERROR_NONE)
        kind = write_and_print(calibrate, &error);
    for (enum drain_time time = 0; kind == ERROR_NONE && time < DRAIN_TIMES; time++) {
        char *warning = calibrate_warning(&calibrate->costs, time);
        if (warning != NULL)
            complain_mildly("%s: %s", SUBCOMMAND, warning);
        free(warning);
    }
    if (kind == ERROR_INTERRUPTED)
        drain_note_interruption(output, SUBCOMMAND, "during the fit: nothing is kept", &error);
    return kind == ERROR_NONE ? 0 : complain_about(SUBCOMMAND, &error);
}

int calibrate_main(int argc, char **argv)
{
    static const struct arguments arguments = {SUBCOMMAND, usage, rows, notes, NULL};
    static const struct drain_series_user user = {SUBCOMMAND, "calibration", begin, tell};
    struct calibrate *calibrate = memory_new(1, sizeof *calibrate);
    struct calibrate_options *options = &calibrate->options;
    options->target.max_clients = UINT64_MAX;
    options->drains.seed = clock_utc_ns();
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && !is_consistent(options))
        status = error_exit_status(ERROR_USAGE);
    if (status == ARGUMENTS_GO)
        status = drain_series_lead(&options->drains, &options->target, &options->output, &user,
                                   calibrate, argc, argv);
    target_options_deinit(&options->target);
    drain_options_deinit(&options->drains);
    free(calibrate);
    return status;
}
