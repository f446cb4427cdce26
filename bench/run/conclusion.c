// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define INDENT    4
#define TEXT_SIZE 4096 /* the names of OPTIONS_RECIPES_MAX recipes */

void conclusion_line(FILE *stream, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stream, "%*s", INDENT, "");
    wrap_write(text, INDENT, stream);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* ------------------------------------------------------------------ the verdict */

/* The trials of a recipe whose verdict is this one. */
static void tell_where(const struct outcome_recipe *recipe, int verdict, FILE *stream)
{
    size_t count = 0, of = 0;
    uint64_t least_clients = 0, most_clients = 0;
    for (size_t i = 0; i < recipe->count; i++) {
        const struct table_cell *trials = &recipe->cells[i].trials;
        size_t before = count;
        of += trials->count;
        for (size_t j = 0; j < trials->count; j++)
            count += trial_row_verdict(table_row(trials->table, trials->rows[j])) == verdict;
        if (count == before)
            continue;
        least_clients = before == 0 ? recipe->cells[i].clients : least_clients;
        most_clients = recipe->cells[i].clients;
    }
    if (count == 0)
        return;
    char least[32], most[32], share[64];
    const char *what = verdict == 1 ? (count == 1 ? "fails" : "fail")
                       : count == 1 ? "is not valid"
                                    : "are not valid";
    bool one = least_clients == most_clients;
    text_format_count(least_clients, least, sizeof least);
    text_format_count(most_clients, most, sizeof most);
    conclusion_line(stream, "%s: %s %s, with %s%s%s client%s", recipe->recipe->name,
                    text_format_share(count, of, share, sizeof share), what, least,
                    one ? "" : " to ", one ? "" : most, plural(most_clients));
}

/* A trial whose counts differ from its law fails. */
static void tell_counts(const struct outcome *outcome, FILE *stream)
{
    bool equal = false, lack = false, fail = false;
    for (size_t i = 0; i < outcome->rows->rows; i++) {
        const struct table_value *row = table_row(outcome->rows, i);
        bool counted = row[trial_row_counted].flag, has_law = row[trial_row_has_law].flag;
        equal = equal || (counted && has_law);
        lack = lack || (counted && !has_law);
        fail = fail || trial_row_verdict(row) == 1;
    }
    if (equal && lack)
        conclusion_line(stream, "%s counts that have a law equal it", fail ? "The other" : "All");
    else if (equal)
        conclusion_line(stream, "%s",
                        fail ? "The counts of the other trials equal their laws"
                             : "All counts equal their laws");
    else if (lack)
        conclusion_line(
            stream, "No law applies to these counts%s",
            outcome->options->plan.pace == PACE_FREE ? ": in free pace they depend on timing" : "");
}

/* "RPCs grow as O(n²): nonscalable, childwatch; as O(n): scalable". An order comes where its first
 * recipe does. */
static void tell_growth(const struct outcome *outcome, FILE *stream)
{
    const char *order[OPTIONS_RECIPES_MAX];
    struct growing_text text = {0};
    size_t count = outcome->options->plan.recipe_count;
    for (size_t i = 0; i < count; i++)
        order[i] = fits_order_of_rpcs(&outcome->recipes[i]);
    for (size_t i = 0; i < count; i++) {
        const char *same = order[i], *comma = "";
        if (same == NULL)
            continue;
        growing_text_add(&text, "%s as %s: ", text.length == 0 ? "RPCs grow" : ";", same);
        for (size_t other = i; other < count; other++) {
            if (order[other] == NULL || strcmp(order[other], same) != 0)
                continue;
            growing_text_add(&text, "%s%s", comma, outcome->recipes[other].recipe->name);
            comma = ", ";
            order[other] = NULL;
        }
    }
    if (text.length > 0)
        conclusion_line(stream, "%s", text.text);
    free(text.text);
}

void conclusion_write(const struct outcome *outcome, size_t planned, bool colours, FILE *stream)
{
    int verdict = series_rows_verdict(outcome->rows, trial_row_verdict);
    size_t trials = outcome->rows->rows;
    const char *word = verdict == 1 ? "FAILS" : json_result_verdict(verdict),
               *colour = verdict == 1   ? TERMINAL_RED
                         : verdict == 4 ? TERMINAL_YELLOW
                                        : TERMINAL_GREEN;
    char made[32], all[32];
    fprintf(stream, "\nverdict: %s%s%s\n", colours ? colour : "", word,
            colours ? TERMINAL_PLAIN : "");
    if (trials < planned)
        conclusion_line(stream, "The run ended after %s of %s trials",
                        text_format_count(trials, made, sizeof made),
                        text_format_count(planned, all, sizeof all));
    for (size_t i = 0; i < outcome->options->plan.recipe_count; i++) {
        tell_where(&outcome->recipes[i], 1, stream);
        tell_where(&outcome->recipes[i], 4, stream);
    }
    tell_counts(outcome, stream);
    tell_growth(outcome, stream);
}

/* ------------------------------------------------------------------ sentences */

/* If sessions were on servers of several roles: the median handoff at the largest number of
 * clients, by the role of the server of the granted session. */
static void tell_roles(const struct outcome *outcome, FILE *stream)
{
    const struct levels *levels = &outcome->options->plan.clients;
    for (size_t r = 0; r < outcome->options->plan.recipe_count; r++) {
        const struct outcome_recipe *recipe = &outcome->recipes[r];
        struct growing_text list = {0};
        unsigned roles = 0;
        char number[32];
        if (recipe->count == 0)
            continue;
        const struct outcome_cell *cell = &recipe->cells[recipe->count - 1];
        if (cell->clients != levels->list[levels->count - 1])
            continue;
        for (size_t role = 0; role < ROLES; role++) {
            double us = table_cell_median(&cell->trials, trial_row_handoff_of_unknown_us + role,
                                          trial_row_valid);
            if (isfinite(us))
                growing_text_add(&list, "%s%s %.2f ms", roles++ > 0 ? ", " : "",
                                 role_word((enum role)role), us / 1e3);
        }
        if (roles >= 2)
            wrap_sentence(
                stream, "%s, %s clients: median handoff by the role of the new holder's server: %s",
                recipe->recipe->name, text_format_count(cell->clients, number, sizeof number),
                list.text);
        free(list.text);
    }
}

/* What the trials of a recipe left behind on the servers, and how soon the next session was granted
 * after one had died. */
struct survey {
    size_t trials, deaths;
    long long watches, ephemerals;
    double least_s, most_s; /* of the recoveries whose times stand */
};

static struct survey survey_of(const struct outcome_recipe *recipe)
{
    struct survey survey = {.least_s = INFINITY};
    for (size_t i = 0; i < recipe->count; i++) {
        const struct table_cell *trials = &recipe->cells[i].trials;
        for (size_t j = 0; j < trials->count; j++) {
            const struct table_value *row = table_row(trials->table, trials->rows[j]);
            double recovery_s = row[trial_row_recovery_s].real;
            if (strcmp(row[trial_row_reconciled].text, "na") != 0) {
                survey.watches += row[trial_row_watches_leaked].number;
                survey.ephemerals += row[trial_row_ephemerals_leaked].number;
                survey.trials++;
            }
            survey.deaths += isfinite(recovery_s) ? 1 : 0;
            if (!isfinite(recovery_s) || !row[trial_row_valid].flag)
                continue;
            survey.least_s = fmin(survey.least_s, recovery_s);
            survey.most_s = fmax(survey.most_s, recovery_s);
        }
    }
    return survey;
}

static void tell_leaks(const struct outcome *outcome, FILE *stream)
{
    for (size_t r = 0; r < outcome->options->plan.recipe_count; r++) {
        const struct survey left = survey_of(&outcome->recipes[r]);
        if (left.watches != 0 || left.ephemerals != 0)
            wrap_sentence(
                stream,
                "%s: %zu trial%s left %lld watch%s and %lld ephemeral znode%s on the servers",
                outcome->recipes[r].recipe->name, left.trials, plural(left.trials), left.watches,
                left.watches == 1 ? "" : "es", left.ephemerals, left.ephemerals == 1 ? "" : "s");
    }
}

static void tell_stalls(const struct table *rows, FILE *stream)
{
    size_t trials = 0;
    double sum_s = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        if (!row[trial_row_complete].flag || row[trial_row_stalls].count == 0)
            continue;
        trials++;
        sum_s += row[trial_row_stalled_s].real;
    }
    const char *whose = trials == 1 ? "its" : "their";
    if (trials > 0)
        wrap_sentence(stream,
                      "%zu trial%s stalled, for %.1f s in all: %s counts stand, %s times do not",
                      trials, plural(trials), sum_s, whose, whose);
}

static void tell_recoveries(const struct outcome *outcome, FILE *stream)
{
    for (size_t r = 0; r < outcome->options->plan.recipe_count; r++) {
        const struct survey survey = survey_of(&outcome->recipes[r]);
        if (survey.least_s > survey.most_s) /* no trial's times stand */
            continue;
        char *least = memory_format("%.3f", survey.least_s),
             *most = memory_format("%.3f", survey.most_s);
        bool one = strcmp(least, most) == 0;
        wrap_sentence(
            stream,
            "%s: a session died in %zu trial%s; the next grant came %s%s%s s after the death",
            outcome->recipes[r].recipe->name, survey.deaths, plural(survey.deaths), least,
            one ? "" : " to ", one ? "" : most);
        free(least);
        free(most);
    }
}

void conclusion_sentences(const struct outcome *outcome, FILE *stream)
{
    char *text = NULL;
    size_t length = 0;
    FILE *told = memory_stream(&text, &length);
    fits_tell(outcome, told);
    tell_roles(outcome, told);
    tell_leaks(outcome, told);
    tell_stalls(outcome->rows, told);
    tell_recoveries(outcome, told);
    background_price_tell(outcome, told);
    memory_stream_end(told);
    if (length > 0) {
        fputc('\n', stream);
        terminal_write(text, stream);
    }
    free(text);
}

/* ------------------------------------------------------------------ complaints */

/* A wrong law, say, fails in each trial of its recipe, and in the same way. */
static bool fails_alike(const struct table_value *a, const struct table_value *b)
{
    return trial_row_verdict(a) == trial_row_verdict(b) &&
           strcmp(a[trial_row_recipe].text, b[trial_row_recipe].text) == 0 &&
           text_says_the_same(a[trial_row_reason].text, b[trial_row_reason].text);
}

/* For a row that fails or is not valid, unless an earlier one is like it. */
static void complain_of(const struct table *rows, size_t at, const char *where)
{
    const struct table_value *first = table_row(rows, at);
    const char *recipe = first[trial_row_recipe].text, *reason = first[trial_row_reason].text,
               *what = trial_row_verdict(first) == 1 ? "the verdict fails" : "not valid";
    unsigned long long trial = first[trial_row_trial].count,
                       violations = first[trial_row_violations].count;
    char more[40] = "", clients[32];
    size_t alike = 0, trials = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        bool is_alike = fails_alike(table_row(rows, i), first);
        if (is_alike && i < at)
            return;
        alike += is_alike;
        trials += strcmp(table_row(rows, i)[trial_row_recipe].text, recipe) == 0;
    }
    if (violations > 1)
        snprintf(more, sizeof more, " (and %llu more)", violations - 1);
    text_format_count(first[trial_row_clients].count, clients, sizeof clients);
    if (alike > 1)
        complain_plainly("%s%s: %s in %zu of %zu trials; the first is trial %llu with %s clients: "
                         "%s%s",
                         where, recipe, what, alike, trials, trial, clients, reason, more);
    else
        complain_plainly("%s%s, %s clients, trial %llu: %s: %s%s", where, recipe, clients, trial,
                         what, reason, more);
}

void conclusion_complain(const struct table *rows, const struct options *options, const char *where)
{
    for (size_t i = 0; i < rows->rows; i++) {
        if (trial_row_verdict(table_row(rows, i)) != 0)
            complain_of(rows, i, where);
    }
    if (series_rows_verdict(rows, trial_row_verdict) != 0 &&
        options->target.driver == DRIVER_SIMULATED)
        complain_plainly("--seed %llu replays this exactly",
                         (unsigned long long)options->plan.seed);
}

/* ------------------------------------------------------------------ bars */

#define LINES_WANTED    24 /* of all recipes together, where two of each are fewer */
#define LEVELS_MIN      2
#define LEVELS_MAX      8 /* of a recipe */
#define BAR_COLUMNS_MIN 10
#define VALUE_SIZE      32

/* NaN if there is no handoff. A lock that does not work is cheap: it has no bar beside others. */
static double rpcs_per_handoff(const struct outcome_cell *cell)
{
    double handoffs = table_cell_sum(&cell->trials, trial_row_handoffs, trial_row_counted);
    return handoffs > 0
               ? table_cell_sum(&cell->trials, trial_row_rpcs, trial_row_counted) / handoffs
               : NAN;
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
    double most;
    int name, clients;  /* columns */
    size_t bar, levels; /* columns of the longest bar, lines of a recipe at most */
    bool blocks;
};

/* How many bars a recipe could have; they and their texts are noted in the frame. */
static size_t measure(struct frame *frame, const struct outcome_recipe *recipe)
{
    size_t bars = 0;
    for (size_t i = 0; i < recipe->count; i++) {
        char number[VALUE_SIZE];
        double value = rpcs_per_handoff(&recipe->cells[i]);
        if (isnan(value))
            continue;
        text_format_count(recipe->cells[i].clients, number, sizeof number);
        frame->name = (int)fmax(frame->name, (double)strlen(recipe->recipe->name));
        frame->clients = (int)fmax(frame->clients, (double)strlen(number));
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

static void write_bars(const struct frame *frame, const struct outcome_recipe *recipe, size_t bars,
                       FILE *stream)
{
    const char *name = recipe->recipe->name;
    size_t at = 0;
    for (size_t i = 0; i < recipe->count; i++) {
        char number[VALUE_SIZE], bar[BAR_SIZE], text[VALUE_SIZE];
        double value = rpcs_per_handoff(&recipe->cells[i]);
        if (isnan(value) || !is_shown(at++, bars, frame->levels))
            continue;
        bar_put(value, frame->most, frame->bar, frame->blocks, bar);
        fprintf(stream, "%-*s %*s %s%s%s\n", frame->name, name, frame->clients,
                text_format_count(recipe->cells[i].clients, number, sizeof number), bar,
                bar[0] != '\0' ? " " : "", format(value, text));
        name = "";
    }
}

void handoff_bars_write(const struct outcome *outcome, size_t width, bool blocks, FILE *stream)
{
    struct frame frame = {.blocks = blocks};
    size_t count = outcome->options->plan.recipe_count, bars[OPTIONS_RECIPES_MAX], all = 0,
           recipes = 0;
    char text[VALUE_SIZE];
    for (size_t i = 0; i < count; i++) {
        bars[i] = measure(&frame, &outcome->recipes[i]);
        all += bars[i];
        recipes += bars[i] > 0;
    }
    size_t beside = (size_t)frame.name + (size_t)frame.clients + strlen("   ") +
                    strlen(format(frame.most, text));
    width = width < TERMINAL_COLUMNS ? width : TERMINAL_COLUMNS;
    if (all < 2 || width < beside + BAR_COLUMNS_MIN)
        return;
    frame.bar = width - beside;
    frame.levels = LINES_WANTED / recipes;
    frame.levels = frame.levels < LEVELS_MIN   ? LEVELS_MIN
                   : frame.levels < LEVELS_MAX ? frame.levels
                                               : LEVELS_MAX;
    fputs("\nRPCs per handoff, against clients; all bars on one linear scale\n", stream);
    for (size_t i = 0; i < count; i++)
        write_bars(&frame, &outcome->recipes[i], bars[i], stream);
}

/* ------------------------------------------------------------------ the price of a background */

/* What the valid trials of a cell come to that have the percentile alone and contended. */
struct price {
    size_t trials;
    double alone_us, contended_us;
    struct interval ratio;
};

/* of_p99: of the 99th percentile, else of the median. */
static struct price price_of(const struct table_cell *trials, bool of_p99)
{
    size_t alone = of_p99 ? trial_row_background_alone_p99_us : trial_row_background_alone_p50_us,
           contended = of_p99 ? trial_row_background_p99_us : trial_row_background_p50_us;
    double *alone_us = memory_new(3 * trials->count, sizeof *alone_us),
           *contended_us = alone_us + trials->count, *ratios = contended_us + trials->count;
    size_t count = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const struct table_value *row = table_row(trials->table, trials->rows[i]);
        alone_us[count] = table_number(&row[alone]);
        contended_us[count] = table_number(&row[contended]);
        ratios[count] = contended_us[count] / alone_us[count];
        count +=
            row[trial_row_valid].flag && !isnan(alone_us[count]) && !isnan(contended_us[count]);
    }
    struct price price = {.trials = count,
                          .alone_us = table_geometric(alone_us, count).value,
                          .contended_us = table_geometric(contended_us, count).value,
                          .ratio = table_geometric(ratios, count)};
    free(alone_us);
    return price;
}

#define PRICE(X, percentile)                                                                       \
    X(alone_##percentile##_us, csv_real(csv, percentile.alone_us, 1))                              \
    X(contended_##percentile##_us, csv_real(csv, percentile.contended_us, 1))                      \
    X(ratio_##percentile, csv_real(csv, percentile.ratio.value, 3))                                \
    X(ratio_##percentile##_low, csv_real(csv, percentile.ratio.low, 3))                            \
    X(ratio_##percentile##_high, csv_real(csv, percentile.ratio.high, 3))

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, record->base->files.run))                                                 \
    X(recipe, csv_text(csv, recipe->recipe->name))                                                 \
    X(clients, csv_count(csv, recipe->cells[i].clients))                                           \
    X(trials, csv_count(csv, p50.trials))                                                          \
    PRICE(X, p50)                                                                                  \
    PRICE(X, p99)

const char background_price_columns[] = COLUMNS(CSV_NAME);

void background_price_write(const struct record *record, struct csv *csv)
{
    for (size_t r = 0; r < record->options->plan.recipe_count; r++) {
        const struct outcome_recipe *recipe = &record->outcome->recipes[r];
        for (size_t i = 0; i < recipe->count; i++) {
            const struct price p50 = price_of(&recipe->cells[i].trials, false),
                               p99 = price_of(&recipe->cells[i].trials, true);
            if (p50.trials > 0) {
                COLUMNS(CSV_WRITE) csv_end_row(csv);
            }
        }
    }
}

/* At the most clients where the percentile is known. */
static void tell_price(const struct outcome_recipe *recipe, bool of_p99, FILE *stream)
{
    char between[64] = "";
    for (size_t i = recipe->count; i-- > 0;) {
        const struct price price = price_of(&recipe->cells[i].trials, of_p99);
        if (!isfinite(price.ratio.value))
            continue;
        if (isfinite(price.ratio.low))
            snprintf(between, sizeof between, " (95 %% CI %.2g to %.2g)", price.ratio.low,
                     price.ratio.high);
        wrap_sentence(stream,
                      "%s, %llu clients: a request of the background takes %.2f ms (%s) instead of "
                      "%.2f ms alone, %.2g times as long%s",
                      recipe->recipe->name, (unsigned long long)recipe->cells[i].clients,
                      price.contended_us / 1e3, of_p99 ? "p99" : "median", price.alone_us / 1e3,
                      price.ratio.value, between);
        return;
    }
}

void background_price_tell(const struct outcome *outcome, FILE *stream)
{
    const struct run_plan *plan = &outcome->options->plan;
    for (size_t i = 0; plan->background.given && i < plan->recipe_count; i++) {
        tell_price(&outcome->recipes[i], false, stream);
        tell_price(&outcome->recipes[i], true, stream);
    }
}
