// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define INDENT    4
#define TEXT_SIZE 4096 /* the names of OPTIONS_RECIPES_MAX recipes */

static bool fails(const struct table_value *row)
{
    return row[trial_row_violations].count > 0;
}

static bool is_not_valid(const struct table_value *row)
{
    return !fails(row) && !row[trial_row_valid].flag;
}

static bool any(const struct table *rows, bool (*is)(const struct table_value *row))
{
    for (size_t i = 0; i < rows->rows; i++) {
        if (is(table_row(rows, i)))
            return true;
    }
    return false;
}

/* Of all trials: a verdict that fails outweighs a trial that is not valid. */
struct verdict {
    const char *word, *colour;
};

static struct verdict verdict_of(const struct table *rows)
{
    if (any(rows, fails))
        return (struct verdict){"FAILS", TERMINAL_RED};
    if (any(rows, is_not_valid))
        return (struct verdict){"not valid", TERMINAL_YELLOW};
    return (struct verdict){"holds", TERMINAL_GREEN};
}

const char *conclusion_word(const struct table *rows)
{
    return verdict_of(rows).word;
}

__attribute__((format(printf, 2, 3))) static void tell(FILE *stream, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stream, "%*s", INDENT, "");
    wrap_write(text, INDENT, stream);
}

/* ------------------------------------------------------------------ where */

/* The trials of a recipe of which something is the case. */
struct share {
    size_t trials, of;
    uint64_t least, most; /* clients */
};

static struct share share_of(const struct table *rows, const struct recipe *recipe,
                             bool (*is)(const struct table_value *row))
{
    struct share share = {.least = UINT64_MAX};
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        if (!trial_row_is_of(row, recipe))
            continue;
        share.of++;
        if (!is(row))
            continue;
        share.trials++;
        share.least =
            row[trial_row_clients].count < share.least ? row[trial_row_clients].count : share.least;
        share.most =
            row[trial_row_clients].count > share.most ? row[trial_row_clients].count : share.most;
    }
    return share;
}

static void tell_share(const char *recipe, const struct share *share, const char *what,
                       FILE *stream)
{
    char least[32], most[32];
    text_format_count(share->least, least, sizeof least);
    text_format_count(share->most, most, sizeof most);
    bool one = share->least == share->most;
    tell(stream, "%s: %zu of %zu trial%s %s, with %s%s%s client%s", recipe, share->trials,
         share->of, share->of == 1 ? "" : "s", what, least, one ? "" : " to ", one ? "" : most,
         share->most == 1 ? "" : "s");
}

static void tell_where(const struct table *rows, const struct options *options, FILE *stream)
{
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        const struct recipe *recipe = options->plan.recipes[i];
        struct share failed = share_of(rows, recipe, fails);
        struct share lost = share_of(rows, recipe, is_not_valid);
        if (failed.trials > 0)
            tell_share(recipe->name, &failed, failed.trials == 1 ? "fails" : "fail", stream);
        if (lost.trials > 0)
            tell_share(recipe->name, &lost, lost.trials == 1 ? "is not valid" : "are not valid",
                       stream);
    }
}

/* Of the trials that were not made nothing is known. */
static void tell_missing(const struct table *rows, size_t planned, FILE *stream)
{
    char made[32], all[32];
    if (rows->rows < planned)
        tell(stream, "The run ended after %s of %s trials",
             text_format_count(rows->rows, made, sizeof made),
             text_format_count(planned, all, sizeof all));
}

/* ------------------------------------------------------------------ the counts */

static bool counts_stand(const struct table_value *row)
{
    return !fails(row) && row[trial_row_complete].flag;
}

/* A trial whose counts differ from its law fails. */
static bool equals_law(const struct table_value *row)
{
    return counts_stand(row) && row[trial_row_has_law].flag;
}

static bool lacks_law(const struct table_value *row)
{
    return counts_stand(row) && !row[trial_row_has_law].flag;
}

static void tell_counts(const struct table *rows, const struct options *options, FILE *stream)
{
    bool equal = any(rows, equals_law), lack = any(rows, lacks_law);
    bool fail = any(rows, fails);
    if (equal && lack)
        tell(stream, "%s counts that have a law equal it", fail ? "The other" : "All");
    else if (equal)
        tell(stream, "%s",
             fail ? "The counts of the other trials equal their laws"
                  : "All counts equal their laws");
    else if (lack)
        tell(stream, "No law applies to these counts%s",
             options->plan.pace == PACE_FREE ? ": in free pace they depend on timing" : "");
}

/* ------------------------------------------------------------------ growth */

__attribute__((format(printf, 2, 3))) static void append(char text[TEXT_SIZE], const char *format,
                                                         ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, TEXT_SIZE - length, format, arguments);
    va_end(arguments);
}

/* "RPCs grow as O(n²): nonscalable, childwatch; as O(n): scalable". An order comes where its first
 * recipe does. */
static void tell_growth(const struct table *rows, const struct options *options, FILE *stream)
{
    const char *order[OPTIONS_RECIPES_MAX];
    char text[TEXT_SIZE] = "";
    for (size_t i = 0; i < options->plan.recipe_count; i++)
        order[i] = fits_order_of_rpcs(rows, options->plan.recipes[i], options);
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        if (order[i] == NULL)
            continue;
        append(text, "%s as %s: ", text[0] == '\0' ? "RPCs grow" : ";", order[i]);
        const char *same = order[i], *comma = "";
        for (size_t other = i; other < options->plan.recipe_count; other++) {
            if (order[other] == NULL || strcmp(order[other], same) != 0)
                continue;
            append(text, "%s%s", comma, options->plan.recipes[other]->name);
            comma = ", ";
            order[other] = NULL;
        }
    }
    if (text[0] != '\0')
        tell(stream, "%s", text);
}

void conclusion_write(const struct table *rows, size_t planned, const struct options *options,
                      bool colours, FILE *stream)
{
    struct verdict verdict = verdict_of(rows);
    fprintf(stream, "\nverdict: %s%s%s\n", colours ? verdict.colour : "", verdict.word,
            colours ? TERMINAL_PLAIN : "");
    tell_missing(rows, planned, stream);
    tell_where(rows, options, stream);
    tell_counts(rows, options, stream);
    tell_growth(rows, options, stream);
}

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

/* What the valid trials of a cell come to that have the percentile alone and contended. */
struct price {
    size_t trials;
    double alone_us, contended_us;
    struct interval ratio;
};

/* of_p99: of the 99th percentile, else of the median. */
static struct price price_of(const struct table *rows, const struct recipe *recipe,
                             uint64_t clients, bool of_p99)
{
    size_t alone = of_p99 ? trial_row_background_alone_p99_us : trial_row_background_alone_p50_us,
           contended = of_p99 ? trial_row_background_p99_us : trial_row_background_p50_us;
    double *alone_us = memory_new(3 * rows->rows, sizeof *alone_us),
           *contended_us = alone_us + rows->rows, *ratios = contended_us + rows->rows;
    size_t count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        double of_alone = table_number(&row[alone]), of_contended = table_number(&row[contended]);
        if (!trial_row_is_of(row, recipe) || row[trial_row_clients].count != clients ||
            !row[trial_row_valid].flag || isnan(of_alone) || isnan(of_contended))
            continue;
        alone_us[count] = of_alone;
        contended_us[count] = of_contended;
        ratios[count++] = of_contended / of_alone;
    }
    struct price price = {.trials = count,
                          .alone_us = table_geometric(alone_us, count).value,
                          .contended_us = table_geometric(contended_us, count).value,
                          .ratio = table_geometric(ratios, count)};
    free(alone_us);
    return price;
}

/* ------------------------------------------------------------------ background.csv */

#define PRICE(X, percentile)                                                                       \
    X(alone_##percentile##_us, csv_real(csv, percentile.alone_us, 1))                              \
    X(contended_##percentile##_us, csv_real(csv, percentile.contended_us, 1))                      \
    X(ratio_##percentile, csv_real(csv, percentile.ratio.value, 3))                                \
    X(ratio_##percentile##_low, csv_real(csv, percentile.ratio.low, 3))                            \
    X(ratio_##percentile##_high, csv_real(csv, percentile.ratio.high, 3))

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, context->run))                                                            \
    X(recipe, csv_text(csv, recipe->name))                                                         \
    X(clients, csv_count(csv, clients))                                                            \
    X(trials, csv_count(csv, p50.trials))                                                          \
    PRICE(X, p50)                                                                                  \
    PRICE(X, p99)

const char background_price_columns[] = COLUMNS(CSV_NAME);

void background_price_write(const struct table *rows, const struct recipe *recipe,
                            const struct trial_row_context *context, struct csv *csv)
{
    const struct levels *levels = &context->options->plan.clients;
    for (size_t i = 0; i < levels->count; i++) {
        uint64_t clients = levels->list[i];
        const struct price p50 = price_of(rows, recipe, clients, false),
                           p99 = price_of(rows, recipe, clients, true);
        if (p50.trials > 0) {
            COLUMNS(CSV_WRITE) csv_end_row(csv);
        }
    }
}

/* ------------------------------------------------------------------ sentences */

static void tell_price(const struct price *price, const char *recipe, uint64_t clients,
                       const char *percentile, FILE *stream)
{
    char between[64] = "";
    if (isfinite(price->ratio.low))
        snprintf(between, sizeof between, " (95 %% CI %.2g to %.2g)", price->ratio.low,
                 price->ratio.high);
    wrap_sentence(stream,
                  "%s, %llu clients: a request of the background takes %.2f ms (%s) instead of "
                  "%.2f ms alone, %.2g times as long%s",
                  recipe, (unsigned long long)clients, price->contended_us / 1e3, percentile,
                  price->alone_us / 1e3, price->ratio.value, between);
}

static void tell_most(const struct table *rows, const struct recipe *recipe,
                      const struct levels *levels, bool of_p99, FILE *stream)
{
    for (size_t i = levels->count; i-- > 0;) {
        const struct price price = price_of(rows, recipe, levels->list[i], of_p99);
        if (!isfinite(price.ratio.value))
            continue;
        tell_price(&price, recipe->name, levels->list[i], of_p99 ? "p99" : "median", stream);
        return;
    }
}

void background_price_tell(const struct table *rows, const struct options *options, FILE *stream)
{
    for (size_t i = 0; options->plan.background.given && i < options->plan.recipe_count; i++) {
        const struct recipe *recipe = options->plan.recipes[i];
        tell_most(rows, recipe, &options->plan.clients, false, stream);
        tell_most(rows, recipe, &options->plan.clients, true, stream);
    }
}
