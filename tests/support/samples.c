// SPDX-License-Identifier: Apache-2.0
#include "tests/support/samples.h"

#include <stdlib.h>
#include <string.h>

static void fill(const struct sample *sample, struct table_value *row)
{
    const uint64_t *of = sample->total.of, *of_law = sample->law.of;
    bool has_law = sample->has_law;
    row[trial_row_recipe] = table_text(sample->cell.recipe->name);
    row[trial_row_clients] = table_count(sample->cell.clients);
    row[trial_row_trial] = table_count(sample->cell.trial);
    row[trial_row_topology] = table_count(sample->cell.topology);
    row[trial_row_handoffs] = table_count(sample->handoffs);
    row[trial_row_creates] = table_count(of[TALLY_CREATE]);
    row[trial_row_rpcs] = table_count(tally_rpcs(&sample->total));
    row[trial_row_notifications] = table_count(of[TALLY_NOTIFICATION]);
    row[trial_row_names_listed] = table_count(of[TALLY_NAMES_LISTED]);
    row[trial_row_bytes] = table_count(of[TALLY_BYTES_SENT] + of[TALLY_BYTES_RECEIVED]);
    row[trial_row_has_law] = table_flag(has_law);
    row[trial_row_law_rpcs] = table_count_if(has_law, tally_rpcs(&sample->law));
    row[trial_row_law_notifications] = table_count_if(has_law, of_law[TALLY_NOTIFICATION]);
    row[trial_row_law_creates] = table_count_if(has_law, of_law[TALLY_CREATE]);
    row[trial_row_law_names_listed] = table_count_if(has_law, of_law[TALLY_NAMES_LISTED]);
    row[trial_row_elapsed_s] = table_real(sample->elapsed_s);
    row[trial_row_drain_s] = table_real(sample->drain_s);
    for (size_t i = 0; i < 4; i++)
        row[trial_row_handoff_p50_us + i] = table_real(sample->handoff_us[i]);
    for (size_t i = 0; i < ROLES; i++)
        row[trial_row_handoff_of_unknown_us + i] = table_real(sample->handoff_of_us[i]);
    row[trial_row_beta] = table_real(sample->beta);
    row[trial_row_stalls] = table_count(sample->stalls.count);
    row[trial_row_stalled_s] = table_real((double)sample->stalls.total_ns / 1e9);
    row[trial_row_stalled_server] = table_text(sample->stalls.server);
    row[trial_row_recovery_s] = table_real(sample->recovery_s);
    row[trial_row_watches_leaked] = table_signed(sample->servers.watches_leaked);
    row[trial_row_ephemerals_leaked] = table_signed(sample->servers.ephemerals_leaked);
#define PUT(A, B, name, keys, word, meaning)                                                       \
    row[trial_row_server_##name] = table_count_if(sample->servers.known, sample->servers.name);
    FOUR_LETTER_OF_TRIALS(PUT, , )
#undef PUT
    row[trial_row_reconciled] = table_text(reconcile_word(sample->reconciled));
    row[trial_row_violations] = table_count(sample->violations);
    row[trial_row_noise_disturbed] = table_flag(sample->disturbed);
    row[trial_row_died_session] = table_count_if(sample->died != 0, sample->died - 1);
    row[trial_row_died_handoff] = table_count_if(sample->died != 0, sample->died_handoff);
    trial_row_judge(row, sample->complete, sample->valid);
    row[trial_row_reason] = table_text(sample->reason);
    if (!sample->background.measured)
        return;
    row[trial_row_background_alone_p50_us] = table_real(sample->background.alone_p50_us);
    row[trial_row_background_alone_p99_us] = table_real(sample->background.alone_p99_us);
    row[trial_row_background_p50_us] = table_real(sample->background.contended_p50_us);
    row[trial_row_background_p99_us] = table_real(sample->background.contended_p99_us);
}

const struct table *samples_rows(const struct samples *samples)
{
    static struct table rows = {.type = &trial_row_table};
    table_deinit(&rows);
    for (size_t i = 0; i < samples->count; i++)
        fill(&samples->list[i], table_add(&rows));
    return &rows;
}

static struct waiters *waiters[OPTIONS_RECIPES_MAX];
static struct outcome *outcome;

/* Of each recipe handoffs with one waiter and with two, so that fits.csv has a row of handoff_us,
 * with β: twice the time with twice the waiters, of trials with times. */
struct outcome *samples_outcome(const struct samples *samples, const struct options *options)
{
    outcome_free(outcome);
    for (size_t i = 0; i < OPTIONS_RECIPES_MAX; i++) {
        waiters_free(waiters[i]);
        waiters[i] = NULL;
    }
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        waiters[i] = waiters_new(options->plan.recipes[i], 2);
        for (uint64_t w = 1; w <= 2; w++)
            waiters[i]->levels[w] = (struct waiters_level){.of = {[WAITERS_HANDOFFS] = 1 + w,
                                                                  [WAITERS_WAITING] = (1 + w) * w,
                                                                  [WAITERS_TIMED] = 1,
                                                                  [WAITERS_TIMED_WAITING] = w},
                                                           .timed_us = 5 * (double)w};
    }
    outcome = outcome_new(samples_rows(samples), waiters, options, "run1");
    return outcome;
}

const struct table *samples_findings(const struct samples *samples, const struct options *options)
{
    static struct table findings;
    table_deinit(&findings);
    findings = (struct table){0};
    run_findings_add(samples_outcome(samples, options), &findings);
    return &findings;
}

const char *samples_found(const struct table *findings, const char *slug, const char *subject)
{
    for (size_t i = 0; i < findings->rows; i++) {
        const struct table_value *row = table_row(findings, i);
        if (strcmp(row[finding_slug].text, slug) == 0 &&
            (subject == NULL || strcmp(row[finding_subject].text, subject) == 0))
            return row[finding_sentence].text;
    }
    return "";
}
