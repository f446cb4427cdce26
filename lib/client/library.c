// SPDX-License-Identifier: Apache-2.0
#include "client/library.h"

#include "base/loader.h"
#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE(field, symbol)                {#symbol, offsetof(struct library, field), false},
#define PLACE_MT(field, symbol, parameters) PLACE(field, symbol)
#define PLACE_INTEGER(field, symbol)        {#symbol, offsetof(struct library, field), true},
#define COMMON                                                                                     \
    LIBRARY_LIST(PLACE)                                                                            \
    LIBRARY_INTEGER_LIST(PLACE_INTEGER)                                                            \
    PLACE(open_acl, ZOO_OPEN_ACL_UNSAFE) PLACE(creator_acl, ZOO_CREATOR_ALL_ACL)

static const struct loader_place of_st[] = {COMMON LIBRARY_ST_LIST(PLACE){.symbol = NULL}};
static const struct loader_place of_mt[] = {COMMON LIBRARY_MT_LIST(PLACE_MT){.symbol = NULL}};

static const struct {
    const char *name;
    const char *file;
    const char *package;
    const struct loader_place *places; /* the last has no symbol */
} builds[] = {
    [LIBRARY_ST] = {"libzookeeper_st", "libzookeeper_st.so.2", "libzookeeper-st2", of_st},
    [LIBRARY_MT] = {"libzookeeper_mt", "libzookeeper_mt.so.2", "libzookeeper-mt2", of_mt},
};

enum error_kind library_load(enum library_build build, struct library *library, struct error *error)
{
    struct library table = {0};
    enum error_kind kind =
        loader_load(builds[build].file, builds[build].package, builds[build].places,
                    ERROR_NO_CLIENT_LIBRARY, &table, error);
    if (kind != ERROR_NONE)
        return kind;
    assert(table.set_debug_level != NULL && table.deterministic_conn_order != NULL);
    /* Settings of the loaded library, not of a handle: no log on stderr, and the order of servers
     * that the connect string has. */
    table.set_debug_level((ZooLogLevel)0);
    table.deterministic_conn_order(1);
    library_identify(&table, NULL);
    *library = table;
    return ERROR_NONE;
}

void library_identify(struct library *library, const struct identity *identity)
{
    library->identity = identity;
    library->acl = identity != NULL && identity->creator ? library->creator_acl : library->open_acl;
}

const char *library_name(enum library_build build)
{
    return builds[build].name;
}

/* The library has no call for its version, but logs it before it parses the servers. These do not
 * parse, so no handle is made. */
static void log_environment(const struct library *library, FILE *stream)
{
    library->set_log_stream(stream);
    library->set_debug_level(ZOO_LOG_LEVEL_INFO);
    zhandle_t *none = library->init("no-port", NULL, 0, NULL, NULL, 0);
    if (none != NULL)
        library->close(none);
    library->set_debug_level((ZooLogLevel)0);
    library->set_log_stream(NULL);
}

void library_version(const struct library *library, char *text, size_t size)
{
    static const char mark[] = "zookeeper C client ";
    char *log = NULL;
    size_t length;
    text[0] = '\0';
    FILE *stream = memory_stream(&log, &length);
    log_environment(library, stream);
    memory_stream_end(stream);
    const char *at = strstr(log, mark);
    if (at != NULL)
        snprintf(text, size, "%.*s", (int)strcspn(at + strlen(mark), " \n"), at + strlen(mark));
    free(log);
}

static enum error_kind raise_init(struct error *error, const char *hosts)
{
    switch (errno) {
    case EINVAL:
        return error_raise(error, ERROR_USAGE, 0, hosts, "the connect string does not parse");
    case ENOMEM:
    case EMFILE:
    case ENFILE:
        return error_from_errno(error, errno, hosts, "cannot make a session");
    default:
        return error_raise(error, ERROR_UNRESOLVED, 0, hosts, "%s", "");
    }
}

enum error_kind library_open(const struct library *library, const char *hosts, watcher_fn watcher,
                             void_completion_t authenticated, uint32_t session_timeout_ms,
                             void *context, zhandle_t **zk, struct error *error)
{
    const struct identity *identity = library->identity;
    zhandle_t *made =
        library->init(hosts, watcher, (int)session_timeout_ms, NULL, context, ZOO_NO_LOG_CLIENTENV);
    if (made == NULL)
        return raise_init(error, hosts);
    /* Else each call of zookeeper_interest resolves the host names, at 300 times its cost. */
    library->set_servers_resolution_delay(made, -1);
    if (identity_is_known(identity) &&
        library->add_auth(made, "digest", identity->credentials, (int)strlen(identity->credentials),
                          authenticated, context) != ZOK) {
        library->close(made);
        return error_raise(error, ERROR_NO_MEMORY, 0, hosts, "for the credentials");
    }
    *zk = made;
    return ERROR_NONE;
}

/* As lib/servers writes the addresses of endpoints, so that they can be compared. */
void library_server(const struct library *library, zhandle_t *zk, char *text, size_t size)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[CLIENT_SERVER_SIZE], port[sizeof "65535"];
    text[0] = '\0';
    if (library->get_connected_host(zk, (struct sockaddr *)&address, &length) == NULL ||
        getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    bool is_ipv6 = address.ss_family == AF_INET6;
    snprintf(text, size, "%s%s%s:%s", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}
