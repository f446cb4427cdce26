// SPDX-License-Identifier: Apache-2.0
/* Loads on three servers of which some are killed meanwhile: what was measured stands, and says
 * what was lost. */
#include "load/internal.h"
#include "servers/four_letter.h"
#include "tests/support/live.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

static unsigned loads;

static struct load_plan plan_of(uint32_t seconds)
{
    char why[160];
    struct load_plan plan = {
        .fleet.sessions = 6,
        .fleet.processes = 2,
        .fleet.depth = 4,
        .fleet.timeout_ns = 20 * NS_PER_S,
        .fleet.session_timeout_ms = 6000,
        .fleet.seed = 7,
        .fleet.servers = &live_servers,
        .value_bytes = 100,
        .warm_up_ns = 200 * NS_PER_MS,
        .seconds = seconds,
    };
    if (!mix_parse("get=70,set=30", &plan.mix, why, sizeof why))
        fail_msg("%s", why);
    return plan;
}

/* ensemble: NULL if the servers are somebody else's. */
static struct load_result *load(struct load_plan *plan, struct ensemble *ensemble,
                                struct load_watch watch)
{
    static char root[64];
    const struct load_host host = {
        .setup = live_host.setup, .servers = &live_servers, .ensemble = ensemble, .watch = watch};
    struct load_result *result = NULL;
    struct error error = {0};
    snprintf(root, sizeof root, ROOT "/l%u", loads++);
    plan->root = root;
    live_expect(load_run(plan, &host, &result, &error), &error);
    if (result->end != END_DONE)
        fail_msg("%s", result->reason);
    return result;
}

static void assert_nothing_left(void)
{
    const char *const *names;
    size_t count;
    struct error error;
    live_expect(setup_session_list_children(live_host.setup, ROOT, &names, &count, &error), &error);
    assert_int_equal(count, 0);
}

/* What a server says that it is now; ROLE_UNKNOWN while it does not serve. */
static enum role ask_role(unsigned index)
{
    struct four_letter_identity identity;
    struct error error;
    if (four_letter_identify(&live_servers.endpoints[index], 10 * NS_PER_S, &identity, &error) !=
        ERROR_NONE)
        return ROLE_UNKNOWN;
    return role_of_mode(identity.mode);
}

/* A server that serves now, by its role. */
static unsigned find(enum role wanted)
{
    for (unsigned i = 0; i < live_servers.count; i++) {
        if (ask_role(i) == wanted)
            return i;
    }
    fail_msg("no server is a %s", role_word(wanted));
    return 0;
}

static void await_service(unsigned index)
{
    uint64_t deadline_ns = clock_now_ns() + 60 * NS_PER_S;
    while (ask_role(index) == ROLE_UNKNOWN) {
        assert_true(clock_now_ns() < deadline_ns);
        pause_ms(20);
    }
}

/* ------------------------------------------------------------------ servers of somebody else */

/* After the first second: all servers have told by then what they are. */
static void kill_when_measured(void *context, const struct load_progress *progress)
{
    const unsigned *index = context;
    struct error error;
    if (progress->phase == LOAD_MEASURES && progress->second > 0 &&
        !live_ensemble->servers[*index].killed)
        live_expect(ensemble_kill(live_ensemble, *index, &error), &error);
}

static void assert_lacks(const struct load_result *result, unsigned index)
{
    char words[64];
    snprintf(words, sizeof words,
             "127.0.0.1:%u does not answer: ", live_servers.endpoints[index].port);
    assert_non_null(strstr(result->not_valid, words));
    assert_string_equal(result->reconcile.why, result->not_valid);
    assert_int_equal(result->reconcile.reconciled, RECONCILED_NA);
    assert_false(result->servers.known);
    assert_true(result->measured->answered > 0);
}

/* The time of the fault has come, but the coordinator is late. */
static void assert_is_not_started_after_the_end(unsigned killed)
{
    static const struct load_fault restart = {NS_PER_S, LOAD_FAULT_DOWN, 0};
    uint64_t measures_ns = clock_now_ns() - 3 * NS_PER_S;
    struct load_plan plan = plan_of(2);
    struct load_fault_result result;
    struct load_faults late;
    struct error error;
    plan.faults = &restart;
    plan.fault_count = 1;
    load_faults_init(&late, &plan, live_ensemble, NULL, &result);
    late.measures_ns = measures_ns;
    late.settles_ns = measures_ns + 2 * NS_PER_S;
    live_expect(load_faults_turn(&late, measures_ns + NS_PER_S, &error), &error);
    assert_false(result.carried_out);
    assert_string_equal(result.why, "the measured time was over");
    assert_true(live_ensemble->servers[killed].killed);
}

/* Of a busy machine the last second may pass without a look: then the load is repeated. */
static struct load_result *load_that_loses(struct load_plan *plan, unsigned index)
{
    const struct load_watch watch = {
        .progress = kill_when_measured, .context = &index, .interrupt_descriptor = -1};
    struct load_result *result = load(plan, NULL, watch);
    while (!live_ensemble->servers[index].killed) {
        load_result_free(result);
        result = load(plan, NULL, watch);
    }
    return result;
}

/* The sessions of the server go to the others. The next load has none of it, and is as little
 * valid. */
TEST(a_follower_of_somebody_else_that_goes_is_told)
{
    unsigned follower = find(ROLE_FOLLOWER);
    struct load_plan plan = plan_of(2);
    struct load_result *result = load_that_loses(&plan, follower);
    assert_lacks(result, follower);
    assert_int_equal(result->losses, 2);
    assert_int_equal(result->reconnects, 2);
    load_result_free(result);

    result = load(&plan, NULL, (struct load_watch){.interrupt_descriptor = -1});
    assert_lacks(result, follower);
    assert_int_equal(result->losses, 0);
    load_result_free(result);
    assert_nothing_left();

    assert_is_not_started_after_the_end(follower);
    struct error error;
    live_expect(ensemble_restart(live_ensemble, follower, &error), &error);
    await_service(follower);
}

/* ------------------------------------------------------------------ faults of a plan */

/* The last start has no time to succeed: the trial's end waits for it. */
static const struct load_fault faults[] = {
    {300 * NS_PER_MS, LOAD_FAULT_FOLLOWER, 1},
    {1000 * NS_PER_MS, LOAD_FAULT_DOWN, 0},
    {4000 * NS_PER_MS, LOAD_FAULT_LEADER, 1},
    {6800 * NS_PER_MS, LOAD_FAULT_DOWN, 0},
};

static void print(const struct load_fault_result *fault)
{
    print_message("server %u (%s) at %.3f s, took %.1f ms: operation %.1f, write %.1f, served "
                  "%.1f -%.1f, led %.1f -%.1f, silence %.0f, of writes %.0f ms\n",
                  fault->servers[0] + 1, role_word(fault->roles[0]), (double)fault->at_ns / 1e9,
                  (double)fault->took_ns / 1e6, (double)fault->first_operation_ns / 1e6,
                  (double)fault->first_write_ns / 1e6, (double)fault->served_ns / 1e6,
                  (double)fault->served_within_ns / 1e6, (double)fault->led_ns / 1e6,
                  (double)fault->led_within_ns / 1e6, (double)fault->silence_ns / 1e6,
                  (double)fault->write_silence_ns / 1e6);
}

/* next_ns: when the next fault was carried out, or the end. */
static void assert_times(const struct load_fault_result *fault, uint64_t due_ns, uint64_t next_ns)
{
    assert_true(fault->carried_out);
    assert_int_equal(fault->count, 1);
    assert_in_range(fault->at_ns, due_ns, next_ns);
    assert_true(fault->silence_ns <= next_ns - fault->at_ns + NS_PER_MS);
    assert_true(fault->write_silence_ns >= fault->silence_ns);
    assert_true(fault->first_write_ns >= fault->first_operation_ns);
    assert_true(fault->first_operation_ns > 0);
}

static void assert_of_a_follower(const struct load_fault_result *kill,
                                 const struct load_fault_result *restart)
{
    assert_int_equal(kill->roles[0], ROLE_FOLLOWER);
    assert_int_equal(kill->led_ns, UINT64_MAX);      /* the leader stays */
    assert_true(kill->first_write_ns != UINT64_MAX); /* and completes writes */
    assert_int_equal(kill->served_ns, UINT64_MAX);
    assert_int_equal(restart->servers[0], kill->servers[0]);
    assert_true(restart->served_ns != UINT64_MAX);
    assert_true(restart->served_within_ns < restart->served_ns);
}

/* No write is completed before another server leads: by so much is the silence of writes longer
 * than the look before it. The silence begins when the last reply is read that the server has
 * caused: the request was sent before its processes ended. */
static void assert_of_the_leader(const struct load_fault_result *kill,
                                 const struct load_fault_result *restart, uint64_t longest_ns)
{
    assert_int_equal(kill->roles[0], ROLE_LEADER);
    assert_true(kill->led_ns != UINT64_MAX);
    assert_int_not_equal(kill->leader, kill->servers[0]);
    assert_true(kill->first_write_ns == UINT64_MAX ||
                kill->first_write_ns + kill->led_within_ns >= kill->led_ns);
    assert_true(kill->took_ns + longest_ns + kill->write_silence_ns + kill->led_within_ns >=
                kill->led_ns);
    assert_int_equal(restart->servers[0], kill->servers[0]);
}

static void assert_samples_add_up(const struct load_result *result)
{
    uint64_t sum = 0, of_kinds = 0;
    for (uint32_t i = 0; i < result->load->plan->seconds * OUTAGES_SAMPLES_PER_S; i++) {
        sum += outages_sample(result->load->outages, i, OUTAGES_ALL);
        of_kinds += outages_sample(result->load->outages, i, OUTAGES_READS) +
                    outages_sample(result->load->outages, i, OUTAGES_WRITES);
    }
    assert_int_equal(sum, result->measured->answered);
    assert_int_equal(of_kinds, sum);
}

static void assert_marked(const struct load_result *result)
{
    for (uint32_t i = 0; i < result->load->plan->fault_count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < result->marks.count; j++) {
            const struct load_mark *mark = &result->marks.list[j];
            found = found || (mark->time_ns == result->faults[i].at_ns &&
                              mark->server == result->faults[i].servers[0] &&
                              mark->kind == (i % 2 == 0 ? LOAD_MARK_KILLED : LOAD_MARK_RESTARTED));
        }
        assert_true(found);
    }
}

static void assert_all_serve(void)
{
    unsigned leaders = 0;
    for (unsigned i = 0; i < live_servers.count; i++) {
        enum role role = ask_role(i);
        assert_int_not_equal(role, ROLE_UNKNOWN);
        leaders += role == ROLE_LEADER;
    }
    assert_int_equal(leaders, 1);
}

/* All faults were carried out, and what follows from each was seen. */
static bool is_whole(const struct load_result *result)
{
    return result->not_valid[0] == '\0' && result->faults[1].served_ns != UINT64_MAX &&
           result->faults[2].led_ns != UINT64_MAX;
}

/* On a busy machine a server may not be back before the next fault, or not elected: then the load
 * is repeated, and all of it has twice the time. */
static struct load_result *load_with_faults(struct load_plan *plan, struct load_fault *times)
{
    const struct load_watch watch = {.interrupt_descriptor = -1};
    struct load_result *result = load(plan, live_ensemble, watch);
    for (int loads_left = 4; !is_whole(result) && loads_left > 0; loads_left--) {
        print_message("once more: %s\n", result->not_valid);
        load_result_free(result);
        for (unsigned i = 0; i < live_servers.count; i++)
            await_service(i);
        plan->seconds *= 2;
        for (uint32_t i = 0; i < plan->fault_count; i++)
            times[i].at_ns *= 2;
        result = load(plan, live_ensemble, watch);
    }
    return result;
}

TEST(servers_are_killed_and_come_back)
{
    struct load_plan plan = plan_of(7);
    struct load_fault times[sizeof faults / sizeof faults[0]];
    memcpy(times, faults, sizeof faults);
    plan.faults = times;
    plan.fault_count = sizeof faults / sizeof faults[0];
    struct load_result *result = load_with_faults(&plan, times);
    const struct load_fault_result *found = result->faults;
    for (uint32_t i = 0; i < plan.fault_count; i++)
        print(&found[i]);
    assert_string_equal(result->not_valid, "");
    for (uint32_t i = 0; i < plan.fault_count; i++)
        assert_times(&found[i], times[i].at_ns,
                     i + 1 < plan.fault_count ? found[i + 1].at_ns : plan.seconds * NS_PER_S);
    assert_of_a_follower(&found[0], &found[1]);
    assert_of_the_leader(&found[2], &found[3], result->measured->service[ROLES][LOAD_KINDS].max_ns);
    assert_samples_add_up(result);
    assert_marked(result);
    /* Before the leader is killed all servers are asked. */
    assert_true(result->server_seconds[times[2].at_ns / NS_PER_S].packets_received ==
                FOUR_LETTER_UNTOLD);
    assert_true(result->losses >= 2 + 2); /* of the two servers' sessions at least */
    assert_int_equal(result->apart, 0);
    assert_int_equal(result->reconcile.reconciled, RECONCILED_NA);
    assert_non_null(strstr(result->reconcile.why, "killed on purpose"));
    assert_true(result->servers.cpu_known && result->servers.cpu_ns > 0);
    load_result_free(result);
    assert_nothing_left();
    assert_all_serve();
}

/* Whatever comes behind finds the servers whole, and counts them again. */
TEST(faults_that_cannot_be_are_told)
{
    static const struct load_fault impossible[] = {
        {100 * NS_PER_MS, LOAD_FAULT_DOWN, 0},
        {300 * NS_PER_MS, LOAD_FAULT_FOLLOWER, 2},
    };
    struct load_plan plan = plan_of(1);
    plan.faults = impossible;
    plan.fault_count = 2;
    struct load_result *result =
        load(&plan, live_ensemble, (struct load_watch){.interrupt_descriptor = -1});
    assert_false(result->faults[0].carried_out || result->faults[1].carried_out);
    assert_string_equal(result->faults[0].why, "no such server was down");
    /* On a busy machine a server may not answer in time. */
    if (strstr(result->faults[1].why, "fewer such servers served: ") == NULL)
        assert_string_equal(result->faults[1].why, "3 of 3 servers served: no quorum would stay");
    assert_non_null(strstr(result->not_valid,
                           "fault 1 (restart) was not carried out: no such server was down"));
    assert_int_equal(result->losses, 0);
    load_result_free(result);

    plan.fault_count = 0;
    result = load(&plan, live_ensemble, (struct load_watch){.interrupt_descriptor = -1});
    assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
    assert_null(result->load->outages);
    load_result_free(result);
}

FIXTURE(start_three)
{
    return live_start_with(3, 500);
}

TEST_GROUP(start_three, live_stop)
