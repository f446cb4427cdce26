// SPDX-License-Identifier: Apache-2.0
#include "fleet/meeting.h"

#include "base/memory.h"
#include "base/text_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_NS (10 * NS_PER_S)
#define LEAD      "/lead"
#define MEMBERS   "/members"

static const struct text_field fields[] = {
#define FIELD(member, kind) TEXT_FIELD(struct meeting_member, member, kind)
    FIELD(protocol, U32),
    FIELD(version, TEXT),
    FIELD(meaning, TEXT),
    FIELD(host, TEXT),
    FIELD(process, U32),
    FIELD(system, TEXT),
    FIELD(cores, U32),
    FIELD(memory_mib, U64),
    FIELD(share, U32),
    FIELD(max_clients, U64),
    FIELD(max_rate, U64),
    FIELD(only, TEXT),
    FIELD(doing, TEXT),
    FIELD(clock_us, U64),
    FIELD(server_ms, U64),
    FIELD(within_us, U64),
#undef FIELD
    {0}};

static enum zk_status status(const struct meeting *meeting)
{
    return meeting->setup->session.reply.status;
}

/* ------------------------------------------------------------------ the session */

/* A request that has failed: the meeting is lost, unless the error is of one znode or of the user.
 */
static enum error_kind check(const struct meeting *meeting, enum error_kind kind,
                             struct error *error)
{
    const struct sync_session *session = &meeting->setup->session;
    struct error why;
    bool is_other = meeting->session != 0 && session->state == CLIENT_ESTABLISHED &&
                    client_session_id(session->client) != meeting->session;
    if (kind == ERROR_INTERRUPTED || kind == ERROR_FORBIDDEN || kind == ERROR_REFUSED_IDENTITY ||
        kind == ERROR_LEFT_BEHIND || (kind == ERROR_NONE && !is_other))
        return kind;
    why = *error;
    return error_raise(error, ERROR_MEETING_LOST, 0, session->servers, "%s",
                       is_other                ? "its servers have ended this host's session"
                       : why.detail[0] != '\0' ? why.detail
                                               : error_words(kind));
}

/* Asks first: a create needs the permission even if the znode is there. */
static enum error_kind make_folder(struct meeting *meeting, const char *path, struct error *error)
{
    bool there = false;
    enum error_kind kind = meeting_exists(meeting, path, NO_WATCH, &there, error);
    return kind == ERROR_NONE && !there
               ? meeting_create(meeting, path, PERSISTENT, NULL, 0, NULL, error)
               : kind;
}

/* The chroot, one znode after another, and the folders. */
static enum error_kind make_folders(struct meeting *meeting, struct error *error)
{
    char base[sizeof meeting->base];
    enum error_kind kind = ERROR_NONE;
    snprintf(base, sizeof base, "%s", meeting->base);
    meeting->base[0] = '\0';
    for (char *at = base; kind == ERROR_NONE && *at != '\0';) {
        char *next = strchr(at + 1, '/');
        size_t length = next != NULL ? (size_t)(next - base) : strlen(base);
        char path[sizeof base];
        snprintf(path, sizeof path, "%.*s", (int)length, base);
        kind = make_folder(meeting, path, error);
        at = base + length;
    }
    snprintf(meeting->base, sizeof meeting->base, "%s", base);
    if (kind == ERROR_NONE)
        kind = make_folder(meeting, MEMBERS, error);
    return kind == ERROR_NONE ? make_folder(meeting, "/jobs", error) : kind;
}

enum error_kind meeting_open(const struct connect_string *place, int interrupts, bool creates,
                             struct meeting **meeting, struct error *error)
{
    struct meeting *made = memory_new(1, sizeof *made);
    struct connect_string servers = *place;
    made->identity = place->identity;
    snprintf(made->base, sizeof made->base, "%s", place->chroot);
    servers.chroot[0] = '\0';
    enum error_kind kind =
        setup_session_new(&servers, NULL, ANSWER_NS, interrupts, &made->setup, error);
    if (kind == ERROR_NONE) {
        made->setup->away_ns = MEETING_AWAY_NS;
        connect_typed(place, made->setup->session.servers, sizeof made->setup->session.servers);
        if (creates)
            kind = make_folders(made, error);
    }
    if (kind == ERROR_NONE) {
        made->session = client_session_id(made->setup->session.client);
        *meeting = made;
    } else {
        meeting_free(made);
    }
    return kind;
}

void meeting_free(struct meeting *meeting)
{
    if (meeting == NULL)
        return;
    setup_session_free(meeting->setup);
    free(meeting);
}

enum error_kind meeting_turn(struct meeting *meeting, uint64_t until_ns, struct error *error)
{
    struct sync_session *session = &meeting->setup->session;
    enum error_kind kind = loop_turn(&session->loop, until_ns, error);
    if (kind == ERROR_NONE && session->state == CLIENT_EXPIRED)
        return error_raise(error, ERROR_MEETING_LOST, 0, session->servers, "%s",
                           "its servers have ended this host's session");
    if (kind == ERROR_NONE && session->state == CLIENT_CONNECTING &&
        loop_now_ns(&session->loop) - session->lost_ns > MEETING_AWAY_NS)
        return error_raise(error, ERROR_MEETING_LOST, 0, session->servers,
                           "no connection for %llu ms",
                           (unsigned long long)(MEETING_AWAY_NS / NS_PER_MS));
    return check(meeting, kind, error);
}

/* ------------------------------------------------------------------ znodes */

/* The request's path gets the chroot before it. */
static enum error_kind ask(struct meeting *meeting, struct request request, bool *there,
                           struct error *error)
{
    char path[SYNC_SESSION_PATH_MAX];
    snprintf(path, sizeof path, "%s%s", meeting->base, request.path);
    request.path = path;
    enum error_kind kind =
        check(meeting, setup_session_ask(meeting->setup, &request, error), error);
    bool creates = request.operation == OP_CREATE;
    if (kind == ERROR_NONE && creates && status(meeting) == ZK_NO_NODE)
        kind = error_raise(error, ERROR_MEETING_LOST, 0, path, "a znode above it has gone");
    if (there != NULL)
        *there = kind == ERROR_NONE && status(meeting) == (creates ? ZK_NODE_EXISTS : ZK_OK);
    return kind;
}

enum error_kind meeting_create(struct meeting *meeting, const char *path, enum create_mode mode,
                               const void *value, size_t value_length, bool *there,
                               struct error *error)
{
    return ask(meeting, request_create(path, value, value_length, mode), there, error);
}

enum error_kind meeting_get(struct meeting *meeting, const char *path, enum watch_flag watch,
                            bool *there, struct error *error)
{
    const struct request request = {.operation = OP_GET, .path = path, .watch = watch};
    return ask(meeting, request, there, error);
}

enum error_kind meeting_set(struct meeting *meeting, const char *path, const void *value,
                            size_t value_length, bool *there, struct error *error)
{
    return ask(meeting, request_set(path, value, value_length, REQUEST_ANY_VERSION), there, error);
}

enum error_kind meeting_exists(struct meeting *meeting, const char *path, enum watch_flag watch,
                               bool *there, struct error *error)
{
    const struct request request = {.operation = OP_EXISTS, .path = path, .watch = watch};
    return ask(meeting, request, there, error);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum error_kind meeting_list(struct meeting *meeting, const char *path, enum watch_flag watch,
                             const char ***names, size_t *count, struct error *error)
{
    const struct request request = {.operation = OP_GET_CHILDREN, .path = path, .watch = watch};
    struct sync_session *session = &meeting->setup->session;
    enum error_kind kind = ask(meeting, request, NULL, error);
    if (kind != ERROR_NONE)
        return kind;
    *names = session->names;
    *count = status(meeting) == ZK_OK ? session->reply.name_count : 0;
    session->names = NULL;
    if (*count > 0)
        qsort(*names, *count, sizeof **names, by_name);
    return ERROR_NONE;
}

enum error_kind meeting_delete(struct meeting *meeting, const char *path, struct error *error)
{
    char whole[SYNC_SESSION_PATH_MAX];
    snprintf(whole, sizeof whole, "%s%s", meeting->base, path);
    return check(meeting, setup_session_delete_tree(meeting->setup, whole, error), error);
}

enum error_kind meeting_finds(struct meeting *meeting, const struct setup_session *marked,
                              bool *finds, struct error *error)
{
    char path[2 * SYNC_SESSION_PATH_MAX];
    const struct client_reply *reply = &meeting->setup->session.reply;
    snprintf(path, sizeof path, "%s%s", marked->chroot, marked->mark);
    const struct request sync = {.operation = OP_SYNC, .path = path},
                         request = {.operation = OP_EXISTS, .path = path};
    enum error_kind kind = check(meeting, setup_session_ask(meeting->setup, &sync, error), error);
    if (kind == ERROR_NONE)
        kind = check(meeting, setup_session_ask(meeting->setup, &request, error), error);
    *finds = kind == ERROR_NONE && reply->status == ZK_OK && reply->owner == marked->marked_session;
    return kind;
}

/* ------------------------------------------------------------------ members */

static void path_of(const char *name, char path[MEETING_PATH_SIZE])
{
    snprintf(path, MEETING_PATH_SIZE, MEMBERS "/%s", name);
}

enum error_kind meeting_tell(struct meeting *meeting, const struct meeting_member *member,
                             struct error *error)
{
    struct growing_text text = {0};
    char path[MEETING_PATH_SIZE];
    path_of(member->name, path);
    text_fields_write(fields, member, &text);
    enum error_kind kind = meeting_set(meeting, path, text.text, text.length, NULL, error);
    free(text.text);
    return kind;
}

/* When the znode was created by the servers' clock lies between the two times of this host's. */
enum error_kind meeting_join(struct meeting *meeting, struct meeting_member *member,
                             struct error *error)
{
    const struct sync_session *session = &meeting->setup->session;
    char path[MEETING_PATH_SIZE];
    uint64_t before_us = clock_utc_ns() / NS_PER_US;
    enum error_kind kind =
        meeting_create(meeting, MEMBERS "/member-", EPHEMERAL_SEQUENTIAL, NULL, 0, NULL, error);
    uint64_t after_us = clock_utc_ns() / NS_PER_US;
    if (kind != ERROR_NONE)
        return kind;
    snprintf(member->name, sizeof member->name, "%s", strrchr(session->created, '/') + 1);
    path_of(member->name, path);
    kind = meeting_exists(meeting, path, NO_WATCH, NULL, error);
    if (kind != ERROR_NONE)
        return kind;
    member->clock_us = before_us + (after_us - before_us) / 2;
    member->within_us = (after_us - before_us + 1) / 2 + 1000; /* the servers' has milliseconds */
    member->server_ms = (uint64_t)session->reply.created_ms;
    return meeting_tell(meeting, member, error);
}

bool meeting_understands(const struct meeting_member *member, const char *meaning)
{
    return member->protocol == MEETING_PROTOCOL && strcmp(member->meaning, meaning) == 0;
}

static enum error_kind read_member(struct meeting *meeting, const char *name,
                                   struct meeting_member *member, struct error *error)
{
    char path[MEETING_PATH_SIZE];
    bool there = false;
    path_of(name, path);
    enum error_kind kind = meeting_get(meeting, path, NO_WATCH, &there, error);
    if (kind != ERROR_NONE && kind != ERROR_FORBIDDEN)
        return kind;
    const char *text = meeting->setup->session.value;
    *member = (struct meeting_member){.protocol = 0};
    if (!there || !text_fields_read(fields, member, sizeof *member, &text) || member->share < 1 ||
        member->share > MEETING_SHARE_MAX)
        *member = (struct meeting_member){.protocol = 0};
    snprintf(member->name, sizeof member->name, "%s", name);
    return ERROR_NONE;
}

enum error_kind meeting_members(struct meeting *meeting, enum watch_flag watch,
                                struct meeting_member **list, size_t *count, struct error *error)
{
    const char **names = NULL;
    enum error_kind kind = meeting_list(meeting, MEMBERS, watch, &names, count, error);
    if (kind != ERROR_NONE)
        return kind;
    *list = memory_new(*count + 1, sizeof **list);
    for (size_t i = 0; kind == ERROR_NONE && i < *count; i++)
        kind = read_member(meeting, names[i], &(*list)[i], error);
    free(names);
    if (kind == ERROR_NONE)
        return kind;
    free(*list);
    *list = NULL;
    return kind;
}

/* ------------------------------------------------------------------ the lead */

enum error_kind meeting_leader(struct meeting *meeting, enum watch_flag watch,
                               char who[MEETING_LEADER_SIZE], struct error *error)
{
    bool there = false;
    who[0] = '\0';
    enum error_kind kind = meeting_exists(meeting, LEAD, watch, &there, error);
    if (kind == ERROR_NONE && there)
        kind = meeting_get(meeting, LEAD, NO_WATCH, &there, error);
    if (kind == ERROR_NONE && there)
        snprintf(who, MEETING_LEADER_SIZE, "%s", meeting->setup->session.value);
    return kind;
}

enum error_kind meeting_lead(struct meeting *meeting, const char *who, struct error *error)
{
    const struct sync_session *session = &meeting->setup->session;
    char other[MEETING_LEADER_SIZE];
    bool there = false;
    enum error_kind kind =
        meeting_create(meeting, LEAD, EPHEMERAL, who, strlen(who), &there, error);
    if (kind == ERROR_NONE && there)
        kind = meeting_leader(meeting, NO_WATCH, other, error);
    /* A create whose reply was lost has been sent again, and found the znode of the first. */
    if (kind != ERROR_NONE || !there || session->reply.owner == meeting->session)
        return kind;
    return error_raise(error, ERROR_LED, 0, session->servers, "%s", other);
}
