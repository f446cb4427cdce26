// SPDX-License-Identifier: Apache-2.0
#include "tests/support/outside.h"

struct ensemble *outside_server;
char outside[64];

int outside_start(void **state)
{
    (void)state;
    struct ensemble_options options = ensemble_options_default();
    struct error error = {0};
    options.heap_mib = 256;
    program_find(NULL);
    if (ensemble_start(&options, &outside_server, &error) != ERROR_NONE) {
        print_error("%s: %s: %s\n", error.subject, error_words(error.kind), error.detail);
        return -1;
    }
    const struct endpoint *endpoint = &outside_server->connect.endpoints[0];
    snprintf(outside, sizeof outside, "%.20s:%u", endpoint->host, endpoint->port);
    return 0;
}

int outside_stop(void **state)
{
    (void)state;
    ensemble_stop(outside_server);
    return 0;
}

/* How many sessions and ephemeral znodes the server has, and znodes right below its root. */
struct outside_view {
    uint64_t sessions, ephemerals;
    size_t children;
};

struct four_letter_counters count_outside(void)
{
    struct four_letter_counters counters;
    struct error error;
    assert_int_equal(
        four_letter_counters(&outside_server->connect.endpoints[0], PATIENCE_NS, &counters, &error),
        ERROR_NONE);
    return counters;
}

static struct outside_view look_outside(void)
{
    struct connect_string servers;
    struct setup_session *setup = NULL;
    struct four_letter_counters counters = count_outside();
    struct outside_view view = {0};
    struct error error;
    servers = outside_server->connect;
    assert_int_equal(setup_session_new(&servers, NULL, PATIENCE_NS, -1, &setup, &error),
                     ERROR_NONE);
    assert_int_equal(setup_session_list_children(setup, "/", NULL, &view.children, &error),
                     ERROR_NONE);
    setup_session_free(setup);
    view.sessions = counters.connections - 1; /* the question's own */
    view.ephemerals = counters.ephemerals_count;
    return view;
}

void assert_nothing_left_outside(size_t children)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    for (;;) {
        struct outside_view view = look_outside();
        if (view.sessions == 0 && view.ephemerals == 0 && view.children == children)
            return;
        if (clock_now_ns() >= until_ns)
            fail_msg("left on the server: %llu sessions, %llu ephemeral znodes, %zu znodes, not "
                     "%zu",
                     (unsigned long long)view.sessions, (unsigned long long)view.ephemerals,
                     view.children, children);
        pause_ms(20);
    }
}
