// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/rows.h"

#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "recipes/own.h"
#include "recipes/registry.h"
#include "servers/ensemble.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct option_row rows_private[] = {ROWS_PRIVATE(struct options), {0}};

/* ------------------------------------------------------------------ servers */

/* Takes the numbers of servers; `expected`: what a list of them is. */
static bool parse_counts(struct option_given *given, const char *expected)
{
    struct target_options *target = option_row_place(given);
    const struct option_row *row = given->row;
    free(target->server_counts);
    target->server_counts = NULL;
    return text_parse_numbers(given->value, row->least, row->most, &target->server_counts,
                              &target->topology_count) ||
           option_row_refuse(given, "%s", expected);
}

bool rows_topologies(struct option_given *given)
{
    struct target_options *target = option_row_place(given);
    struct error error = {0};
    if (!parse_counts(given, "expected 1, 3, 5 or 7, or several of them, such as 1,3"))
        return false;
    for (size_t i = 0; i < target->topology_count; i++) {
        if (ensemble_check_size((unsigned)target->server_counts[i], &error))
            return option_row_refuse(given, "%s", error.detail);
    }
    return true;
}

bool rows_simulated_topologies(struct option_given *given)
{
    const struct target_options *target = option_row_place(given);
    char expected[80];
    snprintf(expected, sizeof expected, "expected odd numbers from 1 to %llu, such as 1,3,5",
             (unsigned long long)given->row->most);
    if (!parse_counts(given, expected))
        return false;
    for (size_t i = 0; i < target->topology_count; i++) {
        if (target->server_counts[i] % 2 == 0)
            return option_row_refuse(given, "%s", expected);
    }
    return true;
}

bool rows_home(struct option_given *given)
{
    const char **home = option_row_place(given);
    struct install install;
    struct error error = {0};
    struct stat status;
    *home = given->value;
    if (stat(*home, &status) != 0)
        return option_row_refuse(given, "'%s': %s", *home, strerror(errno));
    return !install_find_zookeeper(*home, &install, &error) ||
           option_row_refuse(given, "'%s': %s", *home, error.detail);
}

/* ------------------------------------------------------------------ who asks */

static struct identity *identity_of(struct connect_string *servers)
{
    if (servers->identity == NULL)
        servers->identity = memory_new(1, sizeof *servers->identity);
    return servers->identity;
}

bool rows_auth(struct option_given *given)
{
    struct connect_string *servers = option_row_place(given);
    if (given->value[0] != '\0')
        return !identity_read(given->value, identity_of(servers), &given->error);
    return getenv(ROWS_AUTH_VARIABLE) == NULL ||
           !identity_read_variable(ROWS_AUTH_VARIABLE, identity_of(servers), &given->error);
}

bool rows_acl(struct option_given *given)
{
    struct connect_string *servers = option_row_place(given);
    bool creator = strcmp(given->value, options_acls[true]) == 0;
    if (!creator && strcmp(given->value, options_acls[false]) != 0)
        return option_row_refuse(given, "%s", given->row->expected);
    if (creator || servers->identity != NULL)
        identity_of(servers)->creator = creator;
    return true;
}

const char *rows_acl_lacks(const struct connect_string *servers)
{
    const struct identity *identity = servers->identity;
    return identity != NULL && identity->creator && !identity_is_known(identity)
               ? "there is no creator without credentials: add --auth"
               : NULL;
}

/* ------------------------------------------------------------------ times */

bool rows_hold(struct option_given *given)
{
    struct hold *hold = option_row_place(given);
    hold->exponential = strncmp(given->value, "exp:", 4) == 0;
    const char *mean = given->value + (hold->exponential ? 4 : 0);
    return text_parse_duration(mean, &hold->mean_ns) ||
           option_row_refuse(given, "expected a duration with its unit, such as 5ms or exp:5ms, at "
                                    "most ten days");
}

bool rows_seconds(struct option_given *given)
{
    const uint64_t *duration_ns = option_row_place(given);
    return option_row_duration(given) &&
           (*duration_ns % NS_PER_S == 0 ||
            option_row_refuse(given, "expected whole seconds: rates are of whole seconds"));
}

bool rows_one_host(struct option_given *given)
{
    return option_row_refuse(given,
                             "only zkherd load is of several hosts: 20,000 sessions fit on one");
}

/* ------------------------------------------------------------------ a load beside a trial */

#define BACKGROUND_MOST_PER_S 10000000

bool rows_background(struct option_given *given)
{
    struct background_options *background = option_row_place(given);
    const char *at = strrchr(given->value, '@');
    size_t length = at == NULL ? 0 : (size_t)(at - given->value);
    char mix[256];
    if (at == NULL || length >= sizeof mix ||
        !text_parse_number(at + 1, 1, BACKGROUND_MOST_PER_S, &background->rate_per_s))
        return option_row_refuse(given, "expected a mix and its operations a second, such as "
                                        "get=80,set=20@1000");
    snprintf(mix, sizeof mix, "%.*s", (int)length, given->value);
    background->given = true;
    return mix_parse(mix, &background->mix, given->why, sizeof given->why);
}

const char *rows_background_format(const struct background_options *background, char *text,
                                   size_t size)
{
    char mix[128];
    if (!background->given)
        snprintf(text, size, "none");
    else
        snprintf(text, size, "%s@%llu", mix_format(&background->mix, mix, sizeof mix),
                 (unsigned long long)background->rate_per_s);
    return text;
}

/* ------------------------------------------------------------------ recipes */

/* The recipes that have been read from files. */
static struct recipe **own;
static size_t own_count;

static enum error_kind read_recipe(const char *path, struct error *error)
{
    static const char *const places[] = {"include/zkherd", "lib", NULL};
    char headers[PATH_MAX + 64];
    struct recipe *recipe;
    bool has = process_find_beside(places, "recipes/recipe.h", headers, sizeof headers);
    if (own_load(path, has ? headers : NULL, &recipe, error))
        return error->kind;
    if (registry_find(recipe->name) != NULL) {
        error_raise(error, ERROR_NOT_A_RECIPE, 0, path,
                    "its .name '%s' is that of a recipe of zkherd", recipe->name);
        own_free(recipe);
        return error->kind;
    }
    own = memory_grow(own, own_count, sizeof(void *));
    own[own_count++] = recipe;
    return ERROR_NONE;
}

enum error_kind rows_find_recipe(const char *name, const struct recipe **recipe,
                                 struct error *error)
{
    size_t i = 0;
    char near[256];
    if (own_is_file(name)) {
        while (i < own_count && strcmp(own[i]->file->path, name) != 0)
            i++;
        if (i == own_count && read_recipe(name, error) != ERROR_NONE)
            return error->kind;
        *recipe = own[i];
        return ERROR_NONE;
    }
    *recipe = registry_find(name);
    if (*recipe != NULL)
        return ERROR_NONE;
    if (strchr(name, '.') != NULL)
        return error_raise(error, ERROR_USAGE, 0, name,
                           "no recipe is called '%s'; the file of one has a slash: ./%s", name,
                           name);
    registry_suggest(name, near, sizeof near);
    return error_raise(error, ERROR_USAGE, 0, name[0] == '\0' ? "''" : name,
                       "no recipe is called '%s'; %s%s%s", name,
                       near[0] == '\0' ? "zkherd recipes lists all" : "did you mean ", near,
                       near[0] == '\0' ? "" : "?");
}

const struct recipe *rows_own_recipe(size_t index)
{
    return index < own_count ? own[own_count - 1 - index] : NULL;
}

bool rows_recipe(struct option_given *given, const char *name, const struct recipe **list,
                 size_t *count)
{
    const struct recipe *recipe;
    struct error error;
    if (name[0] == '\0')
        return option_row_refuse(given, "the name of a recipe is missing");
    enum error_kind kind = rows_find_recipe(name, &recipe, &error);
    if (kind == ERROR_USAGE)
        return option_row_refuse(given, "%s", error.detail);
    if (kind != ERROR_NONE) {
        given->error = error;
        return false;
    }
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(list[i]->name, recipe->name) == 0)
            return option_row_refuse(given, "a recipe is named twice");
    }
    if (*count == OPTIONS_RECIPES_MAX)
        return option_row_refuse(given, "too many");
    list[(*count)++] = recipe;
    return true;
}

bool rows_recipes(struct option_given *given, const struct recipe **list, size_t *count)
{
    const char *names = given->value;
    char name[PATH_MAX];
    *count = 0;
    while (text_next_item(&names, name, sizeof name)) {
        if (!rows_recipe(given, name, list, count))
            return false;
    }
    return true;
}
