// SPDX-License-Identifier: Apache-2.0
#include "bench/browser.h"

#include "base/clock.h"
#include "zk/admin.h"
#include "zk/dial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REACH_NS      (2 * NS_PER_S)
#define PATIENCE_NS   (10 * NS_PER_S)
#define PATIENCE_TEXT "10 s"

struct browser {
    struct dialogue dialogue;
    bool follows;
};

static const struct dialogue_limit for_ever = {.until_ns = UINT64_MAX, .why = "", .about = ""};

static void hear(void *flag)
{
    *(bool *)flag = true;
}

static enum fault_kind watch(struct browser *browser, int descriptor, bool *flag,
                             struct fault *fault)
{
    return events_watch(browser->dialogue.stage.events, descriptor, hear, flag, fault);
}

/* ------------------------------------------------------------------ asking */

static struct dialogue_limit begin(const struct browser *browser)
{
    struct dialogue_limit limit = for_ever;
    if (!browser->follows)
        limit.until_ns = clock_now_ns() + PATIENCE_NS;
    limit.about = PATIENCE_TEXT;
    return limit;
}

static enum fault_kind connect_to(struct browser *browser, struct dialogue_limit limit,
                                  struct fault *fault)
{
    limit.why = "no session within";
    return dialogue_connect(&browser->dialogue, limit, fault);
}

static enum fault_kind ask_once(struct browser *browser, const struct client_request *request,
                                struct dialogue_limit limit, struct fault *fault)
{
    enum fault_kind kind = connect_to(browser, limit, fault);
    limit.why = "no reply within";
    return kind == FAULT_NONE ? dialogue_ask(&browser->dialogue, request, &limit, fault) : kind;
}

static enum zk_status status(const struct browser *browser)
{
    return browser->dialogue.reply.status;
}

static bool is_lost(const struct browser *browser)
{
    return status(browser) == ZK_CONNECTION_LOSS || status(browser) == ZK_SESSION_EXPIRED;
}

static enum fault_kind raise_status(const struct browser *browser, const char *path,
                                    struct fault *fault)
{
    if (status(browser) == ZK_NO_AUTH)
        return fault_raise(fault, FAULT_FORBIDDEN, 0, path, "%s", "");
    return fault_raise(fault, FAULT_ZOOKEEPER, 0, path, "%s", "");
}

/* That there is no such znode is an answer. */
static enum fault_kind ask(struct browser *browser, enum client_operation operation,
                           const char *path, enum watch_flag watch, bool *there,
                           struct fault *fault)
{
    const struct client_request question = {.operation = operation, .path = path, .watch = watch};
    const struct dialogue_limit limit = begin(browser);
    enum fault_kind kind;
    do
        kind = ask_once(browser, &question, limit, fault);
    while (kind == FAULT_NONE && is_lost(browser));
    if (kind != FAULT_NONE)
        return kind;
    *there = status(browser) == ZK_OK;
    return *there || status(browser) == ZK_NO_NODE ? FAULT_NONE
                                                   : raise_status(browser, path, fault);
}

/* ------------------------------------------------------------------ what it is asked for */

enum fault_kind browser_reach(struct connect_string *servers, struct connect_string *reached,
                              struct fault *fault)
{
    struct fault first = {.kind = FAULT_NONE};
    *reached = *servers;
    reached->count = 0;
    for (size_t i = 0; i < servers->count; i++) {
        struct endpoint *endpoint = &servers->endpoints[i];
        struct admin_identity identity;
        struct fault refusal;
        enum fault_kind kind = dial_resolve(endpoint, REACH_NS, &refusal);
        if (kind == FAULT_NONE)
            kind = admin_identify(endpoint, REACH_NS, &identity, &refusal);
        if (kind == FAULT_NONE)
            reached->endpoints[reached->count++] = *endpoint;
        else if (first.kind == FAULT_NONE)
            first = refusal;
    }
    if (reached->count > 0)
        return FAULT_NONE;
    *fault = first;
    return first.kind;
}

enum fault_kind browser_check_chroot(struct browser *browser, const struct connect_string *servers,
                                     struct fault *fault)
{
    struct browser_stat ignored;
    bool there = true;
    if (servers->chroot[0] == '\0')
        return FAULT_NONE;
    enum fault_kind kind = browser_look(browser, "/", NO_WATCH, &there, &ignored, fault);
    if (kind == FAULT_NONE && !there)
        kind = fault_raise(fault, FAULT_NO_CHROOT, 0, servers->chroot, "%s", "");
    return kind;
}

enum fault_kind browser_new(const char *purpose, const struct connect_string *servers,
                            int interrupts, struct browser **browser, struct fault *fault)
{
    struct browser *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fault_from_errno(fault, ENOMEM, "session", "%s", "");
    enum fault_kind kind = dialogue_open(&made->dialogue, purpose, servers, fault);
    if (kind == FAULT_NONE && interrupts >= 0)
        kind = watch(made, interrupts, &made->dialogue.interrupted, fault);
    if (kind == FAULT_NONE)
        kind = connect_to(made, begin(made), fault);
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
    dialogue_close(&browser->dialogue);
    free(browser);
}

enum fault_kind browser_look(struct browser *browser, const char *path, enum watch_flag watch,
                             bool *there, struct browser_stat *stat, struct fault *fault)
{
    const struct client_reply *reply = &browser->dialogue.reply;
    enum fault_kind kind = ask(browser, CLIENT_EXISTS, path, watch, there, fault);
    if (kind == FAULT_NONE && *there)
        *stat = (struct browser_stat){reply->owner, reply->created_ms, reply->version};
    return kind;
}

enum fault_kind browser_read(struct browser *browser, const char *path, bool *there,
                             struct browser_stat *stat, struct browser_data *data,
                             struct fault *fault)
{
    const struct dialogue *dialogue = &browser->dialogue;
    const struct client_reply *reply = &dialogue->reply;
    enum fault_kind kind = ask(browser, CLIENT_GET, path, NO_WATCH, there, fault);
    *data = (struct browser_data){.known = false};
    /* Whoever may not read it may still know that it is there. */
    if (kind == FAULT_FORBIDDEN)
        return browser_look(browser, path, NO_WATCH, there, stat, fault);
    if (kind != FAULT_NONE || !*there)
        return kind;
    *stat = (struct browser_stat){reply->owner, reply->created_ms, reply->version};
    data->known = true;
    data->length = dialogue->value_length;
    memcpy(data->bytes, dialogue->value, sizeof data->bytes);
    return FAULT_NONE;
}

const char **browser_take_names(struct browser *browser)
{
    const char **names = browser->dialogue.names;
    browser->dialogue.names = NULL;
    return names;
}

enum fault_kind browser_list(struct browser *browser, const char *path, enum watch_flag watch,
                             bool *there, const char *const **names, size_t *count,
                             struct fault *fault)
{
    enum fault_kind kind = ask(browser, CLIENT_GET_CHILDREN, path, watch, there, fault);
    if (kind == FAULT_NONE && *there) {
        *names = browser->dialogue.reply.names;
        *count = browser->dialogue.reply.name_count;
    }
    return kind;
}

enum fault_kind browser_delete(struct browser *browser, const char *path, int32_t version,
                               bool *deleted, struct fault *fault)
{
    const struct client_request deletion = {
        .operation = CLIENT_DELETE, .path = path, .version = version};
    enum fault_kind kind = ask_once(browser, &deletion, begin(browser), fault);
    if (kind != FAULT_NONE)
        return kind;
    if (is_lost(browser))
        return fault_raise(fault, FAULT_NO_ANSWER, 0, browser->dialogue.servers,
                           "the connection was lost, and whether %s is deleted is not known", path);
    *deleted = status(browser) == ZK_OK;
    return *deleted || status(browser) == ZK_NO_NODE || status(browser) == ZK_BAD_VERSION
               ? FAULT_NONE
               : raise_status(browser, path, fault);
}

/* ------------------------------------------------------------------ news */

enum fault_kind browser_await(struct browser *browser, enum browser_news *news, struct fault *fault)
{
    struct dialogue *dialogue = &browser->dialogue;
    enum fault_kind kind = FAULT_NONE;
    if (!dialogue->lost)
        kind = dialogue_await(dialogue, &dialogue->changed, &for_ever, fault);
    if (kind == FAULT_NONE && dialogue->lost) {
        dialogue->lost = false;
        *news = BROWSER_LOST;
        return FAULT_NONE;
    }
    if (kind == FAULT_NONE)
        kind = dialogue_connect(dialogue, for_ever, fault);
    dialogue->changed = false;
    *news = BROWSER_CHANGED;
    return kind;
}

enum fault_kind browser_await_input(struct browser *browser, int descriptor, struct fault *fault)
{
    bool has_input = false;
    enum fault_kind kind = watch(browser, descriptor, &has_input, fault);
    if (kind != FAULT_NONE)
        return kind;
    kind = dialogue_await(&browser->dialogue, &has_input, &for_ever, fault);
    events_unwatch(browser->dialogue.stage.events, descriptor);
    return kind;
}
