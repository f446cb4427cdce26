// SPDX-License-Identifier: Apache-2.0
#include "fleet/internal.h"
#include "servers/tcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long whoever removes the znodes of a run that has gone waits for an answer. */
#define CLEAR_NS   (10 * NS_PER_S)
#define RESOLVE_NS (2 * NS_PER_S)

enum error_kind job_refuse(struct error *error, const char *subject, const char *why)
{
    return error_raise(error, ERROR_NOT_VALID, 0, subject, "%s", why);
}

/* ------------------------------------------------------------------ what its data say */

/* The seat of this member, if it has one. */
static bool read_seats(struct job *job, const char *member, const char **text)
{
    for (uint32_t i = 0; i < job->head.hosts; i++) {
        struct crew_job_seat seat = {.first = 0};
        if (!text_fields_read(crew_job_seat_fields, &seat, sizeof seat, text))
            return false;
        if (strcmp(seat.member, member) == 0) {
            job->seat = seat;
            job->mine = true;
        }
    }
    return true;
}

/* Whether it is a trial's root, which is right below a run's: what is removed of a run that has
 * gone is no znode of anybody else. */
static bool is_root(const char *root)
{
    const char *slash = root[0] == '/' ? strchr(root + 1, '/') : NULL;
    return slash != NULL && strncmp(root + 1, RUN_ROOT_PREFIX, strlen(RUN_ROOT_PREFIX)) == 0 &&
           slash[1] != '\0' && slash[1] != '.' && strchr(slash + 1, '/') == NULL;
}

/* Input that is not trusted: whatever no command line of zkherd gives is refused. */
static bool is_fleet(const struct crew_job *head)
{
    return (head->driver == DRIVER_EVENTS || head->driver == DRIVER_THREADS) &&
           head->depth <= CLIENT_DEPTH_MAX && head->session_timeout_ms > 0 &&
           head->timeout_ns > 0 && head->sessions <= FLEET_SESSIONS_MAX &&
           head->processes <= head->sessions;
}

static enum error_kind read_job(struct job *job, const char *member, struct error *error)
{
    const char *text = job->data;
    const struct crew_job *head = &job->head;
    const struct crew_job_seat *seat = &job->seat;
    if (!text_fields_read(crew_job_fields, &job->head, sizeof job->head, &text) ||
        !read_seats(job, member, &text) || !is_fleet(head) || (job->mine && seat->count == 0) ||
        seat->count > head->processes || seat->first > head->processes - seat->count ||
        !is_root(head->root))
        return job_refuse(error, job->name, "its data are no job of zkherd");
    job->plan = text;
    return ERROR_NONE;
}

enum error_kind job_fetch(struct meeting *meeting, const char *name, const char *member,
                          struct job **job, struct error *error)
{
    struct job *made = *job = memory_new(1, sizeof *made);
    char path[MEETING_PATH_SIZE];
    bool there = false;
    made->name = name;
    crew_path(name, "", path);
    enum error_kind kind = meeting_get(meeting, path, NO_WATCH, &there, error);
    if (kind == ERROR_NONE && !there)
        kind = job_refuse(error, name, "the job has ended before it began");
    if (kind != ERROR_NONE)
        return kind;
    made->data = memory_text(meeting->setup->session.value);
    return read_job(made, member, error);
}

void job_free(struct job *job)
{
    free(job->data);
    free(job);
}

/* ------------------------------------------------------------------ its servers */

static enum error_kind check_servers(const struct connect_string *servers,
                                     const struct connect_string *only, struct error *error)
{
    for (size_t i = 0; only->count > 0 && i < servers->count; i++) {
        const struct endpoint *server = &servers->endpoints[i];
        bool allowed = false;
        for (size_t j = 0; j < only->count; j++)
            allowed = allowed || endpoint_equals(server, &only->endpoints[j]);
        if (!allowed)
            return job_refuse(error, server->host,
                              "this worker does not load this server (--only)");
    }
    return ERROR_NONE;
}

enum error_kind job_find_servers(struct job *job, const struct meeting *meeting,
                                 const struct connect_string *only, struct error *error)
{
    struct connect_string *servers = &job->servers;
    enum error_kind kind = connect_parse(job->head.servers, servers, error);
    if (kind == ERROR_NONE && only != NULL)
        kind = check_servers(servers, only, error);
    servers->identity = meeting->identity; /* this host's own */
    for (size_t i = 0; kind == ERROR_NONE && i < servers->count; i++)
        kind = tcp_resolve(&servers->endpoints[i], RESOLVE_NS, error);
    return kind;
}

/* ------------------------------------------------------------------ what is left of it */

/* The znodes of its run on the measured servers: those above the trial's root. */
static enum error_kind clear_servers(struct job *job, struct meeting *meeting,
                                     const struct connect_string *only, struct error *error)
{
    struct setup_session *setup = NULL;
    char root[MEETING_PATH_SIZE];
    snprintf(root, sizeof root, "%s", job->head.root);
    *strrchr(root, '/') = '\0';
    enum error_kind kind = job_find_servers(job, meeting, only, error);
    if (kind == ERROR_NONE)
        kind = setup_session_new_beside(&job->servers, &meeting->setup->session, CLEAR_NS, &setup,
                                        error);
    if (kind == ERROR_NONE)
        kind = setup_session_delete_tree(setup, root, error);
    setup_session_free(setup);
    return kind;
}

enum error_kind job_clear_away(struct meeting *meeting, const char *name,
                               const struct connect_string *only, bool insists, struct error *error)
{
    struct job *job;
    char path[MEETING_PATH_SIZE];
    enum error_kind kind = job_fetch(meeting, name, "", &job, error);
    bool is_job = kind == ERROR_NONE;
    if (is_job)
        kind = clear_servers(job, meeting, only, error);
    else if (kind == ERROR_NOT_VALID)
        kind = ERROR_NONE; /* it names no znodes */
    job_free(job);
    if (kind != ERROR_NONE && !(is_job && insists))
        return kind;
    crew_path(name, "", path);
    return meeting_delete(meeting, path, error);
}

/* Whether a member is at a job: it has told anything but that it has ended. */
static enum error_kind look_at_member(struct meeting *meeting, const char *job, const char *member,
                                      bool *served, struct error *error)
{
    struct crew_state state = {0};
    char path[MEETING_PATH_SIZE];
    bool there = false;
    crew_path(job, member, path);
    enum error_kind kind = meeting_get(meeting, path, NO_WATCH, &there, error);
    const char *text = meeting->setup->session.value;
    bool has_ended = there && text_fields_read(crew_state_fields, &state, sizeof state, &text) &&
                     (state.closed || state.error != ERROR_NONE);
    *served = there && !has_ended;
    return kind;
}

enum error_kind job_is_served(struct meeting *meeting, const char *name, bool *served,
                              struct error *error)
{
    const char **children = NULL;
    char path[MEETING_PATH_SIZE];
    size_t count = 0;
    *served = false;
    crew_path(name, "", path);
    enum error_kind kind = meeting_list(meeting, path, WATCH, &children, &count, error);
    for (size_t i = 0; kind == ERROR_NONE && !*served && i < count; i++) {
        if (strncmp(children[i], "member-", strlen("member-")) == 0 &&
            strstr(children[i], "-part-") == NULL)
            kind = look_at_member(meeting, name, children[i], served, error);
    }
    free(children);
    return kind;
}
