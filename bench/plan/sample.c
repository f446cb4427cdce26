// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/plan/internal.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ latencies */

/* An infinite time is told as one above a minute: one among what was never sent is not known. */
static double known_us(const struct background_figures *beside, double time_us)
{
    return isinf(time_us) && beside->unsent > 0 ? NAN : time_us;
}

/* With an objective on the rate, the latency of the handoffs is shown, and not judged. */
static void take_latency(const struct plan_trial *trial, struct plan_sample *sample)
{
    const struct objective *objective = &trial->probe->question->objective;
    const struct background_figures *beside = &trial->beside;
    const double percents[PLAN_FIGURES] = {
        [PLAN_AT] = objective_percent(objective),
        [PLAN_P50] = 50,
        [PLAN_P99] = 99,
        [PLAN_LARGEST] = 100,
    };
    struct histogram *handoffs = memory_new(1, sizeof *handoffs);
    const struct histogram *latency = handoffs;
    sample->count = plan_probe_count_handoffs(objective, trial->result->memory, handoffs);
    sample->handoff_p50_us = histogram_percentile_us(handoffs, 50);
    if (objective->metric == OBJECTIVE_ACQUIRE) {
        latency = &trial->result->latency[METER_ACQUIRE];
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
        sample->latency_us[PLAN_AT] = known_us(beside, beside->contended_at_us);
        sample->latency_us[PLAN_P50] = known_us(beside, beside->contended_p50_us);
        sample->latency_us[PLAN_P99] = known_us(beside, beside->contended_p99_us);
        sample->latency_us[PLAN_LARGEST] = beside->contended_max_us;
        sample->count = (struct plan_count){beside->judged, beside->over};
    }
    free(handoffs);
}

/* ------------------------------------------------------------------ the verdict */

static void check_trial(const struct trial_result *result, struct plan_sample *sample)
{
    if (result->violation_count > 0) {
        char text[256];
        violation_describe(&result->memory->violations[0], text, sizeof text);
        text_append_clause(sample->reason, sizeof sample->reason, "%s", text);
    }
    if (result->reason[0] != '\0')
        text_append_clause(sample->reason, sizeof sample->reason, "%s", result->reason);
    if (result->not_valid[0] != '\0')
        text_append_clause(sample->reason, sizeof sample->reason, "%s", result->not_valid);
}

/* Whether the times are those of the servers, and the figures add up; and then, what gave out
 * first. A simulation has no driver that could be the limit, and its servers use no CPU. */
static void check_figures(const struct plan_trial *trial, struct plan_sample *sample)
{
    const struct trial_result *result = trial->result;
    struct validity times = {0};
    struct utilisation_figures figures;
    char why[UTILISATION_TEXT_SIZE] = "";
    if (result->end != END_DONE || result->memory->plan->fleet.driver == DRIVER_SIMULATED)
        return;
    validity_judge_trial(result, trial->cores, &times);
    background_judge(&trial->beside, &times);
    if (times.lost)
        text_append_clause(sample->reason, sizeof sample->reason, "%s", times.reason);
    trial_utilisation_take(result, trial->cores, trial->server_percent, &figures);
    figures.beside_load = trial->beside.measured;
    sample->is_explained = utilisation_adds_up(&figures, why, sizeof why);
    if (sample->is_explained)
        sample->gave_out =
            utilisation_find_limit(&figures, trial->probe->question->objective.metric);
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

struct plan_sample plan_sample_take(const struct plan_trial *trial)
{
    struct plan_sample sample = {
        .probe = trial->probe->asked,
        .verdict = JUDGE_NOT_VALID,
        .latency_us = {NAN, NAN, NAN, NAN},
        .handoff_p50_us = NAN,
        .handoffs_per_s = NAN,
    };
    if (trial->beside.ended[0] != '\0')
        text_append_clause(sample.reason, sizeof sample.reason,
                           "the load in the background ended too early: %s", trial->beside.ended);
    if (trial->result == NULL)
        return sample;
    take_latency(trial, &sample);
    check_trial(trial->result, &sample);
    check_figures(trial, &sample);
    judge(&trial->probe->question->objective, trial->result->memory, &sample);
    return sample;
}

bool plan_sample_is_vote(const struct plan_sample *sample)
{
    return sample->verdict == JUDGE_PASS || sample->verdict == JUDGE_FAIL;
}

void plan_samples_add(struct plan_samples *samples, const struct plan_sample *sample)
{
    samples->list = memory_grow(samples->list, samples->count, sizeof *samples->list);
    samples->list[samples->count++] = *sample;
}

/* ------------------------------------------------------------------ the row */

#define PLAN_ROW_COLUMNS(X, T)                                                                     \
    PLAN_KEY_COLUMNS(X, T)                                                                         \
    X(T, step, COUNT, "", 0, NONE, "its number among the trials of its recipe, from 1")            \
    X(T, stage, TEXT, "", 0, NONE, "what it was for: `locate`, `confirm` or `above`")              \
    X(T, size, COUNT, "", 0, KEY, "in the unit of `unknown`")                                      \
    X(T, long, FLAG, "", 0, NONE, "`yes` or `no`")                                                 \
    X(T, sessions, COUNT, "", 0, NONE, "of the trial")                                             \
    X(T, locks, COUNT, "", 0, NONE, "of the trial")                                                \
    X(T, handoffs, COUNT, "", 0, NONE, "grants in all")                                            \
    X(T, samples, COUNT, "", 0, NONE, "what counts: handoffs, acquires or requests")               \
    X(T, over, COUNT, "", 0, NONE, "of these, those over the limit; 0 for a rate")                 \
    X(T, verdict, TEXT, "", 0, NONE, "`pass`, `fail`, `undetermined`, `not valid` or `braked`")    \
    X(T, limit_us, REAL, "us", 1, NONE, "the objective's limit of a latency")                      \
    X(T, least_per_s, COUNT, "1/s", 0, NONE, "the objective's limit of a rate")                    \
    X(T, measured_us, REAL, "us", 1, MEDIAN, "the objective's percentile; empty for a rate")       \
    X(T, p50_us, REAL, "us", 1, MEDIAN, "of the same samples; for a rate, of the handoffs")        \
    X(T, p99_us, REAL, "us", 1, MEDIAN, "of the same samples; for a rate, of the handoffs")        \
    X(T, max_us, REAL, "us", 1, NONE, "of the same samples; for a rate, of the handoffs")          \
    X(T, handoff_p50_us, REAL, "us", 1, NONE, "of handoffs for which all others waited")           \
    X(T, elapsed_s, REAL, "s", 6, NONE, "from the gate to the answer to the last release")         \
    X(T, handoffs_per_s, REAL, "1/s", 2, MEDIAN, "of all locks, while all clients took part")      \
    X(T, background_rate, COUNT, "1/s", 0, NONE, "requests a second that were asked for")          \
    X(T, background_requests, COUNT, "", 0, NONE, "answered, of those due in the steady part")     \
    X(T, background_p50_us, REAL, "us", 1, NONE, "their response time, from when they were due")   \
    X(T, background_p99_us, REAL, "us", 1, NONE, "the same; empty with fewer than 100 requests")   \
    X(T, background_max_us, REAL, "us", 1, NONE, "the same")                                       \
    X(T, background_per_s, REAL, "1/s", 2, NONE, "requests answered per second in that part")      \
    X(T, background_errors, COUNT, "", 0, NONE, "replies with an error in that part")              \
    X(T, background_unsent, COUNT, "", 0, NONE, "requests of that part that were never sent")      \
    X(T, client_cores, REAL, "", 3, NONE, "cores that the driver used on average")                 \
    X(T, server_cores, REAL, "", 3, NONE, "cores that all private servers used on average")        \
    X(T, reconciled, TEXT, "", 0, NONE, "as in `trials.csv`")                                      \
    X(T, gave_out, TEXT, "", 0, NONE, "what would give out first; empty if it is not known")       \
    X(T, evidence, TEXT, "", 0, NONE, "the figures that say so")                                   \
    X(T, reason, TEXT, "", 0, NONE,                                                                \
      "why it is not valid, was ended by the brake, or which verdict failed")                      \
    NOISE_COLUMNS_AS_THERE(X, T)                                                                   \
    X(T, fails, FLAG, "", 0, PRIVATE, "whether the lock is broken, or a server miscounts")
TABLE_DECLARE(plan_row, PLAN_ROW_COLUMNS);
TABLE_DEFINE(plan_row, "plan.csv", PLAN_ROW_COLUMNS)

void plan_row_begin(const struct series_record *record, const struct plan_question *question,
                    const struct recipe *recipe, struct table_value *row)
{
    char objective[OBJECTIVE_TEXT_SIZE];
    objective_format(&question->objective, objective, sizeof objective);
    row[plan_row_run] = table_text(record->files.run);
    row[plan_row_target] = table_text(record->target);
    row[plan_row_servers] = table_count(record->servers);
    row[plan_row_recipe] = table_text(recipe->name);
    row[plan_row_objective] = table_text(objective);
    row[plan_row_unknown] = table_text(plan_question_unknowns[question->unknown]);
}

static void put_load(const struct background_figures *beside, struct table_value *row)
{
    if (!beside->measured)
        return;
    row[plan_row_background_requests] = table_count(beside->requests);
    row[plan_row_background_p50_us] = table_real(beside->contended_p50_us);
    row[plan_row_background_p99_us] = table_real(beside->contended_p99_us);
    row[plan_row_background_max_us] = table_real(beside->contended_max_us);
    row[plan_row_background_per_s] = table_real(beside->contended_per_s);
    row[plan_row_background_errors] = table_count(beside->errors);
    row[plan_row_background_unsent] = table_count(beside->unsent);
}

static void put_result(const struct trial_result *result, struct table_value *row)
{
    double elapsed_s = (double)result->elapsed_ns / 1e9;
    row[plan_row_handoffs] = table_count(result->handoffs);
    row[plan_row_elapsed_s] = table_real(elapsed_s);
    row[plan_row_client_cores] = table_real((double)result->client_cpu_ns / 1e9 / elapsed_s);
    if (result->servers.cpu_known)
        row[plan_row_server_cores] = table_real((double)result->servers.cpu_ns / 1e9 / elapsed_s);
    row[plan_row_reconciled] = table_text(reconcile_word(result->reconciled));
}

void plan_row_take(const struct plan_trial *trial, const struct plan_sample *sample, size_t step,
                   struct table_value *row)
{
    const struct plan_question *question = trial->probe->question;
    const struct objective *objective = &question->objective;
    const struct search_probe *asked = &sample->probe;
    uint64_t load_per_s = trial->probe->load_per_s;
    bool is_rate = objective_is_rate(objective);
    row[plan_row_step] = table_count(step);
    row[plan_row_stage] = table_text(search_stage_word(asked->stage));
    row[plan_row_size] = table_count(asked->size);
    row[plan_row_long] = table_flag(asked->longer);
    row[plan_row_sessions] = table_count(plan_question_sessions(question, asked->size));
    row[plan_row_locks] = table_count(plan_question_locks(question, asked->size));
    row[plan_row_handoffs] = table_count(0);
    row[plan_row_samples] = table_count(sample->count.samples);
    row[plan_row_over] = table_count(sample->count.over);
    row[plan_row_limit_us] = table_real(is_rate ? NAN : (double)objective->limit_ns / 1e3);
    row[plan_row_least_per_s] = table_count_if(is_rate, objective->least_per_s);
    for (size_t i = 0; i < PLAN_FIGURES; i++)
        row[plan_row_measured_us + i] = table_real(sample->latency_us[i]);
    row[plan_row_handoff_p50_us] = table_real(sample->handoff_p50_us);
    row[plan_row_handoffs_per_s] = table_real(sample->handoffs_per_s);
    row[plan_row_background_rate] = table_count_if(load_per_s > 0, load_per_s);
    put_load(&trial->beside, row);
    if (trial->result != NULL)
        put_result(trial->result, row);
    else
        row[plan_row_reconciled] = table_text(reconcile_word(RECONCILED_NA));
    if (sample->is_explained) {
        row[plan_row_gave_out] = table_text(utilisation_limit_words(sample->gave_out.limit));
        row[plan_row_evidence] = table_text(sample->gave_out.evidence);
    }
    row[plan_row_reason] = table_text(sample->reason);
    row[plan_row_fails] = table_flag(trial->result != NULL && trial->result->violation_count > 0);
}

void plan_row_judge(const struct plan_trial *trial, struct noise_watch *noise,
                    struct plan_sample *sample, struct table_value *row)
{
    const struct trial_result *result = trial->result;
    struct table_value valid = table_flag(sample->verdict != JUDGE_NOT_VALID);
    const struct noise_row of_noise = {
        .columns = &row[plan_row_attempt],
        .valid = &valid,
        .reason = &row[plan_row_reason],
        .complete = result != NULL && result->end == END_DONE && sample->verdict != JUDGE_BRAKED,
        .fails = row[plan_row_fails].flag,
        .others_packets = result != NULL ? result->others_packets : -1,
        .stalled = result != NULL && result->stalls.count > 0,
    };
    noise_watch_end(noise, &of_noise);
    if (!valid.flag) {
        sample->verdict = JUDGE_NOT_VALID;
        snprintf(sample->reason, sizeof sample->reason, "%s", row[plan_row_reason].text);
    }
    row[plan_row_verdict] = table_text(judge_verdict_word(sample->verdict));
}

bool plan_rows_complain(const struct table *rows, const struct plan_question *question)
{
    bool any = false;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        char size[64];
        if (!row[plan_row_fails].flag)
            continue;
        complain_plainly(
            "%s, %s, step %llu: the verdict fails: %s", row[plan_row_recipe].text,
            plan_question_format(question, row[plan_row_size].count, size, sizeof size),
            (unsigned long long)row[plan_row_step].count, row[plan_row_reason].text);
        any = true;
    }
    return any;
}
