// SPDX-License-Identifier: Apache-2.0
#include "capacity/utilisation.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* With so wide a tolerance clients are not counted: the steady part has less than about four grants
 * a client, and hardly any wait lies within it as a whole. */
#define TOLERANCE_MOST 0.5

/* A CPU quota is enforced per period of this length (the kernel's default, servers/cpu_share.h):
 * within any time a server may use that of one period more. */
#define QUOTA_PERIOD_S 0.1

/* From this share on a resource is full: at 0.9 a queue of random arrivals is nine long (M/M/1).
 * The driver must have more to spare: its latencies are what is measured. */
#define FULL        0.9
#define DRIVER_FULL 0.8

/* Work queues if more than QUEUE of its requests are under way for each lock; one kind is what
 * queues if it is FOREMOST times as many as each other kind. If it does not, one lock is a chain of
 * round trips; of several, requests may wait for those of other locks all the same. */
#define QUEUE    2.0
#define FOREMOST 1.5

/* Reads whose replies are longer on average are bytes, not requests. */
#define LONG_REPLY_BYTES 4096

const struct utilisation_words utilisation_limit[] = {
#define X(name, word, words) [UTILISATION_##name] = {word, words},
    UTILISATION_LIMIT_LIST(X)
#undef X
};

/* ------------------------------------------------------------------ the use of resources */

/* A resource that may be full. */
struct resource {
    enum utilisation_limit limit;
    char name[40];
    double share;     /* that was used; NaN: not known */
    double tolerance; /* of a share above 1, which nothing has used */
    double full;      /* from this share on it is */
};

enum { RESOURCES = 5 };

/* The largest of the servers' times, and whose it is; NaN without any. */
static double largest(const struct utilisation_figures *figures, const double *times_s,
                      size_t *which)
{
    double most = NAN;
    *which = 0;
    for (size_t i = 0; i < figures->servers; i++) {
        if (times_s[i] > most || (isnan(most) && !isnan(times_s[i]))) {
            most = times_s[i];
            *which = i;
        }
    }
    return most;
}

static double share_of_locks(const struct utilisation_figures *figures, double cycle_s)
{
    return (double)figures->grants * cycle_s / (figures->locks * figures->steady_s);
}

/* In the order in which they give out. Cores are shared by driver and servers, or not known. */
static void find_resources(const struct utilisation_figures *figures,
                           struct resource list[RESOURCES])
{
    size_t server, disk;
    double cpu_s = largest(figures, figures->server_cpu_s, &server),
           fsync_s = largest(figures, figures->fsync_s, &disk),
           all_s = figures->servers > 0 ? figures->driver_cpu_s : NAN,
           quota = figures->server_has_quota ? QUOTA_PERIOD_S / figures->span_s : 0;
    for (size_t i = 0; i < figures->servers; i++)
        all_s += figures->server_cpu_s[i];
    const struct resource found[RESOURCES] = {
        {UTILISATION_DRIVER, "driver",
         figures->driver_cpu_s / (figures->elapsed_s * figures->driver_cores), UTILISATION_SLACK,
         DRIVER_FULL},
        {UTILISATION_SERVER_CPU, "", cpu_s / (figures->span_s * figures->server_cores),
         UTILISATION_SLACK + quota, FULL},
        {UTILISATION_CORES, "all cores", all_s / (figures->span_s * figures->cores),
         UTILISATION_SLACK, FULL},
        {UTILISATION_DISK, "", fsync_s / figures->span_s, UTILISATION_SLACK, FULL},
        {UTILISATION_HOLDS, "locks held", share_of_locks(figures, figures->hold_s), INFINITY, FULL},
    };
    memcpy(list, found, sizeof found);
    snprintf(list[1].name, sizeof list[1].name, "CPU of server %zu", server + 1);
    snprintf(list[3].name, sizeof list[3].name, "disk of server %zu", disk + 1);
}

/* The mean number of such requests, or notifications, under way in the steady part. A notification
 * is under way from the reply to the release to its arrival: before that reply it waits for the
 * release, which is a write. NaN: their latency is not known; 0 if there were none. */
static double under_way(const struct utilisation_figures *figures, int work)
{
    double each_s = figures->mean_s[work];
    if (figures->count[work] == 0)
        return 0;
    if (work == UTILISATION_NOTIFICATION && !isnan(each_s))
        each_s = fmax(each_s - figures->release_s, 0);
    return (double)figures->count[work] * each_s / figures->steady_s;
}

/* ------------------------------------------------------------------ whether they add up */

/* At either end of the steady part `cut` are in the middle of what is measured: its time is
 * counted as a whole or not at all. What is under way at an instant is on average up to twice as
 * long as others (random arrivals). */
static double tolerance_of(double cut, uint64_t grants)
{
    return 2 * cut / (double)grants + UTILISATION_SLACK;
}

static bool is_about(double share, double tolerance)
{
    return isnan(share) || tolerance > TOLERANCE_MOST || fabs(share - 1) <= tolerance;
}

/* Clients and locks are accounted for, and each session waits for one reply at a time. */
static void check_time(const struct utilisation_figures *figures, char *why, size_t size)
{
    double clients = figures->clients, of_clients = tolerance_of(clients, figures->grants),
           of_locks = tolerance_of(figures->locks, figures->grants),
           visit_s = figures->acquire_s + figures->hold_s + figures->release_s,
           found = (double)figures->grants * visit_s / figures->steady_s,
           locks = share_of_locks(figures, figures->handoff_s + figures->hold_s),
           requests = under_way(figures, UTILISATION_WRITE) + under_way(figures, UTILISATION_READ);
    if (!is_about(found / clients, of_clients))
        text_append_clause(
            why, size,
            "Little's law: %.4g clients in the steady part, but %.4g by the rate and the mean "
            "times to wait, hold and release (within %.0f %%)",
            clients, found, 100 * of_clients);
    else if (!is_about(locks, of_locks))
        text_append_clause(
            why, size,
            "time shares: the locks were held or handed over for %.1f %% of the time, not 100 %% "
            "(within %.0f %%)",
            100 * locks, 100 * of_locks);
    else if (requests > clients * (1 + of_clients))
        text_append_clause(
            why, size,
            "Little's law: %.4g requests under way by their rate and mean latency, of %.4g clients "
            "with one request each",
            requests, clients);
}

bool utilisation_adds_up(const struct utilisation_figures *figures, char *why, size_t size)
{
    struct resource list[RESOURCES];
    why[0] = '\0';
    if (figures->grants == 0 || !(figures->steady_s > 0))
        text_append_clause(why, size,
                           "no handoff in the steady part: a longer trial would have some");
    else
        check_time(figures, why, size);
    find_resources(figures, list);
    for (size_t i = 0; i < RESOURCES && why[0] == '\0'; i++) {
        if (list[i].share > 1 + list[i].tolerance)
            text_append_clause(why, size,
                               "utilisation: %s %.1f %% of what there is (within %.0f %%)",
                               list[i].name, 100 * list[i].share, 100 * list[i].tolerance);
    }
    return why[0] == '\0';
}

/* ------------------------------------------------------------------ what gave out */

/* Requests wait where the work is that gave out. */
static enum utilisation_limit queueing_work(const struct utilisation_figures *figures)
{
    double reply_bytes = (double)figures->received_bytes / (double)figures->count[UTILISATION_READ];
    const enum utilisation_limit limits[UTILISATION_WORKS] = {
        [UTILISATION_WRITE] = UTILISATION_WRITES,
        [UTILISATION_READ] = reply_bytes > LONG_REPLY_BYTES ? UTILISATION_BYTES : UTILISATION_READS,
        [UTILISATION_NOTIFICATION] = UTILISATION_FAN_OUT};
    double first = -1, second = -1;
    int foremost = UTILISATION_WRITE;
    for (int work = 0; work < UTILISATION_WORKS; work++) {
        double waiting = under_way(figures, work);
        if (isnan(waiting))
            return UTILISATION_UNDETERMINED;
        second = fmax(second, fmin(first, waiting));
        if (waiting > first) {
            first = waiting;
            foremost = work;
        }
    }
    if (first <= QUEUE * figures->locks)
        return figures->locks == 1 && !figures->beside_load ? UTILISATION_ROUND_TRIPS
                                                            : UTILISATION_UNDETERMINED;
    return first >= FOREMOST * second ? limits[foremost] : UTILISATION_UNDETERMINED;
}

struct utilisation_finding utilisation_find_limit(const struct utilisation_figures *figures,
                                                  enum objective_metric metric)
{
    struct utilisation_finding finding = {.limit = UTILISATION_UNDETERMINED};
    struct resource list[RESOURCES];
    char *text = finding.evidence;
    double each[UTILISATION_WORKS];
    find_resources(figures, list);
    for (size_t i = 0; i < RESOURCES; i++) {
        bool counts = list[i].limit != UTILISATION_HOLDS || metric == OBJECTIVE_ACQUIRE;
        if (counts && finding.limit == UTILISATION_UNDETERMINED && list[i].share >= list[i].full)
            finding.limit = list[i].limit;
        if (!isnan(list[i].share))
            text_append_clause(text, sizeof finding.evidence, "%s %.0f %%", list[i].name,
                               100 * list[i].share);
    }
    if (finding.limit == UTILISATION_UNDETERMINED)
        finding.limit = queueing_work(figures);
    for (int i = 0; i < UTILISATION_WORKS; i++)
        each[i] = (double)figures->count[i] / (double)figures->grants;
    text_append_clause(text, sizeof finding.evidence,
                       "a handoff has %.1f writes, %.1f reads, %.1f notifications, %.1f KB",
                       each[UTILISATION_WRITE], each[UTILISATION_READ],
                       each[UTILISATION_NOTIFICATION],
                       (double)figures->received_bytes / (double)figures->grants / 1e3);
    text_append_clause(text, sizeof finding.evidence,
                       "under way: %.1f writes, %.1f reads, %.1f notifications",
                       under_way(figures, UTILISATION_WRITE), under_way(figures, UTILISATION_READ),
                       under_way(figures, UTILISATION_NOTIFICATION));
    return finding;
}
