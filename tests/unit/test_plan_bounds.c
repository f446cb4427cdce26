// SPDX-License-Identifier: Apache-2.0
/* What a plan says of the limit, the herd coefficient and the knee. */
#include "bench/plan/internal.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>

static const struct utilisation_finding finding = {UTILISATION_SERVER_CPU, "server CPU 97 %"};
static struct plan_answer answer;

/* No line is longer than the screen, and the words are there, line feeds and indents aside. */
static void assert_says(enum plan_unknown unknown, const char *words)
{
    char *text = NULL, flat[2000] = "";
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    const struct plan_question question = {.unknown = unknown, .locks = 2};
    plan_sentences_write(&question, &answer, true, stream);
    fclose(stream);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 84); /* bytes: an ellipsis has three */
        strcat(flat, flat[0] != '\0' ? " " : "");
        strcat(flat, line + strspn(line, " "));
    }
    if (strstr(flat, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", flat, words);
    free(text);
}

static int begin(void **state)
{
    (void)state;
    answer = (struct plan_answer){.target = "standalone",
                                  .recipe = &recipe_nonscalable,
                                  .found = {.reason = SEARCH_FOUND, .failed = 200},
                                  .gave_out = &finding,
                                  .herd = {.state = HERD_KNOWN,
                                           .beta = {0.05, 0.04, 0.061},
                                           .bare_s = {0.002, 0.0018, 0.0022},
                                           .trials = 8},
                                  .knee = {.clients = 4,
                                           .found = {.locks = {12.5, 11, 14},
                                                     .most_per_s = {1250, 1200, 1300},
                                                     .of = UTILISATION_CORES}}};
    return 0;
}

TEST_BETWEEN(the_limit_is_told_with_its_evidence, begin, NULL)
{
    assert_says(PLAN_SESSIONS, "standalone, nonscalable, 200 sessions: what gave out first: the "
                               "servers' CPU (server CPU 97 %).");
}

TEST_BETWEEN(a_coefficient_is_told_with_its_interval, begin, NULL)
{
    assert_says(PLAN_WAITERS, "herd coefficient: one more waiter costs 0.05 (95 %: 0.04 … 0.061)");
    answer.herd.bends = true;
    assert_says(PLAN_WAITERS,
                "A handoff without waiters takes 2 (95 %: 1.8 … 2.2) ms. The times bend");
}

/* A queue has no herd: its coefficient is on either side of 0. */
TEST_BETWEEN(a_coefficient_that_shows_no_herd_is_told_so, begin, NULL)
{
    struct herd *herd = &answer.herd;
    herd->beta = (struct interval){-0.01, -0.03, 0.01};
    assert_says(PLAN_WAITERS, "one more waiter costs -0.01 (95 %: -0.03 … 0.01) handoffs");
    assert_says(PLAN_WAITERS, "2.2) ms. The coefficient may be 0: the trials show no herd.");
    herd->beta.high = -0.001;
    assert_says(PLAN_WAITERS, "2.2) ms. Handoffs are shorter with more waiters: there is no herd.");
    herd->state = HERD_FEW_TRIALS;
    herd->beta.low = herd->beta.high = NAN;
    assert_says(PLAN_WAITERS, "2.2) ms. The coefficient is below 0: the trials show no herd.");
    herd->state = HERD_KNOWN;
    herd->beta = (struct interval){0.00005576, -0.0001352, 0.0002571};
    assert_says(PLAN_WAITERS, "waiter costs 0.0000558 (95 %: -0.000135 … 0.000257) handoffs");
}

TEST_BETWEEN(what_is_not_known_is_told_with_the_reason, begin, NULL)
{
    answer.herd = (struct herd){
        .state = HERD_BARE_NOT_KNOWN, .slope_s = {35e-6, 30e-6, 40e-6}, .least = 10, .most = 160};
    assert_says(PLAN_WAITERS,
                "not known: the trials, with 10 to 160 waiters, do not tell what a handoff without "
                "waiters takes. One more waiter costs 35 (95 %: 30 … 40) us.");
    answer.herd = (struct herd){
        .state = HERD_FEW_TRIALS, .beta = {0.1, NAN, NAN}, .bare_s = {0.001, NAN, NAN}};
    assert_says(PLAN_WAITERS, "one more waiter costs 0.1 (no interval: fewer than 5 trials)");
    answer.herd.state = HERD_ONE_SIZE;
    assert_says(PLAN_WAITERS, "not known: needs valid trials with at least two numbers of waiters");
    answer.knee.state = PLAN_KNEE_NOT_VALID;
    assert_says(PLAN_LOCKS, "nonscalable: knee for hot locks not known: no trial of a lock alone "
                            "was valid.");
}

TEST_BETWEEN(the_knee_is_told, begin, NULL)
{
    struct knee *knee = &answer.knee.found;
    assert_says(PLAN_LOCKS,
                "nonscalable: knee: 12.5 (95 %: 11 … 14) hot locks of 4 clients each: with more, "
                "the cores of this machine would be the limit: 1,250 (95 %: 1,200");
    knee->at_least = true;
    knee->demand_locks = 1;
    assert_says(PLAN_LOCKS, "knee: at least 12.5");
    assert_says(PLAN_LOCKS, "measured with 1 hot lock, and is smaller with more: zkherd plan "
                            "--unknown locks -n 4 tells more.");
    knee->demand_locks = 8;
    assert_says(PLAN_LOCKS, "measured with 8 hot locks, and is smaller with more.");
    knee->of = UTILISATION_DISK;
    assert_says(PLAN_LOCKS, "is smaller with more. Servers count the time of the disk in whole");
}
