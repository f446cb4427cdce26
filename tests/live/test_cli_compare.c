// SPDX-License-Identifier: Apache-2.0
/* Runs held against each other: two that the program makes, and folders made by hand. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/schema.h"
#include "tests/support/screen.h"
#include "tests/support/test.h"

#include <math.h>
#include <sys/resource.h>

static struct command command;
static const char *const without_plots[] = {NO_PROGRAMS, NULL};

/* ------------------------------------------------------------------ folders made by hand */

static const char plan[] =
    "\"recipes\": [\"nonscalable\", \"scalable\"], \"clients\": [2, 200], "
    "\"most_clients\": {}, "
    "\"workload\": \"drain\", \"pace\": \"lockstep\", \"handoffs\": 0, "
    "\"duration_ns\": 0, \"hold_ns\": 0, \"hold_exponential\": false, "
    "\"locks\": 1, \"max_rate\": null, \"placement\": \"spread\", \"processes\": 1";

static const char columns[] =
    "target,servers,recipe,clients,trial,handoffs,creates,rpcs,notifications,names_listed,law_rpcs,"
    "drain_s,handoffs_per_s,handoff_p50_us,handoff_p99_us,server_cpu_s,violations,valid,reason\n";

static void write_file(const char *folder, const char *name, const char *text)
{
    FILE *file = fopen(in_work("%s/%s", folder, name), "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* end: what stands in the manifest behind the plan, with a comma before it; or "". */
static void write_ended_manifest(const char *folder, const char *its_plan, unsigned trials,
                                 const char *end)
{
    char text[1200];
    snprintf(text, sizeof text, "{\"plan\": {%s, \"trials\": %u}%s}\n", its_plan, trials, end);
    write_file(folder, "manifest.json", text);
}

static const char cut_short[] = ", \"cut_short\": \"interrupted\"";

static void write_manifest(const char *folder, const char *its_plan, unsigned trials)
{
    write_ended_manifest(folder, its_plan, trials, "");
}

/* What a folder made by hand is to hold; times are `times` as long as in any other. */
struct made {
    const char *target;
    unsigned servers, trials, rpcs;
    double times;
    const char *last; /* law, violations and validity of the last trial of each cell; or NULL */
    unsigned before;  /* trials of each cell, which have the numbers before its own */
};

static void put_trials(const struct made *made, FILE *file)
{
    static const char *const recipes[] = {"scalable", "nonscalable"};
    static const unsigned clients[] = {200, 2};
    for (unsigned trial = 0; trial < made->trials; trial++) {
        bool last = made->last != NULL && trial + 1 == made->trials;
        for (size_t i = 0; i < 4; i++) {
            double drift = made->times * (1 + 0.01 * (trial % 5));
            unsigned n = clients[i % 2];
            fprintf(file, "%s,%u,%s,%u,%u,%u,%u,%u,%u,0,%s,%f,%f,%f,%f,%f,%s\n", made->target,
                    made->servers, recipes[i / 2], n, made->before + trial + 1, n, n, made->rpcs,
                    n - 1, last && made->last[0] == ',' ? "" : "8", 0.1 * drift, 50 / drift,
                    2000 * drift, 9000 * drift, 0.2 * drift,
                    last ? made->last + (made->last[0] == ',') : "0,yes,");
        }
    }
}

static void make_run(const char *folder, const struct made *made, size_t count)
{
    assert_int_equal(mkdir(in_work("%s", folder), 0755), 0);
    write_manifest(folder, plan, made[count - 1].before + made[count - 1].trials);
    FILE *file = fopen(in_work("%s/trials.csv", folder), "we");
    assert_non_null(file);
    fputs(columns, file);
    for (size_t i = 0; i < count; i++)
        put_trials(&made[i], file);
    assert_int_equal(fclose(file), 0);
}

static const struct made plain = {"standalone", 1, 6, 8, 1, NULL, 0};

static void make_plain(const char *folder)
{
    make_run(folder, &plain, 1);
}

/* The row of a cell, metric and pair; fails if there is not exactly one. */
static size_t find_row(const struct csv_file *table, const char *recipe, const char *clients,
                       const char *metric, const char *pair)
{
    size_t found = table->rows, count = 0;
    for (size_t row = 0; row < table->rows; row++) {
        if (strcmp(csv_file_text(table, row, "recipe"), recipe) == 0 &&
            strcmp(csv_file_text(table, row, "clients"), clients) == 0 &&
            strcmp(csv_file_text(table, row, "metric"), metric) == 0 &&
            strcmp(csv_file_text(table, row, "pair"), pair) == 0) {
            found = row;
            count++;
        }
    }
    if (count != 1)
        fail_msg("%zu rows for %s, %s, %s, %s", count, recipe, clients, metric, pair);
    return found;
}

static struct csv_file compare_well(int status, const char *const arguments[])
{
    command.settings = without_plots;
    command_run(&command, arguments);
    assert_status(&command, status);
    return csv_file_read(in_work("out/compare.csv"));
}

#define COMPARE_WELL(status, ...) compare_well(status, COMMAND("compare", "-o", "out", __VA_ARGS__))

static void assert_fits_the_terminal(const char *text)
{
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 80);
}

/* ------------------------------------------------------------------ comparisons that go well */

static void run_plan(const char *out, const char *recipes, const char *clients, const char *trials)
{
    command.settings = without_plots;
    command_run(&command, COMMAND("run", "--connect", outside, "-r", recipes, "-n", clients, "-t",
                                  trials, "-q", "-o", out));
    assert_status(&command, 0);
}

/* As a user does it: two runs of one plan, version against version. */
COMMAND_TEST(two_runs_of_one_plan)
{
    run_plan("old", "nonscalable,childwatch,scalable", "2..8x2", "5");
    run_plan("new", "nonscalable,childwatch,scalable", "2..8x2", "5");
    command.settings = NULL;
    command_run(&command, COMMAND("compare", "old", "new/", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out, "A  old: 45 trials on 1 server");
    assert_has(command.out, "B  new: 45 trials on 1 server");
    assert_has(command.out, " times as long on new (95 % CI ");
    assert_has(command.out, " at 8 clients");
    assert_has(command.out, "equal");
    assert_has(command.out, "results in out\n");
    assert_fits_the_terminal(command.out);
    struct csv_file table = csv_file_read(in_work("out/compare.csv"));
    assert_int_equal(table.rows, 3 * 3 * 9);
    for (size_t row = 0; row < table.rows; row++) {
        const char *metric = csv_file_text(&table, row, "metric");
        assert_string_equal(csv_file_text(&table, row, "pair"), "B/A");
        assert_string_equal(csv_file_text(&table, row, "label_a"), "old");
        if (strcmp(metric, "rpcs") == 0) {
            assert_string_equal(csv_file_text(&table, row, "marked"), "no");
            assert_true(csv_file_real(&table, row, "ratio") == 1);
        }
        if (strcmp(metric, "drain_s") == 0) {
            assert_int_equal(csv_file_count(&table, row, "trials_b"), 5);
            assert_true(csv_file_real(&table, row, "ratio_low") <=
                        csv_file_real(&table, row, "ratio"));
            assert_true(csv_file_real(&table, row, "ratio_high") >=
                        csv_file_real(&table, row, "ratio"));
        }
    }
    csv_file_deinit(&table);
    if (system("gnuplot --version >/dev/null 2>&1") == 0)
        assert_int_equal(count_entries(in_work("out/plots")), 2);
    assert_left(3);
}

/* As `run --servers 1,3` writes it: A is the run with the fewest servers. */
COMMAND_TEST(the_runs_in_a_folder)
{
    const struct made both[] = {{"\"zk,1\"", 3, 6, 8, 2, NULL, 0},
                                {"standalone", 1, 6, 8, 1, NULL, 0}};
    assert_int_equal(mkdir(in_work("both"), 0755), 0);
    assert_int_equal(mkdir(in_work("both/another"), 0755), 0);
    make_run("both/ensemble3", &both[0], 1);
    make_run("both/standalone", &both[1], 1);
    struct csv_file table = COMPARE_WELL(0, "both/");
    assert_has(command.out, "on 1 server, in both/standalone\n");
    assert_has(command.out, "A  standalone: 24 trials on 1 server");
    assert_has(command.out,
               "scalable: the median handoff takes 2.00 times as long on 3 servers (95 % CI 1.9");
    assert_fits_the_terminal(command.out);
    size_t row = find_row(&table, "scalable", "200", "handoff_p50_us", "B/A");
    assert_string_equal(csv_file_text(&table, row, "label_b"), "zk,1");
    assert_true(fabs(csv_file_real(&table, row, "ratio") - 2) < 1e-3);
    assert_true(fabs(csv_file_real(&table, row, "b") - 2 * csv_file_real(&table, row, "a")) < 1e-2);
    assert_true(csv_file_real(&table, row, "ratio_low") > 1.9);
    assert_true(csv_file_real(&table, row, "ratio_high") < 2.1);
    assert_string_equal(csv_file_text(&table, row, "marked"), "yes");
    row = find_row(&table, "scalable", "200", "server_cpu_us_per_handoff", "B/A");
    assert_true(fabs(csv_file_real(&table, row, "a") - 1000) < 50);
    /* 200 handoffs in a tenth of a second, whatever the column says: it may have the arrivals. */
    row = find_row(&table, "scalable", "200", "handoffs_per_s", "B/A");
    assert_true(fabs(csv_file_real(&table, row, "a") - 2000) < 100);
    assert_true(fabs(csv_file_real(&table, row, "ratio") - 0.5) < 1e-3);
    /* Two handoffs have no 99th percentile. */
    row = find_row(&table, "scalable", "2", "handoff_p99_us", "B/A");
    assert_string_equal(csv_file_text(&table, row, "ratio"), "");
    assert_int_equal(csv_file_count(&table, row, "trials_a"), 0);
    row = find_row(&table, "scalable", "200", "handoff_p99_us", "B/A");
    assert_string_equal(csv_file_text(&table, row, "marked"), "yes");
    csv_file_deinit(&table);
}

COMMAND_TEST(three_runs)
{
    const struct made faster = {"standalone", 1, 5, 8, 0.5, NULL, 0};
    make_plain("one");
    make_plain("two");
    make_run("three", &faster, 1);
    struct csv_file table = COMPARE_WELL(0, "one", "two", "three");
    assert_int_equal(table.rows, 2 * 2 * 9 * 2);
    size_t row = find_row(&table, "nonscalable", "2", "drain_s", "B/A");
    assert_string_equal(csv_file_text(&table, row, "marked"), "no");
    row = find_row(&table, "nonscalable", "2", "drain_s", "C/A");
    assert_string_equal(csv_file_text(&table, row, "label_b"), "three");
    assert_true(fabs(csv_file_real(&table, row, "ratio") - 0.5) < 0.01);
    assert_has(command.out, "this may be");
    assert_has(command.out, " C/A ");
    assert_has(command.out, "\nRatios to A.");
    csv_file_deinit(&table);
}

/* A run in `both`, whose servers say that they are of a version; home: see `zkherd run
 * --zookeeper`.
 */
static void make_release(const char *name, const struct made *made, const char *version,
                         const char *home)
{
    char folder[64], server[160], end[400];
    snprintf(folder, sizeof folder, "both/%s", name);
    make_run(folder, made, 1);
    snprintf(server, sizeof server, "{\"version\": \"%s\", \"zookeeper_home\": \"%s\"}", version,
             home);
    snprintf(end, sizeof end, ", \"servers\": [%s, %s]", server, server);
    write_ended_manifest(folder, plan, made->trials, end);
}

/* Two releases, the newer one second: 3.10 is newer than 3.9. A comparison of two numbers of
 * servers says nothing about the releases. */
COMMAND_TEST(releases_are_compared_on_as_many_servers)
{
    const struct made runs[] = {{"standalone-3.10.1", 1, 6, 8, 0.5, NULL, 0},
                                {"standalone-3.9.3", 1, 6, 8, 1, NULL, 0},
                                {"ensemble3-3.10.1", 3, 6, 8, 12, NULL, 0},
                                {"ensemble3-3.9.3", 3, 6, 8, 4, NULL, 0}};
    (void)state;
    assert_int_equal(mkdir(in_work("both"), 0755), 0);
    for (size_t i = 0; i < 4; i++)
        make_release(runs[i].target, &runs[i], i % 2 == 0 ? "3.10.1" : "3.9.3",
                     i % 2 == 0 ? "/new" : "/old");
    struct csv_file table = COMPARE_WELL(0, "both");
    assert_has(command.out, "A  standalone-3.9.3: 24 trials on 1 server of ZooKeeper 3.9.3, in");
    assert_has(command.out,
               "\nD  ensemble3-3.10.1: 24 trials on 3 servers of ZooKeeper 3.10.1, in");
    assert_has(command.out, "\nRatios of the pair's first run to its second.");
    assert_has(command.out, "\nscalable on 1 server: handoffs are shorter with 3.10.1 than with "
                            "3.9.3: the\n    median takes 0.50 times as long (95 % CI ");
    assert_has(command.out, "\nscalable on 3 servers: handoffs are longer with 3.10.1 than with "
                            "3.9.3: the\n    median takes 3.00 times as long (95 % CI ");
    assert_has(command.out, "\nscalable: the median handoff takes 4.00 times as long on "
                            "ensemble3-3.9.3 as on\n    standalone-3.9.3 (95 % CI ");
    assert_fits_the_terminal(command.out);
    size_t row = find_row(&table, "scalable", "200", "drain_s", "D/C");
    assert_true(fabs(csv_file_real(&table, row, "ratio") - 3) < 0.01);
    assert_string_equal(csv_file_text(&table, row, "label_a"), "ensemble3-3.9.3");
    find_row(&table, "scalable", "200", "drain_s", "B/A");
    find_row(&table, "scalable", "200", "drain_s", "C/A");
    csv_file_deinit(&table);
}

/* A patched build says the version of its release. */
COMMAND_TEST(homes_of_one_version_are_told_apart)
{
    const struct made runs[] = {{"standalone-3.8.4-1", 1, 6, 8, 1, NULL, 0},
                                {"standalone-3.8.4-2", 1, 6, 8, 1.001, NULL, 0}};
    (void)state;
    assert_int_equal(mkdir(in_work("both"), 0755), 0);
    make_release(runs[0].target, &runs[0], "3.8.4", "/release");
    make_release(runs[1].target, &runs[1], "3.8.4", "/patched");
    struct csv_file table = COMPARE_WELL(0, "both");
    assert_has(command.out,
               "\nscalable: no difference is shown between standalone-3.8.4-2 and\n"
               "    standalone-3.8.4-1: the median takes 1.00 times as long (95 % CI ");
    assert_null(strstr(command.out, "server:"));
    csv_file_deinit(&table);
    command_run(&command, COMMAND("compare", "-q", "--json", "-o", "json", "both"));
    json_t *json = schema_read_result(&command, "compare");
    const json_t *runs_told = json_object_get(json, "runs"), *second = json_array_get(runs_told, 1);
    assert_string_equal(json_string_value(json_object_get(second, "zookeeper_version")), "3.8.4");
    assert_string_equal(json_string_value(json_object_get(second, "compared_with")), "A");
    assert_true(json_is_null(json_object_get(json_array_get(runs_told, 0), "compared_with")));
    json_decref(json);
}

/* Like every other number in a sentence. */
COMMAND_TEST(thousands_of_clients_are_grouped)
{
    const struct made other = {"standalone", 1, 6, 9, 1, NULL, 0};
    make_plain("one");
    make_run("two", &other, 1);
    char sed[512];
    snprintf(sed, sizeof sed, "cd '%s' && sed -i 's/\\b200\\b/2000/g' one/*.[jc]s* two/*.[jc]s*",
             in_work("."));
    assert_int_equal(system(sed), 0);
    struct csv_file table = COMPARE_WELL(1, "one", "two");
    assert_has(command.err, "\nscalable, 2,000 clients: the verdict fails: rpcs: 8 in A, 9 in B\n");
    assert_has(command.out, "the counts DIFFER at 2, 2,000");
    assert_has(command.out, " at 2,000 clients");
    csv_file_deinit(&table);
}

/* The folders' last names are the same as well: then it is the folders as they were named. */
COMMAND_TEST(labels_tell_apart)
{
    assert_int_equal(mkdir(in_work("a"), 0755), 0);
    assert_int_equal(mkdir(in_work("b"), 0755), 0);
    make_plain("a/run");
    make_plain("b/run");
    struct csv_file table = COMPARE_WELL(0, "a/run", "b/run/");
    assert_string_equal(csv_file_text(&table, 0, "label_a"), "a/run");
    assert_string_equal(csv_file_text(&table, 0, "label_b"), "b/run");
    csv_file_deinit(&table);
}

/* The file of the comparison keeps what a file of others says; the terminal does not obey it. */
COMMAND_TEST(a_hostile_target_is_made_printable)
{
    const struct made hostile = {"z\x1b[31m\xe2\x80\xae", 1, 6, 8, 2, NULL, 0};
    make_plain("one");
    make_run("two", &hostile, 1);
    struct csv_file table = COMPARE_WELL(0, "one", "two");
    assert_string_equal(csv_file_text(&table, 0, "label_b"), "z\x1b[31m\xe2\x80\xae");
    assert_has(command.out, "\nB  z\\x1b[31m\\u202e: 24 trials");
    assert_has(command.out, " times as long on z\\x1b[31m\\u202e (");
    assert_null(strchr(command.out, '\x1b'));
    assert_null(strstr(command.out, "\xe2\x80\xae"));
    csv_file_deinit(&table);
}

COMMAND_TEST(too_few_trials_have_no_interval)
{
    const struct made few = {"standalone", 1, 4, 8, 3, NULL, 0};
    make_plain("one");
    make_run("few", &few, 1);
    struct csv_file table = COMPARE_WELL(0, "one", "few");
    size_t row = find_row(&table, "scalable", "200", "drain_s", "B/A");
    assert_true(fabs(csv_file_real(&table, row, "ratio") - 3) < 0.1);
    assert_string_equal(csv_file_text(&table, row, "ratio_low"), "");
    assert_string_equal(csv_file_text(&table, row, "marked"), "");
    assert_has(command.out, "oo few trials");
    csv_file_deinit(&table);
}

/* Without any interval the plot has no bars; a recipe that stops early has no cells behind that. */
COMMAND_TEST(few_trials_of_a_recipe_that_stops)
{
    run_plan("old", "childwatch:4,scalable", "2..8x2", "2");
    run_plan("new", "scalable,childwatch:4", "2..8x2", "2");
    command.settings = NULL;
    command_run(&command, COMMAND("compare", "old", "new", "-o", "out"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_int_equal(count_entries(in_work("out/plots")), 2);
    struct csv_file table = csv_file_read(in_work("out/compare.csv"));
    find_row(&table, "childwatch", "4", "drain_s", "B/A");
    for (size_t row = 0; row < table.rows; row++)
        assert_false(strcmp(csv_file_text(&table, row, "recipe"), "childwatch") == 0 &&
                     strcmp(csv_file_text(&table, row, "clients"), "8") == 0);
    csv_file_deinit(&table);
}

/* The times of an overloaded trial do not count, its counts do. */
COMMAND_TEST(only_valid_trials_have_times)
{
    const struct made overloaded = {"standalone", 1, 6, 8, 1, "0,no,\"overloaded, it says\"", 0};
    make_plain("one");
    make_run("two", &overloaded, 1);
    struct csv_file table = COMPARE_WELL(0, "one", "two");
    size_t row = find_row(&table, "scalable", "200", "drain_s", "B/A");
    assert_int_equal(csv_file_count(&table, row, "trials_a"), 6);
    assert_int_equal(csv_file_count(&table, row, "trials_b"), 5);
    row = find_row(&table, "scalable", "200", "rpcs", "B/A");
    assert_int_equal(csv_file_count(&table, row, "trials_b"), 6);
    assert_has(command.out, "B  two: 24 trials (20 with valid times) on 1 server, in two\n");
    csv_file_deinit(&table);
}

/* A trial that was cut short has no law, and its counts are those up to then. */
COMMAND_TEST(what_was_cut_short_is_left_out)
{
    const struct made cut = {"standalone", 1, 1, 5, 1, ",0,no,interrupted", 0};
    make_plain("one");
    make_run("cut", &cut, 1);
    command.settings = without_plots;
    command_run(&command, COMMAND("compare", "-o", "out", "one", "cut"));
    assert_status(&command, 4);
    assert_has(command.err, "nothing was compared");
    assert_has(command.out, "no counts can be compared");
}

/* A trial whose verdict had failed: the others are equal, and yet the runs do not pass. */
COMMAND_TEST(trials_that_failed_fail)
{
    const struct made failed = {"standalone", 1, 6, 8, 1, "1,yes,one more than the law", 0};
    make_plain("one");
    make_run("two", &failed, 1);
    struct csv_file table = COMPARE_WELL(1, "-q", "one", "two");
    assert_string_equal(command.err,
                        "B: the verdict fails in 4 of 24 trials, which are left out; see "
                        "'reason' in two/trials.csv\n");
    size_t row = find_row(&table, "scalable", "200", "rpcs", "B/A");
    assert_int_equal(csv_file_count(&table, row, "trials_b"), 5);
    assert_string_equal(csv_file_text(&table, row, "marked"), "no");
    csv_file_deinit(&table);
}

/* Whatever the ratios are, the lines keep their width. */
COMMAND_TEST(ratios_far_from_one)
{
    const struct made others[] = {{"standalone", 1, 6, 8, 1e6, NULL, 0},
                                  {"standalone", 1, 6, 8, 1e-4, NULL, 0},
                                  {"standalone", 1, 6, 8, 99.99, NULL, 0}};
    make_plain("one");
    make_run("slow", &others[0], 1);
    make_run("fast", &others[1], 1);
    make_run("some", &others[2], 1);
    struct csv_file table = COMPARE_WELL(0, "one", "slow", "fast", "some");
    assert_fits_the_terminal(command.out);
    assert_has(command.out, " >1e4* (>1e4->1e4) ");
    assert_has(command.out, " <.01* (<.01-<.01) ");
    csv_file_deinit(&table);
}

/* At 80 columns the least important are left out; where there is room they are there. */
COMMAND_TEST(a_wider_terminal_shows_more)
{
    make_plain("one");
    make_plain("two");
    screen_run(&command, 80, screen_take_all, COMMAND("compare", "one", "two", "-o", "narrow"));
    assert_status(&command, 0);
    assert_true(screen_widest(screen_shown) <= 80);
    assert_null(strstr(screen_shown, "per s"));
    assert_has(screen_shown, "\r\nAll counts are equal.\r\n");
    screen_run(&command, 120, screen_take_all, COMMAND("compare", "one", "two", "-o", "wide"));
    assert_true(screen_widest(screen_shown) > 80);
    assert_has(screen_shown, "per s");
    assert_left(4);
}

/* ------------------------------------------------------------------ counts */

COMMAND_TEST(counts_that_differ_fail)
{
    const struct made other = {"standalone", 1, 6, 9, 1, NULL, 0};
    make_plain("one");
    make_run("two", &other, 1);
    struct csv_file table = COMPARE_WELL(1, "-q", "one", "two");
    size_t row = find_row(&table, "scalable", "2", "rpcs", "B/A");
    assert_string_equal(csv_file_text(&table, row, "marked"), "yes");
    assert_string_equal(csv_file_text(&table, row, "a"), "8");
    assert_string_equal(csv_file_text(&table, row, "b"), "9");
    row = find_row(&table, "scalable", "2", "creates", "B/A");
    assert_string_equal(csv_file_text(&table, row, "marked"), "no");
    assert_string_equal(command.out, "");
    assert_has(command.err, "scalable, 2 clients: the verdict fails: rpcs: 8 in A, 9 in B\n");
    csv_file_deinit(&table);
    command_run(&command, COMMAND("compare", "one", "two", "-o", "loud"));
    assert_has(command.out, " DIFFER ");
    assert_null(strstr(command.out, "All counts are equal"));
    assert_has(command.out, "\nRatios of B to A.");
}

/* In free pace chance has its part in the counts: they are compared as times are. */
COMMAND_TEST(free_pace_has_no_equal_counts)
{
    const struct made other = {"standalone", 1, 6, 16, 1, NULL, 0};
    char text[1024];
    make_plain("one");
    make_run("two", &other, 1);
    const char *pace = strstr(plan, "lockstep");
    snprintf(text, sizeof text, "%.*sfree%s", (int)(pace - plan), plan, pace + strlen("lockstep"));
    write_manifest("one", text, 6);
    write_manifest("two", text, 6);
    struct csv_file table = COMPARE_WELL(0, "one", "two");
    size_t row = find_row(&table, "scalable", "2", "rpcs", "B/A");
    assert_true(fabs(csv_file_real(&table, row, "ratio") - 2) < 1e-3);
    assert_has(command.out, "2.00 times as many RPCs");
    csv_file_deinit(&table);
}

/* ------------------------------------------------------------------ what is refused */

static void refuse(const char *words, const char *const arguments[])
{
    command.settings = without_plots;
    command_run(&command, arguments);
    assert_refused(&command, 2, words);
    assert_int_not_equal(access(in_work("results"), F_OK), 0);
}

#define REFUSE(words, ...) refuse(words, COMMAND("compare", __VA_ARGS__))

COMMAND_TEST(command_lines)
{
    make_plain("one");
    make_plain("two");
    refuse("expected the folders of two runs", COMMAND("compare"));
    REFUSE("zkherd: one: one run: expected two at least", "one");
    REFUSE("zkherd: --frobnicate: no such option; see zkherd compare --help", "--frobnicate");
    REFUSE("zkherd: -x: no such option", "-qx", "one", "two");
    REFUSE("zkherd: --quiet=yes: the option takes no value", "--quiet=yes");
    REFUSE("zkherd: -o: the option needs a value", "one", "two", "-o");
    REFUSE("zkherd: --out '': expected the name of a folder", "one", "two", "-o", "");
    REFUSE("zkherd: two: already exists", "one", "two", "-o", "two");
    assert_left(2);
}

/* By whatever names: it would be found equal to itself. */
COMMAND_TEST(a_run_that_is_named_twice)
{
    assert_int_equal(mkdir(in_work("both"), 0755), 0);
    make_plain("both/one");
    make_plain("two");
    assert_int_equal(symlink("both/one", in_work("link")), 0);
    REFUSE(
        "zkherd: two: it is the same run as 'two': name different runs; see zkherd compare --help",
        "two", "two");
    REFUSE("zkherd: two/: ", "two", "two/");
    REFUSE("it is the same run as 'two': name different runs", "two", "./two");
    REFUSE("it is the same run as 'two': name different runs", "two", "both/one", "both/../two");
    REFUSE("it is the same run as 'both/one': name different runs", "both", "link");
    REFUSE("it is the same run as 'link': name different runs", "link", "two", "both");
    assert_left(3);
}

static void limit_files_to_1_kib(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1024, 1024});
}

COMMAND_TEST(a_file_that_may_not_grow)
{
    make_plain("one");
    make_plain("two");
    command.prepare = limit_files_to_1_kib;
    command_run(&command, COMMAND("compare", "one", "two", "-o", "out"));
    command.prepare = NULL;
    assert_refused(&command, 3, "zkherd: out/compare.csv: no space left");
    assert_left(2);
}

COMMAND_TEST(folders_that_are_no_runs)
{
    make_plain("one");
    make_plain("bare");
    assert_int_equal(mkdir(in_work("empty"), 0755), 0);
    REFUSE("zkherd: nowhere: not the folder of a run: there is no such folder", "one", "nowhere");
    REFUSE("zkherd: empty: not the folder of a run: there is no manifest.json in it", "one",
           "empty");
    assert_int_equal(unlink(in_work("bare/trials.csv")), 0);
    REFUSE("zkherd: bare: not the folder of a run: there is no trials.csv in it", "one", "bare");
    write_file("bare", "trials.csv", columns);
    REFUSE("zkherd: bare: not the folder of a run: there is no trial in it", "one", "bare");
    assert_left(3);
}

COMMAND_TEST(files_that_are_malformed)
{
    static const struct {
        const char *row, *words;
    } cases[] = {
        {"s,1,scalable,2\n", "line 2: 4 fields, and not 19"},
        {"s,1,scalable,x,1,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n",
         "line 2: clients: 'x' is not a whole number"},
        {"s,1,scalable,2,1,2,2,,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n", "row 1: there is no rpcs"},
        {"s,1,scalable,2,1,2,2,-8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n",
         "line 2: rpcs: '-8' is not a whole number"},
        {"s,1,scalable,2,1,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,maybe,\n",
         "line 2: valid: 'maybe' is neither yes nor no"},
        {"s,1e300,scalable,2,1,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n",
         "line 2: servers: '1e300' is not a whole number"},
        {"s,1,scalable,2,1.5,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n",
         "line 2: trial: '1.5' is not a whole number"},
        {"s,1,scalable,2,1,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\"why\n",
         "line 2: a quote is opened and not closed"},
    };
    static const struct made mixed[] = {{"s", 1, 2, 8, 1, NULL, 0}, {"zk", 1, 2, 8, 1, NULL, 2}};
    static const struct made more[] = {{"s", 1, 2, 8, 1, NULL, 0}, {"s", 3, 2, 8, 1, NULL, 2}};
    make_plain("one");
    make_plain("two");
    write_ended_manifest("two", plan, 6, cut_short);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024], words[160];
        snprintf(text, sizeof text, "%s%s", columns, cases[i].row);
        snprintf(words, sizeof words, "zkherd: two/trials.csv: malformed file: %s", cases[i].words);
        write_file("two", "trials.csv", text);
        REFUSE(words, "one", "two");
    }
    make_run("mixed", mixed, 2);
    REFUSE("row 9: not the target of the rows before", "one", "mixed");
    make_run("more", more, 2);
    REFUSE("row 9: not the target of the rows before", "one", "more");
    write_file("two", "trials.csv", "recipe,clients\nscalable,2\n");
    REFUSE("line 1: there is no column called 'target'", "one", "two");
    char other[sizeof columns];
    snprintf(other, sizeof other, "%s", columns);
    memcpy(strstr(other, "law_rpcs"), "any_rpcs", strlen("any_rpcs"));
    write_file("two", "trials.csv", other);
    FILE *file = fopen(in_work("two/trials.csv"), "ae");
    assert_non_null(file);
    fputs("s,1,scalable,2,1,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n", file);
    assert_int_equal(fclose(file), 0);
    REFUSE("line 1: there is no column called 'law_rpcs'", "one", "two");
    make_plain("fewer");
    write_ended_manifest("fewer", plan, 6, ", \"cut_short\": null, \"trials_finished\": 25");
    REFUSE("fewer/trials.csv: malformed file: 24 trials, and the manifest names 25", "one",
           "fewer");
    write_file("two", "manifest.json", "{\"plan\":\n{,}}");
    REFUSE("zkherd: two/manifest.json: malformed file: line 2: ", "one", "two");
    write_file("two", "manifest.json", "{}");
    REFUSE("the plan has no 'recipes', or one of the wrong type", "one", "two");
    assert_left(5);
}

/* The plan with one value replaced by another. */
static void write_other_plan(const char *folder, const char *value, const char *by)
{
    char text[1024];
    const char *at = strstr(plan, value);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - plan), plan, by, at + strlen(value));
    write_ended_manifest(folder, text, 6, cut_short);
}

COMMAND_TEST(plans_that_differ)
{
    static const struct {
        const char *value, *by, *words;
    } cases[] = {
        {"[2, 200]", "[2, 200, 400]", "clients is [2,200,400] here, [2,200] in one"},
        {"\"scalable\"", "\"scalable\", \"ticket\"", "recipes is "},
        {"drain", "steady", "workload is \"steady\" here, \"drain\" in one"},
        {"lockstep", "free", "pace is "},
        {"\"hold_ns\": 0", "\"hold_ns\": 5", "hold_ns is 5 here, 0 in one"},
        {"false", "true", "hold_exponential is "},
        {"\"locks\": 1", "\"locks\": 2", "locks is "},
        {"spread", "leader", "placement is \"leader\" here, \"spread\" in one"},
        {"\"handoffs\": 0", "\"handoffs\": 9", "handoffs is "},
        {"\"duration_ns\": 0", "\"duration_ns\": 9", "duration_ns is "},
        {"\"max_rate\": null", "\"max_rate\": 9", "max_rate is 9 here, null in one"},
        {"\"locks\": 1", "\"locks\": 1, \"server_cpu_percent\": 25",
         "server_cpu_percent is 25 here, null in one"},
    };
    make_plain("one");
    make_plain("two");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char words[160];
        snprintf(words, sizeof words, "zkherd: two: the plans of the runs differ: %s",
                 cases[i].words);
        write_other_plan("two", cases[i].value, cases[i].by);
        REFUSE(words, "one", "two");
    }
    /* How often and with how many processes, and in which order, is each one's own affair. A
     * manifest without a placement and a rate is an old one, of a run on all servers at any. */
    write_other_plan("two", "\"max_rate\": null, \"placement\": \"spread\", \"processes\": 1",
                     "\"processes\": 2");
    struct csv_file table = COMPARE_WELL(0, "one", "two");
    csv_file_deinit(&table);
}

/* A paced trial has no time of its drain; its counts and latencies are compared. */
COMMAND_TEST(two_paced_runs)
{
    command.settings = without_plots;
    for (int i = 0; i < 2; i++) {
        command_run(&command,
                    COMMAND("run", "--connect", outside, "-r", "scalable", "-n", "8", "-t", "2",
                            "--max-rate", "2000", "-q", "-o", i == 0 ? "old" : "new"));
        assert_status(&command, 0);
    }
    struct csv_file table = COMPARE_WELL(0, "old", "new");
    size_t row = find_row(&table, "scalable", "8", "rpcs", "B/A");
    assert_true(csv_file_real(&table, row, "ratio") == 1);
    row = find_row(&table, "scalable", "8", "drain_s", "B/A");
    assert_int_equal(csv_file_count(&table, row, "trials_a"), 0);
    assert_string_equal(csv_file_text(&table, row, "ratio"), "");
    csv_file_deinit(&table);
    run_plan("unpaced", "scalable", "8", "2");
    REFUSE("zkherd: unpaced: the plans of the runs differ: max_rate is null here, 2000 in old",
           "old", "unpaced", "-o", "none");
}

static const json_t *metric_of(const json_t *json, size_t cell, const char *name)
{
    const json_t *metrics =
        json_object_get(json_array_get(json_object_get(json, "cells"), cell), "metrics");
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const json_t *metric = json_array_get(metrics, i);
        if (strcmp(json_string_value(json_object_get(metric, "metric")), name) == 0)
            return metric;
    }
    fail_msg("no metric %s", name);
    return NULL;
}

static json_t *compare_as_json(int status, const char *other, const char *out)
{
    command.settings = without_plots;
    command_run(&command, COMMAND("compare", "-q", "--json", "-o", out, "one", other));
    assert_status(&command, status);
    return schema_read_result(&command, "compare");
}

COMMAND_TEST(as_json)
{
    static const struct made slow = {"zk", 3, 6, 8, 2, NULL, 0}, few = {"zk", 3, 3, 9, 2, NULL, 0};
    (void)state;
    make_plain("one");
    make_run("slow", &slow, 1);
    make_run("few", &few, 1);
    json_t *json = compare_as_json(0, "slow", "out");
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "holds");
    assert_string_equal(json_string_value(json_object_get(json, "folder")), "out");
    const json_t *runs = json_object_get(json, "runs");
    assert_int_equal(json_array_size(runs), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(runs, 1), "label")), "zk");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(runs, 1), "trials")), 24);
    assert_int_equal(json_array_size(json_object_get(json, "cells")), 4);
    const json_t *drain = metric_of(json, 0, "drain_s");
    assert_float_equal(json_number_value(json_object_get(drain, "ratio")), 2, 1e-6);
    assert_true(json_number_value(json_object_get(drain, "ratio_low")) > 1);
    assert_true(json_is_true(json_object_get(drain, "marked")));
    assert_true(json_is_false(json_object_get(metric_of(json, 0, "rpcs"), "marked")));
    json_decref(json);
    json = compare_as_json(1, "few", "more");
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "fails");
    drain = metric_of(json, 0, "drain_s");
    assert_true(json_is_null(json_object_get(drain, "ratio_low")));
    assert_true(json_is_null(json_object_get(drain, "marked")));
    assert_true(json_is_true(json_object_get(metric_of(json, 0, "rpcs"), "marked")));
    json_decref(json);
}

COMMAND_TEST(help_fits_a_screen)
{
    size_t lines = 0;
    command_run(&command, COMMAND("compare", "--help"));
    assert_status(&command, 0);
    assert_has(command.out, "Examples:\n");
    assert_fits_the_terminal(command.out);
    for (const char *at = command.out; *at != '\0'; at++)
        lines += *at == '\n';
    assert_true(lines <= 50);
}

TEST_GROUP(outside_start, outside_stop)
