// SPDX-License-Identifier: Apache-2.0
#include "measure/csv_reader.h"

#include "measure/csv.h"

#include "tests/support/test.h"

#include <math.h>

static struct csv_reader reader;
static struct error error;

/* ------------------------------------------------------------------ what is written */

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

/* ------------------------------------------------------------------ what is read */

FIXTURE(forget)
{
    csv_reader_deinit(&reader);
    return 0;
}

/* fmemopen refuses to open nothing. */
static enum error_kind read_bytes(const char *bytes, size_t count)
{
    FILE *stream =
        count > 0 ? fmemopen((void *)(uintptr_t)bytes, count, "r") : fopen("/dev/null", "re");
    assert_non_null(stream);
    csv_reader_deinit(&reader);
    enum error_kind kind = csv_reader_init(stream, "t.csv", &reader, &error);
    fclose(stream);
    return kind;
}

static void read_well(const char *bytes)
{
    if (read_bytes(bytes, strlen(bytes)) != ERROR_NONE)
        fail_msg("'%s': %s", bytes, error.detail);
}

static void assert_field(size_t row, size_t column, const char *expected)
{
    assert_string_equal(csv_reader_text(&reader, row, column), expected);
}

TEST_BETWEEN(rows_and_columns, NULL, forget)
{
    size_t column;
    read_well("run,recipe,rpcs\na,scalable,8\nb,,\n");
    assert_int_equal(reader.columns, 3);
    assert_int_equal(reader.rows, 2);
    assert_int_equal(csv_reader_column(&reader, "rpcs", &column, &error), ERROR_NONE);
    assert_int_equal(column, 2);
    assert_field(0, 1, "scalable");
    assert_field(0, 2, "8");
    assert_field(1, 1, "");
    assert_field(1, 2, "");
    read_well("run\n");
    assert_int_equal(reader.rows, 0);
}

TEST_BETWEEN(ends_of_rows, NULL, forget)
{
    static const char *const texts[] = {"a,b\n1,2\n", "a,b\r\n1,2\r\n", "a,b\n1,2", "a,b\r\n1,2\r",
                                        "\357\273\277a,b\n1,2\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        read_well(texts[i]);
        assert_int_equal(reader.rows, 1);
        assert_string_equal(reader.fields[0], "a");
        assert_string_equal(reader.fields[1], "b");
        assert_field(0, 0, "1");
        assert_field(0, 1, "2");
    }
    read_well("a,b\n1,");
    assert_field(0, 1, "");
    read_well("a\n\n\n");
    assert_int_equal(reader.rows, 2);
}

TEST_BETWEEN(quotes_are_taken_off, NULL, forget)
{
    read_well("\"a\",\"b, c\"\n\"say \"\"go\"\"\",\"two\nlines\"\r\n\"\",\"\"\"\"\n");
    assert_string_equal(reader.fields[1], "b, c");
    assert_field(0, 0, "say \"go\"");
    assert_field(0, 1, "two\nlines");
    assert_field(1, 0, "");
    assert_field(1, 1, "\"");
    assert_int_equal(reader.lines[1], 2);
    assert_int_equal(reader.lines[2], 4); /* the row before it has two lines */
}

TEST_BETWEEN(what_csv_writes_comes_back, NULL, forget)
{
    static const char *const texts[] = {"plain", "one, two", "say \"go\"", "two\nlines",
                                        "ß",     "\"",       ",",          ""};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    open_stream(NULL);
    csv_header(&csv, "a,b,c,d,e,f,g,h");
    for (size_t i = 0; i < TEXTS; i++)
        csv_text(&csv, texts[i]);
    csv_end_row(&csv);
    fflush(csv.stream);
    read_well(text);
    close_stream(NULL);
    for (size_t i = 0; i < TEXTS; i++)
        assert_field(0, i, texts[i]);
}

TEST_BETWEEN(what_is_malformed_is_told_with_its_line, NULL, forget)
{
    static const struct {
        const char *text, *told;
    } cases[] = {
        {"", "line 1: the file is empty"},
        {"\xEF\xBB\xBF", "line 1: the file is empty"},
        {"a,b\n1,2\n1,2,3\n", "line 3: 3 fields, and not 2"},
        {"a,b\n1,2\n1\n", "line 3: 1 field, and not 2"},
        {"a,b\n\n", "line 2: 1 field, and not 2"},
        {"a,b\n1,\"2\n3,4\n", "line 2: a quote is opened and not closed"},
        {"a,b\n1,2\"3\n", "line 2: a quote inside a field that is not quoted"},
        {"a,b\n\"1\n\"x,2\n", "line 3: something stands behind a closing quote"},
        {"a,b,a\n", "line 1: two columns are called 'a'"},
        {"a,b,b\n", "line 1: two columns are called 'b'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(read_bytes(cases[i].text, strlen(cases[i].text)), ERROR_MALFORMED);
        assert_string_equal(error.subject, "t.csv");
        assert_string_equal(error.detail, cases[i].told);
        assert_null(reader.text); /* unchanged */
    }
    assert_int_equal(read_bytes("a\n\0\n", 4), ERROR_MALFORMED);
    assert_string_equal(error.detail, "line 1: a zero byte: this is no text");
}

TEST_BETWEEN(what_is_not_there_is_told, NULL, forget)
{
    size_t column = 7;
    read_well("a,b\n1,2\n");
    assert_int_equal(csv_reader_column(&reader, "rpcs", &column, &error), ERROR_MALFORMED);
    assert_string_equal(error.detail, "line 1: there is no column called 'rpcs'");
    assert_int_equal(column, 7);
    assert_int_equal(csv_reader_open("/nonexistent/t.csv", &reader, &error), ERROR_SYSTEM);
    assert_int_equal(csv_reader_open("/tmp", &reader, &error), ERROR_SYSTEM); /* a folder */
}

/* The buffer grows; a field may lie across what was read at once. */
TEST_BETWEEN(long_files, NULL, forget)
{
    enum { ROWS = 40000 };
    open_stream(NULL);
    fputs("a,b\n", csv.stream);
    for (int i = 0; i < ROWS; i++)
        fprintf(csv.stream, "%d,\"x, %d\"\n", i, i);
    fflush(csv.stream);
    read_well(text);
    close_stream(NULL);
    assert_int_equal(reader.rows, ROWS);
    assert_field(ROWS - 1, 0, "39999");
    assert_field(ROWS - 1, 1, "x, 39999");
}
