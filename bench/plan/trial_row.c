// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/trial_row.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(plan_row, "plan.csv", PLAN_ROW_COLUMNS)

enum { AT_OBJECTIVE, AT_P50, AT_P99, LARGEST, LATENCIES }; /* from plan_row_measured_us on */

enum judge_verdict plan_row_judged(const struct table_value *row)
{
    enum judge_verdict verdict = 0;
    while (strcmp(row[plan_row_verdict].text, judge_verdict_words[verdict]) != 0)
        verdict++;
    return verdict;
}

static void describe(const struct table_value *row, char *text, size_t size)
{
    snprintf(text, size, "step %llu with size %llu", (unsigned long long)row[plan_row_step].count,
             (unsigned long long)row[plan_row_size].count);
}

const struct trial_kind plan_row_trials = {.subject = plan_row_recipe,
                                           .reason = plan_row_reason,
                                           .reconciled = plan_row_reconciled,
                                           .noise = plan_row_attempt,
                                           .fails = plan_row_fails,
                                           .describe = describe};

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

/* ------------------------------------------------------------------ what was measured */

static void fill_probe(const struct plan_trial *trial, struct table_value *row)
{
    const struct plan_question *question = trial->probe->question;
    const struct search_probe *asked = &trial->probe->asked;
    uint64_t load_per_s = question->background.rate_per_s;
    row[plan_row_step] = table_count(trial->step);
    row[plan_row_stage] = table_text(search_stage_words[asked->stage]);
    row[plan_row_size] = table_count(asked->size);
    row[plan_row_long] = table_flag(asked->longer);
    row[plan_row_sessions] = table_count(plan_question_sessions(question, asked->size));
    row[plan_row_locks] = table_count(plan_question_locks(question, asked->size));
    row[plan_row_limit_us] = table_real((double)question->objective.limit_ns / 1e3);
    row[plan_row_background_rate] = table_count_if(load_per_s > 0, load_per_s);
}

static void fill_load(const struct background_figures *beside, struct table_value *row)
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

/* NULL: the load beside the trial had ended before. */
static void fill_result(const struct trial_result *result, struct table_value *row)
{
    bool ran = result != NULL;
    row[plan_row_handoffs] = table_count(ran ? result->handoffs : 0);
    row[plan_row_reconciled] =
        table_text(reconcile_words[ran ? result->reconcile.reconciled : RECONCILED_NA]);
    row[plan_row_fails] = table_flag(ran && result->violation_count > 0);
    if (!ran)
        return;
    double elapsed_s = (double)result->elapsed_ns / 1e9;
    row[plan_row_elapsed_s] = table_real(elapsed_s);
    row[plan_row_handoffs_per_s] = table_real(plan_probe_handoffs_per_s(result->memory));
    row[plan_row_client_cores] = table_real((double)result->client_cpu_ns / 1e9 / elapsed_s);
    if (result->servers.cpu_known)
        row[plan_row_server_cores] = table_real((double)result->servers.cpu_ns / 1e9 / elapsed_s);
}

/* An infinite time is one above a minute: one among what was never sent is not known. */
static double known_us(const struct background_figures *beside, double time_us)
{
    return isinf(time_us) && beside->unsent > 0 ? NAN : time_us;
}

/* Fills the latency that the objective is about. Returns its samples. */
static struct plan_count fill_latency(const struct plan_trial *trial, struct table_value *row)
{
    const struct objective *objective = &trial->probe->question->objective;
    const struct background_figures *beside = &trial->beside;
    const double percents[LATENCIES] = {objective_percent(objective), 50, 99, 100};
    double us[LATENCIES];
    struct histogram *handoffs = memory_new(1, sizeof *handoffs);
    const struct histogram *latency = handoffs;
    struct plan_count count = plan_probe_count_handoffs(objective, trial->result->memory, handoffs);
    row[plan_row_handoff_p50_us] = table_real(histogram_percentile_us(handoffs, 50));
    if (objective->metric == OBJECTIVE_ACQUIRE) {
        latency = &trial->result->latency[METER_ACQUIRE];
        count = (struct plan_count){histogram_recorded(latency),
                                    histogram_above(latency, objective->limit_ns)};
    }
    for (int i = 0; i < LATENCIES; i++)
        us[i] = histogram_percentile_us(latency, percents[i]);
    if (objective->metric == OBJECTIVE_BACKGROUND) {
        us[AT_OBJECTIVE] = known_us(beside, beside->contended_at_us);
        us[AT_P50] = known_us(beside, beside->contended_p50_us);
        us[AT_P99] = known_us(beside, beside->contended_p99_us);
        us[LARGEST] = beside->contended_max_us;
        count = (struct plan_count){beside->judged, beside->over};
    }
    if (!histogram_has_percentile(count.samples, 99)) /* the largest says as much */
        us[AT_P99] = NAN;
    for (int i = 0; i < LATENCIES; i++)
        row[plan_row_measured_us + i] = table_real(us[i]);
    free(handoffs);
    return count;
}

/* ------------------------------------------------------------------ the verdict */

/* Judges whether the trial may have a vote: its counts agree, its times are those of the servers,
 * and its figures add up; if they do, fills what gave out first: in a simulation nothing can. */
static void check(const struct plan_trial *trial, struct validity *validity,
                  struct table_value *row)
{
    const struct trial_result *result = trial->result;
    struct utilisation_figures figures;
    char text[UTILISATION_TEXT_SIZE] = "";
    if (result != NULL && result->violation_count > 0) {
        violation_describe(&result->memory->violations[0], text, sizeof text);
        validity_lose(validity, "%s", text);
    }
    if (result != NULL && result->reason[0] != '\0')
        validity_lose(validity, "%s", result->reason);
    background_judge_trial(&trial->beside, result, trial->cores, validity);
    if (result == NULL || result->end != END_DONE ||
        result->memory->plan->fleet.driver == DRIVER_SIMULATED)
        return;
    trial_utilisation_compute(result, trial->cores, trial->server_percent, &figures);
    figures.beside_load = trial->beside.measured;
    if (!utilisation_adds_up(&figures, text, sizeof text)) {
        validity_lose(validity, "%s", text);
        return;
    }
    const struct utilisation_finding gave_out =
        utilisation_find_limit(&figures, trial->probe->question->objective.metric);
    row[plan_row_gave_out] = table_text(utilisation_limit[gave_out.limit].words);
    row[plan_row_evidence] = table_text(gave_out.evidence);
}

/* Fills what else the machine did. Returns the verdict: a trial that other programs have disturbed
 * is not valid. */
static enum judge_verdict fill_noise(const struct plan_trial *trial, struct noise_watch *noise,
                                     enum judge_verdict verdict, struct table_value *row)
{
    const struct trial_result *result = trial->result;
    const struct noise_attempt attempt = {
        .complete = result != NULL && result->end == END_DONE && verdict != JUDGE_BRAKED,
        .stalled = result != NULL && result->stalls.count > 0,
        .others_packets = result != NULL ? result->reconcile.others_packets : -1,
    };
    return noise_watch_end(noise, &plan_row_trials, row, &attempt) ? verdict : JUDGE_NOT_VALID;
}

enum judge_verdict plan_row_fill(const struct series_record *record, struct noise_watch *noise,
                                 const struct plan_trial *trial, struct table_value *row)
{
    const struct plan_question *question = trial->probe->question;
    enum judge_verdict verdict = JUDGE_NOT_VALID;
    struct plan_count count = {0};
    struct validity validity = {0};
    plan_row_begin(record, question, trial->recipe, row);
    fill_probe(trial, row);
    fill_load(&trial->beside, row);
    fill_result(trial->result, row);
    if (trial->result != NULL)
        count = fill_latency(trial, row);
    row[plan_row_samples] = table_count(count.samples);
    row[plan_row_over] = table_count(count.over);
    check(trial, &validity, row);
    if (trial->braked != NULL)
        verdict = JUDGE_BRAKED;
    else if (trial->result != NULL && !validity.lost)
        verdict = judge_percentile(&question->objective, count.samples, count.over);
    row[plan_row_reason] = table_text(trial->braked != NULL ? trial->braked : validity.reason);
    verdict = fill_noise(trial, noise, verdict, row);
    row[plan_row_verdict] = table_text(judge_verdict_words[verdict]);
    return verdict;
}
