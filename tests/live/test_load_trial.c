// SPDX-License-Identifier: Apache-2.0
/* Loads on a real server, with each driver, and in a simulation: what was asked for is what is
 * sent, every request is counted as the server counts it, and a server that stands still shows in
 * the response times in full. */
#include "tests/support/live.h"
#include "tests/support/pause.h"
#include "tests/support/proxy.h"
#include "tests/support/test.h"

#include <math.h>
#include <signal.h>

static struct load_plan plan_of(const char *mix)
{
    char why[160];
    struct load_plan plan = {
        .fleet.sessions = 4,
        .fleet.processes = 1,
        .fleet.depth = 4,
        .fleet.timeout_ns = 10 * NS_PER_S,
        .fleet.session_timeout_ms = 30000,
        .fleet.seed = 7,
        .fleet.servers = &live_servers,
        .value_bytes = 100,
        .warm_up_ns = 200 * NS_PER_MS,
        .seconds = 1,
    };
    if (!mix_parse(mix, &plan.mix, why, sizeof why))
        fail_msg("%s", why);
    return plan;
}

/* The same on one simulated server. */
static struct load_plan simulated_plan_of(const char *mix)
{
    static const struct connect_string simulated = {.endpoints = {{.port = 1}}, .count = 1};
    struct load_plan plan = plan_of(mix);
    plan.fleet.servers = &simulated;
    plan.fleet.driver = DRIVER_SIMULATED;
    return plan;
}

static pid_t the_server(void)
{
    return live_ensemble->servers[0].pid;
}

/* The server stands still for more than a second of the load. */
static void stop_for_a_second(void *context, const struct load_progress *progress)
{
    uint64_t *stopped_ns = context, now_ns = clock_now_ns();
    if (*stopped_ns == 0 && progress->phase == LOAD_MEASURES) {
        pause_process(the_server());
        *stopped_ns = now_ns;
    } else if (*stopped_ns != 0 && *stopped_ns != UINT64_MAX &&
               now_ns - *stopped_ns >= NS_PER_S * 11 / 10) {
        kill(the_server(), SIGCONT);
        *stopped_ns = UINT64_MAX;
    }
}

static struct load_result *load(struct load_plan *plan)
{
    return live_load(plan, NULL, NULL, NULL);
}

static uint64_t replies_of(const struct load_result *result, enum load_kind kind)
{
    uint64_t sum = 0;
    for (int status = 0; status < LOAD_STATUSES; status++)
        sum += result->measured->replies[kind][status];
    return sum;
}

/* ------------------------------------------------------------------ a mix of all kinds */

/* Fewer operations tell nothing of shares. */
#define ENOUGH 100

/* A busy machine may carry out fewer in a second: then the load is repeated. */
static struct load_result *load_enough(struct load_plan *plan)
{
    struct load_result *result = load(plan);
    for (int loads_left = 20; result->offered <= ENOUGH && loads_left > 0; loads_left--) {
        live_assert_counted(result);
        load_result_free(result);
        result = load(plan);
    }
    return result;
}

#define ALL                                                                                        \
    "get=20,exists=10,children=10,set=20,create=10,delete=5,multi=5,trylock=10,create-delete=10"

/* All of which a session has one outstanding at a time. */
#define ALL_SINGLE "get=30,exists=10,children=10,set=20,create=10,delete=5,multi=5,trylock=10"

/* Within four standard deviations of its share. */
static void assert_share(const struct load_result *result, enum load_kind kind, double percent)
{
    double all = (double)result->offered, share = percent / 100;
    double expected = all * share, width = 4 * sqrt(all * share * (1 - share)) + 1;
    double found = (double)replies_of(result, kind);
    if (fabs(found - expected) > width)
        fail_msg("%s: %.0f of %.0f operations, not %.0f +- %.0f", load_kind_word(kind), found, all,
                 expected, width);
}

static void assert_all_kinds(const struct load_result *result, const struct load_plan *plan)
{
    live_assert_counted(result);
    assert_true(result->offered > ENOUGH);
    assert_int_equal(result->measured->errors, 0);
    for (int kind = 0; kind < (int)MIX_KINDS; kind++)
        assert_share(result, (enum load_kind)kind, plan->mix.percent[kind]);
    assert_int_equal(histogram_count(&result->measured->service[ROLES][LOAD_KINDS]),
                     result->offered);
    assert_int_equal(histogram_count(&result->measured->response[ROLES][LOAD_KINDS]),
                     result->offered);
    assert_true(result->measured->replies[LOAD_TRYLOCK][ZK_OK] > 0);
    assert_int_equal(result->measured->replies[LOAD_ASYNC_DELETE][ZK_OK] > 0,
                     plan->mix.percent[LOAD_CREATE_DELETE] > 0);
    assert_int_equal(result->total.of[TALLY_DELETE_FAILED], 0);
    assert_int_equal(result->servers.notifications, 0);
    assert_int_equal(result->servers.ephemerals, 0);
}

static void load_all_kinds(enum driver driver, uint32_t processes)
{
    struct load_plan plan = driver == DRIVER_SIMULATED ? simulated_plan_of(ALL) : plan_of(ALL);
    if (driver == DRIVER_THREADS) {
        plan = plan_of(ALL_SINGLE);
        plan.fleet.depth = 1;
    }
    plan.fleet.driver = driver;
    plan.fleet.processes = processes;
    plan.fleet.depth = mix_requests(&plan.mix, plan.fleet.depth);
    struct load_result *result = load_enough(&plan);
    assert_all_kinds(result, &plan);
    load_result_free(result);
    if (driver != DRIVER_SIMULATED)
        live_assert_children(0);
}

TEST(all_kinds_on_each_driver)
{
    load_all_kinds(DRIVER_EVENTS, 2);
    load_all_kinds(DRIVER_THREADS, 1);
    load_all_kinds(DRIVER_SIMULATED, 1);
}

/* A session that waits for each reply takes as long to delete its znodes as it took to create them,
 * and nothing but replies tells that it gets on. Its data znode is the last that it deletes. */
TEST(what_was_created_is_cleared_away_for_longer_than_the_timeout)
{
    struct load_plan plan = simulated_plan_of("create=99,get=1");
    plan.fleet.sessions = 1;
    plan.fleet.depth = 1;
    plan.fleet.timeout_ns = NS_PER_S;
    plan.seconds = 3;
    struct load_result *result = load(&plan);
    assert_int_equal(result->end, END_DONE);
    assert_int_equal(load_plan_znodes(&plan), 1);
    assert_int_equal(result->load->chores_done, 1);
    load_result_free(result);
}

/* ------------------------------------------------------------------ the data znodes */

struct layout {
    size_t listed; /* while the load is measured */
    uint64_t laid_out;
};

static void look_at_znodes(void *context, const struct load_progress *progress)
{
    struct layout *layout = context;
    char path[80];
    struct error error;
    if (progress->phase != LOAD_MEASURES || layout->listed > 0)
        return;
    snprintf(path, sizeof path, "%s/z", progress->load->plan->root);
    live_expect(setup_session_list_children(live_host.setup, path, NULL, &layout->listed, &error),
                &error);
    layout->laid_out = atomic_load(&progress->load->chores_done);
}

/* Eleven znodes of three sessions: 4, 4 and 3. Four, three, and one of these values at a time. */
TEST(znodes_are_laid_out_in_batches)
{
    static const uint32_t sizes[] = {100, 16000, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct layout layout = {0};
        struct load_plan plan = plan_of("get=100");
        plan.fleet.sessions = 3;
        plan.fleet.depth = 1;
        plan.znodes = 11;
        plan.value_bytes = sizes[i];
        struct load_result *result = live_load(&plan, look_at_znodes, &layout, NULL);
        assert_int_equal(layout.listed, 11);
        assert_int_equal(layout.laid_out, 11);
        load_result_free(result);
    }
}

/* ------------------------------------------------------------------ creates and their deletes */

/* While the server stands still, with requests outstanding. */
struct outage {
    struct proxy proxy;
    uint64_t began_ns;
    bool cut, is_over;
};

static void cut_all(struct outage *outage, uint32_t connections)
{
    outage->cut = true;
    for (uint32_t i = 0; i < connections; i++)
        proxy_cut(&outage->proxy, false);
}

static void cut_connections(void *context, const struct load_progress *progress)
{
    struct outage *outage = context;
    uint64_t now_ns = clock_now_ns();
    if (outage->began_ns == 0 && progress->phase != LOAD_MEASURES)
        return;
    if (outage->began_ns == 0) {
        pause_process(the_server());
        outage->began_ns = now_ns;
    } else if (!outage->cut && now_ns - outage->began_ns >= 400 * NS_PER_MS) {
        cut_all(outage, progress->load->plan->fleet.sessions);
    } else if (!outage->is_over && now_ns - outage->began_ns >= 600 * NS_PER_MS) {
        kill(the_server(), SIGCONT);
        outage->is_over = true;
    }
}

/* What is lost may have been carried out: it is not asked for again, and what it leaves goes with
 * the trial. Every create that was answered is followed by its delete. */
TEST(lost_creates_and_deletes_are_not_repeated)
{
    struct outage outage = {.proxy = proxy_start(&live_servers.endpoints[0])};
    struct load_plan plan = plan_of("create-delete=100");
    plan.fleet.servers = &outage.proxy.servers;
    plan.fleet.depth = mix_requests(&plan.mix, 2);
    plan.warm_up_ns = 0;
    plan.seconds = 2;
    struct load_result *result = live_load(&plan, cut_connections, &outage, NULL);
    const struct tally *total = &result->total;
    assert_true(outage.is_over);
    assert_in_range(result->losses, 1, plan.fleet.sessions);
    assert_int_equal(total->of[TALLY_CREATE_FAILED],
                     result->measured->replies[LOAD_CREATE_DELETE][ZK_CONNECTION_LOSS]);
    assert_int_equal(total->of[TALLY_DELETE_FAILED],
                     result->measured->replies[LOAD_ASYNC_DELETE][ZK_CONNECTION_LOSS]);
    assert_true(total->of[TALLY_CREATE_FAILED] > 0);
    assert_int_equal(total->of[TALLY_CREATE],
                     total->of[TALLY_CREATE_FAILED] + total->of[TALLY_DELETE]);
    assert_int_equal(result->measured->errors,
                     total->of[TALLY_CREATE_FAILED] + total->of[TALLY_DELETE_FAILED]);
    load_result_free(result);
    proxy_stop(&outage.proxy);
    live_assert_children(0);
}

/* ------------------------------------------------------------------ an offered rate */

/* What was due in the warm-up may be answered behind it, and is outstanding then. */
TEST(unlocks_come_on_top_of_the_rate)
{
    struct load_plan plan = simulated_plan_of("trylock=100");
    plan.rate_per_s = 500;
    plan.seconds = 2;
    struct load_result *result = load(&plan);
    assert_true(result->measured->replies[LOAD_UNLOCK][ZK_OK] > 100);
    assert_int_equal(result->offered, 1000);
    assert_int_equal(result->measured->unsent, 0);
    assert_true(result->measured->answered <= 1000 + plan.fleet.sessions * plan.fleet.depth);
    assert_int_equal(load_shared_second_sum(result->load, 0).answered +
                         load_shared_second_sum(result->load, 1).answered,
                     result->measured->answered);
    assert_int_equal(histogram_count(&result->measured->response[ROLES][LOAD_KINDS]), 1000);
    load_result_free(result);
}

/* What the servers have counted in all seconds. */
static struct load_server_second sum_of_seconds(const struct load_result *result)
{
    struct load_server_second sum = {.known = true};
    for (uint32_t i = 0; i < result->load->plan->seconds; i++) {
        const struct load_server_second *second = &result->server_seconds[i];
        sum.known = sum.known && second->known;
        sum.writes += second->writes;
        sum.reads += second->reads;
        sum.packets_received += second->packets_received;
    }
    return sum;
}

/* What each second has used is no more than the workers have used in all. */
static void assert_cpu_adds_up(const struct load_result *result)
{
    uint64_t sum_ns = 0, all_ns = 0, servers_ns = 0;
    for (uint32_t i = 0; i < result->load->plan->seconds; i++) {
        sum_ns += result->usage[i].client_cpu_ns;
        servers_ns += result->usage[i].server_cpu_ns;
    }
    assert_int_equal(result->server_cpu_ns, servers_ns);
    assert_true(servers_ns > 0 && servers_ns <= result->servers.cpu_ns);
    for (uint32_t i = 0; i < result->load->plan->fleet.processes; i++)
        all_ns += result->load->shared->workers[i].cpu_ns;
    assert_int_equal(result->client_cpu_ns, sum_ns);
    assert_true(sum_ns > 0);
    assert_true(sum_ns <= all_ns);
}

/* Constant: exactly so many. */
TEST(a_rate_is_offered)
{
    struct load_plan plan = plan_of("get=50,set=50");
    plan.rate_per_s = 500;
    plan.seconds = 2;
    struct load_result *result = load(&plan);
    live_assert_counted(result);
    assert_int_equal(result->offered, 1000);
    struct load_server_second sum = sum_of_seconds(result);
    assert_true(sum.writes <= result->servers.writes);
    assert_true(sum.reads <= result->servers.reads);
    assert_cpu_adds_up(result);
    assert_int_equal(histogram_count(&result->measured->lag) + result->measured->delayed +
                         result->measured->unsent,
                     1000);
    load_result_free(result);
}

/* What is measured before its warm-up is over is of cold servers. */
TEST(a_load_in_the_background_warms_up_in_full)
{
    const struct fleet_host host = {.setup = live_host.setup,
                                    .servers = &live_servers,
                                    .ensemble = live_ensemble,
                                    .interrupt_descriptor = -1};
    struct load_plan plan = plan_of("get=100");
    struct load_trial *trial = NULL;
    struct load_result *result = NULL;
    struct error error = {0};
    plan.root = ROOT "/background";
    plan.rate_per_s = 100;
    plan.warm_up_ns = 2 * NS_PER_S;
    plan.seconds = 1;
    assert_true(load_background_begin(&trial, &plan, &host));
    const struct load_shared *load = trial->load;
    uint64_t measures_ns = atomic_load(&load->measures_ns);
    assert_true(measures_ns - load->starts_ns >= NS_PER_S);
    assert_int_equal(atomic_load(&load->settles_ns) - measures_ns, NS_PER_S);
    live_expect(load_background_end(trial, &result, &error), &error);
    load_result_free(result);
}

/* No server of this machine reaches it with one request outstanding. All that was due was sent, or
 * counted as never sent; of a Poisson process within four standard deviations. */
TEST(a_rate_out_of_reach_is_told)
{
    for (int poisson = 0; poisson <= 1; poisson++) {
        struct load_plan plan = plan_of("set=100");
        plan.rate_per_s = 200000;
        plan.poisson = poisson;
        plan.fleet.sessions = 2;
        plan.fleet.depth = 1;
        struct load_result *result = load(&plan);
        live_assert_counted(result);
        assert_true(result->measured->unsent > 0);
        assert_true(result->measured->delayed > 0);
        assert_true(result->measured->answered + result->measured->unsent >= 100000);
        assert_true(fabs((double)result->offered - 200000) <= poisson * 4 * sqrt(200000));
        load_result_free(result);
    }
}

/* Of 500 operations a second, those due in the second in which the server stands still wait for its
 * end: half a second on average. Of those only as many as the depth were sent. */
TEST(a_pause_shows_in_the_response_in_full)
{
    uint64_t stopped_ns = 0;
    struct load_plan plan = plan_of("get=100");
    plan.rate_per_s = 500;
    plan.seconds = 8; /* the server stops in the first of them, or on a busy machine later */
    plan.fleet.depth = 1;
    struct load_result *result = live_load(&plan, stop_for_a_second, &stopped_ns, NULL);
    const struct histogram *response = &result->measured->response[ROLES][LOAD_KINDS];
    assert_int_equal(stopped_ns, UINT64_MAX);
    live_assert_counted(result);
    assert_int_equal(result->offered, 4000);
    /* In half a second of the pause, 250 operations come due that wait for half a second or more.
     */
    assert_true(histogram_above(response, NS_PER_S / 2) >= 250);
    assert_true(response->max_ns >= NS_PER_S * 9 / 10);
    assert_true(result->measured->delayed >= 250);
    load_result_free(result);
}

/* ------------------------------------------------------------------ snapshots */

/* The server writes one, at the latest, when it has logged so much since the last (main). */
#define SNAPSHOT_KIB     "1024"
#define SNAPSHOT_SETTING "-Dzookeeper.snapSizeLimitInKb=" SNAPSHOT_KIB

/* Set after set, until so much is logged that the server must have written one in the measured
 * time. */
TEST(a_snapshot_is_marked)
{
    char text[LOAD_MARKS_TEXT_SIZE];
    bool marked = false;
    for (int loads_left = 20; !marked && loads_left > 0; loads_left--) {
        struct load_plan plan = plan_of("set=100");
        plan.value_bytes = 8000;
        struct load_result *result = load(&plan);
        live_assert_counted(result);
        load_marks_format(&result->marks, 0, text, sizeof text);
        marked = strcmp(text, "server 1 snapshot") == 0;
        assert_int_equal(result->marks.count, marked);
        load_result_free(result);
    }
    assert_true(marked);
}

/* ------------------------------------------------------------------ other counts */

/* By zkherd's own session, which may not count it. */
struct own_write {
    bool is_made, is_counted;
};

static void write_once(void *context, const struct load_progress *progress)
{
    struct own_write *write = context;
    struct error error;
    if (write->is_made || progress->phase != LOAD_MEASURES)
        return;
    write->is_made = true;
    live_expect(setup_session_create(live_host.setup, "/more", "", &error), &error);
    if (write->is_counted)
        return;
    live_host.setup->traffic.requests--;
    live_host.setup->traffic.writes--;
}

static struct load_result *load_with_write(struct own_write *write)
{
    static struct load_plan plan; /* as long as the result */
    struct error error;
    plan = plan_of("get=50,set=50");
    struct load_result *result = live_load(&plan, write_once, write, NULL);
    assert_true(write->is_made);
    live_expect(setup_session_delete_tree(live_host.setup, "/more", &error), &error);
    return result;
}

TEST(what_zkherd_itself_has_written_is_left_out)
{
    struct load_result *result = load_with_write(&(struct own_write){.is_counted = true});
    assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
    load_result_free(result);
    result = load_with_write(&(struct own_write){.is_counted = false});
    assert_int_equal(result->reconcile.reconciled, RECONCILED_NO);
    assert_int_equal(result->reconcile.counter, server_counters_writes);
    assert_int_equal(result->reconcile.servers, result->reconcile.sessions + 1);
    load_result_free(result);
}

static struct setup_session *stranger;

/* Comes, and stays. */
static void come(void *context, const struct load_progress *progress)
{
    struct error error;
    (void)context;
    if (stranger == NULL && progress->phase == LOAD_MEASURES)
        live_expect(setup_session_new(&live_servers, NULL, 10 * NS_PER_S, -1, &stranger, &error),
                    &error);
}

TEST(a_stranger_on_a_private_server_is_named)
{
    struct load_plan plan = plan_of("get=100");
    struct load_result *result = live_load(&plan, come, NULL, NULL);
    assert_non_null(stranger);
    setup_session_free(stranger);
    stranger = NULL;
    assert_int_equal(result->reconcile.reconciled, RECONCILED_NA);
    assert_string_equal(result->not_valid,
                        "a client that is not zkherd's was connected to a private server");
    load_result_free(result);
}

/* ------------------------------------------------------------------ */

static int start_with_snapshots(void **state)
{
    const char *java = getenv("JAVA_TOOL_OPTIONS");
    char settings[256];
    snprintf(settings, sizeof settings, "%s " SNAPSHOT_SETTING, java != NULL ? java : "");
    setenv("JAVA_TOOL_OPTIONS", settings, 1);
    return live_start(state);
}

TEST_GROUP(start_with_snapshots, live_stop)
