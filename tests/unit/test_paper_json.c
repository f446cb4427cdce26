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

/* What is written, by the schema; for the caller to json_decref. */
static json_t *written(void)
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
    free(text);
    return json;
}

static void expect(const char *verdict)
{
    json_t *json = written();
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), verdict);
    json_decref(json);
}

TEST_BETWEEN(what_is_not_known_is_null, begin, end)
{
    add("table2", 0);
    json_t *json = written();
    const json_t *experiment = json_array_get(json_object_get(json, "experiments"), 0);
    const json_t *judged = json_array_get(json_object_get(experiment, "judgements"), 0);
    assert_float_equal(json_real_value(json_object_get(judged, "ratio_low")), 1.5, 0);
    assert_true(json_is_null(json_object_get(judged, "ratio_high")));
    assert_true(json_is_null(json_object_get(judged, "paper_ratio")));
    assert_true(json_is_null(json_object_get(judged, "against_servers")));
    assert_true(json_is_null(json_object_get(judged, "reason")));
    assert_true(json_is_null(json_object_get(experiment, "left_out")));
    json_decref(json);
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

/* Two trials, which differ by their operations in the part before each kill, and their silences. */
static void lay_out(struct figure8 *figure)
{
    static struct figure8_operations operations[140];
    struct load_fault_result faults[FIGURE8_FAULTS_MAX] = {{0}};
    for (uint32_t trial = 0; trial < 2; trial++) {
        for (uint32_t i = 0; i < 140; i++)
            operations[i].reads = 10 * (trial + 1 + i / 30);
        for (uint32_t fault = 0; fault < 8; fault++)
            faults[fault] =
                (struct load_fault_result){.carried_out = true,
                                           .count = 1,
                                           .at_ns = figure->plan.faults[fault].at_ns,
                                           .silence_ns = (trial + fault / 2) * NS_PER_MS,
                                           .led_ns = UINT64_MAX};
        faults[7].carried_out = false;
        figure8_add(figure, trial + 1, trial == 1, faults, operations);
    }
    figure8_judge(figure, NULL);
}

/* Medians of the valid trial alone. */
TEST_BETWEEN(the_events_of_figure_8_are_its_cells, begin, end)
{
    struct figure8 figure;
    figure8_init(&figure, 3, 14 * NS_PER_S);
    lay_out(&figure);
    json_t *cells = paper_json_rows(&figure.events, 0, 4);
    assert_int_equal(json_array_size(cells), 4);
    const json_t *cell = json_array_get(cells, 2);
    assert_string_equal(json_string_value(json_object_get(cell, "event")), "the leader");
    assert_int_equal(json_integer_value(json_object_get(cell, "trials_complete")), 2);
    assert_int_equal(json_integer_value(json_object_get(cell, "trials_valid")), 1);
    assert_float_equal(json_real_value(json_object_get(cell, "before_per_s")), 400, 0);
    assert_true(json_is_null(json_object_get(json_array_get(cells, 3), "down_per_s")));
    assert_float_equal(json_real_value(json_object_get(cell, "longest_silence_ms")), 3, 0);
    assert_true(json_is_null(json_object_get(cell, "new_leader_ms")));
    json_t *record =
        json_pack("{s:s, s:i, s:s, s:i, s:i, s:n, s:n, s:[], s:o}", "folder", "out", "servers", 3,
                  "target", "ensemble3", "trials_planned", 2, "trials_finished", 2, "cut_short",
                  "noise", "warnings", "cells", cells);
    paper_json_add(list, "figure8", 0, "out", json_pack("[o]", record), &judgements);
    json_decref(written());
    figure8_deinit(&figure);
}
