// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_series.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ counts */

static void add_counts(struct load_totals *into, const struct load_totals *from)
{
    for (int kind = 0; kind < LOAD_KINDS; kind++) {
        for (int status = 0; status < LOAD_STATUSES; status++)
            into->replies[kind][status] += from->replies[kind][status];
    }
    into->delayed += from->delayed;
    into->unsent += from->unsent;
    into->marks += from->marks;
    for (int half = 0; half < LOAD_METRICS_HALVES; half++)
        metrics_histogram_sum(&into->response[half], &from->response[half]);
    metrics_histogram_sum(&into->service, &from->service);
}

static void add_window(struct load_totals *into, const struct load_window *window)
{
    for (int kind = 0; kind < LOAD_KINDS; kind++) {
        for (int status = 0; status < LOAD_STATUSES; status++)
            into->replies[kind][status] += atomic_load(&window->replies[kind][status]);
    }
    into->delayed += atomic_load(&window->delayed);
    into->unsent += atomic_load(&window->unsent);
}

static void add_second(const struct load_shared *load, uint32_t second, struct load_totals *into)
{
    struct histogram *halves = memory_new(LOAD_METRICS_HALVES, sizeof *halves);
    load_shared_add_times(load, second, &halves[LOAD_METRICS_READS], &halves[LOAD_METRICS_WRITES]);
    for (int half = 0; half < LOAD_METRICS_HALVES; half++)
        metrics_histogram_add(&into->response[half], &halves[half]);
    free(halves);
}

/* ------------------------------------------------------------------ trials */

void load_metrics_begin(struct load_metrics *metrics, const struct load_cell *cell)
{
    metrics->cell = cell;
    metrics->told = (struct tally){0};
    memset(&metrics->told_of_load, 0, sizeof metrics->told_of_load);
    metrics->seconds = 0;
}

void load_metrics_add(struct load_metrics *metrics, const struct table_value *row,
                      const struct load_result *result)
{
    size_t topology = row[load_row_topology].count;
    struct load_totals of_trial = {.marks = row[load_row_marks].count};
    add_window(&of_trial, result->measured);
    for (uint32_t second = 0; second < result->seconds; second++)
        add_second(result->load, second, &of_trial);
    metrics_histogram_add(&of_trial.service, &result->measured->service[ROLES][LOAD_KINDS]);
    add_counts(&metrics->of_load[topology], &of_trial);
    metrics_totals_add(&metrics->totals[topology], load_row_verdict(row), &result->total,
                       result->reconnects, &result->servers);
    load_metrics_begin(metrics, NULL);
}

/* ------------------------------------------------------------------ the running trial */

/* Sessions count on meanwhile: what was told of a trial is at most what it has at its end. */
static void look_at_trial(struct load_metrics *metrics)
{
    const struct load_progress *progress = metrics->progress;
    struct load_totals *told = &metrics->told_of_load;
    if (progress == NULL || metrics->cell == NULL)
        return;
    metrics->told = (struct tally){0};
    memset(told->replies, 0, sizeof told->replies);
    told->delayed = told->unsent = 0;
    for (uint32_t i = 0; i < progress->load->plan->fleet.processes; i++) {
        const struct load_worker *worker = &progress->load->workers[i];
        for (int kind = 0; kind < TALLY_KINDS; kind++)
            metrics->told.of[kind] += tally_read_shared(&worker->total, (enum tally_kind)kind);
        add_window(told, &worker->windows[LOAD_MEASURED]);
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
                                      {"target", metrics->series->records[cell->topology].target}));
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
    for (size_t i = 0; i < metrics->series->targets.count; i++) {
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
            for (enum zk_status status = 0; status < LOAD_STATUSES; status++) {
                uint64_t count = metrics->of_load[i].replies[kind][status];
                if (count > 0)
                    metrics_text_count(stream, "zkherd_replies_total", count,
                                       METRICS_LABELS({"operation", load_kind_word(kind)},
                                                      {"status", client_status_word(status)},
                                                      {"target", metrics->totals[i].target}));
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
    for (size_t i = 0; i < metrics->series->targets.count; i++) {
        for (int half = 0; half < LOAD_METRICS_HALVES; half++)
            metrics_histogram_write(stream, "zkherd_response_seconds",
                                    &metrics->of_load[i].response[half],
                                    METRICS_LABELS({"operations", halves[half]},
                                                   {"target", metrics->totals[i].target}));
    }
    metrics_text_family(stream, "zkherd_service_seconds", "histogram",
                        "From when an operation was sent to its reply, of finished trials.");
    for (size_t i = 0; i < metrics->series->targets.count; i++)
        metrics_histogram_write(stream, "zkherd_service_seconds", &metrics->of_load[i].service,
                                METRICS_LABELS({"target", metrics->totals[i].target}));
}

static void write_targets(const struct load_metrics *metrics, FILE *stream)
{
    static const struct metrics_counter counters[] = {
        {"zkherd_delayed_total", "Operations sent late, because too many were outstanding.",
         offsetof(struct load_totals, delayed)},
        {"zkherd_unsent_total", "Operations that were due, and never sent.",
         offsetof(struct load_totals, unsent)},
        {"zkherd_server_marks_total", "What happened to the servers, of finished trials.",
         offsetof(struct load_totals, marks)},
    };
    metrics_totals_write(stream, metrics->totals, metrics->series->targets.count);
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        metrics_totals_write_counter(stream, &counters[i], metrics->totals,
                                     metrics->series->targets.count, metrics->of_load,
                                     sizeof metrics->of_load[0]);
    write_replies(metrics, stream);
    write_times(metrics, stream);
}

/* The targets, with the running trial among those of its target. */
void load_metrics_write(struct load_metrics *metrics, FILE *stream)
{
    size_t place = metrics->cell != NULL ? metrics->cell->topology : 0;
    for (size_t i = 0; i < metrics->series->targets.count; i++)
        metrics->totals[i].target = metrics->series->records[i].target;
    look_at_trial(metrics);
    write_trial(metrics, stream);
    const struct metrics_totals finished = metrics->totals[place];
    const struct load_totals of_load = metrics->of_load[place];
    tally_sum(&metrics->totals[place].counted, &metrics->told);
    add_counts(&metrics->of_load[place], &metrics->told_of_load);
    write_targets(metrics, stream);
    metrics->totals[place] = finished;
    metrics->of_load[place] = of_load;
}
