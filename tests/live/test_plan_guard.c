// SPDX-License-Identifier: Apache-2.0
/* A bystander and a brake beside trials on a real server: a server that stands still ends a trial,
 * and nothing else does. */
#include "bench/plan/internal.h"
#include "load/load.h"
#include "tests/support/live.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include <signal.h>
#include <unistd.h>

#define BOUND_NS (500 * NS_PER_MS)
/* No server that runs, however busy its machine, is silent for so long. */
#define PATIENT_NS (20 * NS_PER_S)

static struct plan_guard guard;

/* What goes on beside a trial. */
struct beside {
    bool stops_server;
    bool stopped;
    bool lasts; /* the trial ends before its time only if it is ended */
};

static void begin_guard(struct plan_guard_options options)
{
    static struct fleet_host host;
    struct error error = {0};
    host = (struct fleet_host){.setup = live_host.setup,
                               .servers = &live_servers,
                               .ensemble = live_ensemble,
                               .interrupt_descriptor = -1};
    options.alone_ns = 300 * NS_PER_MS;
    live_expect(plan_guard_begin(&guard, &options, &host, ROOT "/bystander", &error), &error);
}

static void end_guard(void)
{
    struct error error = {0};
    live_expect(plan_guard_end(&guard, &error), &error);
    live_assert_children(0);
}

static pid_t the_server(void)
{
    return live_ensemble->servers[0].pid;
}

static void progress(void *context, const struct trial_progress *progress)
{
    struct beside *beside = context;
    plan_guard_note(&guard, progress->rpcs, progress->losses);
    if (beside->stops_server && !beside->stopped && progress->handoffs > 0) {
        beside->stopped = true;
        pause_process(the_server());
    }
}

/* The server goes on when the trial was ended: by then the guard has decided. */
static bool has_company(void *context)
{
    const struct beside *beside = context;
    bool allowed = plan_guard_allows(&guard);
    if (!allowed && beside->stopped)
        kill(the_server(), SIGCONT);
    return allowed;
}

/* For half a second, or for much longer than anything takes here. */
static enum error_kind run(struct beside *beside, enum driver driver, int interrupts,
                           struct trial_result **result, struct error *error)
{
    struct trial_plan plan = live_plan("scalable", 4);
    struct fleet_host host = live_host;
    const struct trial_watch watch = {.progress = progress, .context = beside};
    plan.fleet.driver = driver;
    plan.workload = WORKLOAD_STEADY;
    plan.pace = PACE_FREE;
    plan.duration_ns = beside->lasts ? 20 * NS_PER_S : 500 * NS_PER_MS;
    plan.fleet.timeout_ns = 60 * NS_PER_S;
    plan.root = ROOT "/probe";
    host.companions = plan_guard_sessions(&guard);
    host.has_company = has_company;
    host.company = beside;
    host.interrupt_descriptor = interrupts;
    live_expect(plan_guard_open(&guard, error), error);
    return trial_run(&plan, &host, &watch, result, error);
}

static enum plan_guard_reason probe(struct beside *beside, enum driver driver, enum fleet_end end)
{
    struct trial_result *result = NULL;
    struct error error = {0};
    live_expect(run(beside, driver, -1, &result, &error), &error);
    if (result->end != end)
        fail_msg("ended as %d, not %d: %s", (int)result->end, (int)end, result->reason);
    enum plan_guard_reason reason = plan_guard_close(&guard, result->losses);
    trial_result_free(result);
    live_assert_children(1); /* the bystander's */
    return reason;
}

static struct brake_counts counted(void)
{
    return bystander_count(&guard.bystander, 0, PATIENT_NS);
}

static void assert_described(const char *words)
{
    if (strstr(guard.why, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, guard.why);
}

TEST(the_time_is_up_when_it_is_up)
{
    uint64_t now_ns = clock_now_ns();
    struct plan_guard of_a_day = {.options.max_time_ns = 86400 * NS_PER_S};
    of_a_day.begun_ns = now_ns - 86400 * NS_PER_S;
    assert_true(plan_guard_is_out_of_time(&of_a_day));
    of_a_day.begun_ns += 28700 * NS_PER_S;
    assert_false(plan_guard_is_out_of_time(&of_a_day));
    assert_true(plan_guard_is_late(&of_a_day, 0));
    of_a_day.begun_ns += 14500 * NS_PER_S;
    assert_false(plan_guard_is_late(&of_a_day, 43100 * NS_PER_S));
    assert_true(plan_guard_is_late(&of_a_day, 43300 * NS_PER_S));
    of_a_day.options.max_time_ns = 0; /* no limit */
    assert_false(plan_guard_is_out_of_time(&of_a_day) || plan_guard_is_late(&of_a_day, 0));
}

/* Nothing brakes without harm. */
TEST(a_probe_is_ended_by_the_limits_that_are_given)
{
    static const struct {
        struct plan_guard_options options;
        enum driver driver;
        bool lasts;
        enum fleet_end end;
        enum plan_guard_reason reason;
        const char *words;
    } cases[] = {
        {{.brake_ns = PATIENT_NS}, DRIVER_EVENTS, false, END_DONE, PLAN_GUARD_NONE, ""},
        {{.brake_ns = PATIENT_NS}, DRIVER_THREADS, false, END_DONE, PLAN_GUARD_NONE, ""},
        {{.brake_ns = PATIENT_NS, .max_rate = 1},
         DRIVER_EVENTS,
         true,
         END_ALONE,
         PLAN_GUARD_RATE,
         " requests in a second, more than the 1 of --max-rate"},
        {{.brake_ns = PATIENT_NS, .max_time_ns = 1},
         DRIVER_EVENTS,
         true,
         END_ALONE,
         PLAN_GUARD_TIME,
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct beside beside = {.lasts = cases[i].lasts};
        begin_guard(cases[i].options);
        assert_int_equal(plan_guard_sessions(&guard), 1);
        uint64_t before = counted().done;
        assert_true(before > 0);
        assert_true(guard.alone_p99_ns > 0);
        assert_int_equal(probe(&beside, cases[i].driver, cases[i].end), cases[i].reason);
        assert_described(cases[i].words);
        if (cases[i].reason == PLAN_GUARD_NONE) {
            assert_int_equal(probe(&beside, cases[i].driver, END_DONE), PLAN_GUARD_NONE);
            assert_true(counted().done > before);
            assert_int_equal(counted().slow + counted().errors, 0);
            assert_string_equal(guard.why, "");
        }
        assert_int_equal(plan_guard_is_out_of_time(&guard), cases[i].reason == PLAN_GUARD_TIME);
        end_guard();
    }
}

/* And the search can go on with the next probe, once the server answers in time again. */
TEST(a_server_that_stands_still_brakes)
{
    struct beside harm = {.stops_server = true, .lasts = true}, none = {0};
    begin_guard((struct plan_guard_options){.brake_ns = BOUND_NS});
    assert_int_equal(probe(&harm, DRIVER_EVENTS, END_ALONE), PLAN_GUARD_BYSTANDER);
    assert_described("127.0.0.1:");
    assert_described(" did not answer a bystander (bound ");
    guard.bound_ns = PATIENT_NS;
    uint64_t began_ns = clock_now_ns();
    assert_int_equal(probe(&none, DRIVER_EVENTS, END_DONE), PLAN_GUARD_NONE);
    assert_true(clock_now_ns() - began_ns >= BRAKE_WINDOW_NS); /* in which all was well again */
    end_guard();
}

TEST(an_interruption_is_none_of_the_guards)
{
    struct beside beside = {.lasts = true};
    struct trial_result *result = NULL;
    struct error error = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "", 1), 1);
    begin_guard((struct plan_guard_options){.brake_ns = PATIENT_NS});
    assert_int_equal(run(&beside, DRIVER_EVENTS, ends[0], &result, &error), ERROR_INTERRUPTED);
    assert_int_equal(plan_guard_close(&guard, 0), PLAN_GUARD_NONE);
    close(ends[0]);
    close(ends[1]);
    struct error clearing = {0};
    live_expect(setup_session_delete_tree(live_host.setup, ROOT "/probe", &clearing), &clearing);
    end_guard();
}

TEST_GROUP(live_start, live_stop)
