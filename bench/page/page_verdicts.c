// SPDX-License-Identifier: Apache-2.0
/* What results say, in a sentence each that begins with its verdict. A sentence has no number that
 * is not in the files, or follows from them by counting. */
#include "base/text.h"
#include "bench/page/internal.h"
#include "measure/fit.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_SIZE 32

/* ------------------------------------------------------------------ what was checked */

/* What is not all that was asked for must be read first. */
static void say_how_far(FILE *stream, const struct page_manifest *manifest)
{
    const json_t *cut = json_object_get(manifest->json, "cut_short");
    if (json_is_string(cut))
        html_sentence(
            stream, "undetermined", "The trials of %s ended early, after %lld of %lld: %s.",
            manifest->name,
            (long long)json_integer_value(json_object_get(manifest->json, "trials_finished")),
            (long long)json_integer_value(json_object_get(manifest->json, "trials_planned")),
            json_string_value(cut));
}

static void say_steps(FILE *stream, const struct csv_reader *trials, const char *step)
{
    size_t failed = 0, first = 0;
    for (size_t row = trials->rows; row-- > 0;) {
        if (page_number(trials, row, "violations") > 0)
            failed++, first = row;
    }
    if (failed > 0)
        html_sentence(stream, "fails", "A check failed in %zu of %zu trials; the first: %s.",
                      failed, trials->rows, page_text(trials, first, "reason"));
    else if (trials->rows > 0)
        html_sentence(stream, "holds",
                      "Every %s was checked, and no check failed, in %zu of %zu trials.", step,
                      trials->rows, trials->rows);
}

/* The servers' own counts. */
static void say_reconciled(FILE *stream, const struct csv_reader *trials)
{
    size_t same = 0, other = 0, unknown = 0;
    char rest[96] = "";
    for (size_t row = 0; row < trials->rows; row++) {
        const char *reconciled = page_text(trials, row, "reconciled");
        same += strcmp(reconciled, "yes") == 0;
        other += strcmp(reconciled, "no") == 0;
        unknown += strcmp(reconciled, "na") == 0;
    }
    if (same + other + unknown == 0)
        return;
    unknown = trials->rows - same - other;
    if (unknown > 0)
        snprintf(rest, sizeof rest, "; in %zu they cannot be compared", unknown);
    if (other > 0)
        html_sentence(stream, "fails",
                      "The servers' own counts differ from those of the clients in %zu of %zu "
                      "trials%s.",
                      other, trials->rows, rest);
    else if (same > 0)
        html_sentence(stream, "holds",
                      "The servers' own counts equal those of the clients in %zu of %zu trials%s.",
                      same, trials->rows, rest);
    else
        html_sentence(stream, "undetermined",
                      "The servers' own counts cannot be compared with those of the clients.");
}

/* ------------------------------------------------------------------ a run: counts */

/* The row of a recipe's fit; behind the last one if there is none. */
static size_t find_fit(const struct csv_reader *fits, const char *recipe, const char *metric)
{
    size_t row = 0;
    while (row < fits->rows && (strcmp(page_text(fits, row, "recipe"), recipe) != 0 ||
                                strcmp(page_text(fits, row, "metric"), metric) != 0))
        row++;
    return row;
}

/* Says in how many of a recipe's trials the requests equal the law. */
static void say_law(FILE *stream, const struct page_source *run, const char *recipe)
{
    const struct csv_reader *trials = page_file(run, "trials.csv");
    const struct csv_reader *fits = page_file(run, "fits.csv");
    size_t with_law = 0, equal = 0, most = 0;
    double clients = -1;
    for (size_t row = 0; row < trials->rows; row++) {
        if (strcmp(page_text(trials, row, "recipe"), recipe) != 0 ||
            isnan(page_number(trials, row, "law_rpcs")))
            continue;
        with_law++;
        equal += page_is_lawful(trials, row);
        if (page_number(trials, row, "clients") > clients)
            clients = page_number(trials, row, "clients"), most = row;
    }
    if (with_law == 0)
        return;
    struct growing_text text = {0};
    growing_text_add(&text, "%s: requests", recipe);
    html_fill(&text, "[ ({law:^}: {verdict:^})]", fits, find_fit(fits, recipe, "rpcs"));
    growing_text_add(&text, " and notifications equal the law in %zu of %zu trials; with ", equal,
                     with_law);
    html_fill(
        &text,
        "{clients:,} clients there are {rpcs:,} requests and {notifications:,} notifications.",
        trials, most);
    html_take_sentence(stream, equal == with_law ? "holds" : "fails", text.text);
}

/* The most clients of a recipe; 0: it has no trial. */
static double most_clients(const struct csv_reader *trials, const char *recipe)
{
    double most = 0;
    for (size_t row = 0; row < trials->rows; row++) {
        if (strcmp(page_text(trials, row, "recipe"), recipe) == 0)
            most = fmax(most, page_number(trials, row, "clients"));
    }
    return most;
}

/* The median requests of the drains that count; NaN: there is none. */
static double median_rpcs(const struct csv_reader *trials, const char *recipe, double clients)
{
    double *rpcs = memory_new(trials->rows, sizeof *rpcs);
    size_t count = 0;
    for (size_t row = 0; row < trials->rows; row++) {
        rpcs[count] = page_number(trials, row, "rpcs");
        count += strcmp(page_text(trials, row, "recipe"), recipe) == 0 &&
                 page_number(trials, row, "clients") == clients &&
                 strcmp(page_text(trials, row, "workload"), "drain") == 0 &&
                 page_counts(trials, row) && !isnan(rpcs[count]);
    }
    statistics_sort(rpcs, count);
    double median = statistics_median(rpcs, count);
    free(rpcs);
    return median;
}

/* Recipes beside each other, with the most clients that all of them have: the requests of a drain;
 * only drains have equally many handoffs. */
static void say_price(FILE *stream, const struct csv_reader *trials, const json_t *recipes)
{
    double clients = INFINITY, least = INFINITY, most = 0;
    const char *cheap = "", *dear = "";
    char few[COUNT_SIZE], many[COUNT_SIZE], number[COUNT_SIZE];
    size_t i;
    const json_t *name;
    json_array_foreach(recipes, i, name) clients =
        fmin(clients, most_clients(trials, page_json_text(name)));
    json_array_foreach(recipes, i, name)
    {
        double price = median_rpcs(trials, page_json_text(name), clients);
        if (price < least)
            least = price, cheap = page_json_text(name);
        if (price > most)
            most = price, dear = page_json_text(name);
    }
    if (least > 0 && least < most)
        html_sentence(stream, HTML_MEASURED,
                      "A drain of %s clients takes %s requests with %s, and %s with %s: %.3g times "
                      "as many.",
                      text_format_count((uint64_t)clients, number, sizeof number),
                      text_format_count((uint64_t)least, few, sizeof few), cheap,
                      text_format_count((uint64_t)most, many, sizeof many), dear, most / least);
}

/* ------------------------------------------------------------------ a run: times */

/* As a run tells it: an exponent without an interval says nothing, except of a decided order. */
static void say_drain(FILE *stream, const struct csv_reader *fits, const char *recipe)
{
    size_t row = find_fit(fits, recipe, "drain_s");
    double levels = page_number(fits, row, "levels");
    bool is_decided = strncmp(page_text(fits, row, "verdict"), "O(", 2) == 0;
    bool is_known = is_decided || !isnan(page_number(fits, row, "exponent_low"));
    if (isnan(page_number(fits, row, "exponent")))
        return;
    struct growing_text text = {0};
    html_fill(&text,
              is_known ? "{recipe}: the drain time grows as n^{exponent:2}"
                         "[ (95 % CI {exponent_low:2} to {exponent_high:2})]: "
                       : "{recipe}: how the drain time grows",
              fits, row);
    if (is_known)
        html_fill(&text, is_decided ? "{verdict:^}" : "no order is certain", fits, row);
    if (!is_decided && levels < FIT_LEVELS_MIN)
        growing_text_add(&text, ": %g number%s of clients, at least %d needed", levels,
                         levels == 1 ? "" : "s", FIT_LEVELS_MIN);
    growing_text_add(&text, ".");
    html_take_sentence(stream, is_decided ? HTML_MEASURED : "undetermined", text.text);
}

/* Without an interval, the coefficient says nothing. */
static void say_herd(FILE *stream, const struct csv_reader *fits, const char *recipe)
{
    size_t row = find_fit(fits, recipe, "handoff_us");
    if (!isnan(page_number(fits, row, "beta")) && !isnan(page_number(fits, row, "beta_low")))
        html_sentence_row(
            stream, HTML_MEASURED,
            "{recipe}: each extra waiter adds {beta:%} %[ (95 % CI {beta_low:%} to {beta_high:%})]"
            " to the time of a handoff without waiters.",
            fits, row);
}

static void say_background(FILE *stream, const struct csv_reader *rows)
{
    for (size_t row = 0; row < rows->rows; row++) {
        if (!isnan(page_number(rows, row, "ratio_p50")))
            html_sentence_row(
                stream, HTML_MEASURED,
                "Beside {recipe} with {clients} clients, the median response time of other "
                "requests is {ratio_p50:2} times as long as without the lock[ (95 % CI "
                "{ratio_p50_low:2} to {ratio_p50_high:2})].",
                rows, row);
    }
}

static void say_locks(FILE *stream, const struct page_source *run)
{
    const json_t *recipes = page_json(&run->manifests[0], "plan", "recipes");
    const struct csv_reader *fits = page_file(run, "fits.csv"),
                            *trials = page_file(run, "trials.csv");
    size_t row = 0;
    say_price(stream, trials, recipes);
    for (size_t i = 0; i < json_array_size(recipes); i++)
        say_law(stream, run, page_json_text(json_array_get(recipes, i)));
    while (row < trials->rows && isnan(page_number(trials, row, "law_rpcs")))
        row++;
    if (row == trials->rows)
        html_sentence(stream, "undetermined", "No law applies to the counts of these trials.");
    for (size_t i = 0; i < json_array_size(recipes); i++) {
        say_drain(stream, fits, page_json_text(json_array_get(recipes, i)));
        say_herd(stream, fits, page_json_text(json_array_get(recipes, i)));
    }
    say_background(stream, page_file(run, "background.csv"));
}

/* ------------------------------------------------------------------ loads, the paper, plans */

/* How a sentence names a response time of which it may be known alone what it is at least. */
static const char *place_of(const struct csv_reader *cells, size_t row, const char *column)
{
    return isnan(page_least(cells, row, column)) ? "" : "_low";
}

static void say_loads(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *cells = page_file(source, "cells.csv");
    for (size_t row = 0; row < cells->rows; row++) {
        const char *p50 = place_of(cells, row, "response_p50_us"),
                   *p99 = place_of(cells, row, "response_p99_us");
        char *sentence = memory_format(
            "{target}, {mix}, {sessions} sessions[, operations offered a second: {rate_per_s}]: "
            "{achieved_per_s} operations a second, response time p50 %s{response_p50_us%s} µs, p99 "
            "%s{response_p99_us%s} µs%s; valid trials: {valid} of {trials}.",
            p50[0] == '\0' ? "" : "≥ ", p50, p99[0] == '\0' ? "" : "≥ ", p99,
            page_number(cells, row, "unsent") > 0 ? "; operations never sent: {unsent}" : "");
        html_sentence_row(stream,
                          page_number(cells, row, "valid") > 0 ? HTML_MEASURED : "undetermined",
                          sentence, cells, row);
        free(sentence);
    }
}

/* The paper has no figure for a claim about killed servers: beside it is what these would leave. */
static void say_claims(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *shape = page_file(source, "shape.csv");
    bool of_paper = page_file(source, "samples.csv")->rows == 0;
    for (size_t row = 0; row < shape->rows; row++) {
        bool names_servers = strstr(page_text(shape, row, "claim"), "server") != NULL;
        char *sentence = memory_format(
            "{claim}%s[; our {quantity}: {ratio}][ (95 %% CI {ratio_low} to {ratio_high})]"
            "[; %s: {paper_ratio}][; {reason}].",
            names_servers ? "" : ", {servers} servers", of_paper ? "the paper's" : "expected");
        html_sentence_row(stream, page_text(shape, row, "verdict"), sentence, shape, row);
        free(sentence);
    }
}

const char *page_unit(const char *unknown)
{
    return strcmp(unknown, "rate") == 0 ? "requests a second" : unknown;
}

/* What there is to add about a search that came to its end; NULL of one that did not. */
static const char *end_of(const char *reason)
{
    static const char *const plain[][2] = {{"found", ""},
                                           {"everything meets", "; no larger one was to be tried"},
                                           {"nothing meets", "; no smaller one was to be tried"}};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (strcmp(reason, plain[i][0]) == 0)
            return plain[i][1];
    }
    return NULL;
}

/* Whether most of the fresh trials at an end of the interval agree. */
static bool is_confirmed(const struct csv_reader *answers, size_t row, const char *agreed,
                         const char *votes)
{
    return 2 * page_number(answers, row, agreed) > page_number(answers, row, votes);
}

/* Of release 1.0.0, whose files lack the sentence. */
static char *describe_answer(const struct csv_reader *answers, size_t row, const char *end)
{
    struct growing_text text = {0};
    html_fill(&text, "{recipe} on {target}: {objective} ", answers, row);
    if (is_confirmed(answers, row, "fresh_passed", "fresh_votes")) {
        html_fill(&text, "is met with {passed} ", answers, row);
        growing_text_add(&text, "%s", page_unit(page_text(answers, row, "unknown")));
        html_fill(&text, " ({fresh_passed} of {fresh_votes} fresh trials passed)", answers, row);
    } else {
        growing_text_add(&text, "is not known to be met");
    }
    if (is_confirmed(answers, row, "failed_fresh_failed", "failed_fresh_votes"))
        html_fill(&text,
                  ", not with {failed} ({failed_fresh_failed} of {failed_fresh_votes} fresh trials "
                  "failed)",
                  answers, row);
    if (end == NULL)
        html_fill(&text, "; the search ended without an answer: {reason}", answers, row);
    growing_text_add(&text, "%s.", end != NULL ? end : "");
    return text.text;
}

static void say_answers(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *answers = page_file(source, "answers.csv");
    for (size_t row = 0; row < answers->rows; row++) {
        const char *end = end_of(page_text(answers, row, "reason")),
                   *sentence = page_text(answers, row, "sentence");
        html_take_sentence(
            stream, end != NULL ? HTML_MEASURED : "undetermined",
            sentence[0] != '\0'
                ? memory_format("%s, %s", page_text(answers, row, "target"), sentence)
                : describe_answer(answers, row, end));
    }
}

void page_verdicts_write(FILE *stream, const struct page_source *source)
{
    static void (*const say[PAGE_KINDS])(FILE *,
                                         const struct page_source *) = {[PAGE_RUN] = say_locks,
                                                                        [PAGE_LOAD] = say_loads,
                                                                        [PAGE_PAPER] = say_claims,
                                                                        [PAGE_PLAN] = say_answers};
    fputs("<ul class=\"verdicts\">\n", stream);
    for (size_t i = 0; i < source->manifest_count; i++)
        say_how_far(stream, &source->manifests[i]);
    say_steps(stream, page_file(source, "trials.csv"), "grant");
    say_steps(stream, page_file(source, "barriers.csv"), "passage of a barrier");
    say_reconciled(stream, page_trials(source));
    say[source->kind](stream, source);
    fputs("</ul>\n", stream);
}
