// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "fleet/crew.h"
#include "trial/internal.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what a host tells */

enum {
    LIVE_TOTAL,
    LIVE_GATE_NS = LIVE_TOTAL + TALLY_KINDS, /* by the host's clock, as are the next two */
    LIVE_FIRST_RELEASE_NS,                   /* 0: none yet, and so below */
    LIVE_LAST_RELEASED_NS,
    LIVE_ARRIVALS,
    LIVE_GRANTS,
    LIVE_VIOLATIONS,
    LIVE_END = LIVE_VIOLATIONS + LOCK_CREW_VIOLATION_WORDS
};
_Static_assert(LIVE_END <= CREW_LIVE_MAX, "what is told has room");

/* The gate opens on a host when the order comes. */
static void get_times(const void *kind, uint64_t times_ns[CREW_TIMES_MAX])
{
    const struct trial_memory *memory = kind;
    for (size_t i = 0; i < CREW_TIMES_MAX; i++)
        times_ns[i] = UINT64_MAX;
    times_ns[0] = atomic_load(&memory->gate_ns);
}

static bool put_times(void *kind, const uint64_t times_ns[CREW_TIMES_MAX])
{
    struct trial_memory *memory = kind;
    atomic_store(&memory->gate_ns, times_ns[0]);
    return true;
}

static void tell(void *kind, uint32_t first, uint32_t count, uint64_t cpu_ns,
                 uint64_t live[CREW_LIVE_MAX])
{
    const struct trial_memory *memory = kind;
    (void)first, (void)count, (void)cpu_ns;
    for (int of = 0; of < TALLY_KINDS; of++)
        live[LIVE_TOTAL + of] = trial_memory_count(memory, (enum tally_kind)of);
    live[LIVE_GATE_NS] = atomic_load(&memory->gate_ns);
    live[LIVE_FIRST_RELEASE_NS] = atomic_load(&memory->first_release_ns);
    live[LIVE_LAST_RELEASED_NS] = atomic_load(&memory->last_released_ns);
    live[LIVE_ARRIVALS] = atomic_load(&memory->locks[0].arrivals);
    live[LIVE_GRANTS] = atomic_load(&memory->locks[0].grants);
    lock_crew_tell_violations(memory, &live[LIVE_VIOLATIONS]);
}

/* ------------------------------------------------------------------ what the run makes of it */

/* A time of a host's clock behind its gate, as long behind the run's; 0 stays 0. */
static uint64_t on_run(const struct trial_memory *memory, const uint64_t *live, uint64_t time_ns)
{
    return time_ns == 0 ? 0 : time_ns - live[LIVE_GATE_NS] + atomic_load(&memory->gate_ns);
}

static bool hear(void *kind, uint32_t first, const uint64_t live[CREW_LIVE_MAX])
{
    struct trial_memory *memory = kind;
    struct lock_told *told = &memory->steps.told[first];
    struct lock_state *lock = &memory->locks[0];
    struct tally *row = &memory->ledger.rows[0].tally;
    if (!lock_crew_believes(memory, &live[LIVE_VIOLATIONS]))
        return false;
    for (int of = 0; of < TALLY_KINDS; of++)
        tally_add_shared(row, (enum tally_kind)of,
                         live[LIVE_TOTAL + of] - told->live[LIVE_TOTAL + of]);
    memcpy(memory->workers[first].total.of, &live[LIVE_TOTAL], sizeof memory->workers[first].total);
    atomic_fetch_add(&lock->arrivals, live[LIVE_ARRIVALS] - told->live[LIVE_ARRIVALS]);
    atomic_fetch_add(&lock->grants, live[LIVE_GRANTS] - told->live[LIVE_GRANTS]);
    uint64_t released_ns = on_run(memory, live, live[LIVE_FIRST_RELEASE_NS]),
             before_ns = atomic_load(&memory->first_release_ns);
    if (released_ns != 0 && (before_ns == 0 || released_ns < before_ns))
        atomic_store(&memory->first_release_ns, released_ns);
    shared_raise(&memory->last_released_ns, on_run(memory, live, live[LIVE_LAST_RELEASED_NS]));
    lock_crew_hear_violations(memory, VIOLATION_NO_HANDOFF, &told->live[LIVE_VIOLATIONS],
                              &live[LIVE_VIOLATIONS]);
    memcpy(told->live, live, sizeof told->live);
    return true;
}

/* ------------------------------------------------------------------ who has held when */

static int64_t earliest_ns(const struct tenure *tenure, uint64_t time_ns)
{
    return (int64_t)time_ns - tenure->most_ahead_ns;
}

static int64_t latest_ns(const struct tenure *tenure, uint64_t time_ns)
{
    return (int64_t)time_ns - tenure->least_ahead_ns;
}

static int by_order(const void *a, const void *b)
{
    const struct tenure *one = a, *other = b;
    return (one->order > other->order) - (one->order < other->order);
}

static int by_grant(const void *a, const void *b)
{
    const struct tenure *one = a, *other = b;
    int64_t one_ns = earliest_ns(one, one->granted_ns) + latest_ns(one, one->granted_ns),
            other_ns = earliest_ns(other, other->granted_ns) + latest_ns(other, other->granted_ns);
    return (one_ns > other_ns) - (one_ns < other_ns);
}

/* Whether the first was granted before the other released, whichever clocks are the true ones. */
static bool surely_precedes(const struct tenure *tenure, const struct tenure *other)
{
    return latest_ns(tenure, tenure->granted_ns) < earliest_ns(other, other->release_ns);
}

/* A client of a queue was granted while another, before it in the line, surely held on, or surely
 * had not been granted itself; without a queue, both surely held at once. Those of one host have
 * been looked at there. */
static void compare(struct trial_memory *memory, const struct tenure *before,
                    const struct tenure *tenure)
{
    struct violation found = {.kind = VIOLATION_TWO_HOLDERS,
                              .handoff = VIOLATION_NO_HANDOFF,
                              .session = tenure->session + 1,
                              .other = before->session + 1};
    bool is_queue = memory->plan->recipe->fifo;
    if (before->first == tenure->first || !surely_precedes(tenure, before) ||
        (!is_queue && !surely_precedes(before, tenure)))
        return;
    if (latest_ns(tenure, tenure->release_ns) < earliest_ns(before, before->granted_ns)) {
        found.kind = VIOLATION_ORDER;
        found.session = before->session + 1;
        found.expected = tenure->order;
        found.found = before->order;
    }
    trial_memory_violate(memory, &found);
}

/* Whoever of those before held longest, alone or shared, is compared with each. */
void lock_scattered_compare(struct trial_memory *memory, const struct tenure *tenures, size_t count)
{
    const struct tenure *longest[2] = {NULL, NULL};
    for (size_t i = 0; i < count; i++) {
        const struct tenure *tenure = &tenures[i];
        int kinds = tenure->shares ? 1 : 2; /* those who share hold together */
        for (int shares = 0; shares < kinds; shares++) {
            if (longest[shares] != NULL)
                compare(memory, longest[shares], tenure);
        }
        const struct tenure **held = &longest[tenure->shares];
        if (*held == NULL ||
            earliest_ns(tenure, tenure->release_ns) > earliest_ns(*held, (*held)->release_ns))
            *held = tenure;
    }
}

/* Each was granted because the one before had released. */
static void time_handoffs(struct trial_memory *memory, const struct tenure *tenures, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct tenure *from = &tenures[i - 1], *to = &tenures[i];
        if (from->first == to->first) {
            uint64_t handoff_ns = to->granted_ns - from->release_ns;
            uint32_t process = to->session % memory->plan->fleet.processes;
            enum role role = memory->fleet->sessions[to->session].role;
            atomic_store(&memory->ledger.rows[i].handoff_ns, handoff_ns);
            histogram_record(&memory->workers[process].latency[role][METER_HANDOFF], handoff_ns);
        }
        memory->steps.ends[i] = (struct lock_ends){.released_ns = from->release_ns,
                                                   .granted_ns = to->granted_ns,
                                                   .released_at = from->first + 1,
                                                   .granted_at = to->first + 1};
    }
}

/* The tenures of a host's sessions, and their ends on the run's clock; the trial has run so long.
 */
static size_t add_tenures(struct trial_memory *memory, const struct crew_seat *seat,
                          uint64_t run_ns, struct tenure *tenures)
{
    const struct trial_plan *plan = memory->plan;
    const uint64_t *live = memory->steps.told[seat->first].live;
    int64_t least_ns, most_ns, drift_ns = (int64_t)(run_ns / LOCK_CREW_DRIFT_PART);
    size_t count = 0;
    if (!crew_clock(plan->fleet.crew, seat->first, &least_ns, &most_ns))
        return 0;
    for (uint32_t i = 0; i < plan->fleet.sessions; i++) {
        struct trial_session_report *report = &memory->sessions[i];
        uint32_t process = i % plan->fleet.processes;
        if (process < seat->first || process >= seat->first + seat->count ||
            report->released_ns == 0)
            continue;
        report->released_ns = on_run(memory, live, report->released_ns);
        tenures[count++] = (struct tenure){.session = i,
                                           .first = seat->first,
                                           .shares = recipe_shares(plan->recipe, i),
                                           .order = report->order,
                                           .granted_ns = report->granted_ns,
                                           .release_ns = report->release_ns,
                                           .least_ahead_ns = least_ns - drift_ns,
                                           .most_ahead_ns = most_ns + drift_ns};
    }
    return count;
}

void lock_scattered_settle(struct trial_memory *memory)
{
    const struct recipe *recipe = memory->plan->recipe;
    struct tenure *tenures = memory_new(memory->plan->fleet.sessions, sizeof *tenures);
    const struct crew_seat *seat;
    uint64_t run_ns = clock_now_ns() - atomic_load(&memory->gate_ns);
    size_t count = 0;
    for (uint32_t i = 0; (seat = crew_seat(memory->plan->fleet.crew, i)) != NULL; i++)
        count += add_tenures(memory, seat, run_ns, &tenures[count]);
    qsort(tenures, count, sizeof *tenures, recipe->fifo ? by_order : by_grant);
    lock_scattered_compare(memory, tenures, count);
    if (recipe->fifo && recipe->shares == NULL && atomic_load(&memory->violation_count) == 0)
        time_handoffs(memory, tenures, count);
    free(tenures);
}

/* ------------------------------------------------------------------ the kind */

/* The plan and the parts mean what they do under lockstep. */
static void mean(struct growing_text *text)
{
    growing_text_add(text, "%d\n", (int)LIVE_END);
}

static enum error_kind open_trial(const char *text, const struct fleet_plan *here, const char *root,
                                  struct fleet *fleet, struct error *error)
{
    return lock_crew_open(PACE_FREE, text, here, root, fleet, error);
}

const struct crew_kind lock_scattered_kind = {.name = "free lock",
                                              .mean = mean,
                                              .part = lock_crew_part,
                                              .is_sound = lock_crew_is_sound,
                                              .get_times = get_times,
                                              .put_times = put_times,
                                              .tell = tell,
                                              .hear = hear,
                                              .open = open_trial,
                                              .close = lock_crew_close};
