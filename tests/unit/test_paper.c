// SPDX-License-Identifier: Apache-2.0
/* Table 1 of the paper: the figures of its cells, and what is judged, from hand-made trials. */

#include "bench/output/verdict.h"
#include "bench/paper/internal.h"
#include "bench/target/resources.h"
#include "tests/support/row.h"
#include "tests/support/screen.h"
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
    assert_string_equal(verdict_word(VERDICT_HOLDS), "holds");
    assert_string_equal(verdict_word(VERDICT_FAILS), "fails");
    assert_string_equal(verdict_word(VERDICT_UNDETERMINED), "undetermined");
}

/* ------------------------------------------------------------------ trials made by hand */

#define SHARES 3

static uint64_t servers[] = {1, 3, 5}, reads[SHARES] = {0, 50, 100};
static struct paper_options options;
static struct table trials[3];
static struct paper_cells table;

static int set_up(void **state)
{
    (void)state;
    options.load = (struct load_options){
        .target = {.server_counts = servers, .topology_count = 3, .cpu_percent = 25},
        .reads = {reads, SHARES},
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

static struct table_value *add(size_t topology, uint32_t percent, double per_s)
{
    struct table *rows = &trials[topology];
    rows->type = &load_row_table;
    struct table_value *row = table_add(rows);
    row[load_row_reads_percent] = table_count(percent);
    row[load_row_achieved_per_s] = table_real(per_s);
    row[load_row_server_cores] = table_real(0.25 * (double)servers[topology]);
    row[load_row_complete] = row[load_row_valid] = table_flag(true);
    return row;
}

/* Three trials of each share, which scatter by this factor. */
static void add_all(size_t topology, double writes, double half, double all, double scatter)
{
    const double values[SHARES] = {writes, half, all};
    for (size_t i = 0; i < SHARES; i++) {
        add(topology, (uint32_t)reads[i], values[i] / scatter);
        add(topology, (uint32_t)reads[i], values[i]);
        add(topology, (uint32_t)reads[i], values[i] * scatter);
    }
}

static void add_the_papers_shape(double scatter)
{
    add_all(0, 30e3, 35e3, 40e3, scatter);
    add_all(1, 21e3, 40e3, 87e3, scatter);
    add_all(2, 18e3, 50e3, 165e3, scatter);
}

static void judge(void)
{
    const struct table *const rows[] = {&trials[0], &trials[1], &trials[2]};
    paper_cells_init(&table, &design_table1, &options, rows);
}

#define READS_RISE       "reads rise"
#define WRITES_FALL      "writes fall"
#define RISES_WITH_READS "throughput rises with the share of reads"

static const struct judgement *judgement_of(const char *claim, uint64_t number)
{
    for (size_t i = 0; i < table.judgements.count; i++) {
        const struct judgement *judgement = &table.judgements.list[i];
        if (strncmp(judgement->claim, claim, strlen(claim)) == 0 && judgement->servers == number)
            return judgement;
    }
    fail();
    return NULL;
}

static void assert_verdict(const char *claim, uint64_t number, enum verdict verdict)
{
    assert_int_equal(judgement_of(claim, number)->verdict, verdict);
}

static void assert_close(double found, double expected)
{
    if (!(fabs(found / expected - 1) < 1e-9))
        fail_msg("%g, not %g", found, expected);
}

/* ------------------------------------------------------------------ cells */

TEST_BETWEEN(a_cell_is_the_mean_of_its_trials, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    judge();
    const struct paper_cell *cell = paper_cells_at(&table, 1, 2, 0);
    assert_int_equal(cell->servers, 3);
    assert_int_equal(cell->at[0], 100);
    assert_int_equal(cell->trials, 3);
    assert_int_equal(cell->valid, 3);
    assert_close(cell->mean.value, 87e3);
    /* t of 2 degrees of freedom, and the standard error of the logarithms. */
    assert_close(cell->mean.high, 87e3 * exp(4.302652729911275 * log(1.02) / sqrt(3)));
    assert_close(paper_cells_at(&table, 2, 0, 0)->mean.value, 18e3);
}

TEST_BETWEEN(a_trial_that_is_not_valid_does_not_count, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    add(1, 100, 1)[load_row_valid].flag = false;
    add(1, 100, 2)[load_row_complete].flag = false;
    judge();
    const struct paper_cell *cell = paper_cells_at(&table, 1, 2, 0);
    assert_int_equal(cell->trials, 4);
    assert_int_equal(cell->valid, 3);
    assert_close(cell->mean.value, 87e3);
    assert_int_equal(judgements_exit_status(&table.judgements), 0);
}

/* Its figure is shown. */
TEST_BETWEEN(a_cell_without_a_valid_trial_is_not_judged, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    struct table *rows = &trials[2];
    for (size_t i = 0; i < rows->rows; i++) {
        struct table_value *row = &rows->values[i * rows->type->count];
        row[load_row_valid].flag = row[load_row_reads_percent].count != 100;
    }
    judge();
    assert_close(paper_cells_at(&table, 2, 2, 0)->mean.value, 165e3);
    assert_verdict(READS_RISE, 3, VERDICT_HOLDS);
    assert_verdict(READS_RISE, 5, VERDICT_UNDETERMINED);
    assert_verdict(RISES_WITH_READS, 5, VERDICT_UNDETERMINED);
    assert_verdict(WRITES_FALL, 5, VERDICT_HOLDS);
    assert_int_equal(judgements_exit_status(&table.judgements), 4);
}

/* Three servers with a quarter of a core each. Writes may use less. */
TEST_BETWEEN(a_starved_trial_does_not_count, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    add(1, 100, 1)[load_row_server_cores].real = 0.9 * 0.75 - 0.001;
    add(1, 100, 87e3)[load_row_server_cores].real = 0.9 * 0.75 + 0.001;
    add(1, 100, 87e3)[load_row_server_cores].real = NAN;
    add(1, 0, 21e3)[load_row_server_cores].real = 0.1;
    judge();
    const struct paper_cell *cell = paper_cells_at(&table, 1, 2, 0);
    assert_int_equal(cell->trials, 6);
    assert_int_equal(cell->starved, 1);
    assert_int_equal(cell->valid, 5);
    assert_close(cell->mean.value, 87e3);
    assert_int_equal(paper_cells_at(&table, 1, 0, 0)->starved, 0);
    assert_int_equal(paper_cells_at(&table, 1, 0, 0)->valid, 4);
    assert_int_equal(judgements_exit_status(&table.judgements), 0);
}

/* As of a run that was interrupted early. */
TEST_BETWEEN(cells_without_trials_are_unknown, set_up, tear_down)
{
    add(0, 0, 1000);
    judge();
    assert_true(isnan(paper_cells_at(&table, 2, 2, 0)->mean.value));
    assert_close(paper_cells_at(&table, 0, 0, 0)->mean.value, 1000);
    assert_true(isnan(paper_cells_at(&table, 0, 0, 0)->mean.low));
    assert_int_equal(judgements_exit_status(&table.judgements), 4);
}

/* ------------------------------------------------------------------ the shape */

TEST_BETWEEN(the_papers_shape_holds, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    judge();
    assert_int_equal(table.judgements.count, 2 + 2 + 3);
    for (size_t i = 0; i < table.judgements.count; i++)
        assert_int_equal(table.judgements.list[i].verdict, VERDICT_HOLDS);
    const struct judgement *reads_rise = judgement_of(READS_RISE, 5);
    assert_int_equal(reads_rise->against, 3);
    assert_close(reads_rise->ours.value, 165.0 / 87);
    assert_close(reads_rise->paper, 165.0 / 87);
    const struct judgement *writes_fall = judgement_of(WRITES_FALL, 3);
    assert_int_equal(writes_fall->against, 1);
    assert_close(writes_fall->ours.value, 0.7);
    assert_true(isnan(writes_fall->paper));
    assert_close(judgement_of(RISES_WITH_READS, 3)->ours.value, 87.0 / 21);
    assert_int_equal(judgements_exit_status(&table.judgements), 0);
}

TEST_BETWEEN(another_shape_fails, set_up, tear_down)
{
    add_all(0, 20e3, 25e3, 40e3, 1.02);
    add_all(1, 30e3, 31e3, 32e3, 1.002);
    add_all(2, 25e3, 40e3, 20e3, 1.02);
    judge();
    assert_verdict(READS_RISE, 3, VERDICT_FAILS);
    assert_verdict(READS_RISE, 5, VERDICT_FAILS);
    assert_verdict(WRITES_FALL, 3, VERDICT_FAILS);
    assert_verdict(WRITES_FALL, 5, VERDICT_HOLDS);
    assert_verdict(RISES_WITH_READS, 1, VERDICT_HOLDS);
    assert_verdict(RISES_WITH_READS, 3, VERDICT_HOLDS);
    assert_verdict(RISES_WITH_READS, 5, VERDICT_FAILS);
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

/* The ends rise. */
TEST_BETWEEN(a_fall_between_two_shares_fails, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    struct table *rows = &trials[1];
    for (size_t i = 0; i < rows->rows; i++) {
        struct table_value *row = &rows->values[i * rows->type->count];
        if (row[load_row_reads_percent].count == 50)
            row[load_row_achieved_per_s].real /= 4;
    }
    judge();
    const struct judgement *judgement = judgement_of(RISES_WITH_READS, 3);
    assert_int_equal(judgement->verdict, VERDICT_FAILS);
    assert_string_equal(judgement->reason, "throughput falls from 0 to 50 % reads with 3 servers");
    assert_true(judgement->ours.low > 1);
    assert_string_equal(judgement_of(RISES_WITH_READS, 5)->reason, "");
    assert_int_equal(judgements_exit_status(&table.judgements), 1);
}

TEST_BETWEEN(servers_that_share_the_cores_are_not_compared, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    options.load.target.cpu_percent = 0;
    judge();
    assert_verdict(READS_RISE, 3, VERDICT_UNDETERMINED);
    assert_verdict(WRITES_FALL, 5, VERDICT_UNDETERMINED);
    assert_verdict(RISES_WITH_READS, 3, VERDICT_HOLDS);
    assert_close(judgement_of(READS_RISE, 3)->ours.value, 87.0 / 40);
    assert_int_equal(judgements_exit_status(&table.judgements), 4);
}

TEST_BETWEEN(writes_of_a_simulation_are_not_judged, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    options.load.target.cpu_percent = 0;
    options.load.target.driver = DRIVER_SIMULATED;
    judge();
    assert_verdict(READS_RISE, 3, VERDICT_HOLDS);
    assert_verdict(WRITES_FALL, 3, VERDICT_UNDETERMINED);
    assert_verdict(RISES_WITH_READS, 1, VERDICT_HOLDS);
    assert_int_equal(judgements_exit_status(&table.judgements), 4);
}

/* ------------------------------------------------------------------ the rows */

TEST_BETWEEN(a_row_has_the_papers_figure, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    judge();
    assert_field(&table.figures, 3 + 2, "servers", "3");
    assert_field(&table.figures, 3 + 2, "reads_percent", "100");
    assert_field(&table.figures, 3 + 2, "trials", "3");
    assert_field(&table.figures, 3 + 2, "valid", "3");
    assert_field(&table.figures, 3 + 2, "starved", "0");
    assert_field(&table.figures, 3 + 2, "achieved_per_s", "87000.00");
    assert_field(&table.figures, 3 + 2, "paper_per_s", "87000");
    assert_field(&table.figures, 6 + 0, "paper_per_s", "18000");
    assert_field(&table.figures, 3 + 1, "paper_per_s", "");
    assert_field(&table.figures, 0 + 2, "paper_per_s", "");
}

TEST_BETWEEN(a_claim_is_a_sentence, set_up, tear_down)
{
    add_the_papers_shape(1.02);
    judge();
    assert_string_equal(judgement_of(READS_RISE, 5)->claim, "reads rise from 3 to 5 servers");
    assert_string_equal(judgement_of(WRITES_FALL, 3)->claim, "writes fall from 1 to 3 servers");
    assert_string_equal(judgement_of(RISES_WITH_READS, 1)->claim,
                        "throughput rises with the share of reads, 1 server");
    assert_string_equal(judgement_of(WRITES_FALL, 3)->row, "writes fall, 1 to 3 servers");
}

/* ------------------------------------------------------------------ the paper, the machine */

static double published(uint64_t of_servers, uint64_t percent)
{
    return paper_published(design_table1.published, design_table1.published_count, of_servers,
                           percent);
}

TEST(the_paper_has_ten_figures)
{
    static const double figures[][3] = {
        {13, 460e3, 8e3}, {9, 296e3, 12e3}, {7, 257e3, 14e3}, {5, 165e3, 18e3}, {3, 87e3, 21e3}};
    for (size_t i = 0; i < 5; i++) {
        assert_true(published((uint64_t)figures[i][0], 100) == figures[i][1]);
        assert_true(published((uint64_t)figures[i][0], 0) == figures[i][2]);
        assert_true(isnan(published((uint64_t)figures[i][0], 50)));
    }
    assert_true(isnan(published(1, 100)));
}

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

TEST_BETWEEN(a_rehearsal_comes_first_and_is_not_kept, set_up, tear_down)
{
    uint64_t sessions = 60;
    options.load.sessions = (struct levels){.list = &sessions, .count = 1};
    options.load.trials = 2;
    options.load.rehearses = true;
    struct rounds rounds;
    free(load_cells_new(&options.load, &rounds));
    assert_int_equal(rounds.trial_count, 3 * 3 * SHARES);
    assert_int_equal(rounds.rehearsals, 3 * SHARES);
    for (size_t i = 0; i < rounds.trial_count; i++)
        assert_int_equal(rounds.trials[i].number, i / (3 * SHARES));
    rounds_deinit(&rounds);
    options.load.rehearses = false;
    free(load_cells_new(&options.load, &rounds));
    assert_int_equal(rounds.trial_count, 2 * 3 * SHARES);
    assert_int_equal(rounds.rehearsals, 0);
    assert_int_equal(rounds.trials[0].number, 1);
    rounds_deinit(&rounds);
}

/* ------------------------------------------------------------------ for people */

/* The interval of two trials may be wide. */
TEST(judgements_fit_a_terminal)
{
    struct judgement wide = {.row = "rise, 10 to 20 workers, 13 servers",
                             .ours = {1.5, 0.00012, 123456789.2},
                             .paper = 1.321,
                             .verdict = VERDICT_UNDETERMINED};
    const struct judgements judgements = {.unit = "times", .list = &wide, .count = 1};
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    judgements_print(&judgements, 80, stream);
    assert_int_equal(fclose(stream), 0);
    assert_true(screen_widest(text) <= 80);
    assert_non_null(strstr(text, " 1.500 0.000 to 123456789 "));
    free(text);
}
