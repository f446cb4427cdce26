// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "bench/output/folder.h"

#include <stdlib.h>
#include <string.h>

/* The tables of all kinds, by name alone: what is in them is the affair of those who write them. */
extern const struct table_type figure8_fault_table, table3_row_table, plan_row_table,
    answer_row_table, load_row_table;

/* If a folder has files of several kinds, the first decides. */
static const struct kind kinds[] = {
    {&trial_row_table, "a run", NULL},      {&figure8_fault_table, "a Figure 8", NULL},
    {&table3_row_table, "a Table 3", NULL}, {&plan_row_table, "a plan", &answer_row_table},
    {&load_row_table, "a load", NULL},
};

#define KINDS (sizeof kinds / sizeof kinds[0])

const struct kind *kind_of_folder(const char *folder)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (folder_has(folder, kinds[i].type->file))
            return &kinds[i];
    }
    return NULL;
}

const struct kind *kind_of_runs(void)
{
    return &kinds[0];
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

bool kind_sets_aside(const struct table_column *column)
{
    /* Sides may differ in these; and the reads of a mix are told by the mix. */
    static const char *const aside[] = {"target", "servers", "driver",        "processes",
                                        "trial",  "seed",    "reads_percent", NULL};
    return column->summary != TABLE_KEY || is_among(column->name, aside);
}

enum error_kind kind_check_plan(const struct past_run *first, const struct past_run *other,
                                struct error *error)
{
    /* How many trials, how long they may take, and between which ends a plan searches. */
    static const char *const harmless[] = {
        "trials",   "rehearsal",      "processes",   "session_timeout_ms", "timeout_ms",
        "at_least", "at_most",        "votes",       "resolution_percent", "fresh",
        "costs",    "trial_least_ns", "max_time_ns", "brake_ns",           "max_clients",
        NULL};
    const char *key;
    json_t *value;
    json_object_foreach(first->plan, key, value)
    {
        const json_t *others = json_object_get(other->plan, key);
        if (is_among(key, harmless) || json_is_array(value) || json_equal(value, others))
            continue;
        char *a = json_dumps(value, JSON_ENCODE_ANY), *b = json_dumps(others, JSON_ENCODE_ANY);
        enum error_kind kind = error_raise(
            error, ERROR_OTHER_PLAN, 0, other->folder, "%s is %.100s here, %.100s in %.150s", key,
            b != NULL ? b : "not set", a != NULL ? a : "not set", first->folder);
        free(a);
        free(b);
        return kind;
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ metrics */

/* The metrics of runs. A value for each handoff has a name of its own; others have that of their
 * column. */
static const struct {
    size_t column;
    const char *per_handoff_name;
    const char *over, *title; /* NULL: not on the screen */
    unsigned spare;
    bool is_count, shows_interval;
} of_runs[] = {
    {trial_row_rpcs, "rpcs_per_handoff", NULL, NULL, 0, true, false},
    {trial_row_notifications, "notifications_per_handoff", NULL, NULL, 0, true, false},
    {trial_row_creates, "creates_per_handoff", NULL, NULL, 0, true, false},
    {trial_row_names_listed, "names_listed_per_handoff", NULL, NULL, 0, true, false},
    {trial_row_handoff_p50_us, NULL, "handoff", "p50", 0, false, true},
    {trial_row_handoff_p99_us, NULL, "handoff", "p99", 3, false, false},
    {trial_row_drain_s, NULL, "drain", "time", 0, false, true},
    {trial_row_handoffs_per_s, NULL, "handoffs", "per s", 4, false, false},
    {trial_row_server_cpu_s, "server_cpu_us_per_handoff", "server", "CPU", 2, false, false},
};

#define RUN_METRICS (sizeof of_runs / sizeof of_runs[0])
#define RUN_LEAD    4

static struct metric *add_metric(struct comparison *comparison, size_t column)
{
    comparison->metrics =
        memory_grow(comparison->metrics, comparison->metric_count, sizeof *comparison->metrics);
    struct metric *metric = &comparison->metrics[comparison->metric_count++];
    *metric = (struct metric){.column = column, .factor = 1};
    snprintf(metric->name, sizeof metric->name, "%s", comparison->kind->type->columns[column].name);
    return metric;
}

static void choose_of_runs(struct comparison *comparison)
{
    const struct past_run *run = &comparison->sides[0].run;
    comparison->exact = run->lockstep && !run->has_duration;
    comparison->per_handoff = run->has_duration;
    comparison->lead = RUN_LEAD;
    for (size_t i = 0; i < RUN_METRICS; i++) {
        struct metric *metric = add_metric(comparison, of_runs[i].column);
        bool is_cpu = of_runs[i].column == trial_row_server_cpu_s;
        metric->is_count = of_runs[i].is_count;
        metric->per_handoff = is_cpu || (metric->is_count && comparison->per_handoff);
        metric->factor = is_cpu ? 1e6 : 1;
        if (metric->per_handoff)
            snprintf(metric->name, sizeof metric->name, "%s", of_runs[i].per_handoff_name);
        metric->over = of_runs[i].over;
        metric->title = of_runs[i].title;
        metric->spare = of_runs[i].spare;
        metric->shows_interval = of_runs[i].shows_interval;
    }
}

/* "response_p50_us" becomes "response" over "p50", "achieved_per_s" "achieved" over "per s". */
static void give_titles(struct metric *metric, const struct table_column *column)
{
    char *over = metric->words[0], *title = metric->words[1];
    snprintf(over, METRIC_NAME_SIZE, "%s", column->name);
    if (strcmp(column->unit, "1/s") == 0) {
        over[strlen(over) - strlen("_per_s")] = '\0';
        snprintf(title, METRIC_NAME_SIZE, "per s");
    } else {
        size_t unit = strlen(column->unit), length = strlen(over);
        if (unit > 0 && length > unit + 1 && strcmp(over + length - unit, column->unit) == 0)
            over[length - unit - 1] = '\0';
        char *last = strrchr(over, '_');
        snprintf(title, METRIC_NAME_SIZE, "%s", last != NULL ? last + 1 : "");
        if (last != NULL)
            *last = '\0';
    }
    for (char *sign = over; *sign != '\0'; sign++)
        *sign = *sign == '_' ? ' ' : *sign;
    metric->over = over;
    metric->title = title;
}

/* The figures of a cell. The first time leads; the others are left out from the last on where a
 * screen is narrow. */
static void choose_by_columns(struct comparison *comparison)
{
    const struct table_type *type = comparison->kind->type;
    bool leads = false;
    for (size_t i = 0; i < type->count; i++) {
        const struct table_column *column = &type->columns[i];
        if (column->kind != TABLE_REAL ||
            (column->summary != TABLE_MEDIAN && column->summary != TABLE_GEOMETRIC))
            continue;
        struct metric *metric = add_metric(comparison, i);
        size_t unit = strlen(column->unit);
        bool is_time = unit > 0 && column->unit[unit - 1] == 's' &&
                       strchr(column->unit, '/') == NULL && strcmp(column->unit, "cores") != 0;
        if (is_time && !leads)
            comparison->lead = comparison->metric_count - 1;
        metric->shows_interval = is_time && !leads;
        metric->spare = metric->shows_interval ? 0 : 2 + (unsigned)comparison->metric_count;
        leads = leads || is_time;
    }
    for (size_t i = 0; i < comparison->metric_count; i++)
        give_titles(&comparison->metrics[i], &type->columns[comparison->metrics[i].column]);
}

void comparison_choose(struct comparison *comparison)
{
    const struct table_type *type = comparison->kind->type;
    comparison->is_of_runs = type == &trial_row_table;
    if (comparison->is_of_runs)
        choose_of_runs(comparison);
    else
        choose_by_columns(comparison);
    for (size_t i = 0; i < type->count; i++) {
        if (kind_sets_aside(&type->columns[i]))
            continue;
        if (type->columns[i].kind == TABLE_TEXT)
            comparison->names[comparison->name_count++] = i;
        else
            comparison->numbers[comparison->number_count++] = i;
    }
}
