// SPDX-License-Identifier: Apache-2.0
/* Tables 1 to 3 of the paper: the figures of their cells, and what is judged, from hand-made
 * trials; and what several evaluations come to. */

#include "bench/output/findings.h"
#include "bench/output/load_series.h"
#include "bench/paper/internal.h"
#include "bench/paper/table3.h"
#include "bench/target/resources.h"
#include "measure/fit.h"
#include "recipes/registry.h"
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
        assert_int_equal(verdict_of_ratio(&cases[i].ratio, false), cases[i].rises);
        assert_int_equal(verdict_of_ratio(&cases[i].ratio, true), cases[i].falls);
    }
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

/* As of a cell of which every trial is. */
TEST_BETWEEN(a_starved_trial_is_counted_before_a_valid_one, NULL, tear_down)
{
    begin(&table1);
    for (int i = 0; i < 2; i++)
        add(1, 2, 87e3)[load_row_server_cores].real = 0.1;
    judge();
    assert_int_equal(paper_cell_at(&paper, 1, 2, 0)->starved, 2);
    assert_int_equal(paper_cell_at(&paper, 1, 2, 0)->valid, 0);
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

/* of_paper: NaN, the paper has no such ratio. */
static void assert_ratio(size_t index, double ours, double of_paper)
{
    const struct table_value *row = table_row(&paper.judgements, index);
    assert_close(row[shape_ratio].real, ours);
    if (isnan(of_paper))
        assert_true(isnan(row[shape_paper_ratio].real));
    else
        assert_close(row[shape_paper_ratio].real, of_paper);
}

/* Their words are in tests/golden/paper-tables. */
TEST_BETWEEN(the_papers_shape_holds, NULL, tear_down)
{
    begin(&table1);
    add_all(table1.shape, 1.02);
    judge();
    assert_verdicts("HHHHHHH", 0);
    assert_ratio(1, 165.0 / 87, 165.0 / 87);
    assert_ratio(2, 0.7, NAN);
    assert_ratio(5, 87.0 / 21, 87.0 / 21);
    begin(&table2);
    add_all(table2.shape, 1.02);
    judge();
    assert_verdicts("HHHHHHHH", 0);
    assert_ratio(0, 25.0 / 9, NAN);
    assert_ratio(2, 2074.0 / 776, 2074.0 / 776);
    assert_ratio(7, 2336.0 / 2740, 2336.0 / 2740);
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
    static const struct {
        double shape[3][LEVELS];
        const char *reason;
    } falls[] = {{{{30, 35, 40}, {21, 10, 87}, {18, 50, 165}},
                  "throughput falls from 0 to 50 % reads with 3 servers"},
                 {{{30, 35, 40}, {21, 90, 60}, {18, 50, 165}},
                  "throughput falls from 50 to 100 % reads with 3 servers"}};
    for (size_t i = 0; i < 2; i++) {
        begin(&table1);
        add_all(falls[i].shape, 1.02);
        judge();
        assert_verdicts("HHHHHFH", 1);
        assert_field(&paper.judgements, 5, "reason", falls[i].reason);
        assert_true(table_row(&paper.judgements, 5)[shape_ratio_low].real > 1);
        assert_field(&paper.judgements, 6, "reason", "");
    }
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
        assert_ratio(1, kind == &table1 ? 165.0 / 87 : 3300.0 / 2500,
                     kind == &table1 ? 165.0 / 87 : NAN);
    }
}

/* ------------------------------------------------------------------ Table 3: what is kept of a
 * trial */

static uint64_t three = 3, few_clients[] = {50, 100, 200}, barriers[] = {200, 400, 800, 1600};

FIXTURE(begin_barriers)
{
    tear_down(NULL);
    paper = paper_new(&evaluation_table3);
    paper.options = (struct paper_options){
        .load = {.target = {.server_counts = &three, .topology_count = 1},
                 .sessions = {.list = few_clients, .count = 3},
                 .trials = 3},
        .barriers = {barriers, 4},
    };
    trials[0] = (struct table){.type = &table3_row_table};
    return 0;
}

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
    struct table_value *row = table_add(&trials[0]);
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
TEST_BETWEEN(what_no_barrier_does_fails, begin_barriers, tear_down)
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
TEST_BETWEEN(a_trial_that_was_disturbed_is_not_valid, begin_barriers, tear_down)
{
    struct trial_result result = {
        .end = END_DONE, .losses = 1, .not_valid = "others used the servers"};
    assert_taken(&result, true, false, false, "others used the servers");
    result = (struct trial_result){.end = END_DEADLINE, .reason = "nothing moved"};
    assert_taken(&result, false, false, false, "nothing moved");
}

/* ------------------------------------------------------------------ its cells */

static struct table_value *add_barriers(uint64_t of_clients, uint64_t of_barriers, double seconds)
{
    struct table_value *row = table_add(&trials[0]);
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
static void add_all_barriers(double (*seconds)(uint64_t of_clients, uint64_t of_barriers),
                             double scatter)
{
    for (size_t n = 0; n < 3; n++) {
        for (size_t b = 0; b < 4; b++) {
            double middle = seconds(few_clients[n], barriers[b]);
            add_barriers(few_clients[n], barriers[b], middle / scatter);
            add_barriers(few_clients[n], barriers[b], middle);
            add_barriers(few_clients[n], barriers[b], middle * scatter);
        }
    }
}

static double published(uint64_t of_clients, uint64_t of_barriers)
{
    return paper_published(evaluation_table3.published, evaluation_table3.published_count,
                           of_clients, of_barriers);
}

static enum verdict verdict_at(size_t row)
{
    return verdict_of_word(table_row(&paper.judgements, row)[shape_verdict].text);
}

TEST_BETWEEN(a_cell_is_the_average_of_its_trials, begin_barriers, tear_down)
{
    add_barriers(100, 400, 30);
    add_barriers(100, 400, 36);
    add_barriers(100, 400, 1)[table3_row_valid].flag = false;
    add_barriers(100, 400, 2)[table3_row_complete].flag = false;
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
}

/* Its figure is shown. */
TEST_BETWEEN(a_cell_without_a_valid_trial_is_not_judged, begin_barriers, tear_down)
{
    add_all_barriers(published, 1.01);
    for (size_t i = 0; i < trials[0].rows; i++) {
        struct table_value *row = &trials[0].values[i * trials[0].type->count];
        row[table3_row_valid].flag =
            row[table3_row_clients].count != 100 || row[table3_row_barriers].count != 800;
    }
    judge();
    assert_close(paper_cell_at(&paper, 0, 1, 2)->mean.value, 55.9 * (1.01 + 1 + 1 / 1.01) / 3);
    for (size_t i = 0; i < paper.judgements.rows; i++)
        assert_int_equal(verdict_at(i),
                         i == 1 || i == 3 + 2 ? VERDICT_UNDETERMINED : VERDICT_HOLDS);
    assert_field(&paper.findings, 0, "n", "12");
    assert_field(&paper.findings, 1, "n", "9");
    assert_int_equal(status_of(), 4);
}

/* ------------------------------------------------------------------ its growth */

static double steeper(uint64_t of_clients, uint64_t of_barriers)
{
    return pow((double)(of_clients * of_barriers), 1.2);
}

/* Above 1, but not whether beyond the margin. */
TEST_BETWEEN(an_exponent_about_the_margin_is_undetermined, begin_barriers, tear_down)
{
    add_all_barriers(steeper, 1.07);
    judge();
    const struct table_value *row = table_row(&paper.judgements, 0);
    assert_true(row[shape_ratio_low].real > 1 && row[shape_ratio_low].real < 1 + FIT_MARGIN);
    assert_true(row[shape_ratio_high].real > 1 + FIT_MARGIN);
    for (size_t i = 0; i < paper.judgements.rows; i++)
        assert_int_equal(verdict_at(i), VERDICT_UNDETERMINED);
}

/* What the paper calls roughly linear is linear by our bounds. */
TEST_BETWEEN(the_papers_own_figures_grow_linearly, begin_barriers, tear_down)
{
    static const double exponents[] = {0.838, 0.784, 0.840, 1.062, 0.959, 0.978, 1.059};
    add_all_barriers(published, 1.01);
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
    assert_int_equal(status_of(), 0);
}

static double quadratic_in_clients(uint64_t of_clients, uint64_t of_barriers)
{
    return (double)(of_clients * of_clients * of_barriers) * 1e-6;
}

TEST_BETWEEN(another_growth_fails, begin_barriers, tear_down)
{
    add_all_barriers(quadratic_in_clients, 1.01);
    judge();
    for (size_t i = 0; i < paper.judgements.rows; i++) {
        double exponent = table_row(&paper.judgements, i)[shape_ratio].real;
        assert_int_equal(verdict_at(i), i < 3 ? VERDICT_HOLDS : VERDICT_FAILS);
        assert_true(fabs(exponent - (i < 3 ? 1 : 2)) < 1e-6);
    }
    assert_int_equal(status_of(), 1);
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

/* ------------------------------------------------------------------ several evaluations */

static void add_evaluation(struct paper_list *list, enum verdict verdict)
{
    begin(&table2);
    paper_add(&paper, &(struct judgement){.claim = "creates rise", .verdict = verdict});
    paper_json_add(list, "table2", &paper);
}

/* What --json says of all; the text is the caller's to free. */
static char *written(const struct paper_list *list)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    json_incref(list->json);
    paper_json_write(
        &(struct paper_list){list->json, list->worst, list->has_result, list->interrupted}, stream);
    assert_int_equal(fclose(stream), 0);
    return text;
}

/* What has no result leaves the verdict open; one that fails outweighs all. Without a result there
 * is nothing to write, but for one that was interrupted. */
TEST_BETWEEN(the_verdict_is_of_all_evaluations, NULL, tear_down)
{
    static const char *const verdicts[] = {"", "\"undetermined\"", "\"undetermined\"", "\"fails\"",
                                           "\"fails\""};
    struct paper_list list = {.json = json_array()};
    paper_json_add(&list, "table1", NULL);
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        if (i > 0)
            add_evaluation(&list, i == 3 ? VERDICT_FAILS : VERDICT_HOLDS);
        char *text = written(&list);
        assert_int_equal(text[0] == '\0', i == 0);
        assert_non_null(strstr(text, verdicts[i]));
        free(text);
    }
    list.has_result = false;
    list.interrupted = true;
    char *text = written(&list);
    assert_non_null(strstr(text, "\"cut_short\": \"interrupted\""));
    free(text);
    json_decref(list.json);
}

/* ------------------------------------------------------------------ findings about trials */

/* The exit status of a shape whose series has a record with a finding of this verdict. */
static int status_with(enum verdict judgement, enum verdict of_trials)
{
    const struct target_options target = {.topology_count = 1};
    struct series_record record = {0};
    const struct series series = {.options.target = &target, .records = &record, .record_count = 1};
    const struct finding finding = {.slug = "violation",
                                    .subject = "get=100",
                                    .verdict = of_trials,
                                    .figure = FINDING_FIGURE(1),
                                    .n = 2};
    begin(&table1);
    findings_add(&record.findings, &finding, "get=100: 1 of 2 trials");
    if (judgement != VERDICT_MEASURED)
        paper_add(&paper, &(struct judgement){.claim = "reads rise", .verdict = judgement});
    paper_add_trials(&paper, &series);
    int status = status_of();
    table_deinit(&record.findings);
    return status;
}

/* What is not valid is in no judgement. Without a judgement nothing is known. */
TEST_BETWEEN(trials_that_fail_fail_the_experiment, NULL, tear_down)
{
    assert_int_equal(status_with(VERDICT_HOLDS, VERDICT_HOLDS), 0);
    assert_int_equal(status_with(VERDICT_HOLDS, VERDICT_FAILS), 1);
    assert_int_equal(status_with(VERDICT_HOLDS, VERDICT_NOT_VALID), 0);
    assert_int_equal(paper.findings.rows, 2); /* the judgement, and why trials are left out */
    assert_int_equal(status_with(VERDICT_UNDETERMINED, VERDICT_NOT_VALID), 4);
    assert_int_equal(status_with(VERDICT_MEASURED, VERDICT_HOLDS), 4);
}

/* Whichever comes first. */
TEST(a_claim_that_fails_outweighs_an_error_and_both_what_is_undetermined)
{
    static const int order[] = {1, 3, 2, 4, 0};
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = i; k < 5; k++) {
            assert_int_equal(paper_worse_status(order[i], order[k]), order[i]);
            assert_int_equal(paper_worse_status(order[k], order[i]), order[i]);
        }
    }
}
