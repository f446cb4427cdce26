// SPDX-License-Identifier: Apache-2.0
#include "tests/support/document.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CODE     "    "
#define ELLIPSIS "…"

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* ------------------------------------------------------------------ lines of words */

static bool is_item(const char *line)
{
    size_t digits = strspn(line, "0123456789");
    return begins(line, "* ") || (digits > 0 && begins(line + digits, ". "));
}

/* Appends the words of a line, a blank apart; returns the end. */
static char *append_words(char *to, const char *line, size_t length)
{
    for (const char *end = line + length; line < end; line++) {
        if (*line != ' ')
            *to++ = *line;
        else if (to[-1] != ' ' && to[-1] != '\n')
            *to++ = ' ';
    }
    while (to[-1] == ' ')
        to--;
    return to;
}

void document_fold_blanks(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0'; at++) {
        bool first = to == text || to[-1] == '\n';
        if (*at == '\n' && to > text && to[-1] == ' ')
            to--;
        if (*at == ' ' ? !first && to[-1] != ' ' : *at != '\n' || !first)
            *to++ = *at;
    }
    *to = '\0';
}

struct folding {
    char *to;
    bool open;   /* a paragraph or an item, which the next line may continue */
    bool fenced; /* between two ``` */
};

static void end_line(struct folding *folding)
{
    if (folding->open)
        *folding->to++ = '\n';
    folding->open = false;
}

static void fold_code(struct folding *folding, const char *line, size_t length)
{
    end_line(folding);
    if (strspn(line, " ") >= length)
        return;
    folding->to = append_words(stpcpy(folding->to, CODE), line, length);
    *folding->to++ = '\n';
}

static void fold_text(struct folding *folding, const char *line, size_t length)
{
    bool alone = line[0] == '|' || line[0] == '#';
    if (length == 0 || alone || is_item(line))
        end_line(folding);
    if (length == 0)
        return;
    if (folding->open)
        *folding->to++ = ' ';
    folding->to = append_words(folding->to, line, length);
    folding->open = true;
    if (alone)
        end_line(folding);
}

static void fold_line(struct folding *folding, const char *line, size_t length)
{
    if (begins(line, "```")) {
        end_line(folding);
        folding->fenced = !folding->fenced;
    } else if (folding->fenced || (!folding->open && begins(line, CODE))) {
        fold_code(folding, line, length);
    } else {
        fold_text(folding, line, length);
    }
}

void document_init(struct document *document, const char *markdown)
{
    /* A line of a fence is four blanks longer here than there. */
    document->text = calloc(5 * strlen(markdown) + 8, 1);
    document->text[0] = '\n';
    struct folding folding = {.to = document->text + 1};
    while (*markdown != '\0') {
        size_t length = strcspn(markdown, "\n");
        fold_line(&folding, markdown, length);
        markdown += length + (markdown[length] == '\n');
    }
    end_line(&folding);
    document->known = calloc(strlen(document->text) + 1, 1);
}

void document_deinit(struct document *document)
{
    free(document->text);
    free(document->known);
}

/* ------------------------------------------------------------------ words */

/* The end of the words at this place; NULL if others are there. */
static const char *match(const char *text, const char *words, struct span *figure)
{
    for (; *words != '\0'; words++) {
        if (*words == '{') {
            figure->at = text;
        } else if (*words == '}') {
            figure->length = (size_t)(text - figure->at);
            figure++;
        } else if (begins(words, ELLIPSIS)) {
            const char *end = match(text, words + strlen(ELLIPSIS), figure);
            while (end == NULL && *text != '\0' && *text != '\n')
                end = match(++text, words + strlen(ELLIPSIS), figure);
            return end;
        } else if (*words != *text++) {
            return NULL;
        }
    }
    return text;
}

size_t document_find(const struct document *document, const char *words, struct span *all,
                     struct span figures[DOCUMENT_FIGURES])
{
    size_t count = 0;
    struct span found[DOCUMENT_FIGURES];
    for (const char *at = document->text; *at != '\0'; at++) {
        const char *end = match(at, words, found);
        if (end == NULL)
            continue;
        count++;
        *all = (struct span){at, (size_t)(end - at)};
        memcpy(figures, found, sizeof found);
    }
    return count;
}

bool document_section(const struct document *document, const char *heading, struct span *section)
{
    size_t count = 0, level = 0;
    for (const char *line = document->text; (line = strchr(line, '\n')) != NULL;) {
        size_t marks = strspn(++line, "#");
        if (marks == 0)
            continue;
        if (level > 0 && marks <= level) {
            section->length = (size_t)(line - section->at);
            level = 0;
        }
        const char *title = line + marks + 1;
        if (strcspn(title, "\n") == strlen(heading) && begins(title, heading)) {
            *section = (struct span){line, strlen(line)};
            level = marks;
            count++;
        }
    }
    return count == 1;
}

void document_know(struct document *document, struct span part)
{
    memset(document->known + (part.at - document->text), 1, part.length);
}

/* ------------------------------------------------------------------ numbers */

/* What a number of this length has behind it, in words. */
static bool is_followed(const char *end, const char *const *words)
{
    if (*end != ' ')
        return false;
    for (; *words != NULL; words++) {
        if (begins(end + 1, *words) && !isalnum((unsigned char)end[1 + strlen(*words)]))
            return true;
    }
    return false;
}

/* The length of the number that begins here, such as 0.5, 1,001,000 or -3. A version is none. */
static size_t number_length(const char *at)
{
    size_t length = at[0] == '-', digits = strspn(at + length, "0123456789");
    if (digits == 0)
        return 0;
    length += digits;
    while (at[length] == ',' && strspn(at + length + 1, "0123456789") == 3)
        length += 4;
    if (at[length] == '.' && isdigit((unsigned char)at[length + 1]))
        length += 1 + strspn(at + length + 1, "0123456789");
    bool goes_on =
        (at[length] == '.' || at[length] == '-') && isalnum((unsigned char)at[length + 1]);
    return goes_on || isalnum((unsigned char)at[length]) || at[length] == '_' ? 0 : length;
}

static bool has_unit(const char *end)
{
    static const char *const units[] = {"ns",
                                        "µs",
                                        "us",
                                        "ms",
                                        "s",
                                        "%",
                                        "B",
                                        "KB",
                                        "kB",
                                        "MB",
                                        "GB",
                                        "KiB",
                                        "MiB",
                                        "GiB",
                                        "bytes",
                                        "times",
                                        "RPCs",
                                        "requests",
                                        "notifications",
                                        "creates",
                                        "reads",
                                        "handoffs",
                                        "a second",
                                        "per second",
                                        NULL};
    size_t upper = begins(end, " to ") ? number_length(end + strlen(" to ")) : 0;
    if (upper > 0)
        end += strlen(" to ") + upper;
    return is_followed(end, units) || (begins(end, " of ") && isdigit((unsigned char)end[4]));
}

static bool is_size(const char *end)
{
    static const char *const sizes[] = {"clients", "sessions", "connections", "waiters", NULL};
    return is_followed(end, sizes);
}

static bool may_begin_number(const char *at)
{
    return strchr(" \n(|*", at[-1]) != NULL;
}

static bool is_cell(const char *at, const char *end)
{
    while (at[-1] == '*')
        at--;
    end += strspn(end, "*");
    return at[-1] == ' ' && at[-2] == '|' && begins(end, " |");
}

static bool is_in_backquotes(const char *line, const char *at)
{
    bool inside = false;
    for (; line < at; line++)
        inside ^= *line == '`';
    return inside;
}

static bool is_first_row(const char *line)
{
    return line[0] == '|' && begins(line + strcspn(line, "\n"), "\n|--");
}

static bool may_be_measured(const char *line, struct span number)
{
    const char *end = number.at + number.length;
    if (is_first_row(line) || is_in_backquotes(line, number.at) || is_size(end) ||
        begins(number.at, "95 %"))
        return false;
    if (has_unit(end))
        return true;
    return !begins(line, CODE) &&
           (memchr(number.at, '.', number.length) != NULL ||
            memchr(number.at, ',', number.length) != NULL || is_cell(number.at, end));
}

bool document_next(const struct document *document, const char **at, struct span *number)
{
    const char *line = document->text;
    for (const char *here = document->text + 1; *here != '\0'; here++) {
        if (here[-1] == '\n')
            line = here;
        if (here < *at || !may_begin_number(here) || document->known[here - document->text])
            continue;
        *number = (struct span){here, number_length(here)};
        if (number->length > 0 && may_be_measured(line, *number)) {
            *at = here + number->length;
            return true;
        }
    }
    return false;
}
