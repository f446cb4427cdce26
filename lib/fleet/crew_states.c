// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "fleet/fleet.h"
#include "fleet/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ a host that goes */

void crew_lose(struct crew *crew, struct crew_host *host, const char *why, bool has_died)
{
    host->gone = true;
    crew->has_died = crew->gone[0] == '\0' ? has_died : crew->has_died;
    if (crew->gone[0] == '\0')
        snprintf(crew->gone, sizeof crew->gone, "worker %s on %.60s %.160s", host->seat.member.name,
                 host->seat.member.host, why);
}

/* ------------------------------------------------------------------ what hosts tell */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* A watch has fired: of a host's state, or, with a session that has lost its connection, of any. */
void crew_notified(void *context, const char *path)
{
    struct crew *crew = context;
    for (uint32_t i = 0; i < crew->count; i++) {
        if (strcmp(crew->hosts[i].seat.member.name, last_part(path)) == 0)
            crew->hosts[i].changed = true;
    }
}

/* The host's sessions were reported when its clock showed reported_ns: not before the inquiry. */
static void shift_times(const struct crew *crew, const struct crew_host *host)
{
    struct shared *shared = crew->held.shared;
    const struct fleet_plan *plan = shared->plan;
    uint64_t shift_ns = crew->inquired_ns - host->state.reported_ns; /* may wrap, and back */
    for (uint32_t i = 0; crew->held.remote->shift != NULL && i < host->seat.count; i++)
        crew->held.remote->shift(crew->held.kind, host->seat.first + i, shift_ns);
    for (uint32_t i = 0; i < plan->sessions; i++) {
        uint32_t process = i % plan->processes;
        if (process >= host->seat.first && process < host->seat.first + host->seat.count)
            shared->sessions[i].spoke_ns += shift_ns;
    }
}

/* Its reports to the inquiry have come: takes the parts. */
static enum error_kind take_parts(struct crew *crew, struct crew_host *host,
                                  const struct crew_state *state, struct error *error)
{
    char path[MEETING_PATH_SIZE], words[sizeof(struct error)];
    struct error why;
    crew_path(crew->job, host->seat.member.name, path);
    enum error_kind kind = crew_parts_take(crew->meeting, path, &crew->held, host->seat.first,
                                           host->seat.count, state, &why);
    if (kind == ERROR_MALFORMED) {
        snprintf(words, sizeof words, "has sent results that cannot be used: %s", why.detail);
        crew_lose(crew, host, words, false);
        return ERROR_NONE;
    }
    if (kind != ERROR_NONE)
        *error = why;
    return kind;
}

/* It has not told anything yet: looks whether it is there at all. */
static enum error_kind await_host(struct crew *crew, struct crew_host *host, const char *path,
                                  struct error *error)
{
    char member[MEETING_PATH_SIZE];
    bool there = false;
    snprintf(member, sizeof member, "/members/%s", host->seat.member.name);
    enum error_kind kind = meeting_exists(crew->meeting, path, WATCH, &host->changed, error);
    if (host->changed) /* it has come since it was looked for: no watch will say so */
        crew->meeting->setup->session.changed = true;
    if (kind == ERROR_NONE)
        kind = meeting_exists(crew->meeting, member, WATCH, &there, error);
    if (kind == ERROR_NONE && !there)
        crew_lose(crew, host, "has gone before the trial began", true);
    return kind;
}

/* The answer to the order that was written last. Clocks drift: bounds that exclude each other are
 * of different times, and the new ones stand. */
static void compare_clocks(const struct crew *crew, struct crew_host *host,
                           const struct crew_state *state)
{
    int64_t low_ns = (int64_t)(state->came_ns - clock_now_ns());
    int64_t high_ns = (int64_t)(state->came_ns - crew->written_ns);
    if (state->serial != crew->order.serial || state->serial == host->state.serial)
        return;
    if (!host->has_clock || low_ns > host->clock_high_ns || high_ns < host->clock_low_ns) {
        host->clock_low_ns = low_ns;
        host->clock_high_ns = high_ns;
    }
    host->has_clock = true;
    host->clock_low_ns = low_ns > host->clock_low_ns ? low_ns : host->clock_low_ns;
    host->clock_high_ns = high_ns < host->clock_high_ns ? high_ns : host->clock_high_ns;
}

bool crew_clock(const struct crew *crew, uint32_t first, int64_t *low_ns, int64_t *high_ns)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        const struct crew_host *host = &crew->hosts[i];
        if (host->seat.first != first || !host->has_clock)
            continue;
        *low_ns = host->clock_low_ns;
        *high_ns = host->clock_high_ns;
        return true;
    }
    return false;
}

static enum error_kind read_host(struct crew *crew, struct crew_host *host, struct error *error)
{
    struct crew_state state = {0};
    char path[MEETING_PATH_SIZE], why[sizeof state.detail + sizeof state.subject + 32];
    bool there = false;
    host->changed = false;
    crew_path(crew->job, host->seat.member.name, path);
    enum error_kind kind = meeting_get(crew->meeting, path, WATCH, &there, error);
    const char *text = crew->meeting->setup->session.value;
    if (kind != ERROR_NONE)
        return kind;
    if (!there && !host->told)
        return await_host(crew, host, path, error);
    if (!there)
        crew_lose(crew, host, "has gone: its session with the meeting place has ended", true);
    else if (!text_fields_read(crew_state_fields, &state, sizeof state, &text))
        crew_lose(crew, host, "has told what is no state of a worker", false);
    if (host->gone)
        return ERROR_NONE;
    if (state.error != ERROR_NONE) {
        snprintf(why, sizeof why, "has given up: %s%s%s", state.detail,
                 state.detail[0] != '\0' && state.subject[0] != '\0' ? ": " : "", state.subject);
        crew_lose(crew, host, why, state.error == ERROR_INTERRUPTED);
    }
    compare_clocks(crew, host, &state);
    bool was_final = host->state.final, reports = state.final && !was_final;
    if (state.serial >= crew->timed && host->state.serial < crew->timed)
        host->told_ns = clock_now_ns();
    host->state = state;
    host->told = true;
    /* What is told of words is of those that the host has. */
    if (!host->gone && !was_final && state.serial >= crew->order.shared &&
        !crew->held.remote->hear(crew->held.kind, host->seat.first, state.live))
        crew_lose(crew, host, "has told what is no state of a worker", false);
    if (reports && !host->gone)
        kind = take_parts(crew, host, &state, error);
    if (reports && kind == ERROR_NONE)
        shift_times(crew, host);
    return kind;
}

/* A command is done with when all hosts have taken it; one for a session, when its host has. */
static void settle_command(struct crew *crew)
{
    struct shared *shared = crew->held.shared;
    uint32_t session = (uint32_t)crew->order.command, processes = shared->plan->processes;
    bool taken = true;
    for (uint32_t i = 0; i < crew->count; i++) {
        const struct crew_host *host = &crew->hosts[i];
        uint32_t process = session > 0 ? (session - 1) % processes : host->seat.first;
        bool is_for = process >= host->seat.first && process < host->seat.first + host->seat.count;
        taken = taken && (!is_for || host->gone || host->state.taken >= crew->order.commanded);
    }
    if (!crew->pending || !taken)
        return;
    crew->pending = false;
    for (uint32_t i = 0; i < processes; i++)
        atomic_store(&shared->workers[i].command, 0);
}

/* Puts what all hosts have told into the run's memory. A host that has gone holds up nothing. */
static void add_up(struct crew *crew)
{
    struct shared *shared = crew->held.shared;
    struct crew_state sum = {0};
    uint32_t reported = 0;
    for (uint32_t i = 0; i < crew->count; i++) {
        const struct crew_host *host = &crew->hosts[i];
        const struct crew_state *state = &host->state;
        sum.established += state->established;
        sum.ready += host->gone ? host->seat.count : state->ready;
        sum.finished += state->finished;
        sum.busy += state->busy;
        sum.rests += state->rests;
        sum.lost += state->lost;
        sum.losses += state->losses;
        if (sum.first_lost == 0 && state->first_lost != 0) {
            sum.first_lost = state->first_lost;
            sum.first_lost_status = state->first_lost_status;
        }
        if (state->inquiry == crew->order.inquiry &&
            (state->final || !crew->held.remote->ends_with_report))
            reported += host->seat.count;
        /* What was counted has come itself; what each process uses, if it had told that by then. */
        if (!state->final || crew->held.remote->ends_with_report)
            shared->workers[host->seat.first].rss_kib = state->rss_kib;
        if (state->final)
            continue;
        atomic_store(&shared->workers[host->seat.first].steps, state->steps);
        atomic_store(&shared->workers[host->seat.first].absent_ns, state->absent_ns);
    }
    atomic_store(&shared->established, sum.established);
    atomic_store(&shared->workers_ready, sum.ready);
    atomic_store(&shared->finished, sum.finished);
    if (crew->held.remote->rests != NULL)
        atomic_store(crew->held.remote->rests(crew->held.kind), sum.rests);
    if (shared->in_steps) /* whoever has yet to take a command will be busy */
        atomic_store(&shared->busy, (int64_t)sum.busy + (shared_command(shared) != 0));
    atomic_store(&shared->losses, sum.losses);
    atomic_store(&shared->first_lost, sum.first_lost);
    atomic_store(&shared->first_lost_status, (int)sum.first_lost_status);
    atomic_store(&shared->lost, sum.lost);
    if (crew->order.inquiry > 0 && crew->order.inquiry == atomic_load(&shared->inquiry))
        atomic_store(&shared->reported, reported);
}

/* Reads what hosts have told, and what they tell meanwhile. */
static enum error_kind read_hosts(struct crew *crew, struct error *error)
{
    struct sync_session *session = &crew->meeting->setup->session;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE && session->changed) {
        bool all = session->lost; /* a watch may have fired meanwhile */
        session->lost = session->changed = false;
        for (uint32_t i = 0; kind == ERROR_NONE && i < crew->count; i++) {
            if ((all || crew->hosts[i].changed) && !crew->hosts[i].gone)
                kind = read_host(crew, &crew->hosts[i], error);
        }
    }
    return kind;
}

enum error_kind crew_listen(struct crew *crew, uint64_t until_ns, struct error *error)
{
    enum error_kind kind = meeting_turn(crew->meeting, until_ns, error);
    if (kind == ERROR_NONE)
        kind = read_hosts(crew, error);
    if (kind != ERROR_NONE)
        return kind;
    settle_command(crew);
    add_up(crew);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ of all hosts */

bool crew_has_died(const struct crew *crew)
{
    return crew->has_died;
}

const char *crew_gone(const struct crew *crew)
{
    return crew->gone;
}

uint64_t crew_begun_ns(const struct crew *crew)
{
    uint64_t last_ns = crew->ordered_ns;
    for (uint32_t i = 0; i < crew->count; i++)
        last_ns = crew->hosts[i].told_ns > last_ns ? crew->hosts[i].told_ns : last_ns;
    return last_ns;
}

uint64_t crew_spread_ns(const struct crew *crew)
{
    return crew->timed > 0 ? crew_begun_ns(crew) - crew->ordered_ns : 0;
}

struct sync_session_traffic crew_traffic(const struct crew *crew)
{
    struct sync_session_traffic sum =
        sync_session_traffic_between(&crew->before, &crew->meeting->setup->session.traffic);
    sum.nudges = 0; /* the run's own are counted when they are sent */
    for (uint32_t i = 0; i < crew->count; i++) {
        const struct sync_session_traffic *host = &crew->hosts[i].state.traffic;
        sum.requests += host->requests;
        sum.writes += host->writes;
        sum.notifications += host->notifications;
        sum.losses += host->losses;
        sum.nudges += host->nudges;
    }
    return sum;
}

uint64_t crew_requests(const struct crew *crew)
{
    return crew_traffic(crew).requests;
}

bool crew_has_shared(const struct crew *crew)
{
    bool all = !crew->shares;
    for (uint32_t i = 0; i < crew->count; i++)
        all = all && (crew->hosts[i].gone || crew->hosts[i].state.serial >= crew->order.shared);
    return all;
}

uint64_t crew_cpu_ns(const struct crew *crew)
{
    uint64_t sum_ns = 0;
    for (uint32_t i = 0; i < crew->count; i++)
        sum_ns += crew->hosts[i].state.cpu_ns;
    return sum_ns;
}

bool crew_have_closed(const struct crew *crew)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        if (!crew->hosts[i].gone && !crew->hosts[i].state.closed)
            return false;
    }
    return true;
}
