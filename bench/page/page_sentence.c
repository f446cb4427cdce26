// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_sentence.h"

#include "bench/output/verdict.h"
#include "bench/page/html.h"

#include <stdarg.h>
#include <string.h>

#define SENTENCE_SIZE 1024

/* A word from a file could be any text, and becomes the name of a class. */
static const char *known(const char *verdict)
{
    for (enum verdict i = 0; i < VERDICTS; i++) {
        if (strcmp(verdict, verdict_word(i)) == 0)
            return verdict_word(i);
    }
    return strcmp(verdict, PAGE_MEASURED) == 0 ? PAGE_MEASURED : verdict_word(VERDICT_UNDETERMINED);
}

void page_sentence(FILE *stream, const char *verdict, const char *format, ...)
{
    char sentence[SENTENCE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const char *word = known(verdict);
    fprintf(stream, "<li class=\"%s\"><strong>%s</strong> ", word, word);
    html_text(stream, sentence);
    fputs("</li>\n", stream);
}
