// SPDX-License-Identifier: Apache-2.0
/* In which order the sessions of locks send their requests, beside those of a built-in recipe. */
#include "base/clock.h"
#include "base/memory.h"
#include "bench/tap/internal.h"
#include "sim/sim.h"
#include "trial/trial.h"

#include <stdlib.h>
#include <string.h>

/* A simulated drain: an order shows with a few waiters. */
#define SIMULATED_CLIENTS            5
#define SIMULATED_TIMEOUT_NS         (600 * NS_PER_S)
#define SIMULATED_SESSION_TIMEOUT_MS 60000

/* ------------------------------------------------------------------ a recipe's own order */

static const enum tally_kind kind_of[] = {
    [OP_CREATE] = TALLY_CREATE, [OP_EXISTS] = TALLY_EXISTS,
    [OP_GET] = TALLY_GET,       [OP_GET_CHILDREN] = TALLY_GET_CHILDREN,
    [OP_SET] = TALLY_SET,       [OP_DELETE] = TALLY_DELETE,
    [OP_SYNC] = TALLY_SYNC,     [OP_MULTI] = TALLY_MULTI,
};

const char *tap_trace_word(enum tally_kind request)
{
    enum operation operation = OP_CREATE;
    while (kind_of[operation] != request)
        operation++;
    return trace_operation_word(operation);
}

/* A release is its first deletion, as a relay sees it. */
static void read_trace(struct trace *trace, struct orders *orders)
{
    bool releasing[SIMULATED_CLIENTS] = {0};
    trace_sort(trace);
    for (size_t i = 0; i < trace_kept(trace); i++) {
        const struct trace_event *event = &trace->events[i];
        bool deletes = event->kind == TRACE_REQUEST &&
                       (event->operation == OP_DELETE || event->operation == OP_MULTI);
        if (event->kind == TRACE_RELEASE)
            releasing[event->session] = true;
        if (deletes && releasing[event->session]) {
            orders_release(orders, event->session);
            releasing[event->session] = false;
        }
        if (event->kind == TRACE_REQUEST)
            orders_ask(orders, event->session, kind_of[event->operation]);
        if (event->kind == TRACE_NOTIFICATION)
            orders_notify(orders, event->session);
    }
}

/* Nothing is noted if the simulation does not end well: the order is then not told. */
static void simulate(const struct recipe *recipe, struct orders *orders)
{
    static const uint64_t traced[SIMULATED_CLIENTS + 1] = {0, 1, 2, 3, 4, 5};
    const struct connect_string servers = {.count = 1,
                                           .endpoints = {{.host = "simulated", .port = 1}}};
    const struct sim_options options = sim_options_default();
    const struct trial_plan plan = {
        .fleet = {.sessions = SIMULATED_CLIENTS,
                  .driver = DRIVER_SIMULATED,
                  .processes = 1,
                  .timeout_ns = SIMULATED_TIMEOUT_NS,
                  .session_timeout_ms = SIMULATED_SESSION_TIMEOUT_MS,
                  .servers = &servers},
        .recipe = recipe,
        .workload = WORKLOAD_DRAIN,
        .pace = PACE_LOCKSTEP,
        .locks = 1,
        .traced = traced,
        .traced_count = SIMULATED_CLIENTS + 1,
        .root = "/order",
    };
    const struct trial_host host = {
        .servers = &servers, .simulation = &options, .watch = {.interrupt_descriptor = -1}};
    struct trial_result *result = NULL;
    struct error error;
    if (trial_run(&plan, &host, &result, &error) != ERROR_NONE)
        return;
    if (result->end == END_DONE)
        read_trace(&result->memory->trace, orders);
    trial_result_free(result);
}

/* ------------------------------------------------------------------ sentences */

static void add_sequence(struct growing_text *text, const struct orders_sequence *sequence)
{
    for (size_t i = 0; i < sequence->length; i++)
        growing_text_add(text, "%s%s", i > 0 ? ", " : "", tap_request_word(sequence->requests[i]));
    if (sequence->length == 0)
        growing_text_add(text, "nothing");
}

static void add_order(struct growing_text *text, const char *who, const struct orders *orders)
{
    static const char *const what[ORDERS_KINDS] = {
        "to acquire", "when notified and granted the lock", "when notified in vain"};
    bool begun = false;
    for (enum orders_kind kind = 0; kind < ORDERS_KINDS; kind++) {
        const struct orders_sequence *most = orders_most(orders, kind);
        if (most == NULL)
            continue;
        if (begun)
            growing_text_add(text, "; ");
        else
            growing_text_add(text, "%s sends ", who);
        add_sequence(text, most);
        growing_text_add(text, " %s", what[kind]);
        begun = true;
    }
    growing_text_add(text, ".");
}

static bool is_same(const struct orders *one, const struct orders *other)
{
    for (enum orders_kind kind = 0; kind < ORDERS_KINDS; kind++) {
        const struct orders_sequence *a = orders_most(one, kind), *b = orders_most(other, kind);
        if ((a == NULL) != (b == NULL) ||
            (a != NULL &&
             (a->length != b->length ||
              memcmp(a->requests, b->requests, a->length * sizeof a->requests[0]) != 0)))
            return false;
    }
    return true;
}

/* The orders of the period with the most clients. */
static const struct orders *orders_of(const struct tap_result *result)
{
    const struct tap_period *most = NULL;
    for (size_t i = 0; i < result->period_count; i++)
        if (most == NULL || result->periods[i]->clients > most->clients)
            most = result->periods[i];
    if (most == NULL || orders_most(&most->handoffs.orders, ORDERS_GRANTED) == NULL)
        return NULL;
    /* Sessions that use one lock inside another seem to send nothing for one of them. */
    const struct orders_sequence *acquire = orders_most(&most->handoffs.orders, ORDERS_ARRIVAL);
    return acquire == NULL || acquire->length > 0 ? &most->handoffs.orders : NULL;
}

/* How the recipe's own sessions do it. */
static void add_recipe(struct growing_text *text, const struct orders *orders,
                       const struct recipe *recipe)
{
    struct orders *own = memory_new(1, sizeof *own);
    simulate(recipe, own);
    if (own->counts[ORDERS_GRANTED] > 0 && is_same(orders, own))
        growing_text_add(text, " A session of %s sends the same in the same order.", recipe->name);
    else if (own->counts[ORDERS_GRANTED] > 0) {
        char *who = memory_format(" A session of %s", recipe->name);
        add_order(text, who, own);
        free(who);
    }
    orders_deinit(own);
    free(own);
}

char *tap_order(const struct tap_result *result, const struct recipe *like)
{
    const struct orders *orders = orders_of(result);
    struct growing_text text = {0};
    if (orders == NULL)
        return NULL;
    add_order(&text, "A session", orders);
    if (like != NULL)
        add_recipe(&text, orders, like);
    return text.text;
}
