// SPDX-License-Identifier: Apache-2.0
/* Text in a page, and pictures in it: nothing foreign becomes markup, or loads anything. */

#include "bench/page/html.h"
#include "bench/page/page_sentence.h"
#include "bench/page/svg.h"

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
    page_sentence(stream, "fails", "a & b");
    page_sentence(stream, "\"><script>", "c");
    assert_written("<li class=\"fails\"><strong>fails</strong> a &amp; b</li>\n"
                   "<li class=\"undetermined\"><strong>undetermined</strong> c</li>\n");
}

/* ------------------------------------------------------------------ pictures */

static const struct svg_words words = {"T", "D & E"};

static bool write_picture(const char *inside)
{
    char picture[1024];
    snprintf(picture, sizeof picture,
             "<?xml version=\"1.0\"?>\n<svg \n width=\"9\"\n viewBox=\"0 0 560 492\">%s</svg>\n",
             inside);
    return svg_write(stream, picture, "p1", &words);
}

#define ROOT                                                                                       \
    "<svg viewBox=\"0 0 560 492\" width=\"560\" height=\"492\" role=\"img\" "                      \
    "aria-labelledby=\"p1-title p1-desc\">\n<title id=\"p1-title\">T</title>\n"                    \
    "<desc id=\"p1-desc\">D &amp; E</desc>\n"

TEST_BETWEEN(test_ids_and_references_get_the_prefix, set_up, tear_down)
{
    assert_true(write_picture("<defs><circle id='dot' r='1'/></defs>"
                              "<use xlink:href='#dot' color = 'red' fill=\"url(#dot)\"/>"));
    assert_written(ROOT "<defs><circle id=\"p1-dot\" r=\"1\"/></defs>"
                        "<use href=\"#p1-dot\" color=\"red\" fill=\"url(#p1-dot)\"/></svg>\n");
}

TEST_BETWEEN(test_titles_for_programs_are_left_out, set_up, tear_down)
{
    assert_true(write_picture("<title>x</title><g id=\"a\" ><title>y</title><text>1 &lt; 2</text>"
                              "</g>\n"));
    assert_written(ROOT "<g id=\"p1-a\"><text>1 &lt; 2</text></g>\n</svg>\n");
}

TEST_BETWEEN(test_what_gnuplot_does_not_write_is_refused, set_up, tear_down)
{
    static const char *const inside[] = {"<script>1</script>",
                                         "<image href='#a'/>",
                                         "<use href='http://127.0.0.1/'/>",
                                         "<rect fill='url(http://127.0.0.1/)'/>",
                                         "<rect onclick='1'/>",
                                         "<rect style='fill:red'/>",
                                         "<rect id='a\"b'/>",
                                         "<rect x=1/>",
                                         "<g>",
                                         "<g></text>",
                                         "</g>",
                                         "<g",
                                         "<!-- -->"};
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++)
        assert_false(write_picture(inside[i]));
    assert_false(svg_write(stream, "<svg width=\"1\"></svg>", "p1", &words));
    assert_false(svg_write(stream, "", "p1", &words));
    assert_written("");
}
