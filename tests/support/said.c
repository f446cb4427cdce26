// SPDX-License-Identifier: Apache-2.0
#include "tests/support/said.h"

#include "tests/support/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *file;
static int standard_error = -1;

void said_begin(void)
{
    file = tmpfile();
    assert_non_null(file);
    standard_error = dup(STDERR_FILENO);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
}

const char *said_end(void)
{
    static char text[16384];
    fflush(stderr);
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

const char *said_sentences(void)
{
    static char text[16384];
    strcpy(text, said_end());
    words_unwrap(text);
    return text;
}
