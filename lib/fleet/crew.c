// SPDX-License-Identifier: Apache-2.0
#include "fleet/crew.h"

#include "base/clock.h"
#include "base/text.h"
#include "fleet/fleet.h"
#include "fleet/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often members are counted that have yet to come, and an end is looked for. */
#define LOOK_NS (100 * NS_PER_MS)
/* How long hosts may take to answer an order for which the run waits. */
#define ANSWERS_NS (20 * NS_PER_S)

/* ------------------------------------------------------------------ the members */

/* Jobs of runs that have gone: no member is to take one for this run's. */
static enum error_kind remove_jobs(struct crew *crew, const struct connect_string *only,
                                   struct error *error)
{
    const char **names = NULL;
    size_t count = 0;
    enum error_kind kind = meeting_list(crew->meeting, "/jobs", NO_WATCH, &names, &count, error);
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++) {
        kind = job_clear_away(crew->meeting, names[i], only, true, error);
        kind = kind == ERROR_FORBIDDEN ? ERROR_NONE : kind; /* no member of this run reads it */
    }
    free(names);
    return kind;
}

enum error_kind crew_open(const struct connect_string *place, const struct connect_string *measured,
                          const char *who, const struct crew_kind *const *kinds, int interrupts,
                          struct crew **crew, struct error *error)
{
    struct crew *made = memory_new(1, sizeof *made);
    made->interrupts = interrupts;
    crew_meaning(kinds, made->meaning);
    enum error_kind kind = meeting_open(place, interrupts, true, &made->meeting, error);
    if (kind == ERROR_NONE)
        kind = meeting_lead(made->meeting, who, error);
    if (kind == ERROR_NONE)
        kind = remove_jobs(made, identity_is_known(place->identity) ? measured : NULL, error);
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
        return "its znode may not be read, or holds no description of a worker: give its --auth";
    if (!meeting_understands(member, crew->meaning))
        return "it is of another version of zkherd, whose results have another meaning";
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

static struct sync_session *session_of(const struct crew *crew)
{
    return &crew->meeting->setup->session;
}

/* Until something has changed at the meeting place, or for the time of a look. */
static enum error_kind await_change(struct crew *crew, struct error *error)
{
    const struct sync_session *session = session_of(crew);
    uint64_t until_ns = clock_now_ns() + LOOK_NS;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE && !session->changed && clock_now_ns() < until_ns)
        kind = meeting_turn(crew->meeting, until_ns, error);
    return kind;
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
        session_of(crew)->changed = false;
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
            return error_raise(error, ERROR_FEW_WORKERS, 0, session_of(crew)->servers,
                               "%u of %u %s there%s%s", crew->count, least,
                               crew->count == 1 ? "is" : "are", why[0] != '\0' ? ", without " : "",
                               why);
        kind = await_change(crew, error);
        if (kind != ERROR_NONE)
            return kind;
    }
}

enum error_kind crew_left(struct crew *crew, uint32_t *left, struct error *error)
{
    struct meeting_member *list = NULL;
    size_t count;
    *left = 0;
    enum error_kind kind = meeting_members(crew->meeting, NO_WATCH, &list, &count, error);
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++) {
        const char *reason = unfit(crew, &list[i]);
        *left += reason == NULL || strcmp(reason, BUSY) == 0;
    }
    free(list);
    return kind;
}

const struct crew_seat *crew_seat(const struct crew *crew, uint32_t index)
{
    return index < crew->count ? &crew->hosts[index].seat : NULL;
}

/* Each member runs `share` processes; with fewer sessions than all shares, one process each while
 * sessions last. */
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

void crew_share(struct crew *crew)
{
    crew->shares = true;
}

int crew_descriptor(const struct crew *crew)
{
    return event_loop_descriptor(session_of(crew)->loop.event_loop);
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
        kind = error_raise(error, ERROR_MEETING_LOST, 0, session_of(crew)->servers,
                           "somebody has deleted the znodes of this run's job");
    return kind;
}

/* Writes an order if the run has changed what is one. */
static enum error_kind give_order(struct crew *crew, struct error *error)
{
    const struct shared *shared = crew->held.shared;
    uint32_t phase = (uint32_t)atomic_load(&shared->phase), inquiry = atomic_load(&shared->inquiry);
    uint64_t command = crew->pending ? 0 : shared_command(shared);
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

enum error_kind crew_turn(struct crew *crew, struct error *error)
{
    enum error_kind kind = give_order(crew, error);
    return kind == ERROR_NONE ? crew_listen(crew, 0, error) : kind;
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

void crew_rest(struct crew *crew)
{
    struct error ignored;
    (void)!meeting_turn(crew->meeting, clock_now_ns(), &ignored);
}

enum error_kind crew_delete_tree(struct crew *crew, struct setup_session *setup, const char *path,
                                 struct error *error)
{
    if (crew != NULL)
        setup->session.companion = session_of(crew);
    enum error_kind kind = setup_session_delete_tree(setup, path, error);
    setup->session.companion = NULL;
    return kind;
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
            if (loop_is_interrupted(crew->interrupts))
                return error_raise(error, ERROR_INTERRUPTED, 0, crew->job, "%s", "");
            kind = crew_listen(crew, clock_now_ns() + LOOK_NS, error);
        }
        if (kind != ERROR_NONE)
            return kind;
        if (is_behind(crew, host))
            crew_lose(crew, host, "has not answered an order", false);
    }
    return ERROR_NONE;
}

/* A server sends a notification before the reply to a read that sees what the notification is of:
 * when all answers are read, all notifications are counted. */
enum error_kind crew_hush(struct crew *crew, struct sync_session_traffic *traffic,
                          struct error *error)
{
    enum error_kind kind = order_quiet(crew, true, error);
    if (kind == ERROR_NONE)
        kind = await_answers(crew, error);
    *traffic = crew_traffic(crew);
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

/* A job without seats: it only names the root to delete if the run dies. It is removed when there
 * is another one. */
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
    struct sync_session *session = session_of(crew);
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
    crew->before = session_of(crew)->traffic;
    name_job(crew);
    session->heard = crew_notified;
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

void crew_end(struct crew *crew, uint64_t most_ns)
{
    struct error ignored;
    uint64_t until_ns = clock_now_ns() + most_ns;
    if (crew->held.shared == NULL)
        return;
    enum error_kind kind = crew_turn(crew, &ignored);
    while (kind == ERROR_NONE && !crew_have_closed(crew) && clock_now_ns() < until_ns) {
        kind = meeting_turn(crew->meeting, clock_now_ns() + LOOK_NS, &ignored);
        if (kind == ERROR_NONE)
            kind = crew_turn(crew, &ignored);
    }
    snprintf(crew->ended, sizeof crew->ended, "%s", crew->job);
    session_of(crew)->heard = NULL;
    crew->held = (struct fleet){0};
}
