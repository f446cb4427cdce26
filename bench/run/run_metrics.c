// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include <math.h>

void run_metrics_init(struct run_metrics *metrics, const struct options *options,
                      const struct series *series)
{
    size_t recipes = options->plan.recipe_count;
    metrics->trials.groups = metrics->groups;
    metrics->trials.count = options->target.topology_count * recipes;
    for (size_t i = 0; i < metrics->trials.count; i++)
        metrics->groups[i] =
            (struct metrics_group){.target = series->records[i / recipes].target,
                                   .recipe = options->plan.recipes[i % recipes]->name,
                                   .rows = &series->records[i / recipes].rows};
}

void run_metrics_begin(struct run_metrics *metrics, const struct cell *cell)
{
    metrics->cell = cell;
    metrics->trials.running = cell != NULL ? cell->alike : 0;
    metrics->trials.told = (struct tally){0};
    metrics->told_handoffs = 0;
}

void run_metrics_add(struct run_metrics *metrics, const struct trial_result *result)
{
    metrics_histogram_add(&metrics->handoff[metrics->trials.running],
                          &result->latency[METER_HANDOFF]);
    metrics_trials_finish(&metrics->trials, &result->total);
    run_metrics_begin(metrics, NULL);
}

/* ------------------------------------------------------------------ the text */

/* Sessions count on meanwhile: what was told of a trial is at most what it has at its end. */
static void look_at_trial(struct run_metrics *metrics)
{
    if (metrics->trial == NULL || metrics->cell == NULL)
        return;
    for (int kind = 0; kind < TALLY_KINDS; kind++)
        metrics->trials.told.of[kind] =
            trial_memory_count(metrics->trial->memory, (enum tally_kind)kind);
    metrics->told_handoffs = metrics->trial->handoffs;
}

static void write_trial(const struct run_metrics *metrics, FILE *stream)
{
    const struct cell *cell = metrics->cell;
    char clients[16], trial[16];
    if (cell == NULL)
        return;
    const struct metrics_group *group = &metrics->groups[cell->alike];
    snprintf(clients, sizeof clients, "%u", cell->clients);
    snprintf(trial, sizeof trial, "%u", cell->trial);
    metrics_text_family(stream, "zkherd_trial_info", "gauge", "The running trial; always 1.");
    metrics_text_count(stream, "zkherd_trial_info", 1,
                       METRICS_LABELS({"clients", clients}, {"trial", trial},
                                      {"target", group->target}, {"recipe", group->recipe}));
    if (metrics->trial == NULL)
        return;
    metrics_text_family(stream, "zkherd_stalled_seconds", "gauge",
                        "How long a server has owed an answer, and nothing came; 0: none does.");
    metrics_text_real(stream, "zkherd_stalled_seconds", (double)metrics->trial->stalled_ns / 1e9,
                      METRICS_NO_LABELS);
}

/* A column of the last finished trial of each group. */
static void write_last(const struct run_metrics *metrics, FILE *stream, const char *name,
                       const char *help, size_t column)
{
    metrics_text_family(stream, name, "gauge", help);
    for (size_t i = 0; i < metrics->trials.count; i++) {
        const struct metrics_group *group = &metrics->groups[i];
        size_t at = group->rows->rows;
        while (at > 0 && !metrics_trials_has(group, table_row(group->rows, at - 1)))
            at--;
        double value = at > 0 ? table_number(&table_row(group->rows, at - 1)[column]) : NAN;
        if (!isnan(value))
            metrics_text_real(stream, name, value,
                              METRICS_LABELS({"target", group->target}, {"recipe", group->recipe}));
    }
}

void run_metrics_write(struct run_metrics *metrics, FILE *stream)
{
    const struct metrics_trials *trials = &metrics->trials;
    look_at_trial(metrics);
    const struct metrics_counter counters[] = {
        {"zkherd_handoffs_total", "Grants of a lock.", "handoffs", NULL, metrics->told_handoffs},
        {"zkherd_law_rpcs_total",
         "Requests that the laws expect, of finished trials that have a law.", "law_rpcs", NULL, 0},
        {"zkherd_compared_rpcs_total", "Requests sent in these trials: equal if the laws hold.",
         "rpcs", "law_rpcs", 0},
        {"zkherd_law_notifications_total",
         "Notifications that the laws expect, of finished trials that have a law.",
         "law_notifications", NULL, 0},
        {"zkherd_compared_notifications_total",
         "Notifications received in these trials: equal if the laws hold.", "notifications",
         "law_notifications", 0},
        {"zkherd_violations_total", "Failed checks, of finished trials.", "violations", NULL, 0},
        {"zkherd_stalls_total", "Stalls of servers, of finished trials.", "stalls", NULL, 0},
    };
    write_trial(metrics, stream);
    metrics_trials_write(stream, trials, trial_row_verdict);
    /* A load does not count them. */
    metrics_trials_write_kind(stream, trials, "zkherd_sent_bytes_total",
                              "TCP payload that the sessions have sent.", TALLY_BYTES_SENT);
    metrics_trials_write_kind(stream, trials, "zkherd_received_bytes_total",
                              "TCP payload that the sessions have received.", TALLY_BYTES_RECEIVED);
    metrics_trials_write_counters(stream, trials, counters, sizeof counters / sizeof counters[0]);
    write_last(metrics, stream, "zkherd_last_drain_seconds",
               "From the first release to the answer to the last, in the last finished trial.",
               trial_row_drain_s);
    write_last(metrics, stream, "zkherd_last_drain_clients", "Clients of that trial.",
               trial_row_clients);
    metrics_text_family(stream, "zkherd_handoff_seconds", "histogram",
                        "From a release to the next grant, of finished trials.");
    for (size_t i = 0; i < trials->count; i++)
        metrics_histogram_write(stream, "zkherd_handoff_seconds", &metrics->handoff[i],
                                METRICS_LABELS({"target", metrics->groups[i].target},
                                               {"recipe", metrics->groups[i].recipe}));
}
