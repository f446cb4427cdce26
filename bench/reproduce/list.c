// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/reproduce/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ lines */

char **list_words(const char *line, char quote, size_t *count)
{
    size_t length = strlen(line);
    char **words = memory_new(1, (length / 2 + 2) * sizeof *words + length + 2);
    char *to = (char *)(words + length / 2 + 2);
    bool quoted = false, inside = false;
    *count = 0;
    for (; *line != '\0'; line++) {
        if (*line == ' ' && !quoted) {
            *to = '\0';
            to += inside;
            inside = false;
            continue;
        }
        if (!inside)
            words[(*count)++] = to;
        inside = true;
        if (*line == quote)
            quoted = !quoted;
        else
            *to++ = *line;
    }
    *to = '\0';
    return words;
}

/* Takes the next line that says something: its key, and its words behind the blanks. Both are in
 * *line, the caller's to free. False at the end. */
static bool next_line(const char **text, char **line, char **key, char **words)
{
    while (**text != '\0') {
        size_t length = strcspn(*text, "\n");
        const char *from = *text;
        *text += length + ((*text)[length] == '\n');
        if (length == 0 || *from == '#')
            continue;
        *line = memory_format("%.*s", (int)length, from);
        *key = *line;
        *words = *line + strcspn(*line, " ");
        if (**words != '\0')
            *(*words)++ = '\0';
        *words += strspn(*words, " ");
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ figures.txt */

/* A sentence, while its lines are read. */
struct sentence {
    char *document, *words, *from;
    char *rest; /* its words from the next figure on */
};

static char *without_braces(const char *words)
{
    char *plain = memory_text(words), *to = plain;
    for (; *words != '\0'; words++) {
        if (*words != '{' && *words != '}')
            *to++ = *words;
    }
    *to = '\0';
    return plain;
}

/* The next figure that the sentence prints; NULL: it prints none. */
static char *next_printed(struct sentence *sentence)
{
    char *open = sentence->rest != NULL ? strchr(sentence->rest, '{') : NULL;
    char *close = open != NULL ? strchr(open, '}') : NULL;
    if (close == NULL)
        return NULL;
    sentence->rest = close + 1;
    return memory_format("%.*s", (int)(close - open - 1), open + 1);
}

static struct figure *add_figure(struct figures *figures, enum figure_kind kind,
                                 const struct sentence *sentence)
{
    figures->list = memory_grow(figures->list, figures->count, sizeof *figures->list);
    struct figure *figure = &figures->list[figures->count++];
    *figure = (struct figure){.kind = kind, .document = memory_text(sentence->document)};
    return figure;
}

static void add(struct figures *figures, enum figure_kind kind, struct sentence *sentence,
                const char *take)
{
    struct figure *figure = add_figure(figures, kind, sentence);
    figure->sentence = without_braces(sentence->words);
    figure->printed = next_printed(sentence);
    figure->from = memory_text(sentence->from);
    figure->take = memory_text(take);
}

/* Claims: files and conditions, and behind them the columns that name a claim. */
static void add_claims(struct figures *figures, const struct sentence *sentence, const char *words)
{
    size_t count, at = 0;
    struct growing_text from = {0}, columns = {0};
    char **list = list_words(words, '"', &count);
    for (; at < count && (strstr(list[at], ".csv") != NULL || strchr(list[at], '=') != NULL); at++)
        growing_text_add(&from, "%s%s", at > 0 ? " " : "", list[at]);
    for (; at < count; at++)
        growing_text_add(&columns, "%s%s", columns.length > 0 ? " " : "", list[at]);
    struct figure *figure = add_figure(figures, FIGURE_VERDICT, sentence);
    figure->from = from.text;
    figure->take = columns.text;
    free(list);
}

static void replace(char **text, const char *by)
{
    free(*text);
    *text = memory_text(by);
}

struct figures figures_read(const char *text)
{
    struct figures figures = {0};
    struct sentence sentence = {memory_text(""), memory_text(""), memory_text(""), NULL};
    char *line, *key, *words;
    while (next_line(&text, &line, &key, &words)) {
        if (strcmp(key, "document") == 0) {
            replace(&sentence.document, words);
        } else if (strcmp(key, "says") == 0 || strcmp(key, "printed") == 0) {
            replace(&sentence.words, words);
            sentence.rest = sentence.words;
        } else if (strcmp(key, "from") == 0) {
            replace(&sentence.from, words);
        } else if (strcmp(key, "figure") == 0) {
            add(&figures, FIGURE_MEASURED, &sentence, words);
        } else if (strcmp(key, "exact") == 0) {
            add(&figures, FIGURE_EXACT, &sentence, words);
        } else if (strcmp(key, "claims") == 0) {
            add_claims(&figures, &sentence, words);
        } /* section and because say why there are no figures */
        free(line);
    }
    free(sentence.document);
    free(sentence.words);
    free(sentence.from);
    return figures;
}

void figures_deinit(struct figures *figures)
{
    for (size_t i = 0; i < figures->count; i++) {
        struct figure *figure = &figures->list[i];
        free(figure->document);
        free(figure->sentence);
        free(figure->printed);
        free(figure->from);
        free(figure->take);
    }
    free(figures->list);
    *figures = (struct figures){0};
}

/* ------------------------------------------------------------------ parts.txt */

static void add_command(char *list[], size_t *count, const char *command)
{
    assert(*count < PART_COMMANDS_MAX);
    list[(*count)++] = memory_text(command);
}

static void add_part(struct parts *parts, const char *words)
{
    size_t name = strcspn(words, " ");
    parts->list = memory_grow(parts->list, parts->count, sizeof *parts->list);
    parts->list[parts->count++] =
        (struct part){.name = memory_format("%.*s", (int)name, words),
                      .about = memory_text(words + name + strspn(words + name, " ")),
                      .makes = memory_text(""),
                      .in = memory_text("")};
}

struct parts parts_read(const char *text)
{
    struct parts parts = {0};
    char *line, *key, *words;
    while (next_line(&text, &line, &key, &words)) {
        struct part *part = parts.count > 0 ? &parts.list[parts.count - 1] : NULL;
        bool begins = strcmp(key, "part") == 0;
        assert(begins || part != NULL);
        if (begins)
            add_part(&parts, words);
        else if (strcmp(key, "makes") == 0)
            replace(&part->makes, words);
        else if (strcmp(key, "in") == 0)
            replace(&part->in, words);
        else if (strcmp(key, "run") == 0)
            add_command(part->run, &part->run_count, words);
        else if (strcmp(key, "quick") == 0)
            add_command(part->quick, &part->quick_count, words);
        else if (strcmp(key, "elsewhere") == 0)
            replace(&part->elsewhere, words);
        free(line);
    }
    return parts;
}

void parts_deinit(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        struct part *part = &parts->list[i];
        free(part->name);
        free(part->about);
        free(part->makes);
        free(part->in);
        free(part->elsewhere);
        for (size_t k = 0; k < part->run_count; k++)
            free(part->run[k]);
        for (size_t k = 0; k < part->quick_count; k++)
            free(part->quick[k]);
    }
    free(parts->list);
    *parts = (struct parts){0};
}

/* Whether a file is this one, or lies in the folder: what is behind that; NULL: it does not. */
static const char *behind(const char *file, const char *made, size_t length)
{
    bool within = strncmp(file, made, length) == 0 && (file[length] == '/' || file[length] == '\0');
    return within ? file + length : NULL;
}

struct part *parts_find(const struct parts *parts, const char *file, char **path)
{
    struct part *found = NULL;
    for (size_t i = 0; found == NULL && i < parts->count; i++) {
        size_t count;
        char **made = list_words(parts->list[i].makes, '"', &count);
        for (size_t k = 0; found == NULL && k < count; k++) {
            size_t length = strcspn(made[k], "=");
            const char *rest = behind(file, made[k], length);
            if (rest == NULL)
                continue;
            found = &parts->list[i];
            if (path != NULL)
                *path = memory_format(
                    "%s%s", made[k][length] == '=' ? made[k] + length + 1 : made[k], rest);
        }
        free(made);
    }
    return found;
}

struct part *parts_of(const struct parts *parts, const struct figure *figure, char **path)
{
    size_t length = strlen(REFERENCE_PREFIX), end = strcspn(figure->from, " ");
    char *file = memory_format("%.*s", (int)end, figure->from);
    bool below = strncmp(file, REFERENCE_PREFIX, length) == 0;
    struct part *part = parts_find(parts, below ? file + length : file, path);
    free(file);
    return part;
}
