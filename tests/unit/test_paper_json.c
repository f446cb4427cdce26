// SPDX-License-Identifier: Apache-2.0
/* What `zkherd paper --json` prints, of experiments made by hand. */
#include "bench/paper/internal.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <math.h>

static struct paper_json result;

FIXTURE(begin)
{
    result = (struct paper_json){.list = json_array()};
    return 0;
}

FIXTURE(end)
{
    json_decref(result.list);
    return 0;
}

static void add(const char *name, enum verdict verdict)
{
    struct shape shape = shape_new("ratio", "times");
    const struct judgement judgement = {.claim = "creates rise",
                                        .servers = 3,
                                        .ours = {2, 1.5, INFINITY},
                                        .paper = NAN,
                                        .verdict = verdict};
    shape_add(&shape, &judgement);
    paper_json_add(&result, name, NULL, &shape, "out", json_array());
    shape_deinit(&shape);
}

static void add_without_result(const char *name, const char *left_out)
{
    paper_json_add(&result, name, left_out, NULL, NULL, NULL);
}

/* What is written has this verdict, and is as the schema says. */
static void expect(const char *verdict)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    paper_json_write(&result, NULL, stream);
    assert_int_equal(fclose(stream), 0);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    assert_schema(json, "paper", "result");
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), verdict);
    json_decref(json);
    free(text);
}

TEST_BETWEEN(what_was_left_out_decides_nothing, begin, end)
{
    add("table1", VERDICT_HOLDS);
    add_without_result("figure8", "servers do not die in the simulation");
    expect("holds");
}

TEST_BETWEEN(what_has_no_result_leaves_the_verdict_open, begin, end)
{
    add("table1", VERDICT_HOLDS);
    add_without_result("table2", NULL);
    expect("undetermined");
}

TEST_BETWEEN(one_that_fails_outweighs_all, begin, end)
{
    add("table1", VERDICT_UNDETERMINED);
    add("table2", VERDICT_FAILS);
    add("table3", VERDICT_HOLDS);
    expect("fails");
}

TEST_BETWEEN(without_a_result_there_is_nothing_to_write, begin, end)
{
    assert_false(result.has_result);
    add_without_result("table1", NULL);
    add_without_result("figure8", "servers do not die in the simulation");
    assert_false(result.has_result);
    add("table3", VERDICT_FAILS);
    assert_true(result.has_result);
}

/* ------------------------------------------------------------------ findings about trials */

/* The exit status of a shape whose series has a record with a finding of this verdict. */
static int status_with(enum verdict judgement, enum verdict of_trials)
{
    const struct target_options target = {.topology_count = 1};
    struct series_record record = {0};
    const struct series series = {.options.target = &target, .records = &record, .record_count = 1};
    const struct paper paper = {.evaluation = &evaluation_table1};
    struct shape shape = shape_new("ratio", "times");
    const struct finding finding = {.slug = "violation",
                                    .subject = "get=100",
                                    .verdict = of_trials,
                                    .figure = FINDING_FIGURE(1),
                                    .n = 2};
    findings_add(&record.findings, &finding, "get=100: 1 of 2 trials");
    if (judgement != VERDICT_MEASURED)
        shape_add(&shape, &(struct judgement){.claim = "reads rise", .verdict = judgement});
    paper_add_findings(
        &(struct paper_outcome){.paper = &paper, .series = &series, .shape = &shape});
    int status = verdict_status(findings_verdict(&shape.findings));
    table_deinit(&record.findings);
    shape_deinit(&shape);
    return status;
}

/* What is not valid is in no judgement. Without a judgement nothing is known. */
TEST(trials_that_fail_fail_the_experiment)
{
    assert_int_equal(status_with(VERDICT_HOLDS, VERDICT_HOLDS), 0);
    assert_int_equal(status_with(VERDICT_HOLDS, VERDICT_FAILS), 1);
    assert_int_equal(status_with(VERDICT_HOLDS, VERDICT_NOT_VALID), 0);
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
