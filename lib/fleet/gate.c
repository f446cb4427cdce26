// SPDX-License-Identifier: Apache-2.0
#include "fleet/gate.h"

#include <string.h>

#define LAST_READINGS_NS (2 * NS_PER_S)
#define SETTLING_NS      (200 * NS_PER_MS)
/* The workers of the trial before have ended, and the system has closed their sockets: the servers
 * have yet to notice, of thousands at once and on a machine that may be busy. Only a stranger is
 * waited for so long. */
#define SETTLING_PRIVATE_NS (10 * NS_PER_S)
/* How often they are asked meanwhile. */
#define SETTLING_TURN_NS (10 * NS_PER_MS)

static struct shared *shared_of(const struct watchdog *watchdog)
{
    return watchdog->workers->fleet.shared;
}

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
 * counts: servers that nobody else uses come to rest soon. Of private ones that is waited for,
 * since whoever is connected then is a stranger. */
enum fleet_end gate_read_counters(struct watchdog *watchdog,
                                  struct server_counters_reading *reading)
{
    uint32_t sessions = shared_of(watchdog)->plan->sessions;
    uint64_t settling_ns =
        server_counters_is_private(watchdog->counters) ? SETTLING_PRIVATE_NS : SETTLING_NS;
    uint64_t until_ns = loop_now_ns(watchdog->loop) + settling_ns;
    for (;;) {
        enum error_kind kind = server_counters_read(watchdog->counters, reading, watchdog->error);
        if (kind != ERROR_NONE || !reading->known ||
            !server_counters_is_shared(reading, sessions) ||
            loop_now_ns(watchdog->loop) >= until_ns)
            return fleet_end_of(kind);
        watchdog_rest(watchdog);
        enum fleet_end end = watchdog_wait(watchdog, SETTLING_TURN_NS);
        if (end != END_DONE)
            return end;
    }
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
    if (kind != ERROR_NONE)
        return kind;
    return error_raise(watchdog->error, ERROR_WORKER_HANGS, 0, "worker",
                       "%u of %u took their last readings, and the servers answer",
                       atomic_load(&shared->workers_ready), shared->plan->processes);
}

enum error_kind gate_close(struct watchdog *watchdog)
{
    struct shared *shared = shared_of(watchdog);
    uint64_t until_ns = loop_now_ns(watchdog->loop) + LAST_READINGS_NS;
    shared_enter(shared, PHASE_MEASURED);
    while (atomic_load(&shared->workers_ready) < shared->plan->processes) {
        if (loop_now_ns(watchdog->loop) >= until_ns)
            return raise_unread(watchdog);
        enum error_kind kind =
            workers_turn(watchdog->workers, watchdog->loop, LAST_READINGS_NS, watchdog->error);
        if (kind == ERROR_NONE)
            kind = workers_check(watchdog->workers, watchdog->error);
        if (kind != ERROR_NONE)
            return kind;
    }
    return ERROR_NONE;
}
