// SPDX-License-Identifier: Apache-2.0
#include "bench/output/sides.h"

#include "bench/output/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVERS_MAX 1000000

static const char *const figure_columns[] = {
#define X(name, column) column,
    SIDE_FIGURES(X)
#undef X
};

/* Where the columns of a run's trials are. */
struct places {
    size_t figures[SIDE_FIGURE_COUNT];
    size_t recipe, target, valid;
};

static enum error_kind find_places(const struct past_run *run, struct places *places,
                                   struct error *error)
{
    const struct csv_reader *trials = &run->trials;
    enum error_kind kind = csv_reader_column(trials, "recipe", &places->recipe, error);
    if (kind == ERROR_NONE)
        kind = csv_reader_column(trials, "target", &places->target, error);
    if (kind == ERROR_NONE)
        kind = csv_reader_column(trials, "valid", &places->valid, error);
    for (size_t i = 0; kind == ERROR_NONE && i < SIDE_FIGURE_COUNT; i++)
        kind = csv_reader_column(trials, figure_columns[i], &places->figures[i], error);
    return kind;
}

/* ------------------------------------------------------------------ a trial */

static bool never_is_empty(const struct past_run *run, size_t figure)
{
    return figure <= SIDE_NAMES_LISTED || (figure == SIDE_DRAIN_S && !past_run_is_paced(run)) ||
           (figure >= SIDE_HANDOFFS && figure <= SIDE_VIOLATIONS);
}

static enum error_kind read_figures(const struct past_run *run, const struct places *places,
                                    size_t row, struct side_trial *trial, struct error *error)
{
    for (size_t i = 0; i < SIDE_FIGURE_COUNT; i++) {
        double *figure = &trial->figures[i];
        enum error_kind kind =
            csv_reader_number(&run->trials, row, places->figures[i], figure, error);
        if (kind != ERROR_NONE)
            return kind;
        if (isnan(*figure) && never_is_empty(run, i))
            return csv_reader_refuse(&run->trials, row, places->figures[i], "is not a number",
                                     error);
        if (*figure < 0)
            return csv_reader_refuse(&run->trials, row, places->figures[i], "is negative", error);
    }
    return ERROR_NONE;
}

static enum error_kind read_trial(const struct past_run *run, const struct places *places,
                                  size_t row, struct side_trial *trial, struct error *error)
{
    const char *valid = csv_reader_text(&run->trials, row, places->valid);
    bool is_valid = strcmp(valid, "yes") == 0;
    trial->recipe = csv_reader_text(&run->trials, row, places->recipe);
    enum error_kind kind = read_figures(run, places, row, trial, error);
    if (kind != ERROR_NONE)
        return kind;
    double servers = trial->figures[SIDE_SERVERS];
    if (servers > SERVERS_MAX || servers != floor(servers))
        return csv_reader_refuse(&run->trials, row, places->figures[SIDE_SERVERS],
                                 "is no number of servers", error);
    if (!is_valid && strcmp(valid, "no") != 0)
        return csv_reader_refuse(&run->trials, row, places->valid, "is neither yes nor no", error);
    /* Under lockstep a trial that was cut short has no law. In free pace none has, and one that was
     * cut short is not told from another that is not valid: neither's counts are used. */
    bool complete = past_run_is_lockstep(run) ? !isnan(trial->figures[SIDE_LAW_RPCS]) : is_valid;
    trial->failed = trial->figures[SIDE_VIOLATIONS] != 0;
    trial->counts_stand = complete && !trial->failed;
    trial->times_stand = trial->counts_stand && is_valid;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the sides */

static enum error_kind new_side(struct sides *sides, const struct past_run *run,
                                struct error *error)
{
    if (sides->count == SIDES_MAX)
        return error_raise(error, ERROR_USAGE, 0, run->folder, "more than %d runs in all",
                           SIDES_MAX);
    struct side_trial *trials = calloc(run->trials.rows, sizeof *trials);
    if (trials == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, run->folder, "%s", "");
    sides->list[sides->count++] = (struct side){.run = run, .trials = trials};
    return ERROR_NONE;
}

static enum error_kind add_row(struct side *side, const struct places *places, size_t row,
                               struct error *error)
{
    const struct csv_reader *trials = &side->run->trials;
    struct side_trial *trial = &side->trials[row];
    enum error_kind kind = read_trial(side->run, places, row, trial, error);
    if (kind != ERROR_NONE)
        return kind;
    const char *target = csv_reader_text(trials, row, places->target);
    if (row == 0) {
        side->target = target;
        side->servers = (uint64_t)trial->figures[SIDE_SERVERS];
    }
    if (strcmp(target, side->target) != 0)
        return csv_reader_refuse(trials, row, places->target, "is not that of the trials before",
                                 error);
    if (trial->figures[SIDE_SERVERS] != (double)side->servers)
        return csv_reader_refuse(trials, row, places->figures[SIDE_SERVERS],
                                 "is not that of the trials before", error);
    side->count++;
    side->failed += trial->failed;
    return ERROR_NONE;
}

enum error_kind sides_add(struct sides *sides, const struct past_run *run, struct error *error)
{
    struct places places = {0};
    enum error_kind kind = find_places(run, &places, error);
    if (kind == ERROR_NONE)
        kind = new_side(sides, run, error);
    for (size_t row = 0; kind == ERROR_NONE && row < run->trials.rows; row++)
        kind = add_row(&sides->list[sides->count - 1], &places, row, error);
    return kind;
}

static int compare_sides(const void *a, const void *b)
{
    const struct side *x = a, *y = b;
    int by_servers = (x->servers > y->servers) - (x->servers < y->servers);
    return by_servers != 0 ? by_servers : strcmp(x->run->folder, y->run->folder);
}

void sides_sort(struct sides *sides, size_t first)
{
    qsort(&sides->list[first], sides->count - first, sizeof sides->list[0], compare_sides);
}

void sides_deinit(struct sides *sides)
{
    for (size_t i = 0; i < sides->count; i++)
        free(sides->list[i].trials);
    sides->count = 0;
}

/* ------------------------------------------------------------------ labels */

enum scheme { BY_TARGET, BY_SERVERS, BY_NAME, BY_FOLDER };

static void label_side(struct side *side, enum scheme scheme)
{
    const char *folder = side->run->folder;
    const char *plural = side->servers == 1 ? "" : "s";
    unsigned long long servers = side->servers;
    switch (scheme) {
    case BY_TARGET:
        snprintf(side->label, sizeof side->label, "%s", side->target);
        return;
    case BY_SERVERS:
        snprintf(side->label, sizeof side->label, "%s with %llu server%s", side->target, servers,
                 plural);
        return;
    case BY_NAME:
        snprintf(side->label, sizeof side->label, "%s", folder_name(folder));
        return;
    case BY_FOLDER:
        snprintf(side->label, sizeof side->label, "%s", folder);
        return;
    }
}

static bool are_told_apart(const struct sides *sides)
{
    for (size_t i = 0; i < sides->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(sides->list[i].label, sides->list[j].label) == 0)
                return false;
        }
    }
    return true;
}

void sides_label(struct sides *sides)
{
    bool apart = false;
    for (int scheme = BY_TARGET; scheme <= BY_FOLDER && !apart; scheme++) {
        for (size_t i = 0; i < sides->count; i++)
            label_side(&sides->list[i], (enum scheme)scheme);
        apart = are_told_apart(sides);
    }
}

char sides_letter(size_t side)
{
    return (char)('A' + (int)side);
}
