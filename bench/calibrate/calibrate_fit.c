// SPDX-License-Identifier: Apache-2.0
#include "bench/calibrate/calibrate_fit.h"

#include "base/text.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far a cost may well be from its prior: two of these are a factor of 4. A sync depends on the
 * disk: a factor of 7. The driver's CPU time for a message holds a share of its turns. */
#define PRIOR_SD          0.7
#define PRIOR_SYNC_SD     1.0
#define PRIOR_MEASURED_SD 0.3

/* Costs that the simulation leaves out by default: CPU for a message, and for a turn. */
#define PRIOR_NS             5000
#define PRIOR_TURN_NS        20000
#define PRIOR_CLIENT_TURN_NS 10000

/* Of a quantity whose trials happen to be equal: no mean of a few trials is known better. */
#define LEAST_SD 0.02

struct fit {
    const struct drain_series *series;
    struct costs_file *costs;
    struct calibration_measured measured[COSTS_FILE_CELLS_MAX * DRAIN_TIMES];
    size_t measured_count;
    size_t runs;
};

/* ------------------------------------------------------------------ what was measured */

static bool is_quantity(const struct costs_cell *cell, size_t time)
{
    return isfinite(cell->measured_s[time]) && cell->measured_s[time] > 0;
}

static void add_measured(struct fit *fit, const struct costs_cell *cell)
{
    for (enum drain_time time = 0; time < DRAIN_TIMES; time++) {
        double sd = fit->costs->trial_sd[time] / sqrt(cell->trials);
        if (is_quantity(cell, time))
            fit->measured[fit->measured_count++] = (struct calibration_measured){
                cell->measured_s[time], sd > LEAST_SD ? sd : LEAST_SD};
    }
}

static enum error_kind take_cell(struct fit *fit, size_t index, struct error *error)
{
    const struct drain_cell *drain = &fit->series->cells[index];
    const struct drain_summary summary = drain_series_summarize(fit->series, index);
    struct costs_cell *cell = &fit->costs->cells[index];
    if (summary.trials == 0)
        return error_raise(error, ERROR_NOT_VALID, 0, "calibrate",
                           "no trial of %s with %u clients can be used", drain->recipe->name,
                           drain->clients);
    *cell = (struct costs_cell){.drain = *drain, .trials = summary.trials};
    memcpy(cell->measured_s, summary.times_s, sizeof cell->measured_s);
    add_measured(fit, cell);
    return ERROR_NONE;
}

static enum error_kind take_cells(struct fit *fit, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    fit->costs->cell_count = fit->series->cell_count;
    for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
        fit->costs->trial_sd[time] = drain_series_scatter(fit->series, time);
    for (size_t i = 0; kind == ERROR_NONE && i < fit->costs->cell_count; i++)
        kind = take_cell(fit, i, error);
    return kind;
}

/* ------------------------------------------------------------------ the model */

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

/* ------------------------------------------------------------------ the fit */

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

static enum error_kind fill_fitted(struct fit *fit, struct error *error)
{
    double list_ns[COST_LIST_COUNT];
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; i < COST_LIST_COUNT; i++)
        list_ns[i] = fit->costs->fit.costs[i].value;
    for (size_t i = 0; kind == ERROR_NONE && i < fit->costs->cell_count; i++) {
        struct costs_cell *cell = &fit->costs->cells[i];
        kind = simulate(fit, list_ns, cell, cell->fitted_s, error);
    }
    return kind;
}

static enum error_kind estimate(struct fit *fit, struct error *error)
{
    struct calibration_prior priors[COST_LIST_COUNT];
    const struct calibration_problem problem = {.priors = priors,
                                                .cost_count = COST_LIST_COUNT,
                                                .measured = fit->measured,
                                                .measured_count = fit->measured_count,
                                                .model = predict,
                                                .context = fit};
    set_priors(fit->series, priors);
    enum error_kind kind = calibration_fit(&problem, &fit->costs->fit, error);
    if (kind == ERROR_NONE)
        kind = fill_fitted(fit, error);
    progress_clear(&fit->series->base.progress);
    return kind;
}

/* Private servers share the cores with the driver, unless each has its share; those of others run
 * elsewhere. */
static unsigned shared_cores(const struct costs_record *holds_for)
{
    bool share = strcmp(holds_for->servers, "private") == 0 && holds_for->cpu_percent == 0;
    return share ? (unsigned)fmax(1, round(holds_for->cores)) : 0;
}

enum error_kind calibrate_fit(const struct drain_series *series, struct costs_file *costs,
                              struct error *error)
{
    struct fit *fit = calloc(1, sizeof *fit);
    if (fit == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "calibrate", "%s", "");
    fit->series = series;
    fit->costs = costs;
    costs->shared_cores = shared_cores(&costs->holds_for);
    enum error_kind kind = take_cells(fit, error);
    if (kind == ERROR_NONE)
        kind = estimate(fit, error);
    free(fit);
    return kind;
}
