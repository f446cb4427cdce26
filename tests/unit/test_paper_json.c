// SPDX-License-Identifier: Apache-2.0
/* What `zkherd paper --json` prints, of experiments made by hand. */
#include "bench/paper/internal.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <math.h>

static struct judgement judgement = {.claim = "creates rise",
                                     .servers = 3,
                                     .ours = {2, 1.5, INFINITY},
                                     .paper = NAN,
                                     .verdict = VERDICT_HOLDS};
static const struct judgements judgements = {.quantity = "ratio", .list = &judgement, .count = 1};

static json_t *list;

static int begin(void **state)
{
    (void)state;
    list = json_array();
    return 0;
}

static int end(void **state)
{
    (void)state;
    json_decref(list);
    return 0;
}

static void add(const char *name, int verdict)
{
    paper_json_add(list, name, verdict, "out", json_array(), &judgements);
}

/* What is written has this verdict, and is as the schema says. */
static void expect(const char *verdict)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    paper_json_write(list, NULL, stream);
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
    add("table1", 0);
    paper_json_add_without_result(list, "figure8", "servers do not die in the simulation");
    expect("holds");
}

TEST_BETWEEN(what_has_no_result_leaves_the_verdict_open, begin, end)
{
    add("table1", 0);
    paper_json_add_without_result(list, "table2", NULL);
    expect("undetermined");
}

TEST_BETWEEN(one_that_fails_outweighs_all, begin, end)
{
    add("table1", 4);
    add("table2", 1);
    add("table3", 0);
    expect("fails");
}

TEST_BETWEEN(without_a_result_there_is_nothing_to_write, begin, end)
{
    assert_false(paper_json_has_result(list));
    paper_json_add_without_result(list, "table1", NULL);
    paper_json_add_without_result(list, "figure8", "servers do not die in the simulation");
    assert_false(paper_json_has_result(list));
    add("table3", 1);
    assert_true(paper_json_has_result(list));
}
