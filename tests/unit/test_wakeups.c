// SPDX-License-Identifier: Apache-2.0
/* At the deadline: who waits for what has happened has lost a wake-up, and nobody else has. */

#include "base/clock.h"
#include "recipes/registry.h"
#include "trial/internal.h"

#include "tests/support/test.h"

static struct trial_plan plan;
static struct trial_memory *memory;
static struct sim *sim;
static struct setup_session *setup;

/* One znode is there, and one is not. */
FIXTURE(set_up)
{
    struct sim_options options = sim_options_default();
    struct error error;
    plan = (struct trial_plan){
        .recipe = registry_find("scalable"), .fleet.sessions = 2, .locks = 1, .fleet.processes = 1};
    return sim_new(&options, &sim, &error) != ERROR_NONE ||
           setup_session_new_simulated(sim, NS_PER_S, &setup, &error) != ERROR_NONE ||
           setup_session_create(setup, "/there", &error) != ERROR_NONE ||
           trial_memory_new(&plan, &memory, &error) != ERROR_NONE;
}

FIXTURE(tear_down)
{
    trial_memory_free(memory);
    setup_session_free(setup);
    sim_free(sim);
    return 0;
}

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
        assert_int_equal(memory->violations[before].kind, VIOLATION_LOST_WAKEUP);
        assert_int_equal(memory->violations[before].session, 2);
    }
    return lost;
}

TEST_BETWEEN(test_who_waits_for_a_deletion, set_up, tear_down)
{
    assert_int_equal(lost_by_who_awaits(EVENT_DELETED, "/there", false), 0);
    assert_int_equal(lost_by_who_awaits(EVENT_DELETED, "/gone", false), 1);
}

TEST_BETWEEN(test_who_waits_for_a_creation, set_up, tear_down)
{
    assert_int_equal(lost_by_who_awaits(EVENT_CREATED, "/gone", false), 0);
    assert_int_equal(lost_by_who_awaits(EVENT_CREATED, "/there", false), 1);
}

TEST_BETWEEN(test_who_lost_its_connection_may_not_have_heard, set_up, tear_down)
{
    assert_int_equal(lost_by_who_awaits(EVENT_DELETED, "/gone", true), 0);
    assert_int_equal(lost_by_who_awaits(EVENT_CREATED, "/there", true), 0);
}
