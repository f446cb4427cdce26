// SPDX-License-Identifier: Apache-2.0
/* The counts of double barriers in free pace: what agrees, and one more or less of each. */

#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#define CLIENTS  4
#define BARRIERS 3

#define OTHERS (CLIENTS - 1)
#define WAITS  (OTHERS * CLIENTS * BARRIERS) /* each waits for each other */

/* Nobody is in anybody's way: one creates ready, and all have left when the first lists. */
static const struct tally fewest = {.of = {[TALLY_CREATE] = (CLIENTS + 1) * BARRIERS,
                                           [TALLY_EXISTS] = OTHERS * BARRIERS,
                                           [TALLY_GET_CHILDREN] = 2 * CLIENTS * BARRIERS,
                                           [TALLY_DELETE] = CLIENTS * BARRIERS}};

TEST(test_no_count_may_be_off_by_one)
{
    static const enum tally_kind kinds[] = {
        TALLY_CREATE, TALLY_CREATE_FAILED, TALLY_EXISTS, TALLY_GET,  TALLY_GET_CHILDREN,
        TALLY_SET,    TALLY_DELETE,        TALLY_MULTI,  TALLY_SYNC, TALLY_DELETE_FAILED};
    char why[100];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct tally total = fewest;
        total.of[kinds[i]]++;
        assert_false(law_barriers_agree(&total, CLIENTS, BARRIERS, why, sizeof why));
    }
}

/* What is more than the fewest of each, or less; and what differs is named. */
TEST(test_counts_are_between_the_fewest_and_the_most)
{
    static const struct {
        int create, failed, exists, list, delete, notified;
        const char *why; /* "": they agree; NULL: they do not */
    } cases[] = {
        {.why = ""},
        {.delete = -1, .why = "deletes: 11, where there are 12 to 12"},
        {.exists = -1},
        {.create = -1, .exists = 1}, /* a znode less, looked for instead: the sums are right */
        /* All find all znodes, and one of them is first. */
        {.create = OTHERS * BARRIERS,
         .failed = OTHERS * BARRIERS,
         .exists = -OTHERS * BARRIERS,
         .why = ""},
        {.create = OTHERS * BARRIERS + 1,
         .failed = OTHERS * BARRIERS + 1,
         .exists = -OTHERS * BARRIERS,
         .list = 1},
        {.exists = WAITS, .list = WAITS, .notified = WAITS + OTHERS * BARRIERS, .why = ""},
        {.exists = WAITS, .list = WAITS, .notified = WAITS + OTHERS * BARRIERS + 1},
        {.exists = WAITS + 1, .list = WAITS + 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[100] = "";
        struct tally total = fewest;
        total.of[TALLY_CREATE] += (uint64_t)cases[i].create;
        total.of[TALLY_CREATE_FAILED] += (uint64_t)cases[i].failed;
        total.of[TALLY_EXISTS] += (uint64_t)cases[i].exists;
        total.of[TALLY_GET_CHILDREN] += (uint64_t)cases[i].list;
        total.of[TALLY_DELETE] += (uint64_t)cases[i].delete;
        total.of[TALLY_NOTIFICATION] += (uint64_t)cases[i].notified;
        bool agrees = law_barriers_agree(&total, CLIENTS, BARRIERS, why, sizeof why);
        assert_int_equal(agrees, cases[i].why != NULL && cases[i].why[0] == '\0');
        if (cases[i].why != NULL && !agrees)
            assert_string_equal(why, cases[i].why);
    }
}

/* Lockstep is one of the orders. */
TEST(test_the_law_agrees)
{
    char why[100];
    for (uint64_t clients = 1; clients <= 9; clients++) {
        struct tally law = {0};
        law_total(registry_find("barrier"), clients, clients, &law);
        assert_true(law_barriers_agree(&law, clients, 1, why, sizeof why));
    }
}
