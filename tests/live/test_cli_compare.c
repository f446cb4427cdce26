// SPDX-License-Identifier: Apache-2.0
/* Runs held against each other: two that the program makes, and folders made by hand. */
#include "tests/live/outcome.h"
#include "tests/live/outside.h"
#include "tests/live/table.h"

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
    "\"locks\": 1, \"placement\": \"spread\", \"trials\": 5, \"processes\": 1";

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

static void write_manifest(const char *folder, const char *its_plan)
{
    char text[1200];
    snprintf(text, sizeof text, "{\"plan\": {%s}}\n", its_plan);
    write_file(folder, "manifest.json", text);
}

/* What a folder made by hand is to hold; times are `times` as long as in any other. */
struct made {
    const char *target;
    unsigned servers, trials, rpcs;
    double times;
    const char *last; /* law, violations and validity of the last trial of each cell; or NULL */
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
                    made->servers, recipes[i / 2], n, trial + 1, n, n, made->rpcs, n - 1,
                    last && made->last[0] == ',' ? "" : "8", 0.1 * drift, 50 / drift, 2000 * drift,
                    9000 * drift, 0.2 * drift,
                    last ? made->last + (made->last[0] == ',') : "0,yes,");
        }
    }
}

static void make_run(const char *folder, const struct made *made, size_t count)
{
    assert_int_equal(mkdir(in_work("%s", folder), 0755), 0);
    write_manifest(folder, plan);
    FILE *file = fopen(in_work("%s/trials.csv", folder), "we");
    assert_non_null(file);
    fputs(columns, file);
    for (size_t i = 0; i < count; i++)
        put_trials(&made[i], file);
    assert_int_equal(fclose(file), 0);
}

static const struct made plain = {"standalone", 1, 6, 8, 1, NULL};

static void make_plain(const char *folder)
{
    make_run(folder, &plain, 1);
}

/* The row of a cell, metric and pair; fails if there is not exactly one. */
static size_t find_row(const struct table *table, const char *recipe, const char *clients,
                       const char *metric, const char *pair)
{
    size_t found = table->rows, count = 0;
    for (size_t row = 0; row < table->rows; row++) {
        if (strcmp(table_text(table, row, "recipe"), recipe) == 0 &&
            strcmp(table_text(table, row, "clients"), clients) == 0 &&
            strcmp(table_text(table, row, "metric"), metric) == 0 &&
            strcmp(table_text(table, row, "pair"), pair) == 0) {
            found = row;
            count++;
        }
    }
    if (count != 1)
        fail_msg("%zu rows for %s, %s, %s, %s", count, recipe, clients, metric, pair);
    return found;
}

static struct table compare_well(int status, const char *const arguments[])
{
    command.settings = without_plots;
    command_run(&command, arguments);
    assert_status(&command, status);
    return table_read(in_work("out/compare.csv"));
}

#define COMPARE_WELL(status, ...) compare_well(status, COMMAND("compare", "-o", "out", __VA_ARGS__))

static void assert_fits_the_terminal(const char *text)
{
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") < 100);
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
static void two_runs_of_one_plan(void **state)
{
    (void)state;
    run_plan("old", "nonscalable,childwatch,scalable", "2..8x2", "5");
    run_plan("new", "nonscalable,childwatch,scalable", "2..8x2", "5");
    command.settings = NULL;
    command_run(&command, COMMAND("compare", "old", "new/", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out, "A  old: 45 trials on 1 server");
    assert_has(command.out, "B  new: 45 trials on 1 server");
    assert_has(command.out, " times as long on new (");
    assert_has(command.out, " at 8 clients");
    assert_has(command.out, "equal");
    assert_has(command.out, "results in out\n");
    assert_fits_the_terminal(command.out);
    struct table table = table_read(in_work("out/compare.csv"));
    assert_int_equal(table.rows, 3 * 3 * 9);
    for (size_t row = 0; row < table.rows; row++) {
        const char *metric = table_text(&table, row, "metric");
        assert_string_equal(table_text(&table, row, "pair"), "B/A");
        assert_string_equal(table_text(&table, row, "label_a"), "old");
        if (strcmp(metric, "rpcs") == 0) {
            assert_string_equal(table_text(&table, row, "marked"), "no");
            assert_true(table_real(&table, row, "ratio") == 1);
        }
        if (strcmp(metric, "drain_s") == 0) {
            assert_int_equal(table_count(&table, row, "trials_b"), 5);
            assert_true(table_real(&table, row, "ratio_low") <= table_real(&table, row, "ratio"));
            assert_true(table_real(&table, row, "ratio_high") >= table_real(&table, row, "ratio"));
        }
    }
    table_deinit(&table);
    if (system("gnuplot --version >/dev/null 2>&1") == 0)
        assert_int_equal(count_entries(in_work("out/plots")), 2);
    assert_left(3);
}

/* As `run --servers 1,3` writes it: A is the run with the fewest servers. */
static void the_runs_in_a_folder(void **state)
{
    (void)state;
    const struct made both[] = {{"\"zk,1\"", 3, 6, 8, 2, NULL}, {"standalone", 1, 6, 8, 1, NULL}};
    assert_int_equal(mkdir(in_work("both"), 0755), 0);
    assert_int_equal(mkdir(in_work("both/another"), 0755), 0);
    make_run("both/ensemble3", &both[0], 1);
    make_run("both/standalone", &both[1], 1);
    struct table table = COMPARE_WELL(0, "both/");
    assert_has(command.out, "on 1 server, in both/standalone\n");
    assert_has(command.out, "A  standalone: 24 trials on 1 server");
    assert_has(command.out, "scalable: a handoff takes 2.00 times as long on 3 servers (1.9");
    assert_fits_the_terminal(command.out);
    size_t row = find_row(&table, "scalable", "200", "handoff_p50_us", "B/A");
    assert_string_equal(table_text(&table, row, "label_b"), "zk,1");
    assert_true(fabs(table_real(&table, row, "ratio") - 2) < 1e-3);
    assert_true(fabs(table_real(&table, row, "b") - 2 * table_real(&table, row, "a")) < 1e-2);
    assert_true(table_real(&table, row, "ratio_low") > 1.9);
    assert_true(table_real(&table, row, "ratio_high") < 2.1);
    assert_string_equal(table_text(&table, row, "marked"), "yes");
    row = find_row(&table, "scalable", "200", "server_cpu_us_per_handoff", "B/A");
    assert_true(fabs(table_real(&table, row, "a") - 1000) < 50);
    /* 200 handoffs in a tenth of a second, whatever the column says: it may have the arrivals. */
    row = find_row(&table, "scalable", "200", "handoffs_per_s", "B/A");
    assert_true(fabs(table_real(&table, row, "a") - 2000) < 100);
    assert_true(fabs(table_real(&table, row, "ratio") - 0.5) < 1e-3);
    /* Two handoffs have no 99th percentile. */
    row = find_row(&table, "scalable", "2", "handoff_p99_us", "B/A");
    assert_string_equal(table_text(&table, row, "ratio"), "");
    assert_int_equal(table_count(&table, row, "trials_a"), 0);
    row = find_row(&table, "scalable", "200", "handoff_p99_us", "B/A");
    assert_string_equal(table_text(&table, row, "marked"), "yes");
    table_deinit(&table);
}

static void three_runs(void **state)
{
    (void)state;
    const struct made faster = {"standalone", 1, 5, 8, 0.5, NULL};
    make_plain("one");
    make_plain("two");
    make_run("three", &faster, 1);
    struct table table = COMPARE_WELL(0, "one", "two", "three");
    assert_int_equal(table.rows, 2 * 2 * 9 * 2);
    size_t row = find_row(&table, "nonscalable", "2", "drain_s", "B/A");
    assert_string_equal(table_text(&table, row, "marked"), "no");
    row = find_row(&table, "nonscalable", "2", "drain_s", "C/A");
    assert_string_equal(table_text(&table, row, "label_b"), "three");
    assert_true(fabs(table_real(&table, row, "ratio") - 0.5) < 0.01);
    assert_has(command.out, "which may be");
    table_deinit(&table);
}

/* The folders' last names are the same as well: then it is the folders as they were named. */
static void labels_tell_apart(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_work("a"), 0755), 0);
    assert_int_equal(mkdir(in_work("b"), 0755), 0);
    make_plain("a/run");
    make_plain("b/run");
    struct table table = COMPARE_WELL(0, "a/run", "b/run/");
    assert_string_equal(table_text(&table, 0, "label_a"), "a/run");
    assert_string_equal(table_text(&table, 0, "label_b"), "b/run");
    table_deinit(&table);
}

static void too_few_trials_have_no_interval(void **state)
{
    (void)state;
    const struct made few = {"standalone", 1, 4, 8, 3, NULL};
    make_plain("one");
    make_run("few", &few, 1);
    struct table table = COMPARE_WELL(0, "one", "few");
    size_t row = find_row(&table, "scalable", "200", "drain_s", "B/A");
    assert_true(fabs(table_real(&table, row, "ratio") - 3) < 0.1);
    assert_string_equal(table_text(&table, row, "ratio_low"), "");
    assert_string_equal(table_text(&table, row, "marked"), "");
    assert_has(command.out, "too few trials");
    table_deinit(&table);
}

/* Without any interval the plot has no bars; a recipe that stops early has no cells behind that. */
static void few_trials_of_a_recipe_that_stops(void **state)
{
    (void)state;
    run_plan("old", "childwatch:4,scalable", "2..8x2", "2");
    run_plan("new", "scalable,childwatch:4", "2..8x2", "2");
    command.settings = NULL;
    command_run(&command, COMMAND("compare", "old", "new", "-o", "out"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_int_equal(count_entries(in_work("out/plots")), 2);
    struct table table = table_read(in_work("out/compare.csv"));
    find_row(&table, "childwatch", "4", "drain_s", "B/A");
    for (size_t row = 0; row < table.rows; row++)
        assert_false(strcmp(table_text(&table, row, "recipe"), "childwatch") == 0 &&
                     strcmp(table_text(&table, row, "clients"), "8") == 0);
    table_deinit(&table);
}

/* The times of an overloaded trial do not count, its counts do. */
static void only_valid_trials_have_times(void **state)
{
    (void)state;
    const struct made overloaded = {"standalone", 1, 6, 8, 1, "0,no,\"overloaded, it says\""};
    make_plain("one");
    make_run("two", &overloaded, 1);
    struct table table = COMPARE_WELL(0, "one", "two");
    size_t row = find_row(&table, "scalable", "200", "drain_s", "B/A");
    assert_int_equal(table_count(&table, row, "trials_a"), 6);
    assert_int_equal(table_count(&table, row, "trials_b"), 5);
    row = find_row(&table, "scalable", "200", "rpcs", "B/A");
    assert_int_equal(table_count(&table, row, "trials_b"), 6);
    assert_has(command.out, "B  two: 24 trials on 1 server, 20 of them with valid times");
    table_deinit(&table);
}

/* A trial that was cut short has no law, and its counts are those up to then. */
static void what_was_cut_short_is_left_out(void **state)
{
    (void)state;
    const struct made cut = {"standalone", 1, 1, 5, 1, ",0,no,interrupted"};
    make_plain("one");
    make_run("cut", &cut, 1);
    command.settings = without_plots;
    command_run(&command, COMMAND("compare", "-o", "out", "one", "cut"));
    assert_status(&command, 4);
    assert_has(command.err, "nothing was compared");
    assert_has(command.out, "no counts can be compared");
}

/* A trial whose verdict had failed: the others are equal, and yet the runs do not pass. */
static void trials_that_failed_fail(void **state)
{
    (void)state;
    const struct made failed = {"standalone", 1, 6, 8, 1, "1,yes,one more than the law"};
    make_plain("one");
    make_run("two", &failed, 1);
    struct table table = COMPARE_WELL(1, "-q", "one", "two");
    assert_string_equal(command.err, "B: the verdict fails: of 4 of its 24 trials, which are left "
                                     "out; see 'reason' in two/trials.csv\n");
    size_t row = find_row(&table, "scalable", "200", "rpcs", "B/A");
    assert_int_equal(table_count(&table, row, "trials_b"), 5);
    assert_string_equal(table_text(&table, row, "marked"), "no");
    table_deinit(&table);
}

/* Whatever the ratios are, the lines keep their width. */
static void ratios_far_from_one(void **state)
{
    (void)state;
    const struct made others[] = {{"standalone", 1, 6, 8, 1e6, NULL},
                                  {"standalone", 1, 6, 8, 1e-4, NULL},
                                  {"standalone", 1, 6, 8, 99.99, NULL}};
    make_plain("one");
    make_run("slow", &others[0], 1);
    make_run("fast", &others[1], 1);
    make_run("some", &others[2], 1);
    struct table table = COMPARE_WELL(0, "one", "slow", "fast", "some");
    assert_fits_the_terminal(command.out);
    assert_has(command.out, " >1e4 (>1e4->1e4)* ");
    assert_has(command.out, " <.01 (<.01-<.01)* ");
    table_deinit(&table);
}

/* ------------------------------------------------------------------ counts */

static void counts_that_differ_fail(void **state)
{
    (void)state;
    const struct made other = {"standalone", 1, 6, 9, 1, NULL};
    make_plain("one");
    make_run("two", &other, 1);
    struct table table = COMPARE_WELL(1, "-q", "one", "two");
    size_t row = find_row(&table, "scalable", "2", "rpcs", "B/A");
    assert_string_equal(table_text(&table, row, "marked"), "yes");
    assert_string_equal(table_text(&table, row, "a"), "8");
    assert_string_equal(table_text(&table, row, "b"), "9");
    row = find_row(&table, "scalable", "2", "creates", "B/A");
    assert_string_equal(table_text(&table, row, "marked"), "no");
    assert_string_equal(command.out, "");
    assert_has(command.err, "scalable, 2 clients: the verdict fails: rpcs: 8 in A, 9 in B\n");
    table_deinit(&table);
}

/* In free pace chance has its part in the counts: they are compared as times are. */
static void free_pace_has_no_equal_counts(void **state)
{
    (void)state;
    const struct made other = {"standalone", 1, 6, 16, 1, NULL};
    char text[1024];
    make_plain("one");
    make_run("two", &other, 1);
    const char *pace = strstr(plan, "lockstep");
    snprintf(text, sizeof text, "%.*sfree%s", (int)(pace - plan), plan, pace + strlen("lockstep"));
    write_manifest("one", text);
    write_manifest("two", text);
    struct table table = COMPARE_WELL(0, "one", "two");
    size_t row = find_row(&table, "scalable", "2", "rpcs", "B/A");
    assert_true(fabs(table_real(&table, row, "ratio") - 2) < 1e-3);
    assert_has(command.out, "2.00 times as many RPCs");
    table_deinit(&table);
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

static void command_lines(void **state)
{
    (void)state;
    make_plain("one");
    make_plain("two");
    refuse("expected the folders of two runs", COMMAND("compare"));
    REFUSE("zkherd: one: one run: expected two at least", "one");
    REFUSE("zkherd: one/: not understood: the same folder is named twice", "one", "one/");
    REFUSE("zkherd: --frobnicate: no such option; see zkherd compare --help", "--frobnicate");
    REFUSE("zkherd: -x: no such option", "-qx", "one", "two");
    REFUSE("zkherd: --quiet=yes: it takes no value", "--quiet=yes");
    REFUSE("zkherd: -o: it takes a value", "one", "two", "-o");
    REFUSE("zkherd: --out '': expected the name of a folder", "one", "two", "-o", "");
    REFUSE("zkherd: two: it exists already", "one", "two", "-o", "two");
    assert_left(2);
}

static void limit_files_to_1_kib(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1024, 1024});
}

static void a_file_that_may_not_grow(void **state)
{
    (void)state;
    make_plain("one");
    make_plain("two");
    command.prepare = limit_files_to_1_kib;
    command_run(&command, COMMAND("compare", "one", "two", "-o", "out"));
    command.prepare = NULL;
    assert_refused(&command, 3, "zkherd: out/compare.csv: no space left");
    assert_left(2);
}

static void folders_that_are_no_runs(void **state)
{
    (void)state;
    make_plain("one");
    make_plain("bare");
    assert_int_equal(mkdir(in_work("empty"), 0755), 0);
    REFUSE("zkherd: nowhere: it is no run: there is no such folder", "one", "nowhere");
    REFUSE("zkherd: empty: it is no run: there is no manifest.json in it", "one", "empty");
    assert_int_equal(unlink(in_work("bare/trials.csv")), 0);
    REFUSE("zkherd: bare: it is no run: there is no trials.csv in it", "one", "bare");
    write_file("bare", "trials.csv", columns);
    REFUSE("zkherd: bare: it is no run: there is no trial in it", "one", "bare");
    assert_left(3);
}

static void files_that_are_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *row, *words;
    } cases[] = {
        {"s,1,scalable,2\n", "line 2: 4 fields, and not 19"},
        {"s,1,scalable,x,1,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n",
         "line 2: clients: 'x' is not a number"},
        {"s,1,scalable,2,1,2,2,,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n",
         "line 2: rpcs: '' is not a number"},
        {"s,1,scalable,2,1,2,2,-8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n",
         "line 2: rpcs: '-8' is negative"},
        {"s,1,scalable,2,1,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,maybe,\n",
         "line 2: valid: 'maybe' is neither yes nor no"},
        {"s,1e300,scalable,2,1,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n",
         "line 2: servers: '1e300' is no number of servers"},
        {"s,1,ticket,2,1,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\n",
         "line 2: recipe: 'ticket' with this number of clients is not in the plan"},
        {"s,1,scalable,2,1,2,2,8,1,0,8,0.1,50,2e3,9e3,0.2,0,yes,\"why\n",
         "line 2: a quote is opened and not closed"},
    };
    static const struct made mixed[] = {{"s", 1, 2, 8, 1, NULL}, {"zk", 1, 2, 8, 1, NULL}};
    static const struct made more[] = {{"s", 1, 2, 8, 1, NULL}, {"s", 3, 2, 8, 1, NULL}};
    make_plain("one");
    make_plain("two");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024], words[160];
        snprintf(text, sizeof text, "%s%s", columns, cases[i].row);
        snprintf(words, sizeof words, "zkherd: two/trials.csv: the file is malformed: %s",
                 cases[i].words);
        write_file("two", "trials.csv", text);
        REFUSE(words, "one", "two");
    }
    make_run("mixed", mixed, 2);
    REFUSE("line 10: target: 'zk' is not that of the trials before", "one", "mixed");
    make_run("more", more, 2);
    REFUSE("line 10: servers: '3' is not that of the trials before", "one", "more");
    write_file("two", "trials.csv", "recipe,clients\nscalable,2\n");
    REFUSE("line 1: there is no column called 'target'", "one", "two");
    write_file("two", "manifest.json", "{\"plan\":\n{,}}");
    REFUSE("zkherd: two/manifest.json: the file is malformed: line 2: ", "one", "two");
    write_file("two", "manifest.json", "{}");
    REFUSE("the plan has no 'recipes', or none of its kind", "one", "two");
    assert_left(4);
}

/* The plan with one value replaced by another. */
static void write_other_plan(const char *folder, const char *value, const char *by)
{
    char text[1024];
    const char *at = strstr(plan, value);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - plan), plan, by, at + strlen(value));
    write_manifest(folder, text);
}

static void plans_that_differ(void **state)
{
    (void)state;
    static const struct {
        const char *value, *by, *words;
    } cases[] = {
        {"[2, 200]", "[2, 200, 400]", "its clients: [2,200,400], and not [2,200] as in one"},
        {"\"scalable\"", "\"scalable\", \"ticket\"", "its recipes: "},
        {"drain", "steady", "its workload: \"steady\", and not \"drain\" as in one"},
        {"lockstep", "free", "its pace: "},
        {"\"hold_ns\": 0", "\"hold_ns\": 5", "its hold_ns: 5, and not 0 as in one"},
        {"false", "true", "its hold_exponential: "},
        {"\"locks\": 1", "\"locks\": 2", "its locks: "},
        {"spread", "leader", "its placement: \"leader\", and not \"spread\" as in one"},
        {"\"handoffs\": 0", "\"handoffs\": 9", "its handoffs: "},
        {"\"duration_ns\": 0", "\"duration_ns\": 9", "its duration_ns: "},
    };
    make_plain("one");
    make_plain("two");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char words[160];
        snprintf(words, sizeof words, "zkherd: two: its plan is another: %s", cases[i].words);
        write_other_plan("two", cases[i].value, cases[i].by);
        REFUSE(words, "one", "two");
    }
    /* How often and with how many processes, and in which order, is each one's own affair. A
     * manifest without a placement is an old one, of a run on all servers. */
    write_other_plan("two", "\"placement\": \"spread\", \"trials\": 5, \"processes\": 1",
                     "\"trials\": 6, \"processes\": 2");
    struct table table = COMPARE_WELL(0, "one", "two");
    table_deinit(&table);
}

static void help_fits_a_screen(void **state)
{
    (void)state;
    size_t lines = 0;
    command_run(&command, COMMAND("compare", "--help"));
    assert_status(&command, 0);
    assert_has(command.out, "Examples:\n");
    assert_fits_the_terminal(command.out);
    for (const char *at = command.out; *at != '\0'; at++)
        lines += *at == '\n';
    assert_true(lines <= 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        COMMAND_TEST(two_runs_of_one_plan),
        COMMAND_TEST(the_runs_in_a_folder),
        COMMAND_TEST(three_runs),
        COMMAND_TEST(labels_tell_apart),
        COMMAND_TEST(too_few_trials_have_no_interval),
        COMMAND_TEST(few_trials_of_a_recipe_that_stops),
        COMMAND_TEST(only_valid_trials_have_times),
        COMMAND_TEST(what_was_cut_short_is_left_out),
        COMMAND_TEST(trials_that_failed_fail),
        COMMAND_TEST(ratios_far_from_one),
        COMMAND_TEST(counts_that_differ_fail),
        COMMAND_TEST(free_pace_has_no_equal_counts),
        COMMAND_TEST(command_lines),
        COMMAND_TEST(a_file_that_may_not_grow),
        COMMAND_TEST(folders_that_are_no_runs),
        COMMAND_TEST(files_that_are_malformed),
        COMMAND_TEST(plans_that_differ),
        COMMAND_TEST(help_fits_a_screen),
    };
    return cmocka_run_group_tests(tests, outside_start, outside_stop);
}
