// SPDX-License-Identifier: Apache-2.0
/* Table 3 of the paper: its trials, what is kept of them, and what is judged, made by hand. */

#include "bench/paper/internal.h"
#include "bench/paper/table3.h"
#include "recipes/registry.h"
#include "tests/support/row.h"
#include "tests/support/test.h"

#include <math.h>

#define TRIALS 3

static uint64_t servers[] = {1, 3}, clients[] = {50, 100, 200}, barriers[] = {200, 400, 800, 1600};
static struct table samples;
static struct paper paper;

FIXTURE(set_up)
{
    paper = paper_new(&evaluation_table3);
    paper.options = (struct paper_options){
        .load = {.target = {.server_counts = servers + 1, .topology_count = 1},
                 .sessions = {.list = clients, .count = 3},
                 .trials = TRIALS,
                 .rehearses = true,
                 .seed = 7},
        .barriers = {barriers, 4},
    };
    samples = (struct table){.type = &table3_row_table};
    return 0;
}

FIXTURE(tear_down)
{
    paper_deinit(&paper);
    table_deinit(&samples);
    return 0;
}

static void assert_close(double found, double expected)
{
    if (!(fabs(found / expected - 1) < 1e-9))
        fail_msg("%g, not %g", found, expected);
}

/* ------------------------------------------------------------------ the trials */

/* tests/unit/test_rounds.c has the order. */
TEST_BETWEEN(every_topology_rehearses_its_largest_cell, set_up, tear_down)
{
    struct rounds rounds;
    paper.options.load.target =
        (struct target_options){.server_counts = servers, .topology_count = 2};
    table3_lay_out(&paper.options, &rounds);
    assert_int_equal(rounds.rehearsals, 2);
    assert_int_equal(rounds.trial_count, 2 + TRIALS * 2 * 12);
    size_t seen[2] = {0};
    for (size_t i = 0; i < rounds.trial_count; i++) {
        size_t at = rounds.trials[i].cell;
        const struct rounds_cell *cell = &rounds.cells[at];
        assert_true(cell->cost == 2.0 * (double)clients[at / 4 % 3] * (double)barriers[at % 4]);
        assert_int_equal(cell->alike, cell->topology);
        if (rounds.trials[i].number == 0)
            assert_int_equal(at % 12, 11);
        seen[cell->topology] += rounds.trials[i].number == 2;
    }
    assert_true(seen[0] == 12 && seen[1] == 12);
    rounds_deinit(&rounds);
    paper.options.load.rehearses = false;
    table3_lay_out(&paper.options, &rounds);
    assert_int_equal(rounds.rehearsals, 0);
    rounds_deinit(&rounds);
}

/* ------------------------------------------------------------------ what is kept of one */

/* The fewest requests of four clients and two barriers. */
static struct tally counts_of_small(void)
{
    struct tally counts = {0};
    counts.of[TALLY_CREATE] = 10;
    counts.of[TALLY_EXISTS] = 6;
    counts.of[TALLY_GET_CHILDREN] = 16;
    counts.of[TALLY_DELETE] = 8;
    return counts;
}

static const struct table_value *take(const struct trial_result *of)
{
    struct error error;
    struct trial_result result = *of;
    const struct trial_plan plan = {
        .fleet = {.driver = DRIVER_SIMULATED, .sessions = 4, .processes = 1},
        .recipe = registry_find("barrier"),
        .pace = PACE_FREE,
        .locks = 1,
        .barriers = 2};
    assert_int_equal(trial_memory_new(&plan, &result.memory, &error), ERROR_NONE);
    result.memory->violations[0] =
        (struct violation){.kind = VIOLATION_LEFT_EARLY, .session = 1, .expected = 4, .found = 3};
    struct table_value *row = table_add(&samples);
    table3_fill_row(&result, 64, row);
    trial_memory_free(result.memory);
    return row;
}

static void assert_taken(const struct trial_result *result, bool complete, bool valid, bool fails,
                         const char *reason)
{
    const struct table_value *row = take(result);
    assert_int_equal(row[table3_row_complete].flag, complete);
    assert_int_equal(row[table3_row_valid].flag, valid);
    assert_int_equal(row[table3_row_fails].flag, fails);
    assert_string_equal(row[table3_row_reason].text, reason);
}

/* A client that was early, and counts that no order of the requests explains. */
TEST_BETWEEN(what_no_barrier_does_fails, set_up, tear_down)
{
    struct trial_result result = {
        .end = END_VIOLATION, .total = counts_of_small(), .violation_count = 1};
    assert_taken(&result, false, false, true,
                 "lock 0, handoff 0: session 0 left the barrier when 3 of 4 had begun to leave");
    result = (struct trial_result){.end = END_DONE, .total = counts_of_small()};
    result.total.of[TALLY_EXISTS]++;
    assert_taken(&result, true, false, true, "creates and exists: 17, where there are 16 to 16");
}

/* What a lost connection adds is no fault of the counts. */
TEST_BETWEEN(a_trial_that_was_disturbed_is_not_valid, set_up, tear_down)
{
    struct trial_result result = {
        .end = END_DONE, .losses = 1, .not_valid = "others used the servers"};
    assert_taken(&result, true, false, false, "others used the servers");
    result = (struct trial_result){.end = END_DEADLINE, .reason = "nothing moved"};
    assert_taken(&result, false, false, false, "nothing moved");
}

/* ------------------------------------------------------------------ the cells */

static struct table_value *add(uint64_t of_clients, uint64_t of_barriers, double seconds)
{
    struct table_value *row = table_add(&samples);
    row[table3_row_clients] = table_count(of_clients);
    row[table3_row_barriers] = table_count(of_barriers);
    row[table3_row_client_s] = table_real(seconds);
    row[table3_row_elapsed_s] = table_real(2 * seconds);
    row[table3_row_creates] = table_count(60);
    row[table3_row_deletes] = table_count(40);
    row[table3_row_rpcs] = table_count(500);
    row[table3_row_complete] = row[table3_row_valid] = table_flag(true);
    return row;
}

/* Three trials of every cell, which scatter by this factor. */
static void add_all(double (*seconds)(uint64_t of_clients, uint64_t of_barriers), double scatter)
{
    for (size_t n = 0; n < 3; n++) {
        for (size_t b = 0; b < 4; b++) {
            double middle = seconds(clients[n], barriers[b]);
            add(clients[n], barriers[b], middle / scatter);
            add(clients[n], barriers[b], middle);
            add(clients[n], barriers[b], middle * scatter);
        }
    }
}

static double published(uint64_t of_clients, uint64_t of_barriers)
{
    return paper_published(evaluation_table3.published, evaluation_table3.published_count,
                           of_clients, of_barriers);
}

static void judge(void)
{
    const struct table *const of_targets[] = {&samples};
    paper_judge(&paper, of_targets);
}

static enum verdict verdict_at(size_t row)
{
    return verdict_of_word(table_row(&paper.judgements, row)[shape_verdict].text);
}

/* The exit status that the judgements give. */
static int status_of(void)
{
    return verdict_status(findings_verdict(&paper.findings));
}

TEST_BETWEEN(a_cell_is_the_average_of_its_trials, set_up, tear_down)
{
    add(100, 400, 30);
    add(100, 400, 36);
    add(100, 400, 1)[table3_row_valid].flag = false;
    add(100, 400, 2)[table3_row_complete].flag = false;
    judge();
    const struct paper_cell *cell = paper_cell_at(&paper, 0, 1, 1);
    assert_int_equal(cell->servers, 3);
    assert_int_equal(cell->at[0], 100);
    assert_int_equal(cell->at[1], 400);
    assert_int_equal(cell->trials, 3);
    assert_int_equal(cell->valid, 2);
    assert_close(cell->mean.value, 33);
    assert_close(cell->mean.high, 33 + 12.706204736174698 * 3); /* t of one degree */
    assert_true(cell->mean.low == 0);
    /* Two trials, 132 s together. */
    assert_field(&paper.figures, 4 + 1, "barrier_operations_per_s",
                 "1212.1"); /* 2 * 2 * 100 * 400 / 132 */
    assert_field(&paper.figures, 4 + 1, "zookeeper_operations_per_s", "7.6"); /* 1000 / 132 */
    assert_field(&paper.figures, 4 + 1, "reads_to_writes", "4.000");
    assert_field(&paper.figures, 0, "seconds", "");
    assert_true(isnan(table3_paper_exponent(true, 10)));
}

/* Its figure is shown. */
TEST_BETWEEN(a_cell_without_a_valid_trial_is_not_judged, set_up, tear_down)
{
    add_all(published, 1.01);
    for (size_t i = 0; i < samples.rows; i++) {
        struct table_value *row = &samples.values[i * samples.type->count];
        row[table3_row_valid].flag =
            row[table3_row_clients].count != 100 || row[table3_row_barriers].count != 800;
    }
    judge();
    assert_close(paper_cell_at(&paper, 0, 1, 2)->mean.value, 55.9 * (1.01 + 1 + 1 / 1.01) / 3);
    for (size_t i = 0; i < paper.judgements.rows; i++)
        assert_int_equal(verdict_at(i),
                         i == 1 || i == 3 + 2 ? VERDICT_UNDETERMINED : VERDICT_HOLDS);
    assert_int_equal(status_of(), 4);
}

/* ------------------------------------------------------------------ the growth */

/* What the paper calls roughly linear is linear by our bounds. */
TEST_BETWEEN(the_papers_own_figures_grow_linearly, set_up, tear_down)
{
    static const double exponents[] = {0.838, 0.784, 0.840, 1.062, 0.959, 0.978, 1.059};
    add_all(published, 1.01);
    judge();
    assert_int_equal(paper.judgements.rows, 3 + 4);
    assert_field(&paper.figures, 11, "paper_seconds", "234.4");
    for (size_t i = 0; i < 3 + 4; i++) {
        const struct table_value *row = table_row(&paper.judgements, i);
        assert_int_equal(verdict_at(i), VERDICT_HOLDS);
        assert_true(fabs(row[shape_ratio].real - exponents[i]) < 0.0005);
        assert_close(row[shape_paper_ratio].real, row[shape_ratio].real);
        assert_int_equal(row[shape_servers].count, 3);
        assert_true(row[shape_ratio_low].real >= 0.75 && row[shape_ratio_high].real <= 1.25);
    }
    assert_string_equal(table_row(&paper.judgements, 0)[shape_claim].text,
                        "time grows linearly with the barriers, 50 clients, 3 servers");
    assert_string_equal(table_row(&paper.judgements, 6)[shape_row].text,
                        "linear in clients, 1600 barriers");
    assert_int_equal(status_of(), 0);
}

static double quadratic_in_clients(uint64_t of_clients, uint64_t of_barriers)
{
    return (double)(of_clients * of_clients * of_barriers) * 1e-6;
}

TEST_BETWEEN(another_growth_fails, set_up, tear_down)
{
    add_all(quadratic_in_clients, 1.01);
    judge();
    for (size_t i = 0; i < paper.judgements.rows; i++) {
        double exponent = table_row(&paper.judgements, i)[shape_ratio].real;
        assert_int_equal(verdict_at(i), i < 3 ? VERDICT_HOLDS : VERDICT_FAILS);
        assert_true(fabs(exponent - (i < 3 ? 1 : 2)) < 1e-6);
    }
    assert_int_equal(status_of(), 1);
}

TEST_BETWEEN(trials_that_scatter_determine_nothing, set_up, tear_down)
{
    add_all(published, 8);
    judge();
    for (size_t i = 0; i < paper.judgements.rows; i++)
        assert_int_equal(verdict_at(i), VERDICT_UNDETERMINED);
}

/* One number of clients: nothing is said of their growth. */
TEST_BETWEEN(a_line_of_one_cell_is_not_judged, set_up, tear_down)
{
    paper.options.load.sessions.count = 1;
    add_all(published, 1.01);
    judge();
    assert_int_equal(paper.judgements.rows, 1);
    paper.options.load.sessions.count = 3;
}
