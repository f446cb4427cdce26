// SPDX-License-Identifier: Apache-2.0
/* What the trials of a run come to, of trials made by hand: cells, fits and findings; and the
 * screen, which fits and is aligned whatever they are. */
#include "base/text.h"
#include "bench/cli/terminal.h"
#include "bench/run/internal.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>

#define TRIALS_MAX 256

/* A trial made by hand. */
struct sample {
    const struct recipe *recipe;
    uint32_t clients, trial;
    struct tally total, law;
    bool has_law, complete, valid, disturbed;
    uint64_t handoffs, server_count;
    double elapsed_s, drain_s, handoff_us[4], recovery_s;
    double alone_us[2], contended_us[2]; /* of the load of --background: p50 and p99 */
    struct server_counters_count servers;
    double beta;
    enum reconciled reconciled;
    uint32_t died, violations; /* died: the session, + 1; 0: none */
    uint64_t died_handoff;
    const char *reason;
};

static struct sample list[TRIALS_MAX];
static size_t count;
static uint64_t levels[] = {4, 8, 16, 32, 64, 128};
static struct options options;

/* A trial whose counts are the law's, and whose drain took n² microseconds. */
static struct sample *add(const struct recipe *recipe, uint64_t n)
{
    struct sample *sample = &list[count++];
    assert_true(count <= TRIALS_MAX);
    *sample = (struct sample){.recipe = recipe,
                              .clients = (uint32_t)n,
                              .trial = (uint32_t)count,
                              .handoffs = n,
                              .has_law = true,
                              .valid = true,
                              .complete = true,
                              .beta = NAN,
                              .recovery_s = NAN,
                              .handoff_us = {1000, 1500, NAN, 3000},
                              .elapsed_s = 2 * (double)n,
                              .drain_s = 1e-6 * (double)(n * n),
                              .reason = ""};
    law_total(recipe, n, n, &sample->law);
    sample->total = sample->law;
    sample->total.of[TALLY_BYTES_SENT] = 100 * n + n % 7;
    return sample;
}

static void fill(const struct sample *sample, struct table_value *row)
{
    const uint64_t *of = sample->total.of, *of_law = sample->law.of;
    bool has_law = sample->has_law;
    row[trial_row_recipe] = table_text(sample->recipe->name);
    row[trial_row_clients] = table_count(sample->clients);
    row[trial_row_trial] = table_count(sample->trial);
    row[trial_row_topology] = table_count(0);
    row[trial_row_servers] = table_count(sample->server_count);
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
        row[trial_row_handoff_of_unknown_us + i] = table_real(NAN);
    for (size_t i = 0; i < 2; i++) {
        row[trial_row_background_alone_p50_us + i] = table_real(sample->alone_us[i]);
        row[trial_row_background_p50_us + i] = table_real(sample->contended_us[i]);
    }
    row[trial_row_beta] = table_real(sample->beta);
    row[trial_row_recovery_s] = table_real(sample->recovery_s);
    row[trial_row_watches_leaked] = table_signed(sample->servers.watches);
    row[trial_row_ephemerals_leaked] = table_signed(sample->servers.ephemerals);
    row[trial_row_reconciled] = table_text(reconcile_words[sample->reconciled]);
    row[trial_row_violations] = table_count(sample->violations);
    row[trial_row_noise_disturbed] = table_flag(sample->disturbed);
    row[trial_row_died_session] = table_count_if(sample->died != 0, sample->died - 1);
    row[trial_row_died_handoff] = table_count_if(sample->died != 0, sample->died_handoff);
    row[trial_row_reason] = table_text(sample->reason);
    trial_row_judge(row, sample->complete, sample->valid);
}

/* These are the callee's, until the next call. */
static const struct table *trials(void)
{
    static struct table rows = {.type = &trial_row_table};
    table_deinit(&rows);
    for (size_t i = 0; i < count; i++)
        fill(&list[i], table_add(&rows));
    return &rows;
}

/* Of each recipe handoffs with one to three waiters, of which as many have times, so that fits.csv
 * has a row of handoff_us, with β: the time is proportional to the waiters. */
static struct outcome *outcome(void)
{
    static struct waiters *waiters[OPTIONS_RECIPES_MAX];
    static struct outcome *last;
    outcome_free(last);
    for (size_t i = 0; i < OPTIONS_RECIPES_MAX; i++) {
        waiters_free(waiters[i]);
        waiters[i] = NULL;
    }
    for (size_t i = 0; i < options.plan.recipe_count; i++) {
        waiters[i] = waiters_new(options.plan.recipes[i], 3);
        for (uint64_t w = 1; w <= 3; w++)
            waiters[i]->levels[w] = (struct waiters_level){.of = {[WAITERS_HANDOFFS] = 1 + w,
                                                                  [WAITERS_WAITING] = (1 + w) * w,
                                                                  [WAITERS_TIMED] = 1,
                                                                  [WAITERS_TIMED_WAITING] = w},
                                                           .timed_us = 5 * (double)w};
    }
    return last = outcome_new(trials(), waiters, &options, "run1");
}

static const struct table *findings_of_trials(void)
{
    static struct table findings;
    table_deinit(&findings);
    findings = (struct table){0};
    run_findings_add(outcome(), &findings);
    return &findings;
}

/* The sentence of the first finding of this kind about this subject (NULL: any); "": there is none.
 */
static const char *found_in(const struct table *findings, const char *slug, const char *subject)
{
    for (size_t i = 0; i < findings->rows; i++) {
        const struct table_value *row = table_row(findings, i);
        if (strcmp(row[finding_slug].text, slug) == 0 &&
            (subject == NULL || strcmp(row[finding_subject].text, subject) == 0))
            return row[finding_sentence].text;
    }
    return "";
}

/* One trial of each recipe at each of the first so many levels. */
static void lay_out(const struct recipe *const *recipes, size_t recipe_count, size_t level_count)
{
    count = 0;
    options = (struct options){.plan.recipe_count = recipe_count,
                               .plan.clients.list = levels,
                               .plan.clients.count = level_count,
                               .plan.locks = 1};
    for (size_t r = 0; r < recipe_count; r++) {
        options.plan.recipes[r] = recipes[r];
        for (size_t i = 0; i < level_count; i++)
            add(recipes[r], levels[i]);
    }
}

static const struct recipe *const both[] = {&recipe_nonscalable, &recipe_scalable};

static const char *found(const char *slug, const char *subject)
{
    return found_in(findings_of_trials(), slug, subject);
}

static enum verdict verdict(void)
{
    return findings_verdict(findings_of_trials());
}

static const struct table_value *cell(size_t at)
{
    return table_row(&outcome()->cells, at);
}

static char *text; /* what was written last */

/* The rows of the file, until the next call. */
static const char *written(void (*write)(FILE *stream, const void *outcome))
{
    size_t length = 0;
    free(text);
    FILE *stream = open_memstream(&text, &length);
    write(stream, outcome());
    fclose(stream);
    return strchr(text, '\n') + 1; /* behind the header */
}

/* ------------------------------------------------------------------ cells */

/* Times of trials that are not valid are in no median while one is valid; without one they stand,
 * and the cell says so. Counts are of complete trials. */
TEST(a_cell_has_medians_of_the_trials_that_stand)
{
    lay_out(both, 1, 1);
    for (int i = 0; i < 2; i++) {
        struct sample *other = add(&recipe_nonscalable, 4);
        other->valid = false;
        other->drain_s = 777;
        other->handoff_us[0] = 777;
    }
    assert_int_equal(cell(0)[run_cell_trials_valid].count, 1);
    assert_true(cell(0)[run_cell_drain_s].real == 16e-6);
    assert_false(cell(0)[run_cell_disturbed].flag);
    assert_string_equal(cell(0)[run_cell_verdict].text, "not valid");
    list[0].valid = false;
    assert_true(cell(0)[run_cell_drain_s].real == 777);
    assert_true(cell(0)[run_cell_handoff_p50_us].real == 777);
    assert_true(cell(0)[run_cell_disturbed].flag);
    list[1].complete = list[2].complete = false;
    list[1].total = list[2].total = (struct tally){.of = {[TALLY_CREATE] = 7}};
    assert_true(cell(0)[run_cell_drain_s].real == 16e-6);
    assert_int_equal(cell(0)[run_cell_rpcs].count, 20);
    assert_int_equal(cell(0)[run_cell_trials_complete].count, 1);
    list[0].complete = false;
    assert_int_equal(cell(0)[run_cell_rpcs].count, 7);
    assert_true(isnan(table_number(&cell(0)[run_cell_drain_s])));
    assert_false(cell(0)[run_cell_disturbed].flag);
    list[0].violations = 1;
    assert_string_equal(cell(0)[run_cell_verdict].text, "fails");
}

/* Equal times have an interval without width; from five valid trials on there is one. */
TEST(an_interval_is_of_the_valid_trials)
{
    lay_out(both, 1, 1);
    for (int i = 0; i < 4; i++) {
        assert_true(isnan(table_number(&cell(0)[run_cell_drain_s_low])));
        add(&recipe_nonscalable, 4);
    }
    struct sample *other = add(&recipe_nonscalable, 4);
    other->valid = false;
    other->drain_s = other->handoff_us[0] = 777;
    assert_float_equal(cell(0)[run_cell_drain_s_low].real, 16e-6, 1e-12);
    assert_float_equal(cell(0)[run_cell_drain_s_high].real, 16e-6, 1e-12);
    assert_float_equal(cell(0)[run_cell_handoff_p50_us_low].real, 1000, 1e-6);
    assert_float_equal(cell(0)[run_cell_handoff_p50_us_high].real, 1000, 1e-6);
}

/* With --noise report the trial marks its times; with retry the series has tried it in vain. */
TEST(a_disturbed_trial_that_is_only_reported_is_no_verdict_of_its_cell)
{
    lay_out(both, 1, 1);
    list[0].valid = false;
    list[0].disturbed = true;
    assert_string_equal(cell(0)[run_cell_verdict].text, "not valid");
    options.target.noise.mode = NOISE_REPORT;
    assert_string_equal(cell(0)[run_cell_verdict].text, "holds");
    assert_true(cell(0)[run_cell_disturbed].flag);
    add(&recipe_nonscalable, 4)->valid = false;
    assert_string_equal(cell(0)[run_cell_verdict].text, "not valid");
}

TEST(a_cell_has_a_law_if_each_complete_trial_has_one)
{
    lay_out(both, 1, 1);
    struct sample *other = add(&recipe_nonscalable, 4);
    assert_true(cell(0)[run_cell_has_law].flag);
    other->has_law = false;
    assert_false(cell(0)[run_cell_has_law].flag);
    other->complete = other->valid = false;
    assert_true(cell(0)[run_cell_has_law].flag);
    list[0].complete = false;
    assert_false(cell(0)[run_cell_has_law].flag);
    list[0].has_law = false; /* without a complete trial there is nothing to compare */
    assert_false(cell(0)[run_cell_has_law].flag);
}

/* Of trials that are complete and do not fail. */
TEST(requests_of_a_handoff_are_over_all_that_count)
{
    lay_out(both, 1, 1);
    struct sample *more = add(&recipe_nonscalable, 4);
    more->handoffs = 16;
    assert_true(cell(0)[run_cell_rpcs_per_handoff].real == 2);
    more->violations = 1;
    assert_true(cell(0)[run_cell_rpcs_per_handoff].real == 5);
    list[0].complete = false;
    assert_true(isnan(cell(0)[run_cell_rpcs_per_handoff].real));
}

/* ------------------------------------------------------------------ fits.csv */

static void assert_fits(const char *row, bool has)
{
    const char *fits = written(fits_write);
    if ((strstr(fits, row) != NULL) != has)
        fail_msg("'%s' is%s in: %s", row, has ? " not" : "", fits);
}

#define DRAIN   "run1,scalable,drain_s,clients,6,2.0000,2.0000,2.0000,O(n^2),"
#define ELAPSED "run1,scalable,elapsed_s,clients,6,1.0000,1.0000,1.0000,O(n),"

/* A trial that is not valid is in no fit of times, and one that failed or was cut short in none. */
TEST(fits_are_of_the_trials_that_stand)
{
    for (int how = 0; how < 4; how++) {
        lay_out(&both[1], 1, 6);
        struct sample *strange = add(&recipe_scalable, 128);
        strange->drain_s = strange->elapsed_s = 1e6;
        strange->valid = how == 0 || how == 2;
        strange->violations = how == 2;
        strange->complete = how < 3;
        assert_fits(DRAIN, how > 0);
        assert_fits(ELAPSED, how > 0);
    }
    lay_out(&both[1], 1, 6);
    options.plan.pace = PACE_FREE;
    assert_fits("run1,scalable,rpcs,clients,6,1.", true);
    struct sample *strange = add(&recipe_scalable, 128);
    strange->valid = false;
    strange->total.of[TALLY_EXISTS] += 1000;
    assert_fits("O(n),-2.000000,5.000000,0.000000", false);
    strange->violations = 1;
    assert_fits("O(n),-2.000000,5.000000,0.000000", true);
}

/* An octave's waiters are those of the handoffs that have times, as its time is. */
TEST(a_handoff_s_time_goes_by_the_waiters_of_those_with_times)
{
    lay_out(&both[1], 1, 1);
    assert_fits("run1,scalable,handoff_us,waiters,2,1.0000,", true);
}

/* ------------------------------------------------------------------ laws */

TEST(a_law_is_told_with_its_order_where_the_sizes_show_it)
{
    lay_out(both, 2, 6);
    assert_string_equal(found("law", "nonscalable"),
                        "nonscalable: n² + n RPCs, the law: 16,512 at n = 128");
    assert_int_equal(verdict(), VERDICT_HOLDS);
    lay_out(both, 2, 2);
    assert_string_equal(found("law", "nonscalable"),
                        "nonscalable: n² + n RPCs, the law: 72 at n = 8");
    lay_out(both, 2, 1);
    assert_string_equal(found("law", "nonscalable"),
                        "nonscalable: n² + n RPCs, the law: 20 at n = 4");
    assert_string_equal(found("growth-rpcs", NULL), "");
    assert_string_equal(found("growth-drain", NULL), "");
}

/* A count that is off, or a trial that failed or has no law, and it is a fit's to say. */
TEST(what_is_off_its_law_is_not_that_law)
{
    for (int how = 0; how < 6; how++) {
        lay_out(both, 1, 6);
        list[2].total.of[TALLY_EXISTS] += how == 0;
        list[2].violations = how == 1;
        list[2].has_law = how != 2;
        options.plan.pace = how == 3 ? PACE_FREE : PACE_LOCKSTEP;
        options.plan.locks = how == 4 ? 2 : 1;
        options.plan.workload = how == 5 ? WORKLOAD_STEADY : WORKLOAD_DRAIN;
        assert_null(strstr(found("law", "nonscalable"), ", the law: "));
        assert_string_not_equal(found(how == 1 ? "rpcs" : "growth-rpcs", "nonscalable"), "");
    }
    lay_out(both, 1, 6);
    list[2].violations = 1;
    assert_string_equal(found("law", "nonscalable"),
                        "nonscalable: counts equal the law in 5 of 6 trials");
    assert_int_equal(verdict(), VERDICT_FAILS);
}

/* A law by whole groups of clients is a polynomial only of their multiples. */
TEST(a_law_is_a_polynomial_where_all_sizes_obey_it)
{
    static const struct recipe *curator[] = {NULL};
    curator[0] = registry_find("rwlock-curator");
    lay_out(curator, 1, 1);
    assert_string_equal(found("law", NULL),
                        "rwlock-curator: 3/16·n² + 17/4·n - 2 RPCs, the law: 18 at n = 4");
    add(curator[0], 7);
    assert_string_equal(found("law", NULL),
                        "rwlock-curator: counts equal the law in 2 of 2 trials");
}

TEST(trials_without_a_law_are_counted)
{
    lay_out(both, 2, 2);
    assert_string_equal(found("lawless", NULL), "");
    list[0].has_law = false;
    list[3].has_law = false;
    list[3].violations = 1;
    assert_string_equal(found("lawless", NULL), "counts: no law applies in 1 of 4 trials");
}

/* A total of a run of fixed length says nothing: a handoff's requests do. */
TEST(a_steady_run_tells_costs_of_a_handoff)
{
    lay_out(both, 1, 6);
    options.plan.workload = WORKLOAD_STEADY;
    options.plan.pace = PACE_FREE;
    assert_string_equal(found("growth-rpcs", NULL),
                        "nonscalable: RPCs a handoff grow as n + 1: O(n)");
    assert_string_equal(found("growth-drain", NULL), "");
    assert_string_equal(found("price", NULL), "");
    lay_out(both, 1, 1);
    options.plan.workload = WORKLOAD_STEADY;
    list[0].has_law = false;
    assert_string_equal(found("rpcs", NULL), "nonscalable: 5.0 RPCs a handoff at n = 4");
}

TEST(the_dearest_recipe_is_told_beside_the_cheapest)
{
    lay_out(both, 2, 3);
    assert_string_equal(
        found("price", NULL),
        "nonscalable: 3.49 times the RPCs of scalable to drain 16 clients (272, 78)");
    count--; /* at 16 clients there is nothing beside it */
    assert_string_equal(found("price", NULL), "");
}

/* ------------------------------------------------------------------ times */

TEST(a_waiter_s_cost_is_of_five_trials_at_the_most_clients)
{
    lay_out(both, 1, 1);
    for (int i = 0; i < 6; i++)
        add(&recipe_nonscalable, 8)->beta = 0.5;
    for (int i = 0; i < 4; i++)
        add(&recipe_nonscalable, 16)->beta = 0.02 + 0.001 * i;
    assert_string_equal(found("herd", NULL), "");
    assert_fits(",0.021500,,\n", true);
    add(&recipe_nonscalable, 16)->beta = 0.024;
    assert_string_equal(
        found("herd", NULL),
        "nonscalable: each waiter adds 2.2 % (95 % CI 2.0 to 2.4) to a bare handoff");
    assert_fits(",0.022000,0.020037,0.023963\n", true);
    for (size_t i = 7; i < count; i++) /* whose times do not stand */
        list[i].valid = false;
    assert_non_null(strstr(found("herd", NULL), "adds 50.0 %"));
}

/* ------------------------------------------------------------------ topologies */

/* The sentence about the drains of both, without trials for which `leaves_out` of the first is set.
 */
static const char *compared(bool leaves_out)
{
    static struct table findings;
    struct table rows = {.type = &trial_row_table};
    struct waiters *waiters[] = {waiters_new(&recipe_nonscalable, 2)};
    lay_out(both, 1, 4);
    for (size_t i = leaves_out ? 1 : 0; i < 4; i++) {
        list[i].server_count = 1;
        list[i].valid = i != 2;
        fill(&list[i], table_add(&rows));
    }
    struct outcome *first = outcome_new(&rows, waiters, &options, "run1");
    for (size_t i = 0; i < 4; i++) {
        list[i].server_count = 3;
        list[i].valid = i < 3;
        list[i].drain_s *= 2 + (double)i;
    }
    table_deinit(&findings);
    findings = (struct table){0};
    run_findings_add_topology(first, outcome(), &findings);
    outcome_free(first);
    waiters_free(waiters[0]);
    table_deinit(&rows);
    return found_in(&findings, "topology", "nonscalable");
}

/* At the most clients whose times stand on both; the first may lack trials, as of a run that was
 * interrupted. */
TEST(topologies_are_compared_at_clients_that_both_have)
{
    static const char sentence[] =
        "nonscalable: draining 8 clients takes 3 times as long on 3 servers as on 1";
    assert_string_equal(compared(false), sentence);
    assert_string_equal(compared(true), sentence);
}

/* ------------------------------------------------------------------ the load beside a lock */

/* Of each valid trial with both the contended time by the time alone; then the geometric mean. */
TEST(contention_costs_a_load_what_it_takes_longer)
{
    lay_out(both, 1, 1);
    for (int i = 0; i < 4; i++)
        add(&recipe_nonscalable, 4);
    for (size_t i = 0; i < count; i++) {
        list[i].alone_us[0] = 500;
        list[i].contended_us[0] = 2000;
        list[i].alone_us[1] = i < 2 ? 1000 : NAN;
        list[i].contended_us[1] = i == 0 ? 2000 : 8000;
    }
    options.plan.background.given = true;
    assert_string_equal(written(background_price_write),
                        "run1,nonscalable,4,5,500.0,2000.0,4.000,4.000,4.000,"
                        "1000.0,4000.0,4.000,,\n");
    assert_string_equal(found("background-p50", NULL),
                        "nonscalable: beside 4 clients the background's median is 2.00 ms, 4 times "
                        "the 0.50 ms alone (95 % CI 4 to 4)");
    assert_string_equal(found("background-p99", NULL),
                        "nonscalable: beside 4 clients the background's p99 is 4.00 ms, 4 times "
                        "the 1.00 ms alone");
    list[0].valid = false;
    list[1].contended_us[1] = INFINITY; /* above the histogram's range */
    assert_string_equal(written(background_price_write),
                        "run1,nonscalable,4,4,500.0,2000.0,4.000,,,1000.0,,,,\n");
    assert_string_equal(found("background-p99", NULL), "");
    options.plan.background.given = false;
    assert_string_equal(found("background-p50", NULL), "");
}

/* At the most clients that have a price. */
TEST(the_price_of_contention_is_of_the_most_clients)
{
    lay_out(both, 1, 3);
    options.plan.background.given = true;
    for (size_t i = 0; i < 3; i++) {
        list[i].alone_us[0] = 1000;
        list[i].contended_us[0] = i < 2 ? 1000 * (2 + (double)i) : NAN;
        list[i].alone_us[1] = list[i].contended_us[1] = NAN;
    }
    assert_string_equal(found("background-p50", NULL),
                        "nonscalable: beside 8 clients the background's median is 3.00 ms, 3 times "
                        "the 1.00 ms alone");
}

/* ------------------------------------------------------------------ deaths, leaks, servers */

TEST(who_died_is_told_and_when_the_next_was_granted)
{
    static const struct recipe *doomed[] = {NULL};
    doomed[0] = registry_find("broken-norecheck");
    lay_out(doomed, 1, 2);
    list[0].died = 3;
    list[0].died_handoff = 5;
    assert_string_equal(found("death", NULL), "broken-norecheck: session 2 ended at handoff 5");
    list[0].recovery_s = 1;
    list[1].died = 4;
    list[1].recovery_s = 2.5;
    assert_string_equal(found("death", NULL),
                        "broken-norecheck: session 2 ended at handoff 5; the next grant came "
                        "within 2.500 s");
    list[1].valid = false;
    assert_non_null(strstr(found("death", NULL), " came within 1.000 s"));
}

TEST(what_is_left_on_servers_is_of_trials_that_were_compared)
{
    lay_out(both, 1, 2);
    list[0].reconciled = list[1].reconciled = RECONCILED_YES;
    assert_string_equal(found("leaks", NULL), "");
    assert_string_equal(found("servers", NULL),
                        "servers: their counts equal the clients' in 2 of 2 trials");
    list[0].servers.watches = 3;
    list[1].servers.ephemerals = 2;
    assert_string_equal(found("leaks", NULL), "nonscalable: left on the servers after 2 trials: "
                                              "watches 3, ephemerals 2");
    list[1].reconciled = RECONCILED_NA;
    assert_string_equal(found("leaks", NULL), "nonscalable: left on the servers after 1 trials: "
                                              "watches 3, ephemerals 0");
    list[0].servers = (struct server_counters_count){.ephemerals = 1};
    assert_non_null(strstr(found("leaks", NULL), "watches 0, ephemerals 1"));
    list[0].reconciled = RECONCILED_NO;
    assert_int_equal(verdict(), VERDICT_FAILS);
    list[1].reconciled = RECONCILED_YES; /* one that differs is enough */
    assert_int_equal(verdict(), VERDICT_FAILS);
}

/* ------------------------------------------------------------------ faults */

static void spoil(struct sample *sample, uint32_t violations, const char *reason)
{
    sample->violations = violations;
    sample->valid = violations > 0;
    sample->reason = reason;
}

TEST(what_is_not_valid_is_no_failed_verdict)
{
    lay_out(both, 1, 4);
    spoil(&list[0], 0, "overloaded");
    spoil(&list[1], 0, "overloaded");
    spoil(&list[2], 0, "faded");
    assert_int_equal(verdict(), VERDICT_NOT_VALID);
    assert_string_equal(found("not-valid", NULL), "nonscalable: 2 of 4 trials are not valid; the "
                                                  "first, trial 1 with 4 clients: overloaded");
    spoil(&list[0], 1, "overloaded");
    assert_string_equal(found("not-valid", NULL),
                        "nonscalable: trial 2 with 8 clients is not valid: overloaded");
    assert_int_equal(verdict(), VERDICT_FAILS);
}

/* Of others of which nothing is known the hypervisor's part counts. */
TEST(what_others_used_is_a_median_of_the_disturbed_trials)
{
    static const double others[] = {0.5, NAN, 1, 2}, stolen[] = {0.3, 0.3, 0.2, 2};
    const struct noise_watch watch = {.at_first.cores = 2};
    struct table findings = {0};
    lay_out(both, 1, 4);
    for (size_t i = 0; i < 3; i++)
        list[i].disturbed = true;
    const struct table *rows = trials();
    for (size_t i = 0; i < 4; i++) {
        struct table_value *row = &rows->values[i * rows->type->count];
        row[trial_row_noise_others_cores] = table_real(others[i]);
        row[trial_row_noise_stolen_cores] = table_real(stolen[i]);
    }
    trial_findings_add_noise(&run_trials, rows, &watch, 0, &findings);
    assert_non_null(strstr(found_in(&findings, "noise", NULL),
                           "times: 3 of 4 trials disturbed (others used 0.8 of 2 cores);"));
    table_deinit(&findings);
}

/* All disturbed trials are told of in one line, whatever else is the matter with them. */
TEST(disturbed_trials_are_one_finding)
{
    lay_out(both, 2, 2);
    spoil(&list[0], 0, "overloaded; disturbed: others used 1.0 of 2 cores");
    list[0].disturbed = true;
    assert_string_equal(found("not-valid", NULL), "");
    struct table findings = {0};
    struct noise_options how = {.mode = NOISE_RETRY};
    const struct noise_watch watch = {.options = &how, .at_first.cores = 2};
    trial_findings_add_noise(&run_trials, trials(), &watch, 0, &findings);
    assert_int_equal(findings.rows, 1);
    assert_string_equal(found_in(&findings, "noise", "times"),
                        "times: 1 of 4 trials disturbed; marked ~ are not ZooKeeper's alone; "
                        "--wait-for-quiet 5m waits");
    assert_int_equal(findings_verdict(&findings), VERDICT_NOT_VALID);
    table_deinit(&findings);
    findings = (struct table){0};
    how.mode = NOISE_REPORT;
    trial_findings_add_noise(&run_trials, trials(), &watch, 0, &findings);
    assert_int_equal(findings_verdict(&findings), VERDICT_HOLDS);
    assert_int_equal(findings.rows, 1);
    table_deinit(&findings);
    list[0].disturbed = false;
    findings = (struct table){0};
    trial_findings_add_noise(&run_trials, trials(), &watch, 3, &findings);
    assert_string_equal(found_in(&findings, "made-again", NULL),
                        "made again: 3 trials (first attempts in made_again.csv)");
    assert_int_equal(findings_verdict(&findings), VERDICT_HOLDS);
    table_deinit(&findings);
}

/* ------------------------------------------------------------------ the screen */

static const char *print(size_t lines)
{
    size_t length = 0;
    free(text);
    FILE *stream = open_memstream(&text, &length);
    screen_print(outcome(), lines, false, stream);
    fclose(stream);
    return text;
}

static size_t widest(const char *lines)
{
    size_t most = 0;
    for (const char *line = lines; *line != '\0'; line = strchr(line, '\n') + 1) {
        size_t columns = printable_columns(line, strcspn(line, "\n"));
        most = columns > most ? columns : most;
    }
    return most;
}

static size_t lines_of(const char *lines)
{
    size_t found_lines = 0;
    for (; *lines != '\0'; lines++)
        found_lines += *lines == '\n';
    return found_lines;
}

TEST(times_of_trials_that_are_not_valid_are_marked)
{
    lay_out(both, 1, 2);
    list[0].drain_s = 0.008;
    list[1].drain_s = 0.016;
    list[1].valid = false;
    print(0);
    assert_non_null(strstr(text, " 0.008    1.00    3.00\n"));
    assert_non_null(strstr(text, " ~0.016   ~1.00   ~3.00\n"));
    assert_non_null(strstr(text, " holds "));
    assert_non_null(strstr(text, " not valid "));
}

/* Seven digits of kilobytes are one too many for the column. */
TEST(bytes_are_in_megabytes_from_a_gigabyte_on)
{
    lay_out(both, 1, 1);
    list[0].total.of[TALLY_BYTES_SENT] = 999999000;
    print(0);
    assert_non_null(strstr(text, "kB"));
    assert_non_null(strstr(text, " 999,999 "));
    list[0].total.of[TALLY_BYTES_SENT] = 1000000000;
    print(0);
    assert_non_null(strstr(text, "MB"));
    assert_non_null(strstr(text, " 1,000 "));
}

TEST(bars_fill_the_lines_that_there_are)
{
    lay_out(both, 2, 6);
    size_t table = lines_of(print(0));
    assert_int_equal(table, 2 + 12);
    assert_int_equal(lines_of(print(12 + 4 + 1)), table);
    assert_int_equal(lines_of(print(12 + 4 + 2)), table + 2 + 2);
    assert_non_null(strstr(text, "nonscalable 128 ####"));
    assert_int_equal(lines_of(print(12 + 4 + 4)), table + 2 + 4);
    assert_non_null(strstr(text, "nonscalable   4 ## 5.0\n"));
    assert_int_equal(lines_of(print(100)), table + 2 + 12);
    assert_true(widest(text) <= 80);
}

FIXTURE(free_text)
{
    free(text);
    return 0;
}

TEST_GROUP(NULL, free_text)
