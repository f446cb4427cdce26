// SPDX-License-Identifier: Apache-2.0
/* How a run ends on the screen, of trials made by hand: the bars, and the verdict in words. */
#include "base/printable.h"
#include "bench/run/internal.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/samples.h"
#include "tests/support/test.h"

#define TRIALS_MAX 512

static struct sample list[TRIALS_MAX];
static struct samples samples;
static size_t planned;
static uint64_t levels[40];
static struct options options;
static char *text;

static struct sample *add(const struct recipe *recipe, uint64_t n)
{
    struct sample *sample = &list[samples.count++];
    assert_true(samples.count <= TRIALS_MAX);
    *sample = (struct sample){.cell = {.recipe = recipe, .clients = (uint32_t)n, .trial = 1},
                              .handoffs = n,
                              .has_law = true,
                              .valid = true,
                              .complete = true};
    law_total(recipe, n, n, &sample->law);
    sample->total = sample->law;
    return sample;
}

/* Trials whose counts are the law's, of each recipe at 8, 16, 32 … clients. */
static void lay_out(const struct recipe *const *recipes, size_t recipe_count, size_t level_count)
{
    samples = (struct samples){list, 0};
    planned = 0;
    options = (struct options){.plan.recipe_count = recipe_count,
                               .plan.clients.list = levels,
                               .plan.clients.count = level_count,
                               .plan.locks = 1};
    for (size_t r = 0; r < recipe_count; r++) {
        options.plan.recipes[r] = recipes[r];
        for (size_t i = 0; i < level_count; i++) {
            levels[i] = (uint64_t)8 << i;
            add(recipes[r], levels[i]);
        }
    }
}

static const struct recipe *const both[] = {&recipe_nonscalable, &recipe_scalable};

static const char *bars(size_t width, bool blocks)
{
    size_t length = 0;
    free(text);
    FILE *stream = open_memstream(&text, &length);
    handoff_bars_write(samples_outcome(&samples, &options), width, blocks, stream);
    fclose(stream);
    return text;
}

static const char *conclusion(void)
{
    size_t length = 0;
    free(text);
    FILE *stream = open_memstream(&text, &length);
    conclusion_write(samples_outcome(&samples, &options), planned, false, stream);
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

/* ------------------------------------------------------------------ bars */

/* Trials that were not led to their end are in no bar, nor are those that fail, nor those without a
 * handoff. */
TEST(bars_are_of_complete_trials)
{
    lay_out(both, 2, 2);
    list[1].complete = false;
    assert_null(strstr(bars(80, false), "17.0"));
    list[1].complete = true;
    list[1].violations = 1;
    assert_null(strstr(bars(80, false), "17.0"));
    list[3].handoffs = 0;
    assert_int_equal(lines_of(bars(80, false)), 4);
    struct sample *more = add(&recipe_nonscalable, 8);
    more->handoffs = 4 * 8;
    assert_non_null(strstr(bars(80, false), " 3.6\n")); /* 144 by 40 */
}

TEST(nothing_to_compare_is_no_picture)
{
    lay_out(both, 1, 1);
    assert_string_equal(bars(80, false), "");
    lay_out(both, 1, 2);
    assert_int_equal(lines_of(bars(80, false)), 4);
    assert_string_equal(bars(29, false), "");
    assert_int_equal(lines_of(bars(30, false)), 4);
    lay_out(both, 2, 1);
    assert_int_equal(lines_of(bars(80, false)), 4);
    for (size_t i = 0; i < samples.count; i++)
        list[i].complete = false;
    assert_string_equal(bars(80, false), "");
}

TEST(of_many_levels_the_ends_are_shown)
{
    lay_out(both, 1, 15);
    bars(80, false);
    assert_int_equal(lines_of(text), 2 + 8);
    assert_non_null(strstr(text, "nonscalable       8 . 9.0\n"));
    assert_null(strstr(text, "\n                 16 "));
    assert_non_null(strstr(text, "\n                 32 "));
    assert_non_null(strstr(text, "\n            131,072 ####"));
    assert_non_null(strstr(text, "# 131,073\n"));
}

TEST(the_widest_bars_have_eighty_columns)
{
    const struct recipe *all[OPTIONS_RECIPES_MAX];
    size_t count = 0;
    for (; count < 12; count++)
        all[count] = count % 2 == 0 ? &recipe_scalable_listwatch : &recipe_walkback;
    lay_out(all, count, 18);
    assert_int_equal(widest(bars(200, true)), 80);
    assert_int_equal(widest(bars(80, false)), 80);
    assert_int_equal(lines_of(text), 2 + 12 * 2);
    assert_true(widest(strstr(bars(60, true), "scale\n") + 6) <= 60);
}

/* ------------------------------------------------------------------ the verdict */

TEST(all_well_is_said_in_three_lines)
{
    lay_out(both, 2, 6);
    assert_string_equal(conclusion(), "\nverdict: holds\n"
                                      "    All counts equal their laws\n"
                                      "    RPCs grow as O(n²): nonscalable; as O(n): scalable\n");
}

TEST(failures_are_told_with_their_place)
{
    lay_out(both, 2, 3);
    list[1].violations = list[2].violations = 1;
    list[2].valid = list[3].valid = list[4].valid = false;
    conclusion();
    assert_non_null(strstr(text, "\nverdict: FAILS\n"
                                 "    nonscalable: 2 of 3 trials fail, with 16 to 32 clients\n"
                                 "    scalable: 2 of 3 trials are not valid, with 8 to 16 clients\n"
                                 "    The counts of the other trials equal their laws\n"));
    list[2].violations = 0;
    list[2].valid = true;
    assert_non_null(strstr(conclusion(), "1 of 3 trials fails, with 16 clients\n"));
}

TEST(a_trial_that_is_not_valid_leaves_the_counts)
{
    lay_out(both, 1, 1);
    list[0].valid = false;
    assert_non_null(strstr(conclusion(), "\nverdict: not valid\n"
                                         "    nonscalable: the only trial is not valid, with 8 "
                                         "clients\n"
                                         "    All counts equal their laws\n"));
    list[0].complete = false;
    assert_null(strstr(conclusion(), "counts"));
}

TEST(counts_without_a_law_are_not_judged_by_one)
{
    lay_out(both, 2, 1);
    list[0].has_law = false;
    assert_non_null(strstr(conclusion(), "\n    All counts that have a law equal it\n"));
    add(&recipe_scalable, 1)->violations = 1;
    conclusion();
    assert_non_null(strstr(text, "\n    scalable: 1 of 2 trials fails, with 1 client\n"
                                 "    The other counts that have a law equal it\n"));
    samples.count--;
    list[1].has_law = false;
    assert_non_null(strstr(conclusion(), "\n    No law applies to these counts\n"));
    options.plan.pace = PACE_FREE;
    assert_string_equal(conclusion(),
                        "\nverdict: holds\n"
                        "    No law applies to these counts: in free pace they depend on timing\n");
}

static int free_text(void **state)
{
    (void)state;
    free(text);
    return 0;
}

TEST_GROUP(NULL, free_text)
