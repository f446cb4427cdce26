// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_checks.h"

#include "bench/page/page_sentence.h"

#include <string.h>

/* ------------------------------------------------------------------ grants and passages */

static void say_steps(FILE *stream, const struct csv_reader *trials, const char *step)
{
    size_t failed = 0, first = 0;
    for (size_t row = trials->rows; row-- > 0;) {
        if (page_source_number(trials, row, "violations") > 0)
            failed++, first = row;
    }
    if (trials->rows > 0 && failed == 0)
        page_sentence(stream, "holds",
                      "Every %s was checked, and no check failed, in %zu of %zu trials.", step,
                      trials->rows, trials->rows);
    else if (failed > 0)
        page_sentence(stream, "fails", "A check failed in %zu of %zu trials; the first: %s.",
                      failed, trials->rows, page_source_text(trials, first, "reason"));
}

/* ------------------------------------------------------------------ the servers' own counts */

static size_t count_rows(const struct csv_reader *file, const char *reconciled)
{
    size_t count = 0;
    for (size_t row = 0; row < file->rows; row++)
        count += strcmp(page_source_text(file, row, "reconciled"), reconciled) == 0;
    return count;
}

/* The first file that tells of each trial whether the counts agree. */
static const struct csv_reader *find_reconciled(const struct page_source *source)
{
    static const char *const files[] = {"trials.csv", "load.csv", "barriers.csv", "plan.csv"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct csv_reader *file = page_source_file(source, files[i]);
        if (count_rows(file, "yes") + count_rows(file, "no") + count_rows(file, "na") > 0)
            return file;
    }
    return NULL;
}

static void say_reconciled(FILE *stream, const struct page_source *source)
{
    const struct csv_reader *file = find_reconciled(source);
    if (file == NULL)
        return;
    size_t same = count_rows(file, "yes"), other = count_rows(file, "no");
    size_t unknown = file->rows - same - other;
    char rest[96] = "";
    if (unknown > 0)
        snprintf(rest, sizeof rest, "; in %zu they cannot be compared", unknown);
    if (other > 0)
        page_sentence(stream, "fails",
                      "The servers' own counts differ from those of the clients in %zu of %zu "
                      "trials%s.",
                      other, file->rows, rest);
    else if (same > 0)
        page_sentence(stream, "holds",
                      "The servers' own counts equal those of the clients in %zu of %zu trials%s.",
                      same, file->rows, rest);
    else
        page_sentence(stream, "undetermined",
                      "The servers' own counts cannot be compared with those of the clients.");
}

void page_checks_write(FILE *stream, const struct page_source *source)
{
    say_steps(stream, page_source_file(source, "trials.csv"), "grant");
    say_steps(stream, page_source_file(source, "barriers.csv"), "passage of a barrier");
    say_reconciled(stream, source);
}
