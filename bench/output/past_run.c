// SPDX-License-Identifier: Apache-2.0
#include "bench/output/past_run.h"

#include "bench/cli/options.h"
#include "bench/output/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_PATH_SIZE (PATH_MAX + 64)

TABLE_DEFINE(trial_row, "trials.csv", TRIAL_ROW_COLUMNS)

/* ------------------------------------------------------------------ the plan */

const char *past_run_recipe(const struct past_run *run, size_t index)
{
    return json_string_value(json_array_get(json_object_get(run->plan, "recipes"), index));
}

static bool has_type(const json_t *value, json_type type)
{
    return value != NULL &&
           (json_typeof(value) == type || (type == JSON_TRUE && json_is_false(value)) ||
            (type == JSON_NULL && json_is_integer(value)));
}

/* Letters, digits and what joins them: the name goes into gnuplot's command line. */
bool past_run_is_name(const char *text)
{
    return text != NULL && text[0] != '\0' &&
           text[strspn(
               text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")] == '\0';
}

static enum error_kind check_keys(const struct past_run *run, const char *path, struct error *error)
{
    const json_t *recipes = json_object_get(run->plan, "recipes"),
                 *clients = json_object_get(run->plan, "clients");
    const struct plan_key *key;
    for (size_t i = 0; (key = option_table_key(i)) != NULL; i++) {
        if (key->decides && !has_type(json_object_get(run->plan, key->name), key->type))
            return error_raise(error, ERROR_MALFORMED, 0, path,
                               "the plan has no '%s', or one of the wrong type", key->name);
    }
    /* Recipes are names, numbers of clients are positive: the two functions above build on it. */
    bool good = json_array_size(recipes) > 0 && json_array_size(clients) > 0;
    for (size_t i = 0; i < json_array_size(recipes); i++)
        good = good && past_run_is_name(json_string_value(json_array_get(recipes, i)));
    for (size_t i = 0; i < json_array_size(clients); i++)
        good = good && json_integer_value(json_array_get(clients, i)) > 0;
    return good ? ERROR_NONE
                : error_raise(error, ERROR_MALFORMED, 0, path,
                              "the plan's recipes or clients are not valid");
}

static bool holds_all(const json_t *list, const json_t *of)
{
    for (size_t i = 0; i < json_array_size(of); i++) {
        bool held = false;
        for (size_t j = 0; j < json_array_size(list) && !held; j++)
            held = json_equal(json_array_get(of, i), json_array_get(list, j)) != 0;
        if (!held)
            return false;
    }
    return true;
}

/* The order of a list decides nothing: the order of the cells is random anyway. */
static bool same_value(const json_t *a, const json_t *b)
{
    if (json_is_array(a) && json_is_array(b))
        return holds_all(a, b) && holds_all(b, a);
    return json_equal(a, b) != 0;
}

/* As JSON, for a complaint: cut to fit. */
static void format_value(const json_t *value, char *text, size_t size)
{
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    snprintf(text, size, "%s", dumped != NULL ? dumped : "not set");
    free(dumped);
}

enum error_kind past_run_check_value(const struct past_run *first, const struct past_run *other,
                                     const char *key, struct error *error)
{
    const json_t *a = json_object_get(first->plan, key), *b = json_object_get(other->plan, key);
    char its[100], others[100];
    if (same_value(a, b))
        return ERROR_NONE;
    format_value(a, others, sizeof others);
    format_value(b, its, sizeof its);
    return error_raise(error, ERROR_OTHER_PLAN, 0, other->folder, "%s is %s here, %s in %.150s",
                       key, its, others, first->folder);
}

enum error_kind past_run_check_plan(const struct past_run *first, const struct past_run *other,
                                    struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    const struct plan_key *key;
    for (size_t i = 0; kind == ERROR_NONE && (key = option_table_key(i)) != NULL; i++) {
        if (key->decides)
            kind = past_run_check_value(first, other, key->name, error);
    }
    return kind;
}

/* ------------------------------------------------------------------ the files */

/* The path of a file in the run's folder. ERROR_NOT_A_RUN if it is not there. */
static enum error_kind find_file(const struct past_run *run, const char *name,
                                 char path[FILE_PATH_SIZE], struct error *error)
{
    struct stat status;
    snprintf(path, FILE_PATH_SIZE, "%s/%s", run->folder, name);
    if (stat(path, &status) == 0)
        return ERROR_NONE;
    if (stat(run->folder, &status) != 0)
        return error_raise(error, ERROR_NOT_A_RUN, 0, run->folder, "there is no such folder");
    return error_raise(error, ERROR_NOT_A_RUN, 0, run->folder, "there is no %s in it", name);
}

static bool is_word(const json_t *plan, const char *key, const char *word)
{
    return strcmp(json_string_value(json_object_get(plan, key)), word) == 0;
}

static enum error_kind read_manifest(struct past_run *run, struct error *error)
{
    char path[FILE_PATH_SIZE];
    json_error_t place;
    enum error_kind kind = find_file(run, "manifest.json", path, error);
    if (kind != ERROR_NONE)
        return kind;
    run->manifest = json_load_file(path, 0, &place);
    if (run->manifest == NULL)
        return error_raise(error, ERROR_MALFORMED, 0, path, "line %d: %s",
                           place.line > 0 ? place.line : 1, place.text);
    json_t *plan = run->plan = json_object_get(run->manifest, "plan");
    if (run->trials.type != &trial_row_table)
        return json_is_object(plan)
                   ? ERROR_NONE
                   : error_raise(error, ERROR_MALFORMED, 0, path, "there is no plan in it");
    /* Manifests did not always have these: each is then taken for what it is by default. */
    json_t *defaults = json_pack("{s:s, s:n, s:s, s:n}", "placement", "spread", "max_rate",
                                 "background", "none", "server_cpu_percent");
    json_object_update_missing(plan, defaults);
    json_decref(defaults);
    kind = check_keys(run, path, error);
    if (kind == ERROR_NONE) {
        run->lockstep = is_word(plan, "pace", options_paces[PACE_LOCKSTEP]);
        run->drain = is_word(plan, "workload", options_workloads[WORKLOAD_DRAIN]);
        run->has_duration = json_integer_value(json_object_get(plan, "duration_ns")) != 0;
        run->paced = !json_is_null(json_object_get(plan, "max_rate"));
    }
    return kind;
}

static enum error_kind read_trials(struct past_run *run, struct error *error)
{
    char path[FILE_PATH_SIZE];
    enum error_kind kind = find_file(run, run->trials.type->file, path, error);
    if (kind == ERROR_NONE)
        kind = table_read(&run->trials, run->folder, error);
    if (kind == ERROR_NONE && run->trials.rows == 0)
        kind = error_raise(error, ERROR_NOT_A_RUN, 0, run->folder, "there is no trial in it");
    /* Manifests did not always have this number. */
    const json_t *finished = json_object_get(run->manifest, "trials_finished");
    if (kind == ERROR_NONE && run->trials.type == &trial_row_table && json_is_integer(finished) &&
        json_integer_value(finished) != (json_int_t)run->trials.rows)
        kind = error_raise(error, ERROR_MALFORMED, 0, path,
                           "%zu trials, and the manifest names %" JSON_INTEGER_FORMAT,
                           run->trials.rows, json_integer_value(finished));
    return kind;
}

enum error_kind past_run_open_as(const char *folder, const struct table_type *type,
                                 struct past_run *run, struct error *error)
{
    *run = (struct past_run){.trials.type = type};
    snprintf(run->folder, sizeof run->folder, "%s", folder);
    folder_trim(run->folder);
    enum error_kind kind = read_manifest(run, error);
    if (kind == ERROR_NONE)
        kind = read_trials(run, error);
    if (kind != ERROR_NONE)
        past_run_deinit(run);
    return kind;
}

enum error_kind past_run_open(const char *folder, struct past_run *run, struct error *error)
{
    return past_run_open_as(folder, &trial_row_table, run, error);
}

void past_run_deinit(struct past_run *run)
{
    json_decref(run->manifest);
    table_deinit(&run->trials);
    *run = (struct past_run){0};
}
