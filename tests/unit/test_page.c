// SPDX-License-Identifier: Apache-2.0
/* The page of results, told against their files. */
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include "bench/page/internal.h"
#include "bench/page/page.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define REFERENCE "results/reference/"
#define DEPTH_MAX 64
#define NAME_SIZE 32
#define PATH_SIZE 256

static char work[64];
static char page_path[PATH_SIZE];
static char *page;
static struct error error;

static int set_up(void **state)
{
    (void)state;
    strcpy(work, P_tmpdir "/test_page.XXXXXX");
    if (mkdtemp(work) == NULL)
        return -1;
    snprintf(page_path, sizeof page_path, "%s/page.html", work);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(page);
    page = NULL;
    return folder_remove(work);
}

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_true(getdelim(&text, &length, '\0', file) > 0);
    fclose(file);
    return text;
}

static void write_page(const char *const *folders, size_t count)
{
    enum error_kind kind = page_write(folders, count, page_path, &error);
    if (kind != ERROR_NONE)
        print_message("%s: %s\n", error.subject, error.detail);
    assert_int_equal(kind, ERROR_NONE);
    free(page);
    page = read_file(page_path);
}

static void write_page_of(const char *folder)
{
    write_page(&folder, 1);
}

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part))
        found++;
    return found;
}

static void write_text(const char *name, const char *text)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", work, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* ------------------------------------------------------------------ the markup */

/* Every element is closed, in the order of opening; no attribute lacks its quotes. */
static void assert_balanced(const char *text)
{
    char open[DEPTH_MAX][NAME_SIZE];
    size_t depth = 0;
    for (const char *at = strchr(text, '<'); at != NULL; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        size_t length = strcspn(at + 1, " />");
        assert_non_null(end);
        assert_true(memchr(at + 1, '<', (size_t)(end - at - 1)) == NULL);
        if (at[1] == '!' || end[-1] == '/')
            continue;
        if (at[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strlen(open[depth]), (size_t)(end - at - 2));
            assert_memory_equal(open[depth], at + 2, (size_t)(end - at - 2));
            continue;
        }
        assert_true(depth < DEPTH_MAX && length < NAME_SIZE);
        snprintf(open[depth++], NAME_SIZE, "%.*s", (int)length, at + 1);
    }
    assert_int_equal(depth, 0);
}

#define IMAGE "src=\"data:image/svg+xml;base64,"

/* No address, no script, no picture from elsewhere. */
static void assert_loads_nothing(const char *text)
{
    static const char *const parts[] = {"http:",   "https:", "=\"//",   "url(",
                                        "<script", "<link",  "@import", "<iframe"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        assert_int_equal(count(text, parts[i]), 0);
    assert_int_equal(count(text, "src="), count(text, IMAGE));
    assert_int_equal(count(text, "href="), count(text, "href=\"#"));
    assert_int_equal(count(text, "default-src 'none'"), 1);
}

static void assert_ids_differ(const char *text)
{
    for (const char *at = strstr(text, " id=\""); at != NULL; at = strstr(at + 1, " id=\"")) {
        char id[64];
        snprintf(id, sizeof id, " id=\"%.*s\"", (int)strcspn(at + 5, "\""), at + 5);
        assert_int_equal(count(text, id), 1);
    }
}

TEST_BETWEEN(test_the_page_is_well_formed_and_loads_nothing, set_up, tear_down)
{
    static const char *const folders[] = {REFERENCE "standalone",   REFERENCE "load/background",
                                          REFERENCE "paper/table1", REFERENCE "paper/figure8",
                                          REFERENCE "plan/waiters", REFERENCE "recipes"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        write_page_of(folders[i]);
        assert_balanced(page);
        assert_loads_nothing(page);
    }
}

/* ------------------------------------------------------------------ what is in it */

/* The rows of all tables with this caption, without the one of the headings. */
static void assert_table_equals(const struct csv_reader *file, const char *caption,
                                const char *names)
{
    const char *at = strstr(page, caption);
    assert_non_null(at);
    at = strstr(at, "<tbody>");
    assert_non_null(at);
    for (size_t row = 0; row < file->rows; row++) {
        at = strstr(at, "<tr>") + strlen("<tr>");
        char columns[512];
        snprintf(columns, sizeof columns, "%s", names);
        for (char *name = strtok(columns, " "); name != NULL; name = strtok(NULL, " ")) {
            const char *expected = page_text(file, row, name);
            assert_memory_equal(at, "<td", 3);
            at = strchr(at, '>') + 1;
            assert_memory_equal(at, expected, strlen(expected));
            at += strlen(expected);
            assert_memory_equal(at, "</td>", strlen("</td>"));
            at += strlen("</td>");
        }
        assert_memory_equal(at, "</tr>\n", strlen("</tr>\n"));
        at += strlen("</tr>\n");
    }
    assert_memory_equal(at, "</tbody>", strlen("</tbody>"));
}

TEST_BETWEEN(test_each_plot_is_there_with_its_data, set_up, tear_down)
{
    static struct page_sources sources;
    const struct csv_reader *all = page_pictures();
    size_t pictures = 0;
    write_page_of(REFERENCE "standalone/");
    assert_int_equal(page_sources_add(&sources, REFERENCE "standalone", &error), ERROR_NONE);
    for (size_t i = 0; i < all->rows; i++) {
        char caption[PATH_SIZE];
        const char *file = page_text(all, i, "file");
        if (!page_has_picture(&sources.list[0], i))
            continue;
        pictures++;
        snprintf(caption, sizeof caption, "<caption>%s: %s of standalone</caption>",
                 page_text(all, i, "title"), file);
        assert_table_equals(page_file(&sources.list[0], file), caption,
                            page_text(all, i, "columns"));
    }
    page_sources_deinit(&sources);
    assert_int_equal(pictures, 5);
    assert_int_equal(count(page, "<img alt=\"Both axes are logarithmic. "), 4);
    assert_int_equal(count(page, IMAGE), 5);
    /* Neither the first trial of ticket nor its last has the least or the greatest number. */
    assert_non_null(strstr(page, "recipe nonscalable: rpcs from 110 (clients 10) to 1001000 "
                                 "(clients 1000)."));
    assert_non_null(strstr(page, "recipe ticket: rpcs from 48 (clients 10) to 4998 (clients "
                                 "1000)."));
    assert_ids_differ(page);
}

TEST_BETWEEN(test_several_stand_side_by_side, set_up, tear_down)
{
    static const char *const folders[] = {REFERENCE "standalone", REFERENCE "ensemble3"};
    write_page(folders, 2);
    assert_balanced(page);
    assert_ids_differ(page);
    assert_int_equal(count(page, "<img "), 10);
}

/* ------------------------------------------------------------------ what is wrong */

static enum error_kind write_inside(void)
{
    return page_write_inside(work, &error);
}

/* Whatever it contains: a browser runs no script of an image. */
TEST_BETWEEN(test_a_picture_is_no_markup_but_the_bytes_of_its_file, set_up, tear_down)
{
    char plots[PATH_SIZE];
    snprintf(plots, sizeof plots, "%s/plots", work);
    assert_int_equal(mkdir(plots, 0700), 0);
    write_text("manifest.json", "{}");
    write_text("trials.csv", "recipe,clients,trial,rpcs\n\"a\"\"><b>\",4,1,\n"
                             "\"a\"\"><b>\",8,1,7\n\"a\"\"><b>\",2,1,9\n");
    write_text("plots/rpcs.svg", "<svg><script>1</script></svg>\n");
    write_page_of(work);
    assert_balanced(page);
    assert_loads_nothing(page);
    assert_non_null(strstr(page, "recipe a&quot;&gt;&lt;b&gt;: rpcs from 7 (clients 8) to 9 "
                                 "(clients 2).\" " IMAGE
                                 "PHN2Zz48c2NyaXB0PjE8L3NjcmlwdD48L3N2Zz4K\"/>\n</div>\n"));
}

/* Calls what writes a page while no file may have more than 1000 bytes. */
static void with_little_room(void (*write)(void *context), void *context)
{
    struct rlimit before, small = {1000, 1000};
    write_text("manifest.json", "{}");
    write_text("trials.csv", "recipe,clients,trial\na,4,1\n");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    write(context);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(count_entries(work), 2);
}

static void write_with_little_room(void *kind)
{
    *(enum error_kind *)kind = write_inside();
}

TEST_BETWEEN(test_nothing_is_left_of_a_page_that_has_no_room, set_up, tear_down)
{
    enum error_kind kind = ERROR_NONE;
    with_little_room(write_with_little_room, &kind);
    assert_int_equal(kind, ERROR_NO_SPACE);
}

static void add_with_little_room(void *json)
{
    struct manifest written = {json, json_object_get(json, "warnings")};
    page_add(work, &written, true);
}

TEST_BETWEEN(test_a_page_that_has_no_room_is_a_warning_of_the_manifest, set_up, tear_down)
{
    json_t *json = json_pack("{s:s, s:[s]}", "target", "a", "warnings", "before");
    with_little_room(add_with_little_room, json);
    json_decref(json);
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/manifest.json", work);
    json = json_load_file(path, 0, NULL);
    const json_t *warnings = json_object_get(json, "warnings");
    assert_int_equal(json_array_size(warnings), 2);
    assert_non_null(strstr(json_string_value(json_array_get(warnings, 1)), "no report.html in "));
    json_decref(json);
    /* The page that is written later says so. */
    write_page_of(work);
    assert_non_null(strstr(page, "zkherd report writes it later</li>"));
}

static void copy_page_to(const char *folder)
{
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%s/%s", work, folder);
    assert_int_equal(mkdir(name, 0700), 0);
    snprintf(name, sizeof name, "%s/manifest.json", folder);
    write_text(name, "{}");
    snprintf(name, sizeof name, "%s/trials.csv", folder);
    write_text(name, "recipe,clients,trial\na,4,1\n");
    snprintf(name, sizeof name, "%s/%s", work, folder);
    assert_int_equal(page_write_inside(name, &error), ERROR_NONE);
}

TEST_BETWEEN(test_a_common_page_is_of_two_at_least, set_up, tear_down)
{
    snprintf(page_path, sizeof page_path, "%s/" PAGE_FILE, work);
    copy_page_to("one");
    page_add_common(work, true);
    assert_int_equal(access(page_path, F_OK), -1);
    copy_page_to("two");
    page_add_common(work, true);
    page = read_file(page_path);
    assert_non_null(strstr(page, "<h1>zkherd: run one, run two</h1>"));
}

/* ------------------------------------------------------------------ the anatomy of a handoff */

static const char columns[] = "recipe,clients,trial,lock,handoff,waiters,time_us,session,event,"
                              "operation,status,latency_us,wakes\n";

static FILE *begin_trace(void)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/trace.csv", work);
    FILE *trace = fopen(path, "we");
    assert_non_null(trace);
    fputs(columns, trace);
    return trace;
}

static void add_handoff(FILE *trace, const char *recipe, unsigned handoff, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        fprintf(trace, "%s,2,1,0,%u,1,%zu.5,1,notification,deleted,,,no\n", recipe, handoff, i);
}

static void write_page_of_trace(FILE *trace)
{
    assert_int_equal(fclose(trace), 0);
    write_text("manifest.json", "{}");
    write_text("trials.csv", "recipe,clients,trial\na,2,1\n");
    write_page_of(work);
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

TEST_BETWEEN(test_a_trace_has_a_section_beside_its_table, set_up, tear_down)
{
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, 3);
    add_handoff(trace, "b", 1, 4);
    write_page_of_trace(trace);
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
    write_page_of_trace(trace);
    assert_int_equal(count(page, "id=\"plots\""), 1);
    snprintf(plots, sizeof plots, "%s/plots", work);
    assert_int_equal(mkdir(plots, 0700), 0);
    write_text("plots/anatomy.svg", "<svg/>");
    write_page_of(work);
    assert_int_equal(count(page, "id=\"anatomy\""), 1);
    assert_int_equal(count(page, "\"#plots\""), 0);
    assert_int_equal(count(page, "id=\"plots\""), 0);
}

TEST_BETWEEN(test_several_traces_share_one_script, set_up, tear_down)
{
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, 3);
    write_page_of_trace(trace);
    char inner[PATH_SIZE], command[4 * PATH_SIZE];
    snprintf(inner, sizeof inner, "%s/other", work);
    snprintf(command, sizeof command, "mkdir %s && cp %s/*.csv %s/manifest.json %s", inner, work,
             work, inner);
    assert_int_equal(system(command), 0);
    const char *folders[] = {work, inner};
    write_page(folders, 2);
    assert_int_equal(count(page, "<div class=\"anatomy\""), 2);
    assert_int_equal(count(page, "<script>"), 1);
}

TEST_BETWEEN(test_a_page_without_a_trace_runs_no_script, set_up, tear_down)
{
    write_page_of_trace(begin_trace());
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
    write_page_of_trace(trace);
    size_t length;
    const char *script = find_script(&length);
    char *text = strndup(script, length);
    write_text("script", text);
    free(text);
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
    write_page_of_trace(trace);
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
    write_page_of_trace(trace);
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
    write_page_of_trace(trace);
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
    write_page_of_trace(trace);
    assert_int_equal(count(page, "data-rows=\"20000\""), 1);
    assert_int_equal(count(page, "of the 20001 rows"), 1);
}

TEST_BETWEEN(test_without_a_whole_handoff_there_is_nothing_to_go_through, set_up, tear_down)
{
    FILE *trace = begin_trace();
    add_handoff(trace, "a", 1, PAGE_ROWS_MAX + 1);
    write_page_of_trace(trace);
    assert_int_equal(count(page, "<div class=\"anatomy\""), 0);
    assert_int_equal(count(page, "<h2 id=\"anatomy\">"), 1);
}
