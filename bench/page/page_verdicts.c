// SPDX-License-Identifier: Apache-2.0
/* What results say, in a sentence each that begins with its verdict. A sentence has no number that
 * is not in the files, or follows from them by counting. */
#include "base/memory.h"
#include "bench/page/internal.h"

#include <stdlib.h>
#include <string.h>

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

/* ------------------------------------------------------------------ loads, the paper, plans */

static void say_loads(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *cells = page_file(source, "cells.csv");
    for (size_t row = 0; row < cells->rows; row++)
        html_sentence_row(
            stream, page_number(cells, row, "valid") > 0 ? HTML_MEASURED : "undetermined",
            "{target}, {mix}, {sessions} sessions[, operations offered a second: {rate_per_s}]: "
            "{achieved_per_s} operations a second, response time p50 {response_p50_us} µs, p99 "
            "{response_p99_us} µs; valid trials: {valid} of {trials}.",
            cells, row);
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

static void say_answers(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *answers = page_file(source, "answers.csv");
    for (size_t row = 0; row < answers->rows; row++) {
        const char *end = end_of(page_text(answers, row, "reason"));
        html_sentence_begin(stream, end != NULL ? HTML_MEASURED : "undetermined");
        html_row(stream, "{recipe} on {target}: {objective} ", answers, row);
        if (page_number(answers, row, "passed") > 0) {
            html_row(stream, "is met with {passed} ", answers, row);
            html_text(stream, page_unit(page_text(answers, row, "unknown")));
            html_row(stream, " ({fresh_passed} of {fresh_votes} fresh trials passed)", answers,
                     row);
        } else {
            html_text(stream, "is not known to be met");
        }
        if (page_number(answers, row, "failed") > 0)
            html_row(stream,
                     ", not with {failed} ({failed_fresh_failed} of {failed_fresh_votes} fresh "
                     "trials failed)",
                     answers, row);
        if (end == NULL)
            html_row(stream, "; the search ended without an answer: {reason}", answers, row);
        html_format(stream, "%s.", end != NULL ? end : "");
        html_sentence_end(stream);
    }
}

void page_verdicts_write(FILE *stream, const struct page_source *source)
{
    static void (*const say[PAGE_KINDS])(FILE *, const struct page_source *) = {
        [PAGE_RUN] = page_run_verdicts,
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
