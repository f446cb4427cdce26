// SPDX-License-Identifier: Apache-2.0
/*
 * library: the two builds of the Apache C client, loaded when they are needed. Layer: client, the
 * lowest.
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
    X(created_event, ZOO_CREATED_EVENT)                                                            \
    X(deleted_event, ZOO_DELETED_EVENT)                                                            \
    X(changed_event, ZOO_CHANGED_EVENT)                                                            \
    X(child_event, ZOO_CHILD_EVENT)                                                                \
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

/* Loads a build and fills in the caller's table. ERROR_NO_CLIENT_LIBRARY if its run-time package is
 * not installed. */
MUST_CHECK enum error_kind library_load(enum library_build build, struct library *library,
                                        struct error *error);

/* From now on handles are opened with this identity, and znodes created with its ACL; it must
 * outlive the handles. NULL: nobody's. So it is after library_load. */
void library_identify(struct library *library, const struct identity *identity);

/* For people: the build's name, a static string. */
const char *library_name(enum library_build build);

/* The version in the log of the loaded library, which need not be that of the header; "" if there
 * is none. Not while another thread uses the library. size >= 32. */
void library_version(const struct library *library, char *text, size_t size);

/* Makes a session's handle, which resolves the servers' names once, and logs nothing. With
 * credentials it sends them first on each connection, and calls `authenticated` once, with the
 * library's code: the reply to the first ones, or why there is none. ERROR_USAGE, ERROR_UNRESOLVED,
 * and those of errno. */
MUST_CHECK enum error_kind library_open(const struct library *library, const char *hosts,
                                        watcher_fn watcher, void_completion_t authenticated,
                                        uint32_t session_timeout_ms, void *context, zhandle_t **zk,
                                        struct error *error);

/* See client_server. */
void library_server(const struct library *library, zhandle_t *zk, char *text, size_t size);

#endif
