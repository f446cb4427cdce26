// SPDX-License-Identifier: Apache-2.0
#include "bench/output/findings.h"

#include "base/memory.h"
#include "base/printable.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"

#include <stdarg.h>
#include <string.h>

TABLE_DEFINE(finding, "findings.csv", FINDING_COLUMNS)

#define INDENT        4
#define SENTENCE_SIZE 2000 /* a longer one is cut */

void findings_add(struct table *findings, const struct finding *finding, const char *format, ...)
{
    char sentence[SENTENCE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    findings->type = &finding_table;
    struct table_value *row = table_add(findings);
    row[finding_slug] = table_text(finding->slug);
    row[finding_subject] = table_text(finding->subject);
    row[finding_verdict] = table_text(verdict_word(finding->verdict));
    table_put_interval(&row[finding_figure], &finding->figure);
    row[finding_unit] = table_text(finding->unit);
    row[finding_n] = table_count(finding->n);
    row[finding_sentence] = table_text(sentence);
}

static const char *text_at(const struct table *findings, size_t row, enum finding_column column)
{
    const struct table_value *value = &table_row(findings, row)[column];
    return value->kind == TABLE_TEXT ? value->text : "";
}

static enum verdict verdict_at(const struct table *findings, size_t row)
{
    return verdict_of_word(text_at(findings, row, finding_verdict));
}

static size_t count_judged(const struct table *findings)
{
    size_t judged = 0;
    for (size_t i = 0; i < findings->rows; i++)
        judged += verdict_at(findings, i) != VERDICT_MEASURED;
    return judged;
}

enum verdict findings_verdict(const struct table *findings)
{
    enum verdict worst = VERDICT_HOLDS;
    for (size_t i = 0; i < findings->rows; i++)
        worst = verdict_worse(worst, verdict_at(findings, i));
    return worst;
}

/* A name in the sentence may be any bytes. */
static const char *sentence_at(const struct table *findings, size_t row, char text[SENTENCE_SIZE])
{
    return printable_text(text_at(findings, row, finding_sentence), text, SENTENCE_SIZE);
}

static void print_verdict(const struct table *findings, bool colours, FILE *stream)
{
    enum verdict verdict = findings_verdict(findings);
    const char *colour = verdict == VERDICT_HOLDS   ? TERMINAL_GREEN
                         : verdict == VERDICT_FAILS ? TERMINAL_RED
                                                    : TERMINAL_YELLOW;
    fprintf(stream, "verdict: %s%s%s\n", colours ? colour : "",
            verdict == VERDICT_FAILS ? "FAILS" : verdict_word(verdict),
            colours ? TERMINAL_PLAIN : "");
}

void findings_print(const struct table *findings, bool colours, FILE *stream)
{
    char sentence[SENTENCE_SIZE];
    size_t judged = count_judged(findings);
    for (size_t i = 0; i < findings->rows; i++) {
        if (verdict_at(findings, i) == VERDICT_MEASURED)
            wrap_hanging(sentence_at(findings, i, sentence), stream);
    }
    if (judged == 0)
        return;
    if (judged < findings->rows)
        fputc('\n', stream);
    print_verdict(findings, colours, stream);
    for (size_t i = 0; i < findings->rows; i++) {
        if (verdict_at(findings, i) == VERDICT_MEASURED)
            continue;
        fprintf(stream, "%*s", INDENT, "");
        wrap_write(sentence_at(findings, i, sentence), INDENT, stream);
    }
}

size_t findings_lines(const struct table *findings)
{
    size_t judged = count_judged(findings);
    return findings->rows + (judged > 0) + (judged > 0 && judged < findings->rows);
}

/* Whether --brief says this one. */
static bool is_brief(const struct table *findings, size_t row, bool judged)
{
    return !judged || verdict_status(verdict_at(findings, row)) != 0;
}

void findings_print_brief(const struct table *findings, bool colours, size_t most, FILE *stream)
{
    char sentence[SENTENCE_SIZE];
    bool judged = count_judged(findings) > 0;
    if (judged)
        print_verdict(findings, colours, stream);
    for (size_t i = 0; i < findings->rows && most > 0; i++) {
        if (!is_brief(findings, i, judged))
            continue;
        fprintf(stream, "%*s", INDENT, "");
        sentence_at(findings, i, sentence);
        wrap_write(printable_cut(sentence, TERMINAL_COLUMNS - INDENT), INDENT, stream);
        most--;
    }
}

size_t findings_brief_lines(const struct table *findings, size_t most)
{
    bool judged = count_judged(findings) > 0;
    size_t lines = 0;
    for (size_t i = 0; i < findings->rows && lines < most; i++)
        lines += is_brief(findings, i, judged);
    return lines + judged;
}

void findings_complain(const struct table *findings, const char *where, bool with_verdict)
{
    for (size_t i = 0; i < findings->rows; i++) {
        if (verdict_status(verdict_at(findings, i)) != 0)
            complain_plainly("%s%s%s%s", where,
                             with_verdict ? text_at(findings, i, finding_verdict) : "",
                             with_verdict ? ": " : "", text_at(findings, i, finding_sentence));
    }
}

char *findings_summary(const char *folder)
{
    struct table findings = {&finding_table, NULL, 0};
    struct growing_text text = {.text = memory_text("")};
    struct error error;
    size_t like = 0;
    if (table_read(&findings, folder, &error) != ERROR_NONE)
        return text.text;
    enum verdict worst = findings_verdict(&findings);
    if (worst != VERDICT_HOLDS || count_judged(&findings) > 0)
        growing_text_add(&text, "%s", verdict_word(worst));
    for (size_t i = 0; i < findings.rows && worst != VERDICT_HOLDS; i++) {
        /* What follows the first semicolon is advice, or detail. */
        const char *sentence = text_at(&findings, i, finding_sentence),
                   *end = strstr(sentence, "; ");
        size_t length = end != NULL ? (size_t)(end - sentence) : strlen(sentence);
        if (verdict_at(&findings, i) == worst && ++like == 1)
            growing_text_add(&text, ": %.*s", (int)length, sentence);
    }
    if (like > 1)
        growing_text_add(&text, "; %zu more in %s", like - 1, finding_table.file);
    table_deinit(&findings);
    return text.text;
}
