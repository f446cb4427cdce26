// SPDX-License-Identifier: Apache-2.0
/* The figures in README.md and docs are those of the runs in results/reference (tests/figures); and
 * what checks them finds every error, in an invented document of invented runs. */
#include "tests/support/figures.h"

#include "tests/support/csv_file.h"
#include "tests/support/document.h"
#include "tests/support/evidence.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the documents */

static char *read_list(void)
{
    if (access("tests/figures", R_OK) != 0)
        fail_msg("tests/figures is not here: run this in the folder that README.md is in");
    return read_text("tests/figures");
}

TEST(every_figure_is_that_of_its_run)
{
    char *list = read_list();
    size_t wrong = figures_check(".", list, stderr);
    free(list);
    assert_int_equal(wrong, 0);
}

TEST(every_document_is_looked_through)
{
    char *list = read_list();
    assert_has(list, "\ndocument README.md\n");
    DIR *docs = opendir("docs");
    assert_non_null(docs);
    for (struct dirent *entry; (entry = readdir(docs)) != NULL;) {
        char line[300];
        const char *end = strrchr(entry->d_name, '.');
        snprintf(line, sizeof line, "\ndocument docs/%s\n", entry->d_name);
        if (end != NULL && strcmp(end, ".md") == 0)
            assert_has(list, line);
    }
    closedir(docs);
    free(list);
}

/* ------------------------------------------------------------------ an invented one */

static char root[64], complaints[8192];

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define DOCUMENT                                                                                   \
    "# Locks\n\nA drain with 1,000 clients takes\n2.3 ms, or 5.1 times as long (95 % CI 4 to "     \
    "6).\n"

static int set_up(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/zkherd-figures-XXXXXX");
    assert_non_null(mkdtemp(root));
    write_file("runs.csv", "lock,trial,in,out,us\n"
                           "a,1,10,1,2100\na,2,20,2,2340\na,3,30,3,9000\n"
                           "\"b, c\",1,5,0,7\n");
    write_file("cost.txt", "round  bare\n  1    1.50\n  2    12,001  -3\n\n  mean 6000\n");
    write_file("A.md", DOCUMENT);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(root);
}

#define FROM "from runs.csv lock=a\n"
#define LIST                                                                                       \
    "document A.md\nsays drain with 1,000 clients takes {2.3} ms\n" FROM                           \
    "figure median us / 1000\n\nsays 5.1 times\nbecause an example\n"

static size_t check(const char *list)
{
    memset(complaints, 0, sizeof complaints);
    FILE *stream = fmemopen(complaints, sizeof complaints, "w");
    assert_non_null(stream);
    size_t wrong = figures_check(root, list, stream);
    fclose(stream);
    return wrong;
}

/* One error, which this names. */
static void assert_wrong(const char *list, const char *why)
{
    size_t wrong = check(list);
    if (wrong != 1)
        fail_msg("%zu errors: %s", wrong, complaints);
    assert_has(complaints, why);
}

TEST_BETWEEN(what_is_right_is_accepted, set_up, tear_down)
{
    assert_int_equal(check(LIST), 0);
    assert_string_equal(complaints, "");
}

TEST_BETWEEN(a_figure_that_has_changed_is_found, set_up, tear_down)
{
    write_file("A.md", "A drain with 1,000 clients takes 2.4 ms, or 5.1 times as long.\n");
    assert_wrong("document A.md\nsays takes {2.4} ms\n" FROM "figure median us / 1000\n"
                 "says 5.1 times\nbecause an example\n",
                 "quotes 2.4, and runs.csv lock=a has 2.34 ");
}

TEST_BETWEEN(words_that_are_not_there_once_are_found, set_up, tear_down)
{
    write_file("A.md", DOCUMENT "\nIt takes 2.3 ms, and it takes 2.3 ms.\n");
    check(LIST);
    assert_has(complaints, "quotes 2.3, which no entry names");
    assert_wrong("document A.md\nsays It … takes 2.3 ms.\nbecause an example\n"
                 "says drain with … 5.1 times\nbecause an example\n"
                 "says it takes {2.30} ms\n" FROM "figure median us / 1000\n",
                 "these words 0 times and not once: it takes {2.30} ms");
    check("document A.md\nsays takes {2.3} ms\n" FROM "figure median us / 1000\n");
    assert_has(complaints, "these words 3 times and not once");
}

TEST_BETWEEN(a_figure_without_an_entry_is_found, set_up, tear_down)
{
    assert_wrong("document A.md\nsays takes {2.3} ms\n" FROM "figure median us / 1000\n",
                 "quotes 5.1, which no entry names");
    write_file("A.md", DOCUMENT "\n## Old\n\n9 ms\n\n### Older\n\n8 ms\n\n## New\n\n7 ms\n");
    assert_wrong(LIST "section Old\nbecause too old\n", "quotes 7, which no entry names");
    assert_wrong(LIST "section Locks\nbecause fun\nsection New\nbecause more fun\n",
                 "has no number to be excused here: New");
    check(LIST "section New\nbecause too new\n");
    assert_has(complaints, "quotes 9, ");
    assert_has(complaints, "quotes 8, ");
}

TEST_BETWEEN(as_many_figures_are_given_as_the_words_have, set_up, tear_down)
{
    assert_wrong(LIST "says {4} to {6}\n" FROM "figure max trial / 0.75\n",
                 "1 figures are given of 2: {4} to {6}");
    assert_wrong(LIST "says {4} to 6\n" FROM "figure max trial / 0.75\nfigure count\n",
                 "2 figures are given of 1: {4} to 6");
    assert_wrong(LIST "says 4 to 6\n" FROM "figure count\n", "1 figures are given of 0");
    assert_wrong("says {4} to {6}\n" LIST, "'says' is of no document");
    assert_wrong(LIST "section Locks\n", "0 figures are given of 0: Locks");
}

TEST_BETWEEN(what_make_docs_wrote_is_not_looked_at, set_up, tear_down)
{
    write_file("A.md", "<!-- generated by make docs: lines A; do not edit -->\nIt takes 7.3 ms.\n"
                       "<!-- end of generated -->\n\nAnd 4.1 ms.\n");
    assert_wrong("document A.md\n", "quotes 4.1, which no entry names");
}

/* ------------------------------------------------------------------ what may be measured */

static void assert_numbers(const char *markdown, const char *expected)
{
    char found[256] = "";
    struct document document;
    struct span number;
    document_init(&document, markdown);
    for (const char *at = document.text; document_next(&document, &at, &number);) {
        strncat(found, number.at, number.length);
        strcat(found, " ");
    }
    document_deinit(&document);
    assert_string_equal(found, expected);
}

TEST(numbers_that_may_be_measured_are_known)
{
    assert_numbers("With 20 clients 3 s, 4\nµs (-0.5 to 1.25), 5 % and **7** or 1,001.",
                   "3 4 -0.5 1.25 5 1,001 ");
    assert_numbers(
        "* 1 ms\n* `2 ms` 3 KB\n\n1. 6 times\n\n        zkherd -t 0.25\n\n    8 ms 0.5\n",
        "1 3 6 8 ");
    assert_numbers("| 1 ms | 2 |\n|---|---|\n| 3 | **4** |\n| 5 W | 6 ms | |\n", "3 4 6 ");
    assert_numbers("In 4 of 5 trials 6 of the 7 took 8 RPCs, 1 to 2 to 3 ms.", "4 8 2 3 ");
    assert_numbers("ZooKeeper 3.8.0, 1,000 clients, 95 % CI, p99 < 50ms, x-2.5, 10-5, n.5", "");
    assert_numbers("```\n9 ms\n```\n10 ms\n", "9 10 ");
}

/* ------------------------------------------------------------------ what runs say */

static double figure(const char *source, const char *words)
{
    const char *why;
    return evidence_figure(root, source, words, &why);
}

TEST_BETWEEN(figures_of_rows, set_up, tear_down)
{
    assert_true(figure("runs.csv", "count") == 4);
    assert_true(figure("runs.csv", "count lock!=a") == 1);
    assert_true(figure("runs.csv runs.csv lock=a", "count in>=20") == 4);
    assert_true(figure("runs.csv lock=a", "median in+out") == 22);
    assert_true(figure("runs.csv lock=a", "mean us") == 4480);
    assert_true(figure("runs.csv lock=a", "min us") == 2100);
    assert_true(figure("runs.csv lock=a", "max us / in") == 300);
    assert_true(figure("runs.csv", "value us lock=\"b, c\"") == 7);
    assert_true(figure("runs.csv trial=1", "all trial") == 1);
    assert_true(isnan(figure("runs.csv", "all trial")));
    assert_true(isnan(figure("runs.csv", "value us")));
    assert_true(isnan(figure("runs.csv lock=d", "max us")));
    assert_true(isnan(figure("runs.csv", "max ms")));
    assert_true(isnan(figure("runs.csv", "max lock")));
    assert_true(isnan(figure("runs.csv", "most us")));
    assert_true(isnan(figure("runs.csv place=1", "count")));
    evidence_forget();
}

TEST_BETWEEN(figures_of_a_text, set_up, tear_down)
{
    assert_true(figure("cost.txt bare mean", "max #2") == 12001);
    assert_true(figure("cost.txt bare mean", "count") == 2);
    assert_true(figure("cost.txt \"2 12,001\" mean", "value #1") == -3);
    assert_true(isnan(figure("cost.txt bare mean", "max #3")));
    assert_true(isnan(figure("cost.txt bare sum", "max #1")));
    assert_true(isnan(figure("cost.txt e sum", "max #1")));
}

static bool agree(const char *printed, double unit, double number)
{
    return figures_agree(printed, strlen(printed), unit, number);
}

TEST(a_figure_is_rounded_to_its_last_digit)
{
    assert_true(agree("1.5", 0, 1.549) && agree("1.5", 0, 1.451) && agree("9.0", 0, 8.95));
    assert_false(agree("1.5", 0, 1.551) || agree("1.5", 0, 1.449) || agree("1.50", 0, 1.51));
    assert_true(agree("1,001,000", 0, 1001000) && agree("-0.5", 0, -0.51));
    assert_false(agree("1,001,000", 0, 1001001) || agree("-0.5", 0, 0.5));
    assert_true(agree("188,000", 1000, 187981) && agree("Four", 0, 4));
    assert_false(agree("188,000", 1000, 187481) || agree("four", 0, 5) || agree("many", 0, 4));
    assert_false(agree("4 ", 0, 4) || agree("", 0, 0));
}
