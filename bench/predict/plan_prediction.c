// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/plan_prediction.h"

#include "base/clock.h"
#include "base/output.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/progress.h"
#include "bench/cli/signals.h"
#include "bench/cli/standard_output.h"
#include "bench/model/drain_series.h"
#include "bench/model/prediction.h"
#include "bench/output/folder.h"
#include "bench/predict/plan_prediction_cells.h"
#include "bench/predict/plan_prediction_command_line.h"
#include "bench/predict/plan_prediction_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUBCOMMAND "plan"

struct plan_prediction {
    struct plan_prediction_options options;
    struct costs_file costs;
    struct drain_cell *drains;
    size_t drain_count;
    struct plan_prediction_cells cells;
    struct drain_series series; /* of --validate */
    int argc;
    char **argv;
};

/* ------------------------------------------------------------------ the cells */

/* What the command line leaves to the costs: the number of servers, and the driver. */
static void take_target(struct plan_prediction *plan)
{
    struct target_options *target = &plan->options.target;
    if (strcmp(plan->costs.holds_for.driver, options_drivers[DRIVER_THREADS]) == 0)
        target->driver = DRIVER_THREADS;
    if (!target->servers_given && !target->connect)
        target->server_counts[0] = plan->costs.holds_for.server_count;
}

static enum error_kind check_held_out(const struct plan_prediction *plan, struct error *error)
{
    for (size_t i = 0; i < plan->drain_count; i++) {
        const struct drain_cell *drain = &plan->drains[i];
        if (costs_file_has(&plan->costs, drain))
            return error_raise(error, ERROR_USAGE, 0, "--validate",
                               "the costs were fitted to %s with %u clients: give other numbers "
                               "(-n)",
                               drain->recipe->name, drain->clients);
    }
    return ERROR_NONE;
}

static enum error_kind lay_out(struct plan_prediction *plan, const struct drain_cell *drains,
                               size_t count, struct error *error)
{
    const struct target_options *target = &plan->options.target;
    struct plan_prediction_cells *cells = &plan->cells;
    size_t topologies = target->connect ? 1 : target->topology_count;
    *cells = (struct plan_prediction_cells){
        .costs_path = target->costs,
        .costs = &plan->costs,
        .validates = plan->options.validate,
        .list = calloc(count * topologies, sizeof *cells->list),
    };
    if (cells->list == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, SUBCOMMAND, "%s", "");
    for (size_t i = 0; i < count; i++) {
        for (size_t t = 0; t < topologies; t++)
            cells->list[cells->count++] = (struct plan_prediction_cell){
                .drain = drains[i],
                .servers =
                    (unsigned)(target->connect ? target->servers.count : target->server_counts[t])};
    }
    return ERROR_NONE;
}

/* What can be wrong before the work begins. */
static enum error_kind prepare(struct plan_prediction *plan, struct error *error)
{
    const struct plan_prediction_options *options = &plan->options;
    enum error_kind kind = costs_file_read(options->target.costs, &plan->costs, error);
    if (kind != ERROR_NONE)
        return kind;
    take_target(plan);
    kind = drain_options_cells(&options->drains, &plan->drains, &plan->drain_count, error);
    if (kind == ERROR_NONE && options->validate)
        return check_held_out(plan, error);
    if (kind == ERROR_NONE)
        kind = lay_out(plan, plan->drains, plan->drain_count, error);
    if (kind == ERROR_NONE)
        kind = folder_check(options->output.out, error);
    if (kind == ERROR_NONE && (options->output.json || !options->output.quiet))
        kind = standard_output_check(error);
    return kind;
}

/* ------------------------------------------------------------------ the predictions */

static enum error_kind predict(struct plan_prediction *plan, struct progress *progress,
                               int interrupts, struct error *error)
{
    const struct plan_prediction_options *options = &plan->options;
    const struct prediction_basis basis = {.costs = &plan->costs,
                                           .draws = options->draws,
                                           .trials = options->validate ? options->drains.trials : 1,
                                           .seed = options->drains.seed,
                                           .interrupts = interrupts};
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < plan->cells.count; i++) {
        struct plan_prediction_cell *cell = &plan->cells.list[i];
        char text[96];
        snprintf(text, sizeof text, "predicting %s n=%u: %zu of %zu", cell->drain.recipe->name,
                 cell->drain.clients, i + 1, plan->cells.count);
        progress_say(progress, text);
        kind = prediction_make(&basis, &cell->drain, cell->servers, &cell->predicted, error);
    }
    progress_clear(progress);
    return kind;
}

static enum error_kind predict_alone(struct plan_prediction *plan, struct error *error)
{
    struct progress progress;
    int signals = signals_block();
    progress_init(&progress, 0, plan->options.output.quiet);
    enum error_kind kind = predict(plan, &progress, signals, error);
    if (signals >= 0)
        close(signals);
    return kind;
}

/* ------------------------------------------------------------------ the results */

static enum error_kind write_file(const struct plan_prediction *plan, char folder[PATH_MAX],
                                  struct error *error)
{
    const char *word = plan->options.validate ? "validate" : "predict";
    struct output file = {0};
    char name[32];
    snprintf(name, sizeof name, "%s.csv", word);
    enum error_kind kind =
        folder_make(plan->options.output.out, clock_utc_ns(), word, folder, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = output_open(&file, folder, name, error);
    if (kind == ERROR_NONE) {
        struct csv csv = {.stream = file.stream};
        plan_prediction_cells_write(&plan->cells, &csv);
        kind = output_finish(&file, error);
    }
    if (kind != ERROR_NONE) {
        output_abandon(&file);
        folder_discard(folder);
    }
    return kind;
}

static enum error_kind tell(const struct plan_prediction *plan, struct error *error)
{
    char folder[PATH_MAX];
    enum error_kind kind = write_file(plan, folder, error);
    if (kind == ERROR_NONE && plan->options.output.json)
        return plan_prediction_json_write(&plan->cells, folder, stdout, error);
    if (kind != ERROR_NONE || plan->options.output.quiet)
        return kind;
    kind = plan_prediction_cells_print(&plan->cells, stdout, error);
    if (kind == ERROR_NONE)
        printf("\nThe figures are in %s\n", folder);
    return kind;
}

static int judge(const struct plan_prediction *plan)
{
    const struct plan_prediction_score score = plan_prediction_cells_score(&plan->cells);
    if (!plan->options.validate || plan_prediction_score_passes(&score))
        return 0;
    complain_plainly("%s: %zu of %zu intervals cover what was measured; at least 8 of 10 must",
                     plan->options.target.costs, score.covered, score.count);
    return 1;
}

/* ------------------------------------------------------------------ the measurement */

/* The predictions are made before the first trial. */
static enum error_kind begin(struct drain_series *series, void *context, struct error *error)
{
    struct plan_prediction *plan = context;
    struct costs_record record;
    drain_series_record(series, &record);
    enum error_kind kind =
        costs_file_check_holds(&plan->costs, plan->options.target.costs, &record, error);
    if (kind == ERROR_NONE)
        kind = lay_out(plan, series->cells, series->cell_count, error);
    return kind == ERROR_NONE
               ? predict(plan, &series->base.progress, series->base.targets.signals, error)
               : kind;
}

static enum error_kind take_measured(struct plan_prediction *plan,
                                     const struct drain_series *series, struct error *error)
{
    for (size_t i = 0; i < plan->cells.count; i++) {
        struct plan_prediction_cell *cell = &plan->cells.list[i];
        cell->measured = drain_series_summarize(series, i);
        if (cell->measured.trials == 0)
            return error_raise(error, ERROR_NOT_VALID, 0, SUBCOMMAND,
                               "no trial of %s with %u clients can be used",
                               cell->drain.recipe->name, cell->drain.clients);
    }
    return ERROR_NONE;
}

static int tell_measured(struct drain_series *series, void *context, int *verdict)
{
    struct plan_prediction *plan = context;
    struct error error;
    enum error_kind kind = take_measured(plan, series, &error);
    if (kind == ERROR_NONE)
        kind = tell(plan, &error);
    if (kind != ERROR_NONE)
        return complain_about(SUBCOMMAND, &error);
    *verdict = judge(plan);
    return 0;
}

static int measure(struct plan_prediction *plan)
{
    static const struct drain_series_user user = {SUBCOMMAND, "validation", begin, tell_measured};
    struct plan_prediction_options *options = &plan->options;
    drain_series_init(&plan->series, &options->drains, &options->target, &options->output, &user,
                      plan);
    int status = drain_series_lead(&plan->series, plan->argc, plan->argv);
    drain_series_deinit(&plan->series);
    return status;
}

/* ------------------------------------------------------------------ the whole */

static int predict_and_tell(struct plan_prediction *plan)
{
    struct error error;
    enum error_kind kind = predict_alone(plan, &error);
    if (kind == ERROR_NONE)
        kind = tell(plan, &error);
    if (kind == ERROR_INTERRUPTED)
        error_raise(&error, kind, 0, SUBCOMMAND,
                    "before all cells were predicted: nothing is kept");
    return kind == ERROR_NONE ? 0 : complain_about(SUBCOMMAND, &error);
}

static int lead(struct plan_prediction *plan)
{
    struct error error = {0};
    if (prepare(plan, &error) != ERROR_NONE)
        return complain_about(SUBCOMMAND, &error);
    return plan->options.validate ? measure(plan) : predict_and_tell(plan);
}

int plan_prediction_main(int argc, char **argv)
{
    struct plan_prediction *plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = SUBCOMMAND});
    int status = plan_prediction_command_line_parse(argc, argv, &plan->options);
    if (status == ARGUMENTS_GO) {
        plan->argc = argc;
        plan->argv = argv;
        status = lead(plan);
        plan_prediction_command_line_deinit(&plan->options);
    }
    free(plan->drains);
    free(plan->cells.list);
    free(plan);
    return status;
}
