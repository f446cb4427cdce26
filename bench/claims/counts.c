// SPDX-License-Identifier: Apache-2.0
/* What drains cost in all, and how long barriers take, as their numbers grow; and what single
 * releases set off: the clients that each notifies, and those that it lets in. A release is read
 * from the ledger of a drain under lockstep, whose row i has what release i set off. */
#include "bench/claims/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Half a message: counts are whole numbers. */
#define EQUAL 0.5

/* ------------------------------------------------------------------ the growth of drains */

/* Lists the clients of each cell of a claim. Returns how many cells there are. */
static size_t list_clients(const struct claim *claim, double clients[CLAIM_CELLS_MAX])
{
    size_t count = 0;
    for (; count < CLAIM_CELLS_MAX && claim->trials[count].fleet.sessions > 0; count++)
        clients[count] = claim->trials[count].fleet.sessions;
    return count;
}

static double law_at(const struct growth *growth, double n)
{
    return growth->law[0] + (growth->law[1] + growth->law[2] * n) * n;
}

/* The exact polynomial through the levels, or how they grow if there is none. */
static const char *describe_growth(const double *clients, const double *values, size_t count,
                                   char text[128])
{
    struct fit_polynomial polynomial = fit_polynomial_best(clients, values, count);
    if (polynomial.exact)
        return fit_describe(&polynomial, 'n', text, 128);
    struct fit_exponent fit = fit_exponent(clients, values, count);
    snprintf(text, 128, "about n^%.2f (95 %% CI %.2f to %.2f)", fit.exponent, fit.low, fit.high);
    return text;
}

void growth_expect(struct experiment *experiment)
{
    const struct claim *claim = experiment->claim;
    struct outcome *outcome = experiment->outcome;
    double clients[CLAIM_CELLS_MAX], predicted[CLAIM_CELLS_MAX];
    size_t count = list_clients(claim, clients);
    char text[128];
    for (size_t i = 0; i < 4; i++) {
        const struct growth *growth = &claim->growths[i / 2][i % 2];
        if (growth->what == NULL)
            continue;
        const char *name = claim->recipes[i / 2]->name;
        for (size_t level = 0; level < count; level++)
            predicted[level] = law_at(growth, clients[level]);
        if (growth->class == FIT_CONSTANT)
            outcome_expected(outcome, "%s: %s = %s", name, growth->what,
                             describe_growth(clients, predicted, count, text));
        else
            outcome_expected(outcome, "%s: %s %s", name, growth->what,
                             fit_verdict_words(growth->class));
    }
}

static double value_of(const struct tally *total, int figure)
{
    if (figure == GROWTH_RPCS)
        return (double)tally_rpcs(total);
    if (figure == GROWTH_BYTES)
        return (double)(total->of[TALLY_BYTES_SENT] + total->of[TALLY_BYTES_RECEIVED]);
    return (double)total->of[figure];
}

/* Compares a figure with its law at every level, or with its class. */
static void check_figure(struct experiment *experiment, const struct growth *growth)
{
    const char *name = experiment->plan.recipe->name;
    struct outcome *outcome = experiment->outcome;
    double clients[CLAIM_CELLS_MAX], found[CLAIM_CELLS_MAX];
    size_t count = list_clients(experiment->claim, clients);
    char text[128];
    bool equal = true;
    for (size_t i = 0; i < count; i++) {
        found[i] = value_of(&experiment->totals[i], growth->figure);
        equal = equal && fabs(found[i] - law_at(growth, clients[i])) < EQUAL;
    }
    if (growth->class == FIT_CONSTANT) {
        outcome_measured(outcome, "%s: %s = %s", name, growth->what,
                         describe_growth(clients, found, count, text));
        outcome_check(outcome, equal);
        return;
    }
    struct fit_exponent fit = fit_exponent(clients, found, count);
    struct fit_polynomial polynomial =
        fit_polynomial(clients, found, count, (unsigned)growth->class);
    outcome_measured(outcome, "%s: %s grow as n^%.2f (95 %% CI %.2f to %.2f), least squares: %s",
                     name, growth->what, fit.exponent, fit.low, fit.high,
                     fit_describe(&polynomial, 'n', text, sizeof text));
    outcome_check_class(outcome, &fit, growth->class);
}

void growth_check(struct experiment *experiment)
{
    const struct growth *growths = experiment->claim->growths[experiment->recipe];
    for (size_t i = 0; i < 2 && growths[i].what != NULL; i++)
        check_figure(experiment, &growths[i]);
}

/* ------------------------------------------------------------------ the time of barriers */

/* As many as a class of growth takes: the first cells differ in their barriers, as many others in
 * their clients. */
#define LEVELS FIT_LEVELS_MIN

void growth_keep_time(struct experiment *experiment)
{
    experiment->values[experiment->cell][experiment->round] =
        (double)experiment->result->elapsed_ns / 1e9;
}

/* By the fastest trial of a cell: other programs, and a server that warms up, only add to a time.
 */
void growth_of_time_is_linear(struct experiment *experiment)
{
    for (size_t of_clients = 0; of_clients < 2; of_clients++) {
        double numbers[LEVELS], fastest_s[LEVELS];
        for (size_t i = 0; i < LEVELS; i++) {
            size_t cell = of_clients * LEVELS + i;
            const struct trial_plan *trial = &experiment->claim->trials[cell];
            numbers[i] = of_clients ? trial->fleet.sessions : trial->barriers;
            fastest_s[i] = INFINITY;
            for (size_t round = 0; round < experiment->rounds; round++)
                fastest_s[i] = fmin(fastest_s[i], experiment->values[cell][round]);
        }
        struct fit_exponent fit = fit_exponent(numbers, fastest_s, LEVELS);
        outcome_measured(
            experiment->outcome,
            "%s, %.0f to %.0f %s: %.3f to %.3f s, growing as n^%.2f (95 %% CI %.2f to %.2f)",
            experiment->plan.recipe->name, numbers[0], numbers[LEVELS - 1],
            of_clients ? "clients" : "barriers", fastest_s[0], fastest_s[LEVELS - 1], fit.exponent,
            fit.low, fit.high);
        outcome_check_class(experiment->outcome, &fit, FIT_LINEAR);
    }
}

/* ------------------------------------------------------------------ notifications of a release */

static uint64_t notifications_in(const struct ledger_row *row)
{
    return row->tally.of[TALLY_NOTIFICATION];
}

/* Compares every release: it is to notify all waiters, but `most` at most, and the deleter if its
 * own list set a watch as well. `shown` is in the text. */
static void check_notifications(struct experiment *experiment, uint64_t most, bool deleter,
                                uint64_t shown)
{
    uint64_t releases = trial_memory_rows_used(experiment->result->memory, 0) - 1, as_expected = 0;
    for (uint64_t handoff = 1; handoff <= releases; handoff++) {
        const struct ledger_row *row = experiment_row(experiment, handoff);
        uint64_t waiters = row->waiters < most ? row->waiters : most;
        /* At the first release arrivals have used up the deleter's watch. */
        as_expected += notifications_in(row) == waiters + (deleter && handoff > 1);
    }
    const struct ledger_row *row = experiment_row(experiment, shown);
    outcome_measured(experiment->outcome,
                     "notifications: %" PRIu64 " with %u waiters; as expected in %" PRIu64
                     " of %" PRIu64 " releases",
                     notifications_in(row), row->waiters, as_expected, releases);
    outcome_check(experiment->outcome,
                  as_expected == experiment->plan.fleet.sessions && releases == as_expected);
}

void releases_notify_all(struct experiment *experiment)
{
    check_notifications(experiment, UINT64_MAX, false, 1);
}

void releases_notify_children_watches(struct experiment *experiment)
{
    check_notifications(experiment, UINT64_MAX, true, 2);
}

/* In the last of several drains: the cost is the same with many waiters as with one. The last
 * release hands on nothing. */
void releases_notify_one(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    uint64_t handoffs = trial_memory_rows_used(experiment->result->memory, 0) - 2;
    uint64_t least = UINT64_MAX, most = 0;
    growth_check(experiment);
    check_notifications(experiment, 1, false, 1);
    for (uint64_t handoff = 1; handoff <= handoffs; handoff++) {
        uint64_t rpcs = tally_rpcs(&experiment_row(experiment, handoff)->tally);
        least = rpcs < least ? rpcs : least;
        most = rpcs > most ? rpcs : most;
    }
    if (least == most)
        outcome_measured(outcome, "%" PRIu64 " RPCs in each handoff", most);
    else
        outcome_measured(outcome, "%" PRIu64 " to %" PRIu64 " RPCs in a handoff", least, most);
    outcome_check(outcome, least == most);
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

void releases_let_readers_in_together(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    uint32_t clients = experiment->plan.fleet.sessions;
    uint64_t sharing = 0, largest = 0, notifications = 0, as_expected = 0;
    /* Clients release in the order in which they arrived. */
    for (uint32_t releaser = 0; releaser < clients; releaser++) {
        const struct ledger_row *row = experiment_row(experiment, releaser + UINT64_C(1));
        as_expected += row->granted == let_in_by(experiment->plan.recipe, releaser, clients);
        notifications += notifications_in(row);
        sharing += row->granted > 1;
        largest = row->granted > largest ? row->granted : largest;
    }
    if (sharing == 0)
        outcome_measured(outcome, "no release granted more than one client");
    else
        outcome_measured(outcome,
                         "%" PRIu64 " releases granted several clients at once, up to %" PRIu64,
                         sharing, largest);
    outcome_measured(outcome,
                     "as expected in %" PRIu64 " of %u releases; %" PRIu64 " notifications",
                     as_expected, clients, notifications);
    outcome_check(outcome, sharing > 0);
    outcome_check(outcome, as_expected == clients);
    outcome_check(outcome, notifications == clients - 1);
}
