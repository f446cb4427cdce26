// SPDX-License-Identifier: Apache-2.0
#include "fleet/watchdog.h"

#include <string.h>

/* A wait that takes so much longer than it may was not run meanwhile; any takes a little longer. */
#define ABSENCE_NS WATCHDOG_TURN_NS
/* In so long a silence a server of an ensemble may have lost a wake-up of its own. It is longer
 * than a stall at least (trial/stall.c), so that a trial of locks is not valid then. */
#define WAKE_NS (2 * NS_PER_S)

static struct shared *shared_of(const struct watchdog *watchdog)
{
    return watchdog->workers->fleet.shared;
}

static void woken(void *context)
{
    shared_woken(((struct shared *)context)->coordinator_descriptor);
}

/* In a simulation the actors move in the coordinator's own turns, and nobody is to be woken. */
enum error_kind watchdog_start(struct watchdog *watchdog)
{
    struct shared *shared = shared_of(watchdog);
    if (shared->coordinator_descriptor < 0)
        return ERROR_NONE;
    return event_loop_watch(watchdog->setup->session.loop.event_loop,
                            shared->coordinator_descriptor, woken, shared, watchdog->error);
}

void watchdog_stop(struct watchdog *watchdog)
{
    struct shared *shared = shared_of(watchdog);
    if (shared->coordinator_descriptor >= 0)
        event_loop_unwatch(watchdog->setup->session.loop.event_loop,
                           shared->coordinator_descriptor);
}

static enum error_kind check(struct watchdog *watchdog)
{
    uint64_t now_ns = clock_now_ns();
    enum error_kind kind = workers_check(watchdog->workers, watchdog->error);
    /* A private server that ends while sessions connect, or while all of them pause, is noticed by
     * nothing else. */
    if (kind == ERROR_NONE && now_ns - watchdog->checked_ns >= WATCHDOG_TURN_NS) {
        watchdog->checked_ns = now_ns;
        kind = ensemble_check(watchdog->counters->ensemble, watchdog->error);
    }
    if (kind == ERROR_NONE && loop_is_interrupted(watchdog->interrupt_descriptor))
        kind = error_raise(watchdog->error, ERROR_INTERRUPTED, 0, "run", "%s", "");
    return kind;
}

static bool is_stuck(struct watchdog *watchdog, uint64_t now_ns)
{
    const struct shared *shared = shared_of(watchdog);
    uint64_t movement = shared_steps(shared) + watchdog->kind->movement(watchdog->context);
    if (movement != watchdog->movement) {
        watchdog->movement = movement;
        watchdog->moved_ns = now_ns;
    }
    /* Until the servers have ended a dead session others may wait for its ephemeral znodes. */
    uint64_t expires_ns = atomic_load(&shared->expires_ns);
    uint64_t since_ns = expires_ns > watchdog->moved_ns ? expires_ns : watchdog->moved_ns;
    return now_ns > since_ns && now_ns - since_ns > shared->plan->timeout_ns;
}

static bool is_standalone(const struct shared *shared)
{
    return shared->plan->servers->count == 1 &&
           (shared->roles[0] == ROLE_UNKNOWN || shared->roles[0] == ROLE_STANDALONE);
}

static void wake_servers(struct watchdog *watchdog)
{
    uint64_t now_ns = watchdog_now_ns(watchdog);
    uint64_t since_ns =
        watchdog->woken_ns > watchdog->moved_ns ? watchdog->woken_ns : watchdog->moved_ns;
    if (now_ns < since_ns + WAKE_NS || is_standalone(shared_of(watchdog)) ||
        !watchdog->kind->is_owed(watchdog->context))
        return;
    setup_session_wake(watchdog->setup, watchdog->workers->fleet.root);
    watchdog->woken_ns = now_ns;
}

void watchdog_rest(struct watchdog *watchdog)
{
    watchdog->moved_ns = watchdog_now_ns(watchdog);
}

/* Between two waits, to ask the servers may take long; if nobody was asked, what takes long is that
 * this process is not run. */
static uint64_t questions(const struct watchdog *watchdog)
{
    return watchdog->counters->questions + watchdog->setup->session.traffic.requests;
}

/* A machine that stood still is no silence of the servers. */
static void excuse(struct watchdog *watchdog, uint64_t absent_ns)
{
    uint64_t now_ns = watchdog_now_ns(watchdog);
    watchdog->moved_ns += absent_ns;
    if (watchdog->moved_ns > now_ns)
        watchdog->moved_ns = now_ns;
}

enum fleet_end watchdog_wait(struct watchdog *watchdog, uint64_t most_ns)
{
    uint64_t began_ns = watchdog_now_ns(watchdog);
    if (began_ns > watchdog->waited_ns + ABSENCE_NS && watchdog->questions == questions(watchdog))
        excuse(watchdog, began_ns - watchdog->waited_ns);
    uint64_t until_ns = began_ns + most_ns;
    enum error_kind kind =
        workers_turn(watchdog->workers, &watchdog->setup->session.loop, most_ns, watchdog->error);
    uint64_t now_ns = watchdog_now_ns(watchdog);
    uint64_t absent_ns = now_ns > until_ns + ABSENCE_NS ? now_ns - until_ns : 0;
    excuse(watchdog, absent_ns);
    watchdog->waited_ns = now_ns;
    watchdog->questions = questions(watchdog);
    if (kind != ERROR_NONE || check(watchdog) != ERROR_NONE)
        return END_ERROR;
    enum fleet_end end = watchdog->kind->look(watchdog->context, now_ns, absent_ns);
    if (end != END_DONE)
        return end;
    if (atomic_load(&shared_of(watchdog)->lost) > 0)
        return END_LOST;
    if (is_stuck(watchdog, now_ns))
        return END_DEADLINE;
    wake_servers(watchdog);
    return END_DONE;
}

#define LAST_READINGS_NS (2 * NS_PER_S)
#define SETTLING_NS      (200 * NS_PER_MS)
/* The workers of the trial before have ended, and the system has closed their sockets: the servers
 * have yet to notice, of thousands at once and on a machine that may be busy. Only a stranger is
 * waited for so long. */
#define SETTLING_PRIVATE_NS (10 * NS_PER_S)
/* How often they are asked meanwhile. */
#define SETTLING_TURN_NS (10 * NS_PER_MS)

/* ------------------------------------------------------------------ before the run */

enum fleet_end gate_await_sessions(struct watchdog *watchdog)
{
    struct shared *shared = shared_of(watchdog);
    enum fleet_end end = END_DONE;
    while (end == END_DONE && atomic_load(&shared->established) < shared->plan->sessions)
        end = watchdog_wait(watchdog, WATCHDOG_TURN_NS);
    if (end != END_DEADLINE)
        return end;
    return fleet_end_of(error_raise(watchdog->error, ERROR_NO_ANSWER, 0, "sessions",
                                    "%u of %u are established; the server may limit the "
                                    "connections of an address (maxClientCnxns)",
                                    atomic_load(&shared->established), shared->plan->sessions));
}

static enum role role_of_server(const struct shared *shared, const char *server)
{
    const struct connect_string *servers = shared->plan->servers;
    for (size_t i = 0; i < servers->count; i++) {
        char text[ENDPOINT_TEXT_SIZE];
        if (strcmp(endpoint_address(&servers->endpoints[i], text, sizeof text), server) == 0)
            return shared->roles[i];
    }
    return ROLE_UNKNOWN;
}

enum error_kind gate_note_roles(struct watchdog *watchdog)
{
    struct shared *shared = shared_of(watchdog);
    const struct connect_string *servers = shared->plan->servers;
    for (size_t i = 0; i < servers->count; i++) {
        enum error_kind kind = server_counters_ask_role(watchdog->counters, &servers->endpoints[i],
                                                        &shared->roles[i], watchdog->error);
        if (kind != ERROR_NONE)
            return kind;
    }
    for (uint32_t i = 0; i < shared->plan->sessions; i++)
        shared->sessions[i].role = role_of_server(shared, shared->sessions[i].server);
    return ERROR_NONE;
}

/* A connection that was closed a moment ago, by an earlier trial or an earlier question, still
 * counts: servers that nobody else uses come to rest soon. Private ones are waited for
 * longer, since whoever is connected then is a stranger. */
enum fleet_end gate_read_counters(struct watchdog *watchdog,
                                  struct server_counters_reading *reading)
{
    uint32_t sessions = shared_of(watchdog)->plan->sessions;
    uint64_t settling_ns =
        server_counters_is_private(watchdog->counters) ? SETTLING_PRIVATE_NS : SETTLING_NS;
    uint64_t until_ns = watchdog_now_ns(watchdog) + settling_ns;
    enum fleet_end end = under_way_settle(watchdog);
    while (end == END_DONE) {
        enum error_kind kind = server_counters_read(watchdog->counters, reading, watchdog->error);
        if (kind != ERROR_NONE || !reading->known ||
            !server_counters_is_shared(reading, sessions) || watchdog_now_ns(watchdog) >= until_ns)
            return fleet_end_of(kind);
        watchdog_rest(watchdog);
        end = watchdog_wait(watchdog, SETTLING_TURN_NS);
    }
    return end;
}

/* ------------------------------------------------------------------ after the run */

/* What holds a worker up may be servers that have gone: then it is they who are to be named. */
static enum error_kind raise_unread(struct watchdog *watchdog)
{
    const struct shared *shared = shared_of(watchdog);
    struct server_counters_reading reading;
    enum error_kind kind = server_counters_read(watchdog->counters, &reading, watchdog->error);
    if (kind == ERROR_NONE && watchdog->counters->absent.kind != ERROR_NONE) {
        *watchdog->error = watchdog->counters->absent;
        kind = watchdog->error->kind;
    }
    if (kind != ERROR_NONE || atomic_load(&shared->workers_ready) >= shared->plan->processes)
        return kind;
    return error_raise(watchdog->error, ERROR_WORKER_HANGS, 0, "worker",
                       "%u of %u took their last readings, and the servers answer",
                       atomic_load(&shared->workers_ready), shared->plan->processes);
}

enum error_kind gate_close(struct watchdog *watchdog)
{
    struct shared *shared = shared_of(watchdog);
    uint64_t until_ns = watchdog_now_ns(watchdog) + LAST_READINGS_NS;
    shared_enter(shared, PHASE_MEASURED);
    while (atomic_load(&shared->workers_ready) < shared->plan->processes) {
        if (watchdog_now_ns(watchdog) >= until_ns)
            return raise_unread(watchdog);
        enum error_kind kind = workers_turn(watchdog->workers, &watchdog->setup->session.loop,
                                            LAST_READINGS_NS, watchdog->error);
        if (kind == ERROR_NONE)
            kind = workers_check(watchdog->workers, watchdog->error);
        if (kind != ERROR_NONE)
            return kind;
    }
    return ERROR_NONE;
}

/* How long a server that is behind is left alone before it is asked again. */
#define FOLLOW_NS NS_PER_MS

/* How often it is looked whether notifications have come, and for how long after the last that
 * came. */
#define ARRIVAL_NS      NS_PER_MS
#define ARRIVAL_MOST_NS (2 * NS_PER_S)

/* ------------------------------------------------------------------ the set-up session */

#define ANSWER_NS      (2 * NS_PER_S)
#define ANSWER_TURN_NS (5 * NS_PER_MS)

enum fleet_end under_way_settle(struct watchdog *watchdog)
{
    uint64_t until_ns = watchdog_now_ns(watchdog) + ANSWER_NS;
    enum fleet_end end = END_DONE;
    while (end == END_DONE && !setup_session_is_idle(watchdog->setup) &&
           watchdog_now_ns(watchdog) < until_ns) {
        watchdog_rest(watchdog);
        end = watchdog_wait(watchdog, ANSWER_TURN_NS);
        sync_session_nudge(&watchdog->setup->session);
    }
    return end;
}

/* ------------------------------------------------------------------ servers that are behind */

enum error_kind under_way_follow(struct watchdog *watchdog, uint64_t *mark, bool *reached)
{
    uint64_t longest_ns;
    enum error_kind kind =
        server_counters_follow(watchdog->counters, mark, reached, &longest_ns, watchdog->error);
    if (kind == ERROR_NONE && watchdog->kind->asked != NULL)
        watchdog->kind->asked(watchdog->context, longest_ns);
    return kind;
}

enum fleet_end under_way_catch_up(struct watchdog *watchdog)
{
    uint64_t mark = 0;
    bool reached = shared_of(watchdog)->plan->servers->count == 1;
    enum fleet_end end = END_DONE;
    while (end == END_DONE && !reached) {
        end = fleet_end_of(under_way_follow(watchdog, &mark, &reached));
        if (end == END_DONE && !reached)
            end = watchdog_wait(watchdog, FOLLOW_NS);
    }
    return end;
}

/* ------------------------------------------------------------------ notifications */

/* As long as any come. */
static enum fleet_end await_arrivals(struct watchdog *watchdog, uint64_t sent)
{
    uint64_t count = watchdog->kind->received(watchdog->context);
    uint64_t moved_ns = watchdog_now_ns(watchdog);
    while (count < sent && watchdog_now_ns(watchdog) - moved_ns < ARRIVAL_MOST_NS) {
        uint64_t before = count;
        watchdog_rest(watchdog);
        enum fleet_end end = watchdog_wait(watchdog, ARRIVAL_NS);
        if (end != END_DONE)
            return end;
        count = watchdog->kind->received(watchdog->context);
        if (count != before)
            moved_ns = watchdog_now_ns(watchdog);
    }
    return END_DONE;
}

enum fleet_end under_way_receive(struct watchdog *watchdog,
                                 const struct server_counters_reading *at_start)
{
    struct server_counters_reading reading;
    uint32_t sessions = shared_of(watchdog)->plan->sessions;
    if (!at_start->known || server_counters_is_shared(at_start, sessions))
        return END_DONE;
    enum fleet_end end = under_way_catch_up(watchdog);
    if (end != END_DONE)
        return end;
    if (server_counters_read(watchdog->counters, &reading, watchdog->error) != ERROR_NONE)
        return END_ERROR;
    return await_arrivals(watchdog, reading.notifications - at_start->notifications);
}
