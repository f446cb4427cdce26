// SPDX-License-Identifier: Apache-2.0
/*
 * Counts and times what a session sends and receives: in the row of the handoff under way at its
 * lock, and in the total of its worker, which must agree in the end. Latencies are kept by the role
 * of a session's server: of the granted session for a handoff, of the notified one for a
 * notification. In a steady trial they are recorded only in the steady part: from as many grants as
 * the lock has clients until no more arrivals are let in. Of the handoffs that the plan traces,
 * each message is kept as well.
 *
 * Nothing here allocates, formats or logs: it is the measured path.
 */
#include "trial/internal.h"

#define HANDOFF_NONE UINT64_MAX /* a time since the release without a release to count from */

/* By operation: its requests, and how long they take. */
static const struct {
    enum tally_kind tally;
    enum meter_kind latency;
} of_operation[] = {
    [OP_CREATE] = {TALLY_CREATE, METER_CREATE},
    [OP_EXISTS] = {TALLY_EXISTS, METER_EXISTS},
    [OP_GET] = {TALLY_GET, METER_GET},
    [OP_GET_CHILDREN] = {TALLY_GET_CHILDREN, METER_GET_CHILDREN},
    [OP_SET] = {TALLY_SET, METER_SET},
    [OP_DELETE] = {TALLY_DELETE, METER_DELETE},
    [OP_SYNC] = {TALLY_SYNC, METER_SYNC},
    [OP_MULTI] = {TALLY_MULTI, METER_MULTI},
};

static struct lock_state *lock_of(const struct meter *meter)
{
    return &meter->memory->locks[meter->lock];
}

/* ------------------------------------------------------------------ the handoff under way */

uint64_t handoff_number(const struct trial_memory *memory, uint32_t lock)
{
    return atomic_load(&memory->locks[lock].releases);
}

struct ledger_row *handoff_row(const struct trial_memory *memory, uint32_t lock)
{
    return ledger_row(&memory->ledger, lock, handoff_number(memory, lock));
}

uint64_t handoff_waiting(const struct trial_memory *memory, uint32_t lock)
{
    const struct lock_state *state = &memory->locks[lock];
    /* A session arrives before it is granted: in this order the difference is never negative. */
    uint64_t gone = atomic_load(&state->grants) + atomic_load(&state->abandoned);
    return atomic_load(&state->arrivals) - gone;
}

uint32_t handoff_holder(const struct trial_memory *memory, uint32_t lock)
{
    uint32_t holder = atomic_load(&memory->locks[lock].holder);
    return holder != 0 && atomic_load(&memory->fleet->sessions[holder - 1].dead) ? 0 : holder;
}

bool handoff_admits(struct trial_memory *memory, uint32_t lock, uint32_t session)
{
    if (plan_takes_every_lock(memory->plan))
        return memory->sessions[session].acquisitions < memory->plan->locks;
    uint64_t most = plan_handoffs_of(memory->plan, lock);
    return !atomic_load(&memory->closed) &&
           atomic_fetch_add(&memory->locks[lock].admissions, 1) < most;
}

void handoff_begin(struct trial_memory *memory, uint32_t lock, uint64_t now_ns, bool holder_died)
{
    const struct trial_plan *plan = memory->plan;
    struct lock_state *state = &memory->locks[lock];
    uint64_t waiters = handoff_waiting(memory, lock), none = 0;
    atomic_store(&state->joined, false);
    atomic_store(&state->holder_died, holder_died);
    atomic_store(&state->released_ns, now_ns);
    uint64_t handoff = atomic_fetch_add(&state->releases, 1) + 1; /* others may release as well */
    struct ledger_row *row = ledger_row(&memory->ledger, lock, handoff);
    row->released_ns = now_ns;
    row->waiters = (uint32_t)waiters;
    /* A steady trial that ends by time may run out of rows: every session in line needs one. */
    if (plan->workload == WORKLOAD_STEADY && plan->handoffs == 0 &&
        handoff + plan->fleet.sessions + 1 >= memory->ledger.rows_per_lock) {
        atomic_store(&memory->overflowed, true);
        atomic_store(&memory->closed, true);
    }
    atomic_compare_exchange_strong(&memory->first_release_ns, &none, now_ns);
}

/* HANDOFF_NONE before the first release, and if another process has sent one since now_ns was read:
 * the message did not follow from that one. */
static uint64_t since_release_ns(const struct lock_state *state, uint64_t now_ns)
{
    uint64_t released_ns = atomic_load(&state->released_ns);
    return released_ns != 0 && released_ns <= now_ns ? now_ns - released_ns : HANDOFF_NONE;
}

/* The time from the release to a grant that follows from it. A barrier hands nothing on. The grant
 * of a session that came after the release to a lock that others share does not follow from it. */
static uint64_t grant_ns(const struct meter *meter, uint64_t arrived_ns, uint64_t now_ns)
{
    const struct lock_state *state = lock_of(meter);
    uint64_t grant_ns = since_release_ns(state, now_ns);
    if (grant_ns == HANDOFF_NONE || meter->memory->plan->recipe->barrier)
        return HANDOFF_NONE;
    bool joins = arrived_ns > now_ns - grant_ns && atomic_load(&state->sharers) > 1;
    return joins ? HANDOFF_NONE : grant_ns;
}

/* ------------------------------------------------------------------ counts, times, the trace */

static void count(const struct meter *meter, enum tally_kind kind, uint64_t amount)
{
    tally_add_shared(&handoff_row(meter->memory, meter->lock)->tally, kind, amount);
    tally_add_shared(&meter->worker->total, kind, amount);
}

static bool is_steady_part(const struct meter *meter)
{
    const struct trial_plan *plan = meter->memory->plan;
    if (plan->workload == WORKLOAD_DRAIN)
        return true;
    const struct lock_state *lock = lock_of(meter);
    return atomic_load(&lock->grants) >= plan_clients_of(plan, meter->lock) &&
           atomic_load(&lock->admissions) < plan_handoffs_of(plan, meter->lock) &&
           !atomic_load(&meter->memory->closed);
}

static void record(const struct meter *meter, enum meter_kind kind, uint64_t latency_ns)
{
    if (is_steady_part(meter))
        histogram_record(&meter->worker->latency[meter->actor->role][kind], latency_ns);
}

/* Keeps an event of the handoff under way, if this handoff is traced. at_ns 0: now. */
static void trace(const struct meter *meter, struct trace_event event)
{
    const struct trial_plan *plan = meter->memory->plan;
    event.handoff = plan->traced_count > 0 ? handoff_number(meter->memory, meter->lock) : 0;
    for (size_t i = 0; i < plan->traced_count; i++) {
        if (plan->traced[i] != event.handoff)
            continue;
        if (event.at_ns == 0)
            event.at_ns = client_now_ns(meter->actor->client);
        event.lock = meter->lock;
        event.session = meter->actor->session;
        trace_note(&meter->memory->trace, &event);
    }
}

/* ------------------------------------------------------------------ messages */

void meter_sent(const struct meter *meter, enum operation operation)
{
    count(meter, of_operation[operation].tally, 1);
    trace(meter, (struct trace_event){.kind = TRACE_REQUEST, .operation = operation});
}

void meter_replied(const struct meter *meter, const struct client_reply *reply)
{
    bool failed = reply->status != ZK_OK;
    trace(meter, (struct trace_event){.kind = TRACE_REPLY,
                                      .latency_ns = reply->latency_ns,
                                      .operation = reply->operation,
                                      .status = reply->status});
    if (failed && reply->operation == OP_CREATE) {
        count(meter, TALLY_CREATE_FAILED, 1);
        record(meter, METER_CREATE_FAILED, reply->latency_ns);
        return;
    }
    if (failed && reply->operation == OP_DELETE)
        count(meter, TALLY_DELETE_FAILED, 1);
    if (reply->name_count > 0)
        count(meter, TALLY_NAMES_LISTED, reply->name_count);
    record(meter, of_operation[reply->operation].latency, reply->latency_ns);
}

void meter_notified(const struct meter *meter, enum client_event event, bool wakes, uint64_t now_ns)
{
    /* After an arrival a change of the children may be the arrival's. */
    bool of_release =
        event == EVENT_DELETED || (event == EVENT_CHILD && !atomic_load(&lock_of(meter)->joined));
    uint64_t since_ns = of_release ? since_release_ns(lock_of(meter), now_ns) : HANDOFF_NONE;
    if (since_ns != HANDOFF_NONE)
        record(meter, METER_NOTIFICATION, since_ns);
    if (!wakes)
        count(meter, TALLY_NOTIFICATION_SPURIOUS, 1);
    count(meter, TALLY_NOTIFICATION, 1);
    trace(meter, (struct trace_event){.kind = TRACE_NOTIFICATION, .event = event, .wakes = wakes});
}

void meter_read_bytes(struct meter *meter, const struct client *client)
{
    struct client_bytes now;
    if (!client_bytes(client, &now))
        return;
    if (now.connection != meter->bytes.connection)
        meter->bytes = (struct client_bytes){0};
    count(meter, TALLY_BYTES_SENT, now.sent_bytes - meter->bytes.sent_bytes);
    count(meter, TALLY_BYTES_RECEIVED, now.received_bytes - meter->bytes.received_bytes);
    meter->bytes = now;
}

/* ------------------------------------------------------------------ grants and releases */

void meter_granted(const struct meter *meter, uint64_t arrived_ns, uint64_t now_ns)
{
    struct trial_memory *memory = meter->memory;
    struct lock_state *state = lock_of(meter);
    uint64_t handoff_ns = grant_ns(meter, arrived_ns, now_ns), none = 0;
    if (is_steady_part(meter)) {
        atomic_fetch_add(&state->steady_grants, 1);
        shared_raise(&state->steady_until_ns, now_ns);
    }
    record(meter, METER_ACQUIRE, now_ns - arrived_ns);
    trace(meter, (struct trace_event){.kind = TRACE_GRANT, .at_ns = now_ns});
    if (handoff_ns != HANDOFF_NONE && !atomic_load(&state->holder_died))
        record(meter, METER_HANDOFF, handoff_ns);
    struct ledger_row *row = handoff_row(memory, meter->lock);
    if (handoff_ns != HANDOFF_NONE)
        shared_raise(&row->handoff_ns, handoff_ns);
    uint64_t died_ns = atomic_load(&memory->died_ns); /* the first grant after a death */
    if (died_ns != 0 && died_ns <= now_ns && atomic_load(&memory->died_lock) == meter->lock)
        atomic_compare_exchange_strong(&memory->recovery_ns, &none, now_ns - died_ns);
    if (atomic_fetch_add(&row->granted, 1) == 0)
        atomic_store(&row->holder, meter->actor->session + 1);
    if (atomic_fetch_add(&state->grants, 1) + 1 == plan_clients_of(memory->plan, meter->lock))
        atomic_store(&state->steady_from_ns, now_ns);
}

void meter_release_begun(const struct meter *meter, uint64_t granted_ns, uint64_t now_ns)
{
    if (is_steady_part(meter)) {
        atomic_fetch_add(&lock_of(meter)->steady_holds, 1);
        atomic_fetch_add(&lock_of(meter)->steady_held_ns, now_ns - granted_ns);
    }
    handoff_begin(meter->memory, meter->lock, now_ns, false);
    trace(meter, (struct trace_event){.kind = TRACE_RELEASE, .at_ns = now_ns});
}

void meter_released(const struct meter *meter, uint64_t release_ns)
{
    record(meter, METER_RELEASE, release_ns);
}
