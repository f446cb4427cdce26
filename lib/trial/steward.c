// SPDX-License-Identifier: Apache-2.0
#include "trial/steward.h"

#include "base/clock.h"
#include "trial/dialogue.h"
#include "trial/pings.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PURPOSE        "run"
#define AWAY_NS        (2 * DIALOGUE_SESSION_TIMEOUT_MS * NS_PER_MS)
#define PATH_MAX_BYTES 512
#define ATTEMPTS       3

struct steward {
    struct dialogue dialogue;
    uint64_t timeout_ns;
    int interrupts;            /* -1: none are heeded */
    bool gave_up;              /* the servers have not answered, in time or at all */
    char mark[PATH_MAX_BYTES]; /* the ephemeral znode that shows that the run lives; or "" */
    int64_t marked_session;    /* whose it is */
    char chroot[sizeof((struct connect_string *)0)->chroot]; /* before each of its paths */
};

/* ------------------------------------------------------------------ the session */

static enum zk_status status(const struct steward *steward)
{
    return steward->dialogue.reply.status;
}

static uint64_t now_ns(const struct steward *steward)
{
    return stage_now_ns(&steward->dialogue.stage);
}

static enum fault_kind await_session(struct steward *steward, struct fault *fault)
{
    char timeout[32];
    snprintf(timeout, sizeof timeout, "%.0f s", (double)steward->timeout_ns / 1e9);
    const struct dialogue_limit limit = {.until_ns = now_ns(steward) + steward->timeout_ns,
                                         .why = "no session within",
                                         .about = timeout};
    return dialogue_connect(&steward->dialogue, limit, fault);
}

/* With these servers or, if there are none, in a simulation. */
static enum fault_kind open_one(const struct connect_string *servers,
                                const struct ensemble *ensemble, struct simulated *simulated,
                                uint64_t timeout_ns, struct steward **steward, struct fault *fault)
{
    struct steward *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fault_raise(fault, FAULT_NO_MEMORY, 0, "session", "%s", "");
    made->timeout_ns = timeout_ns;
    made->interrupts = -1;
    snprintf(made->chroot, sizeof made->chroot, "%s", servers != NULL ? servers->chroot : "");
    enum fault_kind kind =
        servers != NULL ? dialogue_open(&made->dialogue, PURPOSE, servers, fault)
                        : dialogue_open_simulated(&made->dialogue, PURPOSE, simulated, fault);
    made->dialogue.ensemble = ensemble;
    if (kind == FAULT_NONE)
        kind = await_session(made, fault);
    if (kind == FAULT_NONE)
        *steward = made;
    else
        steward_free(made);
    return kind;
}

enum fault_kind steward_new(const struct connect_string *servers, const struct ensemble *ensemble,
                            uint64_t timeout_ns, struct steward **steward, struct fault *fault)
{
    return open_one(servers, ensemble, NULL, timeout_ns, steward, fault);
}

enum fault_kind steward_new_simulated(struct simulated *simulated, uint64_t timeout_ns,
                                      struct steward **steward, struct fault *fault)
{
    return open_one(NULL, NULL, simulated, timeout_ns, steward, fault);
}

void steward_free(struct steward *steward)
{
    if (steward == NULL)
        return;
    dialogue_close(&steward->dialogue);
    free(steward);
}

void steward_abandon(struct steward *steward)
{
    events_abandon(steward->dialogue.stage.events);
}

void steward_heed(struct steward *steward, int interrupts)
{
    steward->interrupts = interrupts;
}

const struct stage *steward_stage(const struct steward *steward)
{
    return &steward->dialogue.stage;
}

void steward_server(const struct steward *steward, char *text, size_t size)
{
    client_server(steward->dialogue.client, text, size);
}

uint64_t steward_requests(const struct steward *steward)
{
    return steward->dialogue.requests;
}

uint64_t steward_pings(const struct steward *steward, uint64_t since_ns)
{
    const struct client *client = steward->dialogue.client;
    uint32_t timeout_ms = client_timeout_ms(client);
    if (client->sent_ns < since_ns)
        return pings_most(now_ns(steward) - client->sent_ns, timeout_ms);
    /* Nobody knows any more how long it had been silent then. */
    return pings_most(now_ns(steward) - since_ns, timeout_ms) + 1;
}

bool steward_stayed(const struct steward *steward, uint64_t since_ns)
{
    return steward->dialogue.state == CLIENT_ESTABLISHED && steward->dialogue.lost_ns <= since_ns;
}

/* ------------------------------------------------------------------ asking */

static bool is_interrupted(const struct steward *steward)
{
    struct pollfd descriptor = {.fd = steward->interrupts, .events = POLLIN};
    return steward->interrupts >= 0 && poll(&descriptor, 1, 0) > 0;
}

/* The mark went with a session that expired: the one that followed makes it again. What becomes of
 * that is no matter of the request at hand. */
static enum fault_kind renew_mark(struct steward *steward, struct fault *fault)
{
    struct dialogue *dialogue = &steward->dialogue;
    const struct client_request request = op_create(steward->mark, NULL, 0, EPHEMERAL);
    const struct dialogue_limit limit = {.until_ns = now_ns(steward) + steward->timeout_ns,
                                         .why = "asked about",
                                         .about = steward->mark};
    if (steward->mark[0] == '\0' || client_session_id(dialogue->client) == steward->marked_session)
        return FAULT_NONE;
    enum fault_kind kind = dialogue_ask(dialogue, &request, &limit, fault);
    if (kind == FAULT_NONE && status(steward) != ZK_CONNECTION_LOSS)
        steward->marked_session = client_session_id(dialogue->client);
    return kind;
}

/* Before each request: the session stands. A connection is waited for twice as long as the session
 * lives without one. When the host of a leader is gone without a word, the followers wait for it
 * (ZooKeeper's syncLimit, and 5 s for each connection in the election), and so does the library: up
 * to two thirds of the session's timeout. */
static enum fault_kind make_ready(struct steward *steward, const char *about, struct fault *fault)
{
    struct dialogue *dialogue = &steward->dialogue;
    if (steward->gave_up)
        return fault_raise(fault, FAULT_NO_ANSWER, 0, dialogue->servers,
                           "to an earlier request than that about %s", about);
    if (is_interrupted(steward))
        return fault_raise(fault, FAULT_INTERRUPTED, 0, PURPOSE, "%s", "");
    const struct dialogue_limit limit = {
        .since_loss_ns = AWAY_NS, .why = "no connection in time, to ask about", .about = about};
    enum fault_kind kind = dialogue_connect(dialogue, limit, fault);
    if (kind == FAULT_NONE)
        kind = renew_mark(steward, fault);
    return kind == FAULT_NONE ? dialogue_connect(dialogue, limit, fault) : kind;
}

/* Sends a request, which is about this path, and waits for the reply. Servers that have not
 * answered once in time are not asked again: each time would take as long. */
static enum fault_kind ask_once(struct steward *steward, const struct client_request *request,
                                const char *about, struct fault *fault)
{
    enum fault_kind kind = make_ready(steward, about, fault);
    const struct dialogue_limit limit = {
        .until_ns = now_ns(steward) + steward->timeout_ns, .why = "asked about", .about = about};
    if (kind == FAULT_NONE)
        kind = dialogue_ask(&steward->dialogue, request, &limit, fault);
    steward->gave_up = kind == FAULT_NO_ANSWER || steward->dialogue.client->outstanding;
    return kind;
}

/* The same, of what may as well be sent twice. When a server dies, its whole ensemble drops its
 * connections to elect: a run that gave up at that would leave its znodes behind. */
static enum fault_kind ask(struct steward *steward, const struct client_request *request,
                           const char *about, struct fault *fault)
{
    enum fault_kind kind = FAULT_NONE;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        kind = ask_once(steward, request, about, fault);
        if (kind != FAULT_NONE || status(steward) != ZK_CONNECTION_LOSS)
            return kind;
    }
    return kind;
}

/* The permission that a request takes, and of which znode. */
static const char *permission_for(enum client_operation operation)
{
    switch (operation) {
    case CLIENT_CREATE:
    case CLIENT_MULTI: /* the root of a run, with its mark */
        return "to create it takes the permission c of the znode above it";
    case CLIENT_DELETE:
        return "to delete it takes the permission d of the znode above it";
    case CLIENT_SET:
        return "to write it takes the permission w";
    default:
        return "to read it takes the permission r";
    }
}

/* What the reply means to who wanted this done: a fault of the request itself goes before. */
static enum fault_kind check_done(const struct steward *steward, enum fault_kind kind,
                                  const char *asked, struct fault *fault)
{
    char path[sizeof steward->chroot + PATH_MAX_BYTES];
    if (kind != FAULT_NONE)
        return kind;
    snprintf(path, sizeof path, "%s%s", steward->chroot,
             steward->chroot[0] != '\0' && strcmp(asked, "/") == 0 ? "" : asked);
    switch (status(steward)) {
    case ZK_OK:
        return FAULT_NONE;
    case ZK_NO_NODE:
        return fault_raise(fault, FAULT_NO_CHROOT, 0, path, "a znode above it is missing");
    case ZK_NODE_EXISTS:
        return fault_raise(fault, FAULT_EXISTS, 0, path, "the znode is not this run's");
    case ZK_NO_AUTH:
        return fault_raise(fault, FAULT_FORBIDDEN, 0, path, "%s",
                           permission_for(steward->dialogue.reply.operation));
    case ZK_CONNECTION_LOSS:
    case ZK_SESSION_EXPIRED:
        return fault_raise(fault, FAULT_SESSION_LOST, 0, path, "the driver's own session");
    default:
        return fault_raise(fault, FAULT_ZOOKEEPER, 0, path, "%s", "");
    }
}

/* The same, to who takes a znode that is gone for an answer too. */
static enum fault_kind check_gone(const struct steward *steward, enum fault_kind kind,
                                  const char *path, struct fault *fault)
{
    return status(steward) == ZK_NO_NODE ? kind : check_done(steward, kind, path, fault);
}

enum fault_kind steward_create(struct steward *steward, const char *path, struct fault *fault)
{
    return steward_create_holding(steward, path, "", fault);
}

/* A create is not sent twice: the second would find the first one's znode. */
enum fault_kind steward_create_holding(struct steward *steward, const char *path, const char *text,
                                       struct fault *fault)
{
    const struct client_request request = op_create(path, text, strlen(text), PERSISTENT);
    return check_done(steward, ask_once(steward, &request, path, fault), path, fault);
}

enum fault_kind steward_create_marked(struct steward *steward, const char *path, const char *text,
                                      const char *mark, struct fault *fault)
{
    const struct client_request parts[] = {op_create(path, text, strlen(text), PERSISTENT),
                                           op_create(mark, NULL, 0, EPHEMERAL)};
    const struct client_request both = {.operation = CLIENT_MULTI, .parts = parts, .part_count = 2};
    enum fault_kind kind = check_done(steward, ask_once(steward, &both, path, fault), path, fault);
    if (kind != FAULT_NONE)
        return kind;
    steward->marked_session = client_session_id(steward->dialogue.client);
    snprintf(steward->mark, sizeof steward->mark, "%s", mark);
    return FAULT_NONE;
}

enum fault_kind steward_catch_up(struct steward *steward, const char *path, struct fault *fault)
{
    const struct client_request request = op_set(path, NULL, 0, CLIENT_ANY_VERSION);
    return check_done(steward, ask(steward, &request, path, fault), path, fault);
}

static enum fault_kind look(struct steward *steward, enum client_operation operation,
                            const char *path, struct fault *fault)
{
    const struct client_request request = {.operation = operation, .path = path};
    return check_gone(steward, ask(steward, &request, path, fault), path, fault);
}

enum fault_kind steward_read(struct steward *steward, const char *path, char *text, size_t size,
                             struct fault *fault)
{
    enum fault_kind kind = look(steward, CLIENT_GET, path, fault);
    if (kind == FAULT_NONE)
        snprintf(text, size, "%s", steward->dialogue.value);
    return kind;
}

enum fault_kind steward_exists(struct steward *steward, const char *path, bool *exists,
                               struct fault *fault)
{
    enum fault_kind kind = look(steward, CLIENT_EXISTS, path, fault);
    if (kind == FAULT_NONE)
        *exists = status(steward) == ZK_OK;
    return kind;
}

enum fault_kind steward_count_children(struct steward *steward, const char *path, size_t *count,
                                       struct fault *fault)
{
    const char *const *names;
    return steward_list_children(steward, path, &names, count, fault);
}

enum fault_kind steward_list_children(struct steward *steward, const char *path,
                                      const char *const **names, size_t *count, struct fault *fault)
{
    enum fault_kind kind = look(steward, CLIENT_GET_CHILDREN, path, fault);
    if (kind == FAULT_NONE) {
        *names = steward->dialogue.reply.names;
        *count = steward->dialogue.reply.name_count;
    }
    return kind;
}

/* ------------------------------------------------------------------ clearing away */

/* At most CLIENT_PARTS_MAX. They go together if they are leaves, as most are; if not, or if one has
 * gone already, each for itself. */
static enum fault_kind delete_some(struct steward *steward, const char *parent,
                                   const char *const *names, size_t count, struct fault *fault)
{
    char paths[CLIENT_PARTS_MAX][PATH_MAX_BYTES];
    struct client_request parts[CLIENT_PARTS_MAX];
    for (size_t i = 0; i < count; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", parent, names[i]);
        parts[i] = op_delete(paths[i]);
    }
    const struct client_request all = {
        .operation = CLIENT_MULTI, .parts = parts, .part_count = count};
    enum fault_kind kind = ask(steward, &all, parent, fault);
    if (kind != FAULT_NONE || status(steward) == ZK_OK)
        return kind;
    for (size_t i = 0; kind == FAULT_NONE && i < count; i++)
        kind = steward_delete_tree(steward, paths[i], fault);
    return kind;
}

/* Deletes what is below: as deep as a run's znodes go (root, trial, lock, its znodes), so recursion
 * is safe. */
static enum fault_kind delete_children(struct steward *steward, const char *path,
                                       struct fault *fault)
{
    struct dialogue *dialogue = &steward->dialogue;
    enum fault_kind kind = look(steward, CLIENT_GET_CHILDREN, path, fault);
    if (kind != FAULT_NONE)
        return kind;
    const char **names = dialogue->names; /* not to be lost with the lists that follow */
    size_t count = dialogue->reply.name_count;
    dialogue->names = NULL;
    for (size_t i = 0; kind == FAULT_NONE && i < count; i += CLIENT_PARTS_MAX) {
        size_t left = count - i;
        kind = delete_some(steward, path, names + i,
                           left < CLIENT_PARTS_MAX ? left : CLIENT_PARTS_MAX, fault);
    }
    free(names);
    return kind;
}

/* Most are leaves: the children are asked for only when the server says that there are some. */
enum fault_kind steward_delete_tree(struct steward *steward, const char *path, struct fault *fault)
{
    const struct client_request request = op_delete(path);
    enum fault_kind kind = ask(steward, &request, path, fault);
    while (kind == FAULT_NONE && status(steward) == ZK_NOT_EMPTY) {
        kind = delete_children(steward, path, fault);
        if (kind == FAULT_NONE)
            kind = ask(steward, &request, path, fault);
    }
    return check_gone(steward, kind, path, fault);
}
