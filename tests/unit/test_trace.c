// SPDX-License-Identifier: Apache-2.0
/* The messages of traced handoffs, in simulated trials of every recipe that has a law: as many of
 * each kind as the ledger's row has, and those of no other handoff. */
#include "tests/support/simulation.h"
#include "tests/support/test.h"

#include "base/clock.h"

#define CLIENTS 8

static const uint64_t traced[] = {1, 3, 4, 8};
static struct trial_result *result;

FIXTURE(tear_down)
{
    trial_result_free(result);
    result = NULL;
    return 0;
}

static void run(const struct recipe *recipe, struct trial_plan *plan)
{
    static struct simulation simulation;
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

TEST_BETWEEN(the_trace_has_what_the_ledger_counts, NULL, tear_down)
{
    const struct recipe *recipe;
    struct trial_plan plan;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        if (!recipe_has_law(recipe) || recipe->broken || recipe->barrier ||
            recipe->death.how != DEATH_NONE)
            continue;
        run(recipe, &plan);
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
