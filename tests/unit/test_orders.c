// SPDX-License-Identifier: Apache-2.0
/* In which order the sessions of a lock send their requests. */
#include "history/orders.h"

#include "tests/support/test.h"

static struct orders orders;

static int tear_down(void **state)
{
    (void)state;
    orders_deinit(&orders);
    return 0;
}

static void assert_most(enum orders_kind kind, uint64_t times, size_t length, enum tally_kind first,
                        enum tally_kind last)
{
    const struct orders_sequence *most = orders_most(&orders, kind);
    assert_non_null(most);
    assert_int_equal(most->times, times);
    assert_int_equal(most->length, length);
    assert_int_equal(most->requests[0], first);
    assert_int_equal(most->requests[length - 1], last);
}

static void arrive(int64_t session, enum tally_kind look)
{
    orders_ask(&orders, session, TALLY_CREATE);
    orders_ask(&orders, session, TALLY_GET_CHILDREN);
    orders_ask(&orders, session, look);
}

TEST_BETWEEN(what_most_sessions_do_is_the_order, NULL, tear_down)
{
    assert_null(orders_most(&orders, ORDERS_ARRIVAL));
    arrive(1, TALLY_EXISTS);
    arrive(2, TALLY_GET);
    arrive(3, TALLY_GET);
    for (int64_t session = 1; session <= 3; session++) {
        orders_notify(&orders, session);
        orders_ask(&orders, session, TALLY_GET_CHILDREN);
    }
    assert_most(ORDERS_ARRIVAL, 2, 3, TALLY_CREATE, TALLY_GET);
    assert_null(orders_most(&orders, ORDERS_GRANTED));
    orders_ask(&orders, 1, TALLY_EXISTS);
    orders_notify(&orders, 1); /* in vain */
    orders_ask(&orders, 1, TALLY_SYNC);
    orders_release(&orders, 1);
    orders_ask(&orders, 1, TALLY_DELETE); /* in no sequence */
    arrive(1, TALLY_GET);
    orders_notify(&orders, 1);
    assert_most(ORDERS_ARRIVAL, 3, 3, TALLY_CREATE, TALLY_GET);
    assert_most(ORDERS_IN_VAIN, 1, 2, TALLY_GET_CHILDREN, TALLY_EXISTS);
    assert_most(ORDERS_GRANTED, 1, 1, TALLY_SYNC, TALLY_SYNC);
}

TEST_BETWEEN(a_long_sequence_is_cut_off, NULL, tear_down)
{
    for (int i = 0; i < 2 * ORDERS_LENGTH; i++)
        orders_ask(&orders, 1, i < ORDERS_LENGTH ? TALLY_GET : TALLY_SYNC);
    orders_release(&orders, 1);
    assert_most(ORDERS_ARRIVAL, 1, ORDERS_LENGTH, TALLY_GET, TALLY_GET);
}

TEST_BETWEEN(too_many_different_sequences_are_not_told_apart, NULL, tear_down)
{
    for (int64_t session = 1; session <= 3 * ORDERS_MOST; session++) {
        for (int bit = 0; bit < 8; bit++)
            orders_ask(&orders, session, session >> bit & 1 ? TALLY_GET : TALLY_SYNC);
        orders_release(&orders, session);
    }
    assert_int_equal(orders.counts[ORDERS_ARRIVAL], ORDERS_MOST);
}
