// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/memory.h"

#include <string.h>

/* Whether a list, with NULL behind its last name, has this one. */
static bool is_among(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(name, *list) != 0)
        list++;
    return *list != NULL;
}

static const struct metric of_runs[] = {
    {.column = trial_row_rpcs, .is_count = true, .is_shown = true},
    {.column = trial_row_notifications, .is_count = true},
    {.column = trial_row_creates, .is_count = true},
    {.column = trial_row_names_listed, .is_count = true},
    {.column = trial_row_handoff_p50_us, .is_shown = true, .has_interval = true},
    {.column = trial_row_handoff_p99_us, .is_shown = true, .spare = 3},
    {.column = trial_row_drain_s, .is_shown = true, .has_interval = true},
    {.column = trial_row_handoffs_per_s, .is_shown = true, .spare = 4},
    {.column = trial_row_server_cpu_s,
     .name = "server_cpu_us_per_handoff",
     .over = "CPU per",
     .title = "handoff",
     .is_shown = true,
     .spare = 2,
     .per_handoff = true,
     .factor = 1e6},
};

/* Names it, where it has no name yet: "response_p50_us" is "response" over "p50_us". */
static void add_metric(struct comparison *cmp, struct metric metric)
{
    const struct table_column *column = &cmp->kind->type->columns[metric.column];
    size_t first = strcspn(column->name, "_");
    metric.decimals = metric.is_exact                              ? 0
                      : metric.factor != 0 || column->decimals < 3 ? 3
                                                                   : column->decimals;
    if (metric.name[0] == '\0') {
        snprintf(metric.name, sizeof metric.name, "%s%s", column->name,
                 metric.per_handoff ? "_per_handoff" : "");
        snprintf(metric.over, sizeof metric.over, "%.*s", (int)first, metric.name);
        first += metric.name[first] == '_';
        snprintf(metric.title, sizeof metric.title, "%s", metric.name + first);
    }
    cmp->metrics = memory_grow(cmp->metrics, cmp->metric_count, sizeof *cmp->metrics);
    cmp->metrics[cmp->metric_count++] = metric;
}

/* A count that has to be equal is not on the screen: it is equal, or a finding. */
static void choose_of_runs(struct comparison *cmp)
{
    const struct side *run = &cmp->sides[0];
    cmp->exact = run->lockstep && !run->has_duration;
    for (size_t i = 0; i < sizeof of_runs / sizeof of_runs[0]; i++) {
        struct metric metric = of_runs[i];
        metric.per_handoff |= metric.is_count && run->has_duration;
        metric.is_exact = metric.is_count && cmp->exact;
        metric.is_shown &= !metric.is_exact;
        add_metric(cmp, metric);
    }
}

/* The figures of a cell. The first time has an interval on the screen; the others are left out,
 * from the last on, where the screen is narrow. */
static void choose_by_columns(struct comparison *cmp)
{
    static const char *const units_of_time[] = {"us", "ms", "s", NULL};
    const struct table_type *type = cmp->kind->type;
    bool had_time = false;
    for (size_t i = 0; i < type->count; i++) {
        const struct table_column *column = &type->columns[i];
        if (column->kind != TABLE_REAL ||
            (column->summary != TABLE_MEDIAN && column->summary != TABLE_GEOMETRIC))
            continue;
        bool is_first = !had_time && is_among(column->unit, units_of_time);
        had_time |= is_first;
        add_metric(cmp, (struct metric){.column = i,
                                        .is_shown = true,
                                        .has_interval = is_first,
                                        .spare = is_first ? 0 : 3 + (unsigned)cmp->metric_count});
    }
}

static void choose_keys(struct comparison *cmp)
{
    /* Sides may differ in these; and the reads of a mix are known by the mix. */
    static const char *const aside[] = {"target", "servers", "driver",        "processes",
                                        "trial",  "seed",    "reads_percent", NULL};
    const struct table_column *columns = cmp->kind->type->columns;
    for (int texts = 1; texts >= 0; texts--) {
        for (size_t i = 0; i < cmp->kind->type->count; i++) {
            if (columns[i].summary == TABLE_KEY && (columns[i].kind == TABLE_TEXT) == texts &&
                !is_among(columns[i].name, aside))
                cmp->keys[cmp->key_count++] = i;
        }
        cmp->text_count = texts ? cmp->key_count : cmp->text_count;
    }
    cmp->group_word = cmp->text_count > 0 ? columns[cmp->keys[0]].name : "";
    cmp->size_word =
        cmp->key_count > cmp->text_count ? columns[cmp->keys[cmp->text_count]].name : "size";
}

void comparison_choose_columns(struct comparison *cmp)
{
    cmp->is_of_runs = cmp->kind->type == &trial_row_table;
    if (cmp->is_of_runs)
        choose_of_runs(cmp);
    else
        choose_by_columns(cmp);
    while (!cmp->metrics[cmp->main_metric].has_interval)
        cmp->main_metric++;
    choose_keys(cmp);
}
