// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/ensembles.h"

#include "base/text.h"
#include "bench/claims/barriers.h"

#include <math.h>
#include <stdio.h>

/* Reads differ by a factor of two or three, writes by about a quarter: by no more than one round
 * differs from another. */
#define READ_ROUNDS  4
#define WRITE_ROUNDS 12

_Static_assert(READ_ROUNDS <= ENSEMBLE_PAIR_ROUNDS_MAX && WRITE_ROUNDS <= ENSEMBLE_PAIR_ROUNDS_MAX,
               "room for the rates of all rounds");

static const char *kind_of(uint32_t reads_percent)
{
    return reads_percent == 100 ? "reads" : "writes";
}

static const char *servers_of(uint64_t servers, char text[32])
{
    snprintf(text, 32, "%llu server%s", (unsigned long long)servers, servers == 1 ? "" : "s");
    return text;
}

static void expect(const struct claim *claim, struct finding *finding)
{
    char from[32], to[32];
    servers_of(claim->servers[0], from);
    servers_of(claim->servers[1], to);
    finding_expected(finding, "reads: more a second with %s than with %s", to, from);
    finding_expected(finding, "writes: fewer");
}

/* ------------------------------------------------------------------ the judgement */

static void tell_rates(const struct ensemble_pair *pair, const struct ensemble_pair_rates *rates,
                       const struct interval *ratio, struct finding *finding)
{
    char number[ENSEMBLE_PAIR][32], servers[ENSEMBLE_PAIR][32], interval[64] = "no CI";
    for (size_t side = 0; side < ENSEMBLE_PAIR; side++) {
        text_format_count((uint64_t)ensemble_pair_mean(rates, side), number[side],
                          sizeof number[side]);
        servers_of(pair->servers[side], servers[side]);
    }
    if (!isnan(ratio->low))
        snprintf(interval, sizeof interval, "95 %% CI %.2f to %.2f", ratio->low, ratio->high);
    finding_measured(finding, "%s: %s a second with %s, %s with %s, %.2f times (%s)",
                     kind_of(rates->reads_percent), number[0], servers[0], number[1], servers[1],
                     ratio->value, interval);
}

void ensembles_judge(const struct ensemble_pair *pair, const struct ensemble_pair_rates *rates,
                     struct finding *finding)
{
    const char *what = kind_of(rates->reads_percent);
    struct interval ratio = ensemble_pair_ratio(rates);
    enum verdict verdict =
        rates->reads_percent == 100 ? verdict_rises(&ratio) : verdict_falls(&ratio);
    if (rates->rounds > 0)
        tell_rates(pair, rates, &ratio, finding);
    if (rates->left_out > 0)
        finding_measured(finding, "%s: %u of %zu rounds do not count: %s", what, rates->left_out,
                         rates->left_out + rates->rounds, rates->why);
    if (verdict != VERDICT_UNDETERMINED)
        finding_check(finding, verdict == VERDICT_HOLDS);
    else
        finding_undecide(finding, "%s: %s", what,
                         isnan(ratio.low) ? "too few rounds for a CI" : "the CI contains 1");
}

/* ------------------------------------------------------------------ the experiment */

static enum error_kind load(struct ensemble_pair *pair, uint32_t reads_percent, size_t rounds,
                            struct finding *finding, struct error *error)
{
    struct ensemble_pair_rates rates;
    enum error_kind kind = ensemble_pair_load(pair, reads_percent, rounds, &rates, error);
    if (kind == ERROR_NONE)
        ensembles_judge(pair, &rates, finding);
    return kind;
}

static enum error_kind load_both(struct ensemble_pair *pair, struct finding *finding,
                                 struct error *error)
{
    char from[32], to[32], loads[160];
    finding_tried(
        finding, "%s; on %s and on %s in turn: %d rounds of reads alone, %d of writes alone",
        ensemble_pair_describe(pair, loads, sizeof loads), servers_of(pair->servers[0], from),
        servers_of(pair->servers[1], to), READ_ROUNDS, WRITE_ROUNDS);
    enum error_kind kind = load(pair, 100, READ_ROUNDS, finding, error);
    if (kind != ERROR_NONE)
        return kind;
    if (pair->cpu_percent == 0) {
        finding_undecide(finding, "writes: not tried, for the leader of a simulation pays nothing "
                                  "for a follower");
        return ERROR_NONE;
    }
    return load(pair, 0, WRITE_ROUNDS, finding, error);
}

/* On ensembles of its own, if there can be any. */
static enum error_kind compare_pair(const struct claim *claim, struct testbed *testbed,
                                    struct finding *finding, struct error *error)
{
    struct ensemble_pair pair;
    char text[400];
    const char *why;
    enum error_kind kind =
        ensemble_pair_open(testbed, claim->servers, &pair, &why, text, sizeof text, error);
    if (kind != ERROR_NONE)
        return kind;
    if (why != NULL) {
        finding_undecide(finding, "reads and writes: not tried: %s", why);
        return ERROR_NONE;
    }
    kind = load_both(&pair, finding, error);
    ensemble_pair_close(&pair);
    return kind;
}

enum error_kind ensembles_scale_reads(const struct claim *claim, struct testbed *testbed,
                                      struct finding *finding, struct error *error)
{
    expect(claim, finding);
    enum error_kind kind = compare_pair(claim, testbed, finding, error);
    return kind == ERROR_NONE
               ? barriers_take_linear_time(claim->recipes[0], testbed, finding, error)
               : kind;
}
