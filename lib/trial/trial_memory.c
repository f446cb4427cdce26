// SPDX-License-Identifier: Apache-2.0
#include "trial/trial_memory.h"

#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>

/* When the time decides how many handoffs there are, rows are laid out for this many a second;
 * memory that is never touched costs nothing. */
#define HANDOFFS_PER_S_MAX 20000
#define ROWS_MAX           (UINT64_C(1) << 26)

/* Rows for the arrivals, every release, and one to spare. */
static size_t rows_per_lock(const struct trial_plan *plan)
{
    uint64_t most = 0;
    assert(plan->locks > 0);
    assert(plan->barriers <= 1 ||
           (plan->recipe->barrier && plan->pace == PACE_FREE && plan->workload == WORKLOAD_DRAIN));
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        uint64_t handoffs = plan_handoffs_of(plan, lock);
        if (handoffs > most)
            most = handoffs;
    }
    if (most == UINT64_MAX)
        most =
            (uint64_t)((double)plan->duration_ns / 1e9 * HANDOFFS_PER_S_MAX) + plan->fleet.sessions;
    uint64_t limit = ROWS_MAX / plan->locks;
    return (size_t)(most + 2 < limit ? most + 2 : limit);
}

static void write_folders(struct trial_memory *memory)
{
    const struct trial_plan *plan = memory->plan;
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        char(*of_lock)[RECIPE_PATH_MAX] = &memory->folders[(size_t)lock * plan_folders(plan)];
        if (plan->barriers <= 1)
            snprintf(of_lock[0], RECIPE_PATH_MAX, "%s/l%u", plan->root, lock);
        for (uint32_t i = 0; plan->barriers > 1 && i < plan->barriers; i++)
            snprintf(of_lock[i], RECIPE_PATH_MAX, "%s/l%u" PLAN_BARRIER "%u", plan->root, lock, i);
    }
}

static struct trial_memory *lay_out(struct shared_layout *layout, const struct trial_plan *plan)
{
    struct trial_memory *memory = shared_take(layout, sizeof *memory);
    const struct trial_memory blocks = {
        .plan = plan,
        .locks = shared_take(layout, plan->locks * sizeof(struct lock_state)),
        .workers = shared_take(layout, plan->fleet.processes * sizeof(struct lock_worker)),
        .sessions = shared_take(layout, plan->fleet.sessions * sizeof(struct trial_session_report)),
        .ledger = {.locks = plan->locks, .rows_per_lock = rows_per_lock(plan)},
        .folders = shared_take(layout, (size_t)plan->locks * plan_folders(plan) * RECIPE_PATH_MAX),
        .trace = {.handoffs = plan->traced,
                  .count = plan->traced_count,
                  .places = trace_places(plan->traced_count, plan->locks, plan->fleet.sessions)},
        .sums = shared_take(layout, TRIAL_MEMORY_SUMS * sizeof(struct histogram)),
    };
    struct ledger_row *rows =
        shared_take(layout, plan->locks * blocks.ledger.rows_per_lock * sizeof *rows);
    struct trace_event *events = shared_take(layout, blocks.trace.places * sizeof *events);
    if (memory != NULL) {
        *memory = blocks;
        memory->ledger.rows = rows;
        memory->trace.events = events;
    }
    return memory;
}

enum error_kind trial_memory_new(const struct trial_plan *plan, struct trial_memory **memory,
                                 struct error *error)
{
    struct shared_layout layout = {0};
    (void)lay_out(&layout, plan);
    enum error_kind kind = shared_layout_map(&layout, error);
    if (kind != ERROR_NONE)
        return kind;
    struct trial_memory *made = lay_out(&layout, plan);
    made->size_bytes = layout.size_bytes;
    write_folders(made);
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        atomic_store(&made->locks[lock].last_order, INT64_MIN);
        atomic_store(&made->locks[lock].last_alone, INT64_MIN);
        atomic_store(&made->locks[lock].admissions, plan_clients_of(plan, lock));
    }
    kind = shared_new(&plan->fleet, &made->fleet, error);
    if (kind != ERROR_NONE) {
        trial_memory_free(made);
        return kind;
    }
    made->fleet->in_steps = plan->pace == PACE_LOCKSTEP;
    *memory = made;
    return ERROR_NONE;
}

void trial_memory_free(struct trial_memory *memory)
{
    if (memory == NULL)
        return;
    shared_free(memory->fleet);
    munmap(memory, memory->size_bytes);
}

struct ledger_row *ledger_row(const struct ledger *ledger, uint32_t lock, uint64_t handoff)
{
    size_t row = handoff < ledger->rows_per_lock ? (size_t)handoff : ledger->rows_per_lock - 1;
    return &ledger->rows[lock * ledger->rows_per_lock + row];
}

enum tally_kind ledger_difference(const struct tally *found, const struct tally *expected)
{
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        if (tally_has_law((enum tally_kind)kind) &&
            tally_read_shared(found, (enum tally_kind)kind) != expected->of[kind])
            return (enum tally_kind)kind;
    }
    return TALLY_KINDS;
}

size_t trial_memory_rows_used(const struct trial_memory *memory, uint32_t lock)
{
    uint64_t releases = atomic_load(&memory->locks[lock].releases);
    size_t rows = memory->ledger.rows_per_lock;
    return releases < rows ? (size_t)releases + 1 : rows;
}

void trial_memory_violate(struct trial_memory *memory, const struct violation *violation)
{
    uint32_t index = atomic_fetch_add(&memory->violation_count, 1);
    if (index < TRIAL_MEMORY_VIOLATIONS_MAX)
        memory->violations[index] = *violation;
}

void trial_memory_check_ledger(struct trial_memory *memory, const struct tally *total)
{
    struct tally rows = {0};
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        size_t used = trial_memory_rows_used(memory, lock);
        for (size_t handoff = 0; handoff < used; handoff++)
            tally_sum(&rows, &ledger_row(&memory->ledger, lock, handoff)->tally);
    }
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        if (rows.of[kind] != total->of[kind])
            trial_memory_violate(memory, &(struct violation){.kind = VIOLATION_LEDGER,
                                                             .tally = (enum tally_kind)kind,
                                                             .expected = (int64_t)total->of[kind],
                                                             .found = (int64_t)rows.of[kind]});
    }
}

uint64_t trial_memory_count(const struct trial_memory *memory, enum tally_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < memory->plan->fleet.processes; i++)
        sum += tally_read_shared(&memory->workers[i].total, kind);
    return sum;
}

uint64_t trial_memory_requests(const struct trial_memory *memory)
{
    struct tally sum;
    for (int kind = 0; kind < TALLY_KINDS; kind++)
        sum.of[kind] = trial_memory_count(memory, (enum tally_kind)kind);
    return tally_rpcs(&sum);
}

const char *trial_memory_meter_word(enum meter_kind kind)
{
    static const char *const words[] = {
#define X(name, word) [METER_##name] = word,
        METER_LIST(X)
#undef X
    };
    return words[kind];
}
