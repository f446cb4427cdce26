// SPDX-License-Identifier: Apache-2.0
#include "bench/output/compared_runs.h"

#include "bench/output/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVERS_MAX 1000000

/* The columns that are read: the figures, and three more. */
enum { RECIPE = COMPARED_FIGURE_COUNT, TARGET, VALID, COLUMNS };

static const char *const columns[COLUMNS] = {[RECIPE] = "recipe",
                                             [TARGET] = "target",
                                             [VALID] = "valid",
#define X(name, column) [COMPARED_##name] = column,
                                             COMPARED_FIGURES(X)
#undef X
};

/* Where they are in a run's trials.csv. */
struct places {
    size_t of[COLUMNS];
};

static enum error_kind find_places(const struct past_run *run, struct places *places,
                                   struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < COLUMNS; i++)
        kind = csv_reader_column(&run->trials, columns[i], &places->of[i], error);
    return kind;
}

/* ------------------------------------------------------------------ a trial */

static bool never_is_empty(const struct past_run *run, size_t figure)
{
    return figure <= COMPARED_NAMES_LISTED ||
           (figure == COMPARED_DRAIN_S && !past_run_is_paced(run)) ||
           (figure >= COMPARED_HANDOFFS && figure <= COMPARED_VIOLATIONS);
}

static enum error_kind read_figures(const struct past_run *run, const struct places *places,
                                    size_t row, struct compared_trial *trial, struct error *error)
{
    for (size_t i = 0; i < COMPARED_FIGURE_COUNT; i++) {
        double *figure = &trial->figures[i];
        enum error_kind kind = csv_reader_number(&run->trials, row, places->of[i], figure, error);
        if (kind != ERROR_NONE)
            return kind;
        if (isnan(*figure) && never_is_empty(run, i))
            return csv_reader_refuse(&run->trials, row, places->of[i], "is not a number", error);
        if (*figure < 0)
            return csv_reader_refuse(&run->trials, row, places->of[i], "is negative", error);
    }
    return ERROR_NONE;
}

static enum error_kind read_trial(const struct past_run *run, const struct places *places,
                                  size_t row, struct compared_trial *trial, struct error *error)
{
    const char *valid = csv_reader_text(&run->trials, row, places->of[VALID]);
    bool is_valid = strcmp(valid, "yes") == 0;
    trial->recipe = csv_reader_text(&run->trials, row, places->of[RECIPE]);
    enum error_kind kind = read_figures(run, places, row, trial, error);
    if (kind != ERROR_NONE)
        return kind;
    double servers = trial->figures[COMPARED_SERVERS];
    if (servers > SERVERS_MAX || servers != floor(servers))
        return csv_reader_refuse(&run->trials, row, places->of[COMPARED_SERVERS],
                                 "is no number of servers", error);
    if (!is_valid && strcmp(valid, "no") != 0)
        return csv_reader_refuse(&run->trials, row, places->of[VALID], "is neither yes nor no",
                                 error);
    /* Under lockstep a trial that was cut short has no law. In free pace no trial has one, and a
     * trial that was cut short looks like any other that is not valid: such counts are not used. */
    bool complete =
        past_run_is_lockstep(run) ? !isnan(trial->figures[COMPARED_LAW_RPCS]) : is_valid;
    trial->failed = trial->figures[COMPARED_VIOLATIONS] != 0;
    trial->counts_stand = complete && !trial->failed;
    trial->times_stand = trial->counts_stand && is_valid;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ releases */

/* What all servers of the manifest have for a key; NULL if they differ, or if it is not there. */
static const char *shared_by_servers(const struct past_run *run, const char *key)
{
    const json_t *servers = json_object_get(run->manifest, "servers"), *server;
    const char *shared = NULL;
    size_t index;
    json_array_foreach(servers, index, server)
    {
        const char *text = json_string_value(json_object_get(server, key));
        if (text == NULL || (shared != NULL && strcmp(text, shared) != 0))
            return NULL;
        shared = text;
    }
    return shared;
}

static bool differ(const char *one, const char *other)
{
    return one != NULL && other != NULL && strcmp(one, other) != 0;
}

bool compared_runs_differ_in_release(const struct compared_run *one,
                                     const struct compared_run *other)
{
    return differ(one->version, other->version) || differ(one->home, other->home);
}

bool compared_runs_vary_in_release(const struct compared_runs *compared)
{
    bool vary = false;
    for (size_t i = 1; i < compared->count; i++)
        vary = vary || compared_runs_differ_in_release(&compared->list[0], &compared->list[i]);
    return vary;
}

bool compared_runs_vary_in_servers(const struct compared_runs *compared)
{
    bool vary = false;
    for (size_t i = 1; i < compared->count; i++)
        vary = vary || compared->list[i].servers != compared->list[0].servers;
    return vary;
}

void compared_runs_pair(struct compared_runs *compared)
{
    bool apart = compared_runs_vary_in_release(compared) && compared_runs_vary_in_servers(compared);
    for (size_t side = 0; side < compared->count; side++) {
        size_t first = 0;
        while (apart && compared->list[first].servers != compared->list[side].servers)
            first++;
        compared->list[side].base = first < side ? first : 0;
    }
}

/* ------------------------------------------------------------------ the runs */

static enum error_kind new_side(struct compared_runs *compared, const struct past_run *run,
                                struct error *error)
{
    if (compared->count == COMPARED_RUNS_MAX)
        return error_raise(error, ERROR_USAGE, 0, run->folder, "more than %d runs in all",
                           COMPARED_RUNS_MAX);
    struct compared_trial *trials = calloc(run->trials.rows, sizeof *trials);
    if (trials == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, run->folder, "%s", "");
    compared->list[compared->count++] =
        (struct compared_run){.run = run,
                              .version = shared_by_servers(run, "version"),
                              .home = shared_by_servers(run, "zookeeper_home"),
                              .trials = trials};
    return ERROR_NONE;
}

static enum error_kind add_row(struct compared_run *side, const struct places *places, size_t row,
                               struct error *error)
{
    const struct csv_reader *trials = &side->run->trials;
    struct compared_trial *trial = &side->trials[row];
    enum error_kind kind = read_trial(side->run, places, row, trial, error);
    if (kind != ERROR_NONE)
        return kind;
    const char *target = csv_reader_text(trials, row, places->of[TARGET]);
    if (row == 0) {
        side->target = target;
        side->servers = (uint64_t)trial->figures[COMPARED_SERVERS];
    }
    if (strcmp(target, side->target) != 0)
        return csv_reader_refuse(trials, row, places->of[TARGET],
                                 "is not that of the trials before", error);
    if (trial->figures[COMPARED_SERVERS] != (double)side->servers)
        return csv_reader_refuse(trials, row, places->of[COMPARED_SERVERS],
                                 "is not that of the trials before", error);
    side->count++;
    side->failed += trial->failed;
    return ERROR_NONE;
}

enum error_kind compared_runs_add(struct compared_runs *compared, const struct past_run *run,
                                  struct error *error)
{
    struct places places = {0};
    enum error_kind kind = find_places(run, &places, error);
    if (kind == ERROR_NONE)
        kind = new_side(compared, run, error);
    for (size_t row = 0; kind == ERROR_NONE && row < run->trials.rows; row++)
        kind = add_row(&compared->list[compared->count - 1], &places, row, error);
    return kind;
}

static int compare_sides(const void *a, const void *b)
{
    const struct compared_run *x = a, *y = b;
    int by_servers = (x->servers > y->servers) - (x->servers < y->servers);
    int by_version =
        x->version != NULL && y->version != NULL ? strverscmp(x->version, y->version) : 0;
    int by_folder = strverscmp(x->run->folder, y->run->folder);
    return by_servers != 0 ? by_servers : by_version != 0 ? by_version : by_folder;
}

void compared_runs_sort(struct compared_runs *compared, size_t first)
{
    qsort(&compared->list[first], compared->count - first, sizeof compared->list[0], compare_sides);
}

void compared_runs_deinit(struct compared_runs *compared)
{
    for (size_t i = 0; i < compared->count; i++)
        free(compared->list[i].trials);
    compared->count = 0;
}

/* ------------------------------------------------------------------ labels */

enum scheme { BY_TARGET, BY_SERVERS, BY_NAME, BY_FOLDER };

static void label_side(struct compared_run *side, enum scheme scheme)
{
    const char *folder = side->run->folder;
    const char *names[] = {
        [BY_TARGET] = side->target, [BY_NAME] = folder_name(folder), [BY_FOLDER] = folder};
    if (scheme == BY_SERVERS)
        snprintf(side->label, sizeof side->label, "%s with %llu server%s", side->target,
                 (unsigned long long)side->servers, side->servers == 1 ? "" : "s");
    else
        snprintf(side->label, sizeof side->label, "%s", names[scheme]);
}

static bool all_differ(const struct compared_runs *compared)
{
    for (size_t i = 0; i < compared->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(compared->list[i].label, compared->list[j].label) == 0)
                return false;
        }
    }
    return true;
}

void compared_runs_label(struct compared_runs *compared)
{
    bool apart = false;
    for (int scheme = BY_TARGET; scheme <= BY_FOLDER && !apart; scheme++) {
        for (size_t i = 0; i < compared->count; i++)
            label_side(&compared->list[i], (enum scheme)scheme);
        apart = all_differ(compared);
    }
}

char compared_runs_letter(size_t side)
{
    return (char)('A' + (int)side);
}
