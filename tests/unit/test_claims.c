// SPDX-License-Identifier: Apache-2.0
/* The attempts of zkherd claims, in a simulation: each claim holds, and none is hard-coded:
 * given a lock of which it is not true, the attempt says that it fails. */
#include "tests/support/simulation.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

#include "base/clock.h"
#include "bench/claims/internal.h"

#include <math.h>

static struct outcome outcome;

/* What a claim is made with in the place of its own recipes. */
struct swap {
    const char *recipe;
    size_t place; /* of the one that it stands in for … */
    bool last;    /* … and those behind that are left out */
};

static const struct swap own = {NULL, 0, false};

static struct claim claim_with(const char *id, struct swap swap)
{
    struct claim claim = {0};
    for (size_t i = 0; i < catalogue_count; i++) {
        if (strcmp(catalogue[i].id, id) == 0)
            claim = catalogue[i];
    }
    assert_non_null(claim.id);
    for (size_t i = 0; i < CLAIM_CELLS_MAX; i++) /* a simulation has one */
        claim.trials[i].fleet.processes = claim.trials[i].fleet.processes > 0;
    if (swap.recipe != NULL)
        claim.recipes[swap.place] = registry_find(swap.recipe);
    for (size_t i = swap.place + 1; swap.last && i < CLAIM_RECIPES_MAX; i++)
        claim.recipes[i] = NULL;
    return claim;
}

static enum verdict try_on(const struct fleet_host *host, const struct claim *claim,
                           uint64_t timeout_ns)
{
    struct claim_host of_claim = {
        .fleet = *host, .root = "/claims", .seed = 1, .timeout_ns = timeout_ns};
    struct error error = {0};
    outcome = (struct outcome){0};
    if (attempt_run(claim, &of_claim, &outcome, &error) != ERROR_NONE)
        fail_msg("%s: %s: %s", error.subject, error_words(error.kind), error.detail);
    return outcome_verdict(&outcome);
}

static enum verdict try_claim(const struct claim *claim, uint64_t timeout_ns)
{
    struct simulation simulation;
    simulation_init(&simulation, 1);
    const struct fleet_host host = simulation_host(&simulation);
    return try_on(&host, claim, timeout_ns);
}

static enum verdict try(const char *id, struct swap swap)
{
    struct claim claim = claim_with(id, swap);
    return try_claim(&claim, 10 * NS_PER_S);
}

static void assert_verdict(enum verdict verdict, enum verdict expected)
{
    if (verdict != expected)
        fail_msg("%s: %s: expected %s; measured %s", verdict_word(verdict), outcome.experiment,
                 outcome.expected, outcome.measured);
    assert_true(outcome.experiment[0] != '\0');
    assert_true(outcome.expected[0] != '\0');
    assert_true(outcome.measured[0] != '\0');
}

/* ------------------------------------------------------------------ claims hold */

/* As one whose trials ended before a figure was measured. */
TEST(a_claim_without_a_check_is_undetermined)
{
    assert_int_equal(outcome_verdict(&(struct outcome){.trials = 1}), VERDICT_UNDETERMINED);
    assert_int_equal(outcome_verdict(&(struct outcome){.checks = 1}), VERDICT_HOLDS);
}

/* What is told is what was measured. A simulation has no other session that could break a lock, as
 * C13 does. */
TEST(test_claims_hold)
{
    static const char *const ids[] = {"C1", "C5", "C6", "C7", "C8", "C14", "C15", "C16"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        assert_verdict(try(ids[i], own), VERDICT_HOLDS);
    assert_has(outcome.measured, "counter: attempts (setData) = 0.5·n² + 0.5·n");
}

/* ------------------------------------------------------------------ … and fail of other locks */

TEST(test_claims_fail_of_other_locks)
{
    static const struct {
        const char *id;
        struct swap swap;
        const char *words;
    } broken[] = {
        {"C1", {"scalable", 0, false}, "notifications: 1 with 63 waiters"},
        {"C2", {"scalable", 0, false}, "RPCs = 5·n - 2"},
        {"C3", {"broken-nolock", 0, true}, "two holders"},
        {"C4", {"broken-nowatch", 0, true}, "lost wake-up"},
        {"C5", {"writelock", 0, false}, "RPCs = 8·n - 3"},
        {"C5", {"scalable-listwatch", 0, false}, "notifications: 64 with 63 waiters"},
        {"C6", {"scalable", 1, false}, "scalable: two holders in 0 of 5"},
        {"C7", {"childwatch", 0, false}, " 7 in all; "},
        {"C7", {"broken-norecheck", 0, false}, "two holders"},
        {"C8", {"scalable", 0, false}, "notifications: 1 with 62 waiters"},
        {"C9", {"nonscalable", 1, true}, " of 80; nonscalable: "},
        {"C10", {"scalable-guid", 0, false}, "scalable-guid: 5 grants, 5 CREATEs"},
        {"C10", {"scalable", 1, false}, "then nothing for 2 s"},
        {"C11", {"scalable", 1, false}, "notifications = n - 1; scalable: notifications = n - 1"},
        {"C12", {"poll", 1, true}, "; poll: "},
        {"C14", {"scalable", 0, false}, "half-written after the crash: 0"},
        {"C15", {"scalable", 0, false}, "no release granted more than one client"},
        {"C15", {"rwlock-curator", 0, false}, "as expected in 20 of 20 releases; "},
        {"C16", {"scalable", 0, false}, "attempts (setData) = 0"},
        {"C17", {"nonscalable", 0, false}, "notifications 31"},
        {"C17", {"childwatch", 0, false}, "notifications 31, RPCs 31"},
        {"C17", {"writelock", 0, false}, "notifications 1, RPCs 2"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        assert_verdict(try(broken[i].id, broken[i].swap), VERDICT_FAILS);
        assert_has(outcome.measured, broken[i].words);
    }
    /* What did not happen decides nothing. */
    assert_verdict(try("C9", (struct swap){"scalable", 0, true}), VERDICT_UNDETERMINED);
    assert_has(outcome.measured, "may have kept the order by chance");
}

TEST(test_bytes_do_not_grow_so_without_lists)
{
    struct claim claim = claim_with("C19", (struct swap){"ticket", 0, false});
    assert_verdict(try_claim(&claim, 2 * NS_PER_S), VERDICT_FAILS);
    assert_has(outcome.measured, "ticket: bytes grow as n^1.0");
}

/* Who comes after the holder that crashes, the second, rests for longer than that one's timeout. */
#define DAWDLER 2
#define REST_NS (4500 * NS_PER_MS)

static enum recipe_step dawdle(struct contender *s)
{
    if (s->pause_ns > 0)
        return STEP_DONE;
    enum recipe_step step = recipe_ready.acquire(s);
    if (step != STEP_DONE || s->number != DAWDLER)
        return step;
    s->pause_ns = REST_NS;
    return STEP_PAUSE;
}

TEST(test_a_lock_is_freed_too_late)
{
    struct claim claim = claim_with("C14", own);
    struct recipe late = recipe_ready;
    late.acquire = dawdle;
    claim.recipes[0] = &late;
    /* A rest is no sign of life: a trial is to be patient with it. */
    assert_verdict(try_claim(&claim, 4 * REST_NS), VERDICT_FAILS);
    assert_has(outcome.measured, "half-written after the crash: 1");
    assert_has(outcome.measured, "half-written without a crash: 0");
}

/* One that is freed too early has two holders, which the checker sees first. */
TEST(test_a_lock_is_freed_in_time)
{
    static const uint64_t freed[] = {0, 1999, 2000, 4000, 4001};
    for (size_t i = 0; i < sizeof freed / sizeof freed[0]; i++)
        assert_int_equal(deaths_frees_in_time(freed[i], 2000), i == 2 || i == 3);
}

/* ------------------------------------------------------------------ ensembles side by side */

/* The leader of a simulation pays nothing for a follower. */
TEST(test_reads_rise_with_the_servers)
{
    struct claim claim = claim_with("C18", own);
    assert_verdict(try_claim(&claim, 10 * NS_PER_S), VERDICT_UNDETERMINED);
    assert_int_equal(outcome.checks, 3); /* of reads, of barriers, and of their clients */
    assert_has(outcome.measured, "barrier, 1 to 32 barriers: ");
    assert_has(outcome.measured, "barrier, 32 to 320 clients: ");
    assert_has(outcome.expected, "reads: more a second with 3 servers than with 1 server");
    assert_has(outcome.measured, " with 1 server, ");
    assert_has(outcome.measured, "writes: not tried, for the leader of a simulation");
    claim.servers[0] = 3;
    claim.servers[1] = 1;
    assert_verdict(try_claim(&claim, 10 * NS_PER_S), VERDICT_FAILS);
    assert_has(outcome.measured, " with 3 servers, ");
}

static struct attempt attempt;

TEST(test_servers_of_somebody_are_no_ensembles)
{
    const struct fleet_host host = {.interrupt_descriptor = -1};
    struct claim claim = claim_with("C18", own);
    claim.recipes[0] = NULL;
    claim.tried = claim.expected = NULL;
    assert_int_equal(try_on(&host, &claim, NS_PER_S), VERDICT_UNDETERMINED);
    assert_has(outcome.measured, "the servers of --connect are one ensemble");
}

/* Before its first barrier each client rests, for a time that grows as the square of their number.
 */
static enum recipe_step rest_first(struct contender *s)
{
    if (s->pause_ns > 0)
        return recipe_barrier.acquire(s);
    s->pause_ns = (uint64_t)s->clients * s->clients * 10 * NS_PER_MS;
    return STEP_PAUSE;
}

TEST(test_time_that_is_not_linear_fails)
{
    struct recipe slow = recipe_barrier;
    slow.acquire = rest_first;
    struct claim claim = claim_with("C18", own);
    claim.experiment = NULL;
    claim.recipes[0] = &slow;
    assert_verdict(try_claim(&claim, 3600 * NS_PER_S), VERDICT_FAILS);
    assert_int_equal(outcome.checks, 2);
    assert_int_equal(outcome.failed, 2);
    assert_has(outcome.measured, "1 to 32 barriers: 5.7");
    assert_has(outcome.measured, " growing as n^0.0");
    assert_has(outcome.measured, " growing as n^2.0");
}

/* Rounds as a busy machine makes them: each of another speed, and some trial of each, be it the
 * shortest or the longest, slowed down by itself. */
static void make_rounds(double power, double slowed)
{
    static const double speeds[] = {1, 1.7, 0.6, 2.5, 1.1, 1.4};
    const struct claim *claim = attempt.claim;
    attempt.rounds = sizeof speeds / sizeof speeds[0];
    for (size_t cell = 0; cell < 12; cell++) {
        const struct trial_plan *plan = &claim->trials[cell];
        double size = cell < 6 ? plan->barriers : plan->fleet.sessions;
        for (size_t round = 0; round < attempt.rounds; round++)
            attempt.values[cell][round] =
                pow(size, power) * speeds[round] * (cell % 6 == round ? slowed : 1);
    }
}

TEST(test_the_exponent_of_time_is_that_of_the_rounds)
{
    static const struct {
        double power, slowed;
        enum verdict verdict;
        const char *words;
    } cases[] = {
        {1, 1, VERDICT_HOLDS,
         "1 to 32 barriers: 1.256 to 40.194 s, growing as n^1.00 (95 % CI 1.00 "
         "to 1.00); "},
        {1, 1.5, VERDICT_HOLDS, " growing as n^1.00 (95 % CI 0.90 to 1.10)"},
        {1, 4, VERDICT_UNDETERMINED, "the CI is within ± 0.25 of no whole exponent"},
        {2, 1.5, VERDICT_FAILS, " growing as n^2.00 ("},
    };
    struct claim claim = claim_with("C18", own);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        outcome = (struct outcome){0};
        memset(&attempt, 0, sizeof attempt);
        attempt.claim = &claim;
        attempt.outcome = &outcome;
        attempt.plan.recipe = &recipe_barrier;
        make_rounds(cases[i].power, cases[i].slowed);
        growth_of_time_is_linear(&attempt);
        assert_int_equal(outcome_verdict(&outcome), cases[i].verdict);
        assert_has(outcome.measured, cases[i].words);
    }
}

/* One level that differs from the law is enough, be it the first. */
TEST(test_every_level_equals_the_law)
{
    struct claim claim = claim_with("C5", own);
    for (uint64_t more = 0; more < 2; more++) {
        outcome = (struct outcome){0};
        memset(&attempt, 0, sizeof attempt);
        attempt.claim = &claim;
        attempt.outcome = &outcome;
        attempt.plan.recipe = claim.recipes[0];
        for (size_t i = 0; claim.trials[i].fleet.sessions > 0; i++) {
            const struct growth *growths = claim.growths[0];
            for (size_t j = 0; j < 2 && growths[j].what != NULL; j++) {
                int figure = growths[j].figure == GROWTH_RPCS ? TALLY_CREATE : growths[j].figure;
                attempt.totals[i].of[figure] =
                    (uint64_t)fit_polynomial_at(&growths[j].law, claim.trials[i].fleet.sessions);
            }
        }
        attempt.totals[0].of[TALLY_CREATE] += more;
        growth_check(&attempt);
        assert_int_equal(outcome_verdict(&outcome), more > 0 ? VERDICT_FAILS : VERDICT_HOLDS);
    }
}

TEST(test_a_trial_that_did_not_end_is_not_examined)
{
    struct trial_result result = {.end = END_DEADLINE, .reason = "no progress"};
    outcome = (struct outcome){0};
    attempt =
        (struct attempt){.outcome = &outcome, .result = &result, .plan.recipe = &recipe_scalable};
    assert_false(attempt_accepts(&attempt));
    assert_int_equal(outcome_verdict(&outcome), VERDICT_UNDETERMINED);
}

/* A load that does not count has no rate. */
TEST(test_what_follows_from_rounds)
{
    static const struct {
        bool reads;
        size_t rounds;
        double per_s[2][4];
        enum verdict verdict;
        bool wide;
        const char *words;
    } cases[] = {
        {true, 2, {{10, 20}, {30, 62}}, VERDICT_HOLDS, false, "3.05 times (95 % CI 2."},
        {true, 2, {{30, 62}, {10, 20}}, VERDICT_FAILS, false, "0.33 times"},
        {false, 2, {{30, 62}, {10, 20}}, VERDICT_HOLDS, false, "writes: 43 a second with"},
        {false, 2, {{10, 20}, {30, 62}}, VERDICT_FAILS, false, "writes: 14 a second with"},
        {false, 2, {{10, 20}, {9, 21}}, VERDICT_UNDETERMINED, true, "the CI contains 1"},
        {true, 1, {{10}, {30}}, VERDICT_UNDETERMINED, true, "3.00 times (no CI)"},
        {true,
         4,
         {{NAN, 10, 20, 1}, {1, 30, NAN, NAN}},
         VERDICT_UNDETERMINED,
         true,
         "reads: 3 of 4 rounds do not count: it rained; reads: too few rounds for a CI"},
        {false,
         2,
         {{NAN, 1}, {1, NAN}},
         VERDICT_UNDETERMINED,
         false,
         "writes: 2 of 2 rounds do not count: it rained; writes: too few rounds for a CI"},
    };
    static const struct claim claim = {.servers = {1, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        outcome = (struct outcome){0};
        memset(&attempt, 0, sizeof attempt);
        attempt.claim = &claim;
        attempt.outcome = &outcome;
        attempt.rounds = cases[i].rounds;
        snprintf(attempt.faults[cases[i].reads], sizeof attempt.faults[0], "it rained");
        for (size_t side = 0; side < 2; side++)
            memcpy(attempt.values[2 * cases[i].reads + side], cases[i].per_s[side],
                   sizeof cases[i].per_s[side]);
        ensembles_judge(&attempt, cases[i].reads);
        assert_int_equal(outcome_verdict(&outcome), cases[i].verdict);
        assert_int_equal(outcome.wide, cases[i].wide);
        assert_has(outcome.measured, cases[i].words);
    }
}

/* ------------------------------------------------------------------ more rounds */

/* A judge whose interval is wide until there are so many rounds, of which the last were disturbed;
 * and whose other check fails, or not. */
static size_t rounds_to_decide, rounds_judged, rounds_disturbed;
static bool fails;

static void judge_when_narrow(struct attempt *of)
{
    rounds_judged = of->rounds;
    of->disturbed = rounds_disturbed;
    claim_measured(of, "%zu rounds", of->rounds);
    if (fails)
        claim_check(of, false);
    if (of->rounds >= rounds_to_decide)
        claim_check(of, true);
    else
        claim_undecide(of, "wide");
    of->outcome->wide = of->rounds < rounds_to_decide;
}

/* Three times as many at most; what is measured is of the last. More rounds cannot mend a check
 * that has failed, nor decide on a machine that others use. */
TEST(test_a_wide_interval_gets_more_rounds)
{
    static const struct {
        size_t decides, disturbed;
        bool fails;
        size_t rounds;
        enum verdict verdict;
        const char *behind;
    } cases[] = {
        {1, 0, false, 2, VERDICT_HOLDS, ""},
        {4, 0, false, 4, VERDICT_HOLDS, ""},
        {6, 0, false, 6, VERDICT_HOLDS, ""},
        {7, 0, false, 6, VERDICT_UNDETERMINED, "; wide"},
        {7, 3, false, 6, VERDICT_UNDETERMINED, "; wide"},
        {7, 4, false, 2, VERDICT_UNDETERMINED,
         "; wide; no more rounds: other programs disturbed the last 4"},
        {1, 4, false, 2, VERDICT_HOLDS, ""},
        {7, 0, true, 2, VERDICT_FAILS, "; wide"},
        {7, 4, true, 2, VERDICT_FAILS, "; wide"},
    };
    const struct claim claim = {.id = "W",
                                .recipes = {&recipe_scalable},
                                .trials = {{.fleet.sessions = 2}, {.fleet.sessions = 3}},
                                .rounds = 2,
                                .judge = judge_when_narrow};
    char measured[128];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rounds_to_decide = cases[i].decides;
        rounds_disturbed = cases[i].disturbed;
        fails = cases[i].fails;
        assert_int_equal(try_claim(&claim, NS_PER_S), cases[i].verdict);
        assert_int_equal(rounds_judged, cases[i].rounds);
        assert_int_equal(outcome.trials, 2 * cases[i].rounds);
        snprintf(measured, sizeof measured, "%zu rounds%s", cases[i].rounds, cases[i].behind);
        assert_string_equal(outcome.measured, measured);
    }
}

/* A tenth of the cores, stolen ones included. */
TEST(test_rounds_are_disturbed_by_other_programs)
{
    static const struct {
        double others, stolen;
        size_t disturbed;
    } rounds[] = {{0.3, 0, 1}, {0.1, 0.15, 2}, {0.3, 0, 3}, {0.19, 0, 0},
                  {2, 0, 1},   {NAN, 0, 0},    {0, 0.21, 1}};
    memset(&attempt, 0, sizeof attempt);
    for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
        const struct noise noise = {
            .cores = 2, .others_cores = rounds[i].others, .stolen_cores = rounds[i].stolen};
        attempt_add_noise(&attempt, &noise);
        assert_int_equal(attempt.disturbed, rounds[i].disturbed);
    }
}

/* A trial with a violation leaves nothing to judge, and no other trial is made. */
TEST(test_a_violation_ends_a_claim)
{
    const struct claim claim = {.id = "V",
                                .recipes = {registry_find("broken-nolock")},
                                .trials = {{.fleet.sessions = 4}, {.fleet.sessions = 5}},
                                .rounds = 2,
                                .judge = judge_when_narrow};
    rounds_judged = 0;
    assert_int_equal(try_claim(&claim, NS_PER_S), VERDICT_FAILS);
    assert_int_equal(outcome.trials, 1);
    assert_int_equal(outcome.checks, 1);
    assert_int_equal(rounds_judged, 0);
    assert_has(outcome.measured, "broken-nolock, 4 clients: ");
}
