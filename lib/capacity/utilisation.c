// SPDX-License-Identifier: Apache-2.0
#include "capacity/utilisation.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *word, *words;
} limits[] = {
#define X(name, word, words) [UTILISATION_##name] = {word, words},
    UTILISATION_LIMIT_LIST(X)
#undef X
};

const char *utilisation_limit_word(enum utilisation_limit limit)
{
    return limits[limit].word;
}

const char *utilisation_limit_words(enum utilisation_limit limit)
{
    return limits[limit].words;
}

/* ------------------------------------------------------------------ shares of a resource */

/* NaN: not known. */
static double server_share(const struct utilisation_figures *figures, size_t server)
{
    return figures->server_cpu_s[server] / (figures->span_s * figures->server_cores);
}

static double largest(const struct utilisation_figures *figures,
                      double (*share)(const struct utilisation_figures *figures, size_t server),
                      size_t *which)
{
    double most = NAN;
    *which = 0;
    for (size_t i = 0; i < figures->servers; i++) {
        double one = share(figures, i);
        if (one > most || (isnan(most) && !isnan(one))) {
            most = one;
            *which = i;
        }
    }
    return most;
}

static double disk_share(const struct utilisation_figures *figures, size_t server)
{
    return figures->fsync_s[server] / figures->span_s;
}

static double driver_share(const struct utilisation_figures *figures)
{
    return figures->driver_cpu_s / (figures->elapsed_s * figures->driver_cores);
}

/* Seconds of CPU of servers and driver; NaN unless they share known cores. */
static double cpu_s(const struct utilisation_figures *figures)
{
    double sum_s = figures->driver_cpu_s;
    for (size_t i = 0; i < figures->servers; i++)
        sum_s += figures->server_cpu_s[i];
    return figures->servers > 0 && !isnan(figures->cores) ? sum_s : NAN;
}

static double cores_share(const struct utilisation_figures *figures)
{
    return cpu_s(figures) / (figures->span_s * figures->cores);
}

/* ------------------------------------------------------------------ by Little's law */

/* The share of the clients that are accounted for. */
static double clients_share(const struct utilisation_figures *figures)
{
    double visit_s = figures->acquire_s + figures->hold_s + figures->release_s;
    return (double)figures->grants * visit_s / (figures->clients * figures->steady_s);
}

static double locks_share(const struct utilisation_figures *figures)
{
    double cycle_s = figures->handoff_s + figures->hold_s;
    return (double)figures->grants * cycle_s / (figures->locks * figures->steady_s);
}

static double held_share(const struct utilisation_figures *figures)
{
    return (double)figures->grants * figures->hold_s / (figures->locks * figures->steady_s);
}

double utilisation_under_way(const struct utilisation_figures *figures, enum utilisation_work work)
{
    double each_s = figures->mean_s[work];
    if (figures->count[work] == 0)
        return 0;
    if (work == UTILISATION_NOTIFICATION && !isnan(each_s))
        each_s = fmax(each_s - figures->release_s, 0);
    return (double)figures->count[work] * each_s / figures->steady_s;
}

/* ------------------------------------------------------------------ whether they add up */

/* At either end of the steady part so many are in the middle of what is measured: its time is
 * counted as a whole or not at all. What is under way at an instant is on average up to twice as
 * long as others (random arrivals). */
static double tolerance_of(double cut, uint64_t grants)
{
    return 2 * cut / (double)grants + UTILISATION_SLACK;
}

static bool is_about(double share, double tolerance)
{
    return isnan(share) || tolerance > UTILISATION_TOLERANCE_MOST || fabs(share - 1) <= tolerance;
}

static bool time_adds_up(const struct utilisation_figures *figures, char *why, size_t size)
{
    double tolerance = tolerance_of(figures->clients, figures->grants),
           share = clients_share(figures);
    if (!is_about(share, tolerance)) {
        text_append_clause(
            why, size,
            "Little's law: %.4g clients in the steady part, but %.4g by the rate and the mean "
            "times to wait, hold and release (within %.0f %%)",
            figures->clients, share * figures->clients, 100 * tolerance);
        return false;
    }
    tolerance = tolerance_of(figures->locks, figures->grants);
    share = locks_share(figures);
    if (!is_about(share, tolerance)) {
        text_append_clause(
            why, size,
            "time shares: the locks were held or handed over for %.1f %% of the time, not 100 %% "
            "(within %.0f %%)",
            100 * share, 100 * tolerance);
        return false;
    }
    return true;
}

/* Each session waits for one reply at a time. */
static bool requests_add_up(const struct utilisation_figures *figures, char *why, size_t size)
{
    double under_way = utilisation_under_way(figures, UTILISATION_WRITE) +
                       utilisation_under_way(figures, UTILISATION_READ);
    double most = figures->clients * (1 + tolerance_of(figures->clients, figures->grants));
    if (!(under_way > most))
        return true;
    text_append_clause(
        why, size,
        "Little's law: %.4g requests under way by their rate and mean latency, of %.4g clients "
        "with one request each",
        under_way, figures->clients);
    return false;
}

static bool is_possible(double share, double tolerance, char *why, size_t size, const char *whose)
{
    if (!(share > 1 + tolerance))
        return true;
    text_append_clause(why, size, "utilisation: %s used %.1f %% of what there is (within %.0f %%)",
                       whose, 100 * share, 100 * tolerance);
    return false;
}

static bool resources_add_up(const struct utilisation_figures *figures, char *why, size_t size)
{
    char server[32];
    size_t which;
    double share = largest(figures, server_share, &which), tolerance = UTILISATION_SLACK;
    if (figures->server_has_quota)
        tolerance += UTILISATION_QUOTA_PERIOD_S / figures->span_s;
    snprintf(server, sizeof server, "server %zu", which + 1);
    if (!is_possible(share, tolerance, why, size, server))
        return false;
    share = largest(figures, disk_share, &which);
    snprintf(server, sizeof server, "the disk of server %zu", which + 1);
    return is_possible(share, UTILISATION_SLACK, why, size, server) &&
           is_possible(driver_share(figures), UTILISATION_SLACK, why, size, "the driver") &&
           is_possible(cores_share(figures), UTILISATION_SLACK, why, size,
                       "servers and driver together");
}

bool utilisation_adds_up(const struct utilisation_figures *figures, char *why, size_t size)
{
    why[0] = '\0';
    if (figures->grants == 0 || !(figures->steady_s > 0)) {
        text_append_clause(why, size,
                           "no handoff in the steady part: a longer trial would have some");
        return false;
    }
    return time_adds_up(figures, why, size) && requests_add_up(figures, why, size) &&
           resources_add_up(figures, why, size);
}

/* ------------------------------------------------------------------ what gave out */

static void append_share(char *text, size_t size, double share, const char *whose)
{
    if (!isnan(share))
        text_append_clause(text, size, "%s %.0f %%", whose, 100 * share);
}

static double of_handoff(const struct utilisation_figures *figures, double sum)
{
    return sum / (double)figures->grants;
}

static void describe(const struct utilisation_figures *figures, char *text, size_t size)
{
    size_t which;
    double share = largest(figures, server_share, &which);
    char server[32];
    snprintf(server, sizeof server, "server %zu: CPU", which + 1);
    append_share(text, size, share, figures->servers > 1 ? server : "server CPU");
    append_share(text, size, driver_share(figures), "driver");
    append_share(text, size, cores_share(figures), "all cores");
    append_share(text, size, largest(figures, disk_share, &which), "disk at least");
    append_share(text, size, held_share(figures), "locks held");
    text_append_clause(text, size,
                       "a handoff has %.1f writes, %.1f reads, %.1f notifications, %.1f KB",
                       of_handoff(figures, (double)figures->count[UTILISATION_WRITE]),
                       of_handoff(figures, (double)figures->count[UTILISATION_READ]),
                       of_handoff(figures, (double)figures->count[UTILISATION_NOTIFICATION]),
                       of_handoff(figures, (double)figures->received_bytes / 1e3));
    text_append_clause(text, size, "under way: %.1f writes, %.1f reads, %.1f notifications",
                       utilisation_under_way(figures, UTILISATION_WRITE),
                       utilisation_under_way(figures, UTILISATION_READ),
                       utilisation_under_way(figures, UTILISATION_NOTIFICATION));
}

static enum utilisation_limit full_resource(const struct utilisation_figures *figures,
                                            enum objective_metric metric)
{
    size_t which;
    if (driver_share(figures) >= UTILISATION_DRIVER_FULL)
        return UTILISATION_DRIVER;
    if (largest(figures, server_share, &which) >= UTILISATION_FULL)
        return UTILISATION_SERVER_CPU;
    if (cores_share(figures) >= UTILISATION_FULL)
        return UTILISATION_CORES;
    if (largest(figures, disk_share, &which) >= UTILISATION_FULL)
        return UTILISATION_DISK;
    bool has_holds = metric == OBJECTIVE_ACQUIRE || metric == OBJECTIVE_HANDOFFS;
    if (has_holds && held_share(figures) >= UTILISATION_FULL)
        return UTILISATION_HOLDS;
    return UTILISATION_UNDETERMINED;
}

static enum utilisation_limit limit_of(const struct utilisation_figures *figures,
                                       enum utilisation_work work)
{
    if (work == UTILISATION_WRITE)
        return UTILISATION_WRITES;
    if (work == UTILISATION_NOTIFICATION)
        return UTILISATION_FAN_OUT;
    double reply_bytes = (double)figures->received_bytes / (double)figures->count[UTILISATION_READ];
    return reply_bytes > UTILISATION_LONG_REPLY_BYTES ? UTILISATION_BYTES : UTILISATION_READS;
}

/* Requests wait where the work is that gave out. */
static enum utilisation_limit queueing_work(const struct utilisation_figures *figures)
{
    double first = -1, second = -1;
    enum utilisation_work foremost = UTILISATION_WRITE;
    for (int work = 0; work < UTILISATION_WORKS; work++) {
        double under_way = utilisation_under_way(figures, (enum utilisation_work)work);
        if (isnan(under_way))
            return UTILISATION_UNDETERMINED;
        if (under_way > first) {
            second = first;
            first = under_way;
            foremost = (enum utilisation_work)work;
        } else if (under_way > second) {
            second = under_way;
        }
    }
    if (first <= UTILISATION_QUEUE * figures->locks)
        return figures->locks == 1 && !figures->beside_load ? UTILISATION_ROUND_TRIPS
                                                            : UTILISATION_UNDETERMINED;
    return first >= UTILISATION_FOREMOST * second ? limit_of(figures, foremost)
                                                  : UTILISATION_UNDETERMINED;
}

struct utilisation_finding utilisation_find_limit(const struct utilisation_figures *figures,
                                                  enum objective_metric metric)
{
    struct utilisation_finding finding = {.limit = full_resource(figures, metric)};
    if (finding.limit == UTILISATION_UNDETERMINED)
        finding.limit = queueing_work(figures);
    describe(figures, finding.evidence, sizeof finding.evidence);
    return finding;
}
