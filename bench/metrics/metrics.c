// SPDX-License-Identifier: Apache-2.0
#include "bench/metrics/metrics.h"

#include "bench/cli/machine.h"
#include "servers/four_letter.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ the text */

void metrics_text_family(FILE *stream, const char *name, const char *type, const char *help)
{
    fprintf(stream, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_label(FILE *stream, char before, const char *name, const char *value)
{
    fprintf(stream, "%c%s=\"", before, name);
    for (const char *at = value; *at != '\0'; at++) {
        if (*at == '\n')
            fputs("\\n", stream);
        else
            fprintf(stream, *at == '\\' || *at == '"' ? "\\%c" : "%c", *at);
    }
    fputc('"', stream);
}

/* What stands in front of the number. */
static void write_name(FILE *stream, const char *name, const struct metrics_labels *labels)
{
    char before = '{';
    fputs(name, stream);
    for (size_t i = 0; i < METRICS_LABELS_MAX; i++) {
        if (labels->of[i].value == NULL)
            continue;
        write_label(stream, before, labels->of[i].name, labels->of[i].value);
        before = ',';
    }
    fputs(before == ',' ? "} " : " ", stream);
}

void metrics_text_count(FILE *stream, const char *name, uint64_t value,
                        const struct metrics_labels *labels)
{
    write_name(stream, name, labels);
    fprintf(stream, "%" PRIu64 "\n", value);
}

void metrics_text_real(FILE *stream, const char *name, double value,
                       const struct metrics_labels *labels)
{
    write_name(stream, name, labels);
    if (isinf(value))
        fputs(value > 0 ? "+Inf\n" : "-Inf\n", stream);
    else if (isnan(value))
        fputs("NaN\n", stream);
    else
        fprintf(stream, "%.9g\n", value);
}

/* ------------------------------------------------------------------ histograms */

static const struct {
    uint64_t ns;
    const char *le;
} bounds[] = {
    {100000, "0.0001"},  {250000, "0.00025"}, {500000, "0.0005"},  {1000000, "0.001"},
    {2500000, "0.0025"}, {5000000, "0.005"},  {10000000, "0.01"},  {25000000, "0.025"},
    {50000000, "0.05"},  {100000000, "0.1"},  {250000000, "0.25"}, {500000000, "0.5"},
    {1000000000, "1"},   {2500000000, "2.5"}, {5000000000, "5"},   {10000000000, "10"},
    {30000000000, "30"},
};

_Static_assert(sizeof bounds / sizeof bounds[0] == METRICS_HISTOGRAM_BOUNDS,
               "there are as many bounds as counts");

/* A copy that was made while values were recorded may have more in its slots than in its total, or
 * fewer: the slots are what all numbers here are of. */
void metrics_histogram_add(struct metrics_histogram *into, const struct histogram *from)
{
    uint64_t count = histogram_count(from);
    into->recorded += from->counts[0] + histogram_above(from, 0);
    if (from->overflow > 0)
        into->sum_s += histogram_mean_us(from); /* infinite */
    else if (count > 0)
        into->sum_s += histogram_mean_us(from) * (double)count / 1e6;
    for (size_t i = 0; i < METRICS_HISTOGRAM_BOUNDS; i++)
        into->above[i] += histogram_above(from, bounds[i].ns);
}

void metrics_histogram_write(FILE *stream, const char *name,
                             const struct metrics_histogram *histogram,
                             const struct metrics_labels *labels)
{
    char part[80];
    struct metrics_labels of_bucket = *labels;
    of_bucket.of[METRICS_LABELS_MAX - 1].name = "le";
    snprintf(part, sizeof part, "%s_bucket", name);
    for (size_t i = 0; i <= METRICS_HISTOGRAM_BOUNDS; i++) {
        bool last = i == METRICS_HISTOGRAM_BOUNDS;
        of_bucket.of[METRICS_LABELS_MAX - 1].value = last ? "+Inf" : bounds[i].le;
        metrics_text_count(stream, part, histogram->recorded - (last ? 0 : histogram->above[i]),
                           &of_bucket);
    }
    snprintf(part, sizeof part, "%s_sum", name);
    metrics_text_real(stream, part, histogram->sum_s, labels);
    snprintf(part, sizeof part, "%s_count", name);
    metrics_text_count(stream, part, histogram->recorded, labels);
}

/* ------------------------------------------------------------------ trials */

void metrics_trials_finish(struct metrics_trials *trials, const struct tally *counted)
{
    tally_sum(&trials->groups[trials->running].counted, counted);
    trials->told = (struct tally){0};
}

static size_t column_of(const struct table *rows, const char *name)
{
    size_t column = 0;
    while (strcmp(rows->type->columns[column].name, name) != 0)
        column++;
    return column;
}

bool metrics_trials_has(const struct metrics_group *group, const struct table_value *row)
{
    return group->recipe == NULL ||
           strcmp(row[column_of(group->rows, "recipe")].text, group->recipe) == 0;
}

static void write_verdicts(FILE *stream, const struct metrics_trials *trials,
                           int (*verdict)(const struct table_value *row))
{
    static const struct {
        const char *word;
        int status;
    } verdicts[] = {{"valid", 0}, {"not_valid", 4}, {"failed", 1}};
    metrics_text_family(stream, "zkherd_trials_total", "counter", "Finished trials.");
    for (size_t i = 0; i < trials->count; i++) {
        const struct metrics_group *group = &trials->groups[i];
        for (size_t v = 0; v < sizeof verdicts / sizeof verdicts[0]; v++) {
            uint64_t count = 0;
            for (size_t at = 0; at < group->rows->rows; at++) {
                const struct table_value *row = table_row(group->rows, at);
                count += metrics_trials_has(group, row) && verdict(row) == verdicts[v].status;
            }
            metrics_text_count(stream, "zkherd_trials_total", count,
                               METRICS_LABELS({"verdict", verdicts[v].word},
                                              {"target", group->target},
                                              {"recipe", group->recipe}));
        }
    }
}

/* Several kinds are told apart by the names of their columns in the files. */
static void write_kinds(FILE *stream, const struct metrics_trials *trials, const char *name,
                        const char *help, const enum tally_kind *kinds, size_t count)
{
    metrics_text_family(stream, name, "counter", help);
    for (size_t i = 0; i < trials->count; i++) {
        const struct metrics_group *group = &trials->groups[i];
        for (size_t k = 0; k < count; k++) {
            const char *type = count > 1 ? tally_column(kinds[k]) : NULL;
            uint64_t told = i == trials->running ? trials->told.of[kinds[k]] : 0;
            metrics_text_count(stream, name, group->counted.of[kinds[k]] + told,
                               METRICS_LABELS({"type", type}, {"target", group->target},
                                              {"recipe", group->recipe}));
        }
    }
}

void metrics_trials_write_kind(FILE *stream, const struct metrics_trials *trials, const char *name,
                               const char *help, enum tally_kind kind)
{
    write_kinds(stream, trials, name, help, &kind, 1);
}

static uint64_t sum_of(const struct metrics_group *group, const struct metrics_counter *counter)
{
    const struct table *rows = group->rows;
    size_t column = column_of(rows, counter->column),
           beside = counter->beside != NULL ? column_of(rows, counter->beside) : column;
    uint64_t sum = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        if (row[beside].kind == TABLE_COUNT && metrics_trials_has(group, row))
            sum += row[column].count;
    }
    return sum;
}

void metrics_trials_write_counters(FILE *stream, const struct metrics_trials *trials,
                                   const struct metrics_counter *counters, size_t count)
{
    for (const struct metrics_counter *counter = counters; counter < counters + count; counter++) {
        metrics_text_family(stream, counter->name, "counter", counter->help);
        for (size_t i = 0; i < trials->count; i++) {
            const struct metrics_group *group = &trials->groups[i];
            uint64_t told = i == trials->running ? counter->told : 0;
            metrics_text_count(
                stream, counter->name, sum_of(group, counter) + told,
                METRICS_LABELS({"target", group->target}, {"recipe", group->recipe}));
        }
    }
}

void metrics_trials_write(FILE *stream, const struct metrics_trials *trials,
                          int (*verdict)(const struct table_value *row))
{
    static const enum tally_kind requests[] = {TALLY_CREATE,       TALLY_EXISTS, TALLY_GET,
                                               TALLY_GET_CHILDREN, TALLY_SET,    TALLY_DELETE,
                                               TALLY_MULTI,        TALLY_SYNC},
                                 failed[] = {TALLY_CREATE_FAILED, TALLY_DELETE_FAILED};
    static const struct metrics_counter counters[] = {
        {"zkherd_reconnects_total", "Connections made again, of finished trials.", "reconnects",
         NULL, 0},
#define X(A, B, name, keys, word, meaning)                                                         \
    {"zkherd_server_" #name "_total",                                                              \
     "Counted by the servers of finished trials, where that is known: " word ".", "server_" #name, \
     NULL, 0},
        FOUR_LETTER_OF_TRIALS(X, , )
#undef X
    };
    write_verdicts(stream, trials, verdict);
    write_kinds(stream, trials, "zkherd_rpcs_total", "Requests sent, in the warm-up of a load too.",
                requests, sizeof requests / sizeof requests[0]);
    write_kinds(stream, trials, "zkherd_rpcs_failed_total",
                "Creates and deletes that were answered with an error.", failed, 2);
    metrics_trials_write_kind(stream, trials, "zkherd_notifications_total",
                              "Watch notifications received.", TALLY_NOTIFICATION);
    metrics_trials_write_counters(stream, trials, counters, sizeof counters / sizeof counters[0]);
}

void metrics_write_whole(FILE *stream, const struct metrics_whole *whole)
{
    const struct {
        const char *name, *help;
        uint64_t value;
    } gauges[] = {
        {"zkherd_trials_planned", "Trials of the whole plan.", whole->planned},
        {"zkherd_trial_number", "The number of the running trial of the plan; 0: none runs.",
         whole->number},
        {"zkherd_sessions", "Sessions of the running trial that are established.", whole->sessions},
    };
    metrics_text_family(stream, "zkherd_build_info", "gauge", "The version of zkherd; always 1.");
    metrics_text_count(stream, "zkherd_build_info", 1, METRICS_LABELS({"version", version_text}));
    for (size_t i = 0; i < sizeof gauges / sizeof gauges[0]; i++) {
        metrics_text_family(stream, gauges[i].name, "gauge", gauges[i].help);
        metrics_text_count(stream, gauges[i].name, gauges[i].value, METRICS_NO_LABELS);
    }
    if (whole->left_ns == 0)
        return;
    metrics_text_family(stream, "zkherd_time_left_seconds", "gauge",
                        "Estimated time to the end of the last trial.");
    metrics_text_real(stream, "zkherd_time_left_seconds", (double)whole->left_ns / 1e9,
                      METRICS_NO_LABELS);
}
