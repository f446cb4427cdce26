// SPDX-License-Identifier: Apache-2.0
/* The counts of double barriers in free pace: what agrees, and one more or less of each. */

#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#define CLIENTS  4
#define BARRIERS 3

static struct tally total;

static bool agrees(void)
{
    char why[100];
    return law_barriers_agree(&total, CLIENTS, BARRIERS, why, sizeof why);
}

/* Nobody is in anybody's way: one creates ready, and all have left when the first lists. */
FIXTURE(set_up)
{
    total = (struct tally){0};
    total.of[TALLY_CREATE] = (CLIENTS + 1) * BARRIERS;
    total.of[TALLY_EXISTS] = (CLIENTS - 1) * BARRIERS;
    total.of[TALLY_GET_CHILDREN] = 2 * CLIENTS * BARRIERS;
    total.of[TALLY_DELETE] = CLIENTS * BARRIERS;
    return 0;
}

TEST_BETWEEN(test_the_fewest_agree, set_up, NULL)
{
    assert_true(agrees());
}

TEST_BETWEEN(test_no_count_may_be_off_by_one, set_up, NULL)
{
    static const enum tally_kind kinds[] = {
        TALLY_CREATE, TALLY_CREATE_FAILED, TALLY_EXISTS, TALLY_GET,  TALLY_GET_CHILDREN,
        TALLY_SET,    TALLY_DELETE,        TALLY_MULTI,  TALLY_SYNC, TALLY_DELETE_FAILED};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        set_up(state);
        total.of[kinds[i]]++;
        assert_false(agrees());
    }
}

/* What differs is named. */
TEST_BETWEEN(test_nothing_is_missing, set_up, NULL)
{
    char why[100];
    total.of[TALLY_DELETE]--;
    assert_false(law_barriers_agree(&total, CLIENTS, BARRIERS, why, sizeof why));
    assert_string_equal(why, "deletes: 11, where there are 12 to 12");
    set_up(state);
    total.of[TALLY_EXISTS]--;
    assert_false(agrees());
    /* A znode less, looked for instead: the sums are right. */
    set_up(state);
    total.of[TALLY_CREATE]--;
    total.of[TALLY_EXISTS]++;
    assert_false(agrees());
}

/* All find all znodes, and one of them is first. */
TEST_BETWEEN(test_all_may_create_ready, set_up, NULL)
{
    total.of[TALLY_CREATE] += (CLIENTS - 1) * BARRIERS;
    total.of[TALLY_CREATE_FAILED] = (CLIENTS - 1) * BARRIERS;
    total.of[TALLY_EXISTS] = 0;
    assert_true(agrees());
    total.of[TALLY_CREATE]++;
    total.of[TALLY_CREATE_FAILED]++;
    total.of[TALLY_GET_CHILDREN]++;
    assert_false(agrees());
}

/* Each waits for each other, and is notified of each. */
TEST_BETWEEN(test_nobody_waits_more_often_than_there_are_others, set_up, NULL)
{
    const uint64_t waits = (CLIENTS - 1) * CLIENTS * BARRIERS;
    total.of[TALLY_EXISTS] += waits;
    total.of[TALLY_GET_CHILDREN] += waits;
    total.of[TALLY_NOTIFICATION] = total.of[TALLY_EXISTS];
    assert_true(agrees());
    total.of[TALLY_NOTIFICATION]++;
    assert_false(agrees());
    total.of[TALLY_NOTIFICATION]--;
    total.of[TALLY_EXISTS]++;
    total.of[TALLY_GET_CHILDREN]++;
    assert_false(agrees());
}

/* Lockstep is one of the orders. */
TEST_BETWEEN(test_the_law_agrees, set_up, NULL)
{
    char why[100];
    for (uint64_t clients = 1; clients <= 9; clients++) {
        struct tally law = {0};
        law_total(registry_find("barrier"), clients, clients, &law);
        assert_true(law_barriers_agree(&law, clients, 1, why, sizeof why));
    }
}
