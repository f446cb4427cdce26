// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/output/folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------ the trials of a run */

/* Columns that decide what is compared; of them only times, and the law, may be empty. */
static const size_t columns[] = {
    trial_row_target,         trial_row_recipe,         trial_row_clients,
    trial_row_servers,        trial_row_handoffs,       trial_row_rpcs,
    trial_row_creates,        trial_row_notifications,  trial_row_names_listed,
    trial_row_violations,     trial_row_valid,          trial_row_drain_s,
    trial_row_handoff_p50_us, trial_row_handoff_p99_us, trial_row_server_cpu_s,
    trial_row_handoffs_per_s};

/* ERROR_MALFORMED for a value that is negative, or missing, as in an edited file. ERROR_OTHER_PLAN
 * for a server that died during the run: ratios would be of no number of servers. */
static enum error_kind check_row(const struct side *side, size_t row, const char *path,
                                 struct error *error)
{
    const struct table_value *values = table_row(&side->run.trials, row);
    uint64_t servers = values[trial_row_servers].count;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct table_column *column = &trial_row_table.columns[columns[i]];
        bool is_needed =
                 columns[i] == trial_row_drain_s ? !side->run.paced : column->kind != TABLE_REAL,
             lacks = is_needed && values[columns[i]].kind == TABLE_UNKNOWN;
        if (lacks || table_number(&values[columns[i]]) < 0)
            return error_raise(error, ERROR_MALFORMED, 0, path, "row %zu: %s %s", row + 1,
                               lacks ? "there is no" : "a negative", column->name);
    }
    if (strcmp(values[trial_row_target].text, side->target) != 0)
        return error_raise(error, ERROR_MALFORMED, 0, path,
                           "row %zu: not the target of the rows before", row + 1);
    if (servers != side->servers)
        return error_raise(error, ERROR_OTHER_PLAN, 0, side->run.folder,
                           "trial %zu had %llu servers, those before had %llu", row + 1,
                           (unsigned long long)servers, (unsigned long long)side->servers);
    return ERROR_NONE;
}

static bool is_text(const struct table_value *value, const char *text)
{
    return value != NULL && value->kind == TABLE_TEXT && strcmp(value->text, text) == 0;
}

/* Counts what can be used of a trial, and what is wrong with it. Under lockstep a trial that was
 * cut short has no law. In free pace no trial has one, and a trial that was cut short looks like
 * any other that is not valid: such counts are not used. */
static void judge_trial(struct side *side, size_t index)
{
    const struct table *trials = &side->run.trials;
    const struct table_value *row = table_row(trials, index),
                             *valid = kind_value(trials, index, "valid"),
                             *verdict = kind_value(trials, index, "verdict"),
                             *disturbed = kind_value(trials, index, "noise_disturbed");
    bool is_valid = (valid == NULL || valid->flag) && !is_text(verdict, "not valid") &&
                    !is_text(verdict, "braked"),
         complete = is_valid, failed = is_text(kind_value(trials, index, "reconciled"), "no");
    if (trials->type == &trial_row_table) {
        failed = row[trial_row_violations].count > 0;
        if (side->run.lockstep)
            complete = row[trial_row_law_rpcs].kind != TABLE_UNKNOWN;
    }
    side->use[index] = failed || !complete ? USE_NONE : is_valid ? USE_TIMES : USE_COUNTS;
    side->timed += side->use[index] == USE_TIMES;
    side->failed += failed;
    side->disturbed += disturbed != NULL && disturbed->flag;
}

/* ------------------------------------------------------------------ a folder */

/* The text that all servers of the manifest have for a key; NULL if they differ, or without one. */
static const char *shared_by_servers(const json_t *servers, const char *key)
{
    const json_t *text = json_object_get(json_array_get(servers, 0), key);
    for (size_t i = 1; i < json_array_size(servers); i++) {
        if (!json_equal(text, json_object_get(json_array_get(servers, i), key)))
            return NULL;
    }
    return json_string_value(text);
}

/* Target and servers are those of the manifest; of a run, those of its trials, which are checked.
 */
static enum error_kind read_side(struct side *side, const struct kind *of, struct error *error)
{
    const json_t *manifest = side->run.manifest, *servers = json_object_get(manifest, "servers");
    const struct table_value *trial = table_row(&side->run.trials, 0);
    bool is_run = of->type == &trial_row_table;
    enum error_kind kind = ERROR_NONE;
    char path[PATH_MAX + 64];
    side->version = shared_by_servers(servers, "version");
    side->home = shared_by_servers(servers, "zookeeper_home");
    side->target = is_run ? trial[trial_row_target].text
                          : json_string_value(json_object_get(manifest, "target"));
    side->target = side->target != NULL ? side->target : "";
    side->servers = is_run ? trial[trial_row_servers].count : json_array_size(servers);
    side->answers.type = of->answers;
    if (of->answers != NULL)
        return table_read(&side->answers, side->run.folder, error);
    snprintf(path, sizeof path, "%s/%s", side->run.folder, trial_row_table.file);
    for (size_t row = 0; kind == ERROR_NONE && is_run && row < side->run.trials.rows; row++)
        kind = check_row(side, row, path, error);
    return kind;
}

/* ERROR_USAGE for one side too many, for a run that is named twice, which is a slip, and for
 * another kind of results. */
static enum error_kind check_folder(const struct comparison *cmp, const char *folder,
                                    const struct kind *kind, struct error *error)
{
    struct stat its, others;
    if (cmp->side_count == COMPARED_RUNS_MAX)
        return error_raise(error, ERROR_USAGE, 0, folder, "more than %d runs in all",
                           COMPARED_RUNS_MAX);
    for (size_t i = 0; i < cmp->side_count; i++) {
        const char *other = cmp->sides[i].run.folder;
        if (stat(folder, &its) == 0 && stat(other, &others) == 0 && its.st_dev == others.st_dev &&
            its.st_ino == others.st_ino)
            return error_raise(error, ERROR_USAGE, 0, folder,
                               "it is the same run as '%.200s': name different runs", other);
    }
    if (cmp->side_count > 0 && kind != cmp->kind)
        return error_raise(error, ERROR_USAGE, 0, folder,
                           "it is %s, and '%.200s' is %s: name results of one kind", kind->word,
                           cmp->sides[0].run.folder, cmp->kind->word);
    return ERROR_NONE;
}

static enum error_kind add_side(struct comparison *cmp, const char *folder, struct error *error)
{
    struct side *sides = cmp->sides, *side = &sides[cmp->side_count];
    const struct kind *of = NULL;
    enum error_kind kind = kind_find(folder, &of, error);
    if (kind == ERROR_NONE && of != NULL)
        kind = check_folder(cmp, folder, of, error);
    /* A folder without any file is refused as a run that lacks its files. */
    of = of != NULL ? of : compare_kinds;
    if (kind == ERROR_NONE)
        kind = past_run_open(folder, of->type, &side->run, error);
    if (kind != ERROR_NONE)
        return kind;
    cmp->side_count++;
    cmp->kind = of;
    side->operand = cmp->operand;
    kind = of == compare_kinds ? past_run_check_plan(&sides[0].run, &side->run, error)
                               : kind_check_plan(&sides[0].run, &side->run, error);
    return kind == ERROR_NONE ? read_side(side, of, error) : kind;
}

static enum error_kind add_inner(void *cmp, const char *folder, struct error *error)
{
    return folder_has(folder, "manifest.json") ? add_side(cmp, folder, error) : ERROR_NONE;
}

/* By the number of servers, the smallest first, then by version, the oldest first. */
static int compare_sides(const void *a, const void *b)
{
    const struct side *x = a, *y = b;
    int order = (x->servers > y->servers) - (x->servers < y->servers);
    if (order == 0 && x->version != NULL && y->version != NULL)
        order = strverscmp(x->version, y->version);
    return order != 0 ? order : strverscmp(x->run.folder, y->run.folder);
}

/* Adds a side for each folder of results, and for each one in a folder that only holds others, as
 * that of several topologies. */
enum error_kind comparison_read(struct comparison *cmp, char **folders, size_t count,
                                struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++) {
        char folder[PATH_MAX];
        size_t before = cmp->side_count;
        cmp->operand = i;
        snprintf(folder, sizeof folder, "%s", folders[i]);
        folder_trim(folder);
        if (!folder_has(folder, "manifest.json"))
            kind = folder_each(folder, add_inner, cmp, error);
        qsort(&cmp->sides[before], cmp->side_count - before, sizeof(struct side), compare_sides);
        if (kind == ERROR_NONE && cmp->side_count == before)
            kind = add_side(cmp, folders[i], error);
    }
    return kind;
}

void comparison_deinit(struct comparison *cmp)
{
    for (size_t i = 0; i < cmp->cell_count; i++) {
        struct cell *cell = &cmp->cells[i];
        for (size_t j = 0; j < cmp->side_count * cmp->metric_count; j++) {
            free(cell->samples[j].values);
            free(cell->samples[j].rounds);
        }
        free(cell->samples);
        free(cell->group);
        free(cell->at);
    }
    for (size_t i = 0; i < cmp->side_count; i++) {
        table_deinit(&cmp->sides[i].answers);
        past_run_deinit(&cmp->sides[i].run);
        free(cmp->sides[i].use);
    }
    free(cmp->cells);
    free(cmp->metrics);
    free(cmp->overall);
    free(cmp->gates);
    table_deinit(&cmp->rows);
    table_deinit(&cmp->findings);
    *cmp = (struct comparison){0};
}

/* ------------------------------------------------------------------ all sides */

static bool differ(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) != 0;
}

/* The side that a side is compared with. Where releases and numbers of servers vary, or several
 * operands hold several topologies, the first side with as many servers: of two of those that is
 * one topology with itself, of another operand; else side A. */
static const struct side *find_base(const struct comparison *cmp, const struct side *side)
{
    const struct side *sides = cmp->sides, *base = sides;
    bool several = side > sides && side->operand > 0 && cmp->servers_vary &&
                   sides[0].operand == sides[1].operand;
    bool apart = several || (cmp->releases_vary && cmp->servers_vary);
    while (apart && base->servers != side->servers)
        base++;
    return base < side ? base : sides;
}

/* Labels the sides by the first of these that differ between all of them: target, target and
 * servers, last name of the folder, folder as named. */
static void label_sides(struct comparison *cmp)
{
    enum { BY_TARGET, BY_SERVERS, BY_NAME, BY_FOLDER, SCHEMES };
    bool apart = false;
    for (int scheme = BY_TARGET; scheme < SCHEMES && !apart; scheme++) {
        apart = true;
        for (size_t i = 0; i < cmp->side_count; i++) {
            struct side *side = &cmp->sides[i];
            const char *folder = side->run.folder,
                       *names[] = {side->target, side->target, folder_name(folder), folder};
            snprintf(side->label, sizeof side->label, "%s", names[scheme]);
            if (scheme == BY_SERVERS)
                snprintf(side->label, sizeof side->label, "%s with %llu server%s", side->target,
                         (unsigned long long)side->servers, text_plural(side->servers));
            for (size_t j = 0; j < i; j++)
                apart = apart && strcmp(side->label, cmp->sides[j].label) != 0;
        }
    }
}

/* After the last side is read: usable trials, letters, bases, labels. */
void comparison_pair_sides(struct comparison *cmp)
{
    struct side *first = cmp->sides, *end = first + cmp->side_count;
    for (struct side *side = first; side < end; side++) {
        cmp->releases_vary |=
            differ(first->version, side->version) || differ(first->home, side->home);
        cmp->servers_vary |= side->servers != first->servers;
        side->letter[0] = (char)('A' + (side - first));
        side->use = memory_new(side->run.trials.rows, sizeof *side->use);
        for (size_t row = 0; row < side->run.trials.rows; row++)
            judge_trial(side, row);
    }
    for (struct side *side = first; side < end; side++)
        side->base = find_base(cmp, side);
    label_sides(cmp);
}
