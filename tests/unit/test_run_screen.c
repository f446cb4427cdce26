// SPDX-License-Identifier: Apache-2.0
/* The screen of a run, of trials made by hand: whatever they are, it fits and is aligned. */
#include "base/printable.h"
#include "bench/cli/terminal.h"
#include "bench/run/internal.h"
#include "recipes/registry.h"

#include "tests/support/samples.h"
#include "tests/support/test.h"

#include <math.h>

#define TRIALS_MAX 256

static struct sample list[TRIALS_MAX];
static struct samples samples;
static uint64_t levels[40];
static struct options options;
static char *text;

/* Trials of n² + n RPCs, of each recipe at 8, 16, 32 … clients. */
static void lay_out(const struct recipe *const *recipes, size_t recipe_count, size_t level_count)
{
    samples = (struct samples){list, 0};
    options = (struct options){.plan.recipe_count = recipe_count,
                               .plan.clients.list = levels,
                               .plan.clients.count = level_count,
                               .plan.locks = 1};
    for (size_t r = 0; r < recipe_count; r++) {
        options.plan.recipes[r] = recipes[r];
        for (size_t i = 0; i < level_count; i++) {
            uint64_t n = levels[i] = (uint64_t)8 << i;
            list[samples.count++] =
                (struct sample){.cell = {.recipe = recipes[r], .clients = (uint32_t)n, .trial = 1},
                                .total.of = {[TALLY_CREATE] = n * (n + 1) / 2,
                                             [TALLY_DELETE] = n,
                                             [TALLY_EXISTS] = n * (n - 1) / 2,
                                             [TALLY_NOTIFICATION] = n * (n - 1) / 2,
                                             [TALLY_BYTES_SENT] = 100 * n * n},
                                .handoffs = n,
                                .valid = true,
                                .complete = true,
                                .drain_s = 0.001 * (double)n,
                                .handoff_us = {1234, 1500, n < 100 ? NAN : 2345, 3000}};
        }
    }
}

static const struct recipe *const both[] = {&recipe_nonscalable, &recipe_scalable_listwatch};

static bool brief;

static const char *print(size_t lines)
{
    size_t length = 0;
    free(text);
    FILE *stream = open_memstream(&text, &length);
    screen_print(samples_outcome(&samples, &options), lines, brief, stream);
    fclose(stream);
    return text;
}

static size_t widest(const char *lines)
{
    size_t most = 0;
    for (const char *line = lines; *line != '\0'; line = strchr(line, '\n') + 1) {
        size_t columns = printable_columns(line, strcspn(line, "\n"));
        most = columns > most ? columns : most;
    }
    return most;
}

static size_t lines_of(const char *lines)
{
    size_t count = 0;
    for (; *lines != '\0'; lines++)
        count += *lines == '\n';
    return count;
}

/* A 99th percentile needs 100 values; without them the longest stands there, by its name. */
TEST(the_longest_is_told_where_there_is_no_p99)
{
    lay_out(both, 1, 2);
    assert_string_equal(print(0),
                        "                                 notifi-    drain handoff handoff\n"
                        "recipe      clients RPCs CREATEs cations kB     s  p50 ms  max ms\n"
                        "nonscalable       8   72      36      28  6 0.008    1.23    3.00\n"
                        "nonscalable      16  272     136     120 26 0.016    1.23    3.00\n");
    lay_out(both, 1, 5);
    assert_non_null(strstr(print(0), "p50 ms  p99 ms  max ms\n"));
    samples.list += 4;
    samples.count = 1;
    assert_null(strstr(print(0), "max ms"));
}

TEST(times_of_trials_that_are_not_valid_are_marked)
{
    lay_out(both, 1, 2);
    list[1].valid = false;
    print(0);
    assert_non_null(strstr(text, " 0.008    1.23    3.00\n"));
    assert_non_null(strstr(text, " ~0.016   ~1.23   ~3.00\n"));
    assert_non_null(strstr(text, " holds "));
    assert_non_null(strstr(text, " not valid "));
}

/* 10^10 requests, and a recipe with the longest of names: RPCs to the last one. */
TEST(large_counts_and_long_names_fit)
{
    lay_out(both, 2, 14);
    list[0].violations = 1; /* so that the column of verdicts is there */
    assert_true(widest(print(0)) <= 80);
    assert_non_null(strstr(text, " 4,295,032,832 "));
    assert_non_null(strstr(text, "\nno room for "));
    assert_non_null(strstr(text, ": see cells.csv\n"));
}

TEST(bars_fill_the_lines_that_there_are)
{
    static const struct recipe *const two[] = {&recipe_nonscalable, &recipe_scalable};
    lay_out(two, 2, 6);
    size_t table = lines_of(print(0));
    assert_int_equal(table, 2 + 12);
    assert_int_equal(lines_of(print(12 + 4 + 1)), table);
    assert_int_equal(lines_of(print(12 + 4 + 2)), table + 2 + 2);
    assert_non_null(strstr(text, "nonscalable 256 ####"));
    assert_int_equal(lines_of(print(12 + 4 + 4)), table + 2 + 4);
    assert_non_null(strstr(text, "nonscalable   8 ## 9.0\n"));
    assert_int_equal(lines_of(print(100)), table + 2 + 12);
    assert_true(widest(text) <= 80);
}

/* Twenty lines hold the ends of three recipes at six sizes, and a bar of each. */
TEST(a_brief_screen_has_the_ends)
{
    static const struct recipe *const three[] = {&recipe_nonscalable, &recipe_scalable,
                                                 &recipe_ticket};
    lay_out(three, 3, 6);
    brief = true;
    print(17);
    brief = false;
    assert_int_equal(lines_of(text), 2 + 6 + 1 + 2 + 6);
    assert_non_null(strstr(text, "\n6 of 18 rows; without --brief all\n"));
    assert_non_null(strstr(text, " linear scale (6 of 18)\n"));
    assert_non_null(strstr(text, "nonscalable       8 "));
    assert_non_null(strstr(text, "nonscalable     256 "));
    assert_null(strstr(text, "  64 "));
}

TEST(nothing_to_compare_is_no_picture)
{
    lay_out(both, 1, 1);
    assert_null(strstr(print(100), "scale"));
    lay_out(both, 1, 2);
    assert_non_null(strstr(print(100), "scale"));
    list[0].complete = false;
    assert_null(strstr(print(100), "scale"));
}

FIXTURE(free_text)
{
    free(text);
    return 0;
}

TEST_GROUP(NULL, free_text)
