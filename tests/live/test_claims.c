// SPDX-License-Identifier: Apache-2.0
/* The experiments of zkherd claims: each claim holds, and none is hard-coded: given a lock of which
 * it is not true, its experiment says that it fails. */
#include "tests/support/live.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

#include "bench/claims/internal.h"

#include <signal.h>

static struct finding finding;

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
    if (swap.recipe != NULL)
        claim.recipes[swap.place] = registry_find(swap.recipe);
    for (size_t i = swap.place + 1; swap.last && i < CLAIM_RECIPES_MAX; i++)
        claim.recipes[i] = NULL;
    return claim;
}

static enum verdict try_claim(const struct claim *claim, const struct trial_host *host,
                              uint64_t timeout_ns)
{
    struct testbed testbed = {.host = *host, .root = ROOT, .seed = 1, .timeout_ns = timeout_ns};
    struct error error = {0};
    static unsigned trials; /* so that no two trials have the same root */
    testbed.trials = trials;
    finding = (struct finding){0};
    live_expect(experiment_try(claim, &testbed, &finding, &error), &error);
    trials = testbed.trials;
    return finding_verdict(&finding);
}

/* Without a watch nothing is to come: for that the trials of C4 wait. */
static enum verdict try(const char *id, struct swap swap)
{
    struct claim claim = claim_with(id, swap);
    return try_claim(&claim, &live_host, (strcmp(id, "C4") == 0 ? 2 : 10) * NS_PER_S);
}

static void assert_verdict(enum verdict verdict, enum verdict expected)
{
    if (verdict != expected)
        fail_msg("%s: %s: expected %s; measured %s", verdict_word(verdict), finding.experiment,
                 finding.expected, finding.measured);
    assert_true(finding.experiment[0] != '\0');
    assert_true(finding.expected[0] != '\0');
    assert_true(finding.measured[0] != '\0');
}

/* ------------------------------------------------------------------ claims hold */

/* What is told is what was measured. */
TEST(test_claims_hold)
{
    static const char *const ids[] = {"C1", "C5", "C6", "C7", "C8", "C13", "C14", "C15", "C16"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        assert_verdict(try(ids[i], own), VERDICT_HOLDS);
    assert_has(finding.measured, "counter: attempts (setData) = 0.5·n² + 0.5·n");
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
        {"C13", {"nonscalable", 0, false}, "1 znodes in the lock"},
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
        assert_has(finding.measured, broken[i].words);
    }
    /* What did not happen decides nothing. */
    assert_verdict(try("C9", (struct swap){"scalable", 0, true}), VERDICT_UNDETERMINED);
    assert_has(finding.measured, "may have kept the order by chance");
}

/* Its levels, to 729 clients, take half a minute on a server; a simulation counts the same. */
TEST(test_bytes_do_not_grow_so_without_lists)
{
    const struct trial_host host = simulate_host();
    struct claim claim = claim_with("C19", (struct swap){"ticket", 0, false});
    assert_verdict(try_claim(&claim, &host, 2 * NS_PER_S), VERDICT_FAILS);
    assert_has(finding.measured, "ticket: bytes grow as n^1.0");
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
    assert_verdict(try_claim(&claim, &live_host, 4 * REST_NS), VERDICT_FAILS);
    assert_has(finding.measured, "half-written after the crash: 1");
    assert_has(finding.measured, "half-written without a crash: 0");
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
    const struct trial_host host = simulate_host();
    struct claim claim = claim_with("C18", own);
    assert_verdict(try_claim(&claim, &host, 10 * NS_PER_S), VERDICT_UNDETERMINED);
    assert_int_equal(finding.checks, 3); /* of reads, of barriers, and of their clients */
    assert_has(finding.measured, "barrier, 1 to 32 barriers: ");
    assert_has(finding.measured, "barrier, 32 to 320 clients: ");
    assert_has(finding.expected, "reads: more a second with 3 servers than with 1 server");
    assert_has(finding.measured, " with 1 server, ");
    assert_has(finding.measured, "writes: not tried, for the leader of a simulation");
    claim.servers[0] = 3;
    claim.servers[1] = 1;
    assert_verdict(try_claim(&claim, &host, 10 * NS_PER_S), VERDICT_FAILS);
    assert_has(finding.measured, " with 3 servers, ");
}

/* Why there is none; "": it is open. */
static const char *open_pair(const struct trial_host *host, struct testbed *testbed,
                             struct ensemble_pair *pair)
{
    static const uint64_t servers[ENSEMBLE_PAIR] = {1, 1};
    static char why[ENSEMBLE_PAIR_WHY_SIZE];
    struct error error = {0};
    *testbed =
        (struct testbed){.host = *host, .root = ROOT, .seed = 1, .timeout_ns = 10 * NS_PER_S};
    live_expect(ensemble_pair_open(testbed, servers, pair, why, &error), &error);
    return why;
}

TEST(test_servers_of_somebody_are_no_pair)
{
    struct trial_host host = live_host;
    struct testbed testbed;
    struct ensemble_pair pair;
    host.ensemble = NULL;
    assert_has(open_pair(&host, &testbed, &pair), "the servers of --connect are one ensemble");
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
    const struct trial_host host = simulate_host();
    struct recipe slow = recipe_barrier;
    slow.acquire = rest_first;
    struct claim claim = claim_with("C18", own);
    claim.experiment = NULL;
    claim.recipes[0] = &slow;
    assert_verdict(try_claim(&claim, &host, 3600 * NS_PER_S), VERDICT_FAILS);
    assert_int_equal(finding.checks, 2);
    assert_int_equal(finding.failed, 2);
    assert_has(finding.measured, "1 to 32 barriers: 5.7");
    assert_has(finding.measured, " growing as n^0.0");
    assert_has(finding.measured, " growing as n^2.0");
}

TEST(test_what_follows_from_rounds)
{
    static const struct {
        struct ensemble_pair_rates rates;
        enum verdict verdict;
        const char *words;
    } cases[] = {
        {{100, 2, {{10, 20}, {30, 62}}, 0, ""}, VERDICT_HOLDS, "3.05 times (95 % CI 2."},
        {{100, 2, {{30, 62}, {10, 20}}, 0, ""}, VERDICT_FAILS, "0.33 times"},
        {{0, 2, {{30, 62}, {10, 20}}, 0, ""}, VERDICT_HOLDS, "writes: 43 a second with"},
        {{0, 2, {{10, 20}, {30, 62}}, 0, ""}, VERDICT_FAILS, "writes: 14 a second with"},
        {{0, 2, {{10, 20}, {9, 21}}, 0, ""}, VERDICT_UNDETERMINED, "the CI contains 1"},
        {{100, 1, {{10}, {30}}, 0, ""}, VERDICT_UNDETERMINED, "3.00 times (no CI)"},
        {{100, 1, {{10}, {30}}, 3, "it rained"},
         VERDICT_UNDETERMINED,
         "reads: 3 of 4 rounds do not count: it rained; reads: too few rounds for a CI"},
        {{0, 0, {{0}}, 2, "it rained"},
         VERDICT_UNDETERMINED,
         "writes: 2 of 2 rounds do not count: it rained; writes: too few rounds for a CI"},
    };
    static const struct ensemble_pair pair = {.servers = {1, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        finding = (struct finding){0};
        ensemble_pair_judge(&pair, &cases[i].rates, &finding);
        assert_int_equal(finding_verdict(&finding), cases[i].verdict);
        assert_has(finding.measured, cases[i].words);
    }
}

/* One server beside another, which this machine has to be able to limit. */
TEST(test_pairs_are_private_servers)
{
    struct testbed testbed;
    struct ensemble_pair pair;
    struct ensemble_pair_rates rates;
    struct error error = {0};
    const char *why = open_pair(&live_host, &testbed, &pair);
    if (why[0] != '\0') {
        print_message("skipped: %s\n", why);
        skip();
    }
    pid_t server = pair.targets[1].ensemble->servers[0].pid;
    live_expect(ensemble_pair_load(&pair, 0, 1, &rates, &error), &error);
    assert_int_equal(rates.rounds + rates.left_out, 1);
    if (rates.rounds == 1)
        assert_true(rates.per_s[0][0] > 0 && rates.per_s[1][0] > 0);
    ensemble_pair_close(&pair);
    assert_int_equal(kill(server, 0), -1);
}

TEST_GROUP(live_start, live_stop)
