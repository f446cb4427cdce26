// SPDX-License-Identifier: Apache-2.0
#include "bench/target/browser.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/target/target.h"
#include "servers/four_letter.h"
#include "servers/tcp.h"

#include <stdlib.h>
#include <string.h>

#define REACH_NS      (2 * NS_PER_S)
#define PATIENCE_NS   (10 * NS_PER_S)
#define PATIENCE_TEXT "10 s"

struct browser {
    struct sync_session session;
};

/* ------------------------------------------------------------------ asking */

static struct sync_session_limit begin(void)
{
    return (struct sync_session_limit){.until_ns = clock_now_ns() + PATIENCE_NS,
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
                           bool *there, struct error *error)
{
    const struct request question = {.operation = operation, .path = path};
    const struct sync_session_limit limit = begin();
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
    enum error_kind kind = browser_look(browser, "/", &there, &ignored, error);
    if (kind == ERROR_NONE && !there)
        kind = error_raise(error, ERROR_NO_CHROOT, 0, servers->chroot, "%s", "");
    return kind;
}

enum error_kind browser_new(const struct connect_string *servers, struct browser **browser,
                            struct error *error)
{
    struct browser *made = memory_new(1, sizeof *made);
    enum error_kind kind = sync_session_open(&made->session, "browser", servers, NULL, error);
    if (kind == ERROR_NONE)
        kind = connect_to(made, begin(), error);
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

enum error_kind browser_look(struct browser *browser, const char *path, bool *there,
                             struct browser_stat *stat, struct error *error)
{
    const struct client_reply *reply = &browser->session.reply;
    enum error_kind kind = ask(browser, OP_EXISTS, path, there, error);
    if (kind == ERROR_NONE && *there)
        *stat = (struct browser_stat){reply->owner, reply->created_ms};
    return kind;
}

enum error_kind browser_read(struct browser *browser, const char *path, bool *there,
                             struct browser_stat *stat, struct browser_data *data,
                             struct error *error)
{
    const struct sync_session *session = &browser->session;
    const struct client_reply *reply = &session->reply;
    enum error_kind kind = ask(browser, OP_GET, path, there, error);
    *data = (struct browser_data){.known = false};
    /* Whoever may not read it may still know that it is there. */
    if (kind == ERROR_FORBIDDEN)
        return browser_look(browser, path, there, stat, error);
    if (kind != ERROR_NONE || !*there)
        return kind;
    *stat = (struct browser_stat){reply->owner, reply->created_ms};
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

enum error_kind browser_list(struct browser *browser, const char *path, bool *there,
                             const char *const **names, size_t *count, struct error *error)
{
    enum error_kind kind = ask(browser, OP_GET_CHILDREN, path, there, error);
    if (kind == ERROR_NONE && *there) {
        *names = browser->session.reply.names;
        *count = browser->session.reply.name_count;
    }
    return kind;
}
