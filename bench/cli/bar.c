// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/bar.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define EIGHTHS 8

static void put_signs(size_t count, const char *sign, char *text)
{
    size_t length = strlen(sign);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * length, sign, length + 1);
}

static void put_blocks(double columns, char *text)
{
    static const char *const part[EIGHTHS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t eighths = (size_t)fmax(1, round(columns * EIGHTHS));
    put_signs(eighths / EIGHTHS, "█", text);
    strcat(text, part[eighths % EIGHTHS]);
}

static void put_plain(double columns, char *text)
{
    size_t whole = (size_t)round(columns);
    put_signs(whole > 0 ? whole : 1, whole > 0 ? "#" : ".", text);
}

const char *bar_put(double value, double most, size_t columns, bool blocks, char text[BAR_SIZE])
{
    assert(columns >= 1 && columns <= BAR_COLUMNS_MAX);
    text[0] = '\0';
    if (!(isfinite(value) && value > 0 && isfinite(most) && most > 0))
        return text;
    double length = fmin(value / most, 1) * (double)columns;
    if (blocks)
        put_blocks(length, text);
    else
        put_plain(length, text);
    return text;
}
