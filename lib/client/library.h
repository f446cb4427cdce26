// SPDX-License-Identifier: Apache-2.0
/*
 * library: the Apache C client: its two builds, loaded when they are needed, a session's handle,
 * and requests as its calls. Layer: client, the lowest.
 *
 * libzookeeper_st has no threads and is driven from outside; libzookeeper_mt runs two threads for
 * each handle and has the synchronous calls. Both define the same names, so a program that uses
 * both can be linked with neither: each is loaded with private names, and called through a table.
 *
 * Invariant: a loaded library stays loaded until the process ends.
 */
#ifndef CLIENT_LIBRARY_H
#define CLIENT_LIBRARY_H

#include "base/error.h"
#include "client/client.h"
#include "client/identity.h"

#include <stdbool.h>
#include <stdint.h>
#include <zookeeper/zookeeper.h>

enum library_build { LIBRARY_ST, LIBRARY_MT };

/* In both builds: X(field, name in the library). */
#define LIBRARY_LIST(X)                                                                            \
    X(init, zookeeper_init)                                                                        \
    X(add_auth, zoo_add_auth)                                                                      \
    X(close, zookeeper_close)                                                                      \
    X(state, zoo_state)                                                                            \
    X(recv_timeout, zoo_recv_timeout)                                                              \
    X(client_id, zoo_client_id)                                                                    \
    X(get_connected_host, zookeeper_get_connected_host)                                            \
    X(set_servers_resolution_delay, zoo_set_servers_resolution_delay)                              \
    X(deterministic_conn_order, zoo_deterministic_conn_order)                                      \
    X(set_debug_level, zoo_set_debug_level)                                                        \
    X(set_log_stream, zoo_set_log_stream)                                                          \
    X(deallocate_names, deallocate_String_vector)                                                  \
    X(create_op_init, zoo_create_op_init)                                                          \
    X(set_op_init, zoo_set_op_init)                                                                \
    X(delete_op_init, zoo_delete_op_init)                                                          \
    X(check_op_init, zoo_check_op_init)                                                            \
    X(acreate, zoo_acreate)                                                                        \
    X(aexists, zoo_aexists)                                                                        \
    X(aget, zoo_aget)                                                                              \
    X(aget_children, zoo_aget_children)                                                            \
    X(aset, zoo_aset)                                                                              \
    X(adelete, zoo_adelete)                                                                        \
    X(async, zoo_async)                                                                            \
    X(amulti, zoo_amulti)

/* The single-threaded build only. */
#define LIBRARY_ST_LIST(X)                                                                         \
    X(interest, zookeeper_interest)                                                                \
    X(process, zookeeper_process)

/* The multi-threaded build only: X(field, name in the library, parameters). The library's header
 * declares these only to programs that it hides the single-threaded ones from. */
#define LIBRARY_MT_LIST(X)                                                                         \
    X(create, zoo_create,                                                                          \
      (zhandle_t * zk, const char *path, const char *value, int value_length,                      \
       const struct ACL_vector *acl, int mode, char *created, int created_size))                   \
    X(exists, zoo_exists, (zhandle_t * zk, const char *path, int watch, struct Stat *stat))        \
    X(get, zoo_get,                                                                                \
      (zhandle_t * zk, const char *path, int watch, char *value, int *value_length,                \
       struct Stat *stat))                                                                         \
    X(get_children, zoo_get_children,                                                              \
      (zhandle_t * zk, const char *path, int watch, struct String_vector *names))                  \
    X(set, zoo_set2,                                                                               \
      (zhandle_t * zk, const char *path, const char *value, int value_length, int version,         \
       struct Stat *stat))                                                                         \
    X(remove, zoo_delete, (zhandle_t * zk, const char *path, int version))                         \
    X(multi, zoo_multi, (zhandle_t * zk, int count, const zoo_op_t *ops, zoo_op_result_t *results))

/* The library's integer constants are variables, in both builds. */
#define LIBRARY_INTEGER_LIST(X)                                                                    \
    X(session_event, ZOO_SESSION_EVENT)                                                            \
    X(connecting_state, ZOO_CONNECTING_STATE)                                                      \
    X(connected_state, ZOO_CONNECTED_STATE)                                                        \
    X(expired_state, ZOO_EXPIRED_SESSION_STATE)                                                    \
    X(auth_failed_state, ZOO_AUTH_FAILED_STATE)                                                    \
    X(wants_read, ZOOKEEPER_READ)                                                                  \
    X(wants_write, ZOOKEEPER_WRITE)

/* A build's functions and constants. Those of the other build only are NULL. */
struct library {
#define X(field, name) __typeof__(name) *field;
    LIBRARY_LIST(X)
    LIBRARY_ST_LIST(X)
#undef X
#define X(field, name, parameters) int(*field) parameters;
    LIBRARY_MT_LIST(X)
#undef X
    const struct ACL_vector *open_acl;
    const struct ACL_vector *creator_acl;
    const struct ACL_vector *acl;    /* one of the two: of the znodes to be created */
    const struct identity *identity; /* of the handles to be opened; may be NULL */
#define X(field, name) int field;
    LIBRARY_INTEGER_LIST(X)
#undef X
};

/* Loads a build and fills in the caller's table. The identity (NULL: none) is that of the handles
 * to be opened and gives the ACL of the znodes to be created; it must outlive the handles.
 * ERROR_NO_CLIENT_LIBRARY if the build's run-time package is not installed. */
MUST_CHECK enum error_kind library_load(enum library_build build, const struct identity *identity,
                                        struct library *library, struct error *error);

/* The status of an error of ZooKeeper's (KeeperException.Code). */
enum zk_status library_status(int code);

const char *library_name(enum library_build build);

/* The version in the log of the loaded library, which need not be that of the header; "" if there
 * is none. Not while another thread uses the library. size >= 32. */
void library_version(const struct library *library, char *text, size_t size);

/* ------------------------------------------------------------------ a session's handle */

struct handle;

/* Callbacks from inside the library: in the single-threaded build from its calls, in the
 * multi-threaded build from its threads. */
struct handle_events {
    void (*state_changed)(struct handle *handle, enum client_state state);
    void (*notified)(struct handle *handle, enum client_event event, const char *path);
    /* Once, if there are credentials: the reply to the first ones, or why there is none. */
    void (*authenticated)(struct handle *handle, bool accepted);
};

/* A driver embeds this at the head of its own structure. The driver sets `client`. */
struct handle {
    struct client client; /* first: a pointer to it is one to the handle */
    const struct library *library;
    const struct handle_events *events;
    struct handle *self; /* the library returns what a completion was given as constant */
    zhandle_t *zk;
    bool unanswered; /* no reply has come to the credentials yet */
    /* The library writes here until asynchronous multis are answered; not read. */
    zoo_op_result_t results[REQUEST_PARTS_MAX];
};

/* Makes the library's handle, which resolves the servers' names once, and sends credentials first
 * on each connection. ERROR_USAGE, ERROR_UNRESOLVED, and those of errno. */
MUST_CHECK enum error_kind handle_open(struct handle *handle, const struct library *library,
                                       const struct handle_events *events, const char *hosts,
                                       uint32_t session_timeout_ms, struct error *error);

/* Functions of a struct client_driver for a client at the head of a struct handle. */
uint32_t handle_timeout_ms(const struct client *client);
int64_t handle_session_id(const struct client *client);
void handle_server(const struct client *client, char *text, size_t size);

/* Makes the asynchronous call for a request, in the single-threaded build. Returns the library's
 * code: unless ZOK, the request was not taken. Invariant: requests that the library has taken are
 * answered (client_deliver_reply) at most once each, in their order, inside the library's calls;
 * one that it took while its session did not expire is answered. */
int handle_submit(struct handle *handle, const struct request *request);

/* Bytes of a created znode's path with its terminator, and of a znode's data: more than servers
 * take by default. Bytes beyond that are cut off. */
#define HANDLE_PATH_MAX  256
#define HANDLE_VALUE_MAX ((size_t)1 << 20)

/* What a synchronous call writes. */
struct handle_answer {
    char created[HANDLE_PATH_MAX];
    struct Stat stat;
    struct String_vector names;
    char *value; /* of the owner: HANDLE_VALUE_MAX bytes */
};

/* Makes the synchronous call for a request, in the multi-threaded build; it may take as long as the
 * session lives. *answer is zero but for `value`; its names are the caller's to deallocate by the
 * library. The reply points into the answer, and lacks what client_deliver_reply fills in. */
struct client_reply handle_call(const struct handle *handle, const struct request *request,
                                struct handle_answer *answer);

#endif
