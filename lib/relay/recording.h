// SPDX-License-Identifier: Apache-2.0
/*
 * recording: the messages of many conversations in a file, with their times, and out of it again.
 * Layer: relay.
 *
 * The recorder gets the bytes of messages beside the listener of conversations. What it keeps gives
 * such a listener the same messages again, of the same lengths and at the same intervals.
 * docs/files.md describes the file.
 *
 * Invariant: credentials (auth, sasl), passwords of sessions and the identities of ACLs are never
 * in the file, nor are the data of znodes unless they are asked for, nor bytes that cannot be read:
 * zeros are in their place, or their number. Only the file's owner may read it.
 */
#ifndef RELAY_RECORDING_H
#define RELAY_RECORDING_H

#include "base/error.h"
#include "relay/conversation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ writing */

struct recorder;

/* Makes a file that does not exist yet; *recorder ends with recorder_end. with_data: data of znodes
 * are kept, but those of messages of more than 4 MiB. ERROR_EXISTS and those of errno. */
MUST_CHECK enum error_kind recorder_new(const char *path, bool with_data,
                                        struct recorder **recorder, struct error *error);

/* Everything after this time is recorded; to be called before anything is. */
void recorder_begin(struct recorder *recorder, uint64_t at_ns);

/* Where conversations give their copies; NULL: nowhere. */
struct conversation_copies recorder_copies(struct recorder *recorder);

/* A conversation has ended. */
void recorder_ended(struct recorder *recorder, const struct conversation *conversation,
                    uint64_t at_ns);

/* Completes the file, or removes it; frees the recorder. Returns the first error that there was in
 * writing, after which nothing more was recorded. */
MUST_CHECK enum error_kind recorder_end(struct recorder *recorder, bool keeps, struct error *error);

/* ------------------------------------------------------------------ reading */

struct recording;

enum recording_kind {
    RECORDING_CLIENT, /* a message of the client */
    RECORDING_SERVER, /* a message of the server */
    RECORDING_ENDED,  /* the connection has ended */
};

/* What has happened on a connection. */
struct recording_event {
    enum recording_kind kind;
    uint64_t connection; /* from 0, in the order of their first events */
    uint64_t at_ns;      /* since 1970 */
    /* A message, until the next event: */
    const unsigned char *bytes;
    size_t kept, length;
    /* An end: bytes that are not there, and what was spoken unless it was ZooKeeper's protocol. */
    enum conversation_kind spoken;
    unsigned char first[4];
    uint64_t missed[CONVERSATION_SIDES];
    bool unreadable;
};

/* Opens a file for reading; *recording ends with recording_close. ERROR_MALFORMED for a file that
 * is no recording, or one of another version; those of errno. */
MUST_CHECK enum error_kind recording_open(const char *path, struct recording **recording,
                                          struct error *error);

/* Reads the next event; *more is false behind the last. ERROR_MALFORMED for a file that is damaged.
 */
MUST_CHECK enum error_kind recording_next(struct recording *recording,
                                          struct recording_event *event, bool *more,
                                          struct error *error);

/* Behind the last event: whether the file ends before its end, because the recorder was killed. */
bool recording_is_cut(const struct recording *recording);

/* Gives an event to its conversation, which has had those before. */
void recording_tell(const struct recording_event *event, struct conversation *conversation);

/* NULL is fine. */
void recording_close(struct recording *recording);

/* Reads a whole file into conversations of a listener; afterwards calls `ended` for each. */
struct recording_facts {
    uint64_t begun_ns, ended_ns; /* of the recorder, or of the last event; since 1970 */
    uint64_t connections;
    bool is_cut;
};
MUST_CHECK enum error_kind
recording_read(const char *path, const struct conversation_listener *listener,
               void (*ended)(void *context, const struct conversation *conversation), void *context,
               struct recording_facts *facts, struct error *error);

#endif
