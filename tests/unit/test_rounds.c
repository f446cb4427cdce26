// SPDX-License-Identifier: Apache-2.0
/* The order of trials, and the time that is left, of cells made by hand. */
#include "bench/output/rounds.h"

#include "tests/support/test.h"

#define CELLS  12
#define ROUNDS 3

static struct rounds rounds;

FIXTURE(set_up)
{
    rounds_init(&rounds, CELLS);
    for (size_t i = 0; i < CELLS; i++)
        rounds.cells[i] = (struct rounds_cell){.cost = (double)(1 + i), .alike = i % 2};
    return 0;
}

FIXTURE(tear_down)
{
    rounds_deinit(&rounds);
    return 0;
}

TEST_BETWEEN(every_round_has_every_cell_once, set_up, tear_down)
{
    bool alike = true;
    rounds_lay_out(&rounds, ROUNDS, 7);
    assert_int_equal(rounds.trial_count, ROUNDS * CELLS);
    assert_int_equal(rounds.rehearsals, 0);
    for (size_t round = 0; round < ROUNDS; round++) {
        const struct rounds_trial *trials = &rounds.trials[round * CELLS];
        bool seen[CELLS] = {false}, in_order = true;
        for (size_t i = 0; i < CELLS; i++) {
            assert_int_equal(trials[i].number, round + 1);
            assert_false(seen[trials[i].cell]);
            seen[trials[i].cell] = true;
            in_order = in_order && trials[i].cell == i;
            alike = alike && trials[i].cell == rounds.trials[i].cell;
        }
        assert_false(in_order);
    }
    assert_false(alike);
}

TEST_BETWEEN(cells_that_say_so_are_rehearsed, set_up, tear_down)
{
    rounds.cells[3].rehearsed = rounds.cells[5].rehearsed = true;
    rounds_lay_out(&rounds, ROUNDS, 7);
    assert_int_equal(rounds.rehearsals, 2);
    assert_int_equal(rounds.trial_count, 2 + ROUNDS * CELLS);
    assert_int_equal(rounds.trials[0].cell + rounds.trials[1].cell, 3 + 5);
    assert_int_equal(rounds.trials[1].number, 0);
    assert_int_equal(rounds.trials[2].number, 1);
}

/* Cells of one kind by their cost, but none is shorter than the shortest trial; cells of a kind
 * that has no trial yet take as long as the others. */
TEST_BETWEEN(the_time_left_follows_from_the_trials_so_far, set_up, tear_down)
{
    rounds_lay_out(&rounds, ROUNDS, 7);
    assert_int_equal(rounds_left_ns(&rounds, 0), 0);
    rounds_learn(&rounds, 0, 4, 3000);
    rounds_learn(&rounds, 0, 1, 2000);
    assert_int_equal(rounds_left_ns(&rounds, 0), 2 * ROUNDS * 37 * 1000); /* 2 + 3 + 5 + … + 11 */
    rounds_learn(&rounds, 1, 2, 20);
    assert_int_equal(rounds_left_ns(&rounds, 0), ROUNDS * (36 * 1000 + 42 * 10));
    rounds.trial_ns = 50;
    assert_int_equal(rounds_left_ns(&rounds, 30), 6 * 50);
}
