// SPDX-License-Identifier: Apache-2.0
/*
 * load requests: what a load session asks for: draws the kinds of its mix, and makes the requests.
 * Layer: load.
 *
 * Invariant: a znode that a DELETE deletes is one that was created by CREATE before, and none is
 * deleted twice. The same holds of CREATE_DELETE and ASYNC_DELETE.
 */
#ifndef LOAD_LOAD_REQUESTS_H
#define LOAD_LOAD_REQUESTS_H

#include "base/random.h"
#include "client/client.h"
#include "load/load_shared.h"
#include "load/load_watches.h"

struct load_requests {
    const struct load_shared *load;
    uint32_t session; /* its number */
    struct random random;
    uint64_t created;            /* znodes of its own that it has sent a create for */
    uint64_t deleted;            /* of those: that it has sent a delete for */
    uint64_t deletes_owed;       /* drawn when there was nothing to delete */
    uint64_t pairs;              /* znodes that it has sent a CREATE_DELETE for */
    uint64_t pairs_answered;     /* of those: in their order; the caller's to count */
    char folder[LOAD_PATH_SIZE]; /* of the znodes that it creates */
    char child[LOAD_PATH_SIZE];  /* one of these: the digits at its end change */
    char pair[LOAD_PATH_SIZE];   /* the same, of a CREATE_DELETE */
    char lock[LOAD_PATH_SIZE];
};

/* load must outlive the requests. */
void load_requests_init(struct load_requests *requests, const struct load_shared *load,
                        uint32_t session, uint64_t seed);

/* The kind of the next operation of the mix. */
enum load_kind load_requests_draw(struct load_requests *requests);

/* Submits a request of this kind. An ASYNC_DELETE deletes the znode of the last of pairs_answered.
 * *sent: what load_watches_sent is to be told, without the time. */
void load_requests_submit(struct load_requests *requests, struct client *client,
                          enum load_kind kind, uint64_t tag, struct load_sent *sent);

/* A create of a znode with a value of the load; valid as long as the path. */
struct request load_requests_create(const struct load_requests *requests, const char *path);

/* Whether a znode that a CREATE has created may be left; the delete of the oldest, which is valid
 * until the next request is made. */
bool load_requests_has_own(const struct load_requests *requests);
struct request load_requests_delete_own(struct load_requests *requests);

#endif
