// SPDX-License-Identifier: Apache-2.0
/*
 * load_servers: what the servers' counters say of each second of the measured time, and what
 * happened to the servers. They are asked when it begins and at the end of each second
 * (server_poll); what they answer is taken when the next second has ended.
 *
 * Invariant: a figure is the servers' own, or not known. An answer that came more than
 * LOAD_SERVERS_LATE_NS after the end of its second is none: it is of another time.
 */
#ifndef LOAD_LOAD_SERVERS_H
#define LOAD_LOAD_SERVERS_H

#include "fleet/server_counters.h"
#include "load/load_result.h"

#define LOAD_SERVERS_LATE_NS (250 * NS_PER_MS)

struct load_servers {
    size_t count;
    uint64_t measures_ns;               /* when the measured time begins */
    uint32_t ended;                     /* seconds of it, when the servers were asked last */
    struct load_server_second *seconds; /* of the measured time, all zero so far */
    struct load_marks *marks;
    struct server_poll_answer before[CONNECT_ENDPOINTS_MAX];
    bool lost[CONNECT_ENDPOINTS_MAX];
    uint64_t snapshots[CONNECT_ENDPOINTS_MAX]; /* FOUR_LETTER_UNREPORTED: not known yet */
    int leader; /* its index, LOAD_SERVERS_LEADERLESS, or LOAD_SERVERS_LEADER_UNKNOWN */
};

#define LOAD_SERVERS_LEADERLESS     (-1)
#define LOAD_SERVERS_LEADER_UNKNOWN (-2)

void load_servers_init(struct load_servers *servers, size_t count, uint64_t measures_ns,
                       struct load_server_second *seconds, struct load_marks *marks);

/* Adds the servers' answers, in their order, to the question after `ended` measured seconds. */
void load_servers_add_answers(struct load_servers *servers, uint32_t ended,
                              const struct server_poll_answer *answers);

#endif
