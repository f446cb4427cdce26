// SPDX-License-Identifier: Apache-2.0
/*
 * load_hosts: a trial of a load on several hosts, which have met (hosts/meeting.h): each has its
 * share of the sessions, they take the steps of the trial together, and rank 0 adds up what all
 * have counted. Layer: hosts, above load.
 *
 * Invariant: what rank 0 has in a result that ended well is the sum of what all hosts have counted;
 * a percentile is one of the added histograms.
 */
#ifndef HOSTS_LOAD_HOSTS_H
#define HOSTS_LOAD_HOSTS_H

#include "hosts/meeting.h"
#include "load/load.h"

/* What one host has; in the measured time where nothing else is said. The numbers are all of 64
 * bits: they travel as one list. */
struct load_host {
    uint64_t sessions;
    uint64_t answered, errors, unsent; /* operations */
    uint64_t rpcs;                     /* requests, warm-up included */
    uint64_t client_cpu_ns;
    uint64_t millicores; /* that its processes may use: thousandths of a core */
    uint64_t client_rss_kib;
    uint64_t absent_ns;
    uint64_t losses;           /* of connections */
    uint64_t pings_most;       /* that its sessions can have sent, that of the meeting included */
    struct histogram response; /* of all operations */
};

/* Hosts that have met; all zero: this one is alone, and the functions below do nothing. */
struct load_hosts {
    struct meeting *meeting;
    bool meets_here;                 /* this host's session is with a server of the load */
    struct load_host *list;          /* by rank; of the last trial; the owner's to allocate */
    const struct load_host *busiest; /* its processes used most of the cores that they may */
    uint64_t spread_ns;              /* rank 0: all have begun the last trial within this time */
    uint64_t spread_most_ns;         /* of all trials */
    struct tally cost;               /* of the meeting, for these servers, in the last trial */
    char text[160]; /* with the next word: the order; how many numbers a record has */
};

/* Leaves the meeting (meeting_leave), and frees the list. */
int load_hosts_leave(struct load_hosts *hosts, int status);

/* The plan and the place of a trial become those of this host's share. order: what the others are
 * to do, if this host is rank 0. Its end is END_ALONE when the hosts have gone apart. */
void load_hosts_share(struct load_hosts *hosts, const char *order, struct load_plan *plan,
                      struct fleet_host *host);

/* The hosts of the trial that a result is of; NULL: there is one host, or the trial has not reached
 * its end. */
const struct load_hosts *load_hosts_of(const struct load_result *result);

#endif
