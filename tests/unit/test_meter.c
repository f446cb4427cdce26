// SPDX-License-Identifier: Apache-2.0
/* Times from a release to what follows it, when another process releases at the same moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recipes/registry.h"
#include "trial/death.h"
#include "trial/meter.h"

static struct trial_plan plan;
static struct board *board;
static struct meter meter;

/* All have arrived at the only lock. */
static int set_up(void **state)
{
    struct fault fault;
    (void)state;
    plan = (struct trial_plan){
        .recipe = registry_find("nonscalable"), .clients = 3, .locks = 1, .processes = 1};
    if (board_new(&plan, &board, &fault) != FAULT_NONE)
        return -1;
    meter = (struct meter){.board = board, .worker = &board->workers[0]};
    atomic_store(&board->locks[0].arrivals, plan.clients);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    board_free(board);
    return 0;
}

static const struct histogram *latency(enum meter_kind kind)
{
    return &board->workers[0].latency[meter.role][kind];
}

static void test_times_are_from_the_release_on(void **state)
{
    (void)state;
    meter_releasing(&meter, 1000);
    meter_notified(&meter, EVENT_DELETED, false, 1200);
    meter_granted(&meter, 1, 900, 1700);
    assert_int_equal(latency(METER_NOTIFICATION)->max_ns, 200);
    assert_int_equal(latency(METER_HANDOFF)->max_ns, 700);
    assert_int_equal(ledger_row(&board->ledger, 0, 1)->handoff_ns, 700);
}

/* The clock was looked at before the other process sent it. */
static void test_what_came_before_a_release_is_not_its_work(void **state)
{
    (void)state;
    meter_releasing(&meter, 1000);
    meter_notified(&meter, EVENT_DELETED, true, 999);
    meter_granted(&meter, 1, 900, 999);
    assert_int_equal(histogram_count(latency(METER_NOTIFICATION)), 0);
    assert_int_equal(histogram_count(latency(METER_HANDOFF)), 0);
    assert_int_equal(histogram_overflow(latency(METER_NOTIFICATION)), 0);
    assert_int_equal(histogram_overflow(latency(METER_HANDOFF)), 0);
    assert_int_equal(ledger_row(&board->ledger, 0, 1)->handoff_ns, 0);
    assert_int_equal(board->workers[0].total.of[TALLY_NOTIFICATION], 1);
}

static void test_a_grant_before_a_death_is_no_recovery(void **state)
{
    (void)state;
    death_note(board, 0, 1000);
    meter_granted(&meter, 1, 900, 999);
    assert_int_equal(atomic_load(&board->recovery_ns), 0);
    meter_granted(&meter, 2, 900, 1300);
    assert_int_equal(atomic_load(&board->recovery_ns), 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_times_are_from_the_release_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_came_before_a_release_is_not_its_work, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_grant_before_a_death_is_no_recovery, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
