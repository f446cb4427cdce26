// SPDX-License-Identifier: Apache-2.0
#include "bench/past_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The keys of the plan that decide what is measured, and of which kind each is. */
static const struct {
    const char *key;
    json_type type; /* JSON_TRUE stands for both */
} plan_keys[] = {
    {"recipes", JSON_ARRAY},       {"clients", JSON_ARRAY},    {"most_clients", JSON_OBJECT},
    {"workload", JSON_STRING},     {"pace", JSON_STRING},      {"handoffs", JSON_INTEGER},
    {"duration_ns", JSON_INTEGER}, {"hold_ns", JSON_INTEGER},  {"hold_exponential", JSON_TRUE},
    {"locks", JSON_INTEGER},       {"placement", JSON_STRING},
};

#define FILE_PATH_SIZE (PATH_MAX + 64)

#define PLAN_KEYS (sizeof plan_keys / sizeof plan_keys[0])

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

bool past_run_plans(const struct past_run *run, const char *recipe, uint64_t clients)
{
    const json_t *most = json_object_get(json_object_get(run->plan, "most_clients"), recipe);
    return most == NULL || clients <= (uint64_t)json_integer_value(most);
}

bool past_run_is_lockstep(const struct past_run *run)
{
    return strcmp(json_string_value(json_object_get(run->plan, "pace")), "lockstep") == 0;
}

bool past_run_has_duration(const struct past_run *run)
{
    return json_integer_value(json_object_get(run->plan, "duration_ns")) != 0;
}

bool past_run_is_drain(const struct past_run *run)
{
    return strcmp(json_string_value(json_object_get(run->plan, "workload")), "drain") == 0;
}

static bool has_type(const json_t *value, json_type type)
{
    return value != NULL &&
           (json_typeof(value) == type || (type == JSON_TRUE && json_is_false(value)));
}

/* Letters, digits and what joins them: the name goes into gnuplot's command line. */
static bool is_name(const char *text)
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
        good = good && is_name(json_string_value(json_array_get(recipes, i)));
    for (size_t i = 0; i < json_array_size(clients); i++)
        good = good && json_integer_value(json_array_get(clients, i)) > 0;
    return good;
}

static enum fault_kind check_keys(const struct past_run *run, const char *path, struct fault *fault)
{
    for (size_t i = 0; i < PLAN_KEYS; i++) {
        if (!has_type(json_object_get(run->plan, plan_keys[i].key), plan_keys[i].type))
            return fault_raise(fault, FAULT_MALFORMED, 0, path,
                               "the plan has no '%s', or none of its kind", plan_keys[i].key);
    }
    if (!lists_are_good(run->plan))
        return fault_raise(fault, FAULT_MALFORMED, 0, path,
                           "the plan's recipes or clients are not what they should be");
    return FAULT_NONE;
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

enum fault_kind past_run_check_plan(const struct past_run *first, const struct past_run *other,
                                    struct fault *fault)
{
    for (size_t i = 0; i < PLAN_KEYS; i++) {
        const char *key = plan_keys[i].key;
        const json_t *a = json_object_get(first->plan, key);
        const json_t *b = json_object_get(other->plan, key);
        if (same_value(a, b))
            continue;
        char its[100], others[100];
        put_value(a, others, sizeof others);
        put_value(b, its, sizeof its);
        return fault_raise(fault, FAULT_OTHER_PLAN, 0, other->folder,
                           "its %s: %s, and not %s as in %.150s", key, its, others, first->folder);
    }
    return FAULT_NONE;
}

/* ------------------------------------------------------------------ the files */

/* The path of a file in the run's folder. FAULT_NOT_A_RUN if it is not there. */
static enum fault_kind find_file(const struct past_run *run, const char *name,
                                 char path[FILE_PATH_SIZE], struct fault *fault)
{
    struct stat status;
    snprintf(path, FILE_PATH_SIZE, "%s/%s", run->folder, name);
    if (stat(path, &status) == 0)
        return FAULT_NONE;
    if (stat(run->folder, &status) != 0)
        return fault_raise(fault, FAULT_NOT_A_RUN, 0, run->folder, "there is no such folder");
    return fault_raise(fault, FAULT_NOT_A_RUN, 0, run->folder, "there is no %s in it", name);
}

static enum fault_kind read_manifest(struct past_run *run, struct fault *fault)
{
    char path[FILE_PATH_SIZE];
    json_error_t error;
    enum fault_kind kind = find_file(run, "manifest.json", path, fault);
    if (kind != FAULT_NONE)
        return kind;
    run->manifest = json_load_file(path, 0, &error);
    if (run->manifest == NULL)
        return fault_raise(fault, FAULT_MALFORMED, 0, path, "line %d: %s",
                           error.line > 0 ? error.line : 1, error.text);
    json_t *plan = json_object_get(run->manifest, "plan");
    /* Manifests did not always have it: then it is taken for what it is by default. */
    if (json_object_get(plan, "placement") == NULL)
        json_object_set_new(plan, "placement", json_string("spread"));
    run->plan = plan;
    return check_keys(run, path, fault);
}

static bool is_planned(const struct past_run *run, const char *recipe, double clients)
{
    bool recipe_is = false, clients_are = false;
    for (size_t i = 0; past_run_recipe(run, i) != NULL; i++)
        recipe_is = recipe_is || strcmp(past_run_recipe(run, i), recipe) == 0;
    for (size_t i = 0; past_run_clients(run, i) != 0; i++)
        clients_are = clients_are || (double)past_run_clients(run, i) == clients;
    return recipe_is && clients_are && past_run_plans(run, recipe, (uint64_t)clients);
}

static enum fault_kind check_trials(const struct past_run *run, struct fault *fault)
{
    const struct csv_reader *trials = &run->trials;
    size_t recipe = 0, clients = 0;
    enum fault_kind kind = csv_reader_column(trials, "recipe", &recipe, fault);
    if (kind == FAULT_NONE)
        kind = csv_reader_column(trials, "clients", &clients, fault);
    for (size_t row = 0; kind == FAULT_NONE && row < trials->rows; row++) {
        double number = 0;
        kind = csv_reader_number(trials, row, clients, &number, fault);
        if (kind == FAULT_NONE && !is_planned(run, csv_reader_text(trials, row, recipe), number))
            kind = csv_reader_refuse(trials, row, recipe,
                                     "with this number of clients is not in the plan", fault);
    }
    if (kind == FAULT_NONE && trials->rows == 0)
        kind = fault_raise(fault, FAULT_NOT_A_RUN, 0, run->folder, "there is no trial in it");
    return kind;
}

static enum fault_kind read_trials(struct past_run *run, struct fault *fault)
{
    char path[FILE_PATH_SIZE];
    enum fault_kind kind = find_file(run, "trials.csv", path, fault);
    if (kind == FAULT_NONE)
        kind = csv_reader_open(path, &run->trials, fault);
    return kind == FAULT_NONE ? check_trials(run, fault) : kind;
}

enum fault_kind past_run_open(const char *folder, struct past_run *run, struct fault *fault)
{
    *run = (struct past_run){0};
    snprintf(run->folder, sizeof run->folder, "%s", folder);
    for (size_t end = strlen(run->folder); end > 1 && run->folder[end - 1] == '/';)
        run->folder[--end] = '\0';
    enum fault_kind kind = read_manifest(run, fault);
    if (kind == FAULT_NONE)
        kind = read_trials(run, fault);
    if (kind != FAULT_NONE)
        past_run_deinit(run);
    return kind;
}

void past_run_deinit(struct past_run *run)
{
    json_decref(run->manifest);
    csv_reader_deinit(&run->trials);
    *run = (struct past_run){0};
}
