// SPDX-License-Identifier: Apache-2.0
/*
 * internal: the parts of a simulation, and the events between them. Layer: sim, for its own
 * files alone.
 *
 * A session (sim_session.c) is the client's end of a connection, and behaves as the Apache C client
 * does. The driver is the process of all sessions. A server (sim_server.c) has
 * znodes, watches, connections and counters of its own; its znodes may lag behind those of other
 * servers. The leader checks each write against the znodes as they will be after all
 * earlier writes, gives it the next number and proposes it; a write is committed when more than
 * half of the servers have it on their disks. The parts meet in messages only, which are entries of
 * one agenda.
 *
 * Reads wait for the earlier writes of their connection, where a real server (CommitProcessor) has
 * them wait for those of their session. No session can see the difference: a connection with a
 * write outstanding is lost only when its session has expired (client_cut needs a depth of one, and
 * waits for the reply).
 *
 * Invariant: everything derives from the options and the calls of the user: there is no clock, no
 * dependence on addresses of memory, and no other random generator. What a server sends to a
 * session leaves in the order in which it happened there; a watch fires before a reply that shows
 * the change. A session receives over its present connection only. Every server carries out all
 * writes, failed ones included, in the order of their numbers.
 */
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include "base/random.h"
#include "client/client.h"
#include "servers/four_letter.h"
#include "sim/sim_options.h"
#include "sim/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Agenda: the future events of a simulation, by time.
 *
 * Invariant: entries come out in the order of their due times, and those with the same time in the
 * order in which they were added. No entry is due before the present time.
 */

struct sim_session;

struct agenda_call {
    void (*call)(void *context);
    void *context;
};

struct agenda {
    struct slab *slab;
    struct agenda_entry *heap;
    size_t heap_capacity;
    size_t count;
    struct agenda_call *calls;
    size_t call_capacity;
    uint32_t *free_places; /* in calls */
    size_t free_capacity;
    size_t free_count;
    size_t places; /* ever taken in calls */
    uint64_t order;
    uint64_t now_ns;
};

/* The memory is the slab's. The time begins at 0. */
void agenda_init(struct agenda *agenda, struct slab *slab);

/* Adds a call; one that is due before now is due now. */
void agenda_add(struct agenda *agenda, uint64_t due_ns, void (*call)(void *context), void *context);

/* When the next entry is due; UINT64_MAX if there is none. */
uint64_t agenda_next_ns(const struct agenda *agenda);

/* Advances the time to until_ns, before which nothing may be due. A past time changes nothing. */
void agenda_advance(struct agenda *agenda, uint64_t until_ns);

/* Takes the next entry, advances the time to its due time and calls it; false if there is none. */
bool agenda_step(struct agenda *agenda);

/*
 * Message: a simulated message of a session on its whole way: the request, the transaction that
 * the leader makes of it, the reply.
 *
 * A read goes to the session's server and back. A write goes on to the leader, and from there to
 * every server; the server that received the request sends the reply. The opening and the end of
 * sessions and connections are messages too, and keep the same order.
 *
 * Invariant: each part of the simulation that is still to use a message holds one reference to it.
 */

enum message_kind {
    MESSAGE_REQUEST,
    MESSAGE_WATCHES,    /* sets watches again, on a new connection */
    MESSAGE_OPEN,       /* a connection that opens a session */
    MESSAGE_REOPEN,     /* a connection for a session that exists */
    MESSAGE_CLOSE,      /* the client ends its session */
    MESSAGE_EXPIRE,     /* the servers end a session */
    MESSAGE_DISCONNECT, /* the client has closed its connection */
    MESSAGE_HANG_UP,    /* the server has closed the connection */
};

/* A watch to be set again. */
struct message_watch {
    struct path *path;
    enum watch_kind kind;
};

struct message {
    enum message_kind kind;
    uint32_t references;
    struct sim_session *session;
    uint32_t connection; /* number of the session's connection, from 1 */
    unsigned server;     /* at the other end of the connection */

    enum operation operation;
    enum watch_flag watch;
    struct change *changes; /* of a write; the path of a read is that of the first */
    size_t change_count;
    struct change one; /* the room of most messages for their changes */
    struct message_watch *watches;
    size_t watch_count;
    uint64_t seen_zxid; /* the last zxid that the client has seen */
    uint64_t request_bytes;
    uint64_t link_writes; /* of a read: number of earlier writes of its connection */
    struct message *next; /* in a message_queue */

    enum zk_status status;
    uint64_t zxid; /* of the transaction, or of the state that a read shows */
    int32_t version;
    int64_t owner;
    struct value *value;
    struct children_view list;
};

/* Messages in the order in which they were added. */
struct message_queue {
    struct message *first, *last;
};

void message_queue_add(struct message_queue *queue, struct message *message);

/* NULL if there is none. */
struct message *message_queue_take(struct message_queue *queue);

/* A fired watch on its way to a session. */
struct notification {
    struct sim_session *session;
    struct path *path; /* held */
    uint32_t connection;
    enum client_event event;
};

/* A message of a session with one reference, the caller's. */
struct message *message_new(struct paths *paths, enum message_kind kind,
                            struct sim_session *session);

/* Copies a request of this session (its number, for ephemerals) into a new message. */
void message_fill(struct message *message, struct paths *paths, const struct request *request,
                  uint32_t owner);

/* Fills in a message that sets all watches of a client again. */
void message_fill_watches(struct message *message, struct paths *paths,
                          const struct watches *watches, uint32_t watcher);

/* Fills in a message that deletes all ephemerals of a session. */
void message_fill_deletions(struct message *message, struct paths *paths, const struct tree *tree,
                            uint32_t owner);

void message_release(struct message *message, struct paths *paths);

/* Takes and releases all messages. */
void message_queue_clear(struct message_queue *queue, struct paths *paths);

/* Whether the message goes through the leader. */
bool message_is_write(const struct message *message);

/* The length of the reply on the connection. */
uint64_t message_reply_bytes(const struct message *message);

/* ------------------------------------------------------------------ the parts */

struct sim_session {
    struct client client; /* first: a pointer to it is one to the session */
    struct sim *sim;
    uint32_t number; /* from 1 */
    uint32_t timeout_ms;
    enum client_state state;
    bool cut;            /* the connection ends when the outstanding reply arrives */
    uint32_t connection; /* its number, from 1; messages over earlier ones are lost */
    unsigned server;
    unsigned first_server;
    uint64_t up_ns;   /* arrival of the last message to a server; later ones arrive no earlier */
    uint64_t down_ns; /* arrival of the last message to the client */
    uint64_t seen_zxid;
    uint64_t sent_bytes;
    uint64_t received_bytes;
    struct message_queue waiting; /* requests submitted while there was no connection */

    /* What the servers know of it. */
    bool linked; /* a server has a connection of it, as far as that server knows */
    bool ended;  /* the leader has ordered its end */
    uint32_t link_connection;
    unsigned link_server;
    uint64_t link_writes;            /* writes received over this connection */
    uint64_t link_written;           /* writes answered over it */
    struct message_queue link_reads; /* reads received behind a write that is not answered */
};

/* A server's disk: what is written during a sync is synced together by the next one. */
struct disk {
    uint64_t begins_ns; /* of the last sync, which may lie in the future */
    uint64_t ends_ns;
};

/* What a server is going to carry out, in this order. */
struct lane {
    struct lane_entry *entries; /* a ring */
    size_t capacity;            /* a power of two */
    size_t head;
    size_t count;
};

/* What does one thing at a time. */
struct cpu {
    uint64_t idle_ns; /* when it has done all that it was given */
};

/* What is on its way to a session. */
struct sending {
    struct sim_session *session;
    struct agenda_call arrives;
};

/*
 * A server whose turns cost time takes all that has arrived at once. What arrives meanwhile is done
 * in the next turn. What a turn makes leaves the CPU when the whole turn is done. Without work
 * there is no turn. Arrays have a capacity and a count.
 */
struct turn {
    struct agenda_call *work; /* of the next turn */
    size_t work_capacity;
    size_t work_count;
    struct message **writes; /* ordered in this turn, to be proposed at its end; and reads that wait
                                for them */
    size_t write_capacity;
    size_t write_count;
    struct sending *sendings; /* made in this turn, to be sent at its end */
    size_t sending_capacity;
    size_t sending_count;
    bool under_way; /* until the CPU has done it */
    bool taken;     /* its work is being carried out: what it makes is kept to its end */
};

struct sim_server {
    struct sim *sim;
    unsigned index;
    struct tree tree;
    struct watches watches;
    struct lane lane;
    struct turn turn;
    struct disk disk;
    uint64_t zxid; /* of the last transaction carried out */
    struct cpu cpu;
    struct cpu sender; /* the second: sends what the first has made */
    /* Arrival of the last message of a kind; later ones arrive no earlier. */
    uint64_t to_leader_ns;
    uint64_t proposal_ns;
    uint64_t acknowledged_ns;
    struct four_letter_counters counters; /* what it has counted; its state is read when asked */
};

/* The process of all clients. It takes messages one at a time, in the order in which they arrived;
 * what the listener of one sends leaves before the next is taken. A turn has what had arrived when
 * the turn began. */
struct sim_driver {
    struct sim *sim;
    struct cpu cpu;
    struct driver_entry *entries; /* what has arrived: a ring */
    size_t capacity;              /* a power of two */
    size_t head;
    size_t count;
    size_t turn_left; /* entries of the present turn that have not begun */
};

struct sim_leader {
    unsigned leader;
    struct tree tree; /* the znodes after all ordered writes */
    uint64_t zxid;
    uint64_t commit_ns; /* when the last transaction is committed at the leader */
};

struct sim {
    struct sim_options options;
    struct slab slab;
    struct paths paths;
    struct agenda agenda;
    struct random random;
    struct sim_leader leader;
    struct sim_server *servers;
    struct sim_driver driver;
    struct sim_session **sessions; /* by number, from 1 */
    size_t session_capacity;
    uint32_t session_count;
    struct watches client_watches; /* which the clients remember */
};

/* The time that the next message takes. */
static inline uint64_t sim_hop_ns(struct sim *sim)
{
    const struct sim_costs *costs = &sim->options.costs;
    return costs->network_ns + random_below(&sim->random, costs->network_jitter_ns + 1);
}

static inline uint64_t sim_later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

/* Gives a CPU more work, that begins at from_ns, or now if that is past, when the CPU has done what
 * it has. */
void sim_work(struct sim *sim, struct cpu *cpu, uint64_t from_ns, uint64_t cost_ns);

/* ------------------------------------------------------------------ sessions */

/* Makes a session of a client that is filled in but for its driver, and connects it to a server. */
struct sim_session *sim_session_new(struct sim *sim, unsigned server, uint32_t timeout_ms,
                                    const struct client *client);

/* See sim_close. */
void sim_session_close(struct sim_session *session);

/* Events: a message from a server (and its reference) arrives; a notification arrives. */
void sim_session_receives(void *message);
void sim_session_is_notified(void *notification);

/* Calls when the driver has done everything before, and has spent this time on what has arrived. */
void sim_driver_take(struct sim_driver *driver, uint64_t cost_ns, void (*call)(void *context),
                     void *context);

/* ------------------------------------------------------------------ servers */

void sim_server_init(struct sim_server *server, struct sim *sim, unsigned index);
void sim_leader_init(struct sim_leader *leader, struct sim *sim);

/* Event: a message from a session (and its reference) arrives. */
void sim_server_receives(void *message);

/* Event: the leader ends a session, unless it has ended already. */
void sim_leader_expire(void *session);

#endif
