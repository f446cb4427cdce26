// SPDX-License-Identifier: Apache-2.0
/*
 * Counts and times what a session sends and receives: in the present row of its lock's ledger, and
 * in the total of its worker, which must agree in the end. Latencies are kept by the role of a
 * session's server: of the granted session for a handoff, of the notified one for a notification.
 * In a steady trial they are recorded only in the steady part: from as many grants as the lock has
 * clients until no more arrivals are let in. Of the handoffs that the plan traces, each message is
 * kept as well (trace.h).
 *
 * Nothing here allocates, formats or logs: it is the measured path.
 */
#include "trial/internal.h"

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

static void count(const struct meter *meter, enum tally_kind kind, uint64_t amount)
{
    tally_add_shared(&handoff_row(meter->memory, meter->lock)->tally, kind, amount);
    tally_add_shared(&meter->worker->total, kind, amount);
}

/* Keeps an event of the handoff under way, if this handoff is traced. at_ns 0: now. */
static void trace(const struct meter *meter, struct trace_event event)
{
    struct trace *trace = &meter->memory->trace;
    if (trace->count == 0)
        return;
    event.handoff = handoff_number(meter->memory, meter->lock);
    if (!trace_has(trace, event.handoff))
        return;
    if (event.at_ns == 0)
        event.at_ns = client_now_ns(meter->actor->client);
    event.lock = meter->lock;
    event.session = meter->actor->session;
    trace_note(trace, &event);
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

void meter_notified(const struct meter *meter, enum client_event event, bool spurious,
                    uint64_t since_release_ns)
{
    if (since_release_ns != HANDOFF_NONE)
        record(meter, METER_NOTIFICATION, since_release_ns);
    if (spurious)
        count(meter, TALLY_NOTIFICATION_SPURIOUS, 1);
    count(meter, TALLY_NOTIFICATION, 1);
    trace(meter,
          (struct trace_event){.kind = TRACE_NOTIFICATION, .event = event, .wakes = !spurious});
}

void meter_granted(const struct meter *meter, uint64_t now_ns, uint64_t acquire_ns,
                   uint64_t handoff_ns)
{
    if (is_steady_part(meter)) {
        atomic_fetch_add(&lock_of(meter)->steady_grants, 1);
        shared_raise(&lock_of(meter)->steady_until_ns, now_ns);
    }
    record(meter, METER_ACQUIRE, acquire_ns);
    trace(meter, (struct trace_event){.kind = TRACE_GRANT, .at_ns = now_ns});
    if (handoff_ns != HANDOFF_NONE && !atomic_load(&lock_of(meter)->holder_died))
        record(meter, METER_HANDOFF, handoff_ns);
}

void meter_held(const struct meter *meter, uint64_t held_ns)
{
    if (!is_steady_part(meter))
        return;
    atomic_fetch_add(&lock_of(meter)->steady_holds, 1);
    atomic_fetch_add(&lock_of(meter)->steady_held_ns, held_ns);
}

void meter_release_begun(const struct meter *meter, uint64_t now_ns)
{
    trace(meter, (struct trace_event){.kind = TRACE_RELEASE, .at_ns = now_ns});
}

void meter_released(const struct meter *meter, uint64_t release_ns)
{
    record(meter, METER_RELEASE, release_ns);
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
