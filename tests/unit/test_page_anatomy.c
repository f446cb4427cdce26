// SPDX-License-Identifier: Apache-2.0
/* The handoffs of a trace on the page of results, and the script that goes through them. */
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include "bench/page/internal.h"
#include "bench/page/page.h"

#include <sys/stat.h>

#define PATH_SIZE 256

static char work[64];
static char *page;
static struct error error;

static int set_up(void **state)
{
    (void)state;
    strcpy(work, P_tmpdir "/test_handoffs.XXXXXX");
    return mkdtemp(work) == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(page);
    page = NULL;
    return folder_remove(work);
}

static FILE *open_file(const char *name, const char *mode)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", work, name);
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    return file;
}

static void write_text(const char *name, const char *text, size_t length)
{
    FILE *file = open_file(name, "we");
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void read_page(const char *name)
{
    size_t size = 0;
    FILE *file = open_file(name, "re");
    free(page);
    page = NULL;
    assert_true(getdelim(&page, &size, '\0', file) > 0);
    fclose(file);
}

static void write_page(void)
{
    write_text("manifest.json", "{}", 2);
    write_text("trials.csv", "recipe,clients,trial\na,2,1\n", 27);
    assert_int_equal(page_write_inside(work, &error), ERROR_NONE);
    read_page(PAGE_FILE);
}

static const char columns[] = "recipe,clients,trial,lock,handoff,waiters,time_us,session,event,"
                              "operation,status,latency_us,wakes\n";

static FILE *begin_trace(void)
{
    FILE *trace = open_file("trace.csv", "we");
    fputs(columns, trace);
    return trace;
}

static void add_handoff(FILE *trace, const char *recipe, unsigned handoff, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        fprintf(trace, "%s,2,1,0,%u,1,%zu.5,1,notification,deleted,,,no\n", recipe, handoff, i);
}

static void write_page_of(FILE *trace)
{
    assert_int_equal(fclose(trace), 0);
    write_page();
}

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part))
        found++;
    return found;
}

/* What is in the element <script> of the page; *length of it. */
static const char *find_script(size_t *length)
{
    const char *begin = strstr(page, "<script>");
    assert_non_null(begin);
    begin += strlen("<script>");
    *length = (size_t)(strstr(begin, "</script>") - begin);
    return begin;
}

/* ------------------------------------------------------------------ the elements */

TEST_BETWEEN(test_a_trace_has_a_section_beside_its_table, set_up, tear_down)
{
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, 3);
    add_handoff(trace, "b", 1, 4);
    write_page_of(trace);
    assert_int_equal(count(page, "<h2 id=\"anatomy\">Anatomy of a handoff</h2>"), 1);
    assert_int_equal(count(page, "<a href=\"#anatomy\">anatomy</a>"), 1);
    assert_int_equal(count(page, "<div class=\"anatomy\" hidden=\"hidden\" data-rows=\"7\">"), 1);
    assert_int_equal(count(page, "type=\"range\""), 3);
    assert_int_equal(count(page, "aria-live=\"polite\""), 2);
    assert_int_equal(count(page, ".anatomy {"), 3);
    const char *section = strstr(page, "<div class=\"anatomy\"");
    const char *table = strstr(section, "<tbody>");
    char *end = strstr(table, "</tbody>");
    assert_true(table < strstr(section, "<section aria-labelledby"));
    *end = '\0';
    assert_int_equal(count(table, "<tr>"), 7);
}

TEST_BETWEEN(test_the_anatomy_alone_is_no_section_of_plots, set_up, tear_down)
{
    char plots[PATH_SIZE];
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, 3);
    write_page_of(trace);
    assert_int_equal(count(page, "id=\"plots\""), 1);
    snprintf(plots, sizeof plots, "%s/plots", work);
    assert_int_equal(mkdir(plots, 0700), 0);
    write_text("plots/anatomy.svg", "<svg/>", 6);
    write_page();
    assert_int_equal(count(page, "id=\"anatomy\""), 1);
    assert_int_equal(count(page, "\"#plots\""), 0);
    assert_int_equal(count(page, "id=\"plots\""), 0);
}

TEST_BETWEEN(test_several_traces_share_one_script, set_up, tear_down)
{
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, 3);
    write_page_of(trace);
    char inner[PATH_SIZE], both[PATH_SIZE], command[4 * PATH_SIZE];
    snprintf(inner, sizeof inner, "%s/other", work);
    snprintf(command, sizeof command, "mkdir %s && cp %s/*.csv %s/manifest.json %s", inner, work,
             work, inner);
    assert_int_equal(system(command), 0);
    snprintf(both, sizeof both, "%s/both.html", work);
    const char *folders[] = {work, inner};
    assert_int_equal(page_write(folders, 2, both, &error), ERROR_NONE);
    read_page("both.html");
    assert_int_equal(count(page, "<div class=\"anatomy\""), 2);
    assert_int_equal(count(page, "<script>"), 1);
}

TEST_BETWEEN(test_a_page_without_a_trace_runs_no_script, set_up, tear_down)
{
    write_page();
    assert_int_equal(count(page, "script"), 0);
    assert_int_equal(count(page, "anatomy"), 0);
    write_page_of(begin_trace());
    assert_int_equal(count(page, "script"), 0);
    assert_int_equal(count(page, "anatomy"), 0);
}

/* ------------------------------------------------------------------ the script */

/* The policy of the page names the hash of what a browser takes for the script. */
TEST_BETWEEN(test_the_script_is_the_one_that_the_policy_allows, set_up, tear_down)
{
    char command[2 * PATH_SIZE], hash[64], policy[256];
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, 1);
    write_page_of(trace);
    size_t length;
    const char *script = find_script(&length);
    write_text("script", script, length);
    snprintf(command, sizeof command,
             "sha256sum < %s/script | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64",
             work);
    FILE *pipe = popen(command, "re");
    assert_non_null(pipe);
    assert_non_null(fgets(hash, sizeof hash, pipe));
    assert_int_equal(pclose(pipe), 0);
    hash[strcspn(hash, "\n")] = '\0';
    assert_int_equal(strlen(hash), 44);
    snprintf(
        policy, sizeof policy,
        "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
        "form-action 'none'; script-src 'sha256-%s'\"/>",
        hash);
    assert_int_equal(count(page, policy), 1);
}

/* As XML the script is one section of characters; it names no address, and makes no markup. */
TEST_BETWEEN(test_the_script_makes_no_markup, set_up, tear_down)
{
    static const char *const parts[] = {
        "innerHTML", "outerHTML", "insertAdjacent", "eval", "document.write",
        "Function(", "fetch",     "import",         "http", "//",
        "<!--"};
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, 1);
    write_page_of(trace);
    size_t length;
    const char *begin = find_script(&length);
    char *script = strndup(begin, length);
    assert_non_null(script);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        assert_int_equal(count(script, parts[i]), 0);
    assert_memory_equal(script, "/*<![CDATA[*/\n", 14);
    assert_int_equal(count(script, "]]>"), 1);
    assert_string_equal(script + length - 8, "/*]]>*/\n");
    free(script);
}

TEST_BETWEEN(test_what_a_trace_says_is_no_markup, set_up, tear_down)
{
    FILE *trace = begin_trace();
    add_handoff(trace, "\"</script><script>alert(1)</script>\"", 1, 1);
    add_handoff(trace, "\"\"\"><img src=x onerror=alert(2)>]]>\x1b[2J\"", 1, 1);
    write_page_of(trace);
    assert_int_equal(count(page, "<script"), 1);
    assert_int_equal(count(page, "</script"), 1);
    assert_int_equal(count(page, "<img"), 0);
    assert_int_equal(count(page, "\x1b"), 0);
    assert_int_equal(count(page, "<td>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;</td>"),
                     1);
    assert_int_equal(count(page, "<td>&quot;&gt;&lt;img src=x onerror=alert(2)&gt;]]&gt;"), 1);
}

/* ------------------------------------------------------------------ many rows */

TEST_BETWEEN(test_a_handoff_that_the_table_cuts_is_not_drawn, set_up, tear_down)
{
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, PAGE_ROWS_MAX - 5);
    add_handoff(trace, "a", 2, 6);
    write_page_of(trace);
    assert_int_equal(count(page, "data-rows=\"19995\""), 1);
    assert_int_equal(count(page, "<p>The first 19995 of the 20001 rows of trace.csv are drawn; "),
                     1);
}

TEST_BETWEEN(test_a_handoff_that_the_table_has_to_its_end_is_drawn, set_up, tear_down)
{
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, PAGE_ROWS_MAX - 5);
    add_handoff(trace, "a", 2, 5);
    add_handoff(trace, "b", 2, 1);
    write_page_of(trace);
    assert_int_equal(count(page, "data-rows=\"20000\""), 1);
    assert_int_equal(count(page, "of the 20001 rows"), 1);
}

TEST_BETWEEN(test_without_a_whole_handoff_there_is_nothing_to_go_through, set_up, tear_down)
{
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, PAGE_ROWS_MAX + 1);
    write_page_of(trace);
    assert_int_equal(count(page, "<div class=\"anatomy\""), 0);
    assert_int_equal(count(page, "<h2 id=\"anatomy\">"), 1);
}
