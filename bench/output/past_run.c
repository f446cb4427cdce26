// SPDX-License-Identifier: Apache-2.0
#include "bench/output/past_run.h"

#include "bench/cli/option_table.h"
#include "bench/output/folder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_PATH_SIZE (PATH_MAX + 64)

/* No run makes so many of a cell. */
#define TRIALS_MAX 1000000

/* ------------------------------------------------------------------ the plan */

const char *past_run_recipe(const struct past_run *run, size_t index)
{
    return json_string_value(json_array_get(json_object_get(run->plan, "recipes"), index));
}

uint64_t past_run_clients(const struct past_run *run, size_t index)
{
    const json_t *clients = json_object_get(run->plan, "clients");
    return (uint64_t)json_integer_value(json_array_get(clients, index));
}

uint64_t past_run_trials(const struct past_run *run)
{
    json_int_t trials = json_integer_value(json_object_get(run->plan, "trials"));
    return trials > 0 && trials <= TRIALS_MAX ? (uint64_t)trials : 0;
}

bool past_run_plans(const struct past_run *run, const char *recipe, uint64_t clients)
{
    const json_t *most = json_object_get(json_object_get(run->plan, "most_clients"), recipe);
    return most == NULL || clients <= (uint64_t)json_integer_value(most);
}

static bool is_word(const struct past_run *run, const char *key, const char *word)
{
    return strcmp(json_string_value(json_object_get(run->plan, key)), word) == 0;
}

bool past_run_is_lockstep(const struct past_run *run)
{
    return is_word(run, "pace", options_paces[PACE_LOCKSTEP]);
}

bool past_run_has_duration(const struct past_run *run)
{
    return json_integer_value(json_object_get(run->plan, "duration_ns")) != 0;
}

bool past_run_is_drain(const struct past_run *run)
{
    return is_word(run, "workload", options_workloads[WORKLOAD_DRAIN]);
}

bool past_run_is_paced(const struct past_run *run)
{
    return !json_is_null(json_object_get(run->plan, "max_rate"));
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

/* Recipes are names, numbers of clients are positive: the two functions above build on it. */
static bool lists_are_good(const json_t *plan)
{
    const json_t *recipes = json_object_get(plan, "recipes");
    const json_t *clients = json_object_get(plan, "clients");
    bool good = json_array_size(recipes) > 0 && json_array_size(clients) > 0;
    for (size_t i = 0; i < json_array_size(recipes); i++)
        good = good && past_run_is_name(json_string_value(json_array_get(recipes, i)));
    for (size_t i = 0; i < json_array_size(clients); i++)
        good = good && json_integer_value(json_array_get(clients, i)) > 0;
    return good;
}

static enum error_kind check_keys(const struct past_run *run, const char *path, struct error *error)
{
    const struct plan_key *key;
    for (size_t i = 0; (key = option_table_key(i)) != NULL; i++) {
        if (key->decides && !has_type(json_object_get(run->plan, key->name), key->type))
            return error_raise(error, ERROR_MALFORMED, 0, path,
                               "the plan has no '%s', or one of the wrong type", key->name);
    }
    if (!lists_are_good(run->plan))
        return error_raise(error, ERROR_MALFORMED, 0, path,
                           "the plan's recipes or clients are not valid");
    if (past_run_trials(run) == 0)
        return error_raise(error, ERROR_MALFORMED, 0, path,
                           "the plan has no 'trials', or no number of them");
    return ERROR_NONE;
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
static void put_value(const json_t *value, char *text, size_t size)
{
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    snprintf(text, size, "%s", dumped != NULL ? dumped : "?");
    free(dumped);
}

enum error_kind past_run_check_plan(const struct past_run *first, const struct past_run *other,
                                    struct error *error)
{
    const struct plan_key *key;
    for (size_t i = 0; (key = option_table_key(i)) != NULL; i++) {
        const json_t *a = json_object_get(first->plan, key->name);
        const json_t *b = json_object_get(other->plan, key->name);
        if (!key->decides || same_value(a, b))
            continue;
        char its[100], others[100];
        put_value(a, others, sizeof others);
        put_value(b, its, sizeof its);
        return error_raise(error, ERROR_OTHER_PLAN, 0, other->folder, "%s is %s here, %s in %.150s",
                           key->name, its, others, first->folder);
    }
    return ERROR_NONE;
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
    json_t *plan = json_object_get(run->manifest, "plan");
    /* Manifests did not always have these: each is then taken for what it is by default. */
    if (json_object_get(plan, "placement") == NULL)
        json_object_set_new(plan, "placement", json_string("spread"));
    if (json_object_get(plan, "max_rate") == NULL)
        json_object_set_new(plan, "max_rate", json_null());
    if (json_object_get(plan, "background") == NULL)
        json_object_set_new(plan, "background", json_string("none"));
    if (json_object_get(plan, "server_cpu_percent") == NULL)
        json_object_set_new(plan, "server_cpu_percent", json_null());
    run->plan = plan;
    return check_keys(run, path, error);
}

/* ------------------------------------------------------------------ the trials of the plan */

/* Which trial of the plan a row is; recipe and clients by their places in its lists. */
struct key {
    size_t recipe, clients;
    uint64_t trial;
    size_t row;
};

struct key_columns {
    size_t recipe, clients, trial;
};

static enum error_kind find_key_columns(const struct csv_reader *trials,
                                        struct key_columns *columns, struct error *error)
{
    enum error_kind kind = csv_reader_column(trials, "recipe", &columns->recipe, error);
    if (kind == ERROR_NONE)
        kind = csv_reader_column(trials, "clients", &columns->clients, error);
    if (kind == ERROR_NONE)
        kind = csv_reader_column(trials, "trial", &columns->trial, error);
    return kind;
}

/* False if the plan has no such cell. */
static bool find_cell(const struct past_run *run, const char *recipe, double clients,
                      struct key *key)
{
    const char *name = past_run_recipe(run, 0);
    uint64_t level = past_run_clients(run, 0);
    for (key->recipe = 0; name != NULL && strcmp(name, recipe) != 0;)
        name = past_run_recipe(run, ++key->recipe);
    for (key->clients = 0; level != 0 && (double)level != clients;)
        level = past_run_clients(run, ++key->clients);
    return name != NULL && level != 0 && past_run_plans(run, recipe, level);
}

static enum error_kind read_key(const struct past_run *run, const struct key_columns *columns,
                                size_t row, struct key *key, struct error *error)
{
    const struct csv_reader *trials = &run->trials;
    double clients = 0, trial = 0;
    enum error_kind kind = csv_reader_number(trials, row, columns->clients, &clients, error);
    if (kind == ERROR_NONE)
        kind = csv_reader_number(trials, row, columns->trial, &trial, error);
    if (kind != ERROR_NONE)
        return kind;
    if (!find_cell(run, csv_reader_text(trials, row, columns->recipe), clients, key))
        return csv_reader_refuse(trials, row, columns->recipe,
                                 "with this number of clients is not in the plan", error);
    if (!(trial >= 1 && trial <= (double)past_run_trials(run) && trial == floor(trial)))
        return csv_reader_refuse(trials, row, columns->trial, "is not a trial of the plan", error);
    key->trial = (uint64_t)trial;
    key->row = row;
    return ERROR_NONE;
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->recipe != y->recipe)
        return x->recipe < y->recipe ? -1 : 1;
    if (x->clients != y->clients)
        return x->clients < y->clients ? -1 : 1;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

/* By trial, and those of one trial in the order of their rows. */
static int compare_keys_and_rows(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int by_key = compare_keys(a, b);
    return by_key != 0 ? by_key : (x->row > y->row) - (x->row < y->row);
}

/* A trial that stands there twice would count twice, and make intervals narrower than they are. */
static enum error_kind check_repetition(const struct past_run *run, size_t trial_column,
                                        const struct key *keys, struct error *error)
{
    for (size_t i = 1; i < run->trials.rows; i++) {
        if (compare_keys(&keys[i - 1], &keys[i]) != 0)
            continue;
        char why[200];
        snprintf(why, sizeof why, "of %.60s with %" PRIu64 " clients is on line %zu already",
                 past_run_recipe(run, keys[i].recipe), past_run_clients(run, keys[i].clients),
                 run->trials.lines[keys[i - 1].row + 1]);
        return csv_reader_refuse(&run->trials, keys[i].row, trial_column, why, error);
    }
    return ERROR_NONE;
}

/* The first trial of the plan that is not among the keys, which are sorted; false if all are. */
static bool find_missing(const struct past_run *run, const struct key *keys, struct key *missing)
{
    size_t next = 0;
    for (missing->recipe = 0; past_run_recipe(run, missing->recipe) != NULL; missing->recipe++) {
        const char *recipe = past_run_recipe(run, missing->recipe);
        for (missing->clients = 0; past_run_clients(run, missing->clients) != 0;
             missing->clients++) {
            if (!past_run_plans(run, recipe, past_run_clients(run, missing->clients)))
                continue;
            for (missing->trial = 1; missing->trial <= past_run_trials(run); missing->trial++) {
                if (next == run->trials.rows || compare_keys(&keys[next], missing) != 0)
                    return true;
                next++;
            }
        }
    }
    return false;
}

/* Fewer trials than the plan has are those of a run that was cut short, which its manifest says. */
static enum error_kind check_whole(const struct past_run *run, const struct key *keys,
                                   struct error *error)
{
    const json_t *cut_short = json_object_get(run->manifest, "cut_short");
    const json_t *finished = json_object_get(run->manifest, "trials_finished");
    struct key missing;
    bool whole = !find_missing(run, keys, &missing);
    if (!whole && !json_is_string(cut_short))
        return error_raise(error, ERROR_MALFORMED, 0, run->trials.name,
                           "trial %" PRIu64 " of %.60s with %" PRIu64
                           " clients is missing, although the run was not cut short",
                           missing.trial, past_run_recipe(run, missing.recipe),
                           past_run_clients(run, missing.clients));
    if (json_is_integer(finished) && json_integer_value(finished) != (json_int_t)run->trials.rows)
        return error_raise(error, ERROR_MALFORMED, 0, run->trials.name,
                           "%zu trials, but the manifest says that %" JSON_INTEGER_FORMAT
                           " were finished",
                           run->trials.rows, json_integer_value(finished));
    return ERROR_NONE;
}

static enum error_kind check_keys_of_rows(const struct past_run *run, struct key *keys,
                                          struct error *error)
{
    struct key_columns columns = {0};
    enum error_kind kind = find_key_columns(&run->trials, &columns, error);
    for (size_t row = 0; kind == ERROR_NONE && row < run->trials.rows; row++)
        kind = read_key(run, &columns, row, &keys[row], error);
    if (kind != ERROR_NONE)
        return kind;
    qsort(keys, run->trials.rows, sizeof *keys, compare_keys_and_rows);
    kind = check_repetition(run, columns.trial, keys, error);
    return kind == ERROR_NONE ? check_whole(run, keys, error) : kind;
}

static enum error_kind check_trials(const struct past_run *run, struct error *error)
{
    if (run->trials.rows == 0)
        return error_raise(error, ERROR_NOT_A_RUN, 0, run->folder, "there is no trial in it");
    struct key *keys = calloc(run->trials.rows, sizeof *keys);
    if (keys == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, run->folder, "%s", "");
    enum error_kind kind = check_keys_of_rows(run, keys, error);
    free(keys);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind read_trials(struct past_run *run, struct error *error)
{
    char path[FILE_PATH_SIZE];
    enum error_kind kind = find_file(run, "trials.csv", path, error);
    if (kind == ERROR_NONE)
        kind = csv_reader_open(path, &run->trials, error);
    return kind == ERROR_NONE ? check_trials(run, error) : kind;
}

enum error_kind past_run_open(const char *folder, struct past_run *run, struct error *error)
{
    *run = (struct past_run){0};
    snprintf(run->folder, sizeof run->folder, "%s", folder);
    folder_trim(run->folder);
    enum error_kind kind = read_manifest(run, error);
    if (kind == ERROR_NONE)
        kind = read_trials(run, error);
    if (kind != ERROR_NONE)
        past_run_deinit(run);
    return kind;
}

void past_run_deinit(struct past_run *run)
{
    json_decref(run->manifest);
    csv_reader_deinit(&run->trials);
    *run = (struct past_run){0};
}
