// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* As much as a byte may become: \U0010ffff is of one to four. */
#define SHOWN_SIZE 16

/* ------------------------------------------------------------------ text and elements */

void page_escape(FILE *stream, const char *text, const struct page_sign *signs)
{
    size_t size = (strlen(text) + 1) * SHOWN_SIZE;
    char *shown = memory_new(size, 1);
    for (const char *at = printable_text(text, shown, size); *at != '\0';) {
        const struct page_sign *sign = signs;
        while (sign->sign != NULL && strncmp(at, sign->sign, strlen(sign->sign)) != 0)
            sign++;
        if (sign->sign != NULL)
            fputs(sign->instead, stream);
        else
            fputc(*at, stream);
        at += sign->sign != NULL ? strlen(sign->sign) : 1;
    }
    free(shown);
}

void html_text(FILE *stream, const char *text)
{
    static const struct page_sign signs[] = {{"&", "&amp;"},   {"<", "&lt;"},  {">", "&gt;"},
                                             {"\"", "&quot;"}, {"'", "&#39;"}, {NULL, NULL}};
    page_escape(stream, text, signs);
}

void html_format(FILE *stream, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    memory_or_end(length >= 0 ? text : NULL);
    html_text(stream, text);
    free(text);
}

void html_begin(FILE *stream, const char *tag, enum verdict verdict)
{
    if (verdict == VERDICTS) {
        fprintf(stream, "<%s>", tag);
        return;
    }
    fprintf(stream, "<%s class=\"%s\">", tag,
            verdict == VERDICT_NOT_VALID ? "not-valid" : verdict_word(verdict));
    if (verdict != VERDICT_MEASURED)
        fprintf(stream, "<strong>%s</strong> ", verdict_word(verdict));
}

void html_end(FILE *stream, const char *tag)
{
    fprintf(stream, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

/* ------------------------------------------------------------------ frames */

static const char *slot_text(const struct html_slot *slots, const char *name)
{
    size_t length = strcspn(name, "}");
    while (slots->name != NULL &&
           (strlen(slots->name) != length || memcmp(slots->name, name, length) != 0))
        slots++;
    return slots->name != NULL ? slots->text : "";
}

static void write_line(FILE *stream, const char *line, const struct html_slot *slots)
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
            write_line(stream, frame, slots);
    }
}

/* ------------------------------------------------------------------ tables */

void html_table_begin(FILE *stream, const char *name, const char *title,
                      const struct page_heading *headings, size_t count)
{
    fputs("<section class=\"wide\" tabindex=\"0\" aria-label=\"", stream);
    html_text(stream, title);
    fprintf(stream, "\">\n<table data-name=\"%s\">\n", name);
    html_element(stream, "caption", "%s", title);
    fputs("<thead>\n<tr>\n", stream);
    for (size_t i = 0; i < count; i++)
        html_element(stream, "th scope=\"col\"", "%s", headings[i].text);
    fputs("</tr>\n</thead>\n<tbody>\n", stream);
}
