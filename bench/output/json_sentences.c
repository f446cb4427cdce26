// SPDX-License-Identifier: Apache-2.0
#include "bench/output/json_sentences.h"

#include "bench/output/json_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void json_sentences_begin(struct json_sentences *sentences)
{
    *sentences = (struct json_sentences){0};
    sentences->stream = open_memstream(&sentences->text, &sentences->size);
}

/* Joins the indented lines to the one before, in place; returns the end of the sentence. */
static char *join_lines(char *text)
{
    char *to = text;
    while (*text != '\0' && (*text != '\n' || text[1] == ' ')) {
        if (*text == '\n')
            text += strspn(text + 1, " ");
        *to++ = *text++;
    }
    char *next = text + (*text == '\n');
    *to = '\0';
    return next;
}

static json_t *list_sentences(char *text)
{
    json_t *list = json_array();
    while (*text != '\0') {
        char *next = join_lines(text);
        if (*text != '\0')
            json_array_append_new(list, json_text(text));
        text = next;
    }
    return list;
}

json_t *json_sentences_end(struct json_sentences *sentences)
{
    bool whole = sentences->stream != NULL && fclose(sentences->stream) == 0;
    json_t *list = whole ? list_sentences(sentences->text) : NULL;
    free(sentences->text);
    return list;
}
