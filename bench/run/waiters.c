// SPDX-License-Identifier: Apache-2.0
#include "bench/run/waiters.h"
#include "bench/run/internal.h"

#include "base/memory.h"
#include "recipes/law.h"

#include <math.h>
#include <stdlib.h>

enum error_kind waiters_new(const struct recipe *recipe, uint64_t most_waiters,
                            struct waiters **waiters, struct error *error)
{
    struct waiters *made = calloc(1, sizeof *made);
    struct waiters_level *levels = calloc(most_waiters + 1, sizeof *levels);
    if (made == NULL || levels == NULL) {
        free(made);
        free(levels);
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    }
    made->recipe = recipe;
    made->levels = levels;
    made->level_count = most_waiters + 1;
    *waiters = made;
    return ERROR_NONE;
}

void waiters_free(struct waiters *waiters)
{
    if (waiters == NULL)
        return;
    for (size_t i = 0; i < WAITERS_OCTAVES; i++)
        free(waiters->octaves[i].medians_us);
    free(waiters->levels);
    free(waiters);
}

static size_t octave_of(uint64_t waiters)
{
    size_t octave = 63 - (size_t)__builtin_clzll(waiters);
    return octave < WAITERS_OCTAVES ? octave : WAITERS_OCTAVES - 1;
}

/* Somebody waited, and was handed the lock. */
static bool is_handoff(const struct waiters *waiters, const struct ledger_row *row)
{
    return row->handoff_ns > 0 && row->waiters > 0 && row->waiters < waiters->level_count;
}

/* The next handoff of the trial: *lock and *handoff begin at 0. NULL behind the last. */
static const struct ledger_row *next_handoff(const struct waiters *waiters,
                                             const struct trial_memory *memory, uint32_t *lock,
                                             size_t *handoff)
{
    for (; *lock < memory->plan->locks; ++*lock, *handoff = 0) {
        while (++*handoff < trial_memory_rows_used(memory, *lock)) {
            const struct ledger_row *row = ledger_row(&memory->ledger, *lock, *handoff);
            if (is_handoff(waiters, row))
                return row;
        }
    }
    return NULL;
}

/* What the law predicts for each release of a lock, in the same order. */
static void add_law_of(struct waiters *waiters, const struct trial_memory *memory, uint32_t lock)
{
    struct law_lock law;
    struct tally arrivals = {0};
    uint64_t clients = plan_clients_of(memory->plan, lock);
    size_t used = trial_memory_rows_used(memory, lock);
    law_lock_init(&law, memory->plan->recipe, clients);
    for (uint64_t i = 0; i < clients; i++)
        law_lock_arrival(&law, &arrivals);
    law_lock_turn(&law, &arrivals);
    for (size_t handoff = 1; handoff < used; handoff++) {
        const struct ledger_row *row = ledger_row(&memory->ledger, lock, handoff);
        struct tally cost = {0};
        law_lock_release(&law, &cost);
        law_lock_turn(&law, &cost);
        if (!is_handoff(waiters, row))
            continue;
        struct waiters_level *level = &waiters->levels[row->waiters];
        level->lawful++;
        level->law_creates += cost.of[TALLY_CREATE];
        level->law_notifications += cost.of[TALLY_NOTIFICATION];
    }
}

/* The trial's medians, octave by octave, and the line through them. */
static enum error_kind add_medians(struct waiters *waiters, const struct trial_result *result,
                                   double *beta, struct error *error)
{
    double x[WAITERS_OCTAVES], y[WAITERS_OCTAVES];
    size_t count = 0;
    double *values_us = calloc(result->handoffs + 1, sizeof *values_us);
    if (values_us == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    for (size_t i = 0; i < WAITERS_OCTAVES; i++) {
        struct waiters_octave *octave = &waiters->octaves[i];
        const struct ledger_row *row;
        uint32_t lock = 0;
        size_t handoff = 0, found = 0;
        double sum = 0;
        while ((row = next_handoff(waiters, result->memory, &lock, &handoff)) != NULL) {
            if (octave_of(row->waiters) != i)
                continue;
            values_us[found++] = (double)row->handoff_ns / 1e3;
            sum += row->waiters;
        }
        if (found == 0)
            continue;
        statistics_sort(values_us, found);
        x[count] = sum / (double)found;
        y[count] = statistics_median(values_us, found);
        octave->medians_us =
            memory_grow(octave->medians_us, octave->median_count, sizeof *octave->medians_us);
        octave->medians_us[octave->median_count++] = y[count++];
    }
    *beta = fit_line(x, y, count).beta;
    free(values_us);
    return ERROR_NONE;
}

enum error_kind waiters_add(struct waiters *waiters, const struct trial_result *result, bool timed,
                            double *beta, struct error *error)
{
    const struct ledger_row *row;
    uint32_t lock = 0;
    size_t handoff = 0;
    *beta = NAN;
    while ((row = next_handoff(waiters, result->memory, &lock, &handoff)) != NULL) {
        struct waiters_level *level = &waiters->levels[row->waiters];
        level->handoffs++;
        level->creates += row->tally.of[TALLY_CREATE];
        level->notifications += row->tally.of[TALLY_NOTIFICATION];
        level->rpcs += tally_rpcs(&row->tally);
        if (!timed)
            continue;
        level->timed++;
        level->handoff_us += (double)row->handoff_ns / 1e3;
        histogram_record(&waiters->octaves[octave_of(row->waiters)].latency, row->handoff_ns);
    }
    /* In a drain of clients that do not go on to another lock a row has a release and nothing else.
     */
    const struct trial_plan *plan = result->memory->plan;
    if (result->has_law && plan->workload == WORKLOAD_DRAIN &&
        (!plan->recipe->every_lock || plan->locks == 1)) {
        for (uint32_t of = 0; of < plan->locks; of++)
            add_law_of(waiters, result->memory, of);
    }
    return timed ? add_medians(waiters, result, beta, error) : ERROR_NONE;
}

static size_t octave_end(const struct waiters *waiters, size_t octave)
{
    size_t end = (size_t)1 << (octave + 1);
    return octave == WAITERS_OCTAVES - 1 || end > waiters->level_count ? waiters->level_count : end;
}

struct waiters_level waiters_octave_sum(const struct waiters *waiters, size_t octave)
{
    struct waiters_level sum = {0};
    for (size_t w = (size_t)1 << octave; w < octave_end(waiters, octave); w++) {
        const struct waiters_level *level = &waiters->levels[w];
        sum.handoffs += level->handoffs;
        sum.creates += level->creates;
        sum.notifications += level->notifications;
        sum.rpcs += level->rpcs;
        sum.lawful += level->lawful;
        sum.law_creates += level->law_creates;
        sum.law_notifications += level->law_notifications;
        sum.timed += level->timed;
        sum.handoff_us += level->handoff_us;
        sum.waiters += w * level->handoffs;
        sum.timed_waiters += w * level->timed;
    }
    return sum;
}

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, run))                                                                     \
    X(recipe, csv_text(csv, waiters->recipe->name))                                                \
    X(waiters_low, csv_count(csv, UINT64_C(1) << index))                                           \
    X(waiters_high, csv_count(csv, octave_end(waiters, index) - 1))                                \
    X(waiters_mean, csv_real(csv, (double)sum.waiters / handoffs, 2))                              \
    X(handoffs, csv_count(csv, sum.handoffs))                                                      \
    X(creates_mean, csv_real(csv, (double)sum.creates / handoffs, 3))                              \
    X(notifications_mean, csv_real(csv, (double)sum.notifications / handoffs, 3))                  \
    X(rpcs_mean, csv_real(csv, (double)sum.rpcs / handoffs, 3))                                    \
    X(handoff_p50_us, csv_real(csv, median.value, 1))                                              \
    X(handoff_p50_low_us, csv_real(csv, median.low, 1))                                            \
    X(handoff_p50_high_us, csv_real(csv, median.high, 1))                                          \
    X(handoff_p99_us, csv_real(csv, p99_us, 1))                                                    \
    X(law_creates_mean, csv_real(csv, has_law ? (double)sum.law_creates / handoffs : NAN, 3))      \
    X(law_notifications_mean,                                                                      \
      csv_real(csv, has_law ? (double)sum.law_notifications / handoffs : NAN, 3))                  \
    X(timed, csv_count(csv, sum.timed))

const char waiters_columns[] = COLUMNS(CSV_NAME);

void waiters_write(const struct record *record, struct csv *csv)
{
    const char *run = record->base->files.run;
    for (size_t i = 0; i < record->options->plan.recipe_count * WAITERS_OCTAVES; i++) {
        const struct waiters *waiters = record->waiters[i / WAITERS_OCTAVES];
        size_t index = i % WAITERS_OCTAVES;
        const struct waiters_octave *octave = &waiters->octaves[index];
        const struct waiters_level sum = waiters_octave_sum(waiters, index);
        const struct interval median = table_geometric(octave->medians_us, octave->median_count);
        double handoffs = (double)sum.handoffs,
               p99_us = trial_row_percentile_us(&octave->latency, 99);
        bool has_law = sum.lawful == sum.handoffs;
        if (sum.handoffs > 0) {
            COLUMNS(CSV_WRITE) csv_end_row(csv);
        }
    }
}
