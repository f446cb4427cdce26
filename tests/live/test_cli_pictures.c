// SPDX-License-Identifier: Apache-2.0
/* What makes a picture stand alone and be read: what it is of, a legend within its sides, words
 * beside its curves, and trials where there is no interval. */
#include "tests/support/outcome.h"
#include "tests/support/picture.h"
#include "tests/support/test.h"

static struct command command;

#define RUN_SIMULATED(folder, ...) SIMULATED(&command, "run", folder, __VA_ARGS__)
#define LOAD_SIMULATED(folder, ...)                                                                \
    SIMULATED(&command, "load", folder, "--warm-up", "10ms", __VA_ARGS__)

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

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
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
