// SPDX-License-Identifier: Apache-2.0
#include "measure/csv.h"

#include "tests/support/test.h"

#include <math.h>

static char *text;
static size_t length;
static struct csv csv;

FIXTURE(open_stream)
{
    csv = (struct csv){.stream = open_memstream(&text, &length)};
    return csv.stream == NULL;
}

FIXTURE(close_stream)
{
    fclose(csv.stream);
    free(text);
    return 0;
}

static void assert_written(const char *expected)
{
    fflush(csv.stream);
    assert_string_equal(text, expected);
}

TEST_BETWEEN(commas_stand_between_fields, open_stream, close_stream)
{
    csv_header(&csv, "a,b,c,d,e");
    csv_text(&csv, "queue");
    csv_count(&csv, UINT64_MAX);
    csv_signed(&csv, INT64_MIN);
    csv_real(&csv, 812.55, 1);
    csv_empty(&csv);
    csv_end_row(&csv);
    csv_empty(&csv);
    csv_count(&csv, 0);
    csv_end_row(&csv);
    assert_written("a,b,c,d,e\n"
                   "queue,18446744073709551615,-9223372036854775808,812.5,\n"
                   ",0\n");
}

#define COLUMNS(X)                                                                                 \
    X(recipe, csv_text(csv_of_row, name))                                                          \
    X(waiters, csv_count_if(csv_of_row, waiters > 0, waiters))

static void write_row(struct csv *csv_of_row, const char *name, uint64_t waiters)
{
    COLUMNS(CSV_WRITE) csv_end_row(csv_of_row);
}

TEST_BETWEEN(columns_have_their_names_and_fields_from_one_list, open_stream, close_stream)
{
    csv_header(&csv, COLUMNS(CSV_NAME));
    write_row(&csv, "queue", 7);
    write_row(&csv, "herd", 0);
    assert_written("recipe,waiters\nqueue,7\nherd,\n");
}

TEST_BETWEEN(a_text_is_quoted_where_it_must_be, open_stream, close_stream)
{
    csv_text(&csv, "plain text; of 100 %");
    csv_text(&csv, "one, two");
    csv_text(&csv, "say \"go\"");
    csv_text(&csv, "two\nlines");
    csv_text(&csv, "back\r");
    csv_text(&csv, "");
    csv_text(&csv, NULL);
    csv_text(&csv, "ß");
    csv_end_row(&csv);
    assert_written("plain text; of 100 %,\"one, two\",\"say \"\"go\"\"\",\"two\nlines\","
                   "\"back\r\",,,ß\n");
}

TEST_BETWEEN(what_is_not_finite_is_empty, open_stream, close_stream)
{
    csv_real(&csv, NAN, 2);
    csv_real(&csv, INFINITY, 2);
    csv_real(&csv, -INFINITY, 2);
    csv_real(&csv, -0.5, 0);
    csv_real(&csv, 1e15, 3);
    csv_end_row(&csv);
    assert_written(",,,-0,1000000000000000.000\n");
}
