// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_verdicts.h"

#include "bench/page/page_checks.h"
#include "bench/page/page_sentence.h"
#include "bench/page/run_verdicts.h"

#include <string.h>

/* What is not all that was asked for must be read first. */
static void say_how_far(FILE *stream, const struct page_manifest *manifest)
{
    const json_t *cut = json_object_get(manifest->json, "cut_short");
    if (!json_is_string(cut))
        return;
    page_sentence(stream, "undetermined", "The trials of %s ended early, after %lld of %lld: %s.",
                  manifest->name,
                  (long long)json_integer_value(json_object_get(manifest->json, "trials_finished")),
                  (long long)json_integer_value(json_object_get(manifest->json, "trials_planned")),
                  json_string_value(cut));
}

/* ------------------------------------------------------------------ loads */

static void say_load(FILE *stream, const struct csv_reader *cells, size_t row)
{
    const char *rate = page_source_text(cells, row, "rate_per_s");
    double valid = page_source_number(cells, row, "valid");
    page_sentence(
        stream, valid > 0 ? PAGE_MEASURED : "undetermined",
        "%s, %s, %s sessions%s%s: %s operations a second, response time p50 %s µs, p99 %s µs; "
        "valid trials: %s of %s.",
        page_source_text(cells, row, "target"), page_source_text(cells, row, "mix"),
        page_source_text(cells, row, "sessions"),
        rate[0] != '\0' ? ", operations offered a second: " : "", rate,
        page_source_text(cells, row, "achieved_per_s"),
        page_source_text(cells, row, "response_p50_us"),
        page_source_text(cells, row, "response_p99_us"), page_source_text(cells, row, "valid"),
        page_source_text(cells, row, "trials"));
}

static void say_loads(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *cells = page_source_file(source, "cells.csv");
    for (size_t row = 0; row < cells->rows; row++)
        say_load(stream, cells, row);
}

/* ------------------------------------------------------------------ the paper */

/* The paper has no figure for a claim about killed servers: beside it is what these would leave. */
static void say_claim(FILE *stream, const struct csv_reader *shape, size_t row, bool of_paper)
{
    char ours[256] = "", others[128] = "", servers[64] = "";
    const char *claim = page_source_text(shape, row, "claim");
    const char *ratio = page_source_text(shape, row, "ratio");
    const char *low = page_source_text(shape, row, "ratio_low");
    const char *theirs = page_source_text(shape, row, "paper_ratio");
    const char *why = page_source_text(shape, row, "reason");
    if (strstr(claim, "server") == NULL)
        snprintf(servers, sizeof servers, ", %s servers", page_source_text(shape, row, "servers"));
    if (ratio[0] != '\0')
        snprintf(ours, sizeof ours, "; our %s: %s", page_source_text(shape, row, "quantity"),
                 ratio);
    if (low[0] != '\0')
        snprintf(ours + strlen(ours), sizeof ours - strlen(ours), " (95 %% CI %s to %s)", low,
                 page_source_text(shape, row, "ratio_high"));
    if (theirs[0] != '\0')
        snprintf(others, sizeof others, "; %s: %s", of_paper ? "the paper's" : "expected", theirs);
    page_sentence(stream, page_source_text(shape, row, "verdict"), "%s%s%s%s%s%s.", claim, servers,
                  ours, others, why[0] != '\0' ? "; " : "", why);
}

static void say_claims(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *shape = page_source_file(source, "shape.csv");
    bool of_paper = page_source_file(source, "samples.csv")->rows == 0;
    for (size_t row = 0; row < shape->rows; row++)
        say_claim(stream, shape, row, of_paper);
}

/* ------------------------------------------------------------------ plans */

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

const char *page_verdicts_unit(const char *unknown)
{
    return strcmp(unknown, "rate") == 0 ? "requests a second" : unknown;
}

static bool is_size(const char *size)
{
    return size[0] != '\0' && strcmp(size, "0") != 0;
}

static void say_answer(FILE *stream, const struct csv_reader *answers, size_t row)
{
    char passed[256] = "is not known to be met", failed[256] = "", end[128];
    const char *most = page_source_text(answers, row, "passed");
    const char *least = page_source_text(answers, row, "failed");
    const char *unit = page_verdicts_unit(page_source_text(answers, row, "unknown"));
    const char *reason = page_source_text(answers, row, "reason");
    const char *known = end_of(reason);
    if (is_size(most))
        snprintf(passed, sizeof passed, "is met with %s %s (%s of %s fresh trials passed)", most,
                 unit, page_source_text(answers, row, "fresh_passed"),
                 page_source_text(answers, row, "fresh_votes"));
    if (is_size(least))
        snprintf(failed, sizeof failed, ", not with %s (%s of %s fresh trials failed)", least,
                 page_source_text(answers, row, "failed_fresh_failed"),
                 page_source_text(answers, row, "failed_fresh_votes"));
    snprintf(end, sizeof end, "; the search ended without an answer: %s", reason);
    page_sentence(
        stream, known != NULL ? PAGE_MEASURED : "undetermined", "%s on %s: %s %s%s%s.",
        page_source_text(answers, row, "recipe"), page_source_text(answers, row, "target"),
        page_source_text(answers, row, "objective"), passed, failed, known != NULL ? known : end);
}

static void say_answers(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *answers = page_source_file(source, "answers.csv");
    for (size_t row = 0; row < answers->rows; row++)
        say_answer(stream, answers, row);
}

void page_verdicts_write(FILE *stream, const struct page_source *source)
{
    static void (*const say[PAGE_KINDS])(FILE *, const struct page_source *) = {
        [PAGE_RUN] = run_verdicts_write,
        [PAGE_LOAD] = say_loads,
        [PAGE_PAPER] = say_claims,
        [PAGE_PLAN] = say_answers};
    fputs("<ul class=\"verdicts\">\n", stream);
    for (size_t i = 0; i < source->manifest_count; i++)
        say_how_far(stream, &source->manifests[i]);
    page_checks_write(stream, source);
    say[source->kind](stream, source);
    fputs("</ul>\n", stream);
}
