// SPDX-License-Identifier: Apache-2.0
/*
 * bystander: sessions that read a little, all the time, so that it is known how others fare while
 * something loads the servers: for each server one session, in a process of its own, reads a small
 * znode of its own BRAKE_READS_PER_S times a second, at constant distances. Layer: load, above
 * load. Another coordinator may run trials in the process: the counts are in shared memory.
 *
 * Invariant: real servers only. After bystander_end no process, no session and no znode of the
 * bystander is left.
 */
#ifndef LOAD_BYSTANDER_H
#define LOAD_BYSTANDER_H

#include "capacity/brake.h"
#include "load/load.h"

struct bystander {
    struct load_plan plan; /* its sessions: one for each server */
    struct fleet_host host;
    struct load_trial *trial;
    char root[LOAD_PATH_SIZE];
};

/* Opens the sessions, and reads for alone_ns, during which nothing else should load the servers.
 * What host points to must outlive bystander_end. root: the path of a znode that does not exist
 * yet. *bystander must not be moved. On an error nothing is left behind, and bystander_end must not
 * be called. ERROR_SESSION_LOST, and those of load_run. */
MUST_CHECK enum error_kind bystander_begin(struct bystander *bystander,
                                           const struct fleet_host *host, const char *root,
                                           uint64_t alone_ns, struct error *error);

/* The p99 of a session's response times so far, in nanoseconds; with fewer than a hundred reads the
 * longest. 0 before the first reply. */
uint64_t bystander_p99_ns(const struct bystander *bystander, uint32_t session);

/* What a session has counted so far; losses are those of all sessions. May be called while
 * another coordinator runs in the process. */
struct brake_counts bystander_count(const struct bystander *bystander, uint32_t session,
                                    uint64_t bound_ns);

/* Lets time pass. ERROR_INTERRUPTED, ERROR_SESSION_LOST and those of experiment_wait; bystander_end
 * is due in any case, and at once if its trial does not go on (load_background_goes_on). */
MUST_CHECK enum error_kind bystander_wait(struct bystander *bystander, uint64_t wait_ns,
                                          struct error *error);

/* Ends the sessions, and deletes the znodes. Errors are those of load_run. */
MUST_CHECK enum error_kind bystander_end(struct bystander *bystander, struct error *error);

#endif
