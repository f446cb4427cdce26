// SPDX-License-Identifier: Apache-2.0
/* The headline: what there is to see before all else, three figures at most. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_SIZE   PAGE_NUMBER_SIZE
#define HEADLINES_MAX 3

/* A figure, and what it is. */
__attribute__((format(printf, 3, 4))) static void put(FILE *stream, const char *figure,
                                                      const char *words, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, words);
    vsnprintf(text, sizeof text, words, arguments);
    va_end(arguments);
    fputs("<li><strong>", stream);
    html_text(stream, figure);
    fputs("</strong> ", stream);
    html_text(stream, text);
    fputs("</li>\n", stream);
}

/* "51 times"; of what is hardly more, "1.2 times". */
static const char *write_times(double ratio, char text[NUMBER_SIZE])
{
    snprintf(text, NUMBER_SIZE, ratio < 10 ? "%.1f times" : "%.0f times", ratio);
    return text;
}

/* Three digits: a headline is no table. */
static const char *write_ms(double ms, char text[NUMBER_SIZE])
{
    char number[NUMBER_SIZE];
    if (ms < 1000)
        snprintf(text, NUMBER_SIZE, "%.3g ms", ms);
    else
        snprintf(text, NUMBER_SIZE, "%.32s ms", page_write_number(ms, number));
    return text;
}

/* ------------------------------------------------------------------ medians of trials */

/* The median of a column over the drains, or over all trials, of a recipe that count; NaN: there is
 * none. */
static double median_of(const struct csv_reader *trials, const char *recipe, double clients,
                        const char *column, bool drains)
{
    size_t count = 0;
    double *values = memory_new(trials->rows + 1, sizeof *values);
    for (size_t row = 0; row < trials->rows; row++) {
        double value = page_number(trials, row, column);
        if (strcmp(page_text(trials, row, "recipe"), recipe) == 0 &&
            page_number(trials, row, "clients") == clients && page_counts(trials, row) &&
            (!drains || strcmp(page_text(trials, row, "workload"), "drain") == 0) && !isnan(value))
            values[count++] = value;
    }
    statistics_sort(values, count);
    double median = statistics_median(values, count);
    free(values);
    return median;
}

/* The most clients of a recipe; 0: it has no trial. */
static double most_clients(const struct csv_reader *trials, const char *recipe)
{
    double most = 0;
    for (size_t row = 0; row < trials->rows; row++) {
        if (strcmp(page_text(trials, row, "recipe"), recipe) == 0)
            most = fmax(most, page_number(trials, row, "clients"));
    }
    return most;
}

struct page_price page_price(const struct page_source *run)
{
    const struct csv_reader *trials = page_file(run, "trials.csv");
    const json_t *recipes = page_json(&run->manifests[0], "plan", "recipes");
    struct page_price price = {.clients = INFINITY, .least = INFINITY, .cheap = "", .dear = ""};
    size_t i;
    const json_t *name;
    json_array_foreach(recipes, i, name)
    {
        price.clients = fmin(price.clients, most_clients(trials, page_json_text(name)));
    }
    json_array_foreach(recipes, i, name)
    {
        double rpcs = median_of(trials, page_json_text(name), price.clients, "rpcs", true);
        if (rpcs < price.least)
            price.least = rpcs, price.cheap = page_json_text(name);
        if (rpcs > price.most)
            price.most = rpcs, price.dear = page_json_text(name);
    }
    if (isinf(price.least))
        price.least = 0;
    return price;
}

/* ------------------------------------------------------------------ runs */

static void put_price(FILE *stream, const struct page_price *price)
{
    char few[NUMBER_SIZE], many[NUMBER_SIZE], clients[NUMBER_SIZE], times[NUMBER_SIZE];
    page_write_number(price->most, many);
    page_write_number(price->clients, clients);
    if (price->least > 0 && price->least < price->most)
        put(stream, write_times(price->most / price->least, times),
            "as many requests: %s against %s, a drain of %s clients with %s and with %s", many,
            page_write_number(price->least, few), clients, price->dear, price->cheap);
    else if (price->least > 0)
        put(stream, many, "requests: a drain of %s clients with %s", clients, price->dear);
}

/* The median handoffs of the two recipes, or of the one. */
static void put_handoff(FILE *stream, const struct page_source *run, const struct page_price *price)
{
    const struct csv_reader *trials = page_file(run, "trials.csv");
    double slow = median_of(trials, price->dear, price->clients, "handoff_p50_us", false) / 1e3,
           fast = median_of(trials, price->cheap, price->clients, "handoff_p50_us", false) / 1e3;
    char of_slow[NUMBER_SIZE], of_fast[NUMBER_SIZE], clients[NUMBER_SIZE], times[NUMBER_SIZE];
    if (!(slow > 0) || !(fast > 0))
        return;
    write_ms(slow, of_slow);
    page_write_number(price->clients, clients);
    if (strcmp(price->dear, price->cheap) != 0)
        put(stream, write_times(slow / fast, times),
            "as long a handoff: a median of %s against %s, with %s and with %s", of_slow,
            write_ms(fast, of_fast), price->dear, price->cheap);
    else
        put(stream, of_slow, "is the median handoff of %s with %s clients", price->dear, clients);
}

/* The drain of the dearest recipe on the first two. */
static void put_drains(FILE *stream, const struct page_source *first,
                       const struct page_source *second, const struct page_price *price)
{
    double before =
        median_of(page_file(first, "trials.csv"), price->dear, price->clients, "drain_s", true);
    double after =
        median_of(page_file(second, "trials.csv"), price->dear, price->clients, "drain_s", true);
    char of_first[NUMBER_SIZE], of_second[NUMBER_SIZE], clients[NUMBER_SIZE], times[NUMBER_SIZE];
    if (before > 0 && after > 0)
        put(stream, write_times(after / before, times),
            "as long a drain of %s clients with %s: %s of %s against %s of %s",
            page_write_number(price->clients, clients), price->dear,
            write_ms(after * 1e3, of_second), second->label, write_ms(before * 1e3, of_first),
            first->label);
}

static void put_laws(FILE *stream, const struct page_source *const runs[], size_t count)
{
    size_t lawful = 0, with_law = 0, failed = 0, trials = 0;
    char figure[NUMBER_SIZE];
    for (size_t i = 0; i < count; i++) {
        const struct csv_reader *file = page_file(runs[i], "trials.csv");
        for (size_t row = 0; row < file->rows; row++) {
            trials++;
            if (page_number(file, row, "violations") > 0)
                failed++;
            if (!isnan(page_number(file, row, "law_rpcs")))
                with_law++;
            if (page_is_lawful(file, row))
                lawful++;
        }
    }
    if (failed > 0 || with_law == 0) {
        snprintf(figure, sizeof figure, "%zu of %zu", failed > 0 ? failed : trials, trials);
        put(stream, figure, failed > 0 ? "trials fail a check" : "trials pass every check");
    } else {
        snprintf(figure, sizeof figure, "%zu of %zu", lawful, with_law);
        put(stream, figure, "trials have exactly the counts of the law");
    }
}

static void put_runs(FILE *stream, const struct page_source *const runs[], size_t count)
{
    const struct page_price price = page_price(runs[0]);
    put_price(stream, &price);
    if (count > 1)
        put_drains(stream, runs[0], runs[1], &price);
    else
        put_handoff(stream, runs[0], &price);
    put_laws(stream, runs, count);
}

/* ------------------------------------------------------------------ loads, the paper, plans */

/* The cell with a valid trial that answers most; behind the last: there is none. */
static size_t find_greatest(const struct csv_reader *cells)
{
    static const char column[] = "achieved_per_s";
    size_t best = cells->rows;
    for (size_t row = 0; row < cells->rows; row++) {
        double value = page_number(cells, row, column);
        if (page_number(cells, row, "valid") > 0 && !isnan(value) &&
            (best == cells->rows || value > page_number(cells, best, column)))
            best = row;
    }
    return best;
}

static void put_loads(FILE *stream, const struct page_source *const loads[], size_t count)
{
    const struct csv_reader *cells = page_file(loads[0], "cells.csv");
    size_t best = find_greatest(cells);
    double trials = 0, valid = 0;
    char number[NUMBER_SIZE], tail[NUMBER_SIZE];
    (void)count;
    for (size_t row = 0; row < cells->rows; row++) {
        trials += page_number(cells, row, "trials");
        valid += page_number(cells, row, "valid");
    }
    if (best < cells->rows) {
        put(stream, page_write_number(page_number(cells, best, "achieved_per_s"), number),
            "operations a second are answered at most: %s, %s sessions, servers: %s",
            page_text(cells, best, "mix"), page_text(cells, best, "sessions"),
            page_text(cells, best, "servers"));
        put(stream, page_write_us(cells, best, "response_p50_us", number),
            "is the median response time there; p99: %s",
            page_write_us(cells, best, "response_p99_us", tail));
    }
    snprintf(number, sizeof number, "%.0f of %.0f", valid, trials);
    put(stream, number, "trials are valid");
}

/* The median of a figure over the kills of leaders in valid trials. */
static double of_leaders(const struct csv_reader *faults, const char *column)
{
    size_t count = 0;
    double *values = memory_new(faults->rows + 1, sizeof *values);
    for (size_t row = 0; row < faults->rows; row++) {
        if (!isnan(page_number(faults, row, "new_leader_ms")) && page_counts(faults, row) &&
            !isnan(page_number(faults, row, column)))
            values[count++] = page_number(faults, row, column);
    }
    statistics_sort(values, count);
    double median = statistics_median(values, count);
    free(values);
    return median;
}

static void put_claims(FILE *stream, const struct page_source *const papers[], size_t count)
{
    const struct csv_reader *shape = page_file(papers[0], "shape.csv"),
                            *faults = page_file(papers[0], "figure8.csv");
    double leader = of_leaders(faults, "new_leader_ms"),
           silence = of_leaders(faults, "longest_silence_ms");
    size_t holds = 0, fails = 0;
    char figure[NUMBER_SIZE];
    (void)count;
    for (size_t row = 0; row < shape->rows; row++) {
        holds += strcmp(page_text(shape, row, "verdict"), "holds") == 0;
        fails += strcmp(page_text(shape, row, "verdict"), "fails") == 0;
    }
    if (!isnan(leader)) {
        put(stream, write_ms(leader, figure),
            "until another server leads, when the leader is killed: a median");
        put(stream, write_ms(silence, figure), "is the longest silence meanwhile: a median");
    }
    snprintf(figure, sizeof figure, "%zu of %zu", holds, shape->rows);
    put(stream, figure, "claims hold; %zu fail, %zu undetermined", fails,
        shape->rows - holds - fails);
}

/* A search without an answer has no figure. */
static void put_answers(FILE *stream, const struct page_source *const plans[], size_t count)
{
    const struct csv_reader *answers = page_file(plans[0], "answers.csv");
    (void)count;
    for (size_t row = 0; row < answers->rows && row < HEADLINES_MAX; row++) {
        char number[NUMBER_SIZE] = "–";
        double passed =
            page_number(answers, row, "fresh_passed") > 0 ? page_number(answers, row, "passed") : 0;
        if (passed > 0)
            page_write_number(passed, number);
        put(stream, number, "%s with %s %s %s", page_unit(page_text(answers, row, "unknown")),
            page_text(answers, row, "recipe"), passed > 0 ? "meet" : "are known to meet",
            page_text(answers, row, "objective"));
    }
}

/* Messages in all, and the largest herd. */
static void put_traffic(FILE *stream, const struct page_source *const sources[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct csv_reader *traffic = page_file(sources[i], "traffic.csv"),
                                *herds = page_file(sources[i], "herds.csv");
        char number[PAGE_NUMBER_SIZE];
        double messages = 0;
        for (size_t row = 0; row < traffic->rows; row++)
            messages += page_number(traffic, row, "messages");
        put(stream, page_write_number(messages, number),
            "requests of clients and notifications to them");
        if (herds->rows > 0)
            put(stream, page_write_number(page_number(herds, 0, "notified"), number),
                "sessions were notified by one %s", page_text(herds, 0, "operation"));
    }
}

/* ------------------------------------------------------------------ an autopsy */

static double sum_of(const struct csv_reader *file, const char *column)
{
    double sum = 0;
    for (size_t row = 0; row < file->rows; row++)
        sum += page_number(file, row, column);
    return sum;
}

static void put_autopsy(FILE *stream, const struct page_source *const autopsies[], size_t count)
{
    const struct csv_reader *locks = page_file(autopsies[0], "locks.csv"),
                            *expired = page_file(autopsies[0], "expired.csv");
    char number[NUMBER_SIZE];
    size_t most = 0;
    (void)count;
    for (size_t row = 1; row < locks->rows; row++)
        if (page_number(locks, row, "waiters_max") > page_number(locks, most, "waiters_max"))
            most = row;
    if (locks->rows > 0)
        put(stream, page_write_number(page_number(locks, most, "waiters_max"), number),
            "sessions at most waited for %s", page_text(locks, most, "path"));
    put(stream, page_write_number(sum_of(locks, "refused"), number),
        "creates were refused, because the lock was held");
    put(stream, page_write_number(sum_of(expired, "held"), number), "holders expired");
}

void page_headline_write(FILE *stream, const struct page_sources *sources)
{
    static void (*const put_kind[PAGE_KINDS])(FILE *, const struct page_source *const[], size_t) = {
        [PAGE_RUN] = put_runs,     [PAGE_LOAD] = put_loads,  [PAGE_PAPER] = put_claims,
        [PAGE_PLAN] = put_answers, [PAGE_TAP] = put_traffic, [PAGE_AUTOPSY] = put_autopsy};
    const struct page_source *alike[PAGE_SOURCES_MAX];
    enum page_kind kind = sources->list[0].kind;
    size_t count = 0;
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->list[i].kind == kind)
            alike[count++] = &sources->list[i];
    }
    fputs("<ul class=\"headline\">\n", stream);
    put_kind[kind](stream, alike, count);
    fputs("</ul>\n", stream);
}
