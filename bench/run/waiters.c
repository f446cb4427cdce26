// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/run/internal.h"
#include "recipes/law.h"

#include <math.h>
#include <stdlib.h>

struct waiters *waiters_new(const struct recipe *recipe, uint64_t most_waiters)
{
    size_t levels = most_waiters + 1;
    struct waiters *made = memory_new(1, sizeof *made + levels * sizeof made->levels[0]);
    made->recipe = recipe;
    made->level_count = levels;
    return made;
}

void waiters_free(struct waiters *waiters)
{
    for (size_t i = 0; waiters != NULL && i < WAITERS_OCTAVES; i++)
        free(waiters->octaves[i].medians_us);
    free(waiters);
}

/* ------------------------------------------------------------------ the handoffs of a trial */

static size_t octave_of(uint64_t waiters)
{
    size_t octave = 63 - (size_t)__builtin_clzll(waiters);
    return octave < WAITERS_OCTAVES ? octave : WAITERS_OCTAVES - 1;
}

/* law: what the law predicts for the handoff; NULL: it does not. */
static void add_handoff(struct waiters *waiters, const struct ledger_row *row,
                        const struct tally *law, bool timed)
{
    struct waiters_level *level = &waiters->levels[row->waiters];
    uint64_t *of = level->of;
    of[WAITERS_HANDOFFS]++;
    of[WAITERS_WAITING] += row->waiters;
    of[WAITERS_CREATES] += row->tally.of[TALLY_CREATE];
    of[WAITERS_NOTIFICATIONS] += row->tally.of[TALLY_NOTIFICATION];
    of[WAITERS_RPCS] += tally_rpcs(&row->tally);
    if (law != NULL) {
        of[WAITERS_LAWFUL]++;
        of[WAITERS_LAW_CREATES] += law->of[TALLY_CREATE];
        of[WAITERS_LAW_NOTIFICATIONS] += law->of[TALLY_NOTIFICATION];
    }
    if (!timed)
        return;
    of[WAITERS_TIMED]++;
    of[WAITERS_TIMED_WAITING] += row->waiters;
    level->timed_us += (double)row->handoff_ns / 1e3;
    histogram_record(&waiters->octaves[octave_of(row->waiters)].latency, row->handoff_ns);
}

/* Whether a row of a ledger is a handoff that somebody waited for. */
static bool is_handoff(const struct waiters *waiters, const struct ledger_row *row)
{
    return row->handoff_ns > 0 && row->waiters > 0 && row->waiters < waiters->level_count;
}

static void add_lock(struct waiters *waiters, const struct trial_result *result, uint32_t lock,
                     bool timed)
{
    const struct trial_memory *memory = result->memory;
    const struct trial_plan *plan = memory->plan;
    /* In a drain of clients that do not go on to another lock a row has a release and nothing else.
     */
    bool has_law = result->has_law && plan->workload == WORKLOAD_DRAIN &&
                   (!plan->recipe->every_lock || plan->locks == 1);
    uint64_t clients = plan_clients_of(plan, lock);
    size_t used = trial_memory_rows_used(memory, lock);
    struct law_lock law = {0};
    struct tally cost = {0};
    if (has_law) {
        law_lock_init(&law, plan->recipe, clients);
        for (uint64_t i = 0; i < clients; i++)
            law_lock_arrival(&law, &cost);
        law_lock_turn(&law, &cost);
    }
    for (size_t i = 1; i < used; i++) {
        const struct ledger_row *row = ledger_row(&memory->ledger, lock, i);
        cost = (struct tally){0};
        if (has_law) {
            law_lock_release(&law, &cost);
            law_lock_turn(&law, &cost);
        }
        if (is_handoff(waiters, row))
            add_handoff(waiters, row, has_law ? &cost : NULL, timed);
    }
}

/* Lists the times of a trial's handoffs in an octave. Returns how many; *waiting: their waiters. */
static size_t list_times(const struct waiters *waiters, const struct trial_memory *memory,
                         size_t octave, double *values_us, double *waiting)
{
    size_t count = 0;
    *waiting = 0;
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        size_t used = trial_memory_rows_used(memory, lock);
        for (size_t i = 1; i < used; i++) {
            const struct ledger_row *row = ledger_row(&memory->ledger, lock, i);
            if (!is_handoff(waiters, row) || octave_of(row->waiters) != octave)
                continue;
            values_us[count++] = (double)row->handoff_ns / 1e3;
            *waiting += row->waiters;
        }
    }
    return count;
}

enum error_kind waiters_measure(const struct waiters *waiters, const struct trial_result *result,
                                struct waiters_trial *trial, struct error *error)
{
    double x[WAITERS_OCTAVES] = {0}, waiting;
    double *values_us = calloc(result->handoffs + 1, sizeof *values_us);
    *trial = (struct waiters_trial){.beta = NAN};
    if (values_us == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    for (size_t i = 0; i < WAITERS_OCTAVES; i++) {
        size_t found = list_times(waiters, result->memory, i, values_us, &waiting);
        if (found == 0)
            continue;
        statistics_sort(values_us, found);
        x[i] = waiting / (double)found;
        trial->medians_us[i] = statistics_median(values_us, found);
    }
    free(values_us);
    trial->beta = fit_line(x, trial->medians_us, WAITERS_OCTAVES).beta;
    return ERROR_NONE;
}

void waiters_add(struct waiters *waiters, const struct trial_result *result,
                 const struct waiters_trial *timed)
{
    for (uint32_t lock = 0; lock < result->memory->plan->locks; lock++)
        add_lock(waiters, result, lock, timed != NULL);
    for (size_t i = 0; timed != NULL && i < WAITERS_OCTAVES; i++) {
        struct waiters_octave *octave = &waiters->octaves[i];
        if (timed->medians_us[i] == 0)
            continue;
        octave->medians_us =
            memory_grow(octave->medians_us, octave->median_count, sizeof *octave->medians_us);
        octave->medians_us[octave->median_count++] = timed->medians_us[i];
    }
}

/* ------------------------------------------------------------------ over all trials */

static size_t octave_end(const struct waiters *waiters, size_t octave)
{
    size_t end = (size_t)1 << (octave + 1);
    return octave == WAITERS_OCTAVES - 1 || end > waiters->level_count ? waiters->level_count : end;
}

struct waiters_level waiters_octave_sum(const struct waiters *waiters, size_t octave)
{
    struct waiters_level sum = {.timed_us = 0};
    for (size_t w = (size_t)1 << octave; w < octave_end(waiters, octave); w++) {
        for (int i = 0; i < WAITERS_SUMS; i++)
            sum.of[i] += waiters->levels[w].of[i];
        sum.timed_us += waiters->levels[w].timed_us;
    }
    return sum;
}

double waiters_mean(const struct waiters_level *level, enum waiters_sum sum,
                    enum waiters_sum handoffs)
{
    return (double)level->of[sum] / (double)level->of[handoffs];
}

#define MEAN(sum_of)     csv_real(csv, waiters_mean(&sum, WAITERS_##sum_of, WAITERS_HANDOFFS), 3)
#define LAW_MEAN(sum_of) has_law ? MEAN(sum_of) : csv_text(csv, NULL)

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, outcome->run))                                                            \
    X(recipe, csv_text(csv, waiters->recipe->name))                                                \
    X(waiters_low, csv_count(csv, UINT64_C(1) << index))                                           \
    X(waiters_high, csv_count(csv, octave_end(waiters, index) - 1))                                \
    X(waiters_mean, csv_real(csv, waiters_mean(&sum, WAITERS_WAITING, WAITERS_HANDOFFS), 2))       \
    X(handoffs, csv_count(csv, sum.of[WAITERS_HANDOFFS]))                                          \
    X(creates_mean, MEAN(CREATES))                                                                 \
    X(notifications_mean, MEAN(NOTIFICATIONS))                                                     \
    X(rpcs_mean, MEAN(RPCS))                                                                       \
    X(handoff_p50_us, csv_real(csv, median.value, 1))                                              \
    X(handoff_p50_low_us, csv_real(csv, median.low, 1))                                            \
    X(handoff_p50_high_us, csv_real(csv, median.high, 1))                                          \
    X(handoff_p99_us, csv_real(csv, trial_row_percentile_us(&octave->latency, 99), 1))             \
    X(law_creates_mean, LAW_MEAN(LAW_CREATES))                                                     \
    X(law_notifications_mean, LAW_MEAN(LAW_NOTIFICATIONS))                                         \
    X(timed, csv_count(csv, sum.of[WAITERS_TIMED]))

void waiters_write(FILE *stream, const void *context)
{
    const struct outcome *outcome = context;
    struct csv *csv = &(struct csv){.stream = stream};
    csv_header(csv, COLUMNS(CSV_NAME));
    for (size_t i = 0; i < outcome->options->plan.recipe_count * WAITERS_OCTAVES; i++) {
        const struct waiters *waiters = outcome->recipes[i / WAITERS_OCTAVES].waiters;
        size_t index = i % WAITERS_OCTAVES;
        const struct waiters_octave *octave = &waiters->octaves[index];
        const struct waiters_level sum = waiters_octave_sum(waiters, index);
        const struct interval median = table_geometric(octave->medians_us, octave->median_count);
        bool has_law = sum.of[WAITERS_LAWFUL] == sum.of[WAITERS_HANDOFFS];
        if (sum.of[WAITERS_HANDOFFS] > 0) {
            COLUMNS(CSV_WRITE) csv_end_row(csv);
        }
    }
}
