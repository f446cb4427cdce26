// SPDX-License-Identifier: Apache-2.0
#include "trial/steward.h"

#include "base/clock.h"
#include "zk/client.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSION_TIMEOUT_MS 15000
#define CLOSE_NS           (500 * NS_PER_MS)
#define PATH_MAX_BYTES     512
#define ATTEMPTS           3

struct steward {
    struct stage stage;
    struct client *client;
    uint64_t timeout_ns;
    int interrupts; /* -1: none are heeded */
    uint64_t requests;
    enum client_state state;
    uint64_t lost_ns; /* when the connection was lost that was the last one */
    bool replied;
    bool gave_up; /* the servers have not answered in time */
    enum zk_status status;
    char value[32]; /* of the last znode read, as much as there is room for */
    char **names;   /* of the last list of children, kept for the caller's walk */
    size_t name_count;
    char servers[CONNECT_TEXT_SIZE]; /* as they were typed */
    char hosts[CONNECT_TEXT_SIZE];   /* as they are connected to */
};

static void state_changed(void *owner, enum client_state state)
{
    struct steward *steward = owner;
    if (steward->state == CLIENT_ESTABLISHED && state != CLIENT_ESTABLISHED)
        steward->lost_ns = stage_now_ns(&steward->stage);
    steward->state = state;
}

static void sent(void *owner, enum client_operation operation)
{
    (void)operation;
    ((struct steward *)owner)->requests++;
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

static void keep_names(struct steward *steward, const struct client_reply *reply)
{
    free_names(steward->names, steward->name_count);
    steward->name_count = 0;
    steward->names = calloc(reply->name_count + 1, sizeof *steward->names);
    for (size_t i = 0; steward->names != NULL && i < reply->name_count; i++) {
        char *name = strdup(reply->names[i]);
        if (name != NULL)
            steward->names[steward->name_count++] = name;
    }
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct steward *steward = owner;
    steward->replied = true;
    steward->status = reply->status;
    if (reply->operation == CLIENT_GET_CHILDREN)
        keep_names(steward, reply);
    if (reply->operation == CLIENT_GET)
        snprintf(steward->value, sizeof steward->value, "%.*s", (int)reply->value_length,
                 reply->value_length > 0 ? reply->value : "");
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)owner;
    (void)event;
    (void)path;
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

static enum fault_kind await_session(struct steward *steward, struct fault *fault)
{
    uint64_t until_ns = stage_now_ns(&steward->stage) + steward->timeout_ns;
    while (steward->state != CLIENT_ESTABLISHED) {
        if (stage_now_ns(&steward->stage) >= until_ns)
            return fault_raise(fault, FAULT_NO_ANSWER, 0, steward->servers,
                               "no session within %.0f s", (double)steward->timeout_ns / 1e9);
        enum fault_kind kind = stage_turn(&steward->stage, until_ns, fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    return FAULT_NONE;
}

/* Waits for the session that has begun to open; a steward without one is freed. */
static enum fault_kind finish(enum fault_kind kind, struct steward *made, struct steward **steward,
                              struct fault *fault)
{
    if (kind == FAULT_NONE)
        kind = await_session(made, fault);
    if (kind == FAULT_NONE)
        *steward = made;
    else
        steward_free(made);
    return kind;
}

static struct steward *make(uint64_t timeout_ns, struct fault *fault)
{
    struct steward *made = calloc(1, sizeof *made);
    if (made == NULL) {
        (void)!fault_raise(fault, FAULT_NO_MEMORY, 0, "session", "%s", "");
        return NULL;
    }
    made->timeout_ns = timeout_ns;
    made->interrupts = -1;
    return made;
}

static enum fault_kind open_session(struct steward *steward, struct fault *fault)
{
    const struct stage *stage = &steward->stage;
    return stage->simulated != NULL ? simulated_open(stage->simulated, 0, SESSION_TIMEOUT_MS,
                                                     &listener, steward, &steward->client, fault)
                                    : events_open(stage->events, steward->hosts, SESSION_TIMEOUT_MS,
                                                  &listener, steward, &steward->client, fault);
}

enum fault_kind steward_new(const struct connect_string *servers, uint64_t timeout_ns,
                            struct steward **steward, struct fault *fault)
{
    struct steward *made = make(timeout_ns, fault);
    if (made == NULL)
        return FAULT_NO_MEMORY;
    connect_typed(servers, made->servers, sizeof made->servers);
    connect_format(servers, 0, true, made->hosts, sizeof made->hosts);
    enum fault_kind kind = events_new(1, &made->stage.events, fault);
    if (kind == FAULT_NONE)
        kind = open_session(made, fault);
    return finish(kind, made, steward, fault);
}

enum fault_kind steward_new_simulated(struct simulated *simulated, uint64_t timeout_ns,
                                      struct steward **steward, struct fault *fault)
{
    struct steward *made = make(timeout_ns, fault);
    if (made == NULL)
        return FAULT_NO_MEMORY;
    snprintf(made->servers, sizeof made->servers, "simulation");
    made->stage.simulated = simulated;
    return finish(open_session(made, fault), made, steward, fault);
}

void steward_free(struct steward *steward)
{
    if (steward == NULL)
        return;
    if (steward->stage.events != NULL)
        events_close(steward->stage.events, clock_now_ns() + CLOSE_NS);
    events_free(steward->stage.events);
    free_names(steward->names, steward->name_count);
    free(steward);
}

void steward_abandon(struct steward *steward)
{
    events_abandon(steward->stage.events);
}

void steward_heed(struct steward *steward, int interrupts)
{
    steward->interrupts = interrupts;
}

const struct stage *steward_stage(const struct steward *steward)
{
    return &steward->stage;
}

static enum fault_kind give_up(struct steward *steward, struct fault *fault, const char *why,
                               const char *path)
{
    steward->gave_up = true;
    return fault_raise(fault, FAULT_NO_ANSWER, 0, steward->servers, "%s %s", why, path);
}

/* Looks at what has come of the session since it was last used: the connection of one in which
 * nobody has lived for a while may be gone without a word. One in a simulation lives by itself. */
static enum fault_kind look_after(struct steward *steward, struct fault *fault)
{
    return steward->stage.events != NULL ? events_poll(steward->stage.events, 0, fault)
                                         : FAULT_NONE;
}

/* One in place of a session that has expired; it is given as long to connect. */
static enum fault_kind open_another(struct steward *steward, struct fault *fault)
{
    if (steward->stage.events != NULL)
        events_forget(steward->stage.events);
    steward->state = CLIENT_CONNECTING;
    steward->lost_ns = stage_now_ns(&steward->stage);
    return open_session(steward, fault);
}

/* One turn of waiting for a connection, until the session would have expired without one: a server
 * that has gone without a word costs the library two thirds of that. */
static enum fault_kind await_connection(struct steward *steward, const char *path,
                                        struct fault *fault)
{
    uint64_t until_ns = steward->lost_ns + SESSION_TIMEOUT_MS * NS_PER_MS;
    if (stage_now_ns(&steward->stage) >= until_ns)
        return give_up(steward, fault, "no connection in time, to ask about", path);
    return stage_turn(&steward->stage, until_ns, fault);
}

static bool is_interrupted(const struct steward *steward)
{
    struct pollfd descriptor = {.fd = steward->interrupts, .events = POLLIN};
    return steward->interrupts >= 0 && poll(&descriptor, 1, 0) > 0;
}

/* Before each request: the session stands, and no request is out. Servers that have not answered
 * once in time are not asked again: each time would take as long. */
static enum fault_kind make_ready(struct steward *steward, const char *path, struct fault *fault)
{
    if (steward->gave_up)
        return give_up(steward, fault, "to an earlier request than that about", path);
    if (is_interrupted(steward))
        return fault_raise(fault, FAULT_INTERRUPTED, 0, "run", "%s", "");
    enum fault_kind kind = look_after(steward, fault);
    while (kind == FAULT_NONE && steward->state != CLIENT_ESTABLISHED) {
        kind = steward->state == CLIENT_EXPIRED ? open_another(steward, fault)
                                                : await_connection(steward, path, fault);
    }
    return kind;
}

/* Waits for the reply to the operation just sent; its status is then in steward->status. */
static enum fault_kind await_reply(struct steward *steward, const char *path, struct fault *fault)
{
    uint64_t until_ns = stage_now_ns(&steward->stage) + steward->timeout_ns;
    while (!steward->replied) {
        if (stage_now_ns(&steward->stage) >= until_ns)
            return give_up(steward, fault, "asked about", path);
        enum fault_kind kind = stage_turn(&steward->stage, until_ns, fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    steward->replied = false;
    return FAULT_NONE;
}

static enum fault_kind raise_status(enum zk_status status, const char *path, struct fault *fault)
{
    switch (status) {
    case ZK_NO_NODE:
        return fault_raise(fault, FAULT_NO_CHROOT, 0, path, "a znode above it is missing");
    case ZK_NODE_EXISTS:
        return fault_raise(fault, FAULT_EXISTS, 0, path, "the znode is there already");
    case ZK_NO_AUTH:
        return fault_raise(fault, FAULT_DENIED, 0, path, "the znode's ACL forbids it");
    case ZK_CONNECTION_LOSS:
    case ZK_SESSION_EXPIRED:
        return fault_raise(fault, FAULT_SESSION_LOST, 0, path, "the driver's own session");
    default:
        return fault_raise(fault, FAULT_ZOOKEEPER, 0, path, "%s", "");
    }
}

enum fault_kind steward_create(struct steward *steward, const char *path, struct fault *fault)
{
    return steward_create_holding(steward, path, "", fault);
}

enum fault_kind steward_create_holding(struct steward *steward, const char *path, const char *text,
                                       struct fault *fault)
{
    enum fault_kind kind = make_ready(steward, path, fault);
    if (kind != FAULT_NONE)
        return kind;
    client_create(steward->client, path, text, strlen(text), PERSISTENT);
    kind = await_reply(steward, path, fault);
    if (kind == FAULT_NONE && steward->status != ZK_OK)
        kind = raise_status(steward->status, path, fault);
    return kind;
}

/* What may as well be sent twice. */
struct question {
    void (*send)(struct client *client, const struct question *question);
    const char *path;
    char *const *names; /* of some of the znode's children, at most CLIENT_PARTS_MAX … */
    size_t name_count;  /* … if they are what it is about; else 0 */
};

/*
 * Sends a question, and waits for the reply; its status is then in
 * steward->status. When a server dies, its whole ensemble drops its connections to elect: a run
 * that gave up at that would leave its znodes behind.
 */
static enum fault_kind ask(struct steward *steward, const struct question *question,
                           struct fault *fault)
{
    enum fault_kind kind = FAULT_NONE;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        kind = make_ready(steward, question->path, fault);
        if (kind != FAULT_NONE)
            return kind;
        question->send(steward->client, question);
        kind = await_reply(steward, question->path, fault);
        if (kind != FAULT_NONE || steward->status != ZK_CONNECTION_LOSS)
            return kind;
    }
    return kind;
}

static void ask_exists(struct client *client, const struct question *question)
{
    client_exists(client, question->path, NO_WATCH);
}

static void ask_data(struct client *client, const struct question *question)
{
    client_get(client, question->path, NO_WATCH);
}

static void ask_children(struct client *client, const struct question *question)
{
    client_get_children(client, question->path, NO_WATCH);
}

static void ask_delete(struct client *client, const struct question *question)
{
    client_delete(client, question->path);
}

static void ask_delete_children(struct client *client, const struct question *question)
{
    char paths[CLIENT_PARTS_MAX][PATH_MAX_BYTES];
    struct client_request parts[CLIENT_PARTS_MAX];
    for (size_t i = 0; i < question->name_count; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", question->path, question->names[i]);
        parts[i] = op_delete(paths[i]);
    }
    client_multi(client, parts, question->name_count);
}

static void ask_write(struct client *client, const struct question *question)
{
    client_set(client, question->path, NULL, 0, CLIENT_ANY_VERSION);
}

enum fault_kind steward_catch_up(struct steward *steward, const char *path, struct fault *fault)
{
    enum fault_kind kind = ask(steward, &(struct question){.send = ask_write, .path = path}, fault);
    if (kind == FAULT_NONE && steward->status != ZK_OK)
        kind = raise_status(steward->status, path, fault);
    return kind;
}

/* A znode that is gone is an answer too. */
static enum fault_kind look(struct steward *steward,
                            void (*send)(struct client *client, const struct question *question),
                            const char *path, struct fault *fault)
{
    const struct question question = {.send = send, .path = path};
    enum fault_kind kind = ask(steward, &question, fault);
    if (kind != FAULT_NONE)
        return kind;
    if (steward->status != ZK_OK && steward->status != ZK_NO_NODE)
        return raise_status(steward->status, path, fault);
    return FAULT_NONE;
}

enum fault_kind steward_read(struct steward *steward, const char *path, char *text, size_t size,
                             struct fault *fault)
{
    enum fault_kind kind = look(steward, ask_data, path, fault);
    if (kind == FAULT_NONE)
        snprintf(text, size, "%s", steward->value);
    return kind;
}

enum fault_kind steward_exists(struct steward *steward, const char *path, bool *exists,
                               struct fault *fault)
{
    enum fault_kind kind = look(steward, ask_exists, path, fault);
    if (kind == FAULT_NONE)
        *exists = steward->status == ZK_OK;
    return kind;
}

/* Leaves the names in steward->names; a znode that is gone has none. */
static enum fault_kind list(struct steward *steward, const char *path, struct fault *fault)
{
    return look(steward, ask_children, path, fault);
}

enum fault_kind steward_count_children(struct steward *steward, const char *path, size_t *count,
                                       struct fault *fault)
{
    enum fault_kind kind = list(steward, path, fault);
    if (kind == FAULT_NONE)
        *count = steward->name_count;
    return kind;
}

enum fault_kind steward_list_children(struct steward *steward, const char *path,
                                      char *const **names, size_t *count, struct fault *fault)
{
    enum fault_kind kind = list(steward, path, fault);
    if (kind == FAULT_NONE) {
        *names = steward->names;
        *count = steward->name_count;
    }
    return kind;
}

/* As many as a transaction takes. They go together if they are leaves, as most are; if not, or if
 * one has gone already, each for itself. */
static enum fault_kind delete_some(struct steward *steward, const struct question *question,
                                   struct fault *fault)
{
    enum fault_kind kind = ask(steward, question, fault);
    if (kind != FAULT_NONE || steward->status == ZK_OK)
        return kind;
    for (size_t i = 0; kind == FAULT_NONE && i < question->name_count; i++) {
        char child[PATH_MAX_BYTES];
        snprintf(child, sizeof child, "%s/%s", question->path, question->names[i]);
        kind = steward_delete_tree(steward, child, fault);
    }
    return kind;
}

/* Deletes what is below: as deep as a run's znodes go (root, trial, lock, its znodes), so recursion
 * is safe. */
static enum fault_kind delete_children(struct steward *steward, const char *path,
                                       struct fault *fault)
{
    enum fault_kind kind = list(steward, path, fault);
    char **names = steward->names;
    size_t count = steward->name_count;
    steward->names = NULL;
    steward->name_count = 0;
    for (size_t i = 0; kind == FAULT_NONE && i < count; i += CLIENT_PARTS_MAX) {
        const struct question some = {
            .send = ask_delete_children,
            .path = path,
            .names = names + i,
            .name_count = count - i < CLIENT_PARTS_MAX ? count - i : CLIENT_PARTS_MAX};
        kind = delete_some(steward, &some, fault);
    }
    free_names(names, count);
    return kind;
}

enum fault_kind steward_delete_tree(struct steward *steward, const char *path, struct fault *fault)
{
    const struct question question = {.send = ask_delete, .path = path};
    /* Most are leaves: the children are asked for only when the server says that there are some. */
    for (;;) {
        enum fault_kind kind = ask(steward, &question, fault);
        if (kind == FAULT_NONE && steward->status == ZK_NOT_EMPTY) {
            kind = delete_children(steward, path, fault);
            if (kind == FAULT_NONE)
                continue;
        }
        if (kind != FAULT_NONE)
            return kind;
        if (steward->status == ZK_OK || steward->status == ZK_NO_NODE)
            return FAULT_NONE;
        return raise_status(steward->status, path, fault);
    }
}

void steward_server(const struct steward *steward, char *text, size_t size)
{
    client_server(steward->client, text, size);
}

uint64_t steward_requests(const struct steward *steward)
{
    return steward->requests;
}
