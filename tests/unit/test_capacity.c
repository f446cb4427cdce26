// SPDX-License-Identifier: Apache-2.0
/* Objectives and the verdict of samples; when the brake is applied, on counts whose times are
 * written out here; and what the figures of a trial add up to, and what gave out. */
#include "base/random.h"
#include "capacity/brake.h"
#include "capacity/objective.h"
#include "capacity/utilisation.h"

#include "tests/support/test.h"

#include <math.h>

static struct objective parse(const char *text)
{
    struct objective objective;
    if (!objective_parse(text, &objective))
        fail_msg("'%s' is refused", text);
    return objective;
}

TEST(an_objective_is_a_metric_and_a_bound)
{
    static const struct {
        const char *text;
        struct objective expected;
    } cases[] = {
        {"handoff p99 < 50ms", {OBJECTIVE_HANDOFF, 9900, 50000000}},
        {"acquire p95 < 1s", {OBJECTIVE_ACQUIRE, 9500, 1000000000}},
        {"background p99.9 < 20ms", {OBJECTIVE_BACKGROUND, 9990, 20000000}},
        {"handoff p99<50ms", {OBJECTIVE_HANDOFF, 9900, 50000000}},
        {"  handoff\tp50  <  1.5us  ", {OBJECTIVE_HANDOFF, 5000, 1500}},
        {"handoff p99<=50 ms", {OBJECTIVE_HANDOFF, 9900, 50000000}},
        {"handoff p50 < 1ns", {OBJECTIVE_HANDOFF, 5000, 1}},
        {"handoff p99 < 60s", {OBJECTIVE_HANDOFF, 9900, UINT64_C(60000000000)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct objective found = parse(cases[i].text), expected = cases[i].expected;
        assert_int_equal(found.metric, expected.metric);
        assert_int_equal(found.percentile_hundredths, expected.percentile_hundredths);
        assert_int_equal(found.limit_ns, expected.limit_ns);
    }
}

TEST(what_is_no_objective_is_refused)
{
    static const char *const texts[] = {
        "",
        "latency p99 < 50ms",
        "handoff",
        "handoff < 50ms",
        "handoff p49.99 < 50ms",
        "handoff p99.91 < 50ms",
        "handoff p99",
        "handoff p99 > 50ms",
        "handoff p99 50ms",
        "handoff p99 <",
        "handoff p99 < 50",
        "handoff p99 < 5 0 ms",
        "handoff p99 =< 50ms",
        "handoff p99 < 50ms, acquire p95 < 1s",
        "handoff p99 < 0",
        "handoff p99 < 0ns",
        "handoff p99 < 60.000000001s",
        "handoff p99 < 500/s",
        "handoffs > 500/s",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct objective objective = {.limit_ns = 7};
        if (objective_parse(texts[i], &objective))
            fail_msg("'%s' is an objective", texts[i]);
        assert_int_equal(objective.limit_ns, 7);
    }
}

/* ------------------------------------------------------------------ verdicts */

static const struct objective p50 = {.percentile_hundredths = 5000, .limit_ns = 1000};
static const struct objective p99 = {.percentile_hundredths = 9900, .limit_ns = 1000};
static const struct objective p999 = {.percentile_hundredths = 9990, .limit_ns = 1000};

/* 299, 473 and 628: the published sample sizes of p99 with 95 %. */
TEST(so_many_samples_pass_and_no_fewer)
{
    static const uint64_t needed[] = {299, 473, 628};
    for (uint64_t over = 0; over < 3; over++) {
        assert_int_equal(judge_samples_needed(&p99, over), needed[over]);
        assert_int_equal(judge_percentile(&p99, needed[over], over), JUDGE_PASS);
        assert_int_equal(judge_percentile(&p99, needed[over] - 1, over), JUDGE_UNDETERMINED);
    }
    assert_int_equal(judge_samples_needed(&p50, 0), 5);
    assert_int_equal(judge_samples_needed(&p999, 0), 2995);
}

/* The probability of at most so many, summed up term by term. */
static double at_most(uint64_t samples, uint64_t over, double share)
{
    double n = (double)samples, sum = 0;
    for (uint64_t k = 0; k <= over; k++) {
        double i = (double)k;
        sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(share) +
                   (n - i) * log1p(-share));
    }
    return sum;
}

TEST(the_verdict_is_the_exact_binomial_bound)
{
    static const uint64_t samples[] = {1, 2, 10, 100, 299, 1000};
    static const struct objective *const objectives[] = {&p50, &p99, &p999};
    for (size_t i = 0; i < 6; i++) {
        for (uint64_t over = 0; over <= samples[i]; over++) {
            for (size_t j = 0; j < 3; j++) {
                double share = objective_share(objectives[j]);
                enum judge_verdict expected = JUDGE_UNDETERMINED;
                if (at_most(samples[i], over, share) <= 0.05)
                    expected = JUDGE_PASS;
                else if (over > 0 && 1 - at_most(samples[i], over - 1, share) <= 0.05)
                    expected = JUDGE_FAIL;
                assert_int_equal(judge_percentile(objectives[j], samples[i], over), expected);
            }
        }
    }
}

/* As the number of samples over the limit grows the verdict goes from pass to undetermined to fail,
 * each once, also where GSL has no value in the middle. */
TEST(large_trials_are_decided_too)
{
    static const uint64_t samples[] = {100000, 3000000, 100000000, UINT64_C(10000000000)};
    static const struct objective *const objectives[] = {&p50, &p99, &p999};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 3; j++) {
            double share = objective_share(objectives[j]), n = (double)samples[i];
            double deviation = sqrt(n * share * (1 - share));
            for (double z = -6; z <= 6; z += 0.5) {
                enum judge_verdict expected = JUDGE_UNDETERMINED;
                if (fabs(z) > 1.5)
                    expected = z < 0 ? JUDGE_PASS : JUDGE_FAIL;
                uint64_t over = (uint64_t)(n * share + z * deviation);
                assert_int_equal(judge_percentile(objectives[j], samples[i], over), expected);
            }
        }
    }
}

/* ------------------------------------------------------------------ the brake */

#define BEGIN_NS (100 * NS_PER_S)

static struct brake brake;
static struct brake_counts counts;
static uint64_t now_ns;

/* The bystander has read for a while, and not every read was fast. */
FIXTURE(begin)
{
    counts = (struct brake_counts){
        .due = 50, .done = 52, .slow = 20, .late = 3, .errors = 4, .losses = 2};
    now_ns = BEGIN_NS;
    brake_begin(&brake, now_ns, &counts);
    return 0;
}

static enum brake_reason look_after(uint64_t passed_ns)
{
    now_ns += passed_ns;
    return brake_check(&brake, now_ns, &counts);
}

static enum brake_reason look(void)
{
    return look_after(BRAKE_CHECK_NS);
}

/* So many reads, answered in time. */
static void answer(uint64_t reads)
{
    counts.due += reads;
    counts.done += reads;
}

static void answer_slowly(uint64_t reads)
{
    answer(reads);
    counts.slow += reads;
}

TEST_BETWEEN(what_was_before_is_forgiven, begin, NULL)
{
    assert_int_equal(look(), BRAKE_NONE);
    for (int i = 0; i < 100; i++) {
        answer(1);
        assert_int_equal(look(), BRAKE_NONE);
    }
}

TEST_BETWEEN(a_quarter_of_the_window, begin, NULL)
{
    answer_slowly(BRAKE_SLOW_READS - 1);
    assert_int_equal(look(), BRAKE_NONE);
    answer_slowly(1);
    assert_int_equal(look(), BRAKE_SLOW);
}

/* Just as many, but spread over more than a window. */
TEST_BETWEEN(what_is_past_counts_no_more, begin, NULL)
{
    for (int i = 0; i < 100; i++) {
        answer(1);
        if (i % BRAKE_SLOW_READS == 0)
            counts.slow++;
        assert_int_equal(look(), BRAKE_NONE);
    }
    answer_slowly(2);
    assert_int_equal(look(), BRAKE_SLOW);
}

/* A server that stands still is noticed before it answers. */
TEST_BETWEEN(a_silence, begin, NULL)
{
    counts.due = counts.done;
    counts.waits = true;
    for (int i = 1; i < BRAKE_SLOW_READS; i++) {
        counts.due++;
        assert_int_equal(look(), BRAKE_NONE);
    }
    counts.due++;
    assert_int_equal(look(), BRAKE_SILENT);
}

/* Reads that were due, and that nobody has sent: the bystander itself was not run. */
TEST_BETWEEN(reads_that_were_not_sent_are_no_silence, begin, NULL)
{
    counts.due = counts.done + 100;
    assert_int_equal(look(), BRAKE_NONE);
    counts.late += 100;
    counts.done += 100;
    counts.slow += 99;
    assert_int_equal(look(), BRAKE_NONE);
    counts.slow += 1 + BRAKE_SLOW_READS;
    assert_int_equal(look(), BRAKE_SLOW);
}

/* The whole program may have stood still: the bystander gets one look's time to catch up. */
TEST_BETWEEN(behind_a_pause_a_silence_waits_for_the_next_look, begin, NULL)
{
    counts.due = counts.done + 100;
    counts.waits = true;
    assert_int_equal(look_after(BRAKE_PAUSE_NS + 1), BRAKE_NONE);
    assert_int_equal(look(), BRAKE_SILENT);
    begin(NULL);
    counts.due = counts.done + 100;
    counts.waits = true;
    assert_int_equal(look_after(BRAKE_PAUSE_NS), BRAKE_SILENT);
}

TEST_BETWEEN(errors_and_losses, begin, NULL)
{
    counts.done++;
    counts.errors++;
    assert_int_equal(look(), BRAKE_ERRORS);
    counts.losses++;
    assert_int_equal(look(), BRAKE_LOST);
}

TEST_BETWEEN(the_bound_follows_the_p99_alone, begin, NULL)
{
    assert_int_equal(brake_bound_ns(0), 100 * NS_PER_MS);
    assert_int_equal(brake_bound_ns(10 * NS_PER_MS - 1), 100 * NS_PER_MS);
    assert_int_equal(brake_bound_ns(30 * NS_PER_MS), 300 * NS_PER_MS);
    assert_int_equal(brake_bound_ns(201 * NS_PER_MS), 2 * NS_PER_S);
    assert_int_equal(brake_bound_ns(UINT64_MAX), 2 * NS_PER_S);
}

/* ------------------------------------------------------------------ utilisation */

/* A lock with 20 clients, handed over 1,000 times in 10 s: held for 2 ms, 8 ms from one holder to
 * the next, released in 4 ms. A client is back after 20 cycles. Each handoff has a write of 4 ms, a
 * read of 1 ms and a notification. */
static struct utilisation_figures sound(void)
{
    return (struct utilisation_figures){
        .steady_s = 10,
        .grants = 1000,
        .clients = 20,
        .locks = 1,
        .acquire_s = 0.2 - 0.002 - 0.004,
        .hold_s = 0.002,
        .release_s = 0.004,
        .handoff_s = 0.008,
        .count = {2000, 1000, 1000},
        .mean_s = {0.004, 0.001, 0.005},
        .received_bytes = 100000,
        .elapsed_s = 10.4,
        .driver_cpu_s = 2.08,
        .driver_cores = 1,
        .cores = 2,
        .span_s = 10.5,
        .servers = 1,
        .server_cpu_s = {4.2},
        .server_cores = 2,
        .fsync_s = {1.05},
    };
}

static void assert_whole(const struct utilisation_figures *figures)
{
    char why[UTILISATION_TEXT_SIZE];
    bool whole = utilisation_adds_up(figures, why, sizeof why);
    if (!whole)
        fail_msg("%s", why);
    assert_string_equal(why, "");
}

static void assert_broken(const struct utilisation_figures *figures, const char *words)
{
    char why[UTILISATION_TEXT_SIZE];
    assert_false(utilisation_adds_up(figures, why, sizeof why));
    if (strstr(why, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", why, words);
}

/* 20 clients and 1,000 grants: 2·20/1000 + 2 % = 6 %. */
TEST(clients_must_be_accounted_for)
{
    struct utilisation_figures figures = sound();
    figures.acquire_s = 0.2 * 1.059 - 0.006;
    assert_whole(&figures);
    figures.acquire_s = 0.2 * 1.061 - 0.006;
    assert_broken(&figures, "Little's law: 20 clients in the steady part, but 21.22 by");
    figures.acquire_s = 0.2 * 0.941 - 0.006;
    assert_whole(&figures);
    figures.acquire_s = 0.2 * 0.939 - 0.006;
    assert_broken(&figures, "but 18.78 by the rate");
    figures = sound();
    figures.release_s += 0.02;
    assert_broken(&figures, "Little's law");
    figures.clients = 270; /* 56 %: nobody knows */
    assert_whole(&figures);
}

/* One lock and 1,000 grants: 2·1/1000 + 2 %. */
TEST(the_time_of_a_lock_must_sum_up)
{
    struct utilisation_figures figures = sound();
    figures.handoff_s = 0.0082;
    assert_whole(&figures);
    figures.handoff_s = 0.0083;
    assert_broken(&figures, "held or handed over for 103.0 % of the time");
    figures.handoff_s = 0.0077;
    assert_broken(&figures, "for 97.0 % of the time");
    figures.handoff_s = NAN; /* clients share */
    assert_whole(&figures);
    figures = sound();
    figures.locks = 2;
    assert_broken(&figures, "for 50.0 % of the time");
}

TEST(no_more_requests_are_under_way_than_clients)
{
    struct utilisation_figures figures = sound();
    figures.mean_s[UTILISATION_WRITE] = 0.105; /* 21, and 0.1 reads; 20 + 6 % are 21.2 */
    assert_whole(&figures);
    figures.mean_s[UTILISATION_WRITE] = 0.1056;
    assert_broken(&figures, "21.22 requests under way");
    figures.count[UTILISATION_WRITE] = 0;
    figures.mean_s[UTILISATION_WRITE] = NAN; /* of none */
    assert_whole(&figures);
}

TEST(nothing_is_busier_than_there_is_time)
{
    struct utilisation_figures figures = sound();
    figures.servers = 2;
    figures.cores = 8;
    figures.fsync_s[1] = NAN;
    figures.server_cpu_s[1] = 2 * 10.5 * 1.019;
    assert_whole(&figures);
    figures.server_cpu_s[1] = 2 * 10.5 * 1.021;
    assert_broken(&figures, "CPU of server 2 102.1 % of what there is (within 2 %)");
    figures.server_has_quota = true; /* 0.1 s in 10.5 s are 0.95 % */
    assert_whole(&figures);
    figures = sound();
    figures.driver_cpu_s = 10.7;
    assert_broken(&figures, "driver 102.9 %");
    figures = sound();
    figures.server_cpu_s[0] = 15;
    figures.driver_cpu_s = 7;
    assert_broken(&figures, "all cores 104.8 %");
    figures = sound();
    figures.fsync_s[0] = 11;
    assert_broken(&figures, "disk of server 1 104.8 %");
}

TEST(what_is_not_known_is_not_checked)
{
    struct utilisation_figures figures = sound();
    figures.servers = 0;
    figures.cores = NAN;
    assert_whole(&figures);
    figures.grants = 0;
    assert_broken(&figures, "no handoff in the steady part");
    figures = sound();
    figures.steady_s = NAN;
    assert_broken(&figures, "no handoff in the steady part");
}

/* ------------------------------------------------------------------ what gave out */

static enum utilisation_limit limit_of(const struct utilisation_figures *figures)
{
    return utilisation_find_limit(figures, OBJECTIVE_HANDOFF).limit;
}

static void assert_evidence(const struct utilisation_figures *figures, const char *words)
{
    struct utilisation_finding finding = utilisation_find_limit(figures, OBJECTIVE_HANDOFF);
    if (strstr(finding.evidence, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", finding.evidence, words);
}

TEST(a_full_resource_gave_out)
{
    struct utilisation_figures figures = sound();
    figures.server_cpu_s[0] = 0.91 * 2 * 10.5;
    assert_int_equal(limit_of(&figures), UTILISATION_SERVER_CPU);
    assert_evidence(&figures, "driver 20 %; CPU of server 1 91 %");
    figures.driver_cpu_s = 0.81 * 10.4; /* then nothing else is known */
    assert_int_equal(limit_of(&figures), UTILISATION_DRIVER);
    figures.server_cpu_s[0] = 0.5 * 2 * 10.5;
    figures.driver_cpu_s = 0.79 * 10.4;
    assert_int_not_equal(limit_of(&figures), UTILISATION_DRIVER);
    figures.server_cpu_s[0] = 0.6 * 2 * 10.5;
    assert_int_equal(limit_of(&figures), UTILISATION_CORES);
    figures = sound();
    figures.fsync_s[0] = 0.9 * 10.5 + 1e-9;
    assert_int_equal(limit_of(&figures), UTILISATION_DISK);
    assert_evidence(&figures, "disk of server 1 90 %");
}

/* Holds are no part of a handoff, but of an acquire. */
TEST(holds_gave_out_unless_a_handoff_is_asked_about)
{
    struct utilisation_figures figures = sound();
    figures.hold_s = 0.0095;
    assert_int_equal(utilisation_find_limit(&figures, OBJECTIVE_ACQUIRE).limit, UTILISATION_HOLDS);
    assert_int_not_equal(limit_of(&figures), UTILISATION_HOLDS);
    assert_int_not_equal(utilisation_find_limit(&figures, OBJECTIVE_BACKGROUND).limit,
                         UTILISATION_HOLDS);
}

/* Of its requests nothing is known, and those of the lock may wait for them. */
TEST(beside_a_load_a_lock_is_no_chain_of_round_trips)
{
    struct utilisation_figures figures = sound();
    assert_int_equal(limit_of(&figures), UTILISATION_ROUND_TRIPS);
    figures.beside_load = true;
    assert_int_equal(limit_of(&figures), UTILISATION_UNDETERMINED);
}

TEST(else_the_work_that_queues)
{
    struct utilisation_figures figures = sound();
    assert_int_equal(limit_of(&figures), UTILISATION_ROUND_TRIPS);
    assert_evidence(&figures, "a handoff has 2.0 writes, 1.0 reads, 1.0 notifications, 0.1 KB");
    assert_evidence(&figures, "under way: 0.8 writes, 0.1 reads, 0.1 notifications");
    figures.count[UTILISATION_WRITE] = 20000; /* 8 under way */
    assert_int_equal(limit_of(&figures), UTILISATION_WRITES);
    figures.count[UTILISATION_NOTIFICATION] = 60000; /* 6: neither is foremost */
    assert_int_equal(limit_of(&figures), UTILISATION_UNDETERMINED);
    figures.count[UTILISATION_NOTIFICATION] = 130000;
    assert_int_equal(limit_of(&figures), UTILISATION_FAN_OUT);
    figures.mean_s[UTILISATION_NOTIFICATION] = 0.0039; /* before the reply to the release */
    assert_int_equal(limit_of(&figures), UTILISATION_WRITES);
    figures = sound();
    figures.count[UTILISATION_READ] = 40000;
    figures.received_bytes = 40000 * 4096;
    assert_int_equal(limit_of(&figures), UTILISATION_READS);
    figures.received_bytes += 40000;
    assert_int_equal(limit_of(&figures), UTILISATION_BYTES);
    figures.locks = 2; /* 4 under way: the locks' own, or a queue */
    assert_int_equal(limit_of(&figures), UTILISATION_UNDETERMINED);
    figures.mean_s[UTILISATION_WRITE] = NAN;
    assert_int_equal(limit_of(&figures), UTILISATION_UNDETERMINED);
}
