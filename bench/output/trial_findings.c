// SPDX-License-Identifier: Apache-2.0
#include "bench/output/trial_findings.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Above these the driver itself may have been the bottleneck, and times mean little (not the
 * counts). */
#define CPU_SHARE_MAX 0.8
#define CPU_LEAST_NS  (200 * NS_PER_MS) /* of a shorter trial nothing is known */
#define LATE_MAX_NS   NS_PER_MS
#define LATE_LEAST    100

#define ADVICE "what may help: fewer clients, more --processes, a quieter or a larger machine"

/* ------------------------------------------------------------------ the times of a trial */

bool validity_judge_driver(const struct validity_driver *driver, struct validity *validity)
{
    double cores = fleet_plan_cores(driver->plan, driver->cores_allowed);
    const struct histogram *late = driver->late;
    uint64_t all = histogram_recorded(late), too_late = histogram_above(late, LATE_MAX_NS);
    bool busy = driver->cores > CPU_SHARE_MAX * cores,
         is_late = all >= LATE_LEAST && too_late * 100 > all; /* one in a hundred may be */
    if (busy)
        validity_lose(validity, "overloaded: the driver used %.0f %% of %s; " ADVICE,
                      100 * driver->cores / cores,
                      cores < driver->cores_allowed ? "a core a process"
                                                    : "the cores that it may use");
    if (is_late)
        validity_lose(validity,
                      "overloaded: %.1f %% of %llu %s more than 1 ms late (p99: %.1f ms); " ADVICE,
                      100 * (double)too_late / (double)all, (unsigned long long)all, driver->what,
                      (double)histogram_percentile_ns(late, 99) / 1e6);
    if (driver->absent_ns > 0)
        validity_lose(validity, "overloaded: the driver did not run for %.1f s",
                      (double)driver->absent_ns / 1e9);
    return busy || is_late || driver->absent_ns > 0;
}

void validity_judge_trial(const struct trial_result *result, double cores_allowed,
                          struct validity *validity)
{
    const struct stalls *stalls = &result->stalls;
    const struct trial_plan *plan = result->memory->plan;
    const struct validity_driver driver = {.plan = &plan->fleet,
                                           .cores_allowed = cores_allowed,
                                           .cores = result->elapsed_ns >= CPU_LEAST_NS
                                                        ? (double)result->client_cpu_ns /
                                                              (double)result->elapsed_ns
                                                        : NAN,
                                           .late = result->late,
                                           .what = "holds ended",
                                           .absent_ns = stalls->absent_ns};
    const char *server = stalls->server[0] != '\0' ? stalls->server : "a server";
    if (stalls->count > 0)
        validity_lose(validity,
                      "stalled: %s owed an answer, and nothing was received for %.1f s; %u stall%s "
                      "in all, for %.1f s",
                      server, (double)stalls->longest_ns / 1e9, stalls->count,
                      text_plural(stalls->count), (double)stalls->total_ns / 1e9);
    /* A session whose reply the trial takes away is meant to connect again, once. */
    uint64_t planned = result->had_death && plan_death(plan)->how == DEATH_LOST_REPLY;
    uint64_t unplanned = result->reconnects > planned ? result->reconnects - planned : 0;
    if (unplanned > 0)
        validity_lose(validity, "reconnected: %llu lost connection%s, which is in the times",
                      (unsigned long long)unplanned, text_plural(unplanned));
    (void)validity_judge_driver(&driver, validity);
}

/* ------------------------------------------------------------------ findings */

static bool is_faulty(const struct trial_kind *kind, const struct table_value *row)
{
    return trial_kind_fails(kind, row) || (kind->valid != 0 && !row[kind->valid].flag &&
                                           !row[kind->noise + noise_row_noise_disturbed].flag);
}

/* A wrong law, say, fails in each trial of its recipe, and in the same way. */
static bool is_alike(const struct trial_kind *kind, const struct table_value *a,
                     const struct table_value *b)
{
    return is_faulty(kind, a) && trial_kind_fails(kind, a) == trial_kind_fails(kind, b) &&
           strcmp(a[kind->subject].text, b[kind->subject].text) == 0 &&
           text_is_alike(a[kind->reason].text, b[kind->reason].text);
}

/* For a faulty row, unless an earlier one is like it. */
static void add_fault(const struct trial_kind *kind, const struct table *rows, size_t at,
                      const char *repeat, struct table *findings)
{
    const struct table_value *first = table_row(rows, at);
    const char *subject = first[kind->subject].text, *reason = first[kind->reason].text;
    bool fails = trial_kind_fails(kind, first);
    char which[160], share[64];
    size_t alike = 0, of = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        bool same = is_alike(kind, row, first);
        if (same && i < at)
            return;
        alike += same;
        of += strcmp(row[kind->subject].text, subject) == 0;
    }
    const struct finding *fault =
        FINDING(fails ? VERDICT_FAILS : VERDICT_NOT_VALID, fails ? "violation" : "not-valid",
                subject, FINDING_FIGURE((double)alike), "trials", of);
    kind->describe(first, which, sizeof which);
    if (alike == 1)
        findings_add(findings, fault, "%s: %s %s: %s%s", subject, which,
                     fails ? "fails" : "is not valid", reason, repeat);
    else
        findings_add(findings, fault, "%s: %s %s; the first, %s: %s%s", subject,
                     text_format_share(alike, of, share, sizeof share),
                     fails ? "fail" : "are not valid", which, reason, repeat);
}

void trial_findings_add_faults(const struct trial_kind *kind, const struct table *rows,
                               const char *repeat, struct table *findings)
{
    for (size_t i = 0; i < rows->rows; i++) {
        if (is_faulty(kind, table_row(rows, i)))
            add_fault(kind, rows, i, repeat, findings);
    }
}

void trial_findings_add_servers(const struct trial_kind *kind, const struct table *rows,
                                struct table *findings)
{
    size_t same = 0, compared = 0;
    char share[64], others[48] = "";
    for (size_t i = 0; i < rows->rows; i++) {
        const char *word = table_row(rows, i)[kind->reconciled].text;
        if (word == NULL || strcmp(word, "na") == 0)
            continue;
        compared++;
        same += strcmp(word, "yes") == 0;
    }
    if (compared < rows->rows)
        snprintf(others, sizeof others, "; %zu not compared", rows->rows - compared);
    if (compared > 0)
        findings_add(findings,
                     FINDING(same == compared ? VERDICT_HOLDS : VERDICT_FAILS, "servers", "servers",
                             FINDING_FIGURE((double)same), "trials", compared),
                     "servers: their counts equal the clients' in %s%s",
                     text_format_share(same, compared, share, sizeof share), others);
}

/* The median of the cores that others used in the trials that were disturbed; *count: of these. */
static double cores_of_others(const struct trial_kind *kind, const struct table *rows,
                              size_t *count)
{
    double *used = memory_new(rows->rows + 1, sizeof *used);
    size_t known = 0;
    *count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *noise = table_row(rows, i) + kind->noise;
        double others = table_number(&noise[noise_row_noise_others_cores]),
               stolen = table_number(&noise[noise_row_noise_stolen_cores]);
        if (!noise[noise_row_noise_disturbed].flag)
            continue;
        ++*count;
        if (isfinite(stolen))
            used[known++] = (isnan(others) ? 0 : others) + stolen;
    }
    statistics_sort(used, known);
    double median = statistics_median(used, known);
    free(used);
    return median;
}

void trial_findings_add_noise(const struct trial_kind *kind, const struct table *rows,
                              const struct noise_watch *watch, size_t made_again,
                              struct table *findings)
{
    double cores = watch->at_first.cores;
    bool judges = kind->valid != 0 && watch->options != NULL && watch->options->mode == NOISE_RETRY;
    char why[64] = "", share[64];
    size_t count;
    double median = cores_of_others(kind, rows, &count);
    if (median >= NOISE_SHARE_MAX * cores) /* else the quota, or the clock of the day */
        snprintf(why, sizeof why, " (others used %.1f of %.0f cores)", median, cores);
    if (count > 0)
        findings_add(findings,
                     FINDING(judges ? VERDICT_NOT_VALID : VERDICT_MEASURED, "noise", "times",
                             FINDING_FIGURE((double)count), "trials", rows->rows),
                     "times: %s disturbed%s; marked ~ are not ZooKeeper's alone; "
                     "--wait-for-quiet 5m waits",
                     text_format_share(count, rows->rows, share, sizeof share), why);
    if (made_again > 0)
        findings_add(findings,
                     FINDING_MEASURED("made-again", "made again",
                                      FINDING_FIGURE((double)made_again), "trials", rows->rows),
                     "made again: %zu trial%s (first attempts in made_again.csv)", made_again,
                     text_plural(made_again));
}
