// SPDX-License-Identifier: Apache-2.0
/* The findings of results (bench/output/findings.h), as the terminal has them: the verdict and what
 * speaks against it, with the warnings, at the top of the page; the headline; all sentences. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEADLINES_MAX 3

/* Sentences at the top that say why a verdict is not "holds"; the others are with all findings. */
#define REASONS_MAX 3

static enum verdict verdict_at(const struct csv_reader *findings, size_t row)
{
    return verdict_of_word(page_text(findings, row, "verdict"));
}

static size_t count(const struct csv_reader *findings, enum verdict verdict)
{
    size_t found = 0;
    for (size_t row = 0; row < findings->rows; row++)
        found += verdict_at(findings, row) == verdict;
    return found;
}

/* ------------------------------------------------------------------ the verdict */

/* Writes the verdict of a record, the first sentences that speak against it, the worst first, and
 * its warnings. A record that ended early is not known to hold. prefix: of each line. */
static void write_verdict(FILE *stream, const struct page_record *record, const char *prefix)
{
    static const enum verdict bad[] = {VERDICT_FAILS, VERDICT_NOT_VALID, VERDICT_UNDETERMINED};
    const struct csv_reader *findings = record->findings;
    const json_t *manifest = record->manifest, *warnings = json_object_get(manifest, "warnings");
    const char *cut = page_json_text(json_object_get(manifest, "cut_short"));
    size_t judged = findings->rows - count(findings, VERDICT_MEASURED), reasons = 0;
    if (cut[0] != '\0')
        html_verdict(stream, "p", VERDICT_UNDETERMINED,
                     "The trials of %s ended early, after %lld of %lld: %s.", record->label,
                     (long long)json_integer_value(json_object_get(manifest, "trials_finished")),
                     (long long)json_integer_value(json_object_get(manifest, "trials_planned")),
                     cut);
    else if (judged > 0 && count(findings, VERDICT_HOLDS) == judged)
        html_verdict(stream, "p", VERDICT_HOLDS, "%s%zu of %zu judgements", prefix, judged, judged);
    for (size_t at = 0; at < sizeof bad / sizeof bad[0] * findings->rows; at++) {
        size_t row = at % findings->rows;
        enum verdict verdict = bad[at / findings->rows];
        if (verdict_at(findings, row) == verdict && ++reasons <= REASONS_MAX)
            html_verdict(stream, "p", verdict, "%s%s", prefix,
                         page_text(findings, row, "sentence"));
    }
    if (reasons > REASONS_MAX)
        html_element(stream, "p class=\"warning\"", "%sand %zu more, below", prefix,
                     reasons - REASONS_MAX);
    for (size_t i = 0; i < json_array_size(warnings); i++)
        html_element(stream, "p class=\"warning\"", "%s%s", prefix,
                     page_json_text(json_array_get(warnings, i)));
}

void page_verdict_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->record_count; i++) {
        const struct page_record *record = &sources->records[i];
        char prefix[sizeof record->label + 2] = "";
        if (sources->record_count > 1)
            snprintf(prefix, sizeof prefix, "%s: ", record->label);
        write_verdict(stream, record, prefix);
    }
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->list[i].findings == 0)
            html_element(stream, "p class=\"warning\"",
                         "%s has no findings: no findings.csv, as in results of zkherd 1.0.0",
                         sources->list[i].label);
    }
}

/* ------------------------------------------------------------------ the headline */

/* Writes "8 requests", "1 request", "1.25 ms". A unit that is a noun is in the plural. */
static void write_amount(FILE *stream, double figure, const char *unit)
{
    char number[PAGE_NUMBER_SIZE];
    size_t length = strlen(unit);
    bool is_noun = length > 2 && unit[length - 1] == 's';
    html_element(stream, "strong", "%s %.*s%s", page_format_number(figure, false, number),
                 (int)(length - is_noun), unit, is_noun ? text_plural(figure == 1 ? 1 : 2) : "");
}

/* Writes the first findings that have a figure with a unit, and nothing against it: of several
 * sources those that say how their topologies differ. */
void page_headline_write(FILE *stream, const struct page_sources *sources)
{
    size_t written = 0;
    for (size_t i = 0; i < sources->record_count; i++) {
        const struct csv_reader *findings = sources->records[i].findings;
        for (size_t row = 0; row < findings->rows && written < HEADLINES_MAX; row++) {
            double figure = page_number(findings, row, "figure");
            const char *unit = page_text(findings, row, "unit");
            bool is_topology = strcmp(page_text(findings, row, "slug"), "topology") == 0;
            if (verdict_status(verdict_at(findings, row)) != 0 || unit[0] == '\0' ||
                isnan(figure) || (sources->count > 1 && !is_topology))
                continue;
            written++;
            fputs("<li>", stream);
            write_amount(stream, figure, unit);
            html_text(stream, page_text(findings, row, "sentence"));
            fputs("</li>\n", stream);
        }
    }
}

/* ------------------------------------------------------------------ all findings */

/* Where times are not valid nothing is said to hold. */
void page_findings_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->record_count; i++) {
        const struct csv_reader *findings = sources->records[i].findings;
        bool is_valid = count(findings, VERDICT_NOT_VALID) == 0;
        if (findings->rows == 0)
            continue;
        html_element(stream, "h3", "%s", sources->records[i].label);
        fputs("<ul class=\"verdicts\">\n", stream);
        for (size_t row = 0; row < findings->rows; row++) {
            enum verdict verdict = verdict_at(findings, row);
            html_verdict(stream, "li",
                         verdict == VERDICT_HOLDS && !is_valid ? VERDICT_MEASURED : verdict, "%s",
                         page_text(findings, row, "sentence"));
        }
        fputs("</ul>\n", stream);
    }
}
