// SPDX-License-Identifier: Apache-2.0
#include "fleet/crew.h"

#include "base/clock.h"
#include "base/text.h"
#include "fleet/fleet.h"
#include "fleet/internal.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often members are counted that have yet to come, and an end is looked for. */
#define LOOK_NS (100 * NS_PER_MS)
/* How long hosts may take to answer an order for which the run waits. */
#define ANSWERS_NS (20 * NS_PER_S)

struct crew_host {
    struct crew_seat seat;
    struct crew_state state; /* as it was told last */
    bool changed;            /* it has told something that is not read yet */
    bool told;               /* anything so far */
    bool gone;
    uint64_t told_ns; /* when the last order had come, as far as is known here */
    bool has_clock;
    int64_t clock_low_ns, clock_high_ns; /* see crew_clock */
};

struct crew {
    struct meeting *meeting;
    char meaning[65];
    int interrupts;
    struct crew_host *hosts;
    uint32_t count;
    char gone[256]; /* why the first of them has gone; "": all are there */
    bool has_died;  /* its session with the meeting place has ended */
    size_t members; /* at the last look: chosen or not */
    bool is_measured;

    char ended[MEETING_PATH_SIZE]; /* the last job, which is still there; "": there is none */

    /* The present job: */
    struct fleet held; /* its `shared` is NULL: there is none */
    char job[MEETING_PATH_SIZE];
    struct crew_order order; /* as it was written last */
    bool pending;            /* its command is not taken by all whom it is for */
    uint64_t written_ns;     /* when the last order was */
    uint64_t ordered_ns;     /* when the last order was written that has a new time */
    uint64_t timed;          /* its serial; 0: there was none */
    bool shares;             /* the kind's words are to be told */
    uint64_t inquired_ns;    /* when the last inquiry was written, or the order to take readings */
    struct meeting_traffic before; /* the job, of the run's session */
};

/* ------------------------------------------------------------------ the members */

/* Those of runs that have gone, whose hosts have gone as well. */
static enum error_kind remove_jobs(struct crew *crew, struct error *error)
{
    const char **names = NULL;
    size_t count = 0;
    enum error_kind kind = meeting_list(crew->meeting, "/jobs", NO_WATCH, &names, &count, error);
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++) {
        char path[MEETING_PATH_SIZE];
        crew_path(names[i], "", path);
        kind = meeting_delete(crew->meeting, path, error);
    }
    free(names);
    return kind;
}

enum error_kind crew_open(const struct connect_string *place, const char *who,
                          const struct crew_kind *const *kinds, int interrupts, struct crew **crew,
                          struct error *error)
{
    struct crew *made = memory_new(1, sizeof *made);
    made->interrupts = interrupts;
    crew_meaning(kinds, made->meaning);
    enum error_kind kind = meeting_open(place, interrupts, true, &made->meeting, error);
    if (kind == ERROR_NONE)
        kind = meeting_lead(made->meeting, who, error);
    if (kind == ERROR_NONE)
        kind = remove_jobs(made, error);
    if (kind == ERROR_NONE)
        *crew = made;
    else
        crew_close(made);
    return kind;
}

/* A job stays until the next one is there, or the run has removed all its znodes: if the run dies
 * between the two, its hosts know from the job what is to be removed. */
static void remove_ended(struct crew *crew)
{
    char path[MEETING_PATH_SIZE];
    struct error ignored;
    if (crew->ended[0] == '\0')
        return;
    crew->meeting->setup->interrupts = -1;
    crew_path(crew->ended, "", path);
    (void)!meeting_delete(crew->meeting, path, &ignored); /* lost: hosts that wait remove it */
    crew->ended[0] = '\0';
}

void crew_close(struct crew *crew)
{
    if (crew == NULL)
        return;
    remove_ended(crew);
    meeting_free(crew->meeting);
    free(crew->hosts);
    free(crew);
}

#define BUSY "it has not ended its last job yet"

/* Why a member cannot take part; NULL if it can. */
static const char *unfit(const struct crew *crew, const struct meeting_member *member)
{
    if (member->protocol == 0)
        return "its znode holds no description of a worker";
    if (!meeting_understands(member, crew->meaning))
        return "it is of another version, whose results have another meaning";
    return strcmp(member->doing, MEETING_WAITS) == 0 ? NULL : BUSY;
}

/* Takes those that can take part; says in `why` what keeps others from it. Returns how many of
 * these may soon be able to. */
static uint32_t choose(struct crew *crew, const struct meeting_member *list, size_t count,
                       uint32_t most, char *why, size_t size)
{
    uint32_t chosen = 0, busy = 0;
    free(crew->hosts);
    crew->hosts = memory_new(count + 1, sizeof *crew->hosts);
    why[0] = '\0';
    for (size_t i = 0; i < count && chosen < most; i++) {
        const char *reason = unfit(crew, &list[i]);
        busy += reason != NULL && strcmp(reason, BUSY) == 0;
        if (reason == NULL)
            crew->hosts[chosen++].seat.member = list[i];
        else
            text_append_clause(why, size, "%s%s%s (%s)", list[i].name,
                               list[i].host[0] ? " on " : "", list[i].host, reason);
    }
    crew->count = chosen;
    return busy;
}

enum error_kind crew_gather(struct crew *crew, uint32_t least, uint32_t most, uint64_t wait_ns,
                            struct error *error)
{
    uint64_t until_ns = clock_now_ns() + wait_ns;
    crew->meeting->setup->interrupts = crew->interrupts;
    for (;;) {
        struct meeting_member *list = NULL;
        size_t count;
        char why[sizeof error->detail - 64];
        enum error_kind kind = meeting_members(crew->meeting, WATCH, &list, &count, error);
        if (kind != ERROR_NONE)
            return kind;
        crew->gone[0] = '\0';
        crew->has_died = false;
        uint32_t busy = choose(crew, list, count, most, why, sizeof why);
        bool is_late = clock_now_ns() >= until_ns;
        free(list);
        if (crew->count >= least && (crew->count >= most || busy == 0 || is_late))
            return ERROR_NONE;
        if (is_late)
            return error_raise(error, ERROR_FEW_WORKERS, 0, crew->meeting->setup->session.servers,
                               "%u of %u %s there%s%s", crew->count, least,
                               crew->count == 1 ? "is" : "are", why[0] != '\0' ? ", without " : "",
                               why);
        kind = meeting_turn(crew->meeting, clock_now_ns() + LOOK_NS, error);
        if (kind != ERROR_NONE)
            return kind;
    }
}

const struct crew_seat *crew_seat(const struct crew *crew, uint32_t index)
{
    return index < crew->count ? &crew->hosts[index].seat : NULL;
}

/* A member's share is so many processes; sessions that are fewer leave one for each member. */
uint32_t crew_processes(struct crew *crew, uint32_t sessions)
{
    uint32_t shares = 0, processes = 0;
    for (uint32_t i = 0; i < crew->count; i++)
        shares += crew->hosts[i].seat.member.share;
    for (uint32_t i = 0; i < crew->count; i++) {
        struct crew_seat *seat = &crew->hosts[i].seat;
        seat->first = processes;
        seat->count = shares <= sessions ? seat->member.share : processes < sessions;
        processes += seat->count;
    }
    return processes;
}

double crew_cores(const struct crew *crew)
{
    double cores = 0;
    for (uint32_t i = 0; i < crew->count; i++)
        cores += crew->hosts[i].seat.member.cores;
    return cores;
}

uint32_t crew_left(const struct crew *crew)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < crew->count; i++)
        left += !crew->hosts[i].gone;
    return left;
}

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

static struct meeting_traffic traffic_of_job(const struct crew *crew)
{
    struct meeting_traffic sum = meeting_traffic(crew->meeting, &crew->before);
    for (uint32_t i = 0; i < crew->count; i++) {
        const struct meeting_traffic *host = &crew->hosts[i].state.traffic;
        sum.requests += host->requests;
        sum.writes += host->writes;
        sum.notifications += host->notifications;
        sum.losses += host->losses;
    }
    return sum;
}

uint64_t crew_requests(const struct crew *crew)
{
    return traffic_of_job(crew).requests;
}

void crew_share(struct crew *crew)
{
    crew->shares = true;
}

bool crew_has_shared(const struct crew *crew)
{
    bool all = !crew->shares;
    for (uint32_t i = 0; i < crew->count; i++)
        all = all && (crew->hosts[i].gone || crew->hosts[i].state.serial >= crew->order.shared);
    return all;
}

int crew_descriptor(const struct crew *crew)
{
    return event_loop_descriptor(crew->meeting->setup->session.loop.event_loop);
}

uint64_t crew_cpu_ns(const struct crew *crew)
{
    uint64_t sum_ns = 0;
    for (uint32_t i = 0; i < crew->count; i++)
        sum_ns += crew->hosts[i].state.cpu_ns;
    return sum_ns;
}

/* ------------------------------------------------------------------ a host that goes */

static void lose_host(struct crew *crew, struct crew_host *host, const char *why, bool has_died)
{
    host->gone = true;
    crew->has_died = crew->gone[0] == '\0' ? has_died : crew->has_died;
    if (crew->gone[0] == '\0')
        snprintf(crew->gone, sizeof crew->gone, "worker %s on %.60s %.160s", host->seat.member.name,
                 host->seat.member.host, why);
}

/* ------------------------------------------------------------------ orders */

/* The hosts count from their receipt on; the times behind the first keep their distance from that,
 * however long the order takes. */
static void put_times(const struct crew *crew, struct crew_order *order)
{
    uint64_t now_ns = clock_now_ns(), times_ns[CREW_TIMES_MAX];
    if (crew->held.remote->get_times == NULL)
        return;
    crew->held.remote->get_times(crew->held.kind, times_ns);
    uint64_t first_ns = times_ns[0], wait_ns = first_ns > now_ns ? first_ns - now_ns : 0;
    for (size_t i = 0; i < CREW_TIMES_MAX; i++)
        order->times_ns[i] = first_ns == UINT64_MAX || times_ns[i] == UINT64_MAX
                                 ? UINT64_MAX
                                 : times_ns[i] - first_ns + wait_ns;
}

/* The command that waits in the run's memory, for a session or for all; 0: none. */
static uint64_t command_of(const struct shared *shared)
{
    for (uint32_t i = 0; i < shared->plan->processes; i++) {
        uint64_t command = atomic_load(&shared->workers[i].command);
        if (command != 0)
            return command;
    }
    return 0;
}

static enum error_kind write_order(struct crew *crew, struct error *error)
{
    struct growing_text text = {0};
    char path[MEETING_PATH_SIZE];
    bool there = false;
    crew_path(crew->job, "order", path);
    crew->written_ns = clock_now_ns();
    text_fields_write(crew_order_fields, &crew->order, &text);
    enum error_kind kind = meeting_set(crew->meeting, path, text.text, text.length, &there, error);
    free(text.text);
    if (kind == ERROR_NONE && !there)
        kind = error_raise(error, ERROR_MEETING_LOST, 0, crew->meeting->setup->session.servers,
                           "somebody has deleted the znodes of this run's job");
    return kind;
}

/* Writes an order if the run has changed what is one. */
static enum error_kind give_order(struct crew *crew, struct error *error)
{
    const struct shared *shared = crew->held.shared;
    uint32_t phase = (uint32_t)atomic_load(&shared->phase), inquiry = atomic_load(&shared->inquiry);
    uint64_t command = crew->pending ? 0 : command_of(shared);
    struct crew_order *order = &crew->order;
    if (phase == order->phase && inquiry == order->inquiry && command == 0 && !crew->shares)
        return ERROR_NONE;
    if (inquiry != order->inquiry || phase == PHASE_MEASURED)
        crew->inquired_ns = clock_now_ns();
    order->serial++;
    if (crew->shares) {
        crew->held.remote->get_words(crew->held.kind, order->words);
        order->shared = order->serial;
        crew->shares = false;
    }
    order->phase = phase;
    order->inquiry = inquiry;
    if (command != 0) {
        order->commanded = order->serial;
        order->command = command;
        crew->pending = true;
    }
    for (size_t i = 0; i < CONNECT_ENDPOINTS_MAX; i++)
        order->roles[i] = (uint32_t)shared->roles[i];
    uint64_t before_ns = order->times_ns[0];
    put_times(crew, order);
    if (before_ns == UINT64_MAX && order->times_ns[0] != UINT64_MAX) {
        crew->timed = order->serial;
        crew->ordered_ns = clock_now_ns();
    }
    return write_order(crew, error);
}

/* ------------------------------------------------------------------ what hosts tell */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* A watch has fired: of a host's state, or, with a session that has lost its connection, of any. */
static void hear(void *context, const char *path)
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
    char path[MEETING_PATH_SIZE];
    struct error why;
    crew_path(crew->job, host->seat.member.name, path);
    enum error_kind kind = crew_parts_take(crew->meeting, path, &crew->held, host->seat.first,
                                           host->seat.count, state, &why);
    if (kind == ERROR_MALFORMED) {
        lose_host(crew, host, why.detail, false);
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
        lose_host(crew, host, "has gone before the trial began", true);
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
        lose_host(crew, host, "has gone: its session with the meeting place has ended", true);
    else if (!text_fields_read(crew_state_fields, &state, sizeof state, &text))
        lose_host(crew, host, "has told what is no state of a worker", false);
    if (host->gone)
        return ERROR_NONE;
    if (state.error != ERROR_NONE) {
        snprintf(why, sizeof why, "has given up: %s%s%s", state.detail,
                 state.detail[0] != '\0' && state.subject[0] != '\0' ? ": " : "", state.subject);
        lose_host(crew, host, why, false);
    }
    compare_clocks(crew, host, &state);
    bool was_final = host->state.final, reports = state.final && !was_final;
    if (state.serial >= crew->timed && host->state.serial < crew->timed)
        host->told_ns = clock_now_ns();
    host->state = state;
    host->told = true;
    /* What is told of words is of those that the host has. */
    if (!host->gone && !was_final && state.serial >= crew->order.shared)
        crew->held.remote->hear(crew->held.kind, host->seat.first, state.live);
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
        shared->workers[host->seat.first].rss_kib = state->rss_kib;
        if (state->final) /* what was counted has come itself */
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
        atomic_store(&shared->busy, (int64_t)sum.busy + (command_of(shared) != 0));
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

/* Handles what has arrived, and waits for that until until_ns at most. */
static enum error_kind listen(struct crew *crew, uint64_t until_ns, struct error *error)
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

enum error_kind crew_turn(struct crew *crew, struct error *error)
{
    enum error_kind kind = give_order(crew, error);
    return kind == ERROR_NONE ? listen(crew, 0, error) : kind;
}

/* ------------------------------------------------------------------ beside the measured servers */

/* Elsewhere nobody asks how many they are. */
static enum error_kind count_members(struct crew *crew, struct error *error)
{
    const char **names = NULL;
    if (!crew->is_measured)
        return ERROR_NONE;
    enum error_kind kind =
        meeting_list(crew->meeting, "/members", NO_WATCH, &names, &crew->members, error);
    free(names);
    return kind;
}

enum error_kind crew_look_for(struct crew *crew, const struct setup_session *measured,
                              struct error *error)
{
    enum error_kind kind = meeting_finds(crew->meeting, measured, &crew->is_measured, error);
    return kind == ERROR_NONE ? count_members(crew, error) : kind;
}

bool crew_is_measured(const struct crew *crew)
{
    return crew->is_measured;
}

static enum error_kind order_quiet(struct crew *crew, bool quiet, struct error *error)
{
    crew->order.serial++;
    crew->order.quiet = quiet;
    return write_order(crew, error);
}

static bool is_behind(const struct crew *crew, const struct crew_host *host)
{
    return !host->gone && host->state.serial != crew->order.serial;
}

/* A host that has gone is known sooner than that. */
static enum error_kind await_answers(struct crew *crew, struct error *error)
{
    uint64_t until_ns = clock_now_ns() + ANSWERS_NS;
    for (uint32_t i = 0; i < crew->count; i++) {
        struct crew_host *host = &crew->hosts[i];
        enum error_kind kind = ERROR_NONE;
        while (kind == ERROR_NONE && is_behind(crew, host) && clock_now_ns() < until_ns) {
            struct pollfd interrupt = {.fd = crew->interrupts, .events = POLLIN};
            if (crew->interrupts >= 0 && poll(&interrupt, 1, 0) > 0)
                return error_raise(error, ERROR_INTERRUPTED, 0, crew->job, "%s", "");
            kind = listen(crew, clock_now_ns() + LOOK_NS, error);
        }
        if (kind != ERROR_NONE)
            return kind;
        if (is_behind(crew, host))
            lose_host(crew, host, "has not answered an order", false);
    }
    return ERROR_NONE;
}

/* A server sends a notification before the reply to a read that sees what the notification is of:
 * when all answers are read, all notifications are counted. */
enum error_kind crew_hush(struct crew *crew, struct meeting_traffic *traffic, struct error *error)
{
    enum error_kind kind = order_quiet(crew, true, error);
    if (kind == ERROR_NONE)
        kind = await_answers(crew, error);
    *traffic = traffic_of_job(crew);
    return kind;
}

enum error_kind crew_unhush(struct crew *crew, struct error *error)
{
    return order_quiet(crew, false, error);
}

uint64_t crew_sessions(const struct crew *crew)
{
    return crew->members + UINT64_C(1);
}

uint64_t crew_pings(const struct crew *crew, uint64_t since_ns)
{
    return crew_sessions(crew) * setup_session_pings(crew->meeting->setup, since_ns);
}

/* ------------------------------------------------------------------ a job */

/* Adds the head of a job on these servers, which the caller has filled in otherwise. */
static void add_head(const struct crew *crew, struct crew_job *job,
                     const struct connect_string *servers, struct growing_text *text)
{
    job->protocol = MEETING_PROTOCOL;
    snprintf(job->meaning, sizeof job->meaning, "%s", crew->meaning);
    connect_typed(servers, job->servers, sizeof job->servers);
    text_fields_write(crew_job_fields, job, text);
}

static char *describe_job(const struct crew *crew)
{
    const struct fleet_plan *plan = crew->held.shared->plan;
    struct crew_job job = {.driver = (uint32_t)plan->driver,
                           .depth = plan->depth,
                           .session_timeout_ms = plan->session_timeout_ms,
                           .timeout_ns = plan->timeout_ns,
                           .seed = plan->seed,
                           .sessions = plan->sessions,
                           .processes = plan->processes,
                           .hosts = crew->count};
    struct growing_text text = {0};
    snprintf(job.kind, sizeof job.kind, "%s", crew->held.remote->name);
    snprintf(job.root, sizeof job.root, "%s", crew->held.root);
    add_head(crew, &job, plan->servers, &text);
    for (uint32_t i = 0; i < crew->count; i++) {
        const struct crew_seat *from = &crew->hosts[i].seat;
        struct crew_job_seat seat = {.first = from->first, .count = from->count};
        snprintf(seat.member, sizeof seat.member, "%s", from->member.name);
        text_fields_write(crew_job_seat_fields, &seat, &text);
    }
    growing_text_add(&text, "%s", crew->held.text);
    return text.text;
}

/* A job for nobody, which is removed when there is another one. */
enum error_kind crew_announce(struct crew *crew, const struct connect_string *servers,
                              const char *root, struct error *error)
{
    struct crew_job job = {.driver = DRIVER_EVENTS, .session_timeout_ms = 1, .timeout_ns = 1};
    struct growing_text text = {0};
    char path[MEETING_PATH_SIZE];
    snprintf(job.root, sizeof job.root, "%.100s/t", root);
    add_head(crew, &job, servers, &text);
    snprintf(crew->ended, sizeof crew->ended, "%.100s", root + strspn(root, "/"));
    crew_path(crew->ended, "", path);
    enum error_kind kind =
        meeting_create(crew->meeting, path, PERSISTENT, text.text, text.length, NULL, error);
    free(text.text);
    return kind;
}

/* The job's name is the trial's root, which no other has. */
static void name_job(struct crew *crew)
{
    snprintf(crew->job, sizeof crew->job, "%.100s", crew->held.root + strspn(crew->held.root, "/"));
    for (char *at = crew->job; *at != '\0'; at++)
        *at = *at == '/' ? '-' : *at;
}

enum error_kind crew_begin(struct crew *crew, const struct fleet *fleet, struct error *error)
{
    struct sync_session *session = &crew->meeting->setup->session;
    char path[MEETING_PATH_SIZE];
    crew->meeting->setup->interrupts = -1; /* whoever leads the trial heeds them */
    crew->held = *fleet;
    crew->order = (struct crew_order){.phase = PHASE_CONNECT};
    for (size_t i = 0; i < CREW_TIMES_MAX; i++)
        crew->order.times_ns[i] = UINT64_MAX;
    crew->pending = false;
    crew->timed = 0;
    for (uint32_t i = 0; i < crew->count; i++)
        crew->hosts[i] = (struct crew_host){.seat = crew->hosts[i].seat, .changed = true};
    crew->before = meeting_traffic(crew->meeting, &(struct meeting_traffic){.requests = 0});
    name_job(crew);
    session->heard = hear;
    session->hearer = crew;
    session->changed = true;
    char *text = describe_job(crew);
    crew_path(crew->job, "", path);
    enum error_kind kind =
        meeting_create(crew->meeting, path, PERSISTENT, text, strlen(text), NULL, error);
    free(text);
    crew_path(crew->job, "order", path);
    if (kind == ERROR_NONE)
        kind = meeting_create(crew->meeting, path, PERSISTENT, NULL, 0, NULL, error);
    if (kind == ERROR_NONE)
        remove_ended(crew);
    return kind == ERROR_NONE ? count_members(crew, error) : kind;
}

static bool have_closed(const struct crew *crew)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        if (!crew->hosts[i].gone && !crew->hosts[i].state.closed)
            return false;
    }
    return true;
}

void crew_end(struct crew *crew, uint64_t most_ns)
{
    struct error ignored;
    uint64_t until_ns = clock_now_ns() + most_ns;
    if (crew->held.shared == NULL)
        return;
    enum error_kind kind = crew_turn(crew, &ignored);
    while (kind == ERROR_NONE && !have_closed(crew) && clock_now_ns() < until_ns) {
        kind = meeting_turn(crew->meeting, clock_now_ns() + LOOK_NS, &ignored);
        if (kind == ERROR_NONE)
            kind = crew_turn(crew, &ignored);
    }
    snprintf(crew->ended, sizeof crew->ended, "%s", crew->job);
    crew->meeting->setup->session.heard = NULL;
    crew->held = (struct fleet){0};
}
