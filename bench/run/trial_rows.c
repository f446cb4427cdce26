// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include <math.h>
#include <stdio.h>

double trial_row_percentile_us(const struct histogram *histogram, double percent)
{
    if (!histogram_has_percentile(histogram_recorded(histogram), percent))
        return NAN;
    return (double)histogram_percentile_ns(histogram, percent) / 1e3;
}

/* ------------------------------------------------------------------ validity */

static void judge(const struct trial_result *result, const struct background_figures *background,
                  double cores_allowed, struct table_value *row)
{
    const struct trial_plan *plan = result->memory->plan;
    struct validity validity = {0};
    /* Under lockstep the counts are the law's; a lost connection adds requests or loses some. */
    bool complete = result->end == END_DONE && (result->losses == 0 || plan->pace != PACE_LOCKSTEP);
    if (result->end != END_DONE && result->end != END_VIOLATION && result->end != END_ALONE)
        validity_lose(&validity, "%s", result->reason);
    background_judge_trial(background, result, cores_allowed, &validity);
    if (result->violation_count > 0) {
        char text[256];
        violation_describe(&result->memory->violations[0], text, sizeof text);
        snprintf(validity.reason, sizeof validity.reason, "%s%s%s", text,
                 result->reason[0] != '\0' ? "; " : "", result->reason);
    }
    row[trial_row_reason] = table_text(validity.reason);
    trial_row_judge(row, complete, !validity.lost);
}

void trial_row_judge(struct table_value *row, bool complete, bool valid)
{
    bool counted = complete && row[trial_row_violations].count == 0;
    row[trial_row_complete] = table_flag(complete);
    row[trial_row_valid] = table_flag(valid);
    row[trial_row_drained] = table_flag(complete && valid);
    row[trial_row_counted] = table_flag(counted);
    row[trial_row_timed] = table_flag(counted && valid);
}

/* ------------------------------------------------------------------ the row */

static void fill_plan(const struct cell *cell, const struct options *options,
                      const struct series_record *record, struct table_value *row)
{
    const struct run_plan *plan = &options->plan;
    row[trial_row_run] = table_text(record->files.run);
    row[trial_row_target] = table_text(record->target);
    row[trial_row_servers] = table_count(record->servers);
    row[trial_row_recipe] = table_text(cell->recipe->name);
    row[trial_row_workload] = table_text(options_workloads[plan->workload]);
    row[trial_row_pace] = table_text(options_paces[plan->pace]);
    row[trial_row_driver] = table_text(options_drivers[options->target.driver]);
    row[trial_row_processes] = table_count(plan->processes);
    row[trial_row_clients] = table_count(cell->clients);
    row[trial_row_locks] = table_count(plan->locks);
    row[trial_row_trial] = table_count(cell->trial);
    row[trial_row_seed] = table_count(plan->seed);
    row[trial_row_topology] = table_count(cell->place.topology);
}

static void fill_counts(const struct trial_result *result, struct table_value *row)
{
    const uint64_t *of = result->total.of, *of_law = result->law.of;
    bool has_law = result->has_law;
#define X(name, column) row[trial_row_##column] = table_count(of[TALLY_##name]);
    TALLY_LIST(X)
#undef X
    row[trial_row_handoffs] = table_count(result->handoffs);
    row[trial_row_rpcs] = table_count(tally_rpcs(&result->total));
    row[trial_row_bytes] = table_count(of[TALLY_BYTES_SENT] + of[TALLY_BYTES_RECEIVED]);
    row[trial_row_has_law] = table_flag(has_law);
    row[trial_row_law_rpcs] = table_count_if(has_law, tally_rpcs(&result->law));
    row[trial_row_law_notifications] = table_count_if(has_law, of_law[TALLY_NOTIFICATION]);
    row[trial_row_law_creates] = table_count_if(has_law, of_law[TALLY_CREATE]);
    row[trial_row_law_names_listed] = table_count_if(has_law, of_law[TALLY_NAMES_LISTED]);
    row[trial_row_violations] = table_count(result->violation_count);
    row[trial_row_order_inversions] = table_count(result->inversions);
    row[trial_row_fairness_jain] = table_real(result->fairness_jain);
    row[trial_row_reconnects] = table_count(result->reconnects);
    row[trial_row_repairs] = table_count(result->repairs);
}

/* Times over several steps: --max-rate puts pauses into them. */
static void fill_times(const struct trial_result *result, struct table_value *row)
{
    static const double handoff[] = {50, 90, 99, 100}, acquire[] = {50, 99, 100};
    const struct trial_plan *plan = result->memory->plan;
    bool paced = plan->max_rate != 0;
    double elapsed_s = paced ? NAN : (double)result->elapsed_ns / 1e9;
    double drained_s = paced ? NAN : (double)result->drain_ns / 1e9;
    /* The arrivals of a drain are no handoffs, and under lockstep they take most of its time. */
    double handing_s = plan->workload == WORKLOAD_DRAIN ? drained_s : elapsed_s;
    row[trial_row_elapsed_s] = table_real(elapsed_s);
    row[trial_row_drain_s] = table_real(drained_s);
    row[trial_row_handoffs_per_s] = table_real((double)result->handoffs / handing_s);
    for (size_t i = 0; i < 4; i++)
        row[trial_row_handoff_p50_us + i] =
            table_real(trial_row_percentile_us(&result->latency[METER_HANDOFF], handoff[i]));
    for (size_t i = 0; i < 3; i++)
        row[trial_row_acquire_p50_us + i] = table_real(
            paced ? NAN : trial_row_percentile_us(&result->latency[METER_ACQUIRE], acquire[i]));
    for (size_t role = 0; role < ROLES; role++)
        row[trial_row_handoff_of_unknown_us + role] =
            table_real(trial_row_percentile_us(&result->latency_of[role][METER_HANDOFF], 50));
    row[trial_row_recovery_s] =
        table_real(result->recovery_ns > 0 && !paced ? (double)result->recovery_ns / 1e9 : NAN);
    if (result->had_death) {
        row[trial_row_died_session] = table_count(result->died_session);
        row[trial_row_died_handoff] = table_count(result->died_handoff);
    }
    row[trial_row_stalls] = table_count(result->stalls.count);
    row[trial_row_stalled_s] = table_real((double)result->stalls.total_ns / 1e9);
}

static void fill_servers(const struct trial_result *result, struct table_value *row)
{
    const struct server_counters_count *servers = &result->servers;
    bool known = servers->known;
    row[trial_row_client_cpu_s] = table_real((double)result->client_cpu_ns / 1e9);
    row[trial_row_server_cpu_s] =
        table_real(servers->cpu_known ? (double)servers->cpu_ns / 1e9 : NAN);
    row[trial_row_client_rss_kib] = table_count(result->client_rss_kib);
#define FILL(A, B, name, keys, word, meaning)                                                      \
    row[trial_row_server_##name] = table_count_if(known, servers->name);
    FOUR_LETTER_OF_TRIALS(FILL, , )
#undef FILL
    if (known) {
        row[trial_row_watches_leaked] = table_signed(servers->watches);
        row[trial_row_ephemerals_leaked] = table_signed(servers->ephemerals);
    }
    row[trial_row_reconciled] = table_text(reconcile_words[result->reconcile.reconciled]);
}

static void fill_background(const struct background_figures *background, struct table_value *row)
{
    if (!background->measured)
        return;
    row[trial_row_background_alone_p50_us] = table_real(background->alone_p50_us);
    row[trial_row_background_alone_p99_us] = table_real(background->alone_p99_us);
    row[trial_row_background_p50_us] = table_real(background->contended_p50_us);
    row[trial_row_background_p99_us] = table_real(background->contended_p99_us);
    row[trial_row_background_max_us] = table_real(background->contended_max_us);
    row[trial_row_background_requests] = table_count(background->requests);
    row[trial_row_background_per_s] = table_real(background->contended_per_s);
    row[trial_row_background_errors] = table_count(background->errors);
    row[trial_row_background_unsent] = table_count(background->unsent);
}

_Static_assert(trial_row_handoff_of_reconnected_us - trial_row_handoff_of_unknown_us + 1 == ROLES,
               "a column for each role");

void trial_row_fill(const struct cell *cell, const struct trial_result *result,
                    const struct background_figures *background, const struct options *options,
                    const struct series_record *record, double cores_allowed,
                    struct table_value *row)
{
    fill_plan(cell, options, record, row);
    fill_counts(result, row);
    fill_times(result, row);
    fill_servers(result, row);
    fill_background(background, row);
    judge(result, background, cores_allowed, row);
}
