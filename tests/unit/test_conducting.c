// SPDX-License-Identifier: Apache-2.0
/* How a trial runs, in simulations: what is progress, what is waited for at the end, and which
 * times come out; what is told of one in which nothing moved; and the messages of traced handoffs.
 */
#include "tests/support/simulation.h"
#include "tests/support/test.h"

#include "base/clock.h"
#include "trial/internal.h"

static struct simulation simulation;

FIXTURE(set_up)
{
    simulation_init(&simulation, 3);
    return 0;
}

static struct trial_plan plan_of(const char *recipe, enum pace pace)
{
    struct trial_plan plan = simulation_plan(&simulation, registry_find(recipe), 6);
    plan.pace = pace;
    plan.fleet.session_timeout_ms = 30000;
    return plan;
}

/* ------------------------------------------------------------------ progress */

/* Who polls a lock that nobody gives up sends requests for ever. */
TEST_BETWEEN(test_in_free_pace_messages_alone_are_no_progress, set_up, NULL)
{
    struct trial_plan plan = plan_of("poll", PACE_FREE);
    plan.hold.mean_ns = 3 * plan.fleet.timeout_ns;
    struct trial_result *result = simulation_run(&simulation, &plan);
    assert_int_equal(result->end, END_DEADLINE);
    assert_int_equal(result->handoffs, 1);
    trial_result_free(result);
}

/* Who is woken asks for all whom it found in line, one after the other. */
TEST_BETWEEN(test_under_lockstep_messages_are_progress, set_up, NULL)
{
    struct trial_plan plan = plan_of("walkback", PACE_LOCKSTEP);
    plan.fleet.sessions = 20;
    simulation.options.costs.read_ns = plan.fleet.timeout_ns / 10;
    struct trial_result *result = simulation_run(&simulation, &plan);
    assert_int_equal(result->end, END_DONE);
    assert_int_equal(result->violation_count, 0);
    assert_true(result->latency[METER_HANDOFF].max_ns > plan.fleet.timeout_ns);
    trial_result_free(result);
}

/* ------------------------------------------------------------------ the end */

ACQUIRE(lingering)
{
    return recipe_scalable.acquire(s);
}

/* Whoever is not the last leaves a watch on the line, which fires when the next one leaves. */
RELEASE(lingering)
{
    BEGIN;
    AWAIT(get_children(s, s->lock, NO_WATCH));
    s->value = (int64_t)s->reply->name_count;
    AWAIT(delete_znode(s, s->node));
    if (s->value > 1)
        AWAIT(get_children(s, s->lock, WATCH));
    RELEASED;
    END;
}

static const struct recipe recipe_lingering = {
    .name = "lingering", .fifo = true, .acquire = lingering_acquire, .release = lingering_release};

/* The last to leave has its reply before another, on a server that is behind, is told of it. */
TEST_BETWEEN(test_in_free_pace_the_last_notifications_are_received, set_up, NULL)
{
    struct trial_plan plan = plan_of("scalable", PACE_FREE);
    plan.recipe = &recipe_lingering;
    simulation.options.costs.network_ns = simulation.options.costs.network_jitter_ns = NS_PER_S;
    plan.fleet.timeout_ns = 100 * NS_PER_S;
    for (plan.fleet.seed = 1; plan.fleet.seed <= 20; plan.fleet.seed++) {
        struct trial_result *result = simulation_run(&simulation, &plan);
        assert_int_equal(result->violation_count, 0);
        assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
        trial_result_free(result);
    }
}

/* ------------------------------------------------------------------ the clients' times */

/* One that has died has released nothing: it is none of those whose mean it is. */
TEST_BETWEEN(a_clients_time_is_of_those_that_have_released, set_up, NULL)
{
    struct trial_plan plan = plan_of("scalable", PACE_LOCKSTEP);
    plan.death = (struct death){.how = DEATH_CRASH, .who = DEATH_HOLDER, .handoff = 2};
    struct trial_result *result = simulation_run(&simulation, &plan);
    const struct trial_memory *memory = result->memory;
    uint64_t gate_ns = atomic_load(&memory->last_released_ns) - result->elapsed_ns, sum_ns = 0;
    unsigned released = 0;
    assert_int_equal(result->end, END_DONE);
    for (uint32_t i = 0; i < plan.fleet.sessions; i++) {
        uint64_t released_ns = memory->sessions[i].released_ns;
        sum_ns += released_ns > 0 ? released_ns - gate_ns : 0;
        released += released_ns > 0;
    }
    assert_int_equal(released, plan.fleet.sessions - 1);
    assert_int_equal(result->client_ns, sum_ns / released);
    trial_result_free(result);
}

/* ------------------------------------------------------------------ a rate */

static struct trial_result *run_at(uint64_t rate, uint64_t timeout_ns)
{
    static struct trial_plan plan; /* outlives its result */
    plan = simulation_plan(&simulation, registry_find("nonscalable"), 16);
    plan.max_rate = rate;
    plan.fleet.timeout_ns = timeout_ns;
    struct trial_result *result = simulation_run(&simulation, &plan);
    assert_int_equal(result->end, END_DONE);
    assert_int_equal(result->violation_count, 0);
    return result;
}

/* The last release is one request, or two: all before it have been waited for. Nor does the rate
 * change what is counted, to the byte. */
TEST_BETWEEN(the_average_is_kept, set_up, NULL)
{
    static const uint64_t rates[] = {10, 100, 1000};
    struct trial_result *unpaced = run_at(0, 10 * NS_PER_S);
    assert_true(unpaced->elapsed_ns < NS_PER_S);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct trial_result *result = run_at(rates[i], 10 * NS_PER_S);
        uint64_t rpcs = tally_rpcs(&result->total);
        assert_int_equal(rpcs, 272);
        assert_true(result->elapsed_ns >= (rpcs - 2) * NS_PER_S / rates[i]);
        assert_true(result->elapsed_ns <= rpcs * NS_PER_S / rates[i] + 100 * NS_PER_MS);
        assert_memory_equal(&result->total, &unpaced->total, sizeof result->total);
        trial_result_free(result);
    }
    trial_result_free(unpaced);
}

/* ------------------------------------------------------------------ nothing moves */

#define SESSIONS 6

static struct trial_plan stuck;
static struct trial_memory *memory;
static struct server_counters counters;
static struct setup_session *setup;

/* Sessions of three simulated servers in turn, all of them unfinished, none with a request out. */
FIXTURE(get_stuck)
{
    struct error error;
    simulation_init(&simulation, 3);
    stuck = (struct trial_plan){.recipe = registry_find("scalable"),
                                .fleet.sessions = SESSIONS,
                                .locks = 1,
                                .fleet.processes = 1,
                                .fleet.timeout_ns = 30 * NS_PER_S,
                                .fleet.servers = &simulation.servers};
    counters = (struct server_counters){.servers = &simulation.servers};
    if (sim_new(&simulation.options, &counters.sim, &error) != ERROR_NONE ||
        setup_session_new_simulated(counters.sim, NS_PER_S, &setup, &error) != ERROR_NONE ||
        setup_session_create(setup, "/there", "", &error) != ERROR_NONE ||
        trial_memory_new(&stuck, &memory, &error) != ERROR_NONE)
        return -1;
    for (uint32_t i = 0; i < SESSIONS; i++) {
        struct trial_session_report *session = &memory->sessions[i];
        session->unfinished = true;
        snprintf(session->node, sizeof session->node, "/l/n%u", i);
        snprintf(memory->fleet->sessions[i].server, sizeof memory->fleet->sessions[i].server,
                 "simulated:%u", i % 3 + 1);
    }
    return 0;
}

FIXTURE(forget_stuck)
{
    trial_memory_free(memory);
    setup_session_free(setup);
    sim_free(counters.sim);
    return 0;
}

TEST_BETWEEN(test_each_server_is_told_that_has_requests, get_stuck, forget_stuck)
{
    char text[512];
    memory->sessions[0].unfinished = memory->sessions[1].unfinished = false;
    memory->fleet->sessions[2].asked = memory->fleet->sessions[4].asked =
        memory->fleet->sessions[5].asked = memory->fleet->sessions[4].answered = true;
    ending_describe(memory, &counters, END_DEADLINE, text, sizeof text);
    assert_string_equal(text, "nothing moved for 30 s: 4 sessions are unfinished, the first is "
                              "session 2, which has a request out for its znode /l/n2; out at "
                              "simulated:2 (follower): 1 request, 1 answered but not read; out at "
                              "simulated:3 (leader): 2 requests");
}

/* ------------------------------------------------------------------ lost wake-ups */

/* Of two znodes one is there. */
static uint32_t lost_by_who_awaits(enum client_event event, const char *path, bool missed)
{
    struct trial_session_report *session = &memory->sessions[1];
    struct error error;
    uint32_t before = atomic_load(&memory->violation_count);
    session->parked = true;
    session->missed = missed;
    session->awaited = event;
    snprintf(session->waits_for, sizeof session->waits_for, "%s", path);
    assert_int_equal(znodes_check_wakeups(memory, setup, &error), ERROR_NONE);
    uint32_t lost = atomic_load(&memory->violation_count) - before;
    if (lost > 0) {
        assert_int_equal(memory->violations[before].kind, VIOLATION_MISSED_EVENT);
        assert_int_equal(memory->violations[before].session, 2);
    }
    return lost;
}

/* Who lost its connection may not have received what was sent. */
TEST_BETWEEN(test_who_waits_for_what_has_happened, get_stuck, forget_stuck)
{
    assert_int_equal(lost_by_who_awaits(EVENT_DELETED, "/there", false), 0);
    assert_int_equal(lost_by_who_awaits(EVENT_DELETED, "/gone", true), 0);
    assert_int_equal(lost_by_who_awaits(EVENT_CREATED, "/there", true), 0);
    assert_int_equal(lost_by_who_awaits(EVENT_CREATED, "/gone", false), 0);
    assert_int_equal(lost_by_who_awaits(EVENT_DELETED, "/gone", false), 1);
    assert_int_equal(lost_by_who_awaits(EVENT_CREATED, "/there", false), 1);
}

/* ------------------------------------------------------------------ traces */

#define CLIENTS 8

static const uint64_t traced[] = {1, 3, 4, 8};
static struct trial_result *result;

FIXTURE(forget_trial)
{
    trial_result_free(result);
    result = NULL;
    return 0;
}

static void run_traced(const struct recipe *recipe, struct trial_plan *plan)
{
    simulation_init(&simulation, 1);
    *plan = simulation_plan(&simulation, recipe, CLIENTS);
    plan->traced = traced;
    plan->traced_count = sizeof traced / sizeof traced[0];
    trial_result_free(result);
    result = simulation_run(&simulation, plan);
    assert_int_equal(result->end, END_DONE);
}

/* Adds what the event is counted as. */
static void count(const struct trace_event *event, struct tally *tally)
{
    static const enum tally_kind kinds[] = {
        [OP_CREATE] = TALLY_CREATE, [OP_EXISTS] = TALLY_EXISTS,
        [OP_GET] = TALLY_GET,       [OP_GET_CHILDREN] = TALLY_GET_CHILDREN,
        [OP_SET] = TALLY_SET,       [OP_DELETE] = TALLY_DELETE,
        [OP_SYNC] = TALLY_SYNC,     [OP_MULTI] = TALLY_MULTI,
    };
    bool failed = event->kind == TRACE_REPLY && event->status != ZK_OK;
    if (event->kind == TRACE_REQUEST)
        tally->of[kinds[event->operation]]++;
    if (failed && event->operation == OP_CREATE)
        tally->of[TALLY_CREATE_FAILED]++;
    if (failed && event->operation == OP_DELETE)
        tally->of[TALLY_DELETE_FAILED]++;
    if (event->kind == TRACE_NOTIFICATION)
        tally->of[TALLY_NOTIFICATION]++;
    if (event->kind == TRACE_NOTIFICATION && !event->wakes)
        tally->of[TALLY_NOTIFICATION_SPURIOUS]++;
}

static bool has_length(enum tally_kind kind)
{
    return kind == TALLY_BYTES_SENT || kind == TALLY_BYTES_RECEIVED || kind == TALLY_NAMES_LISTED;
}

static void assert_handoff(const struct trace *trace, uint64_t handoff)
{
    const struct ledger_row *row = ledger_row(&result->memory->ledger, 0, handoff);
    struct tally found = {0};
    unsigned releases = 0, requests = 0, replies = 0, grants = 0;
    uint64_t before_ns = 0, sent_ns[CLIENTS] = {0};
    for (size_t i = 0; i < trace_kept(trace); i++) {
        const struct trace_event *event = &trace->events[i];
        if (event->handoff != handoff)
            continue;
        count(event, &found);
        releases += event->kind == TRACE_RELEASE;
        requests += event->kind == TRACE_REQUEST;
        replies += event->kind == TRACE_REPLY;
        grants += event->kind == TRACE_GRANT;
        assert_int_equal(event->lock, 0);
        assert_in_range(event->session, 0, CLIENTS - 1);
        assert_true(event->at_ns >= row->released_ns && event->at_ns >= before_ns);
        if (event->kind == TRACE_RELEASE)
            assert_int_equal(event->at_ns, row->released_ns);
        if (event->kind == TRACE_GRANT && row->granted == 1)
            assert_int_equal(event->session + 1, row->holder);
        if (event->kind == TRACE_GRANT && row->granted == 1 && row->handoff_ns > 0)
            assert_int_equal(event->at_ns - row->released_ns, row->handoff_ns);
        if (event->kind == TRACE_REQUEST)
            sent_ns[event->session] = event->at_ns;
        if (event->kind == TRACE_REPLY)
            assert_int_equal(event->latency_ns, event->at_ns - sent_ns[event->session]);
        before_ns = event->at_ns;
    }
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        if (!has_length((enum tally_kind)kind))
            assert_int_equal(found.of[kind], row->tally.of[kind]);
    }
    assert_int_equal(requests, replies);
    assert_int_equal(releases, 1);
    assert_int_equal(grants, row->granted);
}

TEST_BETWEEN(the_trace_has_what_the_ledger_counts, NULL, forget_trial)
{
    const struct recipe *recipe;
    struct trial_plan plan;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        if (!recipe_has_law(recipe) || recipe->broken || recipe->barrier ||
            recipe->death.how != DEATH_NONE)
            continue;
        run_traced(recipe, &plan);
        struct trace *trace = &result->memory->trace;
        trace_sort(trace);
        assert_int_equal(trace_lost(trace), 0);
        for (size_t i = 0; i < plan.traced_count; i++)
            assert_handoff(trace, traced[i]);
        size_t others = 0;
        for (size_t i = 0; i < trace_kept(trace); i++)
            others += strchr("1348", (char)('0' + trace->events[i].handoff)) == NULL;
        assert_int_equal(others, 0);
    }
}

TEST(what_finds_no_place_is_counted)
{
    struct trace_event places[2];
    struct trace trace = {.events = places, .places = 2};
    for (uint32_t session = 0; session < 2; session++)
        trace_note(&trace, &(struct trace_event){.session = session});
    assert_int_equal(trace_kept(&trace), 2);
    assert_int_equal(trace_lost(&trace), 0);
    trace_note(&trace, &(struct trace_event){.session = 2});
    assert_int_equal(trace_kept(&trace), 2);
    assert_int_equal(trace_lost(&trace), 1);
    assert_int_equal(places[1].session, 1);
}

TEST(events_are_in_the_order_of_lock_handoff_and_time)
{
    static const struct trace_event noted[] = {
        {.lock = 1, .handoff = 1, .at_ns = 1, .session = 5},
        {.lock = 0, .handoff = 2, .at_ns = 2, .session = 3},
        {.lock = 0, .handoff = 2, .at_ns = 2, .session = 4},
        {.lock = 0, .handoff = 2, .at_ns = 1, .session = 2},
        {.lock = 0, .handoff = 1, .at_ns = 9, .session = 1},
    };
    struct trace_event places[5];
    struct trace trace = {.events = places, .places = 5};
    for (size_t i = 0; i < 5; i++)
        trace_note(&trace, &noted[i]);
    trace_sort(&trace);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(places[i].session, i + 1);
}
