// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "bench/output/folder.h"
#include "measure/csv_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the trials */

/* What a comparison needs. */
static const size_t columns[] = {
    trial_row_target,         trial_row_recipe,         trial_row_clients,
    trial_row_servers,        trial_row_handoffs,       trial_row_rpcs,
    trial_row_notifications,  trial_row_creates,        trial_row_names_listed,
    trial_row_violations,     trial_row_valid,          trial_row_drain_s,
    trial_row_handoff_p50_us, trial_row_handoff_p99_us, trial_row_handoffs_per_s,
    trial_row_server_cpu_s,   trial_row_law_rpcs};

/* The columns that are needed: in the table one that the file lacks is unknown, as an empty field
 * is. */
static enum error_kind check_columns(const struct past_run *run, struct error *error)
{
    char path[PATH_MAX + 64];
    struct csv_reader reader;
    size_t place;
    snprintf(path, sizeof path, "%s/%s", run->folder, trial_row_table.file);
    enum error_kind kind = csv_reader_open(path, &reader, error);
    if (kind != ERROR_NONE)
        return kind;
    for (size_t i = 0; kind == ERROR_NONE && i < sizeof columns / sizeof columns[0]; i++)
        kind = csv_reader_column(&reader, trial_row_table.columns[columns[i]].name, &place, error);
    csv_reader_deinit(&reader);
    return kind;
}

static enum error_kind refuse(const struct compared_run *side, size_t row, const char *what,
                              const char *column, struct error *error)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", side->run->folder, trial_row_table.file);
    return error_raise(error, ERROR_MALFORMED, 0, path, "row %zu: %s%s", row + 1, what, column);
}

/* A value that is not there, or is negative: of a column that is missing, or of an edited file. */
static enum error_kind check_row(const struct compared_run *side, size_t row, struct error *error)
{
    const struct table_value *values = table_row(&side->run->trials, row);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct table_value *value = &values[columns[i]];
        const char *name = trial_row_table.columns[columns[i]].name;
        bool may_lack = columns[i] == trial_row_drain_s
                            ? side->run->paced
                            : columns[i] == trial_row_law_rpcs ||
                                  trial_row_table.columns[columns[i]].kind == TABLE_REAL;
        if (value->kind == TABLE_UNKNOWN && !may_lack)
            return refuse(side, row, "there is no ", name, error);
        if (table_number(value) < 0)
            return refuse(side, row, "a negative ", name, error);
    }
    if (strcmp(values[trial_row_target].text, side->target) != 0 ||
        values[trial_row_servers].count != side->servers)
        return refuse(side, row, "not the target of the rows before", "", error);
    return ERROR_NONE;
}

static void judge_row(struct compared_run *side, struct table_value *row)
{
    /* Under lockstep a trial that was cut short has no law. In free pace no trial has one, and a
     * trial that was cut short looks like any other that is not valid: such counts are not used. */
    bool complete = side->run->lockstep ? row[trial_row_law_rpcs].kind != TABLE_UNKNOWN
                                        : row[trial_row_valid].flag;
    bool failed = row[trial_row_violations].count > 0;
    bool timed = complete && !failed && row[trial_row_valid].flag;
    row[trial_row_complete] = table_flag(complete && !failed);
    row[trial_row_drained] = table_flag(timed);
    side->failed += failed;
    side->timed += timed;
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

enum error_kind compared_runs_add(struct compared_runs *compared, struct past_run *run,
                                  struct error *error)
{
    static const size_t keys[] = {trial_row_recipe, trial_row_clients};
    const struct table_value *first = table_row(&run->trials, 0);
    struct compared_run *side = &compared->list[compared->count];
    const char *target = first[trial_row_target].text;
    *side = (struct compared_run){.run = run,
                                  .target = target != NULL ? target : "",
                                  .servers = first[trial_row_servers].count,
                                  .version = shared_by_servers(run, "version"),
                                  .home = shared_by_servers(run, "zookeeper_home")};
    enum error_kind kind = check_columns(run, error);
    for (size_t row = 0; kind == ERROR_NONE && row < run->trials.rows; row++) {
        kind = check_row(side, row, error);
        if (kind == ERROR_NONE)
            judge_row(side, &run->trials.values[row * trial_row_table.count]);
    }
    if (kind != ERROR_NONE)
        return kind;
    side->cells = table_group(&run->trials, keys, 2);
    compared->count++;
    return ERROR_NONE;
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
        table_cells_deinit(&compared->list[i].cells);
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
