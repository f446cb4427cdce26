// SPDX-License-Identifier: Apache-2.0
/*
 * client: one ZooKeeper session, and the operations that a recipe may use. Layer: client.
 *
 * An operation is asynchronous: it returns at once, and its reply reaches the session's listener
 * later, never from inside the call. Values may have up to 1 MB, which is what servers take
 * (jute.maxbuffer). What drives the session (an event loop, a thread, a
 * simulation) is behind struct client_driver.
 *
 * Invariant: a session has at most as many operations outstanding as its depth, one unless it was
 * opened with more. Every operation gets exactly one reply, an error of the connection included,
 * and replies come in the order of their operations.
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "base/error.h"
#include "wire/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ZooKeeper's answers. The first five are outcomes that a recipe foresees; the rest end its work.
 */
enum zk_status {
    ZK_OK,
    ZK_NO_NODE,
    ZK_NODE_EXISTS,
    ZK_BAD_VERSION,
    ZK_NOT_EMPTY,
    ZK_NO_AUTH,
    ZK_CONNECTION_LOSS,
    ZK_SESSION_EXPIRED,
    ZK_OTHER_ERROR,
};

/* What happened to a watched znode (ZooKeeper's NodeCreated, NodeDeleted, …). */
enum client_event { EVENT_CREATED = 1, EVENT_DELETED, EVENT_CHANGED, EVENT_CHILD, EVENT_OTHER };

enum client_state {
    CLIENT_CONNECTING,
    CLIENT_ESTABLISHED,
    CLIENT_EXPIRED, /* for good: the session is gone */
};

/* The reply to the oldest operation outstanding; the pointers are valid until the listener returns.
 * Of a multi only the status is told: ZK_OK if all its parts were carried out, else nothing was,
 * and it is that of the first part that failed. Any other than ZK_OK comes without the rest. */
struct client_reply {
    enum operation operation;
    enum zk_status status;
    uint64_t tag;             /* that client_submit was given */
    uint64_t latency_ns;      /* from the call to the reply */
    const char *path;         /* create: the znode's name in full, sequence included */
    int32_t version;          /* exists, get, set: of the znode's data, after a set */
    int64_t owner;            /* exists, get: an ephemeral znode's session; of others 0 */
    int64_t created_ms;       /* exists, get: by the servers' clock, since 1970; simulated: 0 */
    const char *value;        /* get: its data, not terminated */
    size_t value_length;      /* get */
    const char *const *names; /* get_children: the children's names, in no order */
    size_t name_count;        /* get_children */
};

/* The longest server with its terminator: an IPv6 address of 45 characters with a zone of 15. */
#define CLIENT_SERVER_SIZE (sizeof "[%]:65535" + 45 + 15)

struct client;

/* What the owner of a session is told. No callback may close the session. */
struct client_listener {
    void (*state_changed)(void *owner, enum client_state state);
    /* A request goes out. */
    void (*sent)(void *owner, enum operation operation);
    void (*replied)(void *owner, const struct client_reply *reply);
    /* A watch fired; path is the znode's. Session events are not notifications: state_changed tells
     * of them. */
    void (*notified)(void *owner, enum client_event event, const char *path);
};

/* Bytes of TCP payload on a session's connection since it was opened, as the kernel counts them. */
struct client_bytes {
    uint64_t connection; /* not 0, and of each of a session's connections another */
    uint64_t sent_bytes;
    uint64_t received_bytes;
};

/* How a kind of session does what the functions below ask for. */
struct client_driver {
    void (*submit)(struct client *client, const struct request *request);
    bool (*cut)(struct client *client);
    bool (*crash)(struct client *client);
    bool (*leave)(struct client *client);
    uint64_t (*now_ns)(const struct client *client); /* NULL: the host's monotonic clock */
    bool (*bytes)(const struct client *client, struct client_bytes *bytes);
    size_t (*unread)(const struct client *client);
    uint32_t (*timeout_ms)(const struct client *client);
    int64_t (*session_id)(const struct client *client);
    void (*server)(const struct client *client, char *text, size_t size);
};

/* An operation outstanding. */
struct client_slot {
    uint64_t tag;
    uint64_t sent_ns;
    enum operation operation;
    bool refused;          /* the driver did not send it */
    enum zk_status status; /* refused: that of its reply */
};

/* A driver embeds this at the head of its own structure. */
struct client {
    const struct client_driver *driver;
    const struct client_listener *listener;
    void *owner;
    bool silent;      /* set by the driver: no reply is delivered any more */
    bool doubted;     /* a reply may come to an operation that was refused: client_doubt */
    uint64_t sent_ns; /* when the last operation was sent */
    uint32_t outstanding;
    uint32_t depth;            /* 0 is 1 */
    uint32_t oldest;           /* the slot of the oldest operation outstanding */
    struct client_slot only;   /* of a session with a depth of one */
    struct client_slot *slots; /* of any other: a ring of that depth */
};

/* The depth of a session is at most this. */
#define CLIENT_DEPTH_MAX 4096

/* Whether fewer operations are outstanding than the session's depth. */
bool client_can_submit(const struct client *client);

/* The operations, with tag 0. client_can_submit says that there is room. For the arguments see
 * struct request. */
void client_create(struct client *client, const char *path, const void *value, size_t value_length,
                   enum create_mode mode);
void client_exists(struct client *client, const char *path, enum watch_flag watch);
void client_get(struct client *client, const char *path, enum watch_flag watch);
void client_get_children(struct client *client, const char *path, enum watch_flag watch);
void client_set(struct client *client, const char *path, const void *value, size_t value_length,
                int32_t version);
void client_delete(struct client *client, const char *path);
void client_multi(struct client *client, const struct request *parts, size_t part_count);

/* Any of them; its reply brings the tag back. */
void client_submit(struct client *client, const struct request *request, uint64_t tag);

/* The time of the session's world, in nanoseconds: the host's monotonic clock, or a simulation's.
 */
uint64_t client_now_ns(const struct client *client);

/* Reads the counters of the session's present connection; false, with *bytes unchanged, while it is
 * not connected. */
bool client_bytes(const struct client *client, struct client_bytes *bytes);

/* Bytes that have arrived on that connection and were not read yet; 0 while it is not connected. */
size_t client_unread(const struct client *client);

/* The session's timeout as the server granted it, in milliseconds. */
uint32_t client_timeout_ms(const struct client *client);

/* The session's number, as the servers know it; 0 before it is established. */
int64_t client_session_id(const struct client *client);

/* The server that the session is connected to, as address:port, an IPv6 address in brackets with
 * its zone; "" while it is not. size >= CLIENT_SERVER_SIZE. */
void client_server(const struct client *client, char *text, size_t size);

/*
 * Errors, for trials that are to go wrong. They are called where operations are, on the session's
 * own turn; they are false, with nothing done, while the session is not connected, or if the driver
 * cannot (see its header).
 *
 * client_cut: right after an operation of a session with a depth of one. Its reply is lost: as soon
 * as it has arrived, so that the server has carried the operation out for certain, and before the
 * client library has seen it, the connection ends. The operation is answered by ZK_CONNECTION_LOSS,
 * the state is CLIENT_CONNECTING, and the library reconnects with the same session and sets its
 * watches again. Notifications that arrived together with the reply are lost too, and are sent
 * again if their watches still stood. If the connection ends by itself before, nothing is added to
 * that.
 *
 * client_crash: as if the session's process had died. The connection ends at once, without a
 * request to close the session, which the servers end at its timeout. The listener hears nothing
 * any more, not even the replies to outstanding operations, which may have been carried out or not.
 * Afterwards the client may be closed by its driver, and no operation be asked of it; it has no
 * bytes, timeout or server to tell.
 *
 * client_leave: the session is closed in order, and its process is gone: the request to close it
 * goes out, so its ephemeral znodes go at once. Nothing may be outstanding. Everything else is as
 * after client_crash.
 */
bool client_cut(struct client *client);
bool client_crash(struct client *client);
bool client_leave(struct client *client);

/* ------------------------------------------------------------------ for drivers */

/* Lays out the slots of a session whose struct client is filled in otherwise. ERROR_NO_MEMORY; on
 * success client_deinit is due. */
MUST_CHECK enum error_kind client_init(struct client *client, uint32_t depth, struct error *error);
void client_deinit(struct client *client);

/* Refuses the operation that was submitted last: the driver does not send it, and its reply has
 * this status. */
void client_refuse(struct client *client, enum zk_status status);

/* Refuses the operation that was submitted last although a reply to it may come: the session has
 * ended, so it is the last that was sent. If the reply comes, client_deliver_reply drops it. */
void client_doubt(struct client *client, enum zk_status status);

/* Delivers the replies to refused operations that are older than all that were sent. False if there
 * are none. */
bool client_deliver_refused(struct client *client);

/* Delivers the reply to the oldest operation that was sent, after the replies to refused operations
 * that are older. Fills in operation, tag and latency_ns of *reply. */
void client_deliver_reply(struct client *client, struct client_reply *reply);

#endif
