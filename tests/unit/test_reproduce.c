// SPDX-License-Identifier: Apache-2.0
/* What zkherd reproduce takes of files and how it judges, on files made by hand. */
#include "base/memory.h"
#include "bench/reproduce/internal.h"

#include "tests/support/work.h"

#include <math.h>

/* ------------------------------------------------------------------ figures of files */

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_work("%s", name), "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char runs[] = "lock,trial,in,out,us,valid,fit,fit_low,fit_high,verdict\n"
                           "a,1,10,1,2100,yes,2,1.5,3,holds\n"
                           "a,2,20,2,2340,yes,2,1.5,3,holds\n"
                           "a,3,30,3,9000,no,2,1.5,3,fails\n"
                           "\"b, c\",1,5,0,7,yes,4,3,,undetermined\n";

static struct evidence take(enum figure_kind kind, const char *from, const char *what)
{
    struct figure figure = {.kind = kind, .from = memory_text(from), .take = memory_text(what)};
    struct evidence evidence = evidence_take(&figure, &(struct results){work_folder, NULL});
    free(figure.from);
    free(figure.take);
    return evidence;
}

static void assert_takes(enum figure_kind kind, const char *from, const char *what, double value,
                         double low, double high)
{
    struct evidence evidence = take(kind, from, what);
    if (evidence.why != NULL)
        fail_msg("%s: %s: %s", from, what, evidence.why);
    assert_true(fabs(evidence.value - value) < 1e-6);
    assert_true(isnan(low) ? isnan(evidence.low) : fabs(evidence.low - low) < 1e-3);
    assert_true(isnan(high) ? isnan(evidence.high) : fabs(evidence.high - high) < 1e-3);
    evidence_deinit(&evidence);
}

static void assert_takes_none(const char *from, const char *what, const char *why)
{
    struct evidence evidence = take(FIGURE_EXACT, from, what);
    assert_non_null(evidence.why);
    assert_string_equal(evidence.why, why);
    evidence_deinit(&evidence);
}

COMMAND_TEST(a_figure_is_taken_of_the_rows_that_are_named)
{
    write_text("runs.csv", runs);
    assert_takes(FIGURE_EXACT, "runs.csv lock=a", "max us / in", 300, NAN, NAN);
    assert_takes(FIGURE_EXACT, "runs.csv lock=a in>=20", "median us", 5670, NAN, NAN);
    assert_takes(FIGURE_EXACT, "runs.csv lock!=a", "value in+out", 5, NAN, NAN);
    assert_takes(FIGURE_EXACT, "runs.csv", "value us lock=\"b, c\"", 7, NAN, NAN);
    assert_takes(FIGURE_EXACT, "runs.csv runs.csv", "count in>=20", 4, NAN, NAN);
    assert_takes(FIGURE_EXACT, "runs.csv trial=1", "all trial", 1, NAN, NAN);
    assert_takes(FIGURE_EXACT, "runs.csv lock=a", "mean us rounded 1000", 4480, NAN, NAN);
    assert_takes_none("runs.csv", "max us lock=d", "no such row");
    assert_takes_none("runs.csv", "value us", "several rows: us");
    assert_takes_none("runs.csv", "max ms", "no such column: ms");
    assert_takes_none("runs.csv", "max lock", "no number: lock");
    assert_takes_none("runs.csv", "most us", "no such statistic: most");
    assert_takes_none("runs.csv", "count place=1", "no such column: place=1");
    assert_takes_none("other.csv", "max us", "no such file: other.csv");
}

COMMAND_TEST(counts_that_must_be_the_same_differ)
{
    write_text("runs.csv", runs);
    struct evidence evidence = take(FIGURE_EXACT, "runs.csv", "all trial");
    assert_true(evidence.differ);
    evidence_deinit(&evidence);
}

COMMAND_TEST(a_figure_is_taken_of_the_lines_of_a_text)
{
    write_text("cost.txt", "round  bare\n  1    1.50\n  2    12,001  -3\n\n  mean 6000\n");
    assert_takes(FIGURE_EXACT, "cost.txt bare mean", "max #2", 12001, NAN, NAN);
    assert_takes(FIGURE_EXACT, "cost.txt \"2 12,001\" mean", "value #1", -3, NAN, NAN);
    assert_takes_none("cost.txt bare mean", "max #3", "no such number in a line: #3");
    assert_takes_none("cost.txt e sum", "max #1", "without these words once: cost.txt");
}

/* By hand: the ends of a column's own interval; of the rows, of trials that are valid alone; the
 * share of two rows in three, and 95 % of logarithms of five trials. */
COMMAND_TEST(a_figure_has_an_interval)
{
    write_text("runs.csv", runs);
    write_text("five.csv", "us\n100\n110\n90\n105\n95\n");
    assert_takes(FIGURE_MEASURED, "runs.csv lock=a", "value fit trial=1", 2, 1.5, 3);
    assert_takes(FIGURE_MEASURED, "runs.csv lock=a", "value fit_low / 10 trial=1", 0.15, 0.15, 0.3);
    assert_takes(FIGURE_MEASURED, "runs.csv lock=a", "value us trial=1 between in us", 2100, 10,
                 2100);
    assert_takes(FIGURE_MEASURED, "runs.csv", "value fit lock!=a", 4, NAN, NAN);
    assert_takes(FIGURE_MEASURED, "runs.csv lock=a", "max us", 2340, 2100, 2340);
    assert_takes(FIGURE_MEASURED, "runs.csv lock=a", "median us", 2220, NAN, NAN);
    assert_takes(FIGURE_MEASURED, "five.csv", "median us", 100, 90.394, 110.073);
    assert_takes(FIGURE_MEASURED, "runs.csv trial>=1", "count verdict=holds", 2, 0.600, 3.400);
}

/* ------------------------------------------------------------------ the judgement */

static char value_text[] = "value v";

static enum reproduced judged(enum figure_kind kind, const char *printed, double expected,
                              const double expected_ends[2], double found,
                              const double found_ends[2], bool same_machine)
{
    const char *why;
    struct figure figure = {.kind = kind, .printed = memory_text(printed), .take = value_text};
    struct evidence a = {.value = expected, .low = NAN, .high = NAN},
                    b = {.value = found, .low = NAN, .high = NAN};
    if (expected_ends != NULL)
        a.low = expected_ends[0], a.high = expected_ends[1];
    if (found_ends != NULL)
        b.low = found_ends[0], b.high = found_ends[1];
    enum reproduced verdict = judge_figure(&figure, &a, &b, same_machine, &why);
    assert_true((why != NULL) == (verdict == REPRODUCED_UNDETERMINED));
    free(figure.printed);
    return verdict;
}

#define ENDS(low, high) ((const double[]){low, high})

TEST(a_count_is_equal_or_different)
{
    assert_int_equal(judged(FIGURE_EXACT, "62,750", 62750, NULL, 62750, NULL, false),
                     REPRODUCED_EQUAL);
    assert_int_equal(judged(FIGURE_EXACT, "62,750", 62750, NULL, 62751, NULL, false),
                     REPRODUCED_DIFFERENT);
}

TEST(a_time_that_prints_alike_is_equal)
{
    assert_int_equal(judged(FIGURE_MEASURED, "1.8", 1.79, NULL, 1.84, NULL, true),
                     REPRODUCED_EQUAL);
    assert_int_equal(judged(FIGURE_MEASURED, "1.8", 1.79, NULL, 1.86, NULL, true),
                     REPRODUCED_UNDETERMINED);
    assert_int_equal(judged(FIGURE_MEASURED, "28", 28.4, NULL, 27.6, NULL, true), REPRODUCED_EQUAL);
}

TEST(intervals_that_overlap_are_within)
{
    assert_int_equal(
        judged(FIGURE_MEASURED, "1.8", 1.8, ENDS(1.6, 2.0), 2.2, ENDS(1.95, 2.5), true),
        REPRODUCED_WITHIN);
    assert_int_equal(
        judged(FIGURE_MEASURED, "1.8", 1.8, ENDS(1.6, 2.0), 1.4, ENDS(1.2, 1.65), true),
        REPRODUCED_WITHIN);
}

TEST(intervals_apart_are_different_on_the_same_machine_alone)
{
    assert_int_equal(
        judged(FIGURE_MEASURED, "1.8", 1.8, ENDS(1.6, 2.0), 2.2, ENDS(2.05, 2.5), true),
        REPRODUCED_DIFFERENT);
    assert_int_equal(
        judged(FIGURE_MEASURED, "1.8", 1.8, ENDS(1.6, 2.0), 1.4, ENDS(1.2, 1.55), true),
        REPRODUCED_DIFFERENT);
    assert_int_equal(
        judged(FIGURE_MEASURED, "1.8", 1.8, ENDS(1.6, 2.0), 2.2, ENDS(2.05, 2.5), false),
        REPRODUCED_UNDETERMINED);
}

TEST(without_an_interval_nothing_is_decided)
{
    assert_int_equal(judged(FIGURE_MEASURED, "1.8", 1.8, ENDS(1.6, 2.0), 1.9, NULL, true),
                     REPRODUCED_UNDETERMINED);
    assert_int_equal(judged(FIGURE_MEASURED, "1.8", 1.8, NULL, 1.9, ENDS(1.6, 2.0), true),
                     REPRODUCED_UNDETERMINED);
}

static enum reproduced claimed(const char *expected, const char *found)
{
    const char *why;
    struct figure figure = {.kind = FIGURE_VERDICT};
    struct evidence a = {.words = memory_text(expected)}, b = {.words = memory_text(found)};
    enum reproduced verdict = judge_figure(&figure, &a, &b, true, &why);
    evidence_deinit(&a);
    evidence_deinit(&b);
    return verdict;
}

TEST(a_claim_has_the_same_verdict)
{
    assert_int_equal(claimed("holds", "holds"), REPRODUCED_EQUAL);
    assert_int_equal(claimed("fails", "fails"), REPRODUCED_EQUAL);
    assert_int_equal(claimed("undetermined", "undetermined"), REPRODUCED_EQUAL);
    assert_int_equal(claimed("holds", "fails"), REPRODUCED_DIFFERENT);
    assert_int_equal(claimed("fails", "holds"), REPRODUCED_DIFFERENT);
    assert_int_equal(claimed("holds", "undetermined"), REPRODUCED_UNDETERMINED);
    assert_int_equal(claimed("undetermined", "fails"), REPRODUCED_UNDETERMINED);
}

TEST(the_worst_verdict_is_the_exit_status)
{
    assert_int_equal(judge_status((const size_t[]){3, 2, 0, 0}), 0);
    assert_int_equal(judge_status((const size_t[]){3, 2, 0, 1}), 4);
    assert_int_equal(judge_status((const size_t[]){3, 2, 1, 1}), 1);
}

/* ------------------------------------------------------------------ the lists */

/* What a document prints, without its commas; NaN: a word. */
static double printed_number(const char *printed)
{
    char digits[32], *to = digits, *end;
    for (; *printed != '\0'; printed++) {
        if (*printed != ',')
            *to++ = *printed;
    }
    *to = '\0';
    double number = strtod(digits, &end);
    return end == digits ? NAN : number;
}

/* tests/figures.awk, another program, takes the same words for this. */
static void assert_printed(const struct figure *figure, double value)
{
    if (figure->printed == NULL || strstr(figure->take, "rounded") != NULL)
        return;
    const char *point = strchr(figure->printed, '.');
    double unit = point != NULL ? pow(10, -(double)strlen(point + 1)) : 1;
    if (fabs(value - printed_number(figure->printed)) > unit * 0.500001)
        fail_msg("%s: %s: %s, and not %f", figure->from, figure->take, figure->printed, value);
}

/* Each figure of the documents is of a file that a part makes, with which the reference is equal.
 */
TEST(the_reference_reproduces_itself)
{
    struct parts all = parts_read(parts_txt);
    struct figures list = figures_read(figures_txt);
    struct results reference = {"results/reference", NULL};
    figures_expand_verdicts(&list, &reference);
    assert_true(list.count > 200);
    for (size_t i = 0; i < list.count; i++) {
        const struct figure *figure = &list.list[i];
        const char *why;
        struct evidence evidence = evidence_take(figure, &reference);
        if (parts_of(&all, figure, NULL) == NULL)
            fail_msg("no part makes %s", figure->from);
        if (judge_figure(figure, &evidence, &evidence, true, &why) != REPRODUCED_EQUAL)
            fail_msg("%s: %s: %s", figure->from, figure->take, why);
        assert_printed(figure, evidence.value);
        evidence_deinit(&evidence);
    }
    figures_deinit(&list);
    parts_deinit(&all);
}
