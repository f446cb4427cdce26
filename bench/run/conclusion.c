// SPDX-License-Identifier: Apache-2.0
#include "bench/run/conclusion.h"

#include "base/text.h"
#include "bench/cli/terminal.h"
#include "bench/run/fits.h"

#include <stdarg.h>
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
