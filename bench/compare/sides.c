// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "bench/cli/options.h"
#include "bench/output/folder.h"
#include "measure/csv_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static enum error_kind refuse(const struct side *side, size_t row, const char *what,
                              const char *column, struct error *error)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", side->run.folder, trial_row_table.file);
    return error_raise(error, ERROR_MALFORMED, 0, path, "row %zu: %s%s", row + 1, what, column);
}

/* A value that is not there, or is negative: of a column that is missing, or of an edited file. */
static enum error_kind check_row(const struct side *side, size_t row, struct error *error)
{
    const struct table_value *values = table_row(&side->run.trials, row);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct table_value *value = &values[columns[i]];
        const char *name = trial_row_table.columns[columns[i]].name;
        bool may_lack = columns[i] == trial_row_drain_s
                            ? side->run.paced
                            : columns[i] == trial_row_law_rpcs ||
                                  trial_row_table.columns[columns[i]].kind == TABLE_REAL;
        if (value->kind == TABLE_UNKNOWN && !may_lack)
            return refuse(side, row, "there is no ", name, error);
        if (table_number(value) < 0)
            return refuse(side, row, "a negative ", name, error);
    }
    if (strcmp(values[trial_row_target].text, side->target) != 0)
        return refuse(side, row, "not the target of the rows before", "", error);
    /* One that died meanwhile was left out: ratios would be of no number of servers. */
    if (values[trial_row_servers].count != side->servers)
        return error_raise(error, ERROR_OTHER_PLAN, 0, side->run.folder,
                           "trial %zu had %llu servers, those before had %zu", row + 1,
                           (unsigned long long)values[trial_row_servers].count, side->servers);
    return ERROR_NONE;
}

/* Under lockstep a trial that was cut short has no law. In free pace no trial has one, and a trial
 * that was cut short looks like any other that is not valid: such counts are not used. */
static void judge_trial(struct side *side, size_t index)
{
    const struct table_value *row = table_row(&side->run.trials, index);
    bool valid = row[trial_row_valid].flag;
    bool complete = side->run.lockstep ? row[trial_row_law_rpcs].kind != TABLE_UNKNOWN : valid;
    bool failed = row[trial_row_violations].count > 0;
    side->counted[index] = complete && !failed;
    side->timed[index] = complete && !failed && valid;
    side->failed += failed;
}

static bool is_text(const struct table_value *row, size_t column, const char *text)
{
    return column != SIZE_MAX && row[column].kind == TABLE_TEXT &&
           strcmp(row[column].text, text) == 0;
}

/* A row of another kind: by the columns that it has. */
static void judge_row(struct side *side, size_t index)
{
    const struct table_value *row = table_row(&side->run.trials, index);
    const struct table_type *type = side->run.trials.type;
    size_t valid = kind_column(type, "valid"), verdict = kind_column(type, "verdict");
    bool failed = is_text(row, kind_column(type, "reconciled"), "no");
    bool usable = (valid == SIZE_MAX || row[valid].flag) && !is_text(row, verdict, "not valid") &&
                  !is_text(row, verdict, "braked");
    side->counted[index] = side->timed[index] = usable && !failed;
    side->failed += failed;
}

static void judge_side(struct side *side)
{
    size_t rows = side->run.trials.rows,
           disturbed = kind_column(side->run.trials.type, "noise_disturbed");
    side->counted = memory_new(rows, sizeof *side->counted);
    side->timed = memory_new(rows, sizeof *side->timed);
    for (size_t row = 0; row < rows; row++) {
        if (side->run.trials.type == &trial_row_table)
            judge_trial(side, row);
        else
            judge_row(side, row);
        side->timed_rows += side->timed[row];
        side->disturbed +=
            disturbed != SIZE_MAX && table_row(&side->run.trials, row)[disturbed].flag;
    }
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

bool sides_differ_in_release(const struct side *one, const struct side *other)
{
    return differ(one->version, other->version) || differ(one->home, other->home);
}

bool sides_share_drift(const struct side *one, const struct side *other)
{
    const json_t *a = one->run.manifest, *b = other->run.manifest;
    const json_t *driver = json_object_get(json_object_get(a, "driver"), "driver");
    bool simulated = json_is_string(driver) &&
                     strcmp(json_string_value(driver), options_drivers[DRIVER_SIMULATED]) == 0;
    return simulated || (json_equal(json_object_get(a, "command"), json_object_get(b, "command")) &&
                         json_equal(json_object_get(a, "seed"), json_object_get(b, "seed")));
}

/* ------------------------------------------------------------------ the runs */

static bool is_same(const char *folder, const char *other)
{
    struct stat its, others;
    return stat(folder, &its) == 0 && stat(other, &others) == 0 && its.st_dev == others.st_dev &&
           its.st_ino == others.st_ino;
}

/* The target and the servers of a run, by its trials. */
static enum error_kind take_trials(struct side *side, struct error *error)
{
    struct past_run *run = &side->run;
    const struct table_value *first = table_row(&run->trials, 0);
    const char *target = first[trial_row_target].text;
    side->target = target != NULL ? target : "";
    side->servers = first[trial_row_servers].count;
    enum error_kind kind = check_columns(run, error);
    for (size_t row = 0; kind == ERROR_NONE && row < run->trials.rows; row++)
        kind = check_row(side, row, error);
    return kind;
}

static enum error_kind take_results(struct side *side, const struct kind *of, struct error *error)
{
    const json_t *manifest = side->run.manifest;
    const char *target = json_string_value(json_object_get(manifest, "target"));
    side->version = shared_by_servers(&side->run, "version");
    side->home = shared_by_servers(&side->run, "zookeeper_home");
    side->zkherd = json_string_value(json_object_get(manifest, "version"));
    if (of->type == &trial_row_table)
        return take_trials(side, error);
    side->target = target != NULL ? target : "";
    side->servers = json_array_size(json_object_get(manifest, "servers"));
    side->answers.type = of->answers;
    return of->answers != NULL ? table_read(&side->answers, side->run.folder, error) : ERROR_NONE;
}

/* A run is equal to itself: naming it twice is a slip. */
static enum error_kind check_folder(const struct comparison *comparison, const char *folder,
                                    const struct kind *kind, struct error *error)
{
    if (comparison->side_count == COMPARED_RUNS_MAX)
        return error_raise(error, ERROR_USAGE, 0, folder, "more than %d runs in all",
                           COMPARED_RUNS_MAX);
    for (size_t i = 0; i < comparison->side_count; i++) {
        const char *other = comparison->sides[i].run.folder;
        if (is_same(folder, other))
            return error_raise(error, ERROR_USAGE, 0, folder,
                               "it is the same run as '%.200s': name different runs", other);
    }
    if (comparison->side_count > 0 && kind != comparison->kind)
        return error_raise(error, ERROR_USAGE, 0, folder,
                           "it is %s, and '%.200s' is %s: name results of one kind", kind->word,
                           comparison->sides[0].run.folder, comparison->kind->word);
    return ERROR_NONE;
}

enum error_kind comparison_add(struct comparison *comparison, const char *folder, size_t operand,
                               struct error *error)
{
    struct side *sides = comparison->sides, *side = &sides[comparison->side_count];
    const struct kind *found = kind_of_folder(folder);
    /* What is of no kind is refused as a run that lacks its file. */
    const struct kind *of = found != NULL ? found : kind_of_runs();
    enum error_kind kind = found != NULL ? check_folder(comparison, folder, of, error) : ERROR_NONE;
    if (kind == ERROR_NONE)
        kind = past_run_open_as(folder, of->type, &side->run, error);
    if (kind != ERROR_NONE)
        return kind;
    comparison->side_count++;
    comparison->kind = of;
    side->operand = operand;
    kind = of->type == &trial_row_table ? past_run_check_plan(&sides[0].run, &side->run, error)
                                        : kind_check_plan(&sides[0].run, &side->run, error);
    return kind == ERROR_NONE ? take_results(side, of, error) : kind;
}

static int compare_sides(const void *a, const void *b)
{
    const struct side *x = a, *y = b;
    int by_servers = (x->servers > y->servers) - (x->servers < y->servers);
    int by_version =
        x->version != NULL && y->version != NULL ? strverscmp(x->version, y->version) : 0;
    int by_folder = strverscmp(x->run.folder, y->run.folder);
    return by_servers != 0 ? by_servers : by_version != 0 ? by_version : by_folder;
}

void comparison_sort(struct comparison *comparison, size_t first)
{
    qsort(&comparison->sides[first], comparison->side_count - first, sizeof(struct side),
          compare_sides);
}

void comparison_deinit(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->side_count; i++) {
        struct side *side = &comparison->sides[i];
        table_cells_deinit(&side->cells);
        table_deinit(&side->answers);
        past_run_deinit(&side->run);
        free(side->counted);
        free(side->timed);
    }
    for (size_t i = 0; i < comparison->place_count; i++) {
        free(comparison->places[i].group);
        free(comparison->places[i].at);
    }
    for (size_t i = 0; i < comparison->cell_count; i++)
        free(comparison->cells[i].of);
    free(comparison->cells);
    free(comparison->places);
    free(comparison->metrics);
    free(comparison->overall);
    free(comparison->results);
    *comparison = (struct comparison){0};
}

/* ------------------------------------------------------------------ when all are there */

enum scheme { BY_TARGET, BY_SERVERS, BY_NAME, BY_FOLDER };

static void label_side(struct side *side, enum scheme scheme)
{
    const char *folder = side->run.folder;
    const char *names[] = {
        [BY_TARGET] = side->target, [BY_NAME] = folder_name(folder), [BY_FOLDER] = folder};
    if (scheme == BY_SERVERS)
        snprintf(side->label, sizeof side->label, "%s with %llu server%s", side->target,
                 (unsigned long long)side->servers, side->servers == 1 ? "" : "s");
    else
        snprintf(side->label, sizeof side->label, "%s", names[scheme]);
}

/* Whether all differ then. */
static bool label(struct comparison *comparison, enum scheme scheme)
{
    bool apart = true;
    for (size_t i = 0; i < comparison->side_count; i++) {
        label_side(&comparison->sides[i], scheme);
        for (size_t j = 0; j < i; j++)
            apart = apart && strcmp(comparison->sides[i].label, comparison->sides[j].label) != 0;
    }
    return apart;
}

/* With which a side is compared. Where releases and numbers of servers vary, or several operands
 * hold several topologies, the first side with as many servers: of two of those that is one
 * topology with itself, of another operand; else side A. */
static const struct side *find_base(const struct comparison *comparison, const struct side *side)
{
    const struct side *sides = comparison->sides, *base = sides;
    bool several = side > sides && side->operand > 0 && comparison->servers_vary &&
                   sides[0].operand == sides[1].operand;
    bool apart = several || (comparison->releases_vary && comparison->servers_vary);
    while (apart && base->servers != side->servers)
        base++;
    return base < side ? base : sides;
}

void comparison_settle(struct comparison *comparison)
{
    struct side *first = comparison->sides, *end = first + comparison->side_count;
    for (struct side *side = first; side < end; side++) {
        comparison->releases_vary |= sides_differ_in_release(first, side);
        comparison->servers_vary |= side->servers != first->servers;
        side->letter[0] = (char)('A' + (side - first));
        judge_side(side);
    }
    for (struct side *side = first; side < end; side++)
        side->base = find_base(comparison, side);
    comparison_choose(comparison);
    comparison_place(comparison);
    enum scheme scheme = BY_TARGET;
    while (!label(comparison, scheme) && scheme < BY_FOLDER)
        scheme++;
}
