// SPDX-License-Identifier: Apache-2.0
/* The page of results: nothing foreign becomes markup, it loads nothing, and what a trace adds; and
 * the small print below a picture. tests/golden has what pages say. */
#include "base/memory.h"
#include "bench/output/about.h"
#include "bench/page/internal.h"
#include "bench/page/page.h"

#include "tests/support/csv_file.h"
#include "tests/support/work.h"

#include <signal.h>
#include <sys/resource.h>

#define REFERENCE "results/reference/"
#define DEPTH_MAX 64
#define NAME_SIZE 32

static char *page;
static struct error error;

static int forget(void **state)
{
    free(page);
    page = NULL;
    return work_remove(state);
}

#define PAGE_TEST(name) TEST_BETWEEN(name, work_make, forget)

/* other: NULL, or the second of two folders. */
static void write_page(const char *folder, const char *other)
{
    const char *folders[] = {folder, other};
    enum error_kind kind = page_write(folders, other != NULL ? 2 : 1, in_work("page.html"), &error);
    if (kind != ERROR_NONE)
        print_message("%s: %s\n", error.subject, error.detail);
    assert_int_equal(kind, ERROR_NONE);
    free(page);
    page = read_text(in_work("page.html"));
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
    FILE *file = fopen(in_work("%s", name), "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* ------------------------------------------------------------------ texts of one's own */

/* What stands in a cell of each form; a number's sign is a minus of mathematics. */
TEST(signs_of_a_form_are_text_in_it)
{
    static const struct {
        enum page_format format;
        bool is_number;
        const char *text, *cell;
    } cells[] = {
        {PAGE_LATEX, false, "n^2 + n^3 - x^y", "n$^2$ + n$^3$ - x\\textasciicircum{}y"},
        {PAGE_LATEX, true, "-5", "$-$5"},
        {PAGE_LATEX, false, "5 % & $ # _ {}", "5 \\% \\& \\$ \\# \\_ \\{\\}"},
        {PAGE_LATEX, false, "~<>\\",
         "\\textasciitilde{}\\textless{}\\textgreater{}\\textbackslash{}"},
        {PAGE_LATEX, false, "n² ≥ 5·µ – 1", "n$^2$ $\\ge$ 5$\\cdot$$\\mu$ -- 1"},
        {PAGE_CSV, true, "1,234,567", "1234567"},
        {PAGE_CSV, false, "1,234", "\"1,234\""},
        {PAGE_CSV, true, "–", ""},
        {PAGE_MARKDOWN, false, "a|b*c_d~e`f<g&h\\", "| a\\|b\\*c\\_d\\~e\\`f&lt;g&amp;h\\\\"},
    };
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        char *text;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        assert_non_null(stream);
        page_forms[cells[i].format].cell(stream, 0, cells[i].is_number, cells[i].text);
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(text, cells[i].cell);
        free(text);
    }
}

/* ------------------------------------------------------------------ the markup */

/* Takes the scripts out of the page, which have tests of their own; returns how many there were. */
static size_t drop_scripts(void)
{
    size_t dropped = 0;
    for (char *at; (at = strstr(page, "<script>")) != NULL; dropped++) {
        const char *end = strstr(at, "</script>");
        assert_non_null(end);
        end += strlen("</script>");
        memmove(at, end, strlen(end) + 1);
    }
    return dropped;
}

/* Every element is closed, in the order of opening; no attribute lacks its quotes. */
static void assert_balanced(const char *text)
{
    char open[DEPTH_MAX][NAME_SIZE];
    size_t depth = 0;
    for (const char *at = strchr(text, '<'); at != NULL; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        size_t name = strcspn(at + 1, " />");
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
        assert_true(depth < DEPTH_MAX && name < NAME_SIZE);
        snprintf(open[depth++], NAME_SIZE, "%.*s", (int)name, at + 1);
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

PAGE_TEST(test_the_page_is_well_formed_and_loads_nothing)
{
    static const struct {
        const char *folders[2];
        size_t images;
    } pages[] = {{{REFERENCE "standalone/"}, 4},
                 {{REFERENCE "paper/table1"}, 1},
                 {{REFERENCE "plan/waiters"}, 1},
                 {{REFERENCE "recipes"}, 0},
                 {{REFERENCE "standalone", REFERENCE "ensemble3"}, 4}};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        write_page(pages[i].folders[0], pages[i].folders[1]);
        assert_int_equal(drop_scripts(), 1);
        assert_balanced(page);
        assert_loads_nothing(page);
        assert_int_equal(count(page, IMAGE), pages[i].images);
    }
}

/* Whatever it contains: a browser runs no script of an image. */
PAGE_TEST(test_a_picture_is_no_markup_but_the_bytes_of_its_file)
{
    assert_int_equal(mkdir(in_work("plots"), 0700), 0);
    write_text("manifest.json", "{}");
    write_text("trials.csv", "recipe,clients,trial,rpcs\n\"a\"\"><b>\",4,1,\n"
                             "\"a\"\"><b>\",8,1,7\n\"a\"\"><b>\",2,1,9\n");
    write_text("plots/rpcs.svg", "<svg><script>1</script></svg>\n");
    write_page(work_folder, NULL);
    assert_int_equal(drop_scripts(), 1);
    assert_balanced(page);
    assert_loads_nothing(page);
    assert_non_null(strstr(page, "<td>a&quot;&gt;&lt;b&gt;</td>"));
    assert_non_null(strstr(page, IMAGE "PHN2Zz48c2NyaXB0PjE8L3NjcmlwdD48L3N2Zz4K\"/>\n</div>\n"));
}

/* ------------------------------------------------------------------ what is wrong */

/* No file may have more than 1000 bytes: nothing is left of a page, which is a warning of the
 * manifest at the end of a subcommand. */
PAGE_TEST(test_a_page_that_has_no_room)
{
    struct rlimit before, small = {1000, 1000};
    json_t *json = json_pack("{s:s, s:[s]}", "target", "a", "warnings", "before");
    struct manifest manifest = {json, json_object_get(json, "warnings")};
    write_text("manifest.json", "{}");
    write_text("trials.csv", "recipe,clients,trial\na,4,1\n");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum error_kind kind =
        page_write((const char *[]){work_folder}, 1, in_work("report.html"), &error);
    page_add(work_folder, &manifest, true);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(kind, ERROR_NO_SPACE);
    assert_int_equal(count_entries(work_folder), 2);
    json_decref(json);
    json = json_load_file(in_work("manifest.json"), 0, NULL);
    const json_t *warnings = json_object_get(json, "warnings");
    assert_int_equal(json_array_size(warnings), 2);
    assert_non_null(strstr(json_string_value(json_array_get(warnings, 1)), "no report.html in "));
    json_decref(json);
    /* The page that is written later says so. */
    write_page(work_folder, NULL);
    assert_non_null(strstr(page, "zkherd report writes it later</p>"));
}

/* ------------------------------------------------------------------ the anatomy of a handoff */

/* A handoff of a trace: so many rows; none: there is no other. */
struct traced {
    const char *recipe;
    unsigned handoff;
    size_t rows;
};

static void write_page_of_trace(const struct traced *handoffs)
{
    FILE *trace = fopen(in_work("trace.csv"), "we");
    assert_non_null(trace);
    fputs("recipe,clients,trial,lock,handoff,waiters,time_us,session,event,operation,status,"
          "latency_us,wakes\n",
          trace);
    for (; handoffs->rows > 0; handoffs++) {
        for (size_t i = 0; i < handoffs->rows; i++)
            fprintf(trace, "%s,2,1,0,%u,1,%zu.5,1,notification,deleted,,,no\n", handoffs->recipe,
                    handoffs->handoff, i);
    }
    assert_int_equal(fclose(trace), 0);
    write_text("manifest.json", "{}");
    write_text("trials.csv", "recipe,clients,trial,rpcs\na,2,1,8\na,4,1,18\n");
    write_page(work_folder, NULL);
}

/* What is in an element <script> of the page, 0 the first, for the caller to free. */
static char *find_script(size_t index)
{
    const char *begin = strstr(page, "<script>");
    assert_non_null(begin);
    if (index > 0)
        begin = strstr(begin + 1, "<script>");
    assert_non_null(begin);
    begin += strlen("<script>");
    char *script = strndup(begin, (size_t)(strstr(begin, "</script>") - begin));
    assert_non_null(script);
    return script;
}

/* Only a page with a trace has the section and its script, which several traces share. */
PAGE_TEST(test_a_trace_has_a_section_beside_its_table)
{
    char command[256];
    write_page_of_trace(&(struct traced){NULL, 0, 0});
    assert_int_equal(count(page, "anatomy"), 0);
    assert_int_equal(count(page, "<script>"), 1);
    write_page_of_trace((struct traced[]){{"a", 1, 3}, {"b", 1, 4}, {NULL, 0, 0}});
    assert_int_equal(count(page, "<h2 id=\"anatomy\">Anatomy of a handoff</h2>"), 1);
    assert_int_equal(count(page, "<div class=\"anatomy\" hidden=\"hidden\">"), 1);
    assert_int_equal(count(page, "id=\"plots\""), 0);
    char *table = strstr(strstr(page, "<div class=\"anatomy\""), "<tbody>");
    *strstr(table, "</tbody>") = '\0';
    assert_int_equal(count(table, "<tr>"), 7);
    snprintf(command, sizeof command, "cd %s && mkdir other && cp *.csv manifest.json other",
             work_folder);
    assert_int_equal(system(command), 0);
    write_page(work_folder, in_work("other"));
    assert_int_equal(count(page, "<div class=\"anatomy\""), 2);
    assert_int_equal(count(page, "<script>"), 2);
    write_page_of_trace((struct traced[]){{"a", 1, PAGE_ROWS_MAX + 1}, {NULL, 0, 0}});
    assert_int_equal(count(page, "<div class=\"anatomy\""), 0);
    assert_int_equal(count(page, "trace.csv has more than 20000 rows"), 1);
}

/* The hash of a script, as a browser takes it. */
static void hash_script(size_t index, char hash[64])
{
    char command[256], *script = find_script(index);
    write_text("script", script);
    free(script);
    snprintf(command, sizeof command,
             "sha256sum < %s/script | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64",
             work_folder);
    FILE *pipe = popen(command, "re");
    assert_non_null(pipe);
    assert_non_null(fgets(hash, 64, pipe));
    assert_int_equal(pclose(pipe), 0);
    hash[strcspn(hash, "\n")] = '\0';
    assert_int_equal(strlen(hash), 44);
}

#define POLICY                                                                                     \
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "    \
    "form-action 'none'; script-src "

/* The policy of the page names its scripts, and no other. */
PAGE_TEST(test_the_scripts_are_those_that_the_policy_allows)
{
    char anatomy[64], tables[64], policy[320];
    write_page_of_trace((struct traced[]){{"a", 1, 1}, {NULL, 0, 0}});
    hash_script(0, anatomy);
    hash_script(1, tables);
    snprintf(policy, sizeof policy, POLICY "'sha256-%s' 'sha256-%s'\"/>", anatomy, tables);
    assert_int_equal(count(page, policy), 1);
    write_page_of_trace(&(struct traced){NULL, 0, 0});
    snprintf(policy, sizeof policy, POLICY "'sha256-%s'\"/>", tables);
    assert_int_equal(count(page, policy), 1);
}

/* As XML a script is one section of characters; it names no address, and makes no markup. What a
 * trace says is none, either. */
PAGE_TEST(test_neither_the_script_nor_a_trace_makes_markup)
{
    static const char *const parts[] = {
        "innerHTML", "outerHTML", "insertAdjacent", "eval", "document.write",
        "Function(", "fetch",     "import",         "http", "//",
        "<!--"};
    write_page_of_trace((struct traced[]){{"\"</script><script>alert(1)</script>\"", 1, 1},
                                          {"\"\"\"><img src=x onerror=alert(2)>]]>\x1b[2J\"", 1, 1},
                                          {NULL, 0, 0}});
    for (size_t index = 0; index < 2; index++) {
        char *script = find_script(index);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            assert_int_equal(count(script, parts[i]), 0);
        assert_memory_equal(script, "/*<![CDATA[*/\n", 14);
        assert_int_equal(count(script, "]]>"), 1);
        assert_string_equal(script + strlen(script) - 8, "/*]]>*/\n");
        free(script);
    }
    assert_int_equal(count(page, "<script"), 2);
    assert_int_equal(count(page, "</script"), 2);
    assert_int_equal(count(page, "<img") + count(page, "\x1b"), 0);
    assert_int_equal(count(page, "<td>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;</td>"),
                     1);
    assert_int_equal(count(page, "<td>&quot;&gt;&lt;img src=x onerror=alert(2)&gt;]]&gt;"), 1);
}

/* ------------------------------------------------------------------ small print */

#define MANIFEST_END                                                                               \
    "\"host\": {\"cores\": 2}, \"started\": \"2026-11-22T12:00:11Z\", \"version\": \"1.0.0\"}"
#define SERVER "{\"version\": \"3.8.0\"}"

static const struct {
    const char *manifest, *line;
} cases[] = {
    {"{\"plan\": {\"recipes\": [\"a\", \"b\"], \"clients\": [10, 50, 1000], \"background\": "
     "\"none\", \"sessions\": []}, \"servers\": [" SERVER "], \"data\": {}, " MANIFEST_END,
     "a, b; n = 10 to 1,000; 1 server of ZooKeeper 3.8.0; all on 2 cores; 2026-11-22; zkherd "
     "1.0.0"},
    /* Servers of --connect are on machines of their own; a share of the cores; one number alone. */
    {"{\"plan\": {\"mixes\": [\"set=100\", \"b\", \"c\", \"d\", \"get=100\"], \"sessions\": [60], "
     "\"rates_per_s\": [500, 2000], \"server_cpu_percent\": 20}, \"servers\": [" SERVER ", " SERVER
     "], \"data\": null, \"driver\": {\"driver\": \"threads\"}, " MANIFEST_END,
     "set=100 … get=100; 60 sessions; 500 to 2,000/s offered; servers with 20 % of a core; 2 "
     "servers of ZooKeeper 3.8.0; clients on 2 cores; 2026-11-22; zkherd 1.0.0"},
    /* No machine and no release of ZooKeeper stands behind the times of a simulation. */
    {"{\"plan\": {\"recipes\": [\"a\"], \"clients\": 7}, \"servers\": [{\"version\": \"x\"}], "
     "\"driver\": {\"driver\": \"simulated\"}, " MANIFEST_END,
     "Simulated: the times come from a model. a; n = 7; 1 server; 2026-11-22; zkherd 1.0.0"},
    /* Text of a manifest is printed as other foreign text. */
    {"{\"plan\": {\"recipes\": [\"a\\u001b[1m\\nb\"]}, \"servers\": [{\"version\": 3}], "
     "\"driver\": 5, \"started\": \"x\"}",
     "a\\x1b[1m\\x0ab; 1 server of ZooKeeper ; clients on 0 cores; x; zkherd "},
};

static void assert_about(const char *format, ...)
{
    char *about = about_folder(in_work("%s", ".")), *expected;
    va_list arguments;
    va_start(arguments, format);
    assert_true(vasprintf(&expected, format, arguments) >= 0);
    va_end(arguments);
    assert_string_equal(about, expected);
    free(about);
    free(expected);
}

WORK_TEST(a_manifest_is_a_line)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_text("manifest.json", cases[i].manifest);
        assert_about("%s\n", cases[i].line);
    }
}

/* The worst verdict with the first clause that decides it, of which a terminal and gnuplot obey
 * nothing; none without a judgement, or of a malformed file. */
WORK_TEST(the_verdict_stands_below)
{
    static const char *const verdicts[][2] = {
        {"measured,m\nholds,h\n", "verdict: holds\n"},
        {"undetermined,u\nnot valid,n\x1b[2J; advice\nholds,h\nnot valid,o\n",
         "verdict: not valid: n\\x1b[2J; 1 more in findings.csv\n"},
        {"measured,m\n", ""},
        {"fails\n", ""},
        {",\n", "verdict: undetermined: \n"},
    };
    write_text("manifest.json", cases[0].manifest);
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        char findings[256];
        snprintf(findings, sizeof findings, "verdict,sentence\n%s", verdicts[i][0]);
        write_text("findings.csv", findings);
        assert_about("%s\n%s", cases[0].line, verdicts[i][1]);
    }
}
