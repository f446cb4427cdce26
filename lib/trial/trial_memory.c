// SPDX-License-Identifier: Apache-2.0
#include "trial/trial_memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* When the time decides how many handoffs there are, rows are laid out for this many a second;
 * memory that is never touched costs nothing. */
#define HANDOFFS_PER_S_MAX 20000
#define ROWS_MAX           (UINT64_C(1) << 26)

/* Places of the trace for each client and handoff: unless it polls, it has below ten messages. */
#define PLACES_PER_CLIENT 32

/* How late holds ended, each kind of latency, and each again for every role. */
#define SUMS (1 + METER_KINDS + ROLES * METER_KINDS)

/* ------------------------------------------------------------------ its layout */

/* Rows for the arrivals, every release, and one to spare. */
static size_t rows_per_lock(const struct trial_plan *plan)
{
    uint64_t most = 0, limit = ROWS_MAX / plan->locks;
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        uint64_t handoffs = plan_handoffs_of(plan, lock);
        if (handoffs > most)
            most = handoffs;
    }
    if (most == UINT64_MAX)
        most =
            (uint64_t)((double)plan->duration_ns / 1e9 * HANDOFFS_PER_S_MAX) + plan->fleet.sessions;
    return (size_t)(most + 2 < limit ? most + 2 : limit);
}

const char *trial_memory_folder(const struct trial_memory *memory, uint32_t lock, uint32_t barrier)
{
    return memory->folders[(size_t)lock * plan_folders(memory->plan) + barrier];
}

static struct trial_memory *lay_out(struct shared_layout *layout, const struct trial_plan *plan)
{
    struct trial_memory *memory = shared_reserve(layout, sizeof *memory);
    size_t rows = rows_per_lock(plan), places = plan->traced_count *
                                                ((size_t)plan->fleet.sessions + plan->locks) *
                                                PLACES_PER_CLIENT;
    const struct trial_memory blocks = {
        .plan = plan,
        .locks = shared_reserve(layout, plan->locks * sizeof(struct lock_state)),
        .workers = shared_reserve(layout, plan->fleet.processes * sizeof(struct lock_worker)),
        .sessions =
            shared_reserve(layout, plan->fleet.sessions * sizeof(struct trial_session_report)),
        .folders =
            shared_reserve(layout, (size_t)plan->locks * plan_folders(plan) * RECIPE_PATH_MAX),
        .sums = shared_reserve(layout, SUMS * sizeof(struct histogram)),
        .ledger = {.rows = shared_reserve(layout, plan->locks * rows * sizeof(struct ledger_row)),
                   .locks = plan->locks,
                   .rows_per_lock = rows},
        .trace = {.events = shared_reserve(layout, places * sizeof(struct trace_event)),
                  .places = places},
    };
    if (memory != NULL)
        *memory = blocks;
    return memory;
}

enum error_kind trial_memory_new(const struct trial_plan *plan, struct trial_memory **memory,
                                 struct error *error)
{
    struct shared_layout layout = {0};
    assert(plan->locks > 0);
    assert(plan->barriers <= 1 ||
           (plan->recipe->barrier && plan->pace == PACE_FREE && plan->workload == WORKLOAD_DRAIN));
    (void)lay_out(&layout, plan);
    enum error_kind kind = shared_layout_map(&layout, error);
    if (kind != ERROR_NONE)
        return kind;
    struct trial_memory *made = lay_out(&layout, plan);
    made->size_bytes = layout.size_bytes;
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        atomic_store(&made->locks[lock].last_order, INT64_MIN);
        atomic_store(&made->locks[lock].last_alone, INT64_MIN);
        atomic_store(&made->locks[lock].admissions, plan_clients_of(plan, lock));
        for (uint32_t i = 0; i < plan_folders(plan); i++) {
            char *folder = made->folders[(size_t)lock * plan_folders(plan) + i];
            if (plan->barriers > 1)
                snprintf(folder, RECIPE_PATH_MAX, "%s/l%u/b%u", plan->root, lock, i);
            else
                snprintf(folder, RECIPE_PATH_MAX, "%s/l%u", plan->root, lock);
        }
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

/* ------------------------------------------------------------------ the ledger */

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

void trial_memory_violate(struct trial_memory *memory, uint32_t lock, uint64_t handoff,
                          struct violation violation)
{
    uint32_t index = atomic_fetch_add(&memory->violation_count, 1);
    violation.lock = lock;
    violation.handoff = handoff;
    if (index < TRIAL_MEMORY_VIOLATIONS_MAX)
        memory->violations[index] = violation;
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
            trial_memory_violate(memory, 0, 0,
                                 (struct violation){.kind = VIOLATION_LEDGER,
                                                    .tally = (enum tally_kind)kind,
                                                    .expected = (int64_t)total->of[kind],
                                                    .found = (int64_t)rows.of[kind]});
    }
}

struct tally trial_memory_total(const struct trial_memory *memory)
{
    struct tally sum = {0};
    for (uint32_t i = 0; i < memory->plan->fleet.processes; i++)
        tally_sum(&sum, &memory->workers[i].total);
    return sum;
}

uint64_t trial_memory_requests(const struct trial_memory *memory)
{
    const struct tally sum = trial_memory_total(memory);
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

/* ------------------------------------------------------------------ the trace */

void trace_note(struct trace *trace, const struct trace_event *event)
{
    uint64_t number = atomic_fetch_add(&trace->noted, 1);
    if (number >= trace->places)
        return;
    trace->events[number] = *event;
    trace->events[number].number = number;
}

size_t trace_kept(const struct trace *trace)
{
    uint64_t noted = atomic_load(&trace->noted);
    return noted < trace->places ? (size_t)noted : trace->places;
}

uint64_t trace_lost(const struct trace *trace)
{
    return atomic_load(&trace->noted) - trace_kept(trace);
}

static int compare(const void *a, const void *b)
{
    const struct trace_event *one = a, *other = b;
    const uint64_t keys[][2] = {{one->lock, other->lock},
                                {one->handoff, other->handoff},
                                {one->at_ns, other->at_ns},
                                {one->number, other->number}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    }
    return 0;
}

void trace_sort(struct trace *trace)
{
    qsort(trace->events, trace_kept(trace), sizeof *trace->events, compare);
}

const char *trace_kind_word(enum trace_kind kind)
{
    static const char *const words[] = {
        [TRACE_RELEASE] = "release",           [TRACE_REQUEST] = "request", [TRACE_REPLY] = "reply",
        [TRACE_NOTIFICATION] = "notification", [TRACE_GRANT] = "grant",
    };
    return words[kind];
}

const char *trace_subject_word(const struct trace_event *event)
{
    static const char *const operations[] = {
        [OP_CREATE] = "create", [OP_EXISTS] = "exists",
        [OP_GET] = "get",       [OP_GET_CHILDREN] = "get_children",
        [OP_SET] = "set",       [OP_DELETE] = "delete",
        [OP_SYNC] = "sync",     [OP_MULTI] = "multi",
    };
    static const char *const changes[] = {
        [EVENT_CREATED] = "created", [EVENT_DELETED] = "deleted", [EVENT_CHANGED] = "changed",
        [EVENT_CHILD] = "child",     [EVENT_OTHER] = "other",
    };
    if (event->kind == TRACE_NOTIFICATION)
        return changes[event->event];
    return event->kind == TRACE_REQUEST || event->kind == TRACE_REPLY ? operations[event->operation]
                                                                      : NULL;
}
