// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "fleet/internal.h"
#include "fleet/watchdog.h"
#include "fleet/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest turn, and how often a host tells how far it is although nothing is due to be told. */
#define TURN_NS (20 * NS_PER_MS)
#define TELL_NS NS_PER_S
/* A job that this host carries out. */
struct service {
    const struct host *host;
    struct job *job;
    const struct crew_kind *remote;
    struct fleet fleet;
    struct workers workers;
    struct crew_order order; /* the last that has come */
    struct crew_state state;
    struct crew_state told;
    uint64_t told_ns;
    struct sync_session_traffic before; /* the job */
    bool is_told;
    bool over;      /* the run has ended the job */
    bool abandoned; /* the run has gone */
};

/* ------------------------------------------------------------------ the job */

/* The part of the sessions, and of the rate, that is this host's. */
static enum error_kind check_limits(const struct service *service, struct error *error)
{
    const struct host_limits *limits = service->host->limits;
    const struct crew_job *job = &service->job->head;
    uint64_t rate =
        service->remote->rate_per_s != NULL ? service->remote->rate_per_s(service->fleet.kind) : 0;
    uint64_t sessions = service->fleet.shared->sessions_here;
    char text[64];
    snprintf(text, sizeof text, "%llu sessions", (unsigned long long)sessions);
    if (rate > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", %llu requests a second",
                 (unsigned long long)(rate * sessions / job->sessions));
    if (limits->max_clients > 0 && sessions > limits->max_clients)
        return job_refuse(error, text, "this worker takes fewer sessions (--max-clients)");
    if (limits->max_rate > 0 && rate == 0)
        return job_refuse(error, "a load without a rate",
                          "this worker takes no load as fast as it is answered (--max-rate)");
    if (limits->max_rate > 0 && rate * sessions / job->sessions > limits->max_rate)
        return job_refuse(error, text, "this worker takes fewer requests a second (--max-rate)");
    return ERROR_NONE;
}

static enum error_kind find_kind(struct service *service, struct error *error)
{
    char meaning[SHA256_TEXT_SIZE];
    const struct job *job = service->job;
    crew_meaning(service->host->kinds, meaning);
    if (job->head.protocol != MEETING_PROTOCOL || strcmp(meaning, job->head.meaning) != 0)
        return job_refuse(error, job->name,
                          "the run is of another version, whose results have another meaning");
    for (const struct crew_kind *const *kind = service->host->kinds; *kind != NULL; kind++) {
        if (strcmp((*kind)->name, job->head.kind) == 0)
            service->remote = *kind;
    }
    return service->remote != NULL
               ? ERROR_NONE
               : job_refuse(error, job->head.kind, "this worker knows no such kind of trial");
}

static enum error_kind open_job(struct service *service, struct error *error)
{
    struct job *job = service->job;
    const struct crew_job *head = &job->head;
    enum error_kind kind = find_kind(service, error);
    if (kind == ERROR_NONE)
        kind = job_find_servers(job, service->host->meeting, &service->host->limits->only, error);
    if (kind != ERROR_NONE)
        return kind;
    const struct fleet_plan here = {.driver = (enum driver)head->driver,
                                    .depth = head->depth,
                                    .session_timeout_ms = head->session_timeout_ms,
                                    .timeout_ns = head->timeout_ns,
                                    .seed = head->seed,
                                    .sessions = head->sessions,
                                    .processes = head->processes,
                                    .servers = &job->servers,
                                    .here_first = job->seat.first,
                                    .here_count = job->seat.count,
                                    .hosts = head->hosts};
    if (job->seat.count > service->host->member->share)
        return job_refuse(error, job->name, "this worker runs fewer processes (--share)");
    kind = service->remote->open(job->plan, &here, head->root, &service->fleet, error);
    if (kind == ERROR_NONE)
        kind = check_limits(service, error);
    return kind;
}

/* ------------------------------------------------------------------ what it tells */

/* What the run waits for: told at once when one of them changes. */
static bool is_due(const struct service *service)
{
    const struct crew_state *now = &service->state, *told = &service->told;
    const struct shared *shared = service->fleet.shared;
    if (!service->is_told || now->serial != told->serial || now->taken != told->taken ||
        now->inquiry != told->inquiry || now->final != told->final || now->lost != told->lost ||
        now->error != told->error || now->closed != told->closed || now->ready != told->ready)
        return true;
    if (shared->in_steps && now->busy == 0 &&
        (told->busy > 0 || memcmp(now->live, told->live, sizeof now->live) != 0))
        return true;
    return (now->established != told->established && now->established == shared->sessions_here) ||
           (now->rests != told->rests && now->rests % shared->sessions_here == 0) ||
           (now->finished != told->finished && now->finished == shared->sessions_here);
}

static enum error_kind tell(struct service *service, struct error *error)
{
    struct growing_text text = {0};
    char path[MEETING_PATH_SIZE];
    bool there = false;
    uint64_t now_ns = clock_now_ns();
    if (!is_due(service) && now_ns - service->told_ns < TELL_NS)
        return ERROR_NONE;
    service->state.traffic = sync_session_traffic_between(
        &service->before, &service->host->meeting->setup->session.traffic);
    service->state.traffic.requests++; /* what follows */
    service->state.traffic.writes++;
    crew_path(service->job->name, service->host->member->name, path);
    text_fields_write(crew_state_fields, &service->state, &text);
    enum error_kind kind =
        service->is_told
            ? meeting_set(service->host->meeting, path, text.text, text.length, &there, error)
            : meeting_create(service->host->meeting, path, EPHEMERAL, text.text, text.length, NULL,
                             error);
    free(text.text);
    service->over = service->over || (service->is_told && !there);
    service->told = service->state;
    service->told_ns = now_ns;
    service->is_told = true;
    return kind;
}

/* The reports to the last inquiry are all written, or the last readings are taken: sends what was
 * counted, once. */
static enum error_kind send_parts(struct service *service, struct error *error)
{
    struct shared *shared = service->fleet.shared;
    struct crew_state *state = &service->state;
    char path[MEETING_PATH_SIZE];
    bool reported = state->inquiry != atomic_load(&shared->inquiry) &&
                    atomic_load(&shared->reported) >= shared->processes_here;
    bool ends =
        service->remote->ends_with_report ? reported : state->ready >= shared->processes_here;
    if (reported)
        state->inquiry = atomic_load(&shared->inquiry);
    if (!ends || state->final)
        return ERROR_NONE;
    state->final = true;
    state->reported_ns = clock_now_ns();
    crew_path(service->job->name, service->host->member->name, path);
    return crew_parts_send(service->host->meeting, path, &service->fleet, service->job->seat.first,
                           service->job->seat.count, state, error);
}

/* The state is that of one moment at which nobody was busy; otherwise it says that somebody is. A
 * session that is woken counts as busy before its notification is counted, and rests only after all
 * was counted. */
static void look_at_steps(struct service *service)
{
    struct crew_state *state = &service->state;
    uint64_t before[CREW_LIVE_MAX];
    memcpy(before, state->live, sizeof before);
    int64_t busy = atomic_load(&service->fleet.shared->busy);
    service->remote->tell(service->fleet.kind, service->job->seat.first, service->job->seat.count,
                          state->cpu_ns, state->live);
    bool has_moved = memcmp(before, state->live, sizeof before) != 0;
    state->busy = busy > 0 ? (uint64_t)busy : has_moved;
}

static void look(struct service *service)
{
    const struct shared *shared = service->fleet.shared;
    struct crew_state *state = &service->state;
    state->established = atomic_load(&shared->established);
    state->ready = atomic_load(&shared->workers_ready);
    state->finished = atomic_load(&shared->finished);
    state->lost = atomic_load(&shared->lost);
    state->first_lost = atomic_load(&shared->first_lost);
    state->first_lost_status = (uint32_t)atomic_load(&shared->first_lost_status);
    state->losses = atomic_load(&shared->losses);
    state->steps = shared_steps(shared);
    state->absent_ns = shared_absent_ns(shared);
    state->cpu_ns = workers_cpu_ns(&service->workers);
    state->rss_kib = 0;
    for (uint32_t i = 0; i < shared->processes_here; i++)
        state->rss_kib += shared->workers[service->job->seat.first + i].rss_kib;
    if (shared_have_taken(shared))
        state->taken = service->order.commanded;
    if (service->remote->rests != NULL)
        state->rests = atomic_load(service->remote->rests(service->fleet.kind));
    service->remote->tell(service->fleet.kind, service->job->seat.first, service->job->seat.count,
                          state->cpu_ns, state->live);
    if (shared->in_steps)
        look_at_steps(service);
}

/* ------------------------------------------------------------------ what it is told */

static bool put_times(const struct service *service, uint64_t now_ns)
{
    uint64_t times_ns[CREW_TIMES_MAX];
    if (service->remote->put_times == NULL)
        return true;
    for (size_t i = 0; i < CREW_TIMES_MAX; i++)
        times_ns[i] = service->order.times_ns[i] == UINT64_MAX
                          ? UINT64_MAX
                          : service->order.times_ns[i] + now_ns;
    return service->remote->put_times(service->fleet.kind, times_ns);
}

/* A command is for a session or for all, and the sessions of other hosts are not here. */
static void pass_command(const struct service *service, uint64_t command)
{
    struct shared *shared = service->fleet.shared;
    uint32_t session = (uint32_t)command;
    uint32_t process = session > 0 ? (session - 1) % shared->plan->processes : 0;
    if (session == 0)
        shared_tell_all(shared, (int)(command >> 32));
    else if (session <= shared->plan->sessions && process >= service->job->seat.first &&
             process < service->job->seat.first + service->job->seat.count) {
        if (shared->in_steps) /* as the run has counted the session there */
            atomic_fetch_add(&shared->busy, 1);
        shared_tell(shared, session - 1, (int)(command >> 32));
    }
}

/* What is no order of any run; a time is far from now in none. */
static bool is_order(const struct crew_order *order)
{
    bool is_sound = order->phase <= PHASE_CLOSE;
    for (size_t i = 0; i < CREW_TIMES_MAX; i++)
        is_sound =
            is_sound && (order->times_ns[i] == UINT64_MAX || order->times_ns[i] < UINT64_MAX / 2);
    return is_sound;
}

/* Times count from the order on in which they first are known. False: the order is none. */
static bool follow(struct service *service, const struct crew_order *order)
{
    struct shared *shared = service->fleet.shared;
    const struct crew_job_seat *seat = &service->job->seat;
    uint64_t now_ns = clock_now_ns();
    bool has_times = service->order.times_ns[0] == UINT64_MAX && order->times_ns[0] != UINT64_MAX;
    bool inquires = order->inquiry != service->order.inquiry;
    bool commands = order->commanded != service->order.commanded;
    bool enters = order->phase != service->order.phase;
    bool shares = order->shared != service->order.shared;
    if (!is_order(order))
        return false;
    service->order = *order;
    service->state.serial = order->serial;
    service->state.came_ns = now_ns;
    for (size_t i = 0; i < CONNECT_ENDPOINTS_MAX; i++)
        shared->roles[i] = order->roles[i] < ROLES ? (enum role)order->roles[i] : ROLE_UNKNOWN;
    if (has_times && !put_times(service, now_ns))
        return false;
    if (shares && service->remote->put_words != NULL &&
        !service->remote->put_words(service->fleet.kind, seat->first, seat->count, order->words))
        return false;
    if (enters && order->phase == PHASE_RUN)
        gate_place_roles(shared);
    if (enters && order->phase != PHASE_CLOSE) /* workers_end enters that */
        shared_enter(shared, (enum fleet_phase)order->phase);
    if (inquires)
        (void)!shared_inquire(shared);
    if (commands)
        pass_command(service, order->command);
    service->over = service->over || order->phase == PHASE_CLOSE;
    return true;
}

/* Reads the order, if a watch has fired, and whether the run is still there. */
static enum error_kind hear(struct service *service, struct error *error)
{
    struct meeting *meeting = service->host->meeting;
    struct sync_session *session = &meeting->setup->session;
    char path[MEETING_PATH_SIZE], leader[MEETING_LEADER_SIZE];
    struct crew_order order = {0};
    bool there = false;
    if (!session->changed)
        return ERROR_NONE;
    session->changed = false;
    crew_path(service->job->name, "order", path);
    enum error_kind kind = meeting_get(meeting, path, WATCH, &there, error);
    const char *text = session->value;
    if (kind == ERROR_NONE && !there && service->order.serial == 0) { /* a get leaves no watch */
        bool came = false;
        kind = meeting_exists(meeting, path, WATCH, &came, error);
        session->changed = session->changed || came;
    }
    if (kind != ERROR_NONE)
        return kind;
    if (there && text_fields_read(crew_order_fields, &order, sizeof order, &text) &&
        order.serial != service->order.serial && !follow(service, &order))
        return job_refuse(error, path, "what the run has ordered is no order of zkherd");
    service->over = service->over || (!there && service->order.serial > 0);
    kind = meeting_leader(meeting, WATCH, leader, error);
    service->abandoned = service->abandoned || (kind == ERROR_NONE && leader[0] == '\0');
    return kind;
}

/* ------------------------------------------------------------------ the whole */

/* Until the run has ended the job, or something has gone. */
static enum error_kind work(struct service *service, struct error *error)
{
    struct meeting *meeting = service->host->meeting;
    enum error_kind kind = ERROR_NONE;
    meeting->setup->session.changed = true; /* to begin with */
    while (kind == ERROR_NONE && !service->over && !service->abandoned) {
        if (loop_is_interrupted(service->host->interrupts))
            return error_raise(error, ERROR_INTERRUPTED, 0, service->job->name, "%s", "");
        kind = workers_check(&service->workers, error);
        if (kind == ERROR_NONE)
            kind = hear(service, error);
        look(service);
        bool is_quiet = service->order.quiet && service->told.serial == service->order.serial;
        if (kind == ERROR_NONE && !is_quiet)
            kind = send_parts(service, error);
        if (kind == ERROR_NONE && !is_quiet)
            kind = tell(service, error);
        if (kind == ERROR_NONE)
            kind = meeting_turn(
                meeting, clock_now_ns() + (meeting->setup->session.changed ? 0 : TURN_NS), error);
    }
    return kind;
}

/* Its workers have ended: tells that, or why the host gives up. */
static void tell_end(struct service *service, enum error_kind kind, const struct error *why)
{
    struct error ignored;
    service->host->meeting->setup->interrupts = -1; /* the end is told also when it is one */
    service->state.closed = kind == ERROR_NONE;
    if (kind != ERROR_NONE && kind != ERROR_MEETING_LOST) {
        service->state.error = (uint32_t)kind;
        snprintf(service->state.subject, sizeof service->state.subject, "%s", why->subject);
        snprintf(service->state.detail, sizeof service->state.detail, "%s",
                 why->detail[0] != '\0' ? why->detail : error_words(kind));
    }
    if (kind != ERROR_MEETING_LOST)
        (void)!tell(service, &ignored);
}

static enum error_kind serve(struct service *service, struct error *error)
{
    struct event_loop *events = service->host->meeting->setup->session.loop.event_loop;
    enum error_kind kind = open_job(service, error);
    for (size_t i = 0; i < CREW_TIMES_MAX; i++)
        service->order.times_ns[i] = UINT64_MAX;
    if (kind == ERROR_NONE)
        kind = workers_start(&service->workers, &service->fleet, service->host->meeting->setup,
                             NULL, NULL, error);
    if (kind == ERROR_NONE) {
        struct shared *shared = service->fleet.shared;
        kind = event_loop_watch(events, shared->coordinator_descriptor, shared_coordinator_woken,
                                shared, error);
        if (kind == ERROR_NONE)
            kind = work(service, error);
        event_loop_unwatch(events, shared->coordinator_descriptor);
        workers_end(&service->workers);
    }
    tell_end(service, kind, error);
    if (service->fleet.shared != NULL)
        service->remote->close(&service->fleet);
    /* Every host of the job does it, because any of them may go as well. */
    if (kind == ERROR_NONE && service->abandoned)
        kind = job_clear_away(service->host->meeting, service->job->name,
                              &service->host->limits->only, false, error);
    if (kind == ERROR_NONE && service->abandoned)
        kind = job_refuse(error, service->job->name, "the run has gone: its znodes are removed");
    return kind;
}

enum error_kind host_serve(const struct host *host, const char *name, struct error *error)
{
    struct service *service = memory_new(1, sizeof *service);
    *service = (struct service){.host = host, .before = host->meeting->setup->session.traffic};
    enum error_kind kind = job_fetch(host->meeting, name, host->member->name, &service->job, error);
    if (kind == ERROR_NONE)
        kind = serve(service, error);
    job_free(service->job);
    free(service);
    return kind;
}

/* ------------------------------------------------------------------ which job is next */

/* Whether this member has a seat in the job. */
static enum error_kind has_seat(const struct host *host, const char *name, bool *mine,
                                struct error *error)
{
    struct job *job;
    enum error_kind kind = job_fetch(host->meeting, name, host->member->name, &job, error);
    *mine = job->mine;
    job_free(job);
    return kind == ERROR_NOT_VALID || kind == ERROR_FORBIDDEN ? ERROR_NONE : kind;
}

/* No run leads, so that of this job has gone. A member that is still at the job removes what is
 * left of it, or goes. What this host cannot remove stays for others, and for `zkherd clean`. */
static enum error_kind remove_left(const struct host *host, const char *name, struct error *error)
{
    bool served;
    enum error_kind kind = job_is_served(host->meeting, name, &served, error);
    if (kind == ERROR_NONE && !served)
        kind = job_clear_away(host->meeting, name, &host->limits->only, false, error);
    return kind == ERROR_MEETING_LOST || kind == ERROR_INTERRUPTED ? kind : ERROR_NONE;
}

/* Looks through the jobs that there are: *mine, and its name, if the member has a part in one. They
 * are listed before the leader is read: if nobody leads then, their runs have all gone. */
static enum error_kind look_for_job(const struct host *host, char name[MEETING_PATH_SIZE],
                                    bool *mine, bool *led, struct error *error)
{
    char leader[MEETING_LEADER_SIZE] = "";
    const char **names = NULL;
    size_t count = 0;
    enum error_kind kind = meeting_list(host->meeting, "/jobs", WATCH, &names, &count, error);
    if (kind == ERROR_NONE)
        kind = meeting_leader(host->meeting, WATCH, leader, error);
    *led = leader[0] != '\0';
    for (size_t i = 0; kind == ERROR_NONE && !*mine && i < count; i++) {
        if (!*led)
            kind = remove_left(host, names[i], error);
        else if (strcmp(names[i], name) != 0)
            kind = has_seat(host, names[i], mine, error);
        if (*mine)
            snprintf(name, MEETING_PATH_SIZE, "%s", names[i]);
    }
    free(names);
    return kind;
}

enum error_kind host_await(const struct host *host, char name[MEETING_PATH_SIZE],
                           struct error *error)
{
    struct sync_session *session = &host->meeting->setup->session;
    bool mine = false, led = true;
    session->changed = true;
    for (;;) {
        enum error_kind kind = ERROR_NONE;
        if (loop_is_interrupted(host->interrupts))
            return error_raise(error, ERROR_INTERRUPTED, 0, host->member->name, "%s", "");
        if (session->changed) {
            session->changed = false;
            kind = look_for_job(host, name, &mine, &led, error);
        }
        if (kind != ERROR_NONE || mine)
            return kind;
        if (host->once && name[0] != '\0' && !led) {
            name[0] = '\0';
            return ERROR_NONE;
        }
        kind = meeting_turn(host->meeting, clock_now_ns() + 5 * TURN_NS, error);
        if (kind != ERROR_NONE)
            return kind;
    }
}
