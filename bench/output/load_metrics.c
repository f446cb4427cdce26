// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_series.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ counts */

static void add_window(struct load_counts *into, const struct load_window *window)
{
    for (int kind = 0; kind < LOAD_KINDS; kind++) {
        for (int status = 0; status < LOAD_STATUSES; status++)
            into->replies[kind][status] += atomic_load(&window->replies[kind][status]);
    }
}

static void add_second(const struct load_shared *load, uint32_t second, struct load_counts *into)
{
    struct histogram *halves = memory_new(LOAD_METRICS_HALVES, sizeof *halves);
    load_shared_add_times(load, second, &halves[LOAD_METRICS_READS], &halves[LOAD_METRICS_WRITES]);
    for (int half = 0; half < LOAD_METRICS_HALVES; half++)
        metrics_histogram_add(&into->response[half], &halves[half]);
    free(halves);
}

static const struct load_counts *counts_of(const struct load_metrics *metrics, size_t target)
{
    bool runs = metrics->cell != NULL && metrics->cell->topology == target;
    return runs ? &metrics->told : &metrics->counts[target];
}

/* ------------------------------------------------------------------ trials */

void load_metrics_init(struct load_metrics *metrics, const struct series *series)
{
    metrics->trials.groups = metrics->groups;
    metrics->trials.count = series->options.target->topology_count;
    for (size_t i = 0; i < metrics->trials.count; i++)
        metrics->groups[i] = (struct metrics_group){.target = series->records[i].target,
                                                    .rows = &series->records[i].rows};
}

void load_metrics_begin(struct load_metrics *metrics, const struct load_cell *cell)
{
    metrics->cell = cell;
    metrics->trials.running = cell != NULL ? cell->topology : 0;
    metrics->trials.told = (struct tally){0};
    metrics->told = metrics->counts[metrics->trials.running];
    metrics->seconds = 0;
}

void load_metrics_add(struct load_metrics *metrics, const struct load_result *result)
{
    struct load_counts *counts = &metrics->counts[metrics->trials.running];
    add_window(counts, result->measured);
    for (uint32_t second = 0; second < result->seconds; second++)
        add_second(result->load, second, counts);
    metrics_histogram_add(&counts->service, &result->measured->service[ROLES][LOAD_KINDS]);
    metrics_trials_finish(&metrics->trials, &result->total);
    load_metrics_begin(metrics, NULL);
}

/* Sessions count on meanwhile: what was told of a trial is at most what it has at its end. */
static void look_at_trial(struct load_metrics *metrics)
{
    const struct load_progress *progress = metrics->progress;
    struct load_counts *told = &metrics->told;
    struct tally *sent = &metrics->trials.told;
    if (progress == NULL || metrics->cell == NULL)
        return;
    *sent = (struct tally){0};
    memcpy(told->replies, metrics->counts[metrics->trials.running].replies, sizeof told->replies);
    told->delayed = told->unsent = 0;
    for (uint32_t i = 0; i < progress->load->plan->fleet.processes; i++) {
        const struct load_worker *worker = &progress->load->workers[i];
        const struct load_window *measured = &worker->windows[LOAD_MEASURED];
        for (int kind = 0; kind < TALLY_KINDS; kind++)
            sent->of[kind] += tally_read_shared(&worker->total, (enum tally_kind)kind);
        add_window(told, measured);
        told->delayed += atomic_load(&measured->delayed);
        told->unsent += atomic_load(&measured->unsent);
    }
    while (metrics->seconds < progress->second)
        add_second(progress->load, metrics->seconds++, told);
}

/* ------------------------------------------------------------------ the text */

static void write_trial(const struct load_metrics *metrics, FILE *stream)
{
    const struct load_cell *cell = metrics->cell;
    char sessions[16], trial[16], mix[128];
    if (cell == NULL)
        return;
    snprintf(sessions, sizeof sessions, "%u", cell->sessions);
    snprintf(trial, sizeof trial, "%u", cell->trial);
    metrics_text_family(stream, "zkherd_trial_info", "gauge", "The running trial; always 1.");
    metrics_text_count(stream, "zkherd_trial_info", 1,
                       METRICS_LABELS({"mix", mix_format(&cell->mix, mix, sizeof mix)},
                                      {"sessions", sessions}, {"trial", trial},
                                      {"target", metrics->groups[cell->topology].target}));
    if (cell->rate_per_s == 0)
        return;
    metrics_text_family(stream, "zkherd_offered_operations_per_second", "gauge",
                        "The rate that the running trial offers; none in a closed loop.");
    metrics_text_count(stream, "zkherd_offered_operations_per_second", cell->rate_per_s,
                       METRICS_NO_LABELS);
}

static void write_replies(const struct load_metrics *metrics, FILE *stream)
{
    metrics_text_family(stream, "zkherd_replies_total", "counter",
                        "Replies to operations that were due in the measured time.");
    for (size_t i = 0; i < metrics->trials.count; i++) {
        const struct load_counts *counts = counts_of(metrics, i);
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
            for (enum zk_status status = 0; status < LOAD_STATUSES; status++) {
                if (counts->replies[kind][status] > 0)
                    metrics_text_count(stream, "zkherd_replies_total",
                                       counts->replies[kind][status],
                                       METRICS_LABELS({"operation", load_kind_word(kind)},
                                                      {"status", client_status_word(status)},
                                                      {"target", metrics->groups[i].target}));
            }
        }
    }
}

static void write_times(const struct load_metrics *metrics, FILE *stream)
{
    static const char *const halves[] = {"reads", "writes"};
    metrics_text_family(stream, "zkherd_response_seconds", "histogram",
                        "From when an operation was due to its reply, by the measured seconds that "
                        "have ended.");
    for (size_t i = 0; i < metrics->trials.count; i++) {
        const struct load_counts *counts = counts_of(metrics, i);
        for (int half = 0; half < LOAD_METRICS_HALVES; half++)
            metrics_histogram_write(stream, "zkherd_response_seconds", &counts->response[half],
                                    METRICS_LABELS({"operations", halves[half]},
                                                   {"target", metrics->groups[i].target}));
    }
    metrics_text_family(stream, "zkherd_service_seconds", "histogram",
                        "From when an operation was sent to its reply, of finished trials.");
    for (size_t i = 0; i < metrics->trials.count; i++)
        metrics_histogram_write(stream, "zkherd_service_seconds", &metrics->counts[i].service,
                                METRICS_LABELS({"target", metrics->groups[i].target}));
}

void load_metrics_write(struct load_metrics *metrics, FILE *stream)
{
    look_at_trial(metrics);
    const struct metrics_counter counters[] = {
        {"zkherd_delayed_total", "Operations sent late, because too many were outstanding.",
         "delayed", NULL, metrics->told.delayed},
        {"zkherd_unsent_total", "Operations that were due, and never sent.", "unsent", NULL,
         metrics->told.unsent},
        {"zkherd_server_marks_total", "What happened to the servers, of finished trials.", "marks",
         NULL, 0},
    };
    write_trial(metrics, stream);
    metrics_trials_write(stream, &metrics->trials, load_row_verdict);
    metrics_trials_write_counters(stream, &metrics->trials, counters,
                                  sizeof counters / sizeof counters[0]);
    write_replies(metrics, stream);
    write_times(metrics, stream);
}
