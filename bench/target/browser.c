// SPDX-License-Identifier: Apache-2.0
#include "bench/target/browser.h"

#include "base/clock.h"
#include "bench/cli/complain.h"
#include "bench/target/target.h"
#include "servers/tcp.h"

#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#define REACH_NS    (2 * NS_PER_S)
#define PATIENCE_NS (10 * NS_PER_S)

/* How long a write may take to reach all servers, and how often it is looked for. */
#define SPREAD_NS (2 * NS_PER_S)
#define LOOK_US   20000

/* ------------------------------------------------------------------ znodes */

static bool ask(struct browser *browser, enum operation operation, const char *path)
{
    ERROR_FIRST(browser->error,
                setup_session_read(browser->session, operation, path, browser->error));
    return browser->error->kind == ERROR_NONE && browser->session->reply.status == ZK_OK;
}

static struct browser_stat stat_of(const struct client_reply *reply)
{
    return (struct browser_stat){reply->owner, reply->created_ms, reply->children_made};
}

bool browser_exists(struct browser *browser, const char *path, struct browser_stat *stat)
{
    const bool there = ask(browser, OP_EXISTS, path);
    *stat = there ? stat_of(&browser->session->reply) : (struct browser_stat){0};
    return there;
}

bool browser_read(struct browser *browser, const char *path, struct browser_stat *stat,
                  struct browser_data *data)
{
    const bool there = ask(browser, OP_GET, path);
    *stat = (struct browser_stat){0};
    *data = (struct browser_data){.known = there};
    if (browser->error->kind == ERROR_FORBIDDEN) { /* anybody may know whether it is there */
        browser->error->kind = ERROR_NONE;
        return browser_exists(browser, path, stat);
    }
    if (!there)
        return false;
    *stat = stat_of(&browser->session->reply);
    data->length = MIN(browser->session->value_length, BROWSER_DATA_MAX);
    memcpy(data->bytes, browser->session->value, data->length);
    return true;
}

bool browser_list(struct browser *browser, const char *path, const char ***names, size_t *count)
{
    const bool there = ask(browser, OP_GET_CHILDREN, path);
    *names = there ? browser->session->names : NULL;
    *count = there ? browser->session->reply.name_count : 0;
    if (there)
        browser->session->names = NULL; /* they are the caller's now */
    return there;
}

/* ------------------------------------------------------------------ one ensemble */

/* The child of the root that is the first by its name, other than ZooKeeper's own. */
struct child {
    char path[SETUP_SESSION_PATH_MAX]; /* "/": there is none */
    struct browser_stat stat;          /* all zero: it is not there any more */
};

static struct child find_child(struct browser *browser)
{
    struct child child = {.path = "/"};
    const char **names, *first = NULL;
    size_t count;
    (void)browser_list(browser, "/", &names, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], "zookeeper") != 0 && (first == NULL || strcmp(names[i], first) < 0))
            first = names[i];
    if (first != NULL) {
        snprintf(child.path, sizeof child.path, "/%s", first);
        (void)browser_exists(browser, child.path, &child.stat);
    }
    free(names);
    return child;
}

static void open_session(struct browser *browser)
{
    ERROR_FIRST(browser->error, setup_session_new(&browser->servers, NULL, PATIENCE_NS, -1,
                                                  &browser->session, browser->error));
}

/* What belongs to one ensemble has the same znodes: each server is asked alone for one of them.
 * What may not be read cannot be compared. */
static void check_one_ensemble(struct browser *browser)
{
    const struct connect_string *servers = &browser->servers;
    struct error *error = browser->error;
    for (size_t i = 0; i < servers->count && servers->count > 1; i++) {
        struct browser witness = {.error = error, .servers = *servers};
        struct child child, other;
        char text[ENDPOINT_TEXT_SIZE];
        bool is_same;
        const uint64_t until_ns = clock_now_ns() + SPREAD_NS;
        witness.servers.endpoints[0] = servers->endpoints[i];
        witness.servers.count = 1;
        open_session(&witness);
        do {
            child = find_child(browser);
            other = find_child(&witness);
            is_same = strcmp(child.path, other.path) == 0 &&
                      child.stat.created_ms == other.stat.created_ms;
        } while (!is_same && error->kind == ERROR_NONE && clock_now_ns() < until_ns &&
                 usleep(LOOK_US) == 0);
        if (error->kind == ERROR_FORBIDDEN)
            error->kind = ERROR_NONE;
        else if (!is_same)
            ERROR_FIRST(error,
                        error_raise(error, ERROR_OTHER_ENSEMBLE, 0,
                                    endpoint_format(&servers->endpoints[i], text, sizeof text),
                                    "its znode %s is not that of the others", other.path));
        browser_close(&witness);
    }
}

/* ------------------------------------------------------------------ servers */

/* Resolves the servers, and keeps those that serve. */
static void find_servers(struct browser *browser, struct connect_string *servers)
{
    struct error first = {.kind = ERROR_NONE};
    char left_out[600] = "";
    browser->servers = *servers;
    browser->servers.count = 0;
    for (size_t i = 0; i < servers->count; i++) {
        struct endpoint *endpoint = &servers->endpoints[i];
        struct four_letter_identity identity;
        struct error refusal;
        if (!tcp_resolve(endpoint, REACH_NS, &refusal) &&
            !target_identify(endpoint, REACH_NS, &identity, &refusal))
            browser->servers.endpoints[browser->servers.count++] = *endpoint;
        else if (first.kind == ERROR_NONE || refusal.kind == ERROR_READ_ONLY)
            first = refusal;
        target_note_addresses(endpoint, left_out, sizeof left_out);
    }
    if (left_out[0] != '\0')
        complain_mildly("%s", left_out);
    if (browser->servers.count == 0)
        *browser->error = first;
}

/* The root is the chroot. */
void browser_open(struct browser *browser, struct connect_string *servers)
{
    struct error *error = browser->error;
    struct browser_stat root;
    find_servers(browser, servers);
    open_session(browser);
    if (!browser_exists(browser, "/", &root))
        ERROR_FIRST(error, error_raise(error, ERROR_NO_CHROOT, 0, servers->chroot, "%s", ""));
    check_one_ensemble(browser);
}

void browser_close(struct browser *browser)
{
    setup_session_free(browser->session);
}
