// SPDX-License-Identifier: Apache-2.0
/* The words for a trial in which nothing moved: who waits, for what, and who owes an answer. */
#include "tests/support/simulation.h"
#include "tests/support/test.h"

#include "base/clock.h"
#include "trial/internal.h"

#define CLIENTS 6
#define SERVERS 3

static struct simulation simulation;
static struct trial_plan plan;
static struct trial_memory *memory;
static struct server_counters counters;

/* Sessions of three simulated servers in turn, all of them unfinished, none with a request out. */
FIXTURE(set_up)
{
    struct error error;
    simulation_init(&simulation, SERVERS);
    plan = (struct trial_plan){.recipe = registry_find("scalable"),
                               .fleet.sessions = CLIENTS,
                               .locks = 1,
                               .fleet.processes = 1,
                               .fleet.timeout_ns = 30 * NS_PER_S,
                               .fleet.servers = &simulation.servers};
    counters = (struct server_counters){.servers = &simulation.servers};
    if (sim_new(&simulation.options, &counters.sim, &error) != ERROR_NONE ||
        trial_memory_new(&plan, &memory, &error) != ERROR_NONE)
        return -1;
    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct trial_session_report *session = &memory->sessions[i];
        session->unfinished = true;
        snprintf(session->node, sizeof session->node, "/l/n%u", i);
        snprintf(memory->fleet->sessions[i].server, sizeof memory->fleet->sessions[i].server,
                 "simulated:%u", i % SERVERS + 1);
    }
    return 0;
}

FIXTURE(tear_down)
{
    trial_memory_free(memory);
    sim_free(counters.sim);
    return 0;
}

static void assert_told(const char *words)
{
    char text[512];
    ending_describe(memory, &counters, END_DEADLINE, text, sizeof text);
    assert_string_equal(text, words);
}

TEST_BETWEEN(test_who_waits_owes_nothing, set_up, tear_down)
{
    memory->sessions[0].parked = true;
    memory->sessions[0].awaited = EVENT_DELETED;
    snprintf(memory->sessions[0].waits_for, sizeof memory->sessions[0].waits_for, "/l/other");
    assert_told("nothing moved for 30 s: 6 sessions are unfinished, the first is session 0, which "
                "waits at /l/n0 for the deletion of /l/other");
}

TEST_BETWEEN(test_each_server_is_told_that_has_requests, set_up, tear_down)
{
    for (uint32_t i = 0; i < 2; i++)
        memory->sessions[i].unfinished = false;
    memory->fleet->sessions[2].asked = memory->fleet->sessions[4].asked =
        memory->fleet->sessions[5].asked = true;
    assert_told("nothing moved for 30 s: 4 sessions are unfinished, the first is session 2, which "
                "has a request out for its znode /l/n2; out at simulated:2 (follower): 1 request; "
                "out at simulated:3 (leader): 2 requests");
}

TEST_BETWEEN(test_what_was_not_read_is_told, set_up, tear_down)
{
    memory->fleet->sessions[0].asked = memory->fleet->sessions[3].asked =
        memory->fleet->sessions[3].answered = true;
    assert_told(
        "nothing moved for 30 s: 6 sessions are unfinished, the first is session 0, which "
        "has a request out for its znode /l/n0; out at simulated:1 (follower): 2 requests, 1 "
        "answered but not read");
}

/* The longest there is does not overflow. */
TEST_BETWEEN(test_what_is_too_long_is_cut_off, set_up, tear_down)
{
    char text[64];
    for (uint32_t i = 0; i < CLIENTS; i++)
        memory->fleet->sessions[i].asked = true;
    for (size_t size = 1; size < sizeof text; size++) {
        text[size] = 'x';
        ending_describe(memory, &counters, END_DEADLINE, text, size);
        assert_int_equal(strlen(text), size - 1);
    }
}
