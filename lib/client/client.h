// SPDX-License-Identifier: Apache-2.0
/*
 * client: one ZooKeeper session, and the operations that a recipe may use. Layer: client.
 *
 * An operation returns at once; its reply reaches the session's listener later, never from inside
 * the call. Values may have up to 1 MB, the default limit of servers (jute.maxbuffer).
 *
 * Invariant: a session has at most as many operations outstanding as its depth, one unless it was
 * opened with more. Every operation gets exactly one reply, an error of the connection included,
 * and replies come in the order of their operations.
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "base/error.h"
#include "wire/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ZooKeeper's answers. A recipe foresees the first five; the others end its work. */
enum zk_status {
    ZK_OK,
    ZK_NO_NODE,
    ZK_NODE_EXISTS,
    ZK_BAD_VERSION,
    ZK_NOT_EMPTY,
    ZK_NO_AUTH,
    ZK_REFUSED, /* the server takes no requests with such credentials, or without */
    ZK_CONNECTION_LOSS,
    ZK_SESSION_EXPIRED,
    ZK_OTHER_ERROR,
};

/* The word in CSV files, such as no_node. */
const char *client_status_word(enum zk_status status);

/* What happened to a watched znode: the numbers of ZooKeeper's protocol (EventType). */
enum client_event { EVENT_CREATED = 1, EVENT_DELETED, EVENT_CHANGED, EVENT_CHILD, EVENT_OTHER };

enum client_state {
    CLIENT_CONNECTING,
    CLIENT_ESTABLISHED,
    CLIENT_EXPIRED, /* the session is gone, or was refused */
    CLIENT_REFUSED, /* the servers do not take its credentials: it is gone, too */
};

/* The reply to the oldest operation outstanding; its pointers are valid until the listener returns.
 * The fields behind latency_ns are zero unless the status is ZK_OK. The status of a multi that
 * failed, of which no part was carried out, is that of the first part that failed. */
struct client_reply {
    enum operation operation;
    enum zk_status status;
    int code;                 /* that the status is of (KeeperException.Code); 0: not known */
    uint64_t tag;             /* the tag given to client_submit */
    uint64_t latency_ns;      /* from the call to the reply */
    const char *path;         /* create: the znode's name in full, sequence included */
    int32_t version;          /* exists, get, set: version of the data, after the set */
    int64_t owner;            /* exists, get: session of an ephemeral znode; else 0 */
    int64_t created_ms;       /* exists, get: since 1970, by the servers' clock; simulated: 0 */
    const char *value;        /* get: the data, not terminated */
    size_t value_length;      /* get */
    const char *const *names; /* get_children: the children's names, in no order */
    size_t name_count;        /* get_children */
    uint32_t children_made;   /* exists, get: since the znode was made, modulo 2^31; simulated: 0 */
};

/* The longest server with its terminator: an IPv6 address of 45 characters with a zone of 15. */
#define CLIENT_SERVER_SIZE (sizeof "[%]:65535" + 45 + 15)

struct client;

/* The callbacks of a session's owner. None may close the session. */
struct client_listener {
    void (*state_changed)(void *owner, enum client_state state);
    /* A request is submitted. */
    void (*sent)(void *owner, enum operation operation);
    void (*replied)(void *owner, const struct client_reply *reply);
    /* A watch fired; path is the znode's. Session events go to state_changed alone. */
    void (*notified)(void *owner, enum client_event event, const char *path);
};

/* Bytes of TCP payload on a session's connection since it was opened, as the kernel counts them. */
struct client_bytes {
    uint64_t connection; /* not 0; each connection of a session has another number */
    uint64_t sent_bytes;
    uint64_t received_bytes;
};

/* How a driver carries out the functions below. */
struct client_driver {
    void (*submit)(struct client *client, const struct request *request);
    bool (*cut)(struct client *client);
    bool (*crash)(struct client *client);
    bool (*leave)(struct client *client);
    uint64_t (*now_ns)(const struct client *client); /* NULL: the host's monotonic clock */
    bool (*bytes)(const struct client *client, struct client_bytes *bytes);
    size_t (*unread)(const struct client *client); /* NULL: what arrives is read at once */
    uint32_t (*timeout_ms)(const struct client *client);
    int64_t (*session_id)(const struct client *client);
    void (*server)(const struct client *client, char *text, size_t size);
};

/* An operation outstanding. */
struct client_slot {
    uint64_t tag;
    uint64_t sent_ns;
    enum operation operation;
    enum zk_status refused; /* the status of its reply; ZK_OK: the driver has sent it */
};

/* A driver embeds this at the head of its own structure. */
struct client {
    const struct client_driver *driver;
    const struct client_listener *listener;
    void *owner;
    bool silent;      /* set by the driver: no reply is delivered any more */
    uint64_t sent_ns; /* when the last operation was sent */
    uint32_t outstanding;
    uint32_t depth;            /* 0 is 1 */
    uint32_t oldest;           /* index of the slot of the oldest operation outstanding */
    struct client_slot only;   /* the slot of a session with a depth of one */
    struct client_slot *slots; /* depth over one: a ring */
};

#define CLIENT_DEPTH_MAX 8192

/* Submits an operation, while fewer are outstanding than the depth. The tag is the caller's own. */
void client_submit(struct client *client, const struct request *request, uint64_t tag);

/* The host's monotonic clock, or that of the simulation. */
uint64_t client_now_ns(const struct client *client);

/* Reads the counters of the present connection; false, with *bytes unchanged, if there is none. */
bool client_bytes(const struct client *client, struct client_bytes *bytes);

/* Bytes that have arrived on that connection and are unread; 0 while it is not connected. */
size_t client_unread(const struct client *client);

/* The session's timeout as the servers granted it; its number, 0 before it is established. */
uint32_t client_timeout_ms(const struct client *client);
int64_t client_session_id(const struct client *client);

/* The server that the session is connected to, as address:port, an IPv6 address in brackets with
 * its zone; "" while it is not. size >= CLIENT_SERVER_SIZE. */
void client_server(const struct client *client, char *text, size_t size);

/*
 * Injected errors. They are called where operations may be called. False, with nothing done, while
 * the session is not connected, or if the driver cannot (see its header).
 *
 * client_cut: loses the reply to the operation just submitted by a session with a depth of one. The
 * connection ends when the reply has arrived, so that the server has carried the operation out, and
 * before the client library has read it. The operation is answered by ZK_CONNECTION_LOSS, and the
 * library reconnects with the same session and sets its watches again. Notifications that arrived
 * together with the reply are lost too; they are sent again if their watches still stood.
 *
 * client_crash: as if the session's process had died. The connection ends at once, and the servers
 * end the session at its timeout. No callback is called any more; outstanding operations may have
 * been carried out or not. Only the driver may use the client from then on, to close it.
 *
 * client_leave: as if the process had closed its session and ended, so that its ephemeral znodes go
 * at once. Nothing may be outstanding. Afterwards as after client_crash.
 */
bool client_cut(struct client *client);
bool client_crash(struct client *client);
bool client_leave(struct client *client);

/* ------------------------------------------------------------------ for drivers */

/* Lays out the slots of a session whose struct client is otherwise filled in. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind client_init(struct client *client, uint32_t depth, struct error *error);
void client_deinit(struct client *client);

/* The driver does not send the operation that was submitted last; its reply has this status. */
void client_refuse(struct client *client, enum zk_status status);

/* Delivers the replies to refused operations that are older than all that were sent, false if there
 * are none; then the reply to the oldest that was sent, with its operation, tag and latency_ns. */
bool client_deliver_refused(struct client *client);
void client_deliver_reply(struct client *client, struct client_reply *reply);

#endif
