// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct table_value *find_value(const struct table *table, size_t row, const char *column)
{
    for (size_t i = 0; i < table->type->count; i++) {
        if (strcmp(table->type->columns[i].name, column) == 0)
            return &table_row(table, row)[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------ the plan */

/* What is not set is null. */
static const json_t *value_of(const json_t *plan, const char *key)
{
    const json_t *value = json_object_get(plan, key);
    return value != NULL ? value : json_null();
}

static bool is_word(const json_t *plan, const char *key, const char *word)
{
    const char *value = json_string_value(json_object_get(plan, key));
    return value != NULL && strcmp(value, word) == 0;
}

/* The order of a list, which has nothing twice, decides nothing: the order of the cells is random
 * anyway. */
static bool same_value(const json_t *a, const json_t *b)
{
    bool same = json_array_size(a) == json_array_size(b);
    if (!json_is_array(a) || !json_is_array(b))
        return json_equal(a, b) != 0;
    for (size_t i = 0; i < json_array_size(a) && same; i++) {
        same = false;
        for (size_t j = 0; j < json_array_size(b); j++)
            same |= json_equal(json_array_get(a, i), json_array_get(b, j)) != 0;
    }
    return same;
}

/* ERROR_OTHER_PLAN, with what differs, unless all keys of a plan that decide what is measured in a
 * cell have equal values in both. */
static enum error_kind check_keys(const struct comparison *cmp, json_t *keys,
                                  const struct side *other, struct error *error)
{
    /* How many trials, and how long they may take. */
    static const char harmless[] = " trials rehearsal processes session_timeout_ms timeout_ms "
                                   "max_clients clients_left_out traced ";
    const struct side *first = cmp->sides;
    const char *key;
    json_t *ignored;
    json_object_foreach(keys, key, ignored)
    {
        const json_t *a = value_of(first->plan, key), *b = value_of(other->plan, key);
        char *word = memory_format(" %s ", key);
        /* Items of a list are cells, but in the plan of a run. */
        bool decides = strstr(harmless, word) == NULL &&
                       (first->trials.type == &trial_row_table || !json_is_array(a));
        free(word);
        if (!decides || same_value(a, b))
            continue;
        char *of_a = json_dumps(a, JSON_ENCODE_ANY | JSON_COMPACT),
             *of_b = json_dumps(b, JSON_ENCODE_ANY | JSON_COMPACT);
        error_raise(error, ERROR_OTHER_PLAN, 0, other->folder,
                    "%s is %.100s here, %.100s in %.150s", key, of_b, of_a, first->folder);
        free(of_a);
        free(of_b);
        return error->kind;
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the trials */

/* Columns of a run that decide what is compared; of them only times, and the law, may be empty. */
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
    const struct table_value *values = table_row(&side->trials, row);
    uint64_t servers = values[trial_row_servers].count;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct table_column *column = &trial_row_table.columns[columns[i]];
        bool is_needed =
                 columns[i] == trial_row_drain_s ? !side->paced : column->kind != TABLE_REAL,
             lacks = is_needed && values[columns[i]].kind == TABLE_UNKNOWN;
        if (lacks || table_number(&values[columns[i]]) < 0)
            return error_raise(error, ERROR_MALFORMED, 0, path, "row %zu: %s %s", row + 1,
                               lacks ? "there is no" : "a negative", column->name);
    }
    if (strcmp(values[trial_row_target].text, side->target) != 0)
        return error_raise(error, ERROR_MALFORMED, 0, path,
                           "row %zu: not the target of the rows before", row + 1);
    if (servers != side->servers)
        return error_raise(error, ERROR_OTHER_PLAN, 0, side->folder,
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
    const struct table *trials = &side->trials;
    const struct table_value *row = table_row(trials, index),
                             *valid = find_value(trials, index, "valid"),
                             *disturbed = find_value(trials, index, "noise_disturbed");
    bool is_valid = valid == NULL || valid->flag, complete = is_valid,
         failed = is_text(find_value(trials, index, "reconciled"), "no");
    if (trials->type == &trial_row_table) {
        failed = row[trial_row_violations].count > 0;
        if (side->lockstep)
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

/* Fewer trials than the plan has are those of results that were cut short. */
static enum error_kind read_files(struct side *side, struct error *error)
{
    char path[FOLDER_FILE_SIZE];
    const struct table *trials = &side->trials;
    side->manifest = folder_manifest(side->folder, error);
    side->plan = json_object_get(side->manifest, "plan");
    if (side->manifest == NULL)
        return error->kind;
    if (!json_is_object(side->plan))
        return error_raise(error, ERROR_MALFORMED, 0, side->folder,
                           "there is no plan in its manifest.json");
    /* Manifests did not always have these keys. */
    json_object_update_missing_new(
        side->plan, json_pack("{s:s, s:s}", "placement", "spread", "background", "none"));
    if (folder_find(side->folder, trials->type->file, path, error) ||
        table_read(&side->trials, side->folder, error))
        return error->kind;
    if (trials->rows == 0)
        return error_raise(error, ERROR_NOT_A_RUN, 0, side->folder, "there is no trial in it");
    /* Manifests did not always have this number. */
    const json_t *finished = json_object_get(side->manifest, "trials_finished");
    if (trials->type == &trial_row_table && json_is_integer(finished) &&
        json_integer_value(finished) != (json_int_t)trials->rows)
        return error_raise(error, ERROR_MALFORMED, 0, path,
                           "%zu trials, and the manifest names %" JSON_INTEGER_FORMAT, trials->rows,
                           json_integer_value(finished));
    return ERROR_NONE;
}

/* Target and servers are those of the manifest; of a run, those of its trials, which are checked.
 */
static enum error_kind read_side(struct side *side, const struct result_kind *of,
                                 struct error *error)
{
    const json_t *servers = json_object_get(side->manifest, "servers");
    const struct table_value *trial = table_row(&side->trials, 0);
    bool is_run = of->type == &trial_row_table;
    enum error_kind kind = ERROR_NONE;
    char path[FOLDER_FILE_SIZE];
    side->version = shared_by_servers(servers, "version");
    side->home = shared_by_servers(servers, "zookeeper_home");
    side->target = is_run ? trial[trial_row_target].text
                          : json_string_value(json_object_get(side->manifest, "target"));
    side->target = side->target != NULL ? side->target : "";
    side->servers = is_run ? trial[trial_row_servers].count : json_array_size(servers);
    side->lockstep = is_word(side->plan, "pace", options_paces[PACE_LOCKSTEP]);
    side->drain = is_word(side->plan, "workload", options_workloads[WORKLOAD_DRAIN]);
    side->has_duration = json_integer_value(json_object_get(side->plan, "duration_ns")) != 0;
    side->paced = !json_is_null(value_of(side->plan, "max_rate"));
    snprintf(path, sizeof path, "%s/%s", side->folder, trial_row_table.file);
    for (size_t row = 0; kind == ERROR_NONE && is_run && row < side->trials.rows; row++)
        kind = check_row(side, row, path, error);
    return kind;
}

/* ERROR_USAGE for one side too many, for a run that is named twice, which is a slip, for what is
 * not compared, and for another kind of results. */
static enum error_kind check_folder(const struct comparison *cmp, const char *folder,
                                    const struct result_kind *kind, struct error *error)
{
    struct stat its, others;
    if (kind->type == NULL)
        return error_raise(error, ERROR_USAGE, 0, folder,
                           "its %s cannot be compared: name runs, loads or Table 3", kind->file);
    if (cmp->side_count == COMPARED_RUNS_MAX)
        return error_raise(error, ERROR_USAGE, 0, folder, "more than %d runs in all",
                           COMPARED_RUNS_MAX);
    for (size_t i = 0; i < cmp->side_count; i++) {
        const char *other = cmp->sides[i].folder;
        if (stat(folder, &its) == 0 && stat(other, &others) == 0 && its.st_dev == others.st_dev &&
            its.st_ino == others.st_ino)
            return error_raise(error, ERROR_USAGE, 0, folder,
                               "it is the same run as '%.200s': name different runs", other);
    }
    if (cmp->side_count > 0 && kind->type != cmp->kind->type)
        return error_raise(error, ERROR_USAGE, 0, folder,
                           "it has %s, and '%.200s' has %s: name results of one kind",
                           kind->type->file, cmp->sides[0].folder, cmp->kind->type->file);
    return ERROR_NONE;
}

/* A folder without results is refused as a run that lacks its files. */
static enum error_kind add_side(struct comparison *cmp, const char *folder, struct error *error)
{
    static const struct result_kind run = {.type = &trial_row_table};
    struct side *side = &cmp->sides[cmp->side_count];
    const struct result_kind *of = result_kind_of(folder);
    of = of != NULL ? of : &run;
    if (check_folder(cmp, folder, of, error))
        return error->kind;
    cmp->side_count++;
    cmp->kind = of;
    side->operand = cmp->operand;
    side->trials.type = of->type;
    snprintf(side->folder, sizeof side->folder, "%s", folder);
    folder_trim(side->folder);
    if (read_files(side, error) || check_keys(cmp, cmp->sides[0].plan, side, error) ||
        (of->type == &trial_row_table && check_keys(cmp, side->plan, side, error)))
        return error->kind;
    return read_side(side, of, error);
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
    return order != 0 ? order : strverscmp(x->folder, y->folder);
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
        table_deinit(&cmp->sides[i].trials);
        json_decref(cmp->sides[i].manifest);
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
            const char *folder = side->folder,
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
        side->use = memory_new(side->trials.rows, sizeof *side->use);
        for (size_t row = 0; row < side->trials.rows; row++)
            judge_trial(side, row);
    }
    for (struct side *side = first; side < end; side++)
        side->base = find_base(cmp, side);
    label_sides(cmp);
}
