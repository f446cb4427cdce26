// SPDX-License-Identifier: Apache-2.0
/* What drains cost, and how long barriers take, as their numbers grow; and what single releases set
 * off: row i of the ledger of a drain under lockstep has what release i set off. */
#include "bench/claims/internal.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdio.h>

/* Half a message: counts are whole numbers. */
#define EQUAL 0.5

/* ------------------------------------------------------------------ the growth of drains */

static double value_of(const struct tally *total, int figure)
{
    if (figure == GROWTH_RPCS)
        return (double)tally_rpcs(total);
    if (figure == GROWTH_BYTES)
        return (double)(total->of[TALLY_BYTES_SENT] + total->of[TALLY_BYTES_RECEIVED]);
    return (double)total->of[figure];
}

/* Compares a figure of all cells with its law at every level, or with its class. */
static void check_figure(struct attempt *attempt, const struct growth *growth)
{
    const struct trial_plan *trials = attempt->claim->trials;
    const char *name = attempt_recipe(attempt);
    double clients[CLAIM_CELLS_MAX], found[CLAIM_CELLS_MAX];
    size_t count = 0;
    char text[128];
    bool equal = true;
    for (; count < CLAIM_CELLS_MAX && trials[count].fleet.sessions > 0; count++) {
        clients[count] = trials[count].fleet.sessions;
        found[count] = value_of(&attempt->totals[count], growth->figure);
        equal =
            equal && fabs(found[count] - fit_polynomial_at(&growth->law, clients[count])) < EQUAL;
    }
    struct fit_exponent fit = fit_exponent(clients, found, count);
    struct fit_polynomial polynomial =
        growth->class == FIT_CONSTANT
            ? fit_polynomial_best(clients, found, count)
            : fit_polynomial(clients, found, count, (unsigned)growth->class);
    fit_describe(&polynomial, 'n', text, sizeof text);
    if (growth->class != FIT_CONSTANT) {
        claim_measured(attempt, "%s: %s grow as n^%.2f (95 %% CI %.2f to %.2f), least squares: %s",
                       name, growth->what, fit.exponent, fit.low, fit.high, text);
        claim_check_class(attempt, &fit, growth->class);
        return;
    }
    if (!polynomial.exact)
        snprintf(text, sizeof text, "about n^%.2f (95 %% CI %.2f to %.2f)", fit.exponent, fit.low,
                 fit.high);
    claim_measured(attempt, "%s: %s = %s", name, growth->what, text);
    claim_check(attempt, equal);
}

void growth_check(struct attempt *attempt)
{
    const struct growth *growths = attempt->claim->growths[attempt->recipe];
    for (size_t i = 0; i < 2 && growths[i].what != NULL; i++)
        check_figure(attempt, &growths[i]);
}

/* ------------------------------------------------------------------ the time of barriers */

/* As many as a class of growth takes: the first cells differ in their barriers, as many others in
 * their clients. */
#define LEVELS FIT_LEVELS_MIN

void growth_keep_time(struct attempt *attempt)
{
    attempt->values[attempt->cell][attempt->rounds] = (double)attempt->result->elapsed_ns / 1e9;
}

/* Each round gives an exponent, of trials that were made one soon after the other: what slows all
 * of a round does not change it, and what disturbs a trial makes the interval over the rounds
 * wider. */
void growth_of_time_is_linear(struct attempt *attempt)
{
    for (size_t of_clients = 0; of_clients < 2; of_clients++) {
        const struct trial_plan *trials = &attempt->claim->trials[of_clients * LEVELS];
        double numbers[LEVELS], times_s[LEVELS], exponents[CLAIM_ROUNDS_MAX],
            first_s[CLAIM_ROUNDS_MAX], last_s[CLAIM_ROUNDS_MAX];
        for (size_t i = 0; i < LEVELS; i++)
            numbers[i] = of_clients ? trials[i].fleet.sessions : trials[i].barriers;
        for (size_t round = 0; round < attempt->rounds; round++) {
            for (size_t i = 0; i < LEVELS; i++)
                times_s[i] = attempt->values[of_clients * LEVELS + i][round];
            exponents[round] = fit_exponent(numbers, times_s, LEVELS).exponent;
            first_s[round] = times_s[0];
            last_s[round] = times_s[LEVELS - 1];
        }
        const struct interval exponent =
            statistics_interval(exponents, attempt->rounds, FIT_CONFIDENCE);
        const struct fit_exponent fit = {.exponent = exponent.value,
                                         .low = exponent.low,
                                         .high = exponent.high,
                                         .levels = LEVELS};
        claim_measured(
            attempt,
            "%s, %.0f to %.0f %s: %.3f to %.3f s, growing as n^%.2f (95 %% CI %.2f to %.2f)",
            attempt_recipe(attempt), numbers[0], numbers[LEVELS - 1],
            of_clients ? "clients" : "barriers",
            statistics_interval_of_logs(first_s, attempt->rounds, FIT_CONFIDENCE).value,
            statistics_interval_of_logs(last_s, attempt->rounds, FIT_CONFIDENCE).value,
            fit.exponent, fit.low, fit.high);
        claim_check_class(attempt, &fit, FIT_LINEAR);
    }
}

/* ------------------------------------------------------------------ notifications of a release */

static unsigned long long notifications_in(const struct ledger_row *row)
{
    return row->tally.of[TALLY_NOTIFICATION];
}

/* Compares every release. At the first one arrivals have used up the deleter's watch, so the next
 * is in the text where that counts. */
void releases_notify(struct attempt *attempt)
{
    const struct claim *claim = attempt->claim;
    unsigned long long as_expected = 0,
                       releases = trial_memory_rows_used(attempt->result->memory, 0) - 1;
    for (uint64_t handoff = 1; handoff <= releases; handoff++) {
        const struct ledger_row *row = attempt_row(attempt, handoff);
        uint32_t waiters = claim->notifies_one && row->waiters > 1 ? 1 : row->waiters;
        as_expected += notifications_in(row) == waiters + (claim->notifies_deleter && handoff > 1);
    }
    const struct ledger_row *row = attempt_row(attempt, claim->notifies_deleter ? 2 : 1);
    claim_measured(attempt,
                   "notifications: %llu with %u waiters; as expected in %llu of %llu releases",
                   notifications_in(row), row->waiters, as_expected, releases);
    claim_check(attempt, as_expected == attempt->plan.fleet.sessions && releases == as_expected);
}

/* In the last of several drains: the cost is the same with many waiters as with one. The last
 * release hands on nothing. */
void releases_notify_alike(struct attempt *attempt)
{
    uint64_t handoffs = trial_memory_rows_used(attempt->result->memory, 0) - 2;
    unsigned long long least = UINT64_MAX, most = 0;
    growth_check(attempt);
    releases_notify(attempt);
    for (uint64_t handoff = 1; handoff <= handoffs; handoff++) {
        unsigned long long rpcs = tally_rpcs(&attempt_row(attempt, handoff)->tally);
        least = rpcs < least ? rpcs : least;
        most = rpcs > most ? rpcs : most;
    }
    if (least == most)
        claim_measured(attempt, "%llu RPCs in each handoff", most);
    else
        claim_measured(attempt, "%llu to %llu RPCs in a handoff", least, most);
    claim_check(attempt, least == most);
}

/* ------------------------------------------------------------------ readers */

/* The clients that the release of client `releaser` is to let in, after those before it: the next
 * in line, and if that one reads all readers up to the next writer; none where readers hold
 * already. */
static uint64_t let_in_by(const struct recipe *recipe, uint32_t releaser, uint32_t clients)
{
    uint32_t next = releaser + 1;
    if (next == clients || (recipe_shares(recipe, releaser) && recipe_shares(recipe, next)))
        return 0;
    while (next < clients && recipe_shares(recipe, next))
        next++;
    return next > releaser + 1 ? next - releaser - 1 : 1;
}

void releases_let_readers_in_together(struct attempt *attempt)
{
    uint32_t clients = attempt->plan.fleet.sessions;
    unsigned long long sharing = 0, largest = 0, notifications = 0, as_expected = 0;
    /* Clients release in the order in which they arrived. */
    for (uint32_t releaser = 0; releaser < clients; releaser++) {
        const struct ledger_row *row = attempt_row(attempt, releaser + UINT64_C(1));
        as_expected += row->granted == let_in_by(attempt->plan.recipe, releaser, clients);
        notifications += notifications_in(row);
        sharing += row->granted > 1;
        largest = row->granted > largest ? row->granted : largest;
    }
    if (sharing == 0)
        claim_measured(attempt, "no release granted more than one client");
    else
        claim_measured(attempt, "%llu releases granted several clients at once, up to %llu",
                       sharing, largest);
    claim_measured(attempt, "as expected in %llu of %u releases; %llu notifications", as_expected,
                   clients, notifications);
    claim_check(attempt, sharing > 0 && as_expected == clients && notifications == clients - 1);
}
