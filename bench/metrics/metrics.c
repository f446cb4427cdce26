// SPDX-License-Identifier: Apache-2.0
#include "bench/metrics/metrics.h"

#include "bench/cli/machine.h"

#include <inttypes.h>
#include <math.h>

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
static void write_name(FILE *stream, const char *name, const char *suffix,
                       const struct metrics_labels *labels, const char *le)
{
    char before = '{';
    fprintf(stream, "%s%s", name, suffix);
    for (size_t i = 0; i < METRICS_LABELS_MAX && labels->of[i].name != NULL; i++) {
        write_label(stream, before, labels->of[i].name, labels->of[i].value);
        before = ',';
    }
    if (le != NULL)
        write_label(stream, before, "le", le);
    fputs(before == ',' || le != NULL ? "} " : " ", stream);
}

static void write_real(FILE *stream, const char *name, const char *suffix, double value,
                       const struct metrics_labels *labels)
{
    write_name(stream, name, suffix, labels, NULL);
    if (isinf(value))
        fputs(value > 0 ? "+Inf\n" : "-Inf\n", stream);
    else if (isnan(value))
        fputs("NaN\n", stream);
    else
        fprintf(stream, "%.9g\n", value);
}

/* le: the bound of a bucket, which is a label behind the others; NULL: no bucket. */
static void write_count(FILE *stream, const char *name, const char *suffix, uint64_t value,
                        const struct metrics_labels *labels, const char *le)
{
    write_name(stream, name, suffix, labels, le);
    fprintf(stream, "%" PRIu64 "\n", value);
}

void metrics_text_count(FILE *stream, const char *name, uint64_t value,
                        const struct metrics_labels *labels)
{
    write_count(stream, name, "", value, labels, NULL);
}

void metrics_text_real(FILE *stream, const char *name, double value,
                       const struct metrics_labels *labels)
{
    write_real(stream, name, "", value, labels);
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

void metrics_histogram_sum(struct metrics_histogram *into, const struct metrics_histogram *from)
{
    into->recorded += from->recorded;
    into->sum_s += from->sum_s;
    for (size_t i = 0; i < METRICS_HISTOGRAM_BOUNDS; i++)
        into->above[i] += from->above[i];
}

void metrics_histogram_write(FILE *stream, const char *name,
                             const struct metrics_histogram *histogram,
                             const struct metrics_labels *labels)
{
    for (size_t i = 0; i < METRICS_HISTOGRAM_BOUNDS; i++)
        write_count(stream, name, "_bucket", histogram->recorded - histogram->above[i], labels,
                    bounds[i].le);
    write_count(stream, name, "_bucket", histogram->recorded, labels, "+Inf");
    write_real(stream, name, "_sum", histogram->sum_s, labels);
    write_count(stream, name, "_count", histogram->recorded, labels, NULL);
}

/* ------------------------------------------------------------------ totals */

void metrics_totals_add(struct metrics_totals *totals, int status, const struct tally *counted,
                        uint64_t reconnects, const struct server_counters_count *servers)
{
    totals->trials[status == 0   ? METRICS_VALID
                   : status == 1 ? METRICS_FAILED
                                 : METRICS_NOT_VALID]++;
    tally_sum(&totals->counted, counted);
    totals->reconnects += reconnects;
    if (!servers->known)
        return;
#define X(A, B, name, keys, word, meaning) totals->servers.name += servers->name;
    FOUR_LETTER_OF_TRIALS(X, , )
#undef X
}

/* A load has no recipe, and its labels end there. */
struct metrics_labels metrics_totals_labels(const struct metrics_totals *totals)
{
    return (struct metrics_labels){
        {{"target", totals->target}, {totals->recipe == NULL ? NULL : "recipe", totals->recipe}}};
}

/* The same behind another label. */
static struct metrics_labels labels_with(const char *name, const char *value,
                                         const struct metrics_totals *totals)
{
    const char *recipe = totals->recipe == NULL ? NULL : "recipe";
    return (struct metrics_labels){
        {{name, value}, {"target", totals->target}, {recipe, totals->recipe}}};
}

void metrics_totals_write_counter(FILE *stream, const struct metrics_counter *counter,
                                  const struct metrics_totals *list, size_t count,
                                  const void *first, size_t stride)
{
    const char *place = (const char *)first + counter->offset;
    metrics_text_family(stream, counter->name, "counter", counter->help);
    for (size_t i = 0; i < count; i++) {
        const struct metrics_labels labels = metrics_totals_labels(&list[i]);
        metrics_text_count(stream, counter->name,
                           *(const uint64_t *)(const void *)(place + i * stride), &labels);
    }
}

static void write_trials(FILE *stream, const struct metrics_totals *list, size_t count)
{
    static const char *const verdicts[] = {"valid", "not_valid", "failed"};
    metrics_text_family(stream, "zkherd_trials_total", "counter", "Finished trials.");
    for (size_t i = 0; i < count; i++) {
        for (int verdict = 0; verdict < METRICS_VERDICTS; verdict++) {
            const struct metrics_labels labels =
                labels_with("verdict", verdicts[verdict], &list[i]);
            metrics_text_count(stream, "zkherd_trials_total", list[i].trials[verdict], &labels);
        }
    }
}

/* The type of a request is the name of its column in the files. */
static void write_kinds(FILE *stream, const char *name, const enum tally_kind *kinds,
                        size_t kind_count, const struct metrics_totals *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < kind_count; k++) {
            const struct metrics_labels labels =
                labels_with("type", tally_column(kinds[k]), &list[i]);
            metrics_text_count(stream, name, list[i].counted.of[kinds[k]], &labels);
        }
    }
}

static void write_requests(FILE *stream, const struct metrics_totals *list, size_t count)
{
    static const enum tally_kind requests[] = {TALLY_CREATE,       TALLY_EXISTS, TALLY_GET,
                                               TALLY_GET_CHILDREN, TALLY_SET,    TALLY_DELETE,
                                               TALLY_MULTI},
                                 failed[] = {TALLY_CREATE_FAILED, TALLY_DELETE_FAILED};
    metrics_text_family(stream, "zkherd_rpcs_total", "counter",
                        "Requests sent, in the warm-up of a load too.");
    write_kinds(stream, "zkherd_rpcs_total", requests, sizeof requests / sizeof requests[0], list,
                count);
    metrics_text_family(stream, "zkherd_rpcs_failed_total", "counter",
                        "Creates and deletes that were answered with an error.");
    write_kinds(stream, "zkherd_rpcs_failed_total", failed, 2, list, count);
}

void metrics_totals_write(FILE *stream, const struct metrics_totals *list, size_t count)
{
#define COUNTED(kind) offsetof(struct metrics_totals, counted.of[TALLY_##kind])
    static const struct metrics_counter counters[] = {
        {"zkherd_notifications_total", "Watch notifications received.", COUNTED(NOTIFICATION)},
        {"zkherd_reconnects_total", "Connections made again, of finished trials.",
         offsetof(struct metrics_totals, reconnects)},
#define X(A, B, name, keys, word, meaning)                                                         \
    {"zkherd_server_" #name "_total",                                                              \
     "Counted by the servers of finished trials, where that is known: " word ".",                  \
     offsetof(struct metrics_totals, servers.name)},
        FOUR_LETTER_OF_TRIALS(X, , )
#undef X
    };
    write_trials(stream, list, count);
    write_requests(stream, list, count);
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        metrics_totals_write_counter(stream, &counters[i], list, count, list, sizeof *list);
}

void metrics_totals_write_whole(FILE *stream, const struct metrics_whole *whole)
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
