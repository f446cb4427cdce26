// SPDX-License-Identifier: Apache-2.0
#include "bench/page/run_verdicts.h"

#include "base/text.h"
#include "bench/page/page_sentence.h"
#include "measure/fit.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_SIZE    32
#define INTERVAL_SIZE 80
#define LAW_SIZE      200

static const char *in_thousands(double count, char text[COUNT_SIZE])
{
    return text_format_count((uint64_t)(count > 0 ? count : 0), text, COUNT_SIZE);
}

static bool is_of(const struct csv_reader *file, size_t row, const char *recipe)
{
    return strcmp(page_source_text(file, row, "recipe"), recipe) == 0;
}

/* Recipe `index` of the plan; NULL behind the last. */
static const char *recipe_at(const struct page_source *run, size_t index)
{
    const json_t *plan = json_object_get(run->manifests[0].json, "plan");
    return json_string_value(json_array_get(json_object_get(plan, "recipes"), index));
}

/* ------------------------------------------------------------------ laws */

/* The trials of a recipe beside their law. */
struct lawful {
    size_t trials, with_law, equal;
    size_t largest; /* the row with a law and the most clients */
};

static bool equals(const struct csv_reader *trials, size_t row, const char *count, const char *law)
{
    return page_source_number(trials, row, count) == page_source_number(trials, row, law);
}

static struct lawful look_at_law(const struct csv_reader *trials, const char *recipe)
{
    struct lawful lawful = {0};
    double most = 0;
    for (size_t row = 0; row < trials->rows; row++) {
        if (!is_of(trials, row, recipe))
            continue;
        lawful.trials++;
        if (isnan(page_source_number(trials, row, "law_rpcs")))
            continue;
        lawful.with_law++;
        lawful.equal += equals(trials, row, "rpcs", "law_rpcs") &&
                        equals(trials, row, "notifications", "law_notifications");
        double clients = page_source_number(trials, row, "clients");
        if (clients > most)
            most = clients, lawful.largest = row;
    }
    return lawful;
}

static const char *find_fit(const struct page_source *run, const char *recipe, const char *metric,
                            const char *column)
{
    const struct csv_reader *fits = page_source_file(run, "fits.csv");
    for (size_t row = 0; row < fits->rows; row++) {
        if (is_of(fits, row, recipe) && strcmp(page_source_text(fits, row, "metric"), metric) == 0)
            return page_source_text(fits, row, column);
    }
    return "";
}

/* A formula as people write it: n² for n^2. */
static const char *raised(const char *formula, char text[LAW_SIZE])
{
    static const struct {
        const char *typed, *written;
    } powers[] = {{"^2", "²"}, {"^3", "³"}};
    size_t length = 0;
    while (*formula != '\0' && length + 3 < LAW_SIZE) {
        const char *written = NULL;
        for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
            if (strncmp(formula, powers[i].typed, 2) == 0)
                written = powers[i].written;
        }
        length += (size_t)snprintf(text + length, LAW_SIZE - length, "%s%.*s",
                                   written != NULL ? written : "", written == NULL, formula);
        formula += written != NULL ? 2 : 1;
    }
    text[length] = '\0';
    return text;
}

/* False if no trial of the recipe has a law. */
static bool say_law(FILE *stream, const struct page_source *run, const char *recipe)
{
    const struct csv_reader *trials = page_source_file(run, "trials.csv");
    const struct lawful lawful = look_at_law(trials, recipe);
    char clients[COUNT_SIZE], rpcs[COUNT_SIZE], notifications[COUNT_SIZE];
    if (lawful.with_law == 0)
        return false;
    char law[LAW_SIZE] = "", formula[LAW_SIZE], order[LAW_SIZE];
    if (find_fit(run, recipe, "rpcs", "law")[0] != '\0')
        snprintf(law, sizeof law, " (%.60s: %.60s)",
                 raised(find_fit(run, recipe, "rpcs", "law"), formula),
                 raised(find_fit(run, recipe, "rpcs", "verdict"), order));
    page_sentence(
        stream, lawful.equal == lawful.with_law ? "holds" : "fails",
        "%s: requests%s and notifications equal the law in %zu of %zu trials; with %s clients "
        "there are %s requests and %s notifications.",
        recipe, law, lawful.equal, lawful.with_law,
        in_thousands(page_source_number(trials, lawful.largest, "clients"), clients),
        in_thousands(page_source_number(trials, lawful.largest, "rpcs"), rpcs),
        in_thousands(page_source_number(trials, lawful.largest, "notifications"), notifications));
    return true;
}

/* ------------------------------------------------------------------ times */

/* Rounded, so that none is "-0.00". */
static double percent(double share)
{
    return nearbyint(share * 10000) / 100 + 0.0;
}

/* " (95 % CI low to high)", or "" without an interval. */
static const char *interval_of(double low, double high, int decimals, char text[INTERVAL_SIZE])
{
    text[0] = '\0';
    if (!isnan(low) && !isnan(high))
        snprintf(text, INTERVAL_SIZE, " (95 %% CI %.*f to %.*f)", decimals, low, decimals, high);
    return text;
}

static double fitted(const struct page_source *run, const char *recipe, const char *metric,
                     const char *column)
{
    const char *text = find_fit(run, recipe, metric, column);
    return text[0] != '\0' ? strtod(text, NULL) : NAN;
}

/* As a run tells it: an exponent without an interval says nothing, except of a decided order. */
static void say_drain(FILE *stream, const struct page_source *run, const char *recipe)
{
    static const char metric[] = "drain_s";
    double exponent = fitted(run, recipe, metric, "exponent");
    double low = fitted(run, recipe, metric, "exponent_low");
    double high = fitted(run, recipe, metric, "exponent_high");
    double levels = fitted(run, recipe, metric, "levels");
    char interval[INTERVAL_SIZE], order[LAW_SIZE], why[LAW_SIZE] = "";
    raised(find_fit(run, recipe, metric, "verdict"), order);
    bool is_decided = strncmp(order, "O(", 2) == 0;
    if (isnan(exponent))
        return;
    if (!is_decided && levels < FIT_LEVELS_MIN)
        snprintf(why, sizeof why, ": %g number%s of clients, at least %d needed", levels,
                 levels == 1 ? "" : "s", FIT_LEVELS_MIN);
    if (is_decided || !isnan(low))
        page_sentence(stream, is_decided ? PAGE_MEASURED : "undetermined",
                      "%s: the drain time grows as n^%.2f%s: %s%s.", recipe, exponent,
                      interval_of(low, high, 2, interval),
                      is_decided ? order : "no order is certain", why);
    else
        page_sentence(stream, "undetermined", "%s: how the drain time grows%s.", recipe, why);
}

/* Without an interval, the coefficient says nothing. */
static void say_herd(FILE *stream, const struct page_source *run, const char *recipe)
{
    static const char metric[] = "handoff_us";
    double beta = fitted(run, recipe, metric, "beta");
    double low = fitted(run, recipe, metric, "beta_low");
    char interval[INTERVAL_SIZE];
    if (isnan(beta) || isnan(low))
        return;
    page_sentence(
        stream, PAGE_MEASURED,
        "%s: each extra waiter adds %.2f %%%s to the time of a handoff without waiters.", recipe,
        percent(beta),
        interval_of(percent(low), percent(fitted(run, recipe, metric, "beta_high")), 2, interval));
}

/* ------------------------------------------------------------------ recipes beside each other */

static double most_clients(const struct csv_reader *trials, const char *recipe)
{
    double most = 0;
    for (size_t row = 0; row < trials->rows; row++) {
        if (is_of(trials, row, recipe))
            most = fmax(most, page_source_number(trials, row, "clients"));
    }
    return most;
}

/* The largest number of clients that every recipe reaches. */
static double find_common(const struct page_source *run)
{
    double common = INFINITY;
    for (size_t i = 0; recipe_at(run, i) != NULL; i++)
        common = fmin(common, most_clients(page_source_file(run, "trials.csv"), recipe_at(run, i)));
    return common;
}

/* Only drains have equally many handoffs. */
static bool is_drain(const struct csv_reader *trials, size_t row, const char *recipe,
                     double clients)
{
    return is_of(trials, row, recipe) && page_source_counts(trials, row) &&
           page_source_number(trials, row, "clients") == clients &&
           strcmp(page_source_text(trials, row, "workload"), "drain") == 0;
}

/* The median requests of a drain; NaN without a drain, or without memory. */
static double find_price(const struct csv_reader *trials, const char *recipe, double clients)
{
    double *rpcs = calloc(trials->rows + 1, sizeof *rpcs);
    size_t count = 0;
    for (size_t row = 0; rpcs != NULL && row < trials->rows; row++) {
        if (is_drain(trials, row, recipe, clients))
            rpcs[count++] = page_source_number(trials, row, "rpcs");
    }
    if (rpcs != NULL)
        statistics_sort(rpcs, count);
    double price = rpcs != NULL ? statistics_median(rpcs, count) : NAN;
    free(rpcs);
    return price;
}

static void say_price(FILE *stream, const struct page_source *run)
{
    const struct csv_reader *trials = page_source_file(run, "trials.csv");
    double clients = find_common(run), least = INFINITY, most = 0;
    const char *cheap = "", *dear = "", *recipe;
    char few[COUNT_SIZE], many[COUNT_SIZE], number[COUNT_SIZE];
    for (size_t i = 0; (recipe = recipe_at(run, i)) != NULL; i++) {
        double price = find_price(trials, recipe, clients);
        if (price < least)
            least = price, cheap = recipe;
        if (price > most)
            most = price, dear = recipe;
    }
    if (!(least > 0 && least < most))
        return;
    page_sentence(stream, PAGE_MEASURED,
                  "A drain of %s clients takes %s requests with %s, and %s with %s: %.3g times as "
                  "many.",
                  in_thousands(clients, number), in_thousands(least, few), cheap,
                  in_thousands(most, many), dear, most / least);
}

/* ------------------------------------------------------------------ others */

static void say_background(FILE *stream, const struct csv_reader *rows)
{
    for (size_t row = 0; row < rows->rows; row++) {
        double ratio = page_source_number(rows, row, "ratio_p50");
        char interval[INTERVAL_SIZE];
        if (isnan(ratio))
            continue;
        page_sentence(stream, PAGE_MEASURED,
                      "Beside %s with %s clients, the median response time of other requests is "
                      "%.2f times as long as without the lock%s.",
                      page_source_text(rows, row, "recipe"), page_source_text(rows, row, "clients"),
                      ratio,
                      interval_of(page_source_number(rows, row, "ratio_p50_low"),
                                  page_source_number(rows, row, "ratio_p50_high"), 2, interval));
    }
}

void run_verdicts_write(FILE *stream, const struct page_source *run)
{
    bool has_law = false;
    say_price(stream, run);
    for (size_t i = 0; recipe_at(run, i) != NULL; i++)
        has_law = say_law(stream, run, recipe_at(run, i)) || has_law;
    if (!has_law)
        page_sentence(stream, "undetermined", "No law applies to the counts of these trials.");
    for (size_t i = 0; recipe_at(run, i) != NULL; i++) {
        say_drain(stream, run, recipe_at(run, i));
        say_herd(stream, run, recipe_at(run, i));
    }
    say_background(stream, page_source_file(run, "background.csv"));
}
