// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/plot_formats.h"

#include "base/text.h"

#include <stddef.h>
#include <string.h>

const char *const plot_formats[PLOT_FORMATS] = {"svg", "png", "pdf", "eps"};

bool plot_formats_parse(const char *list, unsigned *wanted)
{
    unsigned parsed = 0;
    char item[8];
    while (text_next_item(&list, item, sizeof item)) {
        size_t i = 0;
        while (i < PLOT_FORMATS && strcmp(item, plot_formats[i]) != 0)
            i++;
        if (i == PLOT_FORMATS)
            return false;
        parsed |= 1u << i;
    }
    if (parsed == 0)
        return false;
    *wanted = parsed;
    return true;
}
