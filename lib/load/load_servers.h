// SPDX-License-Identifier: Apache-2.0
/*
 * load_servers: what the servers tell of each second of the measured time, in their counters, and
 * what happened to them. Layer: load, below load_result.
 *
 * The servers are asked at the beginning of the measured time and at the end of each second
 * (fleet/server_poll.h). What they answer is taken when the next second has ended.
 *
 * Invariant: a figure is the servers' own, or not known. An answer that came more than
 * LOAD_SERVERS_LATE_NS after the end of its second is none: it is of another time.
 */
#ifndef LOAD_LOAD_SERVERS_H
#define LOAD_LOAD_SERVERS_H

#include "base/clock.h"
#include "fleet/server_poll.h"
#include "load/load_marks.h"

#include <stdbool.h>
#include <stdint.h>

#define LOAD_SERVERS_LATE_NS (250 * NS_PER_MS)

/* One second, of all servers together. A server that refused connections at the beginning and at
 * the end of the second has counted nothing. */
struct load_server_second {
    bool known; /* how many in this second: */
    uint64_t writes;
    uint64_t reads; /* pings included */
    uint64_t notifications;
    uint64_t packets_received; /* without zkherd's four-letter words; FOUR_LETTER_UNTOLD: others
                                  have asked, too, and it is not known in which second */
    bool state_known;          /* how many at its end: */
    uint64_t watches;
    uint64_t connections; /* that of the set-up session included */
    uint64_t outstanding; /* requests; FOUR_LETTER_UNTOLD: a server does not tell */
};

/* What a server has told at the end of a second. */
struct load_server_reading {
    bool known;
    bool absent; /* and all counters are 0 */
    struct four_letter_counters counters;
};

struct load_servers {
    struct server_poll *poll;
    size_t count;
    /* To be set before the first turn: */
    uint64_t measures_ns;        /* when the measured time begins */
    const uint64_t *other_words; /* that others have asked the servers so far; NULL: nobody does */
    uint64_t words_before;       /* of those: when answers were taken last */
    bool were_asked;             /* any of those between the two times before */
    bool is_asked;
    uint32_t ended; /* so many seconds, when the last question was asked */
    struct load_server_second *seconds;
    struct load_marks *marks;
    struct load_server_reading before[CONNECT_ENDPOINTS_MAX];
    bool lost[CONNECT_ENDPOINTS_MAX];
    uint64_t snapshots[CONNECT_ENDPOINTS_MAX]; /* FOUR_LETTER_UNTOLD: not known yet */
    int leader; /* its index, LOAD_SERVERS_LEADERLESS, or LOAD_SERVERS_LEADER_UNKNOWN */
};

#define LOAD_SERVERS_LEADERLESS     (-1)
#define LOAD_SERVERS_LEADER_UNKNOWN (-2)

/* For seconds, one for each second of the measured time, all zero so far, and marks; what is
 * pointed to must outlive *servers. load_servers_end must be called in any case. Those of
 * server_poll_new. */
MUST_CHECK enum error_kind load_servers_begin(struct load_servers *servers,
                                              struct server_counters *counters,
                                              const struct loop *loop,
                                              struct load_server_second *seconds,
                                              struct load_marks *marks, struct error *error);
void load_servers_end(struct load_servers *servers);

/* Takes what the servers have answered, in their order, since they were asked after so many
 * seconds. For the two functions below. */
void load_servers_take(struct load_servers *servers, uint32_t ended,
                       const struct server_poll_answer *answers);

/* So many seconds have ended, from 0: takes the answers to the question before, and asks anew. */
void load_servers_turn(struct load_servers *servers, uint32_t ended);

/* Takes the answers to the last question, if any was asked: once, when server_poll_is_settled, or
 * when they have been waited for long enough. */
void load_servers_take_last(struct load_servers *servers);

#endif
