// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/output/verdict.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* As much as a byte may become: \U0010ffff is of one to four. */
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
    size_t size = (strlen(text) + 1) * SHOWN_SIZE;
    char *shown = memory_new(size, 1);
    for (const char *at = printable_text(text, shown, size); *at != '\0'; at++) {
        if (entity(*at) != NULL)
            fputs(entity(*at), stream);
        else
            fputc(*at, stream);
    }
    free(shown);
}

void html_take(FILE *stream, char *text)
{
    html_text(stream, text);
    free(text);
}

void html_take_element(FILE *stream, const char *tag, char *text)
{
    fprintf(stream, "<%s>", tag);
    html_take(stream, text);
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

void html_fill(struct growing_text *text, const char *sentence, const struct csv_reader *file,
               size_t row)
{
    for (const char *at = sentence; *at != '\0'; at += *at != '\0') {
        char field[FIELD_SIZE] = "";
        size_t length = strcspn(at, "[]{");
        growing_text_add(text, "%.*s", (int)length, at);
        at += length;
        if (*at == '{') {
            growing_text_add(text, "%s", field_of(at, file, row, field));
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

void html_table_begin(FILE *stream, char *caption)
{
    fputs("<section class=\"wide\" tabindex=\"0\" aria-label=\"", stream);
    html_text(stream, caption);
    fputs("\">\n<table>\n<caption>", stream);
    html_take(stream, caption);
    fputs("</caption>\n<thead>\n<tr>\n", stream);
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
void html_take_sentence(FILE *stream, const char *verdict, char *text)
{
    const char *word =
        strcmp(verdict, HTML_MEASURED) == 0 ? HTML_MEASURED : verdict_word(VERDICT_UNDETERMINED);
    for (enum verdict i = 0; i < VERDICTS; i++) {
        if (strcmp(verdict, verdict_word(i)) == 0)
            word = verdict_word(i);
    }
    fprintf(stream, "<li class=\"%s\"><strong>%s</strong> ", word, word);
    html_take(stream, text);
    fputs("</li>\n", stream);
}

void html_sentence_row(FILE *stream, const char *verdict, const char *sentence,
                       const struct csv_reader *file, size_t row)
{
    struct growing_text text = {.text = memory_text("")};
    html_fill(&text, sentence, file, row);
    html_take_sentence(stream, verdict, text.text);
}
