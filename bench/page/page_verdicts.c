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

/* Locks and sessions of an autopsy that are told; the tables have all. */
#define AUTOPSY_TOLD_MAX 10

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
    char share[64];
    for (size_t row = trials->rows; row-- > 0;)
        if (page_number(trials, row, "violations") > 0)
            failed++, first = row;
    if (failed > 0)
        html_sentence(stream, "fails", "A check failed in %s; the first: %s.",
                      text_format_share(failed, trials->rows, share, sizeof share),
                      page_text(trials, first, "reason"));
    else if (trials->rows > 0)
        html_sentence(stream, "holds", "Every %s was checked, and no check failed, in %s.", step,
                      text_format_share(trials->rows, trials->rows, share, sizeof share));
}

/* Why the servers' own counts are not compared, as was warned; "": nothing was said. */
static const char *why_not_reconciled(const struct page_source *source)
{
    static const char words[] = "cannot cross-check against the servers' counters: ";
    for (size_t i = 0; i < source->manifest_count; i++) {
        const json_t *warnings = json_object_get(source->manifests[i].json, "warnings");
        for (size_t j = 0; j < json_array_size(warnings); j++) {
            const char *found = strstr(page_json_text(json_array_get(warnings, j)), words);
            if (found != NULL)
                return found + strlen(words);
        }
    }
    return "";
}

/* The servers' own counts. */
static void say_reconciled(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *trials = page_trials(source);
    const char *why = why_not_reconciled(source);
    size_t same = 0, other = 0, unknown = 0;
    char rest[96] = "", share[64];
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
                      "The servers' own counts differ from those of the clients in %s%s.",
                      text_format_share(other, trials->rows, share, sizeof share), rest);
    else if (same > 0)
        html_sentence(stream, "holds",
                      "The servers' own counts equal those of the clients in %s%s.",
                      text_format_share(same, trials->rows, share, sizeof share), rest);
    else
        html_sentence(stream, "undetermined",
                      "The servers' own counts cannot be compared with those of the clients%s%s.",
                      why[0] != '\0' ? ": " : "", why);
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
    char share[64];
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
    growing_text_add(&text, " and notifications equal the law in %s; with ",
                     text_format_share(equal, with_law, share, sizeof share));
    html_fill(
        &text,
        "{clients:,} clients there are {rpcs:,} requests and {notifications:,} notifications.",
        trials, most);
    html_take_sentence(stream, equal == with_law ? "holds" : "fails", text.text);
}

/* Recipes beside each other. */
static void say_price(FILE *stream, const struct page_source *run)
{
    char few[COUNT_SIZE], many[COUNT_SIZE], number[COUNT_SIZE];
    const struct page_price price = page_price(run);
    if (price.least > 0 && price.least < price.most)
        html_sentence(stream, HTML_MEASURED,
                      "A drain of %s clients takes %s requests with %s, and %s with %s: %.3g times "
                      "as many.",
                      text_format_count((uint64_t)price.clients, number, sizeof number),
                      text_format_count((uint64_t)price.least, few, sizeof few), price.cheap,
                      text_format_count((uint64_t)price.most, many, sizeof many), price.dear,
                      price.most / price.least);
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
    say_price(stream, run);
    for (size_t i = 0; i < json_array_size(recipes); i++)
        say_law(stream, run, page_json_text(json_array_get(recipes, i)));
    while (row < trials->rows && isnan(page_number(trials, row, "law_rpcs")))
        row++;
    if (row == trials->rows)
        html_sentence(
            stream, "undetermined", "No law applies to the counts of these trials%s.",
            strcmp(page_json_text(page_json(&run->manifests[0], "plan", "pace")), "free") == 0
                ? ": in free pace the order of the requests is not determined"
                : "");
    for (size_t i = 0; i < json_array_size(recipes); i++) {
        say_drain(stream, fits, page_json_text(json_array_get(recipes, i)));
        say_herd(stream, fits, page_json_text(json_array_get(recipes, i)));
    }
    say_background(stream, page_file(run, "background.csv"));
}

/* ------------------------------------------------------------------ loads, the paper, plans */

/* Why the first trial of a cell that is not valid is not; "": all are, or nothing is known. */
static const char *why_not_valid(const struct csv_reader *trials, const struct csv_reader *cells,
                                 size_t cell)
{
    static const char *const keys[] = {"target", "mix", "sessions", "rate_per_s"};
    for (size_t row = 0; row < trials->rows; row++) {
        bool its = strcmp(page_text(trials, row, "valid"), "no") == 0;
        for (size_t i = 0; its && i < sizeof keys / sizeof keys[0]; i++)
            its = strcmp(page_text(trials, row, keys[i]), page_text(cells, cell, keys[i])) == 0;
        if (its)
            return page_text(trials, row, "reason");
    }
    return "";
}

static void say_loads(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *cells = page_file(source, "cells.csv");
    for (size_t row = 0; row < cells->rows; row++) {
        bool is_valid = page_number(cells, row, "valid") > 0;
        const char *why = is_valid ? "" : why_not_valid(page_file(source, "load.csv"), cells, row);
        char p50[PAGE_NUMBER_SIZE], p99[PAGE_NUMBER_SIZE];
        struct growing_text text = {0};
        html_fill(&text,
                  "{target}, {mix}, {sessions} sessions[, operations offered a second: "
                  "{rate_per_s}]: {achieved_per_s} operations a second, response time ",
                  cells, row);
        growing_text_add(&text, "p50 %s, p99 %s", page_write_us(cells, row, "response_p50_us", p50),
                         page_write_us(cells, row, "response_p99_us", p99));
        html_fill(&text,
                  page_number(cells, row, "unsent") > 0
                      ? "; operations never sent: {unsent}; valid trials: {valid} of {trials}"
                      : "; valid trials: {valid} of {trials}",
                  cells, row);
        growing_text_add(&text, "%s%s.", why[0] != '\0' ? ": " : "", why);
        html_take_sentence(stream, is_valid ? HTML_MEASURED : "undetermined", text.text);
    }
}

/* The paper has no figure for a claim about killed servers: beside it is what these would leave. */
static void say_claims(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *shape = page_file(source, "shape.csv");
    bool of_paper = page_file(source, "samples.csv")->rows == 0;
    for (size_t row = 0; row < shape->rows; row++) {
        bool names_servers = strstr(page_text(shape, row, "claim"), "server") != NULL;
        bool is_open = strcmp(page_text(shape, row, "verdict"), "undetermined") == 0 &&
                       page_text(shape, row, "reason")[0] == '\0';
        char *sentence = memory_format(
            "{claim}%s[; our {quantity}: {ratio}][ (95 %% CI {ratio_low} to {ratio_high})]"
            "[; %s: {paper_ratio}][; {reason}]%s.",
            names_servers ? "" : ", {servers} servers", of_paper ? "the paper's" : "expected",
            is_open ? "; the interval has values for and against the claim: more trials make it "
                      "narrower"
                    : "");
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

/* For files of release 1.0.0, which lack the sentence. */
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

static void say_herds(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *herds = page_file(source, "herds.csv");
    if (herds->rows > 0)
        html_sentence_row(stream, HTML_MEASURED,
                          "The costliest write, {operation} of {pattern}: notifications "
                          "{notified:,}, requests because of them {requests_after:,}, sessions "
                          "that got something {got:,}.",
                          herds, 0);
}

/* ------------------------------------------------------------------ an autopsy */

static void say_autopsy(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *locks = page_file(source, "locks.csv"),
                            *expired = page_file(source, "expired.csv"),
                            *flaws = page_file(source, "flaws.csv");
    for (size_t row = 0; row < flaws->rows && row < AUTOPSY_TOLD_MAX; row++)
        html_sentence(stream, "undetermined", "%s", page_text(flaws, row, "sentence"));
    for (size_t row = 0, told = 0; row < locks->rows && told < AUTOPSY_TOLD_MAX; row++) {
        if (!(page_number(locks, row, "waiters_max") > 0))
            continue;
        told++;
        html_sentence_row(stream, HTML_MEASURED,
                          "{path} ({recipe}): grants {grants:,}, most waiters {waiters_max:,}, "
                          "refused creates {refused:,}, expired holders {expired:,}.",
                          locks, row);
    }
    for (size_t row = 0; row < expired->rows && row < AUTOPSY_TOLD_MAX; row++)
        html_sentence_row(stream, HTML_MEASURED,
                          "Session {session} expired: locks held {held:,}[, waiters of the first "
                          "{waiters:,}][, timeout {timeout_ms:,} ms].",
                          expired, row);
}

void page_verdicts_write(FILE *stream, const struct page_source *source)
{
    static void (*const say[PAGE_KINDS])(FILE *, const struct page_source *) = {
        [PAGE_RUN] = say_locks,    [PAGE_LOAD] = say_loads, [PAGE_PAPER] = say_claims,
        [PAGE_PLAN] = say_answers, [PAGE_TAP] = say_herds,  [PAGE_AUTOPSY] = say_autopsy};
    fputs("<ul class=\"verdicts\">\n", stream);
    for (size_t i = 0; i < source->manifest_count; i++)
        say_how_far(stream, &source->manifests[i]);
    say_steps(stream, page_file(source, "trials.csv"), "grant");
    say_steps(stream, page_file(source, "barriers.csv"), "passage of a barrier");
    say_reconciled(stream, source);
    say[source->kind](stream, source);
    if (source->kind == PAGE_RUN)
        say_herds(stream, source);
    fputs("</ul>\n", stream);
}
