// SPDX-License-Identifier: Apache-2.0
#include "bench/browser.h"

#include "base/clock.h"
#include "zk/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SESSION_TIMEOUT_MS 15000
#define PATIENCE_NS        (10 * NS_PER_S)
#define CLOSE_NS           (500 * NS_PER_MS)
#define FOR_EVER           UINT64_MAX

struct browser {
    struct events *events;
    struct client *client;
    char hosts[CONNECT_TEXT_SIZE];
    char servers[CONNECT_TEXT_SIZE]; /* as they were typed */
    int interrupts;
    bool interrupted;
    bool follows;
    enum client_state state;
    bool replied;
    enum zk_status status;
    struct browser_stat stat;
    const char **names; /* and, behind them, what they point to */
    size_t name_count;
    bool changed;
    bool lost; /* a connection, and nobody has been told */
    bool has_input;
};

/* ------------------------------------------------------------------ what the session hears */

static void state_changed(void *owner, enum client_state state)
{
    struct browser *browser = owner;
    if (browser->state == CLIENT_ESTABLISHED && state != CLIENT_ESTABLISHED)
        browser->lost = browser->changed = true;
    browser->state = state;
}

static void sent(void *owner, enum client_operation operation)
{
    (void)owner;
    (void)operation;
}

static void keep_names(struct browser *browser, const struct client_reply *reply)
{
    size_t bytes = reply->name_count * sizeof *browser->names + 1;
    for (size_t i = 0; i < reply->name_count; i++)
        bytes += strlen(reply->names[i]) + 1;
    free(browser->names);
    browser->names = malloc(bytes);
    browser->name_count = reply->name_count;
    if (browser->names == NULL)
        return;
    char *text = (char *)(browser->names + reply->name_count);
    for (size_t i = 0; i < reply->name_count; i++) {
        browser->names[i] = text;
        text = stpcpy(text, reply->names[i]) + 1;
    }
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct browser *browser = owner;
    browser->replied = true;
    browser->status = reply->status;
    browser->stat = (struct browser_stat){reply->owner, reply->created_ms, reply->version};
    if (reply->operation == CLIENT_GET_CHILDREN)
        keep_names(browser, reply);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)event;
    (void)path;
    ((struct browser *)owner)->changed = true;
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

static void hear_interrupt(void *context)
{
    ((struct browser *)context)->interrupted = true;
}

static void hear_input(void *context)
{
    ((struct browser *)context)->has_input = true;
}

/* ------------------------------------------------------------------ waiting */

static bool is_settled(const struct browser *browser)
{
    return browser->state != CLIENT_CONNECTING;
}

static bool is_answered(const struct browser *browser)
{
    return browser->replied;
}

static bool has_news(const struct browser *browser)
{
    return browser->changed || !is_settled(browser);
}

static bool has_input(const struct browser *browser)
{
    return browser->has_input;
}

static uint64_t deadline_ns(const struct browser *browser)
{
    return browser->follows ? FOR_EVER : clock_now_ns() + PATIENCE_NS;
}

static enum fault_kind wait_for(struct browser *browser, bool (*holds)(const struct browser *),
                                uint64_t until_ns, const char *what, struct fault *fault)
{
    while (!holds(browser)) {
        if (browser->interrupted)
            return fault_raise(fault, FAULT_INTERRUPTED, 0, "inspect", "%s", "");
        if (clock_now_ns() >= until_ns)
            return fault_raise(fault, FAULT_NO_ANSWER, 0, browser->servers, "%s within %d s", what,
                               (int)(PATIENCE_NS / NS_PER_S));
        enum fault_kind kind = events_poll(browser->events, until_ns, fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    return FAULT_NONE;
}

static enum fault_kind open_session(struct browser *browser, struct fault *fault)
{
    browser->state = CLIENT_CONNECTING;
    enum fault_kind kind = events_open(browser->events, browser->hosts, SESSION_TIMEOUT_MS,
                                       &listener, browser, &browser->client, fault);
    if (kind == FAULT_NONE && browser->interrupts >= 0)
        kind = events_watch(browser->events, browser->interrupts, hear_interrupt, browser, fault);
    return kind;
}

/* Waits for a connection. Of a session that the servers have ended the watches are gone too. */
static enum fault_kind ensure_session(struct browser *browser, uint64_t until_ns,
                                      struct fault *fault)
{
    for (;;) {
        enum fault_kind kind = wait_for(browser, is_settled, until_ns, "no session", fault);
        if (kind != FAULT_NONE || browser->state == CLIENT_ESTABLISHED)
            return kind;
        events_close(browser->events, clock_now_ns());
        kind = open_session(browser, fault);
        if (kind != FAULT_NONE)
            return kind;
    }
}

enum fault_kind browser_new(const struct connect_string *servers, int interrupts,
                            struct browser **browser, struct fault *fault)
{
    struct browser *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fault_from_errno(fault, ENOMEM, "session", "%s", "");
    made->interrupts = interrupts;
    connect_typed(servers, made->servers, sizeof made->servers);
    connect_format(servers, 0, true, made->hosts, sizeof made->hosts);
    enum fault_kind kind = events_new(1, &made->events, fault);
    if (kind == FAULT_NONE)
        kind = open_session(made, fault);
    if (kind == FAULT_NONE)
        kind = ensure_session(made, deadline_ns(made), fault);
    made->follows = interrupts >= 0;
    if (kind == FAULT_NONE)
        *browser = made;
    else
        browser_free(made);
    return kind;
}

void browser_free(struct browser *browser)
{
    if (browser == NULL)
        return;
    if (browser->events != NULL)
        events_close(browser->events, clock_now_ns() + CLOSE_NS);
    events_free(browser->events);
    free(browser->names);
    free(browser);
}

/* ------------------------------------------------------------------ asking */

static enum fault_kind raise_status(enum zk_status status, const char *path, struct fault *fault)
{
    if (status == ZK_NO_AUTH)
        return fault_raise(fault, FAULT_DENIED, 0, path, "the znode's ACL forbids it");
    return fault_raise(fault, FAULT_ZOOKEEPER, 0, path, "%s", "");
}

static enum fault_kind await_reply(struct browser *browser, uint64_t until_ns, struct fault *fault)
{
    enum fault_kind kind = wait_for(browser, is_answered, until_ns, "no reply", fault);
    browser->replied = false;
    return kind;
}

static bool is_lost(enum zk_status status)
{
    return status == ZK_CONNECTION_LOSS || status == ZK_SESSION_EXPIRED;
}

/* That there is no such znode is an answer. */
static enum fault_kind
ask(struct browser *browser,
    void (*question)(struct client *client, const char *path, enum watch_flag watch),
    const char *path, enum watch_flag watch, bool *there, struct fault *fault)
{
    uint64_t until_ns = deadline_ns(browser);
    do {
        enum fault_kind kind = ensure_session(browser, until_ns, fault);
        if (kind != FAULT_NONE)
            return kind;
        question(browser->client, path, watch);
        kind = await_reply(browser, until_ns, fault);
        if (kind != FAULT_NONE)
            return kind;
    } while (is_lost(browser->status));
    *there = browser->status == ZK_OK;
    return *there || browser->status == ZK_NO_NODE ? FAULT_NONE
                                                   : raise_status(browser->status, path, fault);
}

enum fault_kind browser_look(struct browser *browser, const char *path, enum watch_flag watch,
                             bool *there, struct browser_stat *stat, struct fault *fault)
{
    enum fault_kind kind = ask(browser, client_exists, path, watch, there, fault);
    if (kind == FAULT_NONE && *there)
        *stat = browser->stat;
    return kind;
}

enum fault_kind browser_list(struct browser *browser, const char *path, enum watch_flag watch,
                             bool *there, const char *const **names, size_t *count,
                             struct fault *fault)
{
    enum fault_kind kind = ask(browser, client_get_children, path, watch, there, fault);
    if (kind != FAULT_NONE || !*there)
        return kind;
    if (browser->names == NULL)
        return fault_from_errno(fault, ENOMEM, path, "for the names of its children");
    *names = browser->names;
    *count = browser->name_count;
    return FAULT_NONE;
}

enum fault_kind browser_delete(struct browser *browser, const char *path, int32_t version,
                               bool *deleted, struct fault *fault)
{
    const struct client_request deletion = {
        .operation = CLIENT_DELETE, .path = path, .version = version};
    uint64_t until_ns = deadline_ns(browser);
    enum fault_kind kind = ensure_session(browser, until_ns, fault);
    if (kind != FAULT_NONE)
        return kind;
    client_multi(browser->client, &deletion, 1);
    kind = await_reply(browser, until_ns, fault);
    if (kind != FAULT_NONE)
        return kind;
    if (is_lost(browser->status))
        return fault_raise(fault, FAULT_NO_ANSWER, 0, browser->servers,
                           "the connection was lost, and whether %s is deleted is not known", path);
    *deleted = browser->status == ZK_OK;
    return *deleted || browser->status == ZK_NO_NODE || browser->status == ZK_BAD_VERSION
               ? FAULT_NONE
               : raise_status(browser->status, path, fault);
}

/* ------------------------------------------------------------------ news */

enum fault_kind browser_await(struct browser *browser, enum browser_news *news, struct fault *fault)
{
    enum fault_kind kind = FAULT_NONE;
    if (!browser->lost)
        kind = wait_for(browser, has_news, FOR_EVER, "", fault);
    if (kind == FAULT_NONE && browser->lost) {
        browser->lost = false;
        *news = BROWSER_LOST;
        return FAULT_NONE;
    }
    if (kind == FAULT_NONE)
        kind = ensure_session(browser, FOR_EVER, fault);
    browser->changed = false;
    *news = BROWSER_CHANGED;
    return kind;
}

enum fault_kind browser_await_input(struct browser *browser, int descriptor, struct fault *fault)
{
    browser->has_input = false;
    enum fault_kind kind = events_watch(browser->events, descriptor, hear_input, browser, fault);
    if (kind != FAULT_NONE)
        return kind;
    kind = wait_for(browser, has_input, FOR_EVER, "", fault);
    events_unwatch(browser->events, descriptor);
    return kind;
}
