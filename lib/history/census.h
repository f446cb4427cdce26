// SPDX-License-Identifier: Apache-2.0
/*
 * census: which znodes are locks, by their names and by their use. Layer: history.
 *
 * Fed twice with all changes in their order: census_again stands between. The first time decides
 * what is a lock; the second time the creates of locks go to history/locks.h, and refused creates
 * have theirs.
 *
 *   a place in a queue  an ephemeral znode that the server has numbered, or a lease of kazoo's; and
 *                       a numbered znode of no session, among such of the same recipe or with the
 *                       name of a library's lock, which holds or waits like them
 *   a lock by name      an ephemeral znode without a number that a session creates which was
 *                       refused a create while another session had it
 *
 * A refused create has no path. It is of the lock by name that the session creates next, if that
 * was there, or of the only lock that was; unless it was the making of a parent: the next request
 * of the session, which was done, made a znode below. A lock that never passes on is created by no
 * other session: a znode is taken for one if a session was refused again and again for
 * CENSUS_REPEATED_MS, created nothing instead, and the znode was all the time the only one of
 * another session, beside which it had none of its own; or if several sessions were, and had znodes
 * of their own beside all others. One that was so at some refusals alone, or for one session of
 * these, or beside one of the refused session, is doubtful.
 *
 * Invariant: a refused create belongs to a name only if the name was there then.
 */
#ifndef HISTORY_CENSUS_H
#define HISTORY_CENSUS_H

#include "history/locks.h"

#define CENSUS_REPEATED_MS 1000

struct census;

/* A create, done or refused. */
struct census_create {
    int64_t session;
    int32_t cxid; /* the number that the session has given to the request */
    int64_t zxid;
    uint64_t at_ns;
    const char *path; /* of one that is done */
    bool ephemeral;
    bool was_there;   /* before the first change */
    int32_t cversion; /* of the parent, behind it, or if it was there, later; CENSUS_NO_CVERSION */
};
#define CENSUS_NO_CVERSION (-1)

/* A znode that may have refused creates of sessions; is_lock: it is taken for a lock. */
typedef void census_doubt(void *context, const char *path, bool is_lock, uint64_t refusals,
                          uint64_t sessions);

struct census *census_new(struct locks *locks);
void census_free(struct census *census);

/* Nothing that was there goes on: before the first change, and behind a gap. Up to the change
 * `known` znodes may be there without a census_create; 0: there are none. */
void census_begin(struct census *census, int64_t zxid, int64_t known);

void census_create(struct census *census, const struct census_create *create);
void census_delete(struct census *census, const char *path, int64_t session, int64_t zxid);

/* The session ends, and with it its znodes, unless a census_delete of each is to follow. */
void census_close(struct census *census, int64_t session, int64_t zxid, bool are_listed);

/* The path of the lock by name that has refused a create; NULL: it is not known, as the first time.
 * *inferred: ephemeral znodes of others were there, too. */
const char *census_refuse(struct census *census, const struct census_create *refused,
                          bool *inferred);

/* Behind the last change, and before the same changes come again: passes each doubt. */
void census_again(struct census *census, census_doubt *doubt, void *context);

/* Behind census_begin and the znodes that are known: creates, the second time, those that were
 * there, too, by what deletes them later. */
void census_create_early(struct census *census, uint64_t at_ns);

#endif
