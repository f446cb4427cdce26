// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/output/validity.h"
#include "bench/plan/internal.h"
#include "measure/statistics.h"
#include "trial/trial_utilisation.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ latencies */

/* With an objective on the rate, the latency of the handoffs is shown, and not judged. */
static void take_latency(const struct objective *objective, const struct trial_result *result,
                         struct plan_sample *sample)
{
    const struct background_figures *beside = &sample->beside;
    const double percents[PLAN_FIGURES] = {
        [PLAN_AT] = objective_percent(objective),
        [PLAN_P50] = 50,
        [PLAN_P99] = 99,
        [PLAN_LARGEST] = 100,
    };
    struct histogram *handoffs = memory_new(1, sizeof *handoffs);
    const struct histogram *latency = handoffs;
    sample->count = plan_probe_count_handoffs(objective, result->memory, handoffs);
    sample->handoff_p50_us = histogram_percentile_us(handoffs, 50);
    if (objective->metric == OBJECTIVE_ACQUIRE) {
        latency = &result->latency[METER_ACQUIRE];
        sample->count = (struct plan_count){histogram_recorded(latency),
                                            histogram_above(latency, objective->limit_ns)};
    }
    for (int i = 0; i < PLAN_FIGURES; i++)
        sample->latency_us[i] = histogram_percentile_us(latency, percents[i]);
    if (objective_is_rate(objective)) {
        sample->latency_us[PLAN_AT] = NAN;
        sample->count.over = 0;
    }
    if (objective->metric == OBJECTIVE_BACKGROUND) {
        sample->latency_us[PLAN_AT] = beside->contended_at_us;
        sample->latency_us[PLAN_P50] = beside->contended_p50_us;
        sample->latency_us[PLAN_P99] = beside->contended_p99_us;
        sample->latency_us[PLAN_LARGEST] = beside->contended_max_us;
        sample->count = (struct plan_count){beside->judged, beside->over};
    }
    free(handoffs);
}

/* ------------------------------------------------------------------ the verdict */

static void check_load(struct plan_sample *sample)
{
    if (sample->beside.ended[0] != '\0')
        text_append_clause(sample->reason, sizeof sample->reason,
                           "the load in the background ended too early: %s", sample->beside.ended);
}

static void check_trial(const struct trial_result *result, struct plan_sample *sample)
{
    if (result->violation_count > 0) {
        char text[256];
        violation_describe(&result->memory->violations[0], text, sizeof text);
        text_append_clause(sample->reason, sizeof sample->reason, "%s", text);
        sample->fails = true;
    }
    if (result->reason[0] != '\0')
        text_append_clause(sample->reason, sizeof sample->reason, "%s", result->reason);
    if (result->not_valid[0] != '\0')
        text_append_clause(sample->reason, sizeof sample->reason, "%s", result->not_valid);
}

/* Whether the times are those of the servers, and the figures add up; and then, what gave out
 * first. A simulation has no driver that could be the limit, and its servers use no CPU. */
static void check_figures(const struct objective *objective, const struct trial_result *result,
                          const struct plan_machine *machine, struct plan_sample *sample)
{
    struct validity times = {0};
    char why[UTILISATION_TEXT_SIZE] = "";
    if (result->end != END_DONE || result->memory->plan->fleet.driver == DRIVER_SIMULATED)
        return;
    validity_judge_trial(result, machine->cores, &times);
    background_judge(&sample->beside, &times);
    if (times.lost)
        text_append_clause(sample->reason, sizeof sample->reason, "%s", times.reason);
    trial_utilisation_take(result, machine->cores, machine->server_percent, &sample->figures);
    sample->figures.beside_load = sample->beside.measured;
    sample->is_explained = utilisation_adds_up(&sample->figures, why, sizeof why);
    if (sample->is_explained)
        sample->gave_out = utilisation_find_limit(&sample->figures, objective->metric);
    else
        text_append_clause(sample->reason, sizeof sample->reason, "%s", why);
}

/* Also takes the rate. */
static void judge(const struct objective *objective, const struct trial_memory *memory,
                  struct plan_sample *sample)
{
    double per_s[PLAN_BATCHES];
    size_t batches = plan_probe_rates(memory, per_s);
    sample->handoffs_per_s = statistics_interval(per_s, batches, 0.95).value;
    if (sample->reason[0] != '\0')
        sample->verdict = JUDGE_NOT_VALID;
    else if (objective_is_rate(objective))
        sample->verdict = judge_rate(objective, per_s, batches);
    else
        sample->verdict = judge_percentile(objective, sample->count.samples, sample->count.over);
}

/* ------------------------------------------------------------------ the whole */

struct plan_sample plan_sample_take(const struct plan_probe *probe,
                                    const struct search_probe *asked, const struct recipe *recipe,
                                    const struct trial_result *result,
                                    const struct background_figures *beside,
                                    const struct plan_machine *machine)
{
    const struct objective *objective = &probe->question->objective;
    struct plan_sample sample = {
        .recipe = recipe,
        .probe = *asked,
        .sessions = (uint32_t)plan_question_sessions(probe->question, probe->size),
        .locks = (uint32_t)plan_question_locks(probe->question, probe->size),
        .load_per_s = probe->load_per_s,
        .beside = *beside,
        .verdict = JUDGE_NOT_VALID,
        .latency_us = {NAN, NAN, NAN, NAN},
        .handoff_p50_us = NAN,
        .handoffs_per_s = NAN,
        .elapsed_s = NAN,
        .client_cores = NAN,
        .server_cores = NAN,
        .reconciled = RECONCILED_NA,
    };
    check_load(&sample);
    if (result == NULL)
        return sample;
    sample.handoffs = result->handoffs;
    sample.elapsed_s = (double)result->elapsed_ns / 1e9;
    sample.client_cores = (double)result->client_cpu_ns / 1e9 / sample.elapsed_s;
    if (result->servers.cpu_known)
        sample.server_cores = (double)result->servers.cpu_ns / 1e9 / sample.elapsed_s;
    sample.reconciled = result->reconciled;
    take_latency(objective, result, &sample);
    check_trial(result, &sample);
    check_figures(objective, result, machine, &sample);
    judge(objective, result->memory, &sample);
    return sample;
}

bool plan_sample_is_vote(const struct plan_sample *sample)
{
    return !sample->for_knee && (sample->verdict == JUDGE_PASS || sample->verdict == JUDGE_FAIL);
}

bool plan_sample_is_whole(const struct plan_question *question, const struct plan_sample *sample)
{
    return sample->count.samples >= plan_probe_samples(question, &sample->probe);
}

void plan_sample_brake(struct plan_sample *sample, const char *why)
{
    sample->verdict = JUDGE_BRAKED;
    snprintf(sample->reason, sizeof sample->reason, "%s", why);
}

void plan_samples_add(struct plan_samples *samples, const struct plan_sample *sample)
{
    samples->list = memory_grow(samples->list, samples->count, sizeof *samples->list);
    samples->list[samples->count++] = *sample;
}

/* ------------------------------------------------------------------ the row */

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, context->run))                                                            \
    X(target, csv_text(csv, context->target))                                                      \
    X(servers, csv_count(csv, context->servers))                                                   \
    X(recipe, csv_text(csv, sample->recipe->name))                                                 \
    X(objective, csv_text(csv, objective))                                                         \
    X(unknown, csv_text(csv, plan_question_unknowns[context->question->unknown]))                  \
    X(proposed, csv_count_if(csv, sample->proposed > 0, sample->proposed))                         \
    X(step, csv_count(csv, sample->step))                                                          \
    X(stage, csv_text(csv, stage))                                                                 \
    X(size, csv_count(csv, sample->probe.size))                                                    \
    X(long, csv_text(csv, sample->probe.longer ? "yes" : "no"))                                    \
    X(sessions, csv_count(csv, sample->sessions))                                                  \
    X(locks, csv_count(csv, sample->locks))                                                        \
    X(handoffs, csv_count(csv, sample->handoffs))                                                  \
    X(samples, csv_count(csv, sample->count.samples))                                              \
    X(over, csv_count(csv, sample->count.over))                                                    \
    X(verdict, csv_text(csv, judge_verdict_word(sample->verdict)))                                 \
    X(limit_us, csv_real(csv, is_rate ? NAN : (double)asked->limit_ns / 1e3, 1))                   \
    X(least_per_s, csv_count_if(csv, is_rate, asked->least_per_s))                                 \
    X(measured_us, csv_real(csv, sample->latency_us[PLAN_AT], 1))                                  \
    X(p50_us, csv_real(csv, sample->latency_us[PLAN_P50], 1))                                      \
    X(p99_us, csv_real(csv, sample->latency_us[PLAN_P99], 1))                                      \
    X(max_us, csv_real(csv, sample->latency_us[PLAN_LARGEST], 1))                                  \
    X(handoff_p50_us, csv_real(csv, sample->handoff_p50_us, 1))                                    \
    X(elapsed_s, csv_real(csv, sample->elapsed_s, 6))                                              \
    X(handoffs_per_s, csv_real(csv, sample->handoffs_per_s, 2))                                    \
    X(background_rate, csv_count_if(csv, sample->load_per_s > 0, sample->load_per_s))              \
    X(background_requests, csv_count_if(csv, has_load, beside->requests))                          \
    X(background_p50_us, csv_real(csv, has_load ? beside->contended_p50_us : NAN, 1))              \
    X(background_p99_us, csv_real(csv, has_load ? beside->contended_p99_us : NAN, 1))              \
    X(background_max_us, csv_real(csv, has_load ? beside->contended_max_us : NAN, 1))              \
    X(background_per_s, csv_real(csv, has_load ? beside->contended_per_s : NAN, 2))                \
    X(background_errors, csv_count_if(csv, has_load, beside->errors))                              \
    X(background_unsent, csv_count_if(csv, has_load, beside->unsent))                              \
    X(client_cores, csv_real(csv, sample->client_cores, 3))                                        \
    X(server_cores, csv_real(csv, sample->server_cores, 3))                                        \
    X(reconciled, csv_text(csv, reconcile_word(sample->reconciled)))                               \
    X(gave_out, csv_text(csv, gave_out))                                                           \
    X(evidence, csv_text(csv, sample->is_explained ? sample->gave_out.evidence : NULL))            \
    X(reason, csv_text(csv, sample->reason))

const char plan_sample_columns[] = COLUMNS(CSV_NAME);

void plan_sample_write(const struct plan_sample *sample, const struct plan_sample_context *context,
                       struct csv *csv)
{
    const struct objective *asked = &context->question->objective;
    const struct background_figures *beside = &sample->beside;
    bool is_rate = objective_is_rate(asked), has_load = beside->measured;
    const char *stage = sample->for_knee ? "knee" : search_stage_word(sample->probe.stage);
    const char *gave_out =
        sample->is_explained ? utilisation_limit_words(sample->gave_out.limit) : NULL;
    char objective[OBJECTIVE_TEXT_SIZE];
    objective_format(asked, objective, sizeof objective);
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}
