// SPDX-License-Identifier: Apache-2.0
/* What is told at the end of a run of the trials that failed: each way of failing once. */

#include "bench/run/internal.h"
#include "recipes/registry.h"

#include "tests/support/said.h"
#include "tests/support/samples.h"
#include "tests/support/test.h"

static struct options options;
static struct sample list[8];
static struct samples samples = {.list = list};

/* violations 0, reason "": all is well. */
static void add(const char *recipe, uint32_t clients, uint32_t violations, const char *reason)
{
    struct sample *sample = &list[samples.count++];
    *sample = (struct sample){.cell = {.recipe = registry_find(recipe),
                                       .clients = clients,
                                       .trial = (uint32_t)samples.count},
                              .violations = violations,
                              .valid = violations > 0 || reason[0] == '\0'};
    snprintf(sample->reason, sizeof sample->reason, "%s", reason);
}

/* On stderr. */
static void assert_told(const char *expected)
{
    said_begin();
    conclusion_complain(samples_rows(&samples), &options, "");
    assert_string_equal(said_sentences(), expected);
}

static int set_up(void **state)
{
    (void)state;
    samples.count = 0;
    options = (struct options){.target.driver = DRIVER_EVENTS};
    return 0;
}

TEST_BETWEEN(test_a_wrong_law_is_told_once, set_up, NULL)
{
    add("scalable", 8, 1, "lock 0, handoff 5: exists: the law says 1, found 0");
    add("nonscalable", 8, 0, "");
    add("scalable", 64, 1, "lock 0, handoff 61: exists: the law says 10, found 0");
    add("scalable", 16, 1, "lock 0, handoff 13: exists: the law says 1, found 0");
    add("scalable", 16, 0, "");
    assert_told(
        "scalable: the verdict fails in 3 of 4 trials; the first is trial 1 with 8 clients: "
        "lock 0, handoff 5: exists: the law says 1, found 0\n");
}

/* It may have the same words: a number more or less in them is not the same, though. */
TEST_BETWEEN(test_what_is_not_valid_is_no_failed_verdict, set_up, NULL)
{
    options.target.driver = DRIVER_SIMULATED;
    options.plan.seed = 7;
    add("scalable", 8, 0, "overloaded");
    add("scalable", 8, 1, "overloaded");
    add("scalable", 9, 0, "overloaded");
    add("scalable", 9, 0, "overloaded 7");
    assert_told(
        "scalable: not valid in 2 of 4 trials; the first is trial 1 with 8 clients: overloaded\n"
        "scalable, 8 clients, trial 2: the verdict fails: overloaded\n"
        "scalable, 9 clients, trial 4: not valid: overloaded 7\n"
        "--seed 7 replays this exactly\n");
}

/* Names of znodes have GUIDs in them; words that are written alike have not. */
TEST_BETWEEN(test_texts_that_differ_in_a_guid_are_alike, set_up, NULL)
{
    add("scalable", 8, 0, "_c_9f0e31c2-77aa-4be0-8c1d-0a1b2c3d4e5f-lock-0000000001 is there");
    add("scalable", 8, 0, "_c_01234567-89ab-cdef-0123-456789abcdef-lock-0000000012 is there");
    add("scalable", 8, 0, "faded");
    add("scalable", 8, 0, "added");
    assert_told("scalable: not valid in 2 of 4 trials; the first is trial 1 with 8 clients: "
                "_c_9f0e31c2-77aa-4be0-8c1d-0a1b2c3d4e5f-lock-0000000001 is there\n"
                "scalable, 8 clients, trial 3: not valid: faded\n"
                "scalable, 8 clients, trial 4: not valid: added\n");
}
