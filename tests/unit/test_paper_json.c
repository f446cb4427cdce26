// SPDX-License-Identifier: Apache-2.0
/* What `zkherd paper --json` prints, of experiments made by hand. */
#include "bench/paper/internal.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <math.h>

static struct paper_list list;

FIXTURE(begin)
{
    list = (struct paper_list){.json = json_array()};
    return 0;
}

FIXTURE(end)
{
    json_decref(list.json);
    return 0;
}

static void add(const char *name, enum verdict verdict)
{
    struct paper paper = paper_new(&evaluation_table2);
    const struct judgement judgement = {.claim = "creates rise",
                                        .servers = 3,
                                        .ours = {2, 1.5, INFINITY},
                                        .paper = NAN,
                                        .verdict = verdict};
    paper.options.load.output.out = "out";
    paper_add(&paper, &judgement);
    paper_json_add(&list, name, NULL, &paper);
    paper_deinit(&paper);
}

static void add_without_result(const char *name, const char *left_out)
{
    paper_json_add(&list, name, left_out, NULL);
}

static char *written(bool interrupted)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    struct paper_list so_far = list;
    so_far.interrupted = interrupted;
    json_incref(so_far.json);
    paper_json_write(&so_far, stream);
    assert_int_equal(fclose(stream), 0);
    return text;
}

/* What is written has this verdict, and is as the schema says. */
static void expect(const char *verdict)
{
    char *text = written(false);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    assert_schema(json, "paper", "result");
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), verdict);
    json_decref(json);
    free(text);
}

/* What was left out decides nothing; what has no result leaves the verdict open; one that fails
 * outweighs all. */
TEST_BETWEEN(the_verdict_is_of_all_evaluations, begin, end)
{
    add("table1", VERDICT_HOLDS);
    add_without_result("figure8", "servers do not die in the simulation");
    expect("holds");
    add_without_result("table2", NULL);
    expect("undetermined");
    add("table3", VERDICT_FAILS);
    add("table1", VERDICT_HOLDS);
    expect("fails");
}

/* But for one that was interrupted. */
TEST_BETWEEN(without_a_result_there_is_nothing_to_write, begin, end)
{
    char *text = written(true);
    assert_string_equal(text, "");
    free(text);
    add_without_result("table1", NULL);
    add_without_result("figure8", "servers do not die in the simulation");
    text = written(false);
    assert_string_equal(text, "");
    free(text);
    text = written(true);
    assert_non_null(strstr(text, "\"cut_short\": \"interrupted\""));
    free(text);
}

/* ------------------------------------------------------------------ findings about trials */

/* The exit status of a shape whose series has a record with a finding of this verdict. */
static int status_with(enum verdict judgement, enum verdict of_trials)
{
    const struct target_options target = {.topology_count = 1};
    struct series_record record = {0};
    const struct series series = {.options.target = &target, .records = &record, .record_count = 1};
    struct paper paper = paper_new(&evaluation_table1);
    const struct finding finding = {.slug = "violation",
                                    .subject = "get=100",
                                    .verdict = of_trials,
                                    .figure = FINDING_FIGURE(1),
                                    .n = 2};
    findings_add(&record.findings, &finding, "get=100: 1 of 2 trials");
    if (judgement != VERDICT_MEASURED)
        paper_add(&paper, &(struct judgement){.claim = "reads rise", .verdict = judgement});
    paper_add_trials(&paper, &series);
    int status = verdict_status(findings_verdict(&paper.findings));
    table_deinit(&record.findings);
    paper_deinit(&paper);
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
