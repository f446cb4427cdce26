// SPDX-License-Identifier: Apache-2.0
#include "bench/output/findings.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"

#include <stdarg.h>
#include <string.h>

TABLE_DEFINE(finding, "findings.csv", FINDING_COLUMNS)

#define INDENT        4
#define SENTENCE_SIZE 2000 /* a longer one is cut */

/* ------------------------------------------------------------------ verdicts */

const struct verdict_row verdict_rows[VERDICTS] = {
    [VERDICT_HOLDS] = {"holds", 0, 0, TERMINAL_GREEN},
    [VERDICT_FAILS] = {"fails", 1, 3, TERMINAL_RED},
    [VERDICT_UNDETERMINED] = {"undetermined", 4, 1, TERMINAL_YELLOW},
    [VERDICT_NOT_VALID] = {"not valid", 4, 2, TERMINAL_YELLOW},
    [VERDICT_MEASURED] = {"measured", 0, 0, ""},
};

enum verdict verdict_of_word(const char *word)
{
    for (enum verdict i = VERDICT_HOLDS; i < VERDICTS; i++) {
        if (strcmp(word, verdict_word(i)) == 0)
            return i;
    }
    return VERDICT_UNDETERMINED;
}

enum verdict verdict_worse(enum verdict a, enum verdict b)
{
    unsigned of_a = verdict_rows[a].weight, of_b = verdict_rows[b].weight;
    if (of_a == 0 && of_b == 0)
        return VERDICT_HOLDS;
    return of_b > of_a ? b : a;
}

/* A comparison with NaN is false: without an interval neither is. */
enum verdict verdict_of_ratio(const struct interval *ratio, bool falls)
{
    bool above = ratio->low > 1, below = ratio->high < 1;
    if (falls ? below : above)
        return VERDICT_HOLDS;
    return above || below ? VERDICT_FAILS : VERDICT_UNDETERMINED;
}

/* ------------------------------------------------------------------ findings */

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

static void print_verdict(const struct table *findings, bool colours, FILE *stream)
{
    enum verdict verdict = findings_verdict(findings);
    fprintf(stream, "verdict: %s%s%s\n", colours ? verdict_rows[verdict].colour : "",
            verdict == VERDICT_FAILS ? "FAILS" : verdict_word(verdict),
            colours ? TERMINAL_PLAIN : "");
}

/* Bytes of a sentence before its first semicolon; behind it is advice, or detail. */
static size_t statement_length(const char *sentence)
{
    const char *advice = strstr(sentence, "; ");
    return advice != NULL ? (size_t)(advice - sentence) : strlen(sentence);
}

/* A name in the sentence may be any bytes. */
static void print_sentence(const struct table *findings, size_t row, bool brief, FILE *stream)
{
    char sentence[SENTENCE_SIZE];
    bool measured = verdict_at(findings, row) == VERDICT_MEASURED;
    printable_text(text_at(findings, row, finding_sentence), sentence, sizeof sentence);
    if (brief) {
        sentence[statement_length(sentence)] = '\0';
        printable_cut(sentence, TERMINAL_COLUMNS - INDENT);
    }
    if (measured) {
        wrap_hanging(sentence, stream);
    } else {
        fprintf(stream, "%*s", INDENT, "");
        wrap_write(sentence, INDENT, stream);
    }
}

void findings_print(const struct table *findings, bool brief, bool colours, FILE *stream)
{
    bool judged = count_judged(findings) > 0;
    size_t left = brief ? FINDINGS_BRIEF : findings->rows, measured = 0;
    for (size_t i = 0; i < findings->rows && measured < left && !(brief && judged); i++) {
        if (verdict_at(findings, i) != VERDICT_MEASURED)
            continue;
        print_sentence(findings, i, brief, stream);
        measured++;
    }
    if (measured > 0 && judged)
        fputc('\n', stream);
    if (judged)
        print_verdict(findings, colours, stream);
    for (size_t i = 0; i < findings->rows && left > 0; i++) {
        enum verdict verdict = verdict_at(findings, i);
        if (verdict == VERDICT_MEASURED || (brief && verdict_status(verdict) == 0))
            continue;
        print_sentence(findings, i, brief, stream);
        left--;
    }
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
        const char *sentence = text_at(&findings, i, finding_sentence);
        if (verdict_at(&findings, i) == worst && ++like == 1)
            growing_text_add(&text, ": %.*s", (int)statement_length(sentence), sentence);
    }
    if (like > 1)
        growing_text_add(&text, "; %zu more in %s", like - 1, finding_table.file);
    table_deinit(&findings);
    return text.text;
}
