// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include <math.h>

void run_metrics_init(struct run_metrics *metrics, const struct options *options,
                      const struct series *series)
{
    metrics->options = options;
    metrics->series = series;
}

/* ------------------------------------------------------------------ trials */

void run_metrics_begin(struct run_metrics *metrics, const struct cell *cell)
{
    metrics->cell = cell;
    metrics->told = (struct tally){0};
    metrics->told_handoffs = 0;
}

void run_metrics_add(struct run_metrics *metrics, const struct cell *cell,
                     const struct table_value *row, const struct trial_result *result)
{
    struct run_totals *of_run = &metrics->of_run[cell->alike];
    metrics_totals_add(&metrics->totals[cell->alike], trial_row_verdict(row), &result->total,
                       result->reconnects, &result->servers);
    of_run->handoffs += result->handoffs;
    of_run->violations += result->violation_count;
    of_run->stalls += result->stalls.count;
    of_run->last_drain = row[outcome_figures[FIGURE_DRAIN].column].real;
    of_run->clients = (double)row[trial_row_clients].count;
    if (row[trial_row_has_law].flag) {
        of_run->law_rpcs += row[trial_row_law_rpcs].count;
        of_run->compared_rpcs += row[trial_row_rpcs].count;
        of_run->law_notifications += row[trial_row_law_notifications].count;
        of_run->compared_notifications += row[trial_row_notifications].count;
    }
    metrics_histogram_add(&of_run->handoff, &result->latency[METER_HANDOFF]);
    run_metrics_begin(metrics, NULL);
}

/* ------------------------------------------------------------------ the text */

/* Sessions count on meanwhile: what was told of a trial is at most what it has at its end. */
static void look_at_trial(struct run_metrics *metrics)
{
    if (metrics->trial == NULL || metrics->cell == NULL)
        return;
    for (int kind = 0; kind < TALLY_KINDS; kind++)
        metrics->told.of[kind] = trial_memory_count(metrics->trial->memory, (enum tally_kind)kind);
    metrics->told_handoffs = metrics->trial->handoffs;
}

static size_t groups(const struct run_metrics *metrics)
{
    return metrics->options->target.topology_count * metrics->options->plan.recipe_count;
}

static void write_trial(const struct run_metrics *metrics, FILE *stream)
{
    const struct cell *cell = metrics->cell;
    char clients[16], trial[16];
    if (cell == NULL)
        return;
    const struct metrics_totals *totals = &metrics->totals[cell->alike];
    snprintf(clients, sizeof clients, "%u", cell->clients);
    snprintf(trial, sizeof trial, "%u", cell->trial);
    metrics_text_family(stream, "zkherd_trial_info", "gauge", "The running trial; always 1.");
    metrics_text_count(stream, "zkherd_trial_info", 1,
                       METRICS_LABELS({"clients", clients}, {"trial", trial},
                                      {"target", totals->target}, {"recipe", totals->recipe}));
    if (metrics->trial == NULL)
        return;
    metrics_text_family(stream, "zkherd_stalled_seconds", "gauge",
                        "How long a server has owed an answer, and nothing came; 0: none does.");
    metrics_text_real(stream, "zkherd_stalled_seconds", (double)metrics->trial->stalled_ns / 1e9,
                      METRICS_NO_LABELS);
}

static void write_last(const struct run_metrics *metrics, FILE *stream, const char *name,
                       const char *help, size_t offset)
{
    metrics_text_family(stream, name, "gauge", help);
    for (size_t i = 0; i < groups(metrics); i++) {
        const struct run_totals *totals = &metrics->of_run[i];
        const void *place = (const char *)totals + offset;
        double value = *(const double *)place;
        const struct metrics_labels labels = metrics_totals_labels(&metrics->totals[i]);
        if (totals->clients > 0 && !isnan(value))
            metrics_text_real(stream, name, value, &labels);
    }
}

static void write_groups(const struct run_metrics *metrics, FILE *stream)
{
#define BYTES(kind) offsetof(struct metrics_totals, counted.of[TALLY_BYTES_##kind])
#define AT(member)  offsetof(struct run_totals, member)
    static const struct metrics_counter
        bytes[] =
            {/* a load does not count them */
             {"zkherd_sent_bytes_total", "TCP payload that the sessions have sent.", BYTES(SENT)},
             {"zkherd_received_bytes_total", "TCP payload that the sessions have received.",
              BYTES(RECEIVED)}},
        counters[] = {
            {"zkherd_handoffs_total", "Grants of a lock.", AT(handoffs)},
            {"zkherd_law_rpcs_total",
             "Requests that the laws expect, of finished trials that have a law.", AT(law_rpcs)},
            {"zkherd_compared_rpcs_total", "Requests sent in these trials: equal if the laws hold.",
             AT(compared_rpcs)},
            {"zkherd_law_notifications_total",
             "Notifications that the laws expect, of finished trials that have a law.",
             AT(law_notifications)},
            {"zkherd_compared_notifications_total",
             "Notifications received in these trials: equal if the laws hold.",
             AT(compared_notifications)},
            {"zkherd_violations_total", "Failed checks, of finished trials.", AT(violations)},
            {"zkherd_stalls_total", "Stalls of servers, of finished trials.", AT(stalls)},
        };
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        metrics_totals_write_counter(stream, &bytes[i], metrics->totals, groups(metrics),
                                     metrics->totals, sizeof metrics->totals[0]);
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        metrics_totals_write_counter(stream, &counters[i], metrics->totals, groups(metrics),
                                     metrics->of_run, sizeof metrics->of_run[0]);
    write_last(metrics, stream, "zkherd_last_drain_seconds",
               "From the first release to the answer to the last, in the last finished trial.",
               AT(last_drain));
    write_last(metrics, stream, "zkherd_last_drain_clients", "Clients of that trial.", AT(clients));
    metrics_text_family(stream, "zkherd_handoff_seconds", "histogram",
                        "From a release to the next grant, of finished trials.");
    for (size_t i = 0; i < groups(metrics); i++) {
        const struct metrics_labels labels = metrics_totals_labels(&metrics->totals[i]);
        metrics_histogram_write(stream, "zkherd_handoff_seconds", &metrics->of_run[i].handoff,
                                &labels);
    }
}

/* The groups, with the running trial among those of its group. */
void run_metrics_write(struct run_metrics *metrics, FILE *stream)
{
    size_t place = metrics->cell != NULL ? metrics->cell->alike : 0,
           recipes = metrics->options->plan.recipe_count;
    for (size_t i = 0; i < groups(metrics); i++) {
        metrics->totals[i].target = metrics->series->records[i / recipes].target;
        metrics->totals[i].recipe = metrics->options->plan.recipes[i % recipes]->name;
    }
    look_at_trial(metrics);
    write_trial(metrics, stream);
    const struct metrics_totals finished = metrics->totals[place];
    uint64_t handoffs = metrics->of_run[place].handoffs;
    tally_sum(&metrics->totals[place].counted, &metrics->told);
    metrics->of_run[place].handoffs += metrics->told_handoffs;
    metrics_totals_write(stream, metrics->totals, groups(metrics));
    write_groups(metrics, stream);
    metrics->totals[place] = finished;
    metrics->of_run[place].handoffs = handoffs;
}
