// SPDX-License-Identifier: Apache-2.0
#include "bench/output/past_run.h"

#include "bench/cli/options.h"
#include "bench/output/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    /* Recipes are names, numbers of clients are positive. */
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
    const struct plan_key *key;
    for (size_t i = 0; (key = option_table_key(i)) != NULL; i++) {
        if (key->decides && past_run_check_value(first, other, key->name, error))
            return error->kind;
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the files */

static bool is_word(const json_t *plan, const char *key, const char *word)
{
    return strcmp(json_string_value(json_object_get(plan, key)), word) == 0;
}

/* The plan of a run. Manifests did not always have some keys: each is then taken for what it is by
 * default. */
static enum error_kind read_plan(struct past_run *run, const char *path, struct error *error)
{
    json_t *defaults = json_pack("{s:s, s:n, s:s, s:n}", "placement", "spread", "max_rate",
                                 "background", "none", "server_cpu_percent");
    json_object_update_missing(run->plan, defaults);
    json_decref(defaults);
    if (check_keys(run, path, error))
        return error->kind;
    run->lockstep = is_word(run->plan, "pace", options_paces[PACE_LOCKSTEP]);
    run->drain = is_word(run->plan, "workload", options_workloads[WORKLOAD_DRAIN]);
    run->has_duration = json_integer_value(json_object_get(run->plan, "duration_ns")) != 0;
    run->paced = !json_is_null(json_object_get(run->plan, "max_rate"));
    return ERROR_NONE;
}

static enum error_kind read_trials(struct past_run *run, struct error *error)
{
    char path[FOLDER_FILE_SIZE];
    if (folder_find(run->folder, run->trials.type->file, path, error) ||
        table_read(&run->trials, run->folder, error))
        return error->kind;
    if (run->trials.rows == 0)
        return error_raise(error, ERROR_NOT_A_RUN, 0, run->folder, "there is no trial in it");
    /* Manifests did not always have this number. */
    const json_t *finished = json_object_get(run->manifest, "trials_finished");
    if (run->trials.type == &trial_row_table && json_is_integer(finished) &&
        json_integer_value(finished) != (json_int_t)run->trials.rows)
        return error_raise(error, ERROR_MALFORMED, 0, path,
                           "%zu trials, and the manifest names %" JSON_INTEGER_FORMAT,
                           run->trials.rows, json_integer_value(finished));
    return ERROR_NONE;
}

enum error_kind past_run_open(const char *folder, const struct table_type *type,
                              struct past_run *run, struct error *error)
{
    char path[FOLDER_FILE_SIZE];
    bool is_run = type == &trial_row_table;
    *run = (struct past_run){.trials.type = type};
    snprintf(run->folder, sizeof run->folder, "%s", folder);
    folder_trim(run->folder);
    snprintf(path, sizeof path, "%s/manifest.json", run->folder);
    run->manifest = folder_manifest(run->folder, error);
    run->plan = json_object_get(run->manifest, "plan");
    enum error_kind kind = run->manifest == NULL ? error->kind : ERROR_NONE;
    if (kind == ERROR_NONE && is_run)
        kind = read_plan(run, path, error);
    else if (kind == ERROR_NONE && !json_is_object(run->plan))
        kind = error_raise(error, ERROR_MALFORMED, 0, path, "there is no plan in it");
    if (kind == ERROR_NONE)
        kind = read_trials(run, error);
    if (kind != ERROR_NONE)
        past_run_deinit(run);
    return kind;
}

void past_run_deinit(struct past_run *run)
{
    json_decref(run->manifest);
    table_deinit(&run->trials);
    *run = (struct past_run){0};
}
