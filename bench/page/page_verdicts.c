// SPDX-License-Identifier: Apache-2.0
/* What results say, in a sentence each that begins with its verdict. A sentence has no number that
 * is not in the files, or follows from them by counting. */
#include "base/text.h"
#include "bench/page/internal.h"
#include "measure/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_SIZE 32
#define LAW_SIZE   200

/* ------------------------------------------------------------------ what was checked */

/* What is not all that was asked for must be read first. */
static void say_how_far(FILE *stream, const struct page_manifest *manifest)
{
    const json_t *cut = json_object_get(manifest->json, "cut_short");
    if (json_is_string(cut))
        html_sentence(
            stream, "undetermined", "The trials of %s ended early, after %lld of %lld: %s.",
            manifest->name,
            (long long)json_integer_value(json_object_get(manifest->json, "trials_finished")),
            (long long)json_integer_value(json_object_get(manifest->json, "trials_planned")),
            json_string_value(cut));
}

static void say_steps(FILE *stream, const struct csv_reader *trials, const char *step)
{
    size_t failed = 0, first = 0;
    for (size_t row = trials->rows; row-- > 0;) {
        if (page_number(trials, row, "violations") > 0)
            failed++, first = row;
    }
    if (failed > 0)
        html_sentence(stream, "fails", "A check failed in %zu of %zu trials; the first: %s.",
                      failed, trials->rows, page_text(trials, first, "reason"));
    else if (trials->rows > 0)
        html_sentence(stream, "holds",
                      "Every %s was checked, and no check failed, in %zu of %zu trials.", step,
                      trials->rows, trials->rows);
}

/* The servers' own counts. */
static void say_reconciled(FILE *stream, const struct csv_reader *trials)
{
    size_t same = 0, other = 0, unknown = 0;
    char rest[96] = "";
    for (size_t row = 0; row < trials->rows; row++) {
        const char *reconciled = page_text(trials, row, "reconciled");
        same += strcmp(reconciled, "yes") == 0;
        other += strcmp(reconciled, "no") == 0;
        unknown += strcmp(reconciled, "na") == 0;
    }
    if (same + other + unknown == 0)
        return;
    unknown = trials->rows - same - other;
    if (unknown > 0)
        snprintf(rest, sizeof rest, "; in %zu they cannot be compared", unknown);
    if (other > 0)
        html_sentence(stream, "fails",
                      "The servers' own counts differ from those of the clients in %zu of %zu "
                      "trials%s.",
                      other, trials->rows, rest);
    else if (same > 0)
        html_sentence(stream, "holds",
                      "The servers' own counts equal those of the clients in %zu of %zu trials%s.",
                      same, trials->rows, rest);
    else
        html_sentence(stream, "undetermined",
                      "The servers' own counts cannot be compared with those of the clients.");
}

/* ------------------------------------------------------------------ a run: counts */

static const char *in_thousands(double count, char text[COUNT_SIZE])
{
    return text_format_count((uint64_t)(count > 0 ? count : 0), text, COUNT_SIZE);
}

/* A formula as people write it: n² for n^2. */
static const char *raised(const char *formula, char text[LAW_SIZE])
{
    size_t length = 0;
    for (; *formula != '\0' && length + 3 < LAW_SIZE; formula++) {
        bool is_power = formula[0] == '^' && (formula[1] == '2' || formula[1] == '3');
        const char *power = formula[1] == '2' ? "²" : "³";
        length += (size_t)snprintf(text + length, LAW_SIZE - length, "%.*s",
                                   is_power ? (int)strlen(power) : 1, is_power ? power : formula);
        formula += is_power;
    }
    text[length] = '\0';
    return text;
}

/* The row of a recipe's fit; behind the last one if there is none. */
static size_t find_fit(const struct csv_reader *fits, const char *recipe, const char *metric)
{
    size_t row = 0;
    while (row < fits->rows && (strcmp(page_text(fits, row, "recipe"), recipe) != 0 ||
                                strcmp(page_text(fits, row, "metric"), metric) != 0))
        row++;
    return row;
}

/* False if no trial of the recipe has a law. Its last cell with a law has the most clients. */
static bool say_law(FILE *stream, const struct page_source *run, const struct page_cells *cells,
                    const char *recipe)
{
    const struct csv_reader *trials = page_file(run, "trials.csv");
    const struct csv_reader *fits = page_file(run, "fits.csv");
    size_t fit = find_fit(fits, recipe, "rpcs");
    struct page_law all = {0};
    char clients[COUNT_SIZE], rpcs[COUNT_SIZE], notifications[COUNT_SIZE];
    char law[2 * LAW_SIZE] = "", formula[LAW_SIZE], order[LAW_SIZE];
    for (size_t i = 0; i < cells->count; i++) {
        struct page_law one = page_cell_law(&cells->list[i], run);
        if (strcmp(cells->list[i].trials[0].keys[0], recipe) != 0 || one.trials == 0)
            continue;
        all.trials += one.trials;
        all.equal += one.equal;
        all.row = one.row;
    }
    if (all.trials == 0)
        return false;
    if (page_text(fits, fit, "law")[0] != '\0')
        snprintf(law, sizeof law, " (%.60s: %.60s)", raised(page_text(fits, fit, "law"), formula),
                 raised(page_text(fits, fit, "verdict"), order));
    html_sentence(stream, all.equal == all.trials ? "holds" : "fails",
                  "%s: requests%s and notifications equal the law in %zu of %zu trials; with %s "
                  "clients there are %s requests and %s notifications.",
                  recipe, law, all.equal, all.trials,
                  in_thousands(page_number(trials, all.row, "clients"), clients),
                  in_thousands(page_number(trials, all.row, "rpcs"), rpcs),
                  in_thousands(page_number(trials, all.row, "notifications"), notifications));
    return true;
}

/* The largest number of clients that a recipe reaches. */
static double most_clients(const struct page_cells *cells, const char *recipe)
{
    double most = 0;
    for (size_t i = 0; i < cells->count; i++) {
        if (strcmp(cells->list[i].trials[0].keys[0], recipe) == 0)
            most = fmax(most, strtod(cells->list[i].trials[0].keys[1], NULL));
    }
    return most;
}

/* The median requests of a drain; NaN without one. Only drains have equally many handoffs. */
static double find_price(const struct page_source *run, const struct page_cells *cells,
                         const char *recipe, double clients)
{
    for (size_t i = 0; i < cells->count; i++) {
        const struct page_trial *first = &cells->list[i].trials[0];
        if (strcmp(first->keys[0], recipe) == 0 && strtod(first->keys[1], NULL) == clients &&
            strcmp(page_text(page_file(run, "trials.csv"), first->row, "workload"), "drain") == 0)
            return page_cell_median(&cells->list[i], run, "rpcs");
    }
    return NAN;
}

static void say_price(FILE *stream, const struct page_source *run, const struct page_cells *cells,
                      const json_t *recipes)
{
    double clients = INFINITY, least = INFINITY, most = 0;
    const char *cheap = "", *dear = "";
    char few[COUNT_SIZE], many[COUNT_SIZE], number[COUNT_SIZE];
    size_t i;
    const json_t *name;
    json_array_foreach(recipes, i, name) clients =
        fmin(clients, most_clients(cells, page_json_text(name)));
    json_array_foreach(recipes, i, name)
    {
        double price = find_price(run, cells, page_json_text(name), clients);
        if (price < least)
            least = price, cheap = page_json_text(name);
        if (price > most)
            most = price, dear = page_json_text(name);
    }
    if (least > 0 && least < most)
        html_sentence(stream, HTML_MEASURED,
                      "A drain of %s clients takes %s requests with %s, and %s with %s: %.3g times "
                      "as many.",
                      in_thousands(clients, number), in_thousands(least, few), cheap,
                      in_thousands(most, many), dear, most / least);
}

/* ------------------------------------------------------------------ a run: times */

/* Rounded, so that none is "-0.00". */
static double percent(double share)
{
    return nearbyint(share * 10000) / 100 + 0.0;
}

static void put_interval(FILE *stream, double low, double high)
{
    if (!isnan(low) && !isnan(high))
        html_format(stream, " (95 %% CI %.2f to %.2f)", low, high);
}

/* As a run tells it: an exponent without an interval says nothing, except of a decided order. */
static void say_drain(FILE *stream, const struct csv_reader *fits, const char *recipe)
{
    size_t row = find_fit(fits, recipe, "drain_s");
    double exponent = page_number(fits, row, "exponent");
    double low = page_number(fits, row, "exponent_low");
    double levels = page_number(fits, row, "levels");
    char order[LAW_SIZE];
    raised(page_text(fits, row, "verdict"), order);
    bool is_decided = strncmp(order, "O(", 2) == 0;
    if (isnan(exponent))
        return;
    html_sentence_begin(stream, is_decided ? HTML_MEASURED : "undetermined");
    if (is_decided || !isnan(low)) {
        html_format(stream, "%s: the drain time grows as n^%.2f", recipe, exponent);
        put_interval(stream, low, page_number(fits, row, "exponent_high"));
        html_format(stream, ": %s", is_decided ? order : "no order is certain");
    } else {
        html_format(stream, "%s: how the drain time grows", recipe);
    }
    if (!is_decided && levels < FIT_LEVELS_MIN)
        html_format(stream, ": %g number%s of clients, at least %d needed", levels,
                    levels == 1 ? "" : "s", FIT_LEVELS_MIN);
    html_text(stream, ".");
    html_sentence_end(stream);
}

/* Without an interval, the coefficient says nothing. */
static void say_herd(FILE *stream, const struct csv_reader *fits, const char *recipe)
{
    size_t row = find_fit(fits, recipe, "handoff_us");
    double beta = page_number(fits, row, "beta"), low = page_number(fits, row, "beta_low");
    if (isnan(beta) || isnan(low))
        return;
    html_sentence_begin(stream, HTML_MEASURED);
    html_format(stream, "%s: each extra waiter adds %.2f %%", recipe, percent(beta));
    put_interval(stream, percent(low), percent(page_number(fits, row, "beta_high")));
    html_text(stream, " to the time of a handoff without waiters.");
    html_sentence_end(stream);
}

static void say_background(FILE *stream, const struct csv_reader *rows)
{
    for (size_t row = 0; row < rows->rows; row++) {
        double ratio = page_number(rows, row, "ratio_p50");
        if (isnan(ratio))
            continue;
        html_sentence_begin(stream, HTML_MEASURED);
        html_row(stream,
                 "Beside {recipe} with {clients} clients, the median response time of other "
                 "requests is ",
                 rows, row);
        html_format(stream, "%.2f times as long as without the lock", ratio);
        put_interval(stream, page_number(rows, row, "ratio_p50_low"),
                     page_number(rows, row, "ratio_p50_high"));
        html_text(stream, ".");
        html_sentence_end(stream);
    }
}

static void say_run(FILE *stream, const struct page_source *run)
{
    const json_t *recipes = page_json(&run->manifests[0], "plan", "recipes");
    const struct csv_reader *fits = page_file(run, "fits.csv");
    struct page_cells cells = page_cells_of(run, 1, PAGE_RUN);
    bool has_law = false;
    size_t i;
    const json_t *name;
    say_price(stream, run, &cells, recipes);
    json_array_foreach(recipes, i, name) has_law =
        say_law(stream, run, &cells, page_json_text(name)) || has_law;
    if (!has_law)
        html_sentence(stream, "undetermined", "No law applies to the counts of these trials.");
    json_array_foreach(recipes, i, name)
    {
        say_drain(stream, fits, page_json_text(name));
        say_herd(stream, fits, page_json_text(name));
    }
    say_background(stream, page_file(run, "background.csv"));
    page_cells_deinit(&cells);
}

/* ------------------------------------------------------------------ loads, the paper, plans */

static void say_loads(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *cells = page_file(source, "cells.csv");
    for (size_t row = 0; row < cells->rows; row++) {
        html_sentence_begin(stream,
                            page_number(cells, row, "valid") > 0 ? HTML_MEASURED : "undetermined");
        html_row(stream,
                 "{target}, {mix}, {sessions} sessions[, operations offered a second: "
                 "{rate_per_s}]: {achieved_per_s} operations a second, response time p50 "
                 "{response_p50_us} µs, p99 {response_p99_us} µs; valid trials: {valid} of "
                 "{trials}.",
                 cells, row);
        html_sentence_end(stream);
    }
}

/* The paper has no figure for a claim about killed servers: beside it is what these would leave. */
static void say_claims(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *shape = page_file(source, "shape.csv");
    bool of_paper = page_file(source, "samples.csv")->rows == 0;
    for (size_t row = 0; row < shape->rows; row++) {
        bool names_servers = strstr(page_text(shape, row, "claim"), "server") != NULL;
        html_sentence_begin(stream, page_text(shape, row, "verdict"));
        html_row(stream, names_servers ? "{claim}" : "{claim}, {servers} servers", shape, row);
        html_row(stream, "[; our {quantity}: {ratio}][ (95 % CI {ratio_low} to {ratio_high})]",
                 shape, row);
        html_row(stream,
                 of_paper ? "[; the paper's: {paper_ratio}]" : "[; expected: {paper_ratio}]", shape,
                 row);
        html_row(stream, "[; {reason}].", shape, row);
        html_sentence_end(stream);
    }
}

const char *page_unit(const char *unknown)
{
    return strcmp(unknown, "rate") == 0 ? "requests a second" : unknown;
}

/* What there is to add about a search that came to its end; NULL of one that did not. */
static const char *end_of(const char *reason)
{
    static const char *const plain[][2] = {{"found", ""},
                                           {"everything meets", "; no larger one was to be tried"},
                                           {"nothing meets", "; no smaller one was to be tried"}};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (strcmp(reason, plain[i][0]) == 0)
            return plain[i][1];
    }
    return NULL;
}

static void say_answers(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *answers = page_file(source, "answers.csv");
    for (size_t row = 0; row < answers->rows; row++) {
        const char *end = end_of(page_text(answers, row, "reason"));
        html_sentence_begin(stream, end != NULL ? HTML_MEASURED : "undetermined");
        html_row(stream, "{recipe} on {target}: {objective} ", answers, row);
        if (page_number(answers, row, "passed") > 0) {
            html_row(stream, "is met with {passed} ", answers, row);
            html_text(stream, page_unit(page_text(answers, row, "unknown")));
            html_row(stream, " ({fresh_passed} of {fresh_votes} fresh trials passed)", answers,
                     row);
        } else {
            html_text(stream, "is not known to be met");
        }
        if (page_number(answers, row, "failed") > 0)
            html_row(stream,
                     ", not with {failed} ({failed_fresh_failed} of {failed_fresh_votes} fresh "
                     "trials failed)",
                     answers, row);
        if (end == NULL)
            html_row(stream, "; the search ended without an answer: {reason}", answers, row);
        html_format(stream, "%s.", end != NULL ? end : "");
        html_sentence_end(stream);
    }
}

void page_verdicts_write(FILE *stream, const struct page_source *source)
{
    static void (*const say[PAGE_KINDS])(FILE *,
                                         const struct page_source *) = {[PAGE_RUN] = say_run,
                                                                        [PAGE_LOAD] = say_loads,
                                                                        [PAGE_PAPER] = say_claims,
                                                                        [PAGE_PLAN] = say_answers};
    fputs("<ul class=\"verdicts\">\n", stream);
    for (size_t i = 0; i < source->manifest_count; i++)
        say_how_far(stream, &source->manifests[i]);
    say_steps(stream, page_file(source, "trials.csv"), "grant");
    say_steps(stream, page_file(source, "barriers.csv"), "passage of a barrier");
    say_reconciled(stream, page_trials(source));
    say[source->kind](stream, source);
    fputs("</ul>\n", stream);
}
