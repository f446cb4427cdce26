// SPDX-License-Identifier: Apache-2.0
/* Pictures: what they say, told against the files that they are drawn from; what makes each stand
 * alone and be read; formats, and who draws. */
#include "tests/support/outcome.h"
#include "tests/support/picture.h"
#include "tests/support/test.h"

#include <math.h>

static struct command command;

#define RUN_SIMULATED(folder, ...) SIMULATED(&command, "run", folder, __VA_ARGS__)
#define LOAD_SIMULATED(folder, ...)                                                                \
    SIMULATED(&command, "load", folder, "--warm-up", "10ms", __VA_ARGS__)

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Letters of Helvetica are so wide in a picture, on average; many are wider. */
#define LETTER 8.0

static double width_of(const char *picture)
{
    double width = 0;
    const char *at = strstr(picture, "width=\"");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "width=\"%lf", &width), 1);
    return width;
}

/* No text that begins within the picture ends outside. */
static void assert_within(const char *picture, const char *words)
{
    struct picture_text text = picture_find(picture, words);
    assert_true(text.x + LETTER * (double)strlen(text.words) <= width_of(picture));
}

/* ------------------------------------------------------------------ what a picture is of */

COMMAND_TEST(a_picture_says_what_it_is_of)
{
    static const char *const pictures[] = {"rpcs",       "messages", "bytes", "handoff_latency",
                                           "drain_time", "anatomy"};
    RUN_SIMULATED("out", "-r", "nonscalable,scalable", "-n", "8,32", "-t", "1", "--trace", "7");
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        const char *picture = picture_read("out", pictures[i]);
        struct picture_text about =
            picture_find(picture, "Simulated: the times come from a model.");
        assert_has(about.words, "nonscalable, scalable; n = 8 to 32; 1 server;");
        /* Below all else but the verdict, and once in a picture of several panels. */
        assert_int_equal(picture_count(picture, about.words), 1);
        struct picture_text text, verdict = picture_find(picture, "verdict: ");
        assert_true(verdict.y > about.y);
        for (const char *at = picture; picture_next(&at, &text);)
            assert_true(text.y <= about.y || strstr(text.words, "zkherd ") != NULL ||
                        text.y == verdict.y);
    }
}

/* Each side of a comparison in a line of its own, also when it is drawn again. */
COMMAND_TEST(a_comparison_names_its_sides)
{
    RUN_SIMULATED("one", "-r", "scalable", "-n", "8,16", "-t", "2");
    RUN_SIMULATED("two", "-r", "scalable", "-n", "8,16", "-t", "2");
    command_run(&command, COMMAND("compare", "-q", "--plots", "svg", "-o", "out", "one", "two"));
    assert_status(&command, 0);
    const char *before = picture_read("out", "compare");
    ASSERT_SHOWS(before, "scalable; n = 8 to 16");
    (void)picture_find(before, "A one: Simulated: ");
    (void)picture_find(before, "B two: Simulated: ");
    picture_draw(&command, "out", "svg");
    assert_string_equal(before, picture_read("out", "compare"));
}

/* ------------------------------------------------------------------ what is not cut off */

COMMAND_TEST(a_legend_ends_within_the_picture)
{
    RUN_SIMULATED("out", "-r", "nonscalable,scalable,ticket", "-n", "8,16,32", "-t", "2");
    picture_set(in_work("out/trials.csv"), NULL, NULL, 3, "valid", "no");
    picture_set(in_work("out/trials.csv"), NULL, NULL, 3, "violations", "1");
    picture_draw(&command, "out", "svg");
    assert_within(picture_read("out", "drain_time"), "trial not valid");
    assert_within(picture_read("out", "rpcs"), "trial failed or aborted");
    command_run(&command, COMMAND("plan", "-q", "-d", "simulated", "--slo", "handoff p90 < 2ms",
                                  "--seed", "5", "-r", "nonscalable,scalable", "--at-most", "64",
                                  "--plots", "svg", "-o", "plan"));
    const char *plan = picture_read("plan", "plan");
    assert_within(plan, "cross: the trial failed");
    assert_within(plan, "objective: below the line");
}

/* At one number of clients nothing grows, and the figure has its place for itself. */
COMMAND_TEST(one_number_of_clients_has_no_order)
{
    RUN_SIMULATED("out", "-r", "nonscalable,scalable", "-n", "32", "-t", "1");
    const char *picture = picture_read("out", "rpcs");
    ASSERT_SHOWS(picture, "1,056");
    picture_assert_lacks(picture, "O(n");
}

/* Above the topmost number of the axis of what is answered, and so above every curve. */
COMMAND_TEST(events_stand_above_the_curves)
{
    LOAD_SIMULATED("out", "-n", "5", "-t", "1", "--duration", "4s");
    picture_set(in_work("out/timeline.csv"), NULL, NULL, 1, "marks",
                "server 3 killed;no server leads");
    picture_draw(&command, "out", "svg");
    const char *picture = picture_read("out", "load_timeline");
    struct picture_text event = picture_find(picture, "kill 3, no leader"),
                        title = picture_find(picture, "Every second"),
                        axis = picture_find(picture, "15,000");
    assert_true(event.y < axis.y);
    assert_true(title.y < event.y - 6 * (double)strlen(event.words) + 6);
}

/* ------------------------------------------------------------------ trials and medians */

/* Five trials have an interval, three are shown; one is the mean itself. */
COMMAND_TEST(means_without_an_interval_have_their_trials)
{
    static const char words[] = "small: a trial";
    LOAD_SIMULATED("out", "--reads", "0,50,100", "-n", "4", "-t", "3", "--duration", "1s");
    const char *picture = picture_read("out", "load_reads");
    ASSERT_SHOWS(picture, words);
    /* Three trials of three cells, three means, and the two entries of the legend. */
    assert_int_equal(picture_marks(picture, "#gpPt6'", NULL, 0), 9 + 3 + 2);
    picture_set(in_work("out/load.csv"), NULL, NULL, 4, "valid", "no");
    picture_draw(&command, "out", "svg");
    assert_int_equal(picture_marks(picture_read("out", "load_reads"), "#gpPt6'", NULL, 0),
                     8 + 3 + 2);
    LOAD_SIMULATED("rate", "--rate", "1000,2000", "-n", "4", "-t", "3", "--duration", "1s");
    ASSERT_SHOWS(picture_read("rate", "load_rate"), words);
    LOAD_SIMULATED("fan", "--watch", "100", "--znodes", "1", "-n", "4,8", "-t", "3", "--duration",
                   "1s");
    ASSERT_SHOWS(picture_read("fan", "load_fan_out"), words);
    LOAD_SIMULATED("two", "--servers", "1,3", "--reads", "0,100", "-n", "4", "-t", "2",
                   "--duration", "1s");
    ASSERT_SHOWS(picture_read("two", "load_reads"), words);
    LOAD_SIMULATED("many", "--reads", "0,100", "-n", "4", "-t", "5", "--duration", "1s");
    picture_assert_lacks(picture_read("many", "load_reads"), words);
    LOAD_SIMULATED("one", "--reads", "0,100", "-n", "4", "-t", "1", "--duration", "1s");
    picture_assert_lacks(picture_read("one", "load_reads"), words);
}

/* Three samples of three trials, of which the last is not valid. */
static void make_figure8(const char *second, const char *third)
{
    char faults[256];
    write_file(in_work("out/samples.csv"),
               "trial,from_s,reads,writes,operations_per_s\n"
               "1,0.0,0,0,1000.0\n1,0.3,0,0,4000.0\n1,0.6,0,0,1000.0\n"
               "2,0.0,0,0,3000.0\n2,0.3,0,0,2000.0\n2,0.6,0,0,1000.0\n"
               "3,0.0,0,0,9000.0\n3,0.3,0,0,9000.0\n3,0.6,0,0,9000.0\n");
    snprintf(faults, sizeof faults, "trial,valid,fault,at_s\n1,yes,1,0.4\n2,%s,1,0.4\n3,%s,1,0.4\n",
             second, third);
    write_file(in_work("out/figure8.csv"), faults);
    picture_draw(&command, "out", "svg");
}

/* The path of the median: its colour is the last before it. */
static void read_median(const char *picture, double y[3])
{
    const char *at = strstr(picture, "stroke='rgb(  8,  81, 156)'");
    double x;
    assert_non_null(at);
    at = strstr(at, "d='M");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "d='M%lf,%lf L%lf,%lf L%lf,%lf", &x, &y[0], &x, &y[1], &x, &y[2]),
                     6);
}

/* The median of those that are valid lies between them; the others have no say. */
COMMAND_TEST(figure_8_has_one_line)
{
    double y[3];
    assert_int_equal(mkdir(in_work("out"), 0755), 0);
    make_figure8("yes", "no");
    const char *picture = picture_read("out", "paper_figure8");
    ASSERT_SHOWS(picture, "median of 2 trials", "least to greatest", "1 trial not valid",
                 "follower killed");
    read_median(picture, y);
    double unit = (y[2] - y[0]) / 1000;
    assert_true(unit > 0);
    assert_true(y[2] - y[1] > 1999 * unit && y[2] - y[1] < 2001 * unit);
    make_figure8("yes", "yes");
    picture = picture_read("out", "paper_figure8");
    ASSERT_SHOWS(picture, "median of 3 trials");
    picture_assert_lacks(picture, "valid");
    read_median(picture, y);
    unit = (y[2] - y[0]) / 2000;
    assert_true(y[2] - y[1] > 2999 * unit && y[2] - y[1] < 3001 * unit);
    make_figure8("no", "no");
    picture = picture_read("out", "paper_figure8");
    ASSERT_SHOWS(picture, "trial 1", "2 trials not valid");
    picture_assert_lacks(picture, "greatest");
}

/* "1,001,000" as 1001000; NaN for what is no number. */
static double number_of(const char *words)
{
    char digits[64];
    size_t count = 0;
    for (; *words != '\0' && count + 1 < sizeof digits; words++) {
        if (*words != ',')
            digits[count++] = *words;
    }
    digits[count] = '\0';
    char *end;
    double number = strtod(digits, &end);
    return count == 0 || *end != '\0' ? (double)NAN : number;
}

/* ------------------------------------------------------------------ each plot */

/* The value of the highest point stands above it, and a labelled tic above that. */
COMMAND_TEST(rpcs_say_how_they_grow)
{
    RUN_SIMULATED("out", "-r", "nonscalable,childwatch,scalable", "-n", "8..64x2", "-t", "1");
    const char *picture = picture_read("out", "rpcs");
    struct csv_file trials = csv_file_read(in_work("out/trials.csv"));
    double highest = 0;
    for (size_t i = 0; i < trials.rows; i++)
        highest = fmax(highest, (double)csv_file_count(&trials, i, "rpcs"));
    assert_true(highest == 64 * 64 + 64 + 1);
    struct picture_text value = picture_find(picture, "4,161");
    double tic = 0;
    struct picture_text text;
    for (const char *at = picture; picture_next(&at, &text);) {
        if (number_of(text.words) > highest && text.x < value.x && text.y < value.y + 5)
            tic = number_of(text.words);
    }
    assert_true(tic >= highest);
    ASSERT_SHOWS(picture, "O(n²)", "O(n)");
    assert_true(picture_find(picture, "O(n²)").y < picture_find(picture, "O(n)").y);
    ASSERT_SHOWS(picture, "law n² + n", "RPCs", "RPCs of a drain of n clients");
    csv_file_deinit(&trials);
}

/* The law is drawn from its own columns, not through what was measured; the axis goes on to a
 * labelled tic at the last point or beyond. */
COMMAND_TEST(messages_have_their_law)
{
    RUN_SIMULATED("out", "-r", "nonscalable,scalable", "-n", "8..100x2", "-t", "1");
    const char *before = picture_read("out", "messages");
    ASSERT_SHOWS(before, "line: the law");
    assert_int_equal(picture_count(before, "64"), 2);
    ASSERT_SHOWS(before, "messages of a handoff");
    picture_set(in_work("out/waiters.csv"), "recipe", "scalable", 0, "law_notifications_mean",
                "9.000");
    picture_draw(&command, "out", "svg");
    const char *after = picture_read("out", "messages");
    assert_string_not_equal(before, after);
}

static size_t find_fit(const struct csv_file *fits, const char *recipe, const char *metric)
{
    for (size_t row = 0; row < fits->rows; row++) {
        if (strcmp(csv_file_text(fits, row, "recipe"), recipe) == 0 &&
            strcmp(csv_file_text(fits, row, "metric"), metric) == 0)
            return row;
    }
    fail_msg("no fit of %s for %s", metric, recipe);
    return 0;
}

/* Exact as the terminal prints it; else the terms that matter, with four digits; and the power of n
 * where no polynomial is near. */
COMMAND_TEST(bytes_have_their_curves)
{
    char words[128];
    RUN_SIMULATED("out", "-r", "scalable,ticket,childwatch", "-n", "10,25,50,100,250", "-t", "1");
    const char *picture = picture_read("out", "bytes");
    struct csv_file fits = csv_file_read(in_work("out/fits.csv"));
    size_t row = find_fit(&fits, "scalable", "bytes");
    snprintf(words, sizeof words, "scalable: %.0f·n² + %.0f·n − %.0f",
             csv_file_real(&fits, row, "c2"), csv_file_real(&fits, row, "c1"),
             -csv_file_real(&fits, row, "c0"));
    ASSERT_SHOWS(picture, words);
    row = find_fit(&fits, "ticket", "bytes");
    snprintf(words, sizeof words, "ticket: ≈ 1,%03.0f·n",
             round(csv_file_real(&fits, row, "c1")) - 1000);
    ASSERT_SHOWS(picture, words);
    row = find_fit(&fits, "childwatch", "bytes");
    snprintf(words, sizeof words, "childwatch: ∝ n^%.2f", csv_file_real(&fits, row, "exponent"));
    ASSERT_SHOWS(picture, words);
    csv_file_deinit(&fits);
}

/* Where the marks of a kind are, as gnuplot numbers them: how many different columns of them. */
static size_t count_columns(const char *picture, const char *mark)
{
    struct picture_place places[256];
    size_t count = 0, marks = picture_marks(picture, mark, places, 256);
    for (size_t i = 0; i < marks; i++) {
        size_t j = 0;
        while (j < i && fabs(places[j].x - places[i].x) > 0.05)
            j++;
        count += j == i;
    }
    return count;
}

/* A quantity with its unit, the exponent of fits.csv, and no trial on another. */
COMMAND_TEST(drain_times_tell_their_slope)
{
    char words[128];
    RUN_SIMULATED("out", "-r", "nonscalable,scalable", "-n", "8..64x2", "-t", "3");
    const char *picture = picture_read("out", "drain_time");
    struct csv_file fits = csv_file_read(in_work("out/fits.csv"));
    size_t row = find_fit(&fits, "nonscalable", "drain_s");
    snprintf(words, sizeof words, "nonscalable: ∝ n^%.2f (%.2f to %.2f)",
             csv_file_real(&fits, row, "exponent"), csv_file_real(&fits, row, "exponent_low"),
             csv_file_real(&fits, row, "exponent_high"));
    ASSERT_SHOWS(picture, words, "drain time, s");
    /* Four levels with three trials each, and the legend's. */
    assert_int_equal(count_columns(picture, "#gpPt6'"), 4 * 3 + 1);
    assert_int_equal(count_columns(picture, "#gpPt4'"), 4 * 3 + 1);
    csv_file_deinit(&fits);
}

#define WAITERS_COLUMNS                                                                            \
    "run,recipe,waiters_low,waiters_high,waiters_mean,handoffs,creates_mean,notifications_mean,"   \
    "rpcs_mean,handoff_p50_us,handoff_p50_low_us,handoff_p50_high_us,handoff_p99_us,"              \
    "law_creates_mean,law_notifications_mean"

/* One wants to read 4 ms and 50 ms, how many handoffs a point is of, and what p99 is. */
COMMAND_TEST(latencies_can_be_read)
{
    RUN_SIMULATED("out", "-r", "scalable", "-n", "8..64x2", "-t", "1");
    write_file(in_work("out/waiters.csv"), WAITERS_COLUMNS
               ",timed\n"
               "out,scalable,1,1,1.00,2000,0,1,2,1500.0,1400.0,1600.0,,0,1,99\n"
               "out,scalable,2,3,2.50,2000,0,1,2,4000.0,3800.0,4200.0,50000.0,0,1,100\n"
               "out,scalable,4,7,5.50,2000,0,1,2,8000.0,7000.0,9000.0,80000.0,0,1,1000\n"
               "out,scalable,8,15,8.00,2000,0,1,2,,,,,0,1,0\n");
    picture_draw(&command, "out", "svg");
    ASSERT_SHOWS(picture_read("out", "handoff_latency"), "4 ms", "50 ms", "p99: 1 in 100 is slower",
                 "median (p50), 95 % CI", "p50 of 1–99 handoffs", "p50 of 100–999",
                 "p50 of 1,000 or more");
}

/* Counts are right although times are not; those of a trial that failed or was aborted are not. */
COMMAND_TEST(what_is_not_used_is_crossed_out)
{
    static const struct {
        const char *valid, *violations;
        bool has_law, counted, timed;
    } cases[] = {{"yes", "0", true, true, true},
                 {"no", "0", true, true, false},
                 {"no", "0", false, false, false},
                 {"yes", "1", true, false, true}};
    static const char not_counted[] = "trial failed or aborted", not_timed[] = "trial not valid";
    static const char *const counts[] = {"rpcs", "bytes"};
    RUN_SIMULATED("out", "-r", "nonscalable,scalable", "-n", "8..64x2", "-t", "1");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        picture_set(in_work("out/trials.csv"), "recipe", "scalable", 0, "valid", cases[i].valid);
        picture_set(in_work("out/trials.csv"), "recipe", "scalable", 0, "violations",
                    cases[i].violations);
        picture_set(in_work("out/trials.csv"), "recipe", "scalable", 0, "law_rpcs",
                    cases[i].has_law ? "40" : "");
        picture_draw(&command, "out", "svg");
        for (size_t j = 0; j < 2; j++) {
            const char *picture = picture_read("out", counts[j]);
            assert_int_equal(picture_count(picture, not_counted), cases[i].counted ? 0 : 1);
            picture_assert_lacks(picture, not_timed);
        }
        const char *picture = picture_read("out", "drain_time");
        assert_int_equal(picture_count(picture, not_timed), cases[i].timed ? 0 : 1);
        picture_assert_lacks(picture, not_counted);
    }
}

/* ------------------------------------------------------------------ legends and tics */

/* ------------------------------------------------------------------ a comparison */

static const char compared_columns[] =
    "recipe,clients,metric,pair,label_a,label_b,a,a_low,a_high,b,b_low,b_high,ratio,ratio_low,"
    "ratio_high,trials_a,trials_b,marked\n";

/* Two recipes at two numbers of clients; B takes twice as long as A. */
static void make_comparison(const char *label_a, const char *label_b)
{
    static const char *const metrics[] = {"handoff_p50_us", "drain_s"};
    assert_int_equal(mkdir(in_work("compared"), 0755), 0);
    FILE *file = fopen(in_work("compared/compare.csv"), "we");
    assert_non_null(file);
    fputs(compared_columns, file);
    for (size_t i = 0; i < 8; i++)
        fprintf(file, "%s,%d,%s,B/A,%s,%s,10,9,11,20,19,21,2.0000,1.8000,2.2000,5,5,yes\n",
                i < 4 ? "nonscalable" : "scalable", i % 4 < 2 ? 8 : 64, metrics[i % 2], label_a,
                label_b);
    assert_int_equal(fclose(file), 0);
}

/* The ratio, a line at 1, and who is compared with whom. */
COMMAND_TEST(comparisons_show_ratios)
{
    make_comparison("standalone", "ensemble3");
    picture_draw(&command, "compared/", "svg");
    assert_string_equal(command.out, "plots in compared/plots\n");
    const char *picture = picture_read("compared", "compare");
    ASSERT_SHOWS(picture, "ensemble3 / standalone", "Handoff latency, median (95 % CI)",
                 "Drain time (95 % CI)");
    /* On either side: where 1 is, and 2. All of a recipe's four points are at 2. */
    assert_int_equal(picture_count(picture, "1"), 2);
    assert_int_equal(picture_count(picture, "2"), 2);
    double at_2 = picture_find(picture, "2").y;
    struct picture_place places[16];
    size_t points = 0, marks = picture_marks(picture, "#gpPt6'", places, 16);
    for (size_t i = 0; i < marks; i++)
        points += fabs(places[i].y - at_2) < 8;
    assert_int_equal(points, 4);
}

/* Names come from files that may be anybody's. */
COMMAND_TEST(foreign_names_are_only_text)
{
    make_comparison("\033\007'{/Bold x}@_2", "a\xe2\x80\xae"
                                             "b\xff`date`");
    picture_draw(&command, "compared", "svg");
    const char *picture = picture_read("compared", "compare");
    assert_null(strchr(picture, '\033'));
    assert_null(strchr(picture, '\007'));
    assert_null(strstr(picture, "\xe2\x80\xae"));
    assert_null(strchr(picture, '\xff'));
    picture_find(picture, "a\\u202eb\\xff`date` / \\x1b\\x07'{/Bold x}@_2");
}

/* ------------------------------------------------------------------ formats, and drawing again */

static void assert_begins(const char *path, const char *magic)
{
    char begin[16] = "";
    FILE *file = fopen(path, "re");
    if (file == NULL)
        fail_msg("%s: %s", path, strerror(errno));
    assert_true(fread(begin, 1, sizeof begin - 1, file) == sizeof begin - 1);
    fclose(file);
    if (strncmp(begin, magic, strlen(magic)) != 0)
        fail_msg("%s does not begin with %s", path, magic);
}

static void assert_formats(const char *folder, const char *name)
{
    assert_begins(in_work("%s/plots/%s.svg", folder, name), "<?xml ");
    assert_begins(in_work("%s/plots/%s.png", folder, name), "\x89PNG\r\n");
    assert_begins(in_work("%s/plots/%s.pdf", folder, name), "%PDF-1.");
    assert_begins(in_work("%s/plots/%s.eps", folder, name), "%!PS-Adobe-3.0 ");
}

COMMAND_TEST(four_formats)
{
    RUN_SIMULATED("a", "-r", "scalable", "-n", "8,16", "-t", "1", "--plots", "svg,png,pdf,eps");
    assert_int_equal(count_entries(in_work("a/plots")), 5 * 4);
    assert_formats("a", "rpcs");
    assert_formats("a", "handoff_latency");
}

/* An older picture of other data would tell of data that are no longer there. */
COMMAND_TEST(a_picture_without_data_any_more_is_removed)
{
    RUN_SIMULATED("out", "-r", "nonscalable,scalable", "-n", "4", "-t", "1", "--trace", "1");
    const char *picture = in_work("out/plots/anatomy.svg");
    assert_int_equal(access(picture, F_OK), 0);
    assert_int_equal(rename(in_work("out/trace.csv"), in_work("out/kept.csv")), 0);
    picture_draw(&command, "out", "svg");
    assert_int_equal(access(picture, F_OK), 0);
    write_file(in_work("out/trace.csv"),
               "run,recipe,clients,trial,lock,handoff,waiters,time_us,session,event,operation,"
               "status,latency_us,wakes\n"
               "out,scalable,4,1,0,4,0,0.000,3,release,,,,\n");
    picture_draw(&command, "out", "png");
    assert_int_equal(access(picture, F_OK), 0);
    picture_draw(&command, "out", "svg");
    assert_int_equal(access(picture, F_OK), -1);
    assert_int_equal(rename(in_work("out/kept.csv"), in_work("out/trace.csv")), 0);
    picture_draw(&command, "out", "svg");
    assert_int_equal(access(picture, F_OK), 0);
}

static void ignore_children(void)
{
    signal(SIGCHLD, SIG_IGN);
}

/* The status of gnuplot is known even where a parent had turned the signal off that tells of it. */
COMMAND_TEST(a_failure_is_told_whoever_started_the_program)
{
    RUN_SIMULATED("out", "-r", "scalable", "-n", "8", "-t", "1");
    write_file(in_work("out/trials.csv"), "recipe,clients,trial\nscalable,8,1\n");
    command.prepare = ignore_children;
    command_run(&command, COMMAND("plot", "out"));
    command.prepare = NULL;
    assert_status(&command, 3);
    assert_has(command.err, "zkherd: out: the plots cannot be drawn: ");
    assert_string_equal(command.out, "");
}

COMMAND_TEST(a_folder_of_folders_and_one_of_nothing)
{
    RUN_SIMULATED("both", "-r", "scalable", "-n", "8", "-t", "1", "--servers", "1,3");
    command_run(&command, COMMAND("plot", "both/", "--plots", "svg"));
    assert_status(&command, 0);
    assert_string_equal(command.out,
                        "plots in both/simulated1/plots\nplots in both/simulated3/plots\n");
    assert_int_equal(mkdir(in_work("empty"), 0755), 0);
    write_file(in_work("empty/compare.csv"), compared_columns);
    command_run(&command, COMMAND("plot", "empty", "--json"));
    assert_status(&command, 3);
    assert_has(command.err, "zkherd: empty: the plots cannot be drawn: there is nothing to draw");
    assert_string_equal(command.out, "");
    assert_int_not_equal(access(in_work("empty/plots"), F_OK), 0);
}

/* ------------------------------------------------------------------ whoever draws */

/* What a user has set up for gnuplot, for his language and for his fonts has no say. */
COMMAND_TEST(nothing_of_the_user_has_a_say)
{
    static char home[128], fonts[128];
    static const char *const settings[] = {home,
                                           "GNUTERM=dumb",
                                           "LC_ALL=de_DE.UTF-8",
                                           "LC_NUMERIC=de_DE.UTF-8",
                                           "GNUPLOT_LIB=/nonexistent",
                                           "GDFONTPATH=/nonexistent",
                                           "GNUPLOT_DEFAULT_GDFONT=nonexistent",
                                           fonts,
                                           NULL};
    RUN_SIMULATED("out", "-r", "scalable", "-n", "8..64x2", "-t", "1");
    const char *before = picture_read("out", "rpcs");
    assert_int_equal(rename(in_work("out/plots"), in_work("before")), 0);
    snprintf(home, sizeof home, "HOME=%s/home", work_nest);
    assert_int_equal(mkdir(home + strlen("HOME="), 0755), 0);
    char path[160];
    snprintf(path, sizeof path, "%s/.gnuplot", home + strlen("HOME="));
    write_file(path, "set decimalsign ','\nset key off\nset label 'mine' at graph 0.5, 0.5\n");
    snprintf(fonts, sizeof fonts, "FONTCONFIG_FILE=%s/fonts.conf", work_nest);
    write_file(fonts + strlen("FONTCONFIG_FILE="),
               "<?xml version='1.0'?><fontconfig><dir>/usr/share/fonts</dir>"
               "<match target='pattern'><edit name='family' mode='assign' binding='strong'>"
               "<string>DejaVu Sans Mono</string></edit></match></fontconfig>\n");
    command.settings = settings;
    picture_draw(&command, "out", "svg");
    command.settings = NULL;
    const char *after = picture_read("out", "rpcs");
    assert_string_equal(before, after);
}
