// SPDX-License-Identifier: Apache-2.0
/*
 * solo: one session on a thread of its own, as a client. Layer: zk, inside threads.
 *
 * Drives a handle of the Apache C client's multi-threaded build with its synchronous calls. An
 * operation is only noted (zk/note.h) when it is asked for; the thread carries it out as soon as
 * the callback that asked for it has returned, and then delivers the reply. Between requests it
 * empties the session's mailbox (zk/mailbox.h): watch events and states from the library's
 * completion thread, orders from the owner of the sessions.
 *
 * A reply to be cut is waited for by a third thread, which lives as long as the request.
 *
 * Invariant: the thread alone calls the listener and the hooks, but for an order that is carried
 * out while it is busy (threads_order).
 */
#ifndef ZK_SOLO_H
#define ZK_SOLO_H

#include "base/fault.h"
#include "zk/claim.h"
#include "zk/client.h"
#include "zk/library.h"
#include "zk/mailbox.h"
#include "zk/note.h"
#include "zk/threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* What the sessions of a process share. */
struct solo_common {
    struct library library;
    struct threads_hooks hooks;
    struct claims claims;
};

enum solo_stage { SOLO_STARTING, SOLO_OPEN, SOLO_ENDED };

struct solo {
    struct client client; /* first: a client of this driver is a solo */
    struct solo_common *common;
    pthread_t thread;
    zhandle_t *zk;

    /* The session's thread alone. */
    struct claim claim; /* to the library's socket */
    int other_end;      /* crashed: of what the library takes for its connection; else -1 */
    bool cutting;       /* the noted operation's reply is to be lost */
    bool noted;         /* an operation was asked for, and is to be carried out … */
    bool fits;          /* … if its note could be taken; else it is not sent */
    uint64_t alarm_ns;  /* 0: none */
    bool apart; /* it knows of no connection: none yet, or it heard of the loss of the last */
    struct note note;

    struct mailbox mailbox;

    /* Under the mutex: how far the thread has come. */
    pthread_mutex_t mutex;
    pthread_cond_t progress;
    enum solo_stage stage;

    /* For the thread's beginning. */
    const char *hosts; /* of solo_open's caller, who waits */
    uint32_t session_timeout_ms;
    struct fault fault; /* why it could not be opened */
};

/* See threads_open. *common must outlive the session, which must not be moved. On success
 * solo_close is due. */
MUST_CHECK enum fault_kind solo_open(struct solo *solo, struct solo_common *common,
                                     const char *hosts, uint32_t session_timeout_ms,
                                     const struct client_listener *listener, void *owner,
                                     struct fault *fault);

/* Has the thread close its session, and end; the listener hears nothing from then on. Does not wait
 * for it. */
void solo_end(struct solo *solo);

/* Waits for the end, until `until_ns` at most. False if the thread has not ended by then. */
bool solo_await_end(struct solo *solo, uint64_t until_ns);

/* Frees what solo_open has taken; the thread has ended. */
void solo_close(struct solo *solo);

#endif
