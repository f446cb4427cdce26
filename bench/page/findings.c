// SPDX-License-Identifier: Apache-2.0
/* The findings of results (bench/output/findings.h), as the terminal has them: the verdict and what
 * speaks against it, with the warnings, at the top of the page; the headline; all sentences. */
#include "bench/page/internal.h"

#include <math.h>
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

/* Writes the sentences that speak against the whole, the worst first. */
static void write_reasons(FILE *stream, const struct csv_reader *findings, const char *prefix)
{
    static const enum verdict order[] = {VERDICT_FAILS, VERDICT_NOT_VALID, VERDICT_UNDETERMINED};
    size_t found = 0;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        for (size_t row = 0; row < findings->rows; row++) {
            if (verdict_at(findings, row) == order[i] && ++found <= REASONS_MAX)
                html_verdict(stream, "p", order[i], "%s%s", prefix,
                             page_text(findings, row, "sentence"));
        }
    }
    if (found > REASONS_MAX)
        html_element(stream, "p class=\"warning\"", "%sand %zu more, below", prefix,
                     found - REASONS_MAX);
}

/* prefix: the label and a colon, if the page is of several records. A record that ended early is
 * not known to hold. */
static void write_verdict(FILE *stream, const struct page_record *record, const char *label,
                          const char *prefix)
{
    const struct csv_reader *findings = &record->findings;
    const json_t *warnings = json_object_get(record->manifest, "warnings");
    const char *cut = page_json_text(json_object_get(record->manifest, "cut_short"));
    size_t judged = findings->rows - count(findings, VERDICT_MEASURED);
    if (cut[0] != '\0')
        html_verdict(
            stream, "p", VERDICT_UNDETERMINED,
            "The trials of %s ended early, after %lld of %lld: %s.", label,
            (long long)json_integer_value(json_object_get(record->manifest, "trials_finished")),
            (long long)json_integer_value(json_object_get(record->manifest, "trials_planned")),
            cut);
    else if (judged > 0 && count(findings, VERDICT_HOLDS) == judged)
        html_verdict(stream, "p", VERDICT_HOLDS, "%s%zu of %zu judgements", prefix, judged, judged);
    write_reasons(stream, findings, prefix);
    for (size_t i = 0; i < json_array_size(warnings); i++)
        html_element(stream, "p class=\"warning\"", "%s%s", prefix,
                     page_json_text(json_array_get(warnings, i)));
}

void page_verdict_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        const struct page_source *source = &sources->list[i];
        bool alone = sources->count == 1 && source->record_count == 1;
        size_t rows = 0;
        for (size_t j = 0; j < source->record_count; j++) {
            char label[PAGE_LABEL_SIZE], prefix[PAGE_LABEL_SIZE + 2] = "";
            page_record_label(source, j, label);
            if (!alone)
                snprintf(prefix, sizeof prefix, "%s: ", label);
            write_verdict(stream, &source->records[j], label, prefix);
            rows += source->records[j].findings.rows;
        }
        if (rows == 0)
            html_element(stream, "p class=\"warning\"",
                         "%s has no findings: no findings.csv, as in results of zkherd 1.0.0",
                         source->label);
    }
}

/* ------------------------------------------------------------------ the headline */

/* Writes the first findings that have a figure with a unit, and nothing against it. Returns how
 * many. */
static size_t write_first(FILE *stream, const struct csv_reader *findings, size_t most)
{
    size_t written = 0;
    for (size_t row = 0; row < findings->rows && written < most; row++) {
        char number[PAGE_NUMBER_SIZE];
        const char *unit = page_text(findings, row, "unit");
        enum verdict verdict = verdict_at(findings, row);
        if ((verdict != VERDICT_HOLDS && verdict != VERDICT_MEASURED) || unit[0] == '\0' ||
            isnan(page_number(findings, row, "figure")))
            continue;
        written++;
        fputs("<li>", stream);
        html_element(stream, "strong", "%s %s",
                     page_write_number(page_number(findings, row, "figure"), number), unit);
        html_text(stream, page_text(findings, row, "sentence"));
        fputs("</li>\n", stream);
    }
    return written;
}

/* Of several sources what differs between them comes first. */
void page_headline_write(FILE *stream, const struct page_sources *sources)
{
    const struct page_source *first = &sources->list[0];
    size_t written = page_differences_write(stream, sources, HEADLINES_MAX);
    for (size_t i = 0; i < first->record_count; i++)
        written += write_first(stream, &first->records[i].findings, HEADLINES_MAX - written);
}

/* ------------------------------------------------------------------ all findings */

/* Where times are not valid nothing is said to hold. */
static void write_findings(FILE *stream, const struct csv_reader *findings)
{
    bool is_valid = count(findings, VERDICT_NOT_VALID) == 0;
    fputs("<ul class=\"verdicts\">\n", stream);
    for (size_t row = 0; row < findings->rows; row++) {
        enum verdict verdict = verdict_at(findings, row);
        html_verdict(stream, "li",
                     verdict == VERDICT_HOLDS && !is_valid ? VERDICT_MEASURED : verdict, "%s",
                     page_text(findings, row, "sentence"));
    }
    fputs("</ul>\n", stream);
}

void page_findings_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        const struct page_source *source = &sources->list[i];
        for (size_t j = 0; j < source->record_count; j++) {
            char label[PAGE_LABEL_SIZE];
            if (source->records[j].findings.rows == 0)
                continue;
            html_element(stream, "h3", "%s", page_record_label(source, j, label));
            write_findings(stream, &source->records[j].findings);
        }
    }
}
