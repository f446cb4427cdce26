// SPDX-License-Identifier: Apache-2.0
#include "bench/run/handoff_bars.h"

#include "base/text.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <string.h>

#define LINES_WANTED    24 /* of all recipes together, where two of each are fewer */
#define LEVELS_MIN      2
#define LEVELS_MAX      8 /* of a recipe */
#define BAR_COLUMNS_MIN 10
#define VALUE_SIZE      32

/* NaN if there is no handoff. A lock that does not work is cheap: it has no bar beside others. */
static double rpcs_per_handoff(const struct table *rows, const struct recipe *recipe,
                               uint64_t clients)
{
    double rpcs = 0, handoffs = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        if (!trial_row_is_of(row, recipe) || row[trial_row_clients].count != clients ||
            !trial_row_counts(row))
            continue;
        rpcs += (double)row[trial_row_rpcs].count;
        handoffs += (double)row[trial_row_handoffs].count;
    }
    return handoffs > 0 ? rpcs / handoffs : NAN;
}

/* "5.0", "1,001". */
static const char *format(double value, char text[VALUE_SIZE])
{
    if (value < 999.95)
        snprintf(text, VALUE_SIZE, "%.1f", value);
    else
        text_format_count((uint64_t)llround(value), text, VALUE_SIZE);
    return text;
}

/* What the lines of the picture have in common. */
struct frame {
    const struct table *rows;
    const struct options *options;
    double most;
    int name, clients; /* columns */
    size_t bar;
    size_t levels; /* lines of a recipe, at most */
    bool blocks;
};

static void widen(int *columns, size_t length)
{
    *columns = (int)length > *columns ? (int)length : *columns;
}

/* How many bars a recipe could have; they and their texts are noted in the frame. */
static size_t survey(struct frame *frame, const struct recipe *recipe)
{
    size_t bars = 0;
    for (size_t i = 0; i < frame->options->plan.clients.count; i++) {
        uint64_t clients = frame->options->plan.clients.list[i];
        double value = rpcs_per_handoff(frame->rows, recipe, clients);
        if (isnan(value))
            continue;
        char number[VALUE_SIZE];
        widen(&frame->name, strlen(recipe->name));
        widen(&frame->clients, strlen(text_format_count(clients, number, sizeof number)));
        frame->most = fmax(frame->most, value);
        bars++;
    }
    return bars;
}

/* Whether one of `count` levels is among so many (2 or more) that are spread over them evenly: of
 * these, number i stands at i (count - 1) / (shown - 1), rounded. */
static bool is_shown(size_t at, size_t count, size_t shown)
{
    if (count <= shown)
        return true;
    for (size_t i = 0; i < shown; i++) {
        if ((2 * i * (count - 1) + shown - 1) / (2 * (shown - 1)) == at)
            return true;
    }
    return false;
}

static void write_line(const struct frame *frame, const char *name, uint64_t clients, double value,
                       FILE *stream)
{
    char number[VALUE_SIZE], bar[BAR_SIZE], text[VALUE_SIZE];
    bar_put(value, frame->most, frame->bar, frame->blocks, bar);
    fprintf(stream, "%-*s %*s %s%s%s\n", frame->name, name, frame->clients,
            text_format_count(clients, number, sizeof number), bar, bar[0] != '\0' ? " " : "",
            format(value, text));
}

static void write_recipe(const struct frame *frame, const struct recipe *recipe, size_t bars,
                         FILE *stream)
{
    const char *name = recipe->name;
    size_t at = 0;
    for (size_t i = 0; i < frame->options->plan.clients.count; i++) {
        uint64_t clients = frame->options->plan.clients.list[i];
        double value = rpcs_per_handoff(frame->rows, recipe, clients);
        if (isnan(value) || !is_shown(at++, bars, frame->levels))
            continue;
        write_line(frame, name, clients, value, stream);
        name = "";
    }
}

static size_t levels_of_each(size_t recipes)
{
    size_t levels = LINES_WANTED / recipes;
    if (levels < LEVELS_MIN)
        return LEVELS_MIN;
    return levels < LEVELS_MAX ? levels : LEVELS_MAX;
}

/* Whether there is room for bars. */
static bool fit(struct frame *frame, size_t width)
{
    char text[VALUE_SIZE];
    size_t beside = (size_t)frame->name + (size_t)frame->clients + strlen("   ") +
                    strlen(format(frame->most, text));
    width = width < TERMINAL_COLUMNS ? width : TERMINAL_COLUMNS;
    frame->bar = width > beside ? width - beside : 0;
    return frame->bar >= BAR_COLUMNS_MIN;
}

void handoff_bars_write(const struct table *rows, const struct options *options, size_t width,
                        bool blocks, FILE *stream)
{
    struct frame frame = {.rows = rows, .options = options, .blocks = blocks};
    size_t bars[OPTIONS_RECIPES_MAX], all = 0, recipes = 0;
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        bars[i] = survey(&frame, options->plan.recipes[i]);
        all += bars[i];
        recipes += bars[i] > 0;
    }
    if (all < 2 || !fit(&frame, width))
        return;
    frame.levels = levels_of_each(recipes);
    fputs("\nRPCs per handoff, against clients; all bars on one linear scale\n", stream);
    for (size_t i = 0; i < options->plan.recipe_count; i++)
        write_recipe(&frame, options->plan.recipes[i], bars[i], stream);
}
