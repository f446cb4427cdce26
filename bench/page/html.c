// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/output/verdict.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* As much as a character may become: \U0010ffff. */
#define SHOWN_SIZE 16
#define FIELD_SIZE 256

/* ------------------------------------------------------------------ text */

static const char *entity(char character)
{
    static const char characters[] = "&<>\"'";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    const char *place = strchr(characters, character);
    return place != NULL ? entities[place - characters] : NULL;
}

void html_text(FILE *stream, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        char shown[SHOWN_SIZE];
        uint32_t code;
        size_t length = printable_decode(text, left, &code);
        if (length == 0)
            length = 1;
        const char *escaped = entity(text[0]);
        fputs(escaped != NULL ? escaped : printable_bytes(text, length, shown, sizeof shown),
              stream);
        text += length;
        left -= length;
    }
}

__attribute__((format(printf, 2, 0))) static void put_format(FILE *stream, const char *format,
                                                             va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    char *text = memory_new(size, 1);
    vsnprintf(text, size, format, arguments);
    html_text(stream, text);
    free(text);
}

void html_format(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_format(stream, format, arguments);
    va_end(arguments);
}

void html_element(FILE *stream, const char *tag, const char *format, ...)
{
    va_list arguments;
    fprintf(stream, "<%s>", tag);
    va_start(arguments, format);
    put_format(stream, format, arguments);
    va_end(arguments);
    fprintf(stream, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

/* ------------------------------------------------------------------ texts with gaps */

/* A formula as people write it: n² for n^2. */
static const char *raised(const char *formula, char text[FIELD_SIZE])
{
    size_t length = 0;
    for (; *formula != '\0' && length + 3 < FIELD_SIZE; formula++) {
        bool is_power = formula[0] == '^' && (formula[1] == '2' || formula[1] == '3');
        const char *power = formula[1] == '2' ? "²" : "³";
        length += (size_t)snprintf(text + length, FIELD_SIZE - length, "%.*s",
                                   is_power ? (int)strlen(power) : 1, is_power ? power : formula);
        formula += is_power;
    }
    text[length] = '\0';
    return text;
}

/* The field that a sentence names behind a brace. */
static const char *field_of(const char *brace, const struct csv_reader *file, size_t row,
                            char text[FIELD_SIZE])
{
    char column[64];
    size_t length = strcspn(++brace, ":}");
    snprintf(column, sizeof column, "%.*s", (int)length, brace);
    double number = page_number(file, row, column);
    if (brace[length] == '}')
        return page_text(file, row, column);
    if (brace[length + 1] == '^')
        return raised(page_text(file, row, column), text);
    if (isnan(number))
        return "";
    if (brace[length + 1] == ',')
        return text_format_count((uint64_t)(number > 0 ? number : 0), text, FIELD_SIZE);
    /* Rounded, so that none is "-0.00". */
    if (brace[length + 1] == '%')
        number = nearbyint(number * 10000) / 100 + 0.0;
    snprintf(text, FIELD_SIZE, "%.2f", number);
    return text;
}

static bool lacks_field(const char *bracket, const struct csv_reader *file, size_t row)
{
    char text[FIELD_SIZE];
    for (; *bracket != ']'; bracket++) {
        if (*bracket == '{' && field_of(bracket, file, row, text)[0] == '\0')
            return true;
    }
    return false;
}

void html_row(FILE *stream, const char *sentence, const struct csv_reader *file, size_t row)
{
    for (const char *at = sentence; *at != '\0'; at += *at != '\0') {
        char text[FIELD_SIZE] = "";
        size_t length = strcspn(at, "[]{");
        html_format(stream, "%.*s", (int)length, at);
        at += length;
        if (*at == '{') {
            html_text(stream, field_of(at, file, row, text));
            at = strchr(at, '}');
        } else if (*at == '[' && lacks_field(at, file, row)) {
            at = strchr(at, ']');
        }
    }
}

static const char *slot_text(const struct html_slot *slots, const char *name)
{
    size_t length = strcspn(name, "}");
    while (slots->name != NULL &&
           (strlen(slots->name) != length || memcmp(slots->name, name, length) != 0))
        slots++;
    return slots->name != NULL ? slots->text : "";
}

static void put_line(FILE *stream, const char *line, const struct html_slot *slots)
{
    bool is_slot = strncmp(line, "{{", 2) == 0 && strstr(line, "}}")[2] == '\n';
    while (*line != '\n') {
        size_t length = strcspn(line, "{\n");
        fwrite(line, 1, length, stream);
        line += length;
        if (*line != '{')
            continue;
        fputs(slot_text(slots, line + 2), stream);
        line = strstr(line, "}}") + 2;
    }
    fputs(is_slot ? "" : "\n", stream);
}

void html_frame(FILE *stream, const char *frame, const struct html_slot *slots)
{
    static const char beginning[] = "{{if ", otherwise[] = "{{else}}", end[] = "{{end}}";
    bool is_left_out = false;
    for (; *frame != '\0'; frame = strchr(frame, '\n') + 1) {
        if (strncmp(frame, beginning, strlen(beginning)) == 0)
            is_left_out = slot_text(slots, frame + strlen(beginning))[0] == '\0';
        else if (strncmp(frame, otherwise, strlen(otherwise)) == 0)
            is_left_out = !is_left_out;
        else if (strncmp(frame, end, strlen(end)) == 0)
            is_left_out = false;
        else if (!is_left_out)
            put_line(stream, frame, slots);
    }
}

/* ------------------------------------------------------------------ tables */

void html_table_begin(FILE *stream, const char *caption_format, ...)
{
    va_list arguments, again;
    va_start(arguments, caption_format);
    va_copy(again, arguments);
    fputs("<section class=\"wide\" tabindex=\"0\" aria-label=\"", stream);
    put_format(stream, caption_format, arguments);
    fputs("\">\n<table>\n<caption>", stream);
    put_format(stream, caption_format, again);
    fputs("</caption>\n<thead>\n<tr>\n", stream);
    va_end(again);
    va_end(arguments);
}

void html_table_rows(FILE *stream)
{
    fputs("</tr>\n</thead>\n<tbody>\n", stream);
}

void html_table_end(FILE *stream)
{
    fputs("</tbody>\n</table>\n</section>\n", stream);
}

void html_cell(FILE *stream, bool is_number, const char *text)
{
    fputs(is_number ? "<td class=\"number\">" : "<td>", stream);
    html_text(stream, text);
    fputs("</td>", stream);
}

/* ------------------------------------------------------------------ sentences */

/* A word from a file could be any text, and becomes the name of a class. */
void html_sentence_begin(FILE *stream, const char *verdict)
{
    const char *word =
        strcmp(verdict, HTML_MEASURED) == 0 ? HTML_MEASURED : verdict_word(VERDICT_UNDETERMINED);
    for (enum verdict i = 0; i < VERDICTS; i++) {
        if (strcmp(verdict, verdict_word(i)) == 0)
            word = verdict_word(i);
    }
    fprintf(stream, "<li class=\"%s\"><strong>%s</strong> ", word, word);
}

void html_sentence_end(FILE *stream)
{
    fputs("</li>\n", stream);
}

void html_sentence(FILE *stream, const char *verdict, const char *format, ...)
{
    va_list arguments;
    html_sentence_begin(stream, verdict);
    va_start(arguments, format);
    put_format(stream, format, arguments);
    va_end(arguments);
    html_sentence_end(stream);
}

void html_sentence_row(FILE *stream, const char *verdict, const char *sentence,
                       const struct csv_reader *file, size_t row)
{
    html_sentence_begin(stream, verdict);
    html_row(stream, sentence, file, row);
    html_sentence_end(stream);
}
