// SPDX-License-Identifier: Apache-2.0
#include "bench/target/browser.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/target/target.h"
#include "fleet/sync_session.h"
#include "servers/tcp.h"

#include <stdlib.h>
#include <string.h>

#define REACH_NS      (2 * NS_PER_S)
#define PATIENCE_NS   (10 * NS_PER_S)
#define PATIENCE_TEXT "10 s"

struct browser {
    struct sync_session session;
};

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
        if (!tcp_resolve(endpoint, REACH_NS, &refusal) &&
            !target_identify(endpoint, REACH_NS, &identity, &refusal))
            reached->endpoints[reached->count++] = *endpoint;
        else if (first.kind == ERROR_NONE || refusal.kind == ERROR_READ_ONLY)
            first = refusal;
    }
    if (reached->count > 0)
        return ERROR_NONE;
    *error = first;
    return first.kind;
}

/* Asks until there is a reply; that there is no such znode is one. */
static enum error_kind ask(struct browser *browser, enum operation operation, const char *path,
                           bool *there, struct error *error)
{
    struct sync_session *session = &browser->session;
    const struct request request = {.operation = operation, .path = path};
    const struct sync_session_limit connecting = {.until_ns = clock_now_ns() + PATIENCE_NS,
                                                  .why = "no session within",
                                                  .about = PATIENCE_TEXT},
                                    replying = {.until_ns = connecting.until_ns,
                                                .why = "no reply within",
                                                .about = PATIENCE_TEXT};
    enum zk_status status;
    do {
        if (sync_session_connect(session, connecting, error) ||
            sync_session_ask(session, &request, &replying, error))
            return error->kind;
        status = session->reply.status;
    } while (status == ZK_CONNECTION_LOSS || status == ZK_SESSION_EXPIRED);
    *there = status == ZK_OK;
    if (status == ZK_OK || status == ZK_NO_NODE)
        return ERROR_NONE;
    if (status == ZK_REFUSED)
        return error_raise(error, ERROR_REFUSED_IDENTITY, 0, session->servers, "%s", "");
    return error_raise(error, status == ZK_NO_AUTH ? ERROR_FORBIDDEN : ERROR_ZOOKEEPER, 0, path,
                       "%s", "");
}

enum error_kind browser_new(const struct connect_string *servers, struct browser **browser,
                            struct error *error)
{
    struct browser *made = memory_new(1, sizeof *made);
    bool there; /* the root, which is the chroot */
    enum error_kind kind = sync_session_open(&made->session, servers, NULL, error);
    if (kind == ERROR_NONE)
        kind = ask(made, OP_EXISTS, "/", &there, error);
    if (kind == ERROR_NONE && !there)
        kind = error_raise(error, ERROR_NO_CHROOT, 0, servers->chroot, "%s", "");
    if (kind == ERROR_NONE)
        *browser = made;
    else
        browser_free(made);
    return kind;
}

void browser_free(struct browser *browser)
{
    if (browser != NULL)
        sync_session_close(&browser->session);
    free(browser);
}

enum error_kind browser_exists(struct browser *browser, const char *path, bool *there,
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
    enum error_kind kind = ask(browser, OP_GET, path, there, error);
    *data = (struct browser_data){.known = false};
    if (kind == ERROR_FORBIDDEN) /* whoever may not read it may still know that it is there */
        return browser_exists(browser, path, there, stat, error);
    if (kind != ERROR_NONE || !*there)
        return kind;
    *stat = (struct browser_stat){session->reply.owner, session->reply.created_ms};
    data->known = true;
    data->length =
        session->value_length < BROWSER_DATA_MAX ? session->value_length : BROWSER_DATA_MAX;
    memcpy(data->bytes, session->value, data->length);
    return ERROR_NONE;
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

const char **browser_own_names(struct browser *browser)
{
    const char **names = browser->session.names;
    browser->session.names = NULL;
    return names;
}
