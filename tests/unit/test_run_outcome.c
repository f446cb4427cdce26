// SPDX-License-Identifier: Apache-2.0
/* What the trials of a run come to, of trials made by hand: cells, fits and findings. */
#include "bench/run/internal.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/samples.h"
#include "tests/support/test.h"

#include <math.h>

#define TRIALS_MAX 64

static struct sample list[TRIALS_MAX];
static struct samples samples;
static uint64_t levels[] = {4, 8, 16, 32, 64, 128};
static struct options options;

/* A trial whose counts are the law's, and whose drain took n² microseconds. */
static struct sample *add(const struct recipe *recipe, uint64_t n)
{
    struct sample *sample = &list[samples.count++];
    assert_true(samples.count <= TRIALS_MAX);
    *sample = (struct sample){
        .cell = {.recipe = recipe, .clients = (uint32_t)n, .trial = (uint32_t)samples.count},
        .handoffs = n,
        .has_law = true,
        .valid = true,
        .complete = true,
        .beta = NAN,
        .recovery_s = NAN,
        .handoff_us = {1000, 1500, NAN, 3000},
        .elapsed_s = 2 * (double)n,
        .drain_s = 1e-6 * (double)(n * n)};
    for (size_t i = 0; i < ROLES; i++)
        sample->handoff_of_us[i] = NAN;
    law_total(recipe, n, n, &sample->law);
    sample->total = sample->law;
    sample->total.of[TALLY_BYTES_SENT] = 100 * n + n % 7;
    return sample;
}

/* One trial of each recipe at each of the first so many levels. */
static void lay_out(const struct recipe *const *recipes, size_t recipe_count, size_t level_count)
{
    samples = (struct samples){list, 0};
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

static const struct recipe *const both[] = {&recipe_nonscalable, &recipe_scalable},
                                  *const mixed[] = {&recipe_rwlock_curator};

static const char *found(const char *slug, const char *subject)
{
    return samples_found(samples_findings(&samples, &options), slug, subject);
}

static enum verdict verdict(void)
{
    return findings_verdict(samples_findings(&samples, &options));
}

static const struct table_value *cell(size_t at)
{
    return table_row(&samples_outcome(&samples, &options)->cells, at);
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

static char *write_fits(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    fits_write(stream, samples_outcome(&samples, &options));
    fclose(stream);
    return text;
}

static void assert_fits(const char *row, bool has)
{
    char *text = write_fits();
    if ((strstr(text, row) != NULL) != has)
        fail_msg("'%s' is%s in: %s", row, has ? " not" : "", text);
    free(text);
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

/* Handoffs of trials without times have waiters, too: these are in no time. */
TEST(the_time_of_a_handoff_is_fitted_to_the_waiters_of_those_with_times)
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

/* Readers and writers come in fours: elsewhere their law is no polynomial of n. */
TEST(a_law_that_is_no_polynomial_at_these_levels_is_a_law)
{
    lay_out(mixed, 1, 2);
    assert_string_equal(found("law", NULL),
                        "rwlock-curator: 3/16·n² + 17/4·n - 2 RPCs, the law: 44 at n = 8");
    add(&recipe_rwlock_curator, 5);
    assert_string_equal(found("law", NULL),
                        "rwlock-curator: counts equal the law in 3 of 3 trials");
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

TEST(counts_without_a_law_are_not_judged_by_one)
{
    lay_out(both, 2, 1);
    list[0].has_law = false;
    assert_string_equal(found("lawless", "counts"), "counts: no law applies in 1 of 2 trials");
    assert_string_equal(found("law", "nonscalable"), "");
    assert_string_equal(found("rpcs", "nonscalable"), "nonscalable: 5.0 RPCs a handoff at n = 4");
    assert_int_equal(verdict(), VERDICT_HOLDS);
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
    samples.count--; /* at 16 clients there is nothing beside it */
    assert_string_equal(found("price", NULL), "");
}

/* ------------------------------------------------------------------ times */

TEST(the_drain_time_is_told_with_its_interval)
{
    lay_out(both, 1, 6);
    assert_string_equal(found("growth-drain", NULL),
                        "nonscalable: drain time grows as n^2.00 (95 % CI 2.00 to 2.00): O(n²)");
    list[5].drain_s *= 9;
    assert_non_null(strstr(found("growth-drain", NULL), "): no order fits"));
}

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
    for (size_t i = 7; i < samples.count; i++) /* whose times do not stand */
        list[i].valid = false;
    assert_non_null(strstr(found("herd", NULL), "adds 50.0 %"));
}

TEST(roles_are_told_of_valid_trials_at_the_most_clients)
{
    lay_out(both, 1, 2);
    list[1].handoff_of_us[ROLE_LEADER] = 1000;
    assert_string_equal(found("roles", NULL), "");
    list[1].handoff_of_us[ROLE_FOLLOWER] = 2000;
    assert_string_equal(found("roles", NULL),
                        "nonscalable: handoff p50 by the holder's server: leader 1.00 ms, follower "
                        "2.00 ms");
    list[1].valid = false;
    assert_string_equal(found("roles", NULL), "");
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
    list[0].servers.watches_leaked = 3;
    list[1].servers.ephemerals_leaked = 2;
    assert_string_equal(found("leaks", NULL), "nonscalable: left on the servers after 2 trials: "
                                              "watches 3, ephemerals 2");
    list[1].reconciled = RECONCILED_NA;
    assert_string_equal(found("leaks", NULL), "nonscalable: left on the servers after 1 trials: "
                                              "watches 3, ephemerals 0");
    list[0].reconciled = RECONCILED_NO;
    assert_int_equal(verdict(), VERDICT_FAILS);
}

/* ------------------------------------------------------------------ faults */

static void spoil(struct sample *sample, uint32_t violations, const char *reason)
{
    sample->violations = violations;
    sample->valid = violations > 0;
    snprintf(sample->reason, sizeof sample->reason, "%s", reason);
}

TEST(a_wrong_law_is_told_once)
{
    lay_out(both, 2, 4);
    spoil(&list[4], 1, "lock 0, handoff 5: exists: the law says 1, found 0");
    spoil(&list[6], 1, "lock 0, handoff 61: exists: the law says 10, found 0");
    assert_string_equal(found("violation", "scalable"),
                        "scalable: 2 of 4 trials fail; the first, trial 5 with 4 clients: lock 0, "
                        "handoff 5: exists: the law says 1, found 0");
    assert_string_equal(found("violation", "nonscalable"), "");
    spoil(&list[6], 0, "");
    options.target.driver = DRIVER_SIMULATED;
    options.plan.seed = 7;
    assert_string_equal(found("violation", "scalable"),
                        "scalable: trial 5 with 4 clients fails: lock 0, handoff 5: exists: the "
                        "law says 1, found 0; --seed 7 repeats it");
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

/* Names of znodes have GUIDs in them; words that are written alike have not. */
TEST(texts_that_differ_in_a_guid_are_alike)
{
    lay_out(both, 1, 3);
    spoil(&list[0], 0, "_c_9f0e31c2-77aa-4be0-8c1d-0a1b2c3d4e5f-lock-0000000001 is there");
    spoil(&list[1], 0, "_c_01234567-89ab-cdef-0123-456789abcdef-lock-0000000012 is there");
    assert_non_null(strstr(found("not-valid", NULL), "2 of 3 trials are not valid"));
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
    trial_findings_add_noise(&run_trials, samples_rows(&samples), &watch, 0, &findings);
    assert_int_equal(findings.rows, 1);
    assert_string_equal(samples_found(&findings, "noise", "times"),
                        "times: 1 of 4 trials disturbed; marked ~ are not ZooKeeper's alone; "
                        "--wait-for-quiet 5m waits");
    assert_int_equal(findings_verdict(&findings), VERDICT_NOT_VALID);
    table_deinit(&findings);
    findings = (struct table){0};
    how.mode = NOISE_REPORT;
    trial_findings_add_noise(&run_trials, samples_rows(&samples), &watch, 0, &findings);
    assert_int_equal(findings_verdict(&findings), VERDICT_HOLDS);
    assert_int_equal(findings.rows, 1);
    table_deinit(&findings);
    list[0].disturbed = false;
    findings = (struct table){0};
    trial_findings_add_noise(&run_trials, samples_rows(&samples), &watch, 3, &findings);
    assert_string_equal(samples_found(&findings, "made-again", NULL),
                        "made again: 3 trials (first attempts in made_again.csv)");
    assert_int_equal(findings_verdict(&findings), VERDICT_HOLDS);
    table_deinit(&findings);
}
