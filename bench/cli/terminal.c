// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned terminal_columns(int descriptor)
{
    struct winsize size = {0};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return TERMINAL_COLUMNS;
    return size.ws_col;
}

struct terminal_look terminal_judge(bool is_terminal, const char *term, const char *no_color,
                                    const char *charset)
{
    bool capable = is_terminal && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
    bool unicode = strcasecmp(charset, "UTF-8") == 0 || strcasecmp(charset, "UTF8") == 0;
    return (struct terminal_look){.controls = capable,
                                  .colours = capable && (no_color == NULL || no_color[0] == '\0'),
                                  .blocks = capable && unicode && strcmp(term, "linux") != 0};
}

struct terminal_look terminal_look(int descriptor)
{
    char charset[32] = "";
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (locale != (locale_t)0) {
        snprintf(charset, sizeof charset, "%s", nl_langinfo_l(CODESET, locale));
        freelocale(locale);
    }
    return terminal_judge(isatty(descriptor) == 1, getenv("TERM"), getenv("NO_COLOR"), charset);
}
