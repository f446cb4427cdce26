// SPDX-License-Identifier: Apache-2.0
/* What a plan says of the limit, the herd coefficient and the knee. */
#include "bench/plan/internal.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>

static char *text;
static size_t size;

static FILE *begin(void)
{
    return open_memstream(&text, &size);
}

/* No line is longer than the screen, and the words are there, line feeds and indents aside. */
static void assert_says(FILE *stream, const char *words)
{
    fclose(stream);
    char flat[1024] = "";
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 84); /* bytes: an ellipsis has three */
        strcat(flat, flat[0] != '\0' ? " " : "");
        strcat(flat, line + strspn(line, " "));
    }
    if (strstr(flat, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", flat, words);
    free(text);
}

TEST(the_limit_is_told_with_its_evidence)
{
    FILE *stream = begin();
    const struct plan_question question = {.unknown = PLAN_SESSIONS, .locks = 2};
    const struct utilisation_finding finding = {UTILISATION_SERVER_CPU, "server CPU 97 %"};
    const struct plan_answer answer = {.target = "standalone",
                                       .recipe = &recipe_nonscalable,
                                       .found = {.reason = SEARCH_FOUND, .failed = 200},
                                       .gave_out = &finding};
    plan_sentences_write(&question, &answer, true, stream);
    assert_says(
        stream,
        "standalone, nonscalable, 200 sessions: what gave out first: the servers' CPU (server "
        "CPU 97 %).");
}

TEST(a_coefficient_is_told_with_its_interval)
{
    struct herd herd = {.state = HERD_KNOWN,
                        .beta = {0.05, 0.04, 0.061},
                        .bare_s = {0.002, 0.0018, 0.0022},
                        .trials = 8};
    FILE *stream = begin();
    plan_sentence_herd("nonscalable", &herd, stream);
    assert_says(stream, "herd coefficient: one more waiter costs 0.05 (95 %: 0.04 … 0.061)");
    herd.bends = true;
    stream = begin();
    plan_sentence_herd("nonscalable", &herd, stream);
    assert_says(stream, "A handoff without waiters takes 2 (95 %: 1.8 … 2.2) ms. The times bend");
}

/* A queue has no herd: its coefficient is on either side of 0. */
TEST(a_coefficient_that_shows_no_herd_is_told_so)
{
    struct herd herd = {
        .state = HERD_KNOWN, .beta = {-0.01, -0.03, 0.01}, .bare_s = {0.002, 0.0018, 0.0022}};
    FILE *stream = begin();
    plan_sentence_herd("scalable", &herd, stream);
    assert_says(stream, "one more waiter costs -0.01 (95 %: -0.03 … 0.01) handoffs");
    stream = begin();
    plan_sentence_herd("scalable", &herd, stream);
    assert_says(stream, "2.2) ms. The coefficient may be 0: the trials show no herd.");
    herd.beta.high = -0.001;
    stream = begin();
    plan_sentence_herd("scalable", &herd, stream);
    assert_says(stream, "2.2) ms. Handoffs are shorter with more waiters: there is no herd.");
    herd.state = HERD_FEW_TRIALS;
    herd.beta.low = herd.beta.high = NAN;
    stream = begin();
    plan_sentence_herd("scalable", &herd, stream);
    assert_says(stream, "2.2) ms. The coefficient is below 0: the trials show no herd.");
    herd.state = HERD_KNOWN;
    herd.beta = (struct interval){0.00005576, -0.0001352, 0.0002571};
    stream = begin();
    plan_sentence_herd("scalable", &herd, stream);
    assert_says(stream, "waiter costs 0.0000558 (95 %: -0.000135 … 0.000257) handoffs");
}

TEST(what_is_not_known_is_told_with_the_reason)
{
    struct herd herd = {.state = HERD_BARE_NOT_KNOWN,
                        .beta = {NAN, NAN, NAN},
                        .slope_s = {35e-6, 30e-6, 40e-6},
                        .least = 10,
                        .most = 160};
    FILE *stream = begin();
    plan_sentence_herd("childwatch", &herd, stream);
    assert_says(stream, "not known: the trials, with 10 to 160 waiters, do not tell what a handoff "
                        "without waiters takes. One more waiter costs 35 (95 %: 30 … 40) us.");
    herd = (struct herd){
        .state = HERD_FEW_TRIALS, .beta = {0.1, NAN, NAN}, .bare_s = {0.001, NAN, NAN}};
    stream = begin();
    plan_sentence_herd("childwatch", &herd, stream);
    assert_says(stream, "one more waiter costs 0.1 (no interval: fewer than 5 trials)");
    herd.state = HERD_ONE_SIZE;
    stream = begin();
    plan_sentence_herd("childwatch", &herd, stream);
    assert_says(stream, "not known: needs valid trials with at least two numbers of waiters");
    const struct plan_knee knee = {.state = PLAN_KNEE_NOT_VALID};
    stream = begin();
    plan_sentence_knee("childwatch", &knee, stream);
    assert_says(stream, "childwatch: knee for hot locks not known: no trial of a lock alone was "
                        "valid.");
}

TEST(the_knee_is_told)
{
    FILE *stream = begin();
    struct plan_knee told = {.clients = 4,
                             .found = {.locks = {12.5, 11, 14},
                                       .most_per_s = {1250, 1200, 1300},
                                       .of = UTILISATION_CORES}};
    struct knee *knee = &told.found;
    plan_sentence_knee("scalable", &told, stream);
    assert_says(stream, "scalable: knee: 12.5 (95 %: 11 … 14) hot locks of 4 clients each: with "
                        "more, the cores of this machine would be the limit: 1,250 (95 %: 1,200");
    knee->at_least = true;
    knee->demand_locks = 1;
    stream = begin();
    plan_sentence_knee("scalable", &told, stream);
    assert_says(stream, "knee: at least 12.5");
    stream = begin();
    plan_sentence_knee("scalable", &told, stream);
    assert_says(stream, "measured with 1 hot lock, and is smaller with more: zkherd plan --unknown "
                        "locks -n 4 tells more.");
    knee->demand_locks = 8;
    stream = begin();
    plan_sentence_knee("scalable", &told, stream);
    assert_says(stream, "measured with 8 hot locks, and is smaller with more.");
    knee->of = UTILISATION_DISK;
    stream = begin();
    plan_sentence_knee("scalable", &told, stream);
    assert_says(stream, "is smaller with more. Servers count the time of the disk in whole");
}
