// SPDX-License-Identifier: Apache-2.0
#include "bench/target/browser.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/cli/complain.h"
#include "bench/target/target.h"
#include "fleet/setup_session.h"
#include "servers/tcp.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REACH_NS    (2 * NS_PER_S)
#define PATIENCE_NS (10 * NS_PER_S)

/* How long a write may take to reach all servers, and how often it is looked for. */
#define SPREAD_NS (2 * NS_PER_S)
#define LOOK_US   20000

struct browser {
    struct setup_session *session;
};

enum error_kind browser_reach(struct connect_string *servers, struct connect_string *reached,
                              struct error *error)
{
    struct error first = {.kind = ERROR_NONE};
    char left_out[600] = "";
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
        target_note_addresses(endpoint, left_out, sizeof left_out);
    }
    if (left_out[0] != '\0')
        complain_mildly("%s", left_out);
    if (reached->count > 0)
        return ERROR_NONE;
    *error = first;
    return first.kind;
}

static enum error_kind ask(struct browser *browser, enum operation operation, const char *path,
                           bool *there, struct error *error)
{
    enum error_kind kind = setup_session_read(browser->session, operation, path, error);
    *there = kind == ERROR_NONE && browser->session->reply.status == ZK_OK;
    return kind;
}

static struct browser_stat stat_of(const struct client_reply *reply)
{
    return (struct browser_stat){reply->owner, reply->created_ms, reply->children_made};
}

/* The child of the root that is the first by its name, other than ZooKeeper's own. */
struct child {
    bool there;
    char path[SETUP_SESSION_PATH_MAX];
    struct browser_stat stat;
};

static enum error_kind find_child(struct browser *browser, struct child *child, struct error *error)
{
    const struct client_reply *reply = &browser->session->reply;
    const char *first = NULL;
    bool there;
    *child = (struct child){.path = "/"};
    enum error_kind kind = ask(browser, OP_GET_CHILDREN, "/", &there, error);
    for (size_t i = 0; kind == ERROR_NONE && there && i < reply->name_count; i++)
        if (strcmp(reply->names[i], "zookeeper") != 0 &&
            (first == NULL || strcmp(reply->names[i], first) < 0))
            first = reply->names[i];
    if (first == NULL)
        return kind;
    snprintf(child->path, sizeof child->path, "/%s", first);
    return browser_exists(browser, child->path, &child->there, &child->stat, error);
}

/* What belongs to one ensemble has the same znodes: each server is asked alone for one of them. */
static enum error_kind check_one_ensemble(struct browser *browser,
                                          const struct connect_string *servers, struct error *error)
{
    struct connect_string alone = *servers;
    enum error_kind kind = ERROR_NONE;
    alone.count = 1;
    for (size_t i = 0; i < servers->count && servers->count > 1 && kind == ERROR_NONE; i++) {
        struct browser *witness = memory_new(1, sizeof *witness);
        struct child child, other;
        char text[ENDPOINT_TEXT_SIZE];
        bool is_same = false;
        uint64_t until_ns = clock_now_ns() + SPREAD_NS;
        alone.endpoints[0] = servers->endpoints[i];
        kind = setup_session_new(&alone, NULL, PATIENCE_NS, -1, &witness->session, error);
        while (kind == ERROR_NONE && !is_same && clock_now_ns() < until_ns) {
            kind = find_child(browser, &child, error);
            if (kind == ERROR_NONE)
                kind = find_child(witness, &other, error);
            is_same = kind == ERROR_NONE && strcmp(child.path, other.path) == 0 &&
                      child.there == other.there && child.stat.created_ms == other.stat.created_ms;
            if (!is_same)
                usleep(LOOK_US);
        }
        if (kind == ERROR_NONE && !is_same)
            kind = error_raise(error, ERROR_OTHER_ENSEMBLE, 0,
                               endpoint_format(&alone.endpoints[0], text, sizeof text),
                               "its znode %s is not that of the others", other.path);
        browser_free(witness);
        kind = kind == ERROR_FORBIDDEN ? ERROR_NONE : kind; /* then they cannot be compared */
    }
    return kind;
}

enum error_kind browser_new(const struct connect_string *servers, struct browser **browser,
                            struct error *error)
{
    struct browser *made = memory_new(1, sizeof *made);
    bool there; /* the root, which is the chroot */
    enum error_kind kind = setup_session_new(servers, NULL, PATIENCE_NS, -1, &made->session, error);
    if (kind == ERROR_NONE)
        kind = ask(made, OP_EXISTS, "/", &there, error);
    if (kind == ERROR_NONE && !there)
        kind = error_raise(error, ERROR_NO_CHROOT, 0, servers->chroot, "%s", "");
    if (kind == ERROR_NONE)
        kind = check_one_ensemble(made, servers, error);
    if (kind == ERROR_NONE)
        *browser = made;
    else
        browser_free(made);
    return kind;
}

void browser_free(struct browser *browser)
{
    if (browser != NULL)
        setup_session_free(browser->session);
    free(browser);
}

enum error_kind browser_exists(struct browser *browser, const char *path, bool *there,
                               struct browser_stat *stat, struct error *error)
{
    const struct client_reply *reply = &browser->session->reply;
    enum error_kind kind = ask(browser, OP_EXISTS, path, there, error);
    if (kind == ERROR_NONE && *there)
        *stat = stat_of(reply);
    return kind;
}

enum error_kind browser_read(struct browser *browser, const char *path, bool *there,
                             struct browser_stat *stat, struct browser_data *data,
                             struct error *error)
{
    const struct setup_session *session = browser->session;
    enum error_kind kind = ask(browser, OP_GET, path, there, error);
    *data = (struct browser_data){.known = false};
    if (kind == ERROR_FORBIDDEN) /* whoever may not read it may still know that it is there */
        return browser_exists(browser, path, there, stat, error);
    if (kind != ERROR_NONE || !*there)
        return kind;
    *stat = stat_of(&session->reply);
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
        *names = browser->session->reply.names;
        *count = browser->session->reply.name_count;
    }
    return kind;
}

const char **browser_own_names(struct browser *browser)
{
    const char **names = browser->session->names;
    browser->session->names = NULL;
    return names;
}
