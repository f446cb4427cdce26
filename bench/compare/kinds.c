// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/memory.h"
#include "bench/output/folder.h"

#include <string.h>

/* Tables of other subcommands, by name alone: their columns say what is compared. */
extern const struct table_type figure8_fault_table, table3_row_table, plan_row_table,
    answer_row_table, load_row_table;

/* If a folder has files of several kinds, the first decides. Each that is compared, but a run, has
 * a time among its columns that are medians or geometric means. */
const struct kind compare_kinds[] = {
    {"trials.csv", "a run", &trial_row_table, NULL},
    {"figure8.csv", "a Figure 8", &figure8_fault_table, NULL},
    {"barriers.csv", "a Table 3", &table3_row_table, NULL},
    {"plan.csv", "a plan", &plan_row_table, &answer_row_table},
    {"load.csv", "a load", &load_row_table, NULL},
    {"claims.csv", "a test of claims", NULL, NULL},
    {"traffic.csv", "a tap", NULL, NULL},
    {"periods.csv", "an autopsy", NULL, NULL},
    {"compare.csv", "a comparison", NULL, NULL},
    {"manifest.json", "another subcommand", NULL, NULL},
};

/* NULL for a folder that has no file of any kind; ERROR_USAGE for what is not compared. */
enum error_kind kind_find(const char *folder, const struct kind **kind, struct error *error)
{
    size_t i = 0, count = sizeof compare_kinds / sizeof compare_kinds[0];
    while (i < count && !folder_has(folder, compare_kinds[i].file))
        i++;
    *kind = i < count ? &compare_kinds[i] : NULL;
    return *kind == NULL || (*kind)->type != NULL
               ? ERROR_NONE
               : error_raise(error, ERROR_USAGE, 0, folder,
                             "the results of %s cannot be compared: name runs, loads, plans, "
                             "Table 3 or Figure 8",
                             compare_kinds[i].word);
}

size_t kind_column(const struct table_type *type, const char *name)
{
    for (size_t i = 0; i < type->count; i++) {
        if (strcmp(type->columns[i].name, name) == 0)
            return i;
    }
    return SIZE_MAX;
}

static bool is_among(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(name, *list) != 0)
        list++;
    return *list != NULL;
}

/* ERROR_OTHER_PLAN, with what differs: a value of the plan that decides what is measured in a cell.
 * Lists decide nothing: their items are cells. */
enum error_kind kind_check_plan(const struct past_run *first, const struct past_run *other,
                                struct error *error)
{
    /* How many trials, how long they may take, and between which ends a plan searches. */
    static const char *const harmless[] = {
        "trials",   "rehearsal",      "processes",   "session_timeout_ms", "timeout_ms",
        "at_least", "at_most",        "votes",       "resolution_percent", "fresh",
        "costs",    "trial_least_ns", "max_time_ns", "brake_ns",           "max_clients",
        NULL};
    enum error_kind kind = ERROR_NONE;
    const char *key;
    json_t *value;
    json_object_foreach(first->plan, key, value)
    {
        if (kind == ERROR_NONE && !is_among(key, harmless) && !json_is_array(value))
            kind = past_run_check_value(first, other, key, error);
    }
    return kind;
}

static const struct metric of_runs[] = {
    {.column = trial_row_rpcs, .over = "RPCs", .is_count = true},
    {.column = trial_row_notifications, .is_count = true},
    {.column = trial_row_creates, .is_count = true},
    {.column = trial_row_names_listed, .is_count = true},
    {.column = trial_row_handoff_p50_us, .over = "handoff", .title = "p50", .has_interval = true},
    {.column = trial_row_handoff_p99_us, .over = "handoff", .title = "p99", .spare = 3},
    {.column = trial_row_drain_s, .over = "drain", .title = "time", .has_interval = true},
    {.column = trial_row_handoffs_per_s, .over = "handoffs", .title = "per s", .spare = 4},
    {.column = trial_row_server_cpu_s,
     .over = "CPU per",
     .title = "handoff",
     .spare = 2,
     .per_handoff = true,
     .factor = 1e6,
     .name = "server_cpu_us_per_handoff"},
};

static struct metric *add_metric(struct comparison *cmp, const struct metric *metric)
{
    const struct table_column *column = &cmp->kind->type->columns[metric->column];
    cmp->metrics = memory_grow(cmp->metrics, cmp->metric_count, sizeof *cmp->metrics);
    struct metric *added = &cmp->metrics[cmp->metric_count++];
    *added = *metric;
    added->decimals = metric->is_exact                              ? 0
                      : metric->factor != 0 || column->decimals < 3 ? 3
                                                                    : column->decimals;
    if (added->name[0] == '\0')
        snprintf(added->name, sizeof added->name, "%s%s", column->name,
                 metric->per_handoff ? "_per_handoff" : "");
    return added;
}

static void choose_of_runs(struct comparison *cmp)
{
    const struct past_run *run = &cmp->sides[0].run;
    cmp->exact = run->lockstep && !run->has_duration;
    for (size_t i = 0; i < sizeof of_runs / sizeof of_runs[0]; i++) {
        struct metric metric = of_runs[i];
        metric.per_handoff |= metric.is_count && run->has_duration;
        metric.is_exact = metric.is_count && cmp->exact;
        if (metric.is_exact) /* equal, or a finding */
            metric.over[0] = '\0';
        add_metric(cmp, &metric);
    }
}

/* "response_p50_us" becomes "response" over "p50", "achieved_per_s" "achieved" over "per s". */
static void name_on_screen(struct metric *metric, const char *unit)
{
    bool is_rate = strcmp(unit, "1/s") == 0;
    char *over = metric->over;
    snprintf(over, METRIC_NAME_SIZE, "%s", metric->name);
    size_t length = strlen(over), end = is_rate ? strlen("_per_s") : strlen(unit) + 1;
    if (is_rate || (end > 1 && length > end && strcmp(over + length - end + 1, unit) == 0))
        over[length - end] = '\0';
    char *last = is_rate ? NULL : strrchr(over, '_');
    snprintf(metric->title, METRIC_NAME_SIZE, "%s", is_rate ? "per s" : last ? last + 1 : "");
    if (last != NULL)
        *last = '\0';
    for (char *sign = over; *sign != '\0'; sign++)
        *sign = *sign == '_' ? ' ' : *sign;
}

/* The figures of a cell. The first time has an interval on the screen; the others are left out,
 * from the last on, where the screen is narrow. */
static void choose_by_columns(struct comparison *cmp)
{
    const struct table_type *type = cmp->kind->type;
    bool had_time = false;
    for (size_t i = 0; i < type->count; i++) {
        const struct table_column *column = &type->columns[i];
        if (column->kind != TABLE_REAL ||
            (column->summary != TABLE_MEDIAN && column->summary != TABLE_GEOMETRIC))
            continue;
        size_t unit = strlen(column->unit);
        bool is_time = unit > 0 && column->unit[unit - 1] == 's' &&
                       strchr(column->unit, '/') == NULL && strcmp(column->unit, "cores") != 0;
        struct metric metric = {.column = i, .has_interval = is_time && !had_time};
        metric.spare = metric.has_interval ? 0 : 3 + (unsigned)cmp->metric_count;
        had_time = had_time || is_time;
        name_on_screen(add_metric(cmp, &metric), column->unit);
    }
}

static void add_keys(struct comparison *cmp, bool texts)
{
    /* Sides may differ in these; and the reads of a mix are known by the mix. */
    static const char *const aside[] = {"target", "servers", "driver",        "processes",
                                        "trial",  "seed",    "reads_percent", NULL};
    const struct table_type *type = cmp->kind->type;
    for (size_t i = 0; i < type->count; i++) {
        const struct table_column *column = &type->columns[i];
        if (column->summary == TABLE_KEY && (column->kind == TABLE_TEXT) == texts &&
            !is_among(column->name, aside))
            cmp->keys[cmp->key_count++] = i;
    }
}

void kind_choose_columns(struct comparison *cmp)
{
    const struct table_column *columns = cmp->kind->type->columns;
    cmp->is_of_runs = cmp->kind == compare_kinds;
    if (cmp->is_of_runs)
        choose_of_runs(cmp);
    else
        choose_by_columns(cmp);
    for (size_t i = cmp->metric_count; i-- > 0;)
        cmp->main_metric = cmp->metrics[i].has_interval ? i : cmp->main_metric;
    add_keys(cmp, true);
    cmp->text_count = cmp->key_count;
    add_keys(cmp, false);
    cmp->group_word = cmp->text_count > 0 ? columns[cmp->keys[0]].name : "";
    cmp->size_word =
        cmp->key_count > cmp->text_count ? columns[cmp->keys[cmp->text_count]].name : "size";
}
