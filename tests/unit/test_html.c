// SPDX-License-Identifier: Apache-2.0
/* Text in a page: nothing foreign becomes markup. */

#include "bench/page/internal.h"

#include "tests/support/test.h"

static char *written;
static size_t length;
static FILE *stream;

static int set_up(void **state)
{
    (void)state;
    stream = open_memstream(&written, &length);
    return stream == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    free(written);
    return 0;
}

static void assert_written(const char *expected)
{
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(written, expected);
}

TEST_BETWEEN(test_a_text_never_becomes_markup, set_up, tear_down)
{
    html_text(stream, "<b a=\"1\" b='2'>&amp; Zürich</b>\n\x1b\xff");
    assert_written("&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp; Zürich&lt;/b&gt;"
                   "\\x0a\\x1b\\xff");
}

TEST_BETWEEN(test_an_element_is_closed_by_its_name, set_up, tear_down)
{
    html_element(stream, "th scope=\"col\"", "%s < %d", "n", 7);
    assert_written("<th scope=\"col\">n &lt; 7</th>\n");
}

TEST_BETWEEN(test_a_verdict_of_a_file_is_one_of_the_words, set_up, tear_down)
{
    html_sentence(stream, "fails", "a & b");
    html_sentence(stream, "\"><script>", "c");
    assert_written("<li class=\"fails\"><strong>fails</strong> a &amp; b</li>\n"
                   "<li class=\"undetermined\"><strong>undetermined</strong> c</li>\n");
}

TEST_BETWEEN(test_a_sentence_has_the_fields_of_its_row, set_up, tear_down)
{
    static const char rows[] = "a,b,c\n1,,<x>\n2,3,\n";
    struct csv_reader file;
    struct error error;
    FILE *csv = fmemopen((char *)(uintptr_t)rows, strlen(rows), "re");
    assert_int_equal(csv_reader_init(csv, "rows", &file, &error), ERROR_NONE);
    fclose(csv);
    for (size_t row = 0; row < 3; row++)
        html_row(stream, "a is {a}[, b {b} & {a}][; c: {c}]{other}.\n", &file, row);
    assert_written("a is 1; c: &lt;x&gt;.\\x0aa is 2, b 3 &amp; 2.\\x0aa is .\\x0a");
    csv_reader_deinit(&file);
}

TEST_BETWEEN(test_a_field_is_written_as_the_sentence_asks, set_up, tear_down)
{
    static const char rows[] = "a,b,c,d\n1234567,-0.00001,n^2 + n: O(n^2),\n";
    struct csv_reader file;
    struct error error;
    FILE *csv = fmemopen((char *)(uintptr_t)rows, strlen(rows), "re");
    assert_int_equal(csv_reader_init(csv, "rows", &file, &error), ERROR_NONE);
    fclose(csv);
    html_row(stream, "{a:,} {a:2} {b:%} % {c:^}[ {d:2}][ {c:2}]", &file, 0);
    assert_written("1,234,567 1234567.00 0.00 % n² + n: O(n²)");
    csv_reader_deinit(&file);
}

TEST_BETWEEN(test_a_frame_leaves_out_what_is_empty, set_up, tear_down)
{
    static const struct html_slot slots[] = {{"a", "1\n2\n"}, {"none", ""}, {NULL, NULL}};
    html_frame(stream,
               "x{{a}}y\n{{a}}\n{{if none}}\nn{{a}}\n{{else}}\ne\n{{end}}\n{{if a}}\n{{none}}\n"
               "t\n{{else}}\nf\n{{end}}\nend\n",
               slots);
    assert_written("x1\n2\ny\n1\n2\ne\nt\nend\n");
}
