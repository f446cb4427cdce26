// SPDX-License-Identifier: Apache-2.0
/* When a trial is cut short its sessions end beside each other, and tell each other so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recipes/registry.h"
#include "trial/seat.h"

static void test_nothing_counts_behind_the_last_reading(void **state)
{
    const struct trial_plan plan = {
        .recipe = registry_find("childwatch"), .clients = 3, .locks = 1, .processes = 1};
    const struct seat_timer no_timer = {NULL, NULL};
    const struct client_reply reply = {.operation = CLIENT_GET_CHILDREN, .name_count = 3};
    struct board *board = NULL;
    struct fault fault;
    struct seat seat;
    (void)state;
    assert_int_equal(board_new(&plan, &board, &fault), FAULT_NONE);
    seat_init(&seat, board, &board->workers[0], 1, &no_timer, 1);
    seat.state = SEAT_DEAD; /* whose connection is not asked for its bytes */
    seat_take_reading(&seat);
    seat_listener.notified(&seat, EVENT_CHILD, "/x");
    seat_listener.replied(&seat, &reply);
    seat_listener.state_changed(&seat, CLIENT_EXPIRED);
    seat_alarm_rang(&seat, 0);
    const struct tally *total = &board->workers[0].total;
    assert_int_equal(total->of[TALLY_NOTIFICATION], 0);
    assert_int_equal(total->of[TALLY_NAMES_LISTED], 0);
    assert_int_equal(atomic_load(&board->lost), 0);
    assert_int_equal(ledger_row(&board->ledger, 0, 0)->tally.of[TALLY_NOTIFICATION], 0);
    assert_int_equal(seat.state, SEAT_READ);
    board_free(board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_counts_behind_the_last_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
