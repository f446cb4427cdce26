// SPDX-License-Identifier: Apache-2.0
#include "bench/answer/plan_bounds.h"

#include "base/text.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <string.h>

void plan_bounds_write_limit(const char *name, const struct utilisation_finding *finding,
                             FILE *stream)
{
    wrap_sentence(stream, "%s: what gave out first: %s (%s).", name,
                  utilisation_limit_words(finding->limit), finding->evidence);
}

/* Three digits without an exponent, or all of a larger number. */
static const char *round_off(double value, char *text, size_t size)
{
    double magnitude = fabs(value);
    if (value >= 1000 && value < 1e15)
        return text_format_count((uint64_t)llround(value), text, size);
    if (magnitude > 1e-12 && magnitude < 1e-4)
        snprintf(text, size, "%.*f", 2 - (int)floor(log10(magnitude)), value);
    else
        snprintf(text, size, magnitude < 100 ? "%.3g" : "%.0f", value);
    return text;
}

/* "0.21 (95 %: 0.18 … 0.25)", or why there is no interval. */
static const char *describe(const struct interval *value, double unit, char *text, size_t size)
{
    char number[32], low[32], high[32];
    round_off(value->value / unit, number, sizeof number);
    if (isnan(value->low) || isnan(value->high))
        snprintf(text, size, "%s (no interval: fewer than %d trials)", number,
                 STATISTICS_TRIALS_MIN);
    else
        snprintf(text, size, "%s (95 %%: %s … %s)", number,
                 round_off(value->low / unit, low, sizeof low),
                 round_off(value->high / unit, high, sizeof high));
    return text;
}

/* ------------------------------------------------------------------ the herd coefficient */

/* What the coefficient means where one number does not tell all. */
static const char *note_on(const struct herd *herd)
{
    if (herd->bends)
        return " The times bend: no single coefficient holds for all sizes.";
    if (herd->beta.high < 0)
        return " Handoffs are shorter with more waiters: there is no herd.";
    if (herd->beta.low <= 0)
        return " The coefficient may be 0: the trials show no herd.";
    return herd->beta.value < 0 ? " The coefficient is below 0: the trials show no herd." : "";
}

static void write_beta(const char *recipe, const struct herd *herd, FILE *stream)
{
    char beta[128], bare[128];
    wrap_sentence(stream,
                  "%s: herd coefficient: one more waiter costs %s handoffs without waiters. A "
                  "handoff without waiters takes %s ms.%s",
                  recipe, describe(&herd->beta, 1, beta, sizeof beta),
                  describe(&herd->bare_s, 1e-3, bare, sizeof bare), note_on(herd));
}

void plan_bounds_write_herd(const char *recipe, const struct herd *herd, FILE *stream)
{
    char slope[128];
    switch (herd->state) {
    case HERD_ONE_SIZE:
        wrap_sentence(stream,
                      "%s: herd coefficient not known: needs valid trials with at least "
                      "two numbers of waiters.",
                      recipe);
        break;
    case HERD_BARE_NOT_KNOWN:
        wrap_sentence(stream,
                      "%s: herd coefficient not known: the trials, with %.4g to %.4g waiters, do "
                      "not tell what a handoff without waiters takes. One more waiter costs %s us.",
                      recipe, herd->least, herd->most,
                      describe(&herd->slope_s, 1e-6, slope, sizeof slope));
        break;
    case HERD_FEW_TRIALS:
    case HERD_KNOWN:
        write_beta(recipe, herd, stream);
        break;
    }
}

/* ------------------------------------------------------------------ the knee */

/* Why the knee is a lower bound, and how to measure more. */
static void explain_bound(uint64_t clients, const struct knee *knee, char *text, size_t size)
{
    char advice[80] = "";
    if (knee->demand_locks == 1)
        snprintf(advice, sizeof advice, ": zkherd plan --unknown locks -n %llu tells more",
                 (unsigned long long)clients);
    snprintf(text, size,
             " Both are lower bounds: the demand of a handoff was measured with %u hot lock%s, and "
             "is smaller with more%s.",
             knee->demand_locks, knee->demand_locks == 1 ? "" : "s", advice);
}

/* What is uncertain besides the interval; "" if nothing is. */
static const char *explain(uint64_t clients, const struct knee *knee, char *text, size_t size)
{
    text[0] = '\0';
    if (knee->at_least)
        explain_bound(clients, knee, text, size);
    size_t length = strlen(text);
    if (knee->of == UTILISATION_DISK)
        snprintf(text + length, size - length,
                 " Servers count the time of the disk in whole milliseconds, cut off: its demand "
                 "may be larger.");
    return text;
}

/* A static string. */
static const char *describe_lack(enum plan_knee_state state)
{
    static const char *const words[] = {
        [PLAN_KNEE_KNOWN] = "",
        [PLAN_KNEE_NO_CPU_TIME] =
            ("it needs the CPU and disk time of the servers, which is known of private servers "
             "only, from ZooKeeper 3.6 on"),
        [PLAN_KNEE_NO_TRIAL] = "no trial of a lock alone was run before the end",
        [PLAN_KNEE_NOT_VALID] = "no trial of a lock alone was valid",
        [PLAN_KNEE_NOT_WHOLE] =
            "each valid trial of a lock alone ended before it had all its samples",
    };
    return words[state];
}

static void write_known(const char *recipe, uint64_t clients, const struct knee *knee, FILE *stream)
{
    char locks[128], most[128], why[400];
    const char *bound = knee->at_least ? "at least " : "";
    wrap_sentence(stream,
                  "%s: knee: %s%s hot locks of %llu clients each: with more, %s would be the "
                  "limit: %s%s handoffs a second in all.%s",
                  recipe, bound, describe(&knee->locks, 1, locks, sizeof locks),
                  (unsigned long long)clients, utilisation_limit_words(knee->of), bound,
                  describe(&knee->most_per_s, 1, most, sizeof most),
                  explain(clients, knee, why, sizeof why));
}

void plan_bounds_write_knee(const char *recipe, const struct plan_knee *knee, FILE *stream)
{
    if (knee->state == PLAN_KNEE_KNOWN)
        write_known(recipe, knee->clients, &knee->found, stream);
    else
        wrap_sentence(stream, "%s: knee for hot locks not known: %s.", recipe,
                      describe_lack(knee->state));
}
