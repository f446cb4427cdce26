// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/terminal.h"

#include "base/memory.h"
#include "base/printable.h"

#include <assert.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SENTENCE_SIZE 2048
#define HANGING       4
#define EIGHTHS       8

unsigned terminal_columns(int descriptor)
{
    struct winsize size = {0};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return TERMINAL_COLUMNS;
    return size.ws_col;
}

static bool is_utf8(const char *charset)
{
    return strcasecmp(charset, "UTF-8") == 0 || strcasecmp(charset, "UTF8") == 0;
}

struct terminal_abilities terminal_judge(bool is_terminal, const char *term, const char *no_color,
                                         const char *charset)
{
    bool capable = is_terminal && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
    return (struct terminal_abilities){
        .controls = capable,
        .colours = capable && (no_color == NULL || no_color[0] == '\0'),
        .blocks = capable && is_utf8(charset) && strcmp(term, "linux") != 0};
}

static const char *find_charset(char *charset, size_t size)
{
    charset[0] = '\0';
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (locale != (locale_t)0) {
        snprintf(charset, size, "%s", nl_langinfo_l(CODESET, locale));
        freelocale(locale);
    }
    return charset;
}

struct terminal_abilities terminal_abilities(int descriptor)
{
    char charset[32];
    return terminal_judge(isatty(descriptor) == 1, getenv("TERM"), getenv("NO_COLOR"),
                          find_charset(charset, sizeof charset));
}

/* ------------------------------------------------------------------ signs beyond ASCII */

/* Each sign, and what stands for it in ASCII. */
static const char *const spellings[][2] = {{"²", "^2"}, {"³", "^3"}, {"·", ""}, {"…", ".."},
                                           {"–", "-"},  {"≥", ">="}, {"µ", "u"}};
enum { IN_SIGNS, IN_ASCII, SPELLINGS = sizeof spellings / sizeof spellings[0], POWERS = 2 };

/* Replaces the first so many of the spellings, each by the other of its pair. */
static char *respell(const char *text, int spelled, size_t count)
{
    struct growing_text becomes = {0};
    growing_text_add(&becomes, "%s", "");
    while (*text != '\0') {
        size_t i = 0;
        while (i < count &&
               strncmp(text, spellings[i][spelled], strlen(spellings[i][spelled])) != 0)
            i++;
        growing_text_add(&becomes, i < count ? "%s" : "%.1s",
                         i < count ? spellings[i][!spelled] : text);
        text += i < count ? strlen(spellings[i][spelled]) : 1;
    }
    return becomes.text;
}

static bool shows_signs(FILE *stream)
{
    char charset[32];
    return isatty(fileno(stream)) != 1 || is_utf8(find_charset(charset, sizeof charset));
}

char *terminal_spell_formula(const char *formula, FILE *stream)
{
    return respell(formula, IN_ASCII, shows_signs(stream) ? POWERS : 0);
}

/* ------------------------------------------------------------------ lines */

/* column: where the first word is to stand. */
static void write_words(const char *words, size_t column, size_t indent, FILE *stream)
{
    bool begins = true;
    char *spelled = respell(words, IN_SIGNS, shows_signs(stream) ? 0 : SPELLINGS);
    const char *text = spelled;
    while (*text != '\0') {
        size_t length = strcspn(text, " "), width = printable_columns(text, length);
        if (!begins && column + 1 + width > TERMINAL_COLUMNS) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!begins) {
            fputc(' ', stream);
            column++;
        }
        begins = false;
        fprintf(stream, "%.*s", (int)length, text);
        column += width;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', stream);
    free(spelled);
}

void wrap_write(const char *text, size_t indent, FILE *stream)
{
    write_words(text, indent, indent, stream);
}

void wrap_hanging(const char *text, FILE *stream)
{
    write_words(text, 0, HANGING, stream);
}

void wrap_sentence(FILE *stream, const char *format, ...)
{
    char text[SENTENCE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wrap_hanging(text, stream);
}

const char *bar_format(double value, double most, size_t columns, bool blocks, char text[BAR_SIZE])
{
    static const char *const part[EIGHTHS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    assert(columns >= 1 && columns <= BAR_COLUMNS_MAX);
    text[0] = '\0';
    if (!(isfinite(value) && value > 0 && isfinite(most) && most > 0))
        return text;
    double length = fmin(value / most, 1) * (double)columns;
    size_t whole = (size_t)round(length), eighths = (size_t)fmax(1, round(length * EIGHTHS));
    for (size_t i = 0; i < (blocks ? eighths / EIGHTHS : whole); i++)
        strcat(text, blocks ? "█" : "#");
    return strcat(text, blocks ? part[eighths % EIGHTHS] : whole == 0 ? "." : "");
}
