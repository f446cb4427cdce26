// SPDX-License-Identifier: Apache-2.0
#include "bench/target/browser.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/target/target.h"
#include "servers/four_letter.h"
#include "servers/tcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define REACH_NS      (2 * NS_PER_S)
#define PATIENCE_NS   (10 * NS_PER_S)
#define PATIENCE_TEXT "10 s"

struct browser {
    struct sync_session session;
    bool follows;
};

static const struct sync_session_limit for_ever = {.until_ns = UINT64_MAX, .why = "", .about = ""};

static void hear(void *flag)
{
    *(bool *)flag = true;
}

static enum error_kind watch(struct browser *browser, int descriptor, bool *flag,
                             struct error *error)
{
    return event_loop_watch(browser->session.loop.event_loop, descriptor, hear, flag, error);
}

/* ------------------------------------------------------------------ asking */

static struct sync_session_limit begin(const struct browser *browser)
{
    return (struct sync_session_limit){.until_ns = browser->follows ? UINT64_MAX
                                                                    : clock_now_ns() + PATIENCE_NS,
                                       .about = PATIENCE_TEXT};
}

static enum error_kind connect_to(struct browser *browser, struct sync_session_limit limit,
                                  struct error *error)
{
    limit.why = "no session within";
    return sync_session_connect(&browser->session, limit, error);
}

static enum error_kind ask_once(struct browser *browser, const struct request *request,
                                struct sync_session_limit limit, struct error *error)
{
    enum error_kind kind = connect_to(browser, limit, error);
    limit.why = "no reply within";
    return kind == ERROR_NONE ? sync_session_ask(&browser->session, request, &limit, error) : kind;
}

static enum zk_status status(const struct browser *browser)
{
    return browser->session.reply.status;
}

static bool is_lost(const struct browser *browser)
{
    return status(browser) == ZK_CONNECTION_LOSS || status(browser) == ZK_SESSION_EXPIRED;
}

static enum error_kind raise_status(const struct browser *browser, const char *path,
                                    struct error *error)
{
    if (status(browser) == ZK_REFUSED)
        return error_raise(error, ERROR_REFUSED_IDENTITY, 0, browser->session.servers, "%s", "");
    return error_raise(error, status(browser) == ZK_NO_AUTH ? ERROR_FORBIDDEN : ERROR_ZOOKEEPER, 0,
                       path, "%s", "");
}

/* That there is no such znode is an answer. */
static enum error_kind ask(struct browser *browser, enum operation operation, const char *path,
                           enum watch_flag watch, bool *there, struct error *error)
{
    const struct request question = {.operation = operation, .path = path, .watch = watch};
    const struct sync_session_limit limit = begin(browser);
    enum error_kind kind;
    do
        kind = ask_once(browser, &question, limit, error);
    while (kind == ERROR_NONE && is_lost(browser));
    if (kind != ERROR_NONE)
        return kind;
    *there = status(browser) == ZK_OK;
    return *there || status(browser) == ZK_NO_NODE ? ERROR_NONE
                                                   : raise_status(browser, path, error);
}

/* ------------------------------------------------------------------ what it is asked for */

enum error_kind browser_reach(struct connect_string *servers, struct connect_string *reached,
                              struct error *error)
{
    struct error first = {.kind = ERROR_NONE};
    *reached = *servers;
    reached->count = 0;
    for (size_t i = 0; i < servers->count; i++) {
        struct endpoint *endpoint = &servers->endpoints[i];
        struct four_letter_identity identity;
        struct error refusal;
        enum error_kind kind = tcp_resolve(endpoint, REACH_NS, &refusal);
        if (kind == ERROR_NONE)
            kind = target_identify(endpoint, REACH_NS, &identity, &refusal);
        if (kind == ERROR_NONE)
            reached->endpoints[reached->count++] = *endpoint;
        else if (first.kind == ERROR_NONE || kind == ERROR_READ_ONLY)
            first = refusal;
    }
    if (reached->count > 0)
        return ERROR_NONE;
    *error = first;
    return first.kind;
}

static enum error_kind check_chroot(struct browser *browser, const struct connect_string *servers,
                                    struct error *error)
{
    struct browser_stat ignored;
    bool there = true;
    if (servers->chroot[0] == '\0')
        return ERROR_NONE;
    enum error_kind kind = browser_look(browser, "/", NO_WATCH, &there, &ignored, error);
    if (kind == ERROR_NONE && !there)
        kind = error_raise(error, ERROR_NO_CHROOT, 0, servers->chroot, "%s", "");
    return kind;
}

enum error_kind browser_new(const char *purpose, const struct connect_string *servers,
                            int interrupts, struct browser **browser, struct error *error)
{
    struct browser *made = memory_new(1, sizeof *made);
    enum error_kind kind = sync_session_open(&made->session, purpose, servers, NULL, error);
    if (kind == ERROR_NONE && interrupts >= 0)
        kind = watch(made, interrupts, &made->session.interrupted, error);
    if (kind == ERROR_NONE)
        kind = connect_to(made, begin(made), error);
    made->follows = interrupts >= 0;
    if (kind == ERROR_NONE)
        kind = check_chroot(made, servers, error);
    if (kind == ERROR_NONE)
        *browser = made;
    else
        browser_free(made);
    return kind;
}

void browser_free(struct browser *browser)
{
    if (browser == NULL)
        return;
    sync_session_close(&browser->session);
    free(browser);
}

enum error_kind browser_look(struct browser *browser, const char *path, enum watch_flag watch,
                             bool *there, struct browser_stat *stat, struct error *error)
{
    const struct client_reply *reply = &browser->session.reply;
    enum error_kind kind = ask(browser, OP_EXISTS, path, watch, there, error);
    if (kind == ERROR_NONE && *there)
        *stat = (struct browser_stat){reply->owner, reply->created_ms, reply->version};
    return kind;
}

enum error_kind browser_read(struct browser *browser, const char *path, bool *there,
                             struct browser_stat *stat, struct browser_data *data,
                             struct error *error)
{
    const struct sync_session *session = &browser->session;
    const struct client_reply *reply = &session->reply;
    enum error_kind kind = ask(browser, OP_GET, path, NO_WATCH, there, error);
    *data = (struct browser_data){.known = false};
    /* Whoever may not read it may still know that it is there. */
    if (kind == ERROR_FORBIDDEN)
        return browser_look(browser, path, NO_WATCH, there, stat, error);
    if (kind != ERROR_NONE || !*there)
        return kind;
    *stat = (struct browser_stat){reply->owner, reply->created_ms, reply->version};
    data->known = true;
    data->length =
        session->value_length < BROWSER_DATA_MAX ? session->value_length : BROWSER_DATA_MAX;
    memcpy(data->bytes, session->value, data->length);
    return ERROR_NONE;
}

const char **browser_take_names(struct browser *browser)
{
    const char **names = browser->session.names;
    browser->session.names = NULL;
    return names;
}

enum error_kind browser_list(struct browser *browser, const char *path, enum watch_flag watch,
                             bool *there, const char *const **names, size_t *count,
                             struct error *error)
{
    enum error_kind kind = ask(browser, OP_GET_CHILDREN, path, watch, there, error);
    if (kind == ERROR_NONE && *there) {
        *names = browser->session.reply.names;
        *count = browser->session.reply.name_count;
    }
    return kind;
}

enum error_kind browser_delete(struct browser *browser, const char *path, int32_t version,
                               bool *deleted, struct error *error)
{
    const struct request deletion = {.operation = OP_DELETE, .path = path, .version = version};
    enum error_kind kind = ask_once(browser, &deletion, begin(browser), error);
    if (kind != ERROR_NONE)
        return kind;
    if (is_lost(browser))
        return error_raise(error, ERROR_NO_ANSWER, 0, browser->session.servers,
                           "the connection was lost, and whether %s is deleted is not known", path);
    *deleted = status(browser) == ZK_OK;
    return *deleted || status(browser) == ZK_NO_NODE || status(browser) == ZK_BAD_VERSION
               ? ERROR_NONE
               : raise_status(browser, path, error);
}

/* ------------------------------------------------------------------ news */

enum error_kind browser_await(struct browser *browser, enum browser_news *news, struct error *error)
{
    struct sync_session *session = &browser->session;
    enum error_kind kind = ERROR_NONE;
    if (!session->lost)
        kind = sync_session_await(session, &session->changed, &for_ever, error);
    if (kind == ERROR_NONE && session->lost) {
        session->lost = false;
        *news = BROWSER_LOST;
        return ERROR_NONE;
    }
    if (kind == ERROR_NONE)
        kind = sync_session_connect(session, for_ever, error);
    session->changed = false;
    *news = BROWSER_CHANGED;
    return kind;
}

enum error_kind browser_ask_consent(struct browser *browser, bool *agreed, struct error *error)
{
    char answer[16] = "";
    bool has_input = false;
    fputs(" [y/N] ", stderr);
    enum error_kind kind = watch(browser, STDIN_FILENO, &has_input, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = sync_session_await(&browser->session, &has_input, &for_ever, error);
    event_loop_unwatch(browser->session.loop.event_loop, STDIN_FILENO);
    if (kind != ERROR_NONE)
        return kind;
    *agreed = fgets(answer, sizeof answer, stdin) != NULL &&
              (strcasecmp(answer, "y\n") == 0 || strcasecmp(answer, "yes\n") == 0);
    return ERROR_NONE;
}
