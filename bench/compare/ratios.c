// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/ratios.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.95
/* Of fewer handoffs a 99th percentile is little more than their maximum. */
#define P99_LEAST 100

static const struct {
    const char *name;
    const char *per_handoff_name;
    enum compared_figure figure;
} metrics[RATIO_METRICS] = {
    [RATIO_RPCS] = {"rpcs", "rpcs_per_handoff", COMPARED_RPCS},
    [RATIO_NOTIFICATIONS] = {"notifications", "notifications_per_handoff", COMPARED_NOTIFICATIONS},
    [RATIO_CREATES] = {"creates", "creates_per_handoff", COMPARED_CREATES},
    [RATIO_NAMES_LISTED] = {"names_listed", "names_listed_per_handoff", COMPARED_NAMES_LISTED},
    [RATIO_HANDOFF_P50] = {"handoff_p50_us", NULL, COMPARED_HANDOFF_P50_US},
    [RATIO_HANDOFF_P99] = {"handoff_p99_us", NULL, COMPARED_HANDOFF_P99_US},
    [RATIO_DRAIN] = {"drain_s", NULL, COMPARED_DRAIN_S},
    [RATIO_HANDOFFS_PER_S] = {"handoffs_per_s", NULL, COMPARED_HANDOFFS_PER_S},
    [RATIO_SERVER_CPU] = {"server_cpu_us_per_handoff", NULL, COMPARED_SERVER_CPU_S},
};

/* The values of one side in a cell, a trial each. */
struct values {
    double *list;
    size_t count;
};

/* ------------------------------------------------------------------ the values of a cell */

/* NaN: the trial has none. */
static double value_of(const struct ratios *ratios, const struct compared_trial *trial,
                       enum ratio_metric metric)
{
    double figure = trial->figures[metrics[metric].figure];
    double handoffs = trial->figures[COMPARED_HANDOFFS];
    if (metric == RATIO_SERVER_CPU)
        return handoffs > 0 ? figure * 1e6 / handoffs : NAN;
    /* Not from the column: it was not always without the arrivals. */
    if (metric == RATIO_HANDOFFS_PER_S && ratios->drain)
        return handoffs / trial->figures[COMPARED_DRAIN_S];
    if (metric < RATIO_COUNTS && ratios->per_handoff)
        return handoffs > 0 ? figure / handoffs : NAN;
    if (metric == RATIO_HANDOFF_P99 && handoffs < P99_LEAST)
        return NAN;
    return figure;
}

static void gather(const struct ratios *ratios, const struct compared_run *side,
                   const struct ratio_cell *cell, enum ratio_metric metric, struct values *values)
{
    values->count = 0;
    for (size_t i = 0; i < side->count; i++) {
        const struct compared_trial *trial = &side->trials[i];
        bool stands = metric < RATIO_COUNTS ? trial->counts_stand : trial->times_stand;
        if (!stands || strcmp(trial->recipe, cell->recipe) != 0 ||
            trial->figures[COMPARED_CLIENTS] != (double)cell->clients)
            continue;
        double value = value_of(ratios, trial, metric);
        if (isfinite(value))
            values->list[values->count++] = value;
    }
}

/* ------------------------------------------------------------------ one metric of a cell */

static struct interval span_of(const struct values *values)
{
    if (values->count == 0)
        return (struct interval){NAN, NAN, NAN};
    statistics_sort(values->list, values->count);
    return (struct interval){values->list[0], values->list[0], values->list[values->count - 1]};
}

/* All trials of both sides have the same count, or it differs. */
static void compare_counts(const struct values *a, const struct values *b, struct ratio *ratio)
{
    ratio->a = span_of(a);
    ratio->b = span_of(b);
    ratio->ratio = (struct interval){NAN, NAN, NAN};
    if (ratio->a.value > 0 && b->count > 0)
        ratio->ratio.value = ratio->b.value / ratio->a.value;
    if (a->count == 0 || b->count == 0)
        return;
    bool equal = ratio->a.low == ratio->b.low && ratio->a.high == ratio->b.high &&
                 ratio->a.low == ratio->a.high;
    ratio->mark = equal ? RATIO_PLAIN : RATIO_MARKED;
}

static struct interval geometric_mean(const struct values *values)
{
    struct interval mean = statistics_interval_of_logs(values->list, values->count, CONFIDENCE);
    if (values->count < STATISTICS_TRIALS_MIN)
        mean.low = mean.high = NAN;
    return mean;
}

static void compare_times(const struct values *a, const struct values *b, struct ratio *ratio)
{
    ratio->a = geometric_mean(a);
    ratio->b = geometric_mean(b);
    ratio->ratio = statistics_ratio(b->list, b->count, a->list, a->count, CONFIDENCE);
    if (a->count < STATISTICS_TRIALS_MIN || b->count < STATISTICS_TRIALS_MIN)
        ratio->ratio.low = ratio->ratio.high = NAN;
    if (isfinite(ratio->ratio.low))
        ratio->mark = ratio->ratio.low > 1 || ratio->ratio.high < 1 ? RATIO_MARKED : RATIO_PLAIN;
}

static void compare_cell(const struct ratios *ratios, const struct compared_runs *compared,
                         struct values *a, struct values *b, struct ratio_cell *cell)
{
    for (int i = 0; i < RATIO_METRICS; i++) {
        enum ratio_metric metric = (enum ratio_metric)i;
        struct ratio *ratio = &cell->of[i];
        gather(ratios, &compared->list[cell->base], cell, metric, a);
        gather(ratios, &compared->list[cell->side], cell, metric, b);
        *ratio = (struct ratio){.trials_a = a->count, .trials_b = b->count};
        if (ratios->exact && metric < RATIO_COUNTS)
            compare_counts(a, b, ratio);
        else
            compare_times(a, b, ratio);
    }
}

/* ------------------------------------------------------------------ all of them */

/* No fewer than there are. */
static size_t count_cells(const struct compared_runs *compared)
{
    const struct past_run *run = compared->list[0].run;
    size_t recipes = 0, levels = 0;
    while (past_run_recipe(run, recipes) != NULL)
        recipes++;
    while (past_run_clients(run, levels) != 0)
        levels++;
    return recipes * levels * compared->count;
}

static size_t most_trials(const struct compared_runs *compared)
{
    size_t most = 0;
    for (size_t i = 0; i < compared->count; i++)
        most = compared->list[i].count > most ? compared->list[i].count : most;
    return most;
}

static void compare_all(const struct compared_runs *compared, struct values *a, struct values *b,
                        struct ratios *ratios)
{
    const struct past_run *run = compared->list[0].run;
    for (size_t r = 0; past_run_recipe(run, r) != NULL; r++) {
        for (size_t n = 0; past_run_clients(run, n) != 0; n++) {
            if (!past_run_plans(run, past_run_recipe(run, r), past_run_clients(run, n)))
                continue;
            for (size_t side = 1; side < compared->count; side++) {
                struct ratio_cell *cell = &ratios->list[ratios->count++];
                cell->recipe = past_run_recipe(run, r);
                cell->clients = past_run_clients(run, n);
                cell->side = side;
                cell->base = compared->list[side].base;
                compare_cell(ratios, compared, a, b, cell);
            }
        }
    }
}

enum error_kind ratios_init(const struct compared_runs *compared, struct ratios *ratios,
                            struct error *error)
{
    const struct past_run *run = compared->list[0].run;
    size_t most = most_trials(compared);
    struct values a = {.list = calloc(most + 1, sizeof(double))};
    struct values b = {.list = calloc(most + 1, sizeof(double))};
    struct ratios made = {
        .list = calloc(count_cells(compared) + 1, sizeof(struct ratio_cell)),
        .exact = past_run_is_lockstep(run) && !past_run_has_duration(run),
        .per_handoff = past_run_has_duration(run),
        .drain = past_run_is_drain(run),
    };
    enum error_kind kind = ERROR_NONE;
    if (a.list != NULL && b.list != NULL && made.list != NULL) {
        compare_all(compared, &a, &b, &made);
        *ratios = made;
    } else {
        free(made.list);
        kind = error_raise(error, ERROR_NO_MEMORY, 0, "compare", "%s", "");
    }
    free(a.list);
    free(b.list);
    return kind;
}

void ratios_deinit(struct ratios *ratios)
{
    free(ratios->list);
    *ratios = (struct ratios){0};
}

bool ratios_counts_differ(const struct ratios *ratios, const struct ratio_cell *cell)
{
    for (int metric = 0; ratios->exact && metric < RATIO_COUNTS; metric++) {
        if (cell->of[metric].mark == RATIO_MARKED)
            return true;
    }
    return false;
}

bool ratios_is_compared(const struct ratio *ratio)
{
    return ratio->trials_a > 0 && ratio->trials_b > 0;
}

/* ------------------------------------------------------------------ compare.csv */

const char *ratios_name(const struct ratios *ratios, enum ratio_metric metric)
{
    bool per_handoff = metric < RATIO_COUNTS && ratios->per_handoff;
    return per_handoff ? metrics[metric].per_handoff_name : metrics[metric].name;
}

#define COLUMNS(X)                                                                                 \
    X(recipe, csv_text(csv, cell->recipe))                                                         \
    X(clients, csv_count(csv, cell->clients))                                                      \
    X(metric, csv_text(csv, ratios_name(ratios, metric)))                                          \
    X(pair, csv_text(csv, pair))                                                                   \
    X(label_a, csv_text(csv, compared->list[cell->base].label))                                    \
    X(label_b, csv_text(csv, compared->list[cell->side].label))                                    \
    X(a, csv_real(csv, ratio->a.value, decimals))                                                  \
    X(a_low, csv_real(csv, ratio->a.low, decimals))                                                \
    X(a_high, csv_real(csv, ratio->a.high, decimals))                                              \
    X(b, csv_real(csv, ratio->b.value, decimals))                                                  \
    X(b_low, csv_real(csv, ratio->b.low, decimals))                                                \
    X(b_high, csv_real(csv, ratio->b.high, decimals))                                              \
    X(ratio, csv_real(csv, ratio->ratio.value, 4))                                                 \
    X(ratio_low, csv_real(csv, ratio->ratio.low, 4))                                               \
    X(ratio_high, csv_real(csv, ratio->ratio.high, 4))                                             \
    X(trials_a, csv_count(csv, ratio->trials_a))                                                   \
    X(trials_b, csv_count(csv, ratio->trials_b))                                                   \
    X(marked, csv_text(csv, marks[ratio->mark]))

const char ratios_columns[] = COLUMNS(CSV_NAME);

static void write_row(const struct ratios *ratios, const struct compared_runs *compared,
                      const struct ratio_cell *cell, enum ratio_metric metric, struct csv *csv)
{
    static const char *const marks[] = {
        [RATIO_UNKNOWN] = "", [RATIO_PLAIN] = "no", [RATIO_MARKED] = "yes"};
    const struct ratio *ratio = &cell->of[metric];
    const char pair[] = {compared_runs_letter(cell->side), '/', compared_runs_letter(cell->base),
                         '\0'};
    int decimals = ratios->exact && metric < RATIO_COUNTS ? 0 : metric == RATIO_DRAIN ? 6 : 3;
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}

void ratios_write(const struct ratios *ratios, const struct compared_runs *compared,
                  struct csv *csv)
{
    for (size_t i = 0; i < ratios->count; i++) {
        for (int metric = 0; metric < RATIO_METRICS; metric++)
            write_row(ratios, compared, &ratios->list[i], (enum ratio_metric)metric, csv);
    }
}
