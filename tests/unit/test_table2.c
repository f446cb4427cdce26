// SPDX-License-Identifier: Apache-2.0
/* Table 2 of the paper: the figures of its cells, and what is judged, from hand-made trials. */

#include "bench/paper/internal.h"
#include "tests/support/row.h"
#include "tests/support/test.h"

#include <math.h>

#define LEVELS 3

static uint64_t servers[] = {1, 3, 5}, workers[LEVELS] = {1, 10, 20};
static struct paper_options options;
static struct table trials[3];
static struct paper_cells table;

static int set_up(void **state)
{
    (void)state;
    options.load = (struct load_options){
        .target = {.server_counts = servers, .topology_count = 3, .cpu_percent = 25},
        .sessions = {.list = workers, .count = LEVELS},
    };
    memset(trials, 0, sizeof trials);
    memset(&table, 0, sizeof table);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    paper_cells_deinit(&table);
    for (size_t i = 0; i < 3; i++)
        table_deinit(&trials[i]);
    return 0;
}

/* In a closed loop the workers share the time: the mean latency follows from the rate. */
static struct table_value *add(size_t topology, uint64_t sessions, double per_s)
{
    struct table *rows = &trials[topology];
    rows->type = &load_row_table;
    struct table_value *row = table_add(rows);
    row[load_row_sessions] = table_count(sessions);
    row[load_row_achieved_per_s] = table_real(per_s);
    row[load_row_service_mean_us] = table_real(1e6 * (double)sessions / per_s);
    row[load_row_complete] = row[load_row_valid] = table_flag(true);
    return row;
}

/* Three trials of each number of workers, which scatter by this factor. */
static void add_all(size_t topology, double one, double ten, double twenty, double scatter)
{
    const double values[LEVELS] = {one, ten, twenty};
    for (size_t i = 0; i < LEVELS; i++) {
        add(topology, workers[i], values[i] / scatter);
        add(topology, workers[i], values[i]);
        add(topology, workers[i], values[i] * scatter);
    }
}

static void add_the_papers_shape(double scatter)
{
    add_all(0, 900, 2500, 3300, scatter);
    add_all(1, 776, 2074, 2740, scatter);
    add_all(2, 748, 1832, 2336, scatter);
}

static void judge(void)
{
    const struct table *const rows[] = {&trials[0], &trials[1], &trials[2]};
    paper_cells_init(&table, &design_table2, &options, rows);
}

/* The column latency_mean_ms. */
static double latency_ms(size_t topology, size_t level)
{
    return table_row(&table.figures, topology * LEVELS + level)[7].real;
}

static const struct judgement *judgement_of(const char *claim)
{
    for (size_t i = 0; i < table.judgements.count; i++) {
        if (strcmp(table.judgements.list[i].claim, claim) == 0)
            return &table.judgements.list[i];
    }
    fail_msg("%s is not judged", claim);
    return NULL;
}

static void assert_verdict(const char *claim, enum verdict verdict)
{
    assert_int_equal(judgement_of(claim)->verdict, verdict);
}

static void assert_close(double found, double expected)
{
    if (!(fabs(found / expected - 1) < 1e-9))
        fail_msg("%g, not %g", found, expected);
}

#define RISE_TO_10      "creates rise from 1 to 10 workers, 3 servers"
#define RISE_TO_20      "creates rise from 10 to 20 workers, 3 servers"
#define RISE_OF_ONE     "creates rise from 1 to 10 workers, 1 server"
#define FALL_FROM_ONE   "creates fall from 1 to 3 servers, 20 workers"
#define FALL_FROM_THREE "creates fall from 3 to 5 servers, 20 workers"

/* ------------------------------------------------------------------ cells */

TEST_BETWEEN(a_cell_is_the_mean_of_its_trials, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    judge();
    const struct paper_cell *cell = paper_cells_at(&table, 1, 2, 0);
    assert_int_equal(cell->servers, 3);
    assert_int_equal(cell->at[0], 20);
    assert_int_equal(cell->trials, 3);
    assert_int_equal(cell->valid, 3);
    assert_close(cell->mean.value, 2740);
    /* t of 2 degrees of freedom, and the standard error of the logarithms. */
    double width = exp(4.302652729911275 * log(1.02) / sqrt(3));
    assert_close(cell->mean.high, 2740 * width);
    assert_close(latency_ms(1, 2), 20e3 / 2740);
    assert_close(table_row(&table.figures, 3 + 2)[7 + 1].real, 20e3 / 2740 / width);
    assert_close(paper_cells_at(&table, 2, 0, 0)->mean.value, 748);
    assert_close(latency_ms(2, 0), 1e3 / 748);
}

TEST_BETWEEN(a_trial_that_is_not_valid_does_not_count, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    add(1, 20, 1)[load_row_valid].flag = false;
    add(1, 20, 2)[load_row_complete].flag = false;
    judge();
    const struct paper_cell *cell = paper_cells_at(&table, 1, 2, 0);
    assert_int_equal(cell->trials, 4);
    assert_int_equal(cell->valid, 3);
    assert_close(cell->mean.value, 2740);
    assert_close(latency_ms(1, 2), 20e3 / 2740);
    assert_int_equal(judgements_exit_status(&table.judgements), 0);
}

/* Its figures are shown. */
TEST_BETWEEN(a_cell_without_a_valid_trial_is_not_judged, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    struct table *rows = &trials[1];
    for (size_t i = 0; i < rows->rows; i++) {
        struct table_value *row = &rows->values[i * rows->type->count];
        row[load_row_valid].flag = row[load_row_sessions].count != 20;
    }
    judge();
    assert_close(paper_cells_at(&table, 1, 2, 0)->mean.value, 2740);
    assert_close(latency_ms(1, 2), 20e3 / 2740);
    assert_verdict(RISE_TO_10, VERDICT_HOLDS);
    assert_verdict(RISE_TO_20, VERDICT_UNDETERMINED);
    assert_verdict(FALL_FROM_ONE, VERDICT_UNDETERMINED);
    assert_verdict(FALL_FROM_THREE, VERDICT_UNDETERMINED);
    assert_int_equal(judgements_exit_status(&table.judgements), 4);
}

/* As of an evaluation that was interrupted early. */
TEST_BETWEEN(cells_without_trials_are_unknown, set_up, tear_down)
{
    add(0, 1, 1000);
    judge();
    assert_true(isnan(paper_cells_at(&table, 2, 2, 0)->mean.value));
    assert_true(isnan(latency_ms(2, 2)));
    assert_close(paper_cells_at(&table, 0, 0, 0)->mean.value, 1000);
    assert_true(isnan(paper_cells_at(&table, 0, 0, 0)->mean.low));
    assert_int_equal(judgements_exit_status(&table.judgements), 4);
}

/* ------------------------------------------------------------------ the shape */

TEST_BETWEEN(the_papers_shape_holds, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    judge();
    assert_int_equal(table.judgements.count, 3 * 2 + 2);
    for (size_t i = 0; i < table.judgements.count; i++)
        assert_int_equal(table.judgements.list[i].verdict, VERDICT_HOLDS);
    const struct judgement *rise = judgement_of(RISE_TO_10);
    assert_int_equal(rise->servers, 3);
    assert_int_equal(rise->against, 0);
    assert_close(rise->ours.value, 2074.0 / 776);
    assert_close(rise->paper, 2074.0 / 776);
    assert_string_equal(rise->row, "rise, 1 to 10 workers, 3 servers");
    assert_true(isnan(judgement_of(RISE_OF_ONE)->paper));
    const struct judgement *fall = judgement_of(FALL_FROM_THREE);
    assert_int_equal(fall->servers, 5);
    assert_int_equal(fall->against, 3);
    assert_close(fall->ours.value, 2336.0 / 2740);
    assert_close(fall->paper, 2336.0 / 2740);
    assert_string_equal(fall->row, "fall, 3 to 5 servers, 20 workers");
    assert_int_equal(judgements_exit_status(&table.judgements), 0);
}

/* With the fewest workers creates fall nowhere, which no claim is about. */
TEST_BETWEEN(another_shape_fails, set_up, tear_down)
{
    add_all(0, 700, 2500, 3300, 1.02);
    add_all(1, 800, 700, 3900, 1.02);
    add_all(2, 900, 3000, 3000, 1.02);
    judge();
    assert_verdict(RISE_OF_ONE, VERDICT_HOLDS);
    assert_verdict(RISE_TO_10, VERDICT_FAILS);
    assert_verdict(RISE_TO_20, VERDICT_HOLDS);
    assert_verdict("creates rise from 10 to 20 workers, 5 servers", VERDICT_UNDETERMINED);
    assert_verdict(FALL_FROM_ONE, VERDICT_FAILS);
    assert_verdict(FALL_FROM_THREE, VERDICT_HOLDS);
    assert_int_equal(judgements_exit_status(&table.judgements), 1);
}

TEST_BETWEEN(trials_that_scatter_determine_nothing, set_up, tear_down)
{
    add_the_papers_shape(8);
    judge();
    for (size_t i = 0; i < table.judgements.count; i++)
        assert_int_equal(table.judgements.list[i].verdict, VERDICT_UNDETERMINED);
    assert_int_equal(judgements_exit_status(&table.judgements), 4);
}

/* Workers are compared with each other all the same. */
static void check_servers_are_not_compared(void)
{
    add_the_papers_shape(1.02);
    judge();
    assert_verdict(RISE_TO_10, VERDICT_HOLDS);
    assert_verdict(RISE_TO_20, VERDICT_HOLDS);
    assert_verdict(FALL_FROM_ONE, VERDICT_UNDETERMINED);
    assert_verdict(FALL_FROM_THREE, VERDICT_UNDETERMINED);
    assert_string_not_equal(judgement_of(FALL_FROM_THREE)->reason, "");
    assert_close(judgement_of(FALL_FROM_THREE)->ours.value, 2336.0 / 2740);
    assert_int_equal(judgements_exit_status(&table.judgements), 4);
}

TEST_BETWEEN(servers_that_share_the_cores_are_not_compared, set_up, tear_down)
{
    options.load.target.cpu_percent = 0;
    check_servers_are_not_compared();
}

TEST_BETWEEN(servers_of_a_simulation_are_not_compared, set_up, tear_down)
{
    options.load.target.cpu_percent = 0;
    options.load.target.driver = DRIVER_SIMULATED;
    check_servers_are_not_compared();
}

/* Of --connect there is one number of servers. */
TEST_BETWEEN(one_number_is_compared_with_nothing, set_up, tear_down)
{
    options.load.target.topology_count = 1;
    options.load.sessions.count = 2;
    add_the_papers_shape(1.02);
    judge();
    assert_int_equal(table.judgements.count, 1);
    assert_verdict(RISE_OF_ONE, VERDICT_HOLDS);
}

/* ------------------------------------------------------------------ the rows, the paper */

TEST_BETWEEN(a_row_has_the_papers_figure, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    add(1, 1, 1)[load_row_valid].flag = false;
    judge();
    assert_field(&table.figures, 3 + 0, "servers", "3");
    assert_field(&table.figures, 3 + 0, "workers", "1");
    assert_field(&table.figures, 3 + 0, "trials", "4");
    assert_field(&table.figures, 3 + 0, "valid", "3");
    assert_field(&table.figures, 3 + 0, "creates_per_s", "776.00");
    assert_field(&table.figures, 3 + 0, "latency_mean_ms", "1.2887");
    assert_field(&table.figures, 3 + 0, "paper_per_s", "776");
    assert_field(&table.figures, 3 + 0, "paper_latency_ms", "1.2");
    assert_field(&table.figures, 6 + 2, "paper_per_s", "2336");
    assert_field(&table.figures, 6 + 2, "paper_latency_ms", "");
    assert_field(&table.figures, 6 + 0, "paper_latency_ms", "");
    assert_field(&table.figures, 0 + 0, "paper_per_s", "");
}

/* Its second figure of a latency. */
TEST_BETWEEN(the_paper_has_the_latency_of_nine_servers, set_up, tear_down)
{
    static uint64_t nine[] = {1, 3, 9};
    options.load.target.server_counts = nine;
    judge();
    assert_field(&table.figures, 6 + 0, "paper_latency_ms", "1.4");
    assert_field(&table.figures, 6 + 1, "paper_latency_ms", "");
}

static double published(uint64_t of_servers, uint64_t of_workers)
{
    return paper_published(design_table2.published, design_table2.published_count, of_servers,
                           of_workers);
}

TEST(the_paper_has_twelve_figures)
{
    static const double figures[][4] = {
        {3, 776, 2074, 2740}, {5, 748, 1832, 2336}, {7, 758, 1572, 1934}, {9, 711, 1540, 1890}};
    for (size_t i = 0; i < 4; i++) {
        for (size_t level = 0; level < LEVELS; level++)
            assert_true(published((uint64_t)figures[i][0], workers[level]) ==
                        figures[i][1 + level]);
        assert_true(isnan(published((uint64_t)figures[i][0], 2)));
    }
    assert_true(isnan(published(1, 1)));
}
