// SPDX-License-Identifier: Apache-2.0
/* Loads that leave watches: every notification is counted, and is attributed to the write that has
 * fired it. */
#include "tests/support/live.h"
#include "tests/support/test.h"

static struct connect_string simulated = {.endpoints = {{.port = 1}}, .count = 1};

/* Of ten sessions that share one znode. */
static struct load_plan plan_of(uint32_t reads_percent)
{
    return (struct load_plan){
        .fleet.sessions = 10,
        .fleet.processes = 1,
        .fleet.timeout_ns = 10 * NS_PER_S,
        .fleet.session_timeout_ms = 30000,
        .fleet.seed = 11,
        .fleet.servers = &live_servers,
        .mix = mix_of_reads(reads_percent),
        .watch_percent = 100,
        .value_bytes = 100,
        .znodes = 1,
        .warm_up_ns = 200 * NS_PER_MS,
        .seconds = 1,
    };
}

static struct load_result *load(struct load_plan *plan)
{
    return live_load(plan, NULL, NULL, NULL);
}

/* ------------------------------------------------------------------ what holds of every load */

/* Three counts of the same notifications. */
static void assert_counted(const struct load_result *result)
{
    uint64_t received = result->total.of[TALLY_NOTIFICATION];
    live_assert_counted(result);
    assert_int_equal(result->servers.notifications, received);
    assert_int_equal(result->fan_out->timed + result->fan_out->untimed, received);
}

/* Each write is fired for once at least, and for each session once at most. */
static void assert_fan_outs(const struct load_result *result, uint64_t most)
{
    uint64_t notifications = histogram_count(&result->fan_out->notification);
    assert_int_equal(histogram_count(&result->fan_out->first), result->fan_out->writes);
    assert_int_equal(histogram_count(&result->fan_out->last), result->fan_out->writes);
    assert_true(result->fan_out->first.max_ns <= result->fan_out->last.max_ns);
    assert_true(histogram_percentile_ns(&result->fan_out->first, 0) ==
                histogram_percentile_ns(&result->fan_out->notification, 0));
    assert_true(result->fan_out->writes > 0);
    assert_true(result->fan_out->writes <= notifications &&
                notifications <= result->fan_out->writes * most);
    assert_in_range(result->fan_out->most, 1, most);
    assert_true(notifications <= result->fan_out->timed);
    assert_int_equal(result->fan_out->notification.max_ns, result->fan_out->last.max_ns);
}

/* ------------------------------------------------------------------ with each driver */

TEST(ten_sessions_on_each_driver)
{
    static const struct {
        enum driver driver;
        uint32_t processes, depth;
    } fleets[] = {{DRIVER_EVENTS, 1, 1},  {DRIVER_EVENTS, 2, 1},    {DRIVER_EVENTS, 2, 20},
                  {DRIVER_THREADS, 1, 1}, {DRIVER_SIMULATED, 1, 1}, {DRIVER_SIMULATED, 1, 5}};
    for (size_t i = 0; i < sizeof fleets / sizeof fleets[0]; i++) {
        struct load_plan plan = plan_of(90);
        plan.fleet.driver = fleets[i].driver;
        plan.fleet.processes = fleets[i].processes;
        plan.fleet.depth = fleets[i].depth;
        if (plan.fleet.driver == DRIVER_SIMULATED)
            plan.fleet.servers = &simulated;
        struct load_result *result = load(&plan);
        double mean = (double)histogram_count(&result->fan_out->notification) /
                      (double)result->fan_out->writes;
        assert_counted(result);
        assert_fan_outs(result, 10);
        if (mean <= 1 || mean >= 9)
            fail_msg("the mean fan-out is %g", mean);
        assert_int_equal(result->measured->errors, 0);
        load_result_free(result);
    }
}

/* The servers are apart: some of what the last writes fire comes long after the last reply. */
TEST(the_last_notifications_are_waited_for)
{
    static const struct connect_string three = {
        .endpoints = {{.port = 1}, {.port = 2}, {.port = 3}}, .count = 3};
    struct sim_options simulation = sim_options_default();
    simulation.servers = 3;
    simulation.costs.network_jitter_ns = 400 * NS_PER_MS;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct load_plan plan = plan_of(50);
        plan.fleet.driver = DRIVER_SIMULATED;
        plan.fleet.servers = &three;
        plan.fleet.seed = seed;
        plan.seconds = 20;
        struct load_result *result = live_load(&plan, NULL, NULL, &simulation);
        assert_counted(result);
        assert_fan_outs(result, 10);
        assert_int_equal(result->fan_out->untimed, 0);
        load_result_free(result);
    }
}

/* Between two notifications of a session there are more writes than a ring keeps: what waits for
 * its write is looked at again with each reply. */
TEST(notifications_that_are_rare_are_timed)
{
    struct load_plan plan = plan_of(1);
    plan.fleet.driver = DRIVER_SIMULATED;
    plan.fleet.servers = &simulated;
    plan.watch_percent = 10;
    plan.seconds = 10;
    struct load_result *result = load(&plan);
    assert_counted(result);
    assert_true(result->measured->replies[LOAD_SET][ZK_OK] > 4 * 4096);
    assert_true(result->fan_out->timed > 0);
    assert_int_equal(result->fan_out->untimed, 0);
    load_result_free(result);
}

/* ------------------------------------------------------------------ a load foretold */

#define FORETOLD_SESSIONS 7

struct foretold {
    uint64_t seeds[FORETOLD_SESSIONS];
    bool watches[FORETOLD_SESSIONS];
    uint64_t notifications, fired, most;
    uint64_t measured; /* of the notifications */
};

/* As the fleet seeds its sessions. */
static void foretell_seeds(struct foretold *foretold, uint64_t seed)
{
    struct random random;
    random_init(&random, seed);
    random_init(&random, random_next(&random));
    for (int session = 0; session < FORETOLD_SESSIONS; session++)
        foretold->seeds[session] = random_next(&random);
}

static void foretell_write(struct foretold *foretold, bool measured)
{
    uint64_t fan_out = 0;
    for (int session = 0; session < FORETOLD_SESSIONS; session++) {
        fan_out += foretold->watches[session];
        foretold->watches[session] = false;
    }
    foretold->notifications += fan_out;
    if (!measured)
        return;
    foretold->measured += fan_out;
    foretold->fired += fan_out > 0;
    foretold->most = fan_out > foretold->most ? fan_out : foretold->most;
}

static struct foretold foretell(const struct load_plan *plan, uint64_t warm_up)
{
    struct foretold foretold = {0};
    foretell_seeds(&foretold, plan->fleet.seed);
    for (uint64_t i = 0; i < warm_up + plan->rate_per_s * plan->seconds; i++) {
        uint64_t session = i % FORETOLD_SESSIONS;
        struct random random; /* of each operation its own */
        random_init(&random, foretold.seeds[session] + i);
        enum load_kind kind = mix_draw(&plan->mix, &random);
        (void)random_below(&random, plan->znodes);
        if (kind == LOAD_SET)
            foretell_write(&foretold, i >= warm_up);
        else if (random_below(&random, 100) < plan->watch_percent)
            foretold.watches[session] = true;
    }
    return foretold;
}

/* In a simulation at a rate so low that each operation is answered, and has been told of, before
 * the next is due: how many watch at each write follows from the seed. */
TEST(fan_outs_are_as_foretold)
{
    for (uint32_t watch_percent = 25; watch_percent <= 100; watch_percent += 75) {
        struct load_plan plan = plan_of(80);
        plan.fleet.driver = DRIVER_SIMULATED;
        plan.fleet.sessions = FORETOLD_SESSIONS;
        plan.fleet.servers = &simulated;
        plan.watch_percent = watch_percent;
        plan.rate_per_s = 20;
        plan.seconds = 60;
        struct foretold foretold = foretell(&plan, 20 / 5);
        struct load_result *result = load(&plan);
        assert_counted(result);
        assert_int_equal(result->measured->delayed, 0);
        assert_int_equal(result->fan_out->untimed, 0);
        assert_int_equal(result->fan_out->timed, foretold.notifications);
        assert_int_equal(histogram_count(&result->fan_out->notification), foretold.measured);
        assert_int_equal(result->fan_out->writes, foretold.fired);
        assert_int_equal(result->fan_out->most, foretold.most);
        load_result_free(result);
    }
}

/* ------------------------------------------------------------------ writes without a version */

/* A multi's reply has none: what the multis fire is counted and not timed. */
TEST(what_multis_fire_is_untimed)
{
    char why[160];
    struct load_plan plan = plan_of(0);
    if (!mix_parse("get=60,exists=20,multi=20", &plan.mix, why, sizeof why))
        fail_msg("%s", why);
    struct load_result *result = load(&plan);
    assert_counted(result);
    assert_true(result->fan_out->untimed > 0);
    assert_int_equal(result->fan_out->timed, 0);
    assert_int_equal(result->fan_out->writes, 0);
    load_result_free(result);
}

TEST_GROUP(live_start, live_stop)
