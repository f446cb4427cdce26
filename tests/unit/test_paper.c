// SPDX-License-Identifier: Apache-2.0
/* Tables 1 and 2 of the paper: the figures of their cells, and what is judged, from hand-made
 * trials. */

#include "bench/output/verdict.h"
#include "bench/paper/internal.h"
#include "bench/target/resources.h"
#include "tests/support/row.h"
#include "tests/support/test.h"

#include <math.h>

/* ------------------------------------------------------------------ verdicts */

TEST(a_verdict_follows_from_the_interval)
{
    static const struct {
        struct interval ratio;
        enum verdict rises, falls;
    } cases[] = {
        {{2.0, 1.5, 2.5}, VERDICT_HOLDS, VERDICT_FAILS},
        {{1.1, 1.001, 1.2}, VERDICT_HOLDS, VERDICT_FAILS},
        {{0.8, 0.7, 0.999}, VERDICT_FAILS, VERDICT_HOLDS},
        {{2.0, 0.9, 4.0}, VERDICT_UNDETERMINED, VERDICT_UNDETERMINED},
        {{0.8, 0.5, 1.1}, VERDICT_UNDETERMINED, VERDICT_UNDETERMINED},
        /* An interval that ends at 1 contains 1. */
        {{1.2, 1.0, 1.4}, VERDICT_UNDETERMINED, VERDICT_UNDETERMINED},
        {{0.8, 0.6, 1.0}, VERDICT_UNDETERMINED, VERDICT_UNDETERMINED},
        {{3.0, NAN, NAN}, VERDICT_UNDETERMINED, VERDICT_UNDETERMINED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(verdict_rises(&cases[i].ratio), cases[i].rises);
        assert_int_equal(verdict_falls(&cases[i].ratio), cases[i].falls);
    }
}

TEST(a_value_lies_within_bounds_if_its_interval_does)
{
    static const struct {
        struct interval value;
        enum verdict verdict;
    } cases[] = {
        {{1, 0.75, 1.25}, VERDICT_HOLDS},       {{1, 0.74, 1.2}, VERDICT_UNDETERMINED},
        {{1, 0.8, 1.26}, VERDICT_UNDETERMINED}, {{0.5, 0.3, 0.74}, VERDICT_FAILS},
        {{2, 1.26, 3}, VERDICT_FAILS},          {{1, NAN, NAN}, VERDICT_UNDETERMINED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(verdict_lies(&cases[i].value, 0.75, 1.25), cases[i].verdict);
}

/* ------------------------------------------------------------------ trials made by hand */

#define LEVELS 3

static uint64_t servers[] = {1, 3, 5}, reads[LEVELS] = {0, 50, 100}, workers[LEVELS] = {1, 10, 20};

/* An experiment, with a shape like the paper's: by servers, and values on the axis. */
static const struct kind {
    const struct evaluation *evaluation;
    size_t column;
    const uint64_t *levels;
    double shape[3][LEVELS];
} table1 = {&evaluation_table1,
            load_row_reads_percent,
            reads,
            {{30e3, 35e3, 40e3}, {21e3, 40e3, 87e3}, {18e3, 50e3, 165e3}}},
  table2 = {&evaluation_table2,
            load_row_sessions,
            workers,
            {{900, 2500, 3300}, {776, 2074, 2740}, {748, 1832, 2336}}};

static const struct kind *kind;
static struct table trials[3];
static struct paper paper;

FIXTURE(tear_down)
{
    paper_deinit(&paper);
    for (size_t i = 0; i < 3; i++)
        table_deinit(&trials[i]);
    return 0;
}

static void begin(const struct kind *of)
{
    tear_down(NULL);
    kind = of;
    paper = paper_new(of->evaluation);
    paper.options.load = (struct load_options){
        .target = {.server_counts = servers, .topology_count = 3, .cpu_percent = 25},
        .reads = {reads, of == &table1 ? LEVELS : 0},
        .sessions = {workers, LEVELS},
    };
}

/* In a closed loop the workers share the time: the mean latency follows from the rate. */
static struct table_value *add(size_t topology, size_t level, double per_s)
{
    struct table *rows = &trials[topology];
    rows->type = &load_row_table;
    struct table_value *row = table_add(rows);
    row[kind->column] = table_count(kind->levels[level]);
    row[load_row_achieved_per_s] = table_real(per_s);
    row[load_row_service_mean_us] = table_real(1e6 * (double)kind->levels[level] / per_s);
    row[load_row_server_cores] = table_real(0.25 * (double)servers[topology]);
    row[load_row_complete] = row[load_row_valid] = table_flag(true);
    return row;
}

/* Three trials of each cell, which scatter by this factor. */
static void add_all(const double values[3][LEVELS], double scatter)
{
    for (size_t i = 0; i < 3; i++) {
        for (size_t level = 0; level < LEVELS; level++) {
            add(i, level, values[i][level] / scatter);
            add(i, level, values[i][level]);
            add(i, level, values[i][level] * scatter);
        }
    }
}

static void judge(void)
{
    const struct table *const rows[] = {&trials[0], &trials[1], &trials[2]};
    paper_judge(&paper, rows);
}

static void assert_close(double found, double expected)
{
    if (!(fabs(found / expected - 1) < 1e-9))
        fail_msg("%g, not %g", found, expected);
}

/* The trials of a cell, and its mean. */
static void assert_cell(size_t topology, size_t level, size_t count, size_t valid, double mean)
{
    const struct paper_cell *cell = paper_cell_at(&paper, topology, level, 0);
    assert_int_equal(cell->servers, servers[topology]);
    assert_int_equal(cell->at[0], kind->levels[level]);
    assert_int_equal(cell->trials, count);
    assert_int_equal(cell->valid, valid);
    assert_close(cell->mean.value, mean);
}

/* The exit status that the judgements give. */
static int status_of(void)
{
    return verdict_status(findings_verdict(&paper.findings));
}

/* The column latency_mean_ms of table2. */
static double latency_ms(size_t topology, size_t level)
{
    return table_row(&paper.figures, topology * LEVELS + level)[7].real;
}

/* ------------------------------------------------------------------ cells */

/* t of 2 degrees of freedom, and the standard error of the logarithms. */
TEST_BETWEEN(a_cell_is_the_mean_of_its_trials, NULL, tear_down)
{
    double width = exp(4.302652729911275 * log(1.02) / sqrt(3));
    begin(&table1);
    add_all(table1.shape, 1.02);
    judge();
    assert_cell(1, 2, 3, 3, 87e3);
    assert_cell(2, 0, 3, 3, 18e3);
    assert_close(paper_cell_at(&paper, 1, 2, 0)->mean.high, 87e3 * width);
    begin(&table2);
    add_all(table2.shape, 1.02);
    judge();
    assert_cell(1, 2, 3, 3, 2740);
    assert_close(latency_ms(1, 2), 20e3 / 2740);
    assert_close(table_row(&paper.figures, 3 + 2)[7 + 1].real, 20e3 / 2740 / width);
    assert_close(latency_ms(2, 0), 1e3 / 748);
}

TEST_BETWEEN(a_trial_that_is_not_valid_does_not_count, NULL, tear_down)
{
    static const struct kind *const kinds[] = {&table1, &table2};
    for (size_t i = 0; i < 2; i++) {
        begin(kinds[i]);
        add_all(kind->shape, 1.02);
        add(1, 2, 1)[load_row_valid].flag = false;
        add(1, 2, 2)[load_row_complete].flag = false;
        judge();
        assert_cell(1, 2, 4, 3, kind->shape[1][2]);
        assert_int_equal(status_of(), 0);
    }
    assert_close(latency_ms(1, 2), 20e3 / 2740);
}

/* Three servers with a quarter of a core each. Writes may use less. */
TEST_BETWEEN(a_starved_trial_does_not_count, NULL, tear_down)
{
    begin(&table1);
    add_all(table1.shape, 1.02);
    add(1, 2, 1)[load_row_server_cores].real = 0.9 * 0.75 - 0.001;
    add(1, 2, 87e3)[load_row_server_cores].real = 0.9 * 0.75 + 0.001;
    add(1, 2, 87e3)[load_row_server_cores].real = NAN;
    add(1, 0, 21e3)[load_row_server_cores].real = 0.1;
    judge();
    assert_cell(1, 2, 6, 5, 87e3);
    assert_int_equal(paper_cell_at(&paper, 1, 2, 0)->starved, 1);
    assert_cell(1, 0, 4, 4, 21e3);
    assert_int_equal(paper_cell_at(&paper, 1, 0, 0)->starved, 0);
    assert_int_equal(status_of(), 0);
}

/* As of an evaluation that was interrupted early. */
TEST_BETWEEN(cells_without_trials_are_unknown, NULL, tear_down)
{
    begin(&table2);
    add(0, 0, 1000);
    judge();
    assert_true(isnan(paper_cell_at(&paper, 2, 2, 0)->mean.value));
    assert_true(isnan(latency_ms(2, 2)));
    assert_cell(0, 0, 1, 1, 1000);
    assert_true(isnan(paper_cell_at(&paper, 0, 0, 0)->mean.low));
    assert_int_equal(status_of(), 4);
}

/* ------------------------------------------------------------------ the shape */

/* The initials of the verdicts. Those of Table 1 are about reads from 1 to 3 servers and from 3 to
 * 5, about writes likewise, and about the share of reads with 1, 3 and 5 servers. Those of Table 2
 * are about 10 workers and about 20, with each number of servers, and then about the servers. */
static void assert_verdicts(const char *verdicts, int status)
{
    assert_int_equal(paper.judgements.rows, strlen(verdicts));
    assert_int_equal(paper.findings.rows, strlen(verdicts));
    for (size_t i = 0; verdicts[i] != '\0'; i++) {
        const char *word = table_row(&paper.judgements, i)[shape_verdict].text;
        assert_int_equal("HFU"[verdict_of_word(word)], verdicts[i]);
        assert_string_equal(table_row(&paper.findings, i)[finding_verdict].text, word);
    }
    assert_int_equal(status_of(), status);
}

/* The claim may be NULL: any. */
static void assert_judgement(size_t index, const char *claim, uint64_t against, double ours,
                             double of_paper)
{
    const struct table_value *row = table_row(&paper.judgements, index);
    if (claim != NULL)
        assert_string_equal(row[shape_claim].text, claim);
    if (claim != NULL)
        assert_int_equal(
            row[shape_against_servers].kind == TABLE_COUNT ? row[shape_against_servers].count : 0,
            against);
    assert_close(row[shape_ratio].real, ours);
    if (isnan(of_paper))
        assert_true(isnan(row[shape_paper_ratio].real));
    else
        assert_close(row[shape_paper_ratio].real, of_paper);
}

TEST_BETWEEN(the_papers_shape_holds, NULL, tear_down)
{
    begin(&table1);
    add_all(table1.shape, 1.02);
    judge();
    assert_verdicts("HHHHHHH", 0);
    assert_judgement(1, "reads rise from 3 to 5 servers", 3, 165.0 / 87, 165.0 / 87);
    assert_judgement(2, "writes fall from 1 to 3 servers", 1, 0.7, NAN);
    assert_judgement(4, "throughput rises with the share of reads, 1 server", 0, 4.0 / 3, NAN);
    assert_judgement(5, "throughput rises with the share of reads, 3 servers", 0, 87.0 / 21,
                     87.0 / 21);
    begin(&table2);
    add_all(table2.shape, 1.02);
    judge();
    assert_verdicts("HHHHHHHH", 0);
    assert_judgement(0, "creates rise from 1 to 10 workers, 1 server", 0, 25.0 / 9, NAN);
    assert_judgement(2, "creates rise from 1 to 10 workers, 3 servers", 0, 2074.0 / 776,
                     2074.0 / 776);
    assert_judgement(7, "creates fall from 3 to 5 servers, 20 workers", 3, 2336.0 / 2740,
                     2336.0 / 2740);
}

/* With the fewest workers creates fall nowhere, which no claim is about. */
TEST_BETWEEN(another_shape_fails, NULL, tear_down)
{
    static const double other1[3][LEVELS] = {{20, 25, 40}, {30, 31, 32}, {25, 40, 20}},
                        other2[3][LEVELS] = {
                            {700, 2500, 3300}, {800, 700, 3900}, {900, 3000, 3000}};
    begin(&table1);
    add_all(other1, 1.002);
    judge();
    assert_verdicts("FFFHHHF", 1);
    begin(&table2);
    add_all(other2, 1.02);
    judge();
    assert_verdicts("HHFHHUFH", 1);
}

/* The ends rise. */
TEST_BETWEEN(a_fall_between_two_shares_fails, NULL, tear_down)
{
    static const double fall[3][LEVELS] = {{30, 35, 40}, {21, 10, 87}, {18, 50, 165}};
    begin(&table1);
    add_all(fall, 1.02);
    judge();
    assert_verdicts("HHHHHFH", 1);
    assert_field(&paper.judgements, 5, "reason",
                 "throughput falls from 0 to 50 % reads with 3 servers");
    assert_true(table_row(&paper.judgements, 5)[shape_ratio_low].real > 1);
    assert_field(&paper.judgements, 6, "reason", "");
}

/* Trials that scatter, a cell without a valid trial, whose figure is shown, and servers that cannot
 * show it. */
TEST_BETWEEN(what_is_not_shown_is_not_judged, NULL, tear_down)
{
    static const struct {
        const struct kind *kind;
        double scatter;
        size_t invalid; /* this number of servers has no valid trial at the last value */
        uint32_t cpu_percent;
        enum driver driver;
        const char *verdicts;
    } cases[] = {
        {&table1, 8, 0, 25, DRIVER_EVENTS, "UUUUUUU"},
        {&table2, 8, 0, 25, DRIVER_EVENTS, "UUUUUUUU"},
        {&table1, 1.02, 2, 25, DRIVER_EVENTS, "HUHHHHU"},
        {&table2, 1.02, 1, 25, DRIVER_EVENTS, "HHHUHHUU"},
        {&table1, 1.02, 0, 0, DRIVER_EVENTS, "UUUUHHH"},
        {&table2, 1.02, 0, 0, DRIVER_EVENTS, "HHHHHHUU"},
        {&table1, 1.02, 0, 0, DRIVER_SIMULATED, "HHUUHHH"},
        {&table2, 1.02, 0, 0, DRIVER_SIMULATED, "HHHHHHUU"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t invalid = cases[i].invalid;
        begin(cases[i].kind);
        paper.options.load.target.cpu_percent = cases[i].cpu_percent;
        paper.options.load.target.driver = cases[i].driver;
        add_all(kind->shape, cases[i].scatter);
        for (size_t k = 2 * 3; invalid > 0 && k < 3 * 3; k++)
            trials[invalid].values[k * load_row_table.count + load_row_valid].flag = false;
        judge();
        assert_verdicts(cases[i].verdicts, 4);
        assert_cell(2, 2, 3, invalid == 2 ? 0 : 3, kind->shape[2][2]);
        assert_judgement(1, NULL, 0, kind == &table1 ? 165.0 / 87 : 3300.0 / 2500,
                         kind == &table1 ? 165.0 / 87 : NAN);
    }
}

/* ------------------------------------------------------------------ the paper */

/* The sum of all figures, each times its place: digits and places that were mixed up change it. */
static double sum_of(const struct evaluation *evaluation)
{
    double sum = 0;
    for (size_t i = 0; i < evaluation->published_count; i++) {
        const struct paper_figure *figure = &evaluation->published[i];
        sum += figure->value * (double)(figure->x * 7 + figure->y + 1);
    }
    return sum;
}

TEST(the_figures_are_the_papers)
{
    assert_true(sum_of(&evaluation_table1) == 211782000.0);
    assert_true(sum_of(&evaluation_table2) == 1029353.0);
    assert_true(fabs(sum_of(&evaluation_table3) - 1659185.7) < 1e-6);
    assert_true(isnan(paper_published(evaluation_table1.published, 10, 3, 50)));
}

/* ------------------------------------------------------------------ the machine */

TEST(servers_get_what_the_driver_leaves)
{
    assert_int_equal(resources_share_of(2, 1, 5), 20);
    assert_int_equal(resources_share_of(16, 1, 5), 300);
    assert_int_equal(resources_share_of(16, 4, 3), 400);
    /* Half of the cores at least. */
    assert_int_equal(resources_share_of(2, 8, 5), 20);
    assert_int_equal(resources_share_of(1, 1, 5), 10);
    assert_int_equal(resources_share_of(0.5, 1, 5), 5);
    assert_int_equal(resources_share_of(0.4, 1, 5), 0);
}

/* ------------------------------------------------------------------ the rehearsal */

/* tests/unit/test_rounds.c has what a rehearsal is. */
TEST(every_cell_of_a_load_is_rehearsed)
{
    begin(&table1);
    paper.options.load.sessions.count = 1;
    paper.options.load.trials = 2;
    for (size_t rehearses = 0; rehearses < 2; rehearses++) {
        struct rounds rounds;
        paper.options.load.rehearses = rehearses;
        free(load_cells_new(&paper.options.load, &rounds));
        assert_int_equal(rounds.rehearsals, rehearses * 3 * LEVELS);
        assert_int_equal(rounds.trial_count, (2 + rehearses) * 3 * LEVELS);
        rounds_deinit(&rounds);
    }
}
