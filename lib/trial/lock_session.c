// SPDX-License-Identifier: Apache-2.0
#include "trial/lock_session.h"

#include <stdio.h>

/* The longest that other servers may have a session's znodes after the request to close it. */
#define EXIT_NS (2 * NS_PER_S)

static struct lock_state *lock_of(const struct lock_session *session)
{
    return &session->memory->locks[session->meter.lock];
}

static struct trial_session_report *report_of(const struct lock_session *session)
{
    return &session->memory->sessions[session->actor.session];
}

static uint64_t now_ns_of(const struct lock_session *session)
{
    return client_now_ns(session->actor.client);
}

static bool is_in_steps(const struct lock_session *session)
{
    return session->memory->plan->pace == PACE_LOCKSTEP;
}

/* Writes what the session is and does to its places in the shared memory. */
static void report_state(const struct lock_session *session)
{
    struct trial_session_report *report = report_of(session);
    actor_report(&session->actor);
    report->unfinished = session->state >= SESSION_ACQUIRING && session->state <= SESSION_RELEASING;
    report->parked = session->state == SESSION_PARKED;
    report->pauses = session->timed;
    report->missed = session->actor.apart || session->actor.role == ROLE_RECONNECTED;
    report->awaited = session->contender.awaited;
    report->lock = session->meter.lock;
    snprintf(report->node, sizeof report->node, "%s", session->contender.node);
    snprintf(report->waits_for, sizeof report->waits_for, "%s",
             report->parked ? session->contender.watched : "");
}

/* ------------------------------------------------------------------ the end of its part */

static void lose(struct lock_session *session, enum zk_status status)
{
    if (session->state == SESSION_LOST)
        return;
    session->state = SESSION_LOST;
    actor_lose(&session->actor, status);
}

static void finish(struct lock_session *session, enum lock_session_state state)
{
    session->state = state;
    session->rests = true;
    actor_finish(&session->actor);
}

static void die(struct lock_session *session, enum death_how how)
{
    struct trial_memory *memory = session->memory;
    struct client *client = session->actor.client;
    uint32_t lock = session->meter.lock, number = session->actor.session;
    uint64_t timeout_ns = client_timeout_ms(client) * NS_PER_MS;
    bool exits = how == DEATH_EXIT;
    meter_read_bytes(&session->meter, client);
    report_state(session);
    uint64_t now_ns = client_now_ns(client);
    injection_begun(memory, lock, number, now_ns);
    if (session->state == SESSION_HOLDING || session->state == SESSION_WORKING) {
        /* A server expires a session no earlier than a timeout after the last request. */
        if (exits)
            checker_released(memory, lock, number);
        else
            atomic_store(&lock_of(session)->lapses_ns, client->sent_ns + timeout_ns);
        handoff_begin(memory, lock, now_ns, true);
        atomic_store(&memory->died_handoff, handoff_number(memory, lock));
    } else if (session->state == SESSION_RELEASING) {
        atomic_store(&lock_of(session)->undeleted, number + 1);
    } else {
        atomic_fetch_add(&lock_of(session)->abandoned, 1);
    }
    /* The servers round a timeout up to their next tick, which is half of the least timeout. */
    injection_dead(memory, number, now_ns + (exits ? EXIT_NS : 2 * timeout_ns));
    if (exits)
        atomic_fetch_add(&memory->exits, 1);
    if (exits ? client_leave(client) : client_crash(client))
        finish(session, SESSION_DEAD);
    else
        lose(session, ZK_CONNECTION_LOSS);
}

/* ------------------------------------------------------------------ the recipe's coroutines */

static void advance(struct lock_session *session);

/* The nested acquire or release under way, from 0. At barriers each is of another one. */
static uint32_t nested_number(const struct lock_session *session)
{
    return session->state == SESSION_RELEASING
               ? plan_nesting(session->memory->plan) - session->nested
               : session->nested;
}

/* One of the recipe's coroutines, from its beginning. */
static void begin(struct lock_session *session, enum lock_session_state state)
{
    bool has_barriers = session->memory->plan->barriers > 1;
    session->contender.resume_at = 0;
    session->state = state;
    session->contender.lock = trial_memory_folder(session->memory, session->meter.lock,
                                                  has_barriers ? nested_number(session) : 0);
    advance(session);
}

static void set_alarm(struct lock_session *session, uint64_t due_ns)
{
    session->timed = true;
    actor_set_alarm(&session->actor, due_ns);
}

/* ------------------------------------------------------------------ it acquires, and holds */

static void acquire_once(struct lock_session *session)
{
    checker_begins(session->memory, session->meter.lock, PASSAGE_IN);
    begin(session, SESSION_ACQUIRING);
}

static void arrive(struct lock_session *session)
{
    uint64_t acquisitions = report_of(session)->acquisitions;
    session->meter.lock = plan_lock_of(session->memory->plan, session->actor.session, acquisitions);
    session->arrival = (int64_t)atomic_fetch_add(&lock_of(session)->arrivals, 1);
    atomic_store(&lock_of(session)->joined, true);
    session->arrived_ns = now_ns_of(session);
    actor_step(&session->actor);
    acquire_once(session);
}

/* A hold of 0 lasts until the next turn, too, or a second holder could not be detected. Under
 * lockstep time that the coordinator has waited is not lateness. */
static void set_release(struct lock_session *session)
{
    const struct hold *hold = &session->memory->plan->hold;
    uint64_t hold_ns = hold->mean_ns;
    if (hold->exponential && hold->mean_ns > 0) {
        double drawn_ns = random_exponential(&session->random, (double)hold->mean_ns);
        double longest_ns = (double)hold->mean_ns * HOLD_LONGEST_MEANS;
        hold_ns = (uint64_t)(drawn_ns < longest_ns ? drawn_ns : longest_ns);
    }
    uint64_t due_ns = session->granted_ns + hold_ns;
    uint64_t now_ns = now_ns_of(session);
    set_alarm(session, is_in_steps(session) && due_ns < now_ns ? now_ns : due_ns);
}

/* Under lockstep the release is ordered. */
static void hold(struct lock_session *session)
{
    session->state = SESSION_HOLDING;
    if (is_in_steps(session))
        session->rests = true;
    else
        set_release(session);
}

static void granted(struct lock_session *session)
{
    const struct recipe *recipe = session->memory->plan->recipe;
    uint32_t lock = session->meter.lock;
    session->granted_ns = now_ns_of(session);
    checker_granted(session->memory, lock, session->actor.session,
                    recipe->fifo ? session->contender.sequence : session->arrival,
                    session->granted_ns);
    meter_granted(&session->meter, session->arrived_ns, session->granted_ns);
    report_of(session)->acquisitions++;
    actor_step(&session->actor);
    if (recipe->work == NULL) {
        hold(session);
        return;
    }
    session->contender.doomed = injection_crashes_work(session->memory, lock);
    begin(session, SESSION_WORKING);
}

static void acquired_once(struct lock_session *session)
{
    checker_ends(session->memory, session->meter.lock, session->actor.session,
                 nested_number(session), PASSAGE_IN);
    if (++session->nested == plan_nesting(session->memory->plan)) {
        granted(session);
        return;
    }
    actor_step(&session->actor);
    acquire_once(session);
}

static void worked(struct lock_session *session)
{
    struct contender *contender = &session->contender;
    atomic_fetch_add(&session->memory->repairs, contender->repairs);
    atomic_fetch_add(&session->memory->tasks_done, contender->tasks_done);
    contender->repairs = contender->tasks_done = 0;
    hold(session);
}

/* ------------------------------------------------------------------ it releases */

static void release_once(struct lock_session *session)
{
    const struct trial_plan *plan = session->memory->plan;
    /* A lock is given up by the last of nested releases, barriers by the first. */
    if (session->nested == (plan->recipe->barrier ? plan_nesting(plan) : 1)) {
        checker_released(session->memory, session->meter.lock, session->actor.session);
        session->release_ns = now_ns_of(session);
        meter_release_begun(&session->meter, session->granted_ns, session->release_ns);
    }
    checker_begins(session->memory, session->meter.lock, PASSAGE_OUT);
    begin(session, SESSION_RELEASING);
}

static void released(struct lock_session *session)
{
    uint64_t now_ns = now_ns_of(session);
    struct trial_session_report *report = report_of(session);
    report->released_ns = now_ns;
    report->released_file = session->contender.file;
    report->released_line = session->contender.resume_at;
    meter_released(&session->meter, now_ns - session->release_ns);
    shared_raise(&session->memory->last_released_ns, now_ns);
    session->state = SESSION_IDLE;
    if (is_in_steps(session))
        session->rests = true;
    else if (handoff_admits(session->memory, session->meter.lock, session->actor.session))
        arrive(session);
    else
        finish(session, SESSION_FINISHED);
}

static void released_once(struct lock_session *session)
{
    checker_ends(session->memory, session->meter.lock, session->actor.session,
                 nested_number(session), PASSAGE_OUT);
    actor_step(&session->actor);
    if (--session->nested == 0)
        released(session);
    else
        release_once(session);
}

/* ------------------------------------------------------------------ it moves */

static void advance(struct lock_session *session)
{
    const struct recipe *recipe = session->memory->plan->recipe;
    bool releases = session->state == SESSION_RELEASING, works = session->state == SESSION_WORKING;
    enum recipe_step (*resume)(struct contender * s) = releases ? recipe->release
                                                       : works  ? recipe->work
                                                                : recipe->acquire;
    switch (resume(&session->contender)) {
    case STEP_REPLY:
        if (!session->cutting)
            break;
        injection_begun(session->memory, session->meter.lock, session->actor.session,
                        now_ns_of(session));
        if (!client_cut(session->actor.client))
            lose(session, ZK_CONNECTION_LOSS);
        break;
    case STEP_WATCH:
        session->woken_to = session->state;
        session->state = SESSION_PARKED;
        session->rests = true;
        break;
    case STEP_TURN:
        if (!is_in_steps(session)) { /* no session waits for the others */
            advance(session);
            break;
        }
        session->state = SESSION_AT_TURN;
        session->rests = true;
        break;
    case STEP_PAUSE:
        set_alarm(session, now_ns_of(session) + session->contender.pause_ns);
        break;
    case STEP_DONE:
        (releases ? released_once : works ? worked : acquired_once)(session);
        break;
    case STEP_FAILED:
        lose(session, session->contender.status);
        break;
    case STEP_CRASHED:
        die(session, DEATH_CRASH);
        break;
    }
}

/* ------------------------------------------------------------------ as an actor */

static void init(void *actor, void *kind, uint64_t seed)
{
    struct lock_session *session = actor;
    struct trial_memory *memory = kind;
    uint32_t number = session->actor.session;
    session->memory = memory;
    session->meter = (struct meter){
        .memory = memory,
        .worker = &memory->workers[number % memory->plan->fleet.processes],
        .actor = &session->actor,
    };
    random_init(&session->random, seed);
    session->meter.lock = plan_lock_of(memory->plan, number, 0);
    session->contender.number = plan_number_of(memory->plan, number);
    session->contender.clients = plan_clients_of(memory->plan, session->meter.lock);
    uint64_t high = random_next(&session->random), low = random_next(&session->random);
    contender_set_guid(&session->contender, high, low);
}

/* Ends every callback that may bring the session to rest, when everything has been counted: from
 * here on the coordinator may take its next step. */
static void end_callback(struct lock_session *session)
{
    if (!session->rests)
        return;
    session->rests = false;
    atomic_fetch_sub(&session->actor.shared->busy, 1);
}

static void alarm_rang(void *actor, uint64_t late_ns)
{
    struct lock_session *session = actor;
    session->timed = false;
    if (session->state >= SESSION_DEAD)
        return;
    if (session->state == SESSION_HOLDING) {
        if (session->memory->plan->hold.mean_ns > 0)
            histogram_record(&session->meter.worker->late, late_ns);
        /* Bytes received so far belong to the handoff that ends. */
        meter_read_bytes(&session->meter, session->actor.client);
        release_once(session);
    } else {
        advance(session);
    }
    end_callback(session);
}

static void carry_out(void *actor, int order)
{
    struct lock_session *session = actor;
    /* A dead session has reported. Its thread may still be closing it: nothing else may be read. */
    if (atomic_load(&actor_place(&session->actor)->dead))
        return;
    if (order == ORDER_GATE) {
        actor_pass_gate(&session->actor);
        client_bytes(session->actor.client, &session->meter.bytes);
        if (!is_in_steps(session)) {
            atomic_fetch_add(&session->actor.shared->busy, 1);
            arrive(session);
        }
    } else if (order == ORDER_REPORT) {
        if (session->state != SESSION_READ)
            report_state(session);
    } else if (order == ORDER_READ) {
        /* The last bytes: what comes later, as others end in a trial cut short, does not count. */
        meter_read_bytes(&session->meter, session->actor.client);
        report_state(session);
        session->state = SESSION_READ;
    } else if (order == LOCK_ORDER_ARRIVE) {
        arrive(session);
    } else if (order == LOCK_ORDER_RELEASE) {
        set_release(session);
    } else if (order == LOCK_ORDER_DIE) {
        die(session, plan_death(session->memory->plan)->how);
    } else if (session->state == SESSION_AT_TURN &&
               order == LOCK_ORDER_GO_ON + (int)session->meter.lock) {
        /* Every session gets the order: only the session knows whether it waits at a turn. */
        session->state = SESSION_ACQUIRING;
        advance(session);
    }
    if (order != ORDER_REPORT && order != ORDER_READ)
        end_callback(session);
}

/* ------------------------------------------------------------------ the session's callbacks */

static void state_changed(void *owner, enum client_state state)
{
    struct lock_session *session = owner;
    if (session->state == SESSION_READ)
        return;
    if (session->state == SESSION_CONNECTING && state == CLIENT_ESTABLISHED) {
        session->contender.client = session->actor.client;
        session->state = SESSION_IDLE;
    }
    if (state >= CLIENT_EXPIRED)
        lose(session, ZK_SESSION_EXPIRED);
    else
        actor_state_changed(&session->actor, state);
}

static void sent(void *owner, enum operation operation)
{
    struct lock_session *session = owner;
    session->cutting =
        operation == OP_CREATE && injection_loses_reply(session->memory, session->actor.session);
    meter_sent(&session->meter, operation);
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct lock_session *session = owner;
    if (session->state == SESSION_READ)
        return;
    meter_replied(&session->meter, reply);
    actor_spoke(&session->actor);
    if (session->state == SESSION_LOST)
        return;
    bool recovers = session->memory->plan->recipe->recovers,
         is_lost = reply->status == ZK_CONNECTION_LOSS, cut = session->cutting && is_lost;
    session->cutting = false;
    if (cut && !recovers) {
        begin(session, SESSION_ACQUIRING); /* a client that knows nothing can only begin anew */
        return;
    }
    if (is_lost ? !recovers : reply->status > ZK_NOT_EMPTY) { /* no recipe foresees it */
        lose(session, reply->status);
        return;
    }
    session->contender.status = reply->status;
    session->contender.reply = reply;
    advance(session);
    session->contender.reply = NULL;
    meter_read_bytes(&session->meter, session->actor.client);
    end_callback(session);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    struct lock_session *session = owner;
    if (session->state == SESSION_READ)
        return;
    uint64_t now_ns = now_ns_of(session);
    bool wakes =
        session->state == SESSION_PARKED && contender_wakes(&session->contender, event, path);
    if (wakes) {
        atomic_fetch_add(&session->actor.shared->busy, 1);
        session->state = session->woken_to;
    }
    meter_notified(&session->meter, event, wakes, now_ns);
    /* If the session goes on, the bytes are read with the next reply: a system call less. */
    if (wakes)
        advance(session);
    else
        meter_read_bytes(&session->meter, session->actor.client);
    end_callback(session);
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

const struct actor_ops lock_session_ops = {
    .size = sizeof(struct lock_session),
    .listener = &listener,
    .init = init,
    .order = carry_out,
    .alarm = alarm_rang,
};
