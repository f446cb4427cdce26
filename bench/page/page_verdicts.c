// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_verdicts.h"

#include "bench/page/page_sentence.h"
#include "bench/page/run_verdicts.h"

#include <string.h>

/* What is not all that was asked for must be read first. */
static void say_how_far(FILE *stream, const struct page_manifest *manifest)
{
    const json_t *cut = json_object_get(manifest->json, "cut_short");
    if (!json_is_string(cut))
        return;
    page_sentence(stream, "undetermined", "%s was cut short after %lld of %lld trials: %s.",
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
        "%s, %s, %s sessions%s%s: %s operations a second, response times p50 %s µs, p99 %s µs; "
        "%s of %s trials are valid.",
        page_source_text(cells, row, "target"), page_source_text(cells, row, "mix"),
        page_source_text(cells, row, "sessions"), rate[0] != '\0' ? ", offered per second " : "",
        rate, page_source_text(cells, row, "achieved_per_s"),
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
        snprintf(ours + strlen(ours), sizeof ours - strlen(ours), " (95 %%: %s to %s)", low,
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

static void say_answer(FILE *stream, const struct csv_reader *answers, size_t row)
{
    char below[512] = "", above[256] = "";
    const char *reason = page_source_text(answers, row, "reason");
    const char *passed = page_source_text(answers, row, "passed");
    const char *failed = page_source_text(answers, row, "failed");
    const char *unknown = page_source_text(answers, row, "unknown");
    bool is_found = strcmp(reason, "found") == 0 || strcmp(reason, "everything meets") == 0 ||
                    strcmp(reason, "nothing meets") == 0;
    if (passed[0] != '\0')
        snprintf(below, sizeof below, ": %s %s meet the objective (%s of %s fresh trials passed)",
                 passed, unknown, page_source_text(answers, row, "fresh_passed"),
                 page_source_text(answers, row, "fresh_votes"));
    if (failed[0] != '\0' && strcmp(failed, "0") != 0)
        snprintf(above, sizeof above, "; %s do not (%s of %s fresh trials failed)", failed,
                 page_source_text(answers, row, "failed_fresh_failed"),
                 page_source_text(answers, row, "failed_fresh_votes"));
    page_sentence(stream, is_found ? PAGE_MEASURED : "undetermined",
                  "%s on %s, %s%s%s; the search ended: %s.",
                  page_source_text(answers, row, "recipe"),
                  page_source_text(answers, row, "target"),
                  page_source_text(answers, row, "objective"), below, above, reason);
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
    say[source->kind](stream, source);
    fputs("</ul>\n", stream);
}
