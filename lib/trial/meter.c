// SPDX-License-Identifier: Apache-2.0
#include "trial/meter.h"

#include "trial/injection.h"

static struct lock_state *lock_of(const struct meter *meter)
{
    return &meter->board->locks[meter->lock];
}

static struct ledger_row *present_row(const struct meter *meter)
{
    return ledger_row(&meter->board->ledger, meter->lock, atomic_load(&lock_of(meter)->releases));
}

static void count(const struct meter *meter, enum tally_kind kind, uint64_t amount)
{
    tally_add_shared(&present_row(meter)->tally, kind, amount);
    tally_add_shared(&meter->worker->total, kind, amount);
}

static bool is_steady_part(const struct meter *meter)
{
    const struct trial_plan *plan = meter->board->plan;
    if (plan->workload == WORKLOAD_DRAIN)
        return true;
    struct lock_state *lock = lock_of(meter);
    return atomic_load(&lock->grants) >= plan_clients_of(plan, meter->lock) &&
           atomic_load(&lock->admissions) < plan_handoffs_of(plan, meter->lock) &&
           !atomic_load(&meter->board->closed);
}

static void record(const struct meter *meter, enum meter_kind kind, uint64_t latency_ns)
{
    if (is_steady_part(meter))
        histogram_record(&meter->worker->latency[meter->actor->role][kind], latency_ns);
}

void meter_sent(const struct meter *meter, enum operation operation)
{
    static const enum tally_kind kinds[] = {
        [OP_CREATE] = TALLY_CREATE, [OP_EXISTS] = TALLY_EXISTS,
        [OP_GET] = TALLY_GET,       [OP_GET_CHILDREN] = TALLY_GET_CHILDREN,
        [OP_SET] = TALLY_SET,       [OP_DELETE] = TALLY_DELETE,
        [OP_MULTI] = TALLY_MULTI,
    };
    count(meter, kinds[operation], 1);
}

void meter_replied(const struct meter *meter, const struct client_reply *reply)
{
    static const enum meter_kind kinds[] = {
        [OP_CREATE] = METER_CREATE, [OP_EXISTS] = METER_EXISTS,
        [OP_GET] = METER_GET,       [OP_GET_CHILDREN] = METER_GET_CHILDREN,
        [OP_SET] = METER_SET,       [OP_DELETE] = METER_DELETE,
        [OP_MULTI] = METER_MULTI,
    };
    bool failed = reply->status != ZK_OK;
    if (failed && reply->operation == OP_CREATE) {
        count(meter, TALLY_CREATE_FAILED, 1);
        record(meter, METER_CREATE_FAILED, reply->latency_ns);
        return;
    }
    if (failed && reply->operation == OP_DELETE)
        count(meter, TALLY_DELETE_FAILED, 1);
    if (reply->name_count > 0)
        count(meter, TALLY_NAMES_LISTED, reply->name_count);
    record(meter, kinds[reply->operation], reply->latency_ns);
}

/* Whether what came then came after the last release. Not before the first; nor if another process
 * has sent one between the look at the clock and here: what came was not its work. */
static bool is_after(uint64_t released_ns, uint64_t now_ns)
{
    return released_ns != 0 && released_ns <= now_ns;
}

void meter_notified(const struct meter *meter, enum client_event event, bool spurious,
                    uint64_t now_ns)
{
    struct lock_state *lock = lock_of(meter);
    uint64_t released_ns = atomic_load(&lock->released_ns);
    /* A change of the children that came after an arrival was not, or not for certain, the
     * release's. */
    bool of_release =
        event == EVENT_DELETED || (event == EVENT_CHILD && !atomic_load(&lock->joined));
    if (is_after(released_ns, now_ns) && of_release)
        record(meter, METER_NOTIFICATION, now_ns - released_ns);
    if (spurious)
        count(meter, TALLY_NOTIFICATION_SPURIOUS, 1);
    count(meter, TALLY_NOTIFICATION, 1);
}

/* Whether a session that arrived then owes its grant to a release. Not at a barrier; nor if it came
 * after the last one, to others who share the lock. */
static bool is_handed_on(const struct meter *meter, uint64_t released_ns, uint64_t arrived_ns)
{
    bool joins = arrived_ns > released_ns && atomic_load(&lock_of(meter)->sharers) > 1;
    return !joins && !meter->board->plan->recipe->together;
}

/* The first grant after a death. */
static void note_recovery(const struct meter *meter, uint64_t now_ns)
{
    struct lock_board *board = meter->board;
    uint64_t died_ns = atomic_load(&board->died_ns), none = 0;
    if (died_ns != 0 && died_ns <= now_ns && atomic_load(&board->died_lock) == meter->lock)
        atomic_compare_exchange_strong(&board->recovery_ns, &none, now_ns - died_ns);
}

void meter_granted(const struct meter *meter, uint32_t session, uint64_t acquire_ns,
                   uint64_t now_ns)
{
    struct lock_state *lock = lock_of(meter);
    struct ledger_row *row = present_row(meter);
    uint64_t released_ns = atomic_load(&lock->released_ns);
    record(meter, METER_ACQUIRE, acquire_ns);
    if (is_after(released_ns, now_ns) && is_handed_on(meter, released_ns, now_ns - acquire_ns)) {
        shared_raise(&row->handoff_ns, now_ns - released_ns);
        if (!atomic_load(&lock->holder_died))
            record(meter, METER_HANDOFF, now_ns - released_ns);
    }
    note_recovery(meter, now_ns);
    if (atomic_fetch_add(&row->granted, 1) == 0)
        atomic_store(&row->holder, session + 1);
    atomic_fetch_add(&lock->grants, 1);
}

/* When the time decides how many handoffs there are, the ledger may run out of rows before. All who
 * are in line still need one. */
static void close_before_overflow(struct lock_board *board, uint64_t handoff)
{
    const struct trial_plan *plan = board->plan;
    if (plan->workload != WORKLOAD_STEADY || plan->handoffs != 0 ||
        !ledger_is_full(&board->ledger, handoff + plan->fleet.sessions + 1))
        return;
    atomic_store(&board->overflowed, true);
    atomic_store(&board->closed, true);
}

static void open_row(const struct meter *meter, uint64_t now_ns, bool holder_died)
{
    struct lock_state *lock = lock_of(meter);
    uint64_t waiters = death_waiting(meter->board, meter->lock);
    atomic_store(&lock->joined, false);
    atomic_store(&lock->holder_died, holder_died);
    atomic_store(&lock->released_ns, now_ns);
    uint64_t handoff = atomic_fetch_add(&lock->releases, 1) + 1; /* others may release as well */
    ledger_row(&meter->board->ledger, meter->lock, handoff)->waiters = (uint32_t)waiters;
    close_before_overflow(meter->board, handoff);
    uint64_t none = 0;
    atomic_compare_exchange_strong(&meter->board->first_release_ns, &none, now_ns);
}

void meter_releasing(const struct meter *meter, uint64_t now_ns)
{
    open_row(meter, now_ns, false);
}

void meter_holder_died(const struct meter *meter, uint64_t now_ns)
{
    open_row(meter, now_ns, true);
}

void meter_released(const struct meter *meter, uint64_t release_ns)
{
    record(meter, METER_RELEASE, release_ns);
}

void meter_mark_bytes(struct meter *meter, const struct client *client)
{
    client_bytes(client, &meter->bytes);
}

void meter_read_bytes(struct meter *meter, const struct client *client)
{
    struct client_bytes now;
    if (!client_bytes(client, &now))
        return;
    if (now.connection != meter->bytes.connection)
        meter->bytes = (struct client_bytes){0}; /* a new connection counts from zero */
    count(meter, TALLY_BYTES_SENT, now.sent_bytes - meter->bytes.sent_bytes);
    count(meter, TALLY_BYTES_RECEIVED, now.received_bytes - meter->bytes.received_bytes);
    meter->bytes = now;
}
