// SPDX-License-Identifier: Apache-2.0
#include "bench/output/verdict.h"

#include "base/clock.h"

#include <string.h>

/* Above these the driver itself may have been the bottleneck, and times mean little (not the
 * counts). */
#define LOAD_MAX      0.8
#define LOAD_LEAST_NS (200 * NS_PER_MS)
#define LATE_MAX_NS   NS_PER_MS
#define LATE_LEAST    100

#define ADVICE          "what may help: fewer clients, more --processes, a quieter machine"
#define ADVICE_ON_CORES "what may help: fewer clients, more cores, a quieter machine"

const char *verdict_word(enum verdict verdict)
{
    static const char *const words[] = {
        [VERDICT_HOLDS] = "holds",
        [VERDICT_FAILS] = "fails",
        [VERDICT_UNDETERMINED] = "undetermined",
        [VERDICT_NOT_VALID] = "not valid",
        [VERDICT_MEASURED] = "measured",
    };
    return words[verdict];
}

enum verdict verdict_of_word(const char *word)
{
    for (enum verdict i = VERDICT_HOLDS; i < VERDICTS; i++) {
        if (strcmp(word, verdict_word(i)) == 0)
            return i;
    }
    return VERDICT_UNDETERMINED;
}

enum verdict verdict_worse(enum verdict a, enum verdict b)
{
    static const unsigned weights[VERDICTS] = {
        [VERDICT_FAILS] = 3, [VERDICT_NOT_VALID] = 2, [VERDICT_UNDETERMINED] = 1};
    if (weights[a] == 0 && weights[b] == 0)
        return VERDICT_HOLDS;
    return weights[b] > weights[a] ? b : a;
}

int verdict_status(enum verdict verdict)
{
    return verdict == VERDICT_FAILS                                          ? 1
           : verdict == VERDICT_UNDETERMINED || verdict == VERDICT_NOT_VALID ? 4
                                                                             : 0;
}

/* A comparison with NaN is false: without an interval neither is. */
enum verdict verdict_rises(const struct interval *ratio)
{
    if (ratio->low > 1)
        return VERDICT_HOLDS;
    return ratio->high < 1 ? VERDICT_FAILS : VERDICT_UNDETERMINED;
}

enum verdict verdict_falls(const struct interval *ratio)
{
    if (ratio->high < 1)
        return VERDICT_HOLDS;
    return ratio->low > 1 ? VERDICT_FAILS : VERDICT_UNDETERMINED;
}

enum verdict verdict_lies(const struct interval *value, double least, double most)
{
    if (value->low >= least && value->high <= most)
        return VERDICT_HOLDS;
    return value->high < least || value->low > most ? VERDICT_FAILS : VERDICT_UNDETERMINED;
}

/* ------------------------------------------------------------------ the times of a trial */

void validity_judge_trial(const struct trial_result *result, double cores_allowed,
                          struct validity *validity)
{
    const struct stalls *stalls = &result->stalls;
    const struct trial_plan *plan = result->memory->plan;
    const struct histogram *late = result->late;
    const char *server = stalls->server[0] != '\0' ? stalls->server : "a server";
    if (stalls->count == 1)
        validity_lose(validity, "stalled: %s owed an answer, and nothing was received for %.1f s",
                      server, (double)stalls->total_ns / 1e9);
    else if (stalls->count > 1)
        validity_lose(
            validity,
            "stalled: %u times nothing was received although an answer was owed, %.1f s in "
            "all; the longest was %.1f s, at %s",
            stalls->count, (double)stalls->total_ns / 1e9, (double)stalls->longest_ns / 1e9,
            server);
    /* A session whose reply the trial takes away is meant to connect again, once. */
    uint64_t planned = result->had_death && plan_death(plan)->how == DEATH_LOST_REPLY;
    uint64_t unplanned = result->reconnects > planned ? result->reconnects - planned : 0;
    if (unplanned > 0)
        validity_lose(validity,
                      "reconnected: %llu connection%s lost and made again, which is in the times",
                      (unsigned long long)unplanned, unplanned == 1 ? " was" : "s were");
    double cores = fleet_plan_cores(&plan->fleet, cores_allowed),
           load = (double)result->client_cpu_ns / (double)result->elapsed_ns / cores;
    if (result->elapsed_ns >= LOAD_LEAST_NS && load > LOAD_MAX)
        validity_lose(validity, "overloaded: the driver used more than 80 %% of %s",
                      cores < cores_allowed ? "a core a process; " ADVICE
                                            : "the cores that it may use; " ADVICE_ON_CORES);
    if (stalls->absent_ns > 0)
        validity_lose(validity, "overloaded: zkherd itself did not run for %.1f s",
                      (double)stalls->absent_ns / 1e9);
    uint64_t holds = histogram_recorded(late), too_late = histogram_above(late, LATE_MAX_NS);
    if (holds >= LATE_LEAST && too_late * 100 > holds) /* one in a hundred may be late */
        validity_lose(validity,
                      "overloaded: %.1f %% of %llu holds ended more than 1 ms late (p99: %.1f ms "
                      "late); " ADVICE ", or longer holds",
                      100 * (double)too_late / (double)holds, (unsigned long long)holds,
                      (double)histogram_percentile_ns(late, 99) / 1e6);
}
