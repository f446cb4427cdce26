// SPDX-License-Identifier: Apache-2.0
/* The JSON files of the reference runs are as docs/schema says; and what is not is refused. */
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <glob.h>

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        fail_msg("%s: line %d: %s", path, error.line, error.text);
    return json;
}

/* All files of these names; at least `least`, so that none is looked for in the wrong place. */
static void assert_all(const char *const patterns[], const char *schema, size_t least)
{
    glob_t found;
    for (size_t i = 0; patterns[i] != NULL; i++)
        (void)glob(patterns[i], i > 0 ? GLOB_APPEND : 0, NULL, &found);
    assert_true(found.gl_pathc >= least);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        json_t *json = load(found.gl_pathv[i]);
        assert_schema(json, schema, found.gl_pathv[i]);
        json_decref(json);
    }
    globfree(&found);
}

TEST(test_manifests_of_reference_runs)
{
    static const char *const patterns[] = {"results/reference/*/manifest.json",
                                           "results/reference/*/*/manifest.json",
                                           "results/reference/*/*/*/manifest.json", NULL};
    assert_all(patterns, "manifest", 16);
}

/* Changes a file by a key of an object in it; the change must be refused in these words. Takes the
 * value; NULL: the key is taken away. */
static void assert_refused(const char *object, const char *key, json_t *value, const char *words)
{
    json_t *json = load("results/reference/standalone/manifest.json");
    json_t *into = object != NULL ? json_object_get(json, object) : json;
    if (value != NULL)
        json_object_set_new(into, key, value);
    else
        json_object_del(into, key);
    const char *complaint = schema_complaint(json, "manifest");
    assert_non_null(complaint);
    assert_string_equal(complaint, words);
    json_decref(json);
}

TEST(test_what_is_not_as_the_schema_says)
{
    assert_refused(NULL, "seed", NULL, ": has no 'seed'");
    assert_refused("host", "cores", NULL, ".host: has no 'cores'");
    assert_refused(NULL, "seed", json_real(1.5), ".seed: is of another type");
    assert_refused(NULL, "cut_short", json_true(), ".cut_short: is of another type");
    assert_refused(NULL, "warnings", json_pack("[s, i]", "one", 2),
                   ".warnings[1]: is of another type");
    assert_refused("plan", "pace", json_string("fast"), ".plan.pace: is not in the list");
    assert_refused("plan", "paces", json_null(), ".plan.paces: is no key of the schema");
    assert_refused("roles_of_last_trial", "a", json_null(),
                   ".roles_of_last_trial.a: is of another type");
}

/* The cells of `zkherd paper` are of one of several kinds. */
TEST(test_one_of_several_kinds)
{
    json_t *cell = json_pack("{s:i, s:i, s:i, s:s, s:f, s:n, s:n, s:n, s:n, s:n, s:n}", "servers",
                             3, "trials_complete", 2, "trials_valid", 1, "event", "the leader",
                             "before_per_s", 1.5, "down_per_s", "after_per_s", "first_write_ms",
                             "longest_silence_ms", "new_leader_ms", "serves_ms");
    json_t *json =
        json_pack("{s:s, s:[{s:s, s:n, s:s, s:s, s:[{s:s, s:i, s:s, s:i, s:i, s:n, s:n, s:[], "
                  "s:[O]}], s:[], s:[]}]}",
                  "verdict", "holds", "experiments", "experiment", "figure8", "left_out", "verdict",
                  "holds", "folder", "out", "results", "folder", "out", "servers", 3, "target",
                  "ensemble3", "trials_planned", 2, "trials_finished", 2, "cut_short", "noise",
                  "warnings", "cells", cell, "judgements", "findings");
    assert_non_null(json);
    assert_schema(json, "paper", "result");
    json_object_set_new(cell, "servers", json_string("3"));
    const char *complaint = schema_complaint(json, "paper");
    assert_non_null(complaint);
    assert_string_equal(complaint, ".experiments[0].results[0].cells[0]: is of none of the kinds");
    json_decref(cell);
    json_decref(json);
}
