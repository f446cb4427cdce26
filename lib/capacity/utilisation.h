// SPDX-License-Identifier: Apache-2.0
/*
 * utilisation: whether the figures of a steady trial add up, and what gave out first. Layer:
 * capacity.
 *
 * A client of a lock waits, holds or releases, and nothing else; a lock of one holder is held or
 * handed over, and nothing else. So by Little's law
 *
 *   clients · steady_s = grants · (acquire_s + hold_s + release_s)
 *   locks   · steady_s = grants · (handoff_s + hold_s)
 *
 * and no server, driver, disk or core is busy for longer than there was time. A trial for which any
 * of this does not hold is not valid: its figures are not those of one steady state, or one of them
 * is wrong. docs/operators.md explains the tolerances.
 *
 * What gave out is the first resource that was full: the driver (then no figure is the servers'), a
 * server's CPU, all cores together, the disk, the holding of the locks; else the work that queues.
 * By Little's law the mean number of requests of a kind under way is their rate times their mean
 * latency, and requests are under way where they wait. Beside a load, requests of the locks may
 * wait for those of the load, of which these figures know nothing: then a lock of which no requests
 * queue is no chain of round trips.
 *
 * Invariant: a figure that is not known (NaN, or a count of 0) decides nothing. What the figures do
 * not decide is undetermined.
 */
#ifndef CAPACITY_UTILISATION_H
#define CAPACITY_UTILISATION_H

#include "capacity/objective.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTILISATION_SERVERS_MAX 16

/* What no tolerance by counts covers: the slots of histograms (0.1 %), and the turns of a loop that
 * belong to no latency. */
#define UTILISATION_SLACK 0.02

/* size of a text that holds every reason and all evidence. */
#define UTILISATION_TEXT_SIZE 320

enum utilisation_work { UTILISATION_WRITE, UTILISATION_READ, UTILISATION_NOTIFICATION };
#define UTILISATION_WORKS 3

/* Figures of one steady trial. Means and latencies are those of the steady part, times in seconds.
 */
struct utilisation_figures {
    /* The steady part: from the grant after which each client may have been granted once, to the
     * last grant before the trial closes. */
    double steady_s;  /* its length; of several locks, the mean */
    uint64_t grants;  /* in it, after the first, of all locks */
    double clients;   /* in it, on average */
    uint32_t locks;   /* > 0 */
    double acquire_s; /* mean: arrival to grant */
    double hold_s;    /* mean: grant to release sent */
    double release_s; /* mean: release sent to its end */
    double handoff_s; /* mean: release sent to the next grant; NaN: clients share a lock */
    uint64_t count[UTILISATION_WORKS]; /* requests and notifications in it */
    double mean_s[UTILISATION_WORKS];  /* latencies; of notifications, since the release */
    uint64_t received_bytes;           /* by the clients, in it */
    /* A load was sent meanwhile whose requests and driver are not among these figures. */
    bool beside_load;
    /* The whole trial: */
    double elapsed_s;
    double driver_cpu_s;
    double driver_cores; /* that the driver may use: one for each process with a loop */
    double cores;        /* of driver and servers together; NaN: the servers are elsewhere */
    double span_s;       /* the time to which the figures below belong: more than elapsed_s */
    size_t servers;      /* at most UTILISATION_SERVERS_MAX; 0: theirs are not known */
    double server_cpu_s[UTILISATION_SERVERS_MAX]; /* NaN: not known */
    double server_cores;                          /* that each may use */
    bool server_has_quota;                        /* server_cores is a quota */
    /* How long each server has waited for its disk, in whole milliseconds that are cut off, so at
     * least; NaN: not known. */
    double fsync_s[UTILISATION_SERVERS_MAX];
};

/* X(name, what gave out in a word of at most 8 letters, and in words) */
#define UTILISATION_LIMIT_LIST(X)                                                                  \
    X(DRIVER, "driver", "the driver")                                                              \
    X(SERVER_CPU, "CPU", "the servers' CPU")                                                       \
    X(CORES, "cores", "the cores of this machine")                                                 \
    X(DISK, "disk", "the disk")                                                                    \
    X(HOLDS, "holds", "the holds") /* of an acquire */                                             \
    X(WRITES, "writes", "the writes")                                                              \
    X(FAN_OUT, "fan-out", "the fan-out")                                                           \
    X(BYTES, "bytes", "the bytes")                                                                 \
    X(READS, "reads", "the reads")                                                                 \
    X(ROUND_TRIPS, "nothing", "nothing: a handoff is a chain of round trips")                      \
    X(UNDETERMINED, "unclear", "undetermined")

enum utilisation_limit {
#define X(name, word, words) UTILISATION_##name,
    UTILISATION_LIMIT_LIST(X)
#undef X
        UTILISATION_LIMITS
};

extern const struct utilisation_words {
    const char *word, *words;
} utilisation_limit[];

struct utilisation_finding {
    enum utilisation_limit limit;
    char evidence[UTILISATION_TEXT_SIZE]; /* "driver 31 %; CPU of server 1 97 %; …; under way …" */
};

/* Whether the figures add up. If not, the first that does not is written to why (size bytes), with
 * what was found and what is possible; else why is "". */
bool utilisation_adds_up(const struct utilisation_figures *figures, char *why, size_t size);

/* What gave out first when an objective of this kind failed. Of figures that add up. */
struct utilisation_finding utilisation_find_limit(const struct utilisation_figures *figures,
                                                  enum objective_metric metric);

#endif
