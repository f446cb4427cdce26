// SPDX-License-Identifier: Apache-2.0
/* The plots of a load: what they say, told against the files that they are drawn from. */
#include "tests/support/outcome.h"
#include "tests/support/picture.h"
#include "tests/support/test.h"

#include <math.h>
#include <sys/resource.h>

static struct command command;

/* Without a long warm-up. */
#define LOAD_SIMULATED(folder, ...)                                                                \
    SIMULATED(&command, "load", folder, "--warm-up", "10ms", "-t", "1", __VA_ARGS__)

static bool has_picture(const char *folder, const char *name)
{
    return access(in_work("%s/plots/%s.svg", folder, name), F_OK) == 0;
}

static void plot(const char *folder)
{
    picture_draw(&command, folder, "svg");
}

static void set_field(const char *path, size_t row, const char *column, const char *value)
{
    picture_set(path, NULL, NULL, row, column, value);
}

/* How many units of the picture a unit of the axis is, by two of its labels. */
static double scale_of(const char *picture, const char *label, double value)
{
    return (picture_find(picture, "0").y - picture_find(picture, label).y) / value;
}

/* Between the points of a curve there is what lies between the cells' figures. */
static void assert_points_hold(const char *picture, const char *mark, const struct csv_file *cells,
                               uint64_t sessions, double scale)
{
    struct picture_place points[16];
    size_t count = picture_marks(picture, mark, points, 16), next = 0, first = 0;
    for (size_t row = 0; row < cells->rows; row++) {
        if (csv_file_count(cells, row, "sessions") != sessions)
            continue;
        if (next == 0)
            first = row;
        double more = csv_file_real(cells, row, "achieved_per_s") -
                      csv_file_real(cells, first, "achieved_per_s");
        assert_true(next + 1 < count);
        assert_true(fabs(points[0].y - points[next].y - more * scale) < 0.6);
        next++;
    }
    assert_int_equal(next + 1, count);
}

/* ------------------------------------------------------------------ throughput against reads */

COMMAND_TEST(reads_hold_the_cells)
{
    LOAD_SIMULATED("out", "--reads", "0..100+50", "-n", "5,10", "--duration", "1s");
    struct csv_file cells = csv_file_read(in_work("out/cells.csv"));
    const char *picture = picture_read("out", "load_reads");
    assert_int_equal(cells.rows, 6);
    ASSERT_SHOWS(picture, "5 sessions", "10 sessions", "reads, % of the operations",
                 "answered operations a second");
    picture_assert_lacks(picture, "driver");
    picture_assert_lacks(picture, "CI");
    double scale = scale_of(picture, "20,000", 20000);
    assert_points_hold(picture, "#gpPt6'", &cells, 5, scale);
    assert_points_hold(picture, "#gpPt4'", &cells, 10, scale);
    assert_false(has_picture("out", "load_rate"));
    assert_false(has_picture("out", "load_timeline")); /* of a single second */
    csv_file_deinit(&cells);
}

/* Open points, and the legend says what that is. */
COMMAND_TEST(a_driver_that_was_the_limit_is_told)
{
    LOAD_SIMULATED("out", "--reads", "0,100", "-n", "5", "--duration", "1s");
    set_field(in_work("out/cells.csv"), 1, "driver_bound", "1");
    plot("out");
    const char *picture = picture_read("out", "load_reads");
    ASSERT_SHOWS(picture, "open: the driver was the limit");
    assert_int_equal(picture_marks(picture, "#gpPt5'", NULL, 0), 1 + 1);
}

/* Two releases on as many servers are two curves, each with its name. */
COMMAND_TEST(releases_have_curves_of_their_own)
{
    LOAD_SIMULATED("out", "--reads", "0,100", "-n", "5,10", "--duration", "1s");
    for (size_t row = 0; row < 4; row++) {
        set_field(in_work("out/cells.csv"), row, "sessions", "5");
        set_field(in_work("out/cells.csv"), row, "target",
                  row % 2 == 0 ? "standalone-3.8.0" : "standalone-3.9.3");
        set_field(in_work("out/cells.csv"), row, "reads_percent", row < 2 ? "0" : "100");
    }
    plot("out");
    const char *picture = picture_read("out", "load_reads");
    ASSERT_SHOWS(picture, "1 server of 3.8.0", "1 server of 3.9.3");
    assert_int_equal(picture_marks(picture, "#gpPt6'", NULL, 0), 2 + 1);
    assert_int_equal(picture_marks(picture, "#gpPt4'", NULL, 0), 2 + 1);
}

/* A load on several topologies has all of them in one picture, which can be drawn again. */
COMMAND_TEST(topologies_stand_together)
{
    LOAD_SIMULATED("out", "--reads", "0,100", "-n", "6", "--duration", "1s", "--servers", "1,3");
    struct csv_file cells = csv_file_read(in_work("out/cells.csv"));
    assert_int_equal(cells.rows, 4);
    for (size_t row = 0; row < cells.rows; row++)
        assert_int_equal(csv_file_count(&cells, row, "servers"), row < 2 ? 1 : 3);
    csv_file_deinit(&cells);
    const char *before = picture_read("out", "load_reads");
    ASSERT_SHOWS(before, "1 server", "3 servers");
    assert_int_equal(folder_remove(in_work("out/plots")), 0);
    plot("out");
    const char *after = picture_read("out", "load_reads");
    assert_string_equal(before, after);
    assert_true(has_picture("out/simulated1", "load_reads"));
    assert_true(has_picture("out/simulated3", "load_reads"));
}

/* ------------------------------------------------------------------ latency against the rate */

/* There is a line only if there is a rate with which the answers do not keep pace. */
COMMAND_TEST(the_rate_that_is_too_high_is_marked)
{
    static const char words[] = "from here, less than 95 % answered";
    LOAD_SIMULATED("out", "--rate", "1000,2000,20000", "-n", "5", "--duration", "1s");
    const char *picture = picture_read("out", "load_rate");
    ASSERT_SHOWS(picture, words, "offered rate, operations a second", "response p50: from due",
                 "response p99: from due", "service p50: from sent", "service p99: from sent");
    /* The medians, of response and of service: of three rates each, and the legend's. */
    assert_int_equal(picture_marks(picture, "#gpPt6'", NULL, 0), 2 * (3 + 1));
    assert_false(has_picture("out", "load_reads"));
    LOAD_SIMULATED("slow", "--rate", "1000,2000", "-n", "5", "--duration", "1s");
    picture = picture_read("slow", "load_rate");
    assert_int_equal(picture_count(picture, words), 0);
}

/* A percentile among what was never sent is drawn as what it is at least. */
COMMAND_TEST(a_time_that_is_only_known_from_below_has_an_arrow)
{
    static const char words[] = "arrow: at least; some were never sent, or took a minute";
    LOAD_SIMULATED("out", "--rate", "1000,20000", "-n", "5", "--duration", "1s");
    const char *picture = picture_read("out", "load_rate");
    ASSERT_SHOWS(picture, words);
    /* The 99th percentiles, of response and of service: of two rates each, and the legend's three.
     */
    assert_int_equal(picture_marks(picture, "#gpPt8'", NULL, 0), 2 * (2 + 1) + 1);
    LOAD_SIMULATED("slow", "--rate", "1000,2000", "-n", "5", "--duration", "1s");
    assert_int_equal(picture_count(picture_read("slow", "load_rate"), words), 0);
}

/* A percentile above a minute is not known, and has no point. */
COMMAND_TEST(the_rate_of_an_unknown_percentile_is_drawn)
{
    LOAD_SIMULATED("out", "--rate", "1000,2000", "-n", "5", "--duration", "1s");
    set_field(in_work("out/cells.csv"), 1, "response_p99_us", "");
    plot("out");
    const char *picture = picture_read("out", "load_rate");
    assert_int_equal(picture_marks(picture, "#gpPt6'", NULL, 0), 2 * (2 + 1));
    assert_int_equal(picture_marks(picture, "#gpPt8'", NULL, 0), 1 + 2 + 2);
}

/* ------------------------------------------------------------------ notifications */

static void assert_times_hold(const char *picture, const char *mark, const struct csv_file *cells,
                              const char *column)
{
    /* Two labels of the axis tell how high a decade is. */
    double decade = picture_find(picture, "100 µs").y - picture_find(picture, "1 ms").y;
    struct picture_place points[8];
    assert_int_equal(picture_marks(picture, mark, points, 8), cells->rows + 1);
    for (size_t row = 1; row < cells->rows; row++) {
        double more = log10(csv_file_real(cells, row, column) / csv_file_real(cells, 0, column));
        assert_true(fabs(points[0].y - points[row].y - more * decade) < 0.6);
    }
}

/* Points of a kind each: of three cells, and the legend's. */
COMMAND_TEST(fan_outs_hold_the_cells)
{
    LOAD_SIMULATED("out", "-n", "5,20,80", "--znodes", "1", "--watch", "100", "--rate", "2000",
                   "-m", "get=95,set=5", "--duration", "1s");
    struct csv_file cells = csv_file_read(in_work("out/cells.csv"));
    const char *picture = picture_read("out", "load_fan_out");
    assert_int_equal(cells.rows, 3);
    ASSERT_SHOWS(picture, "sessions", "time from the write", "medians");
    picture_assert_lacks(picture, "CI");
    picture_assert_lacks(picture, "driver");
    assert_times_hold(picture, "#gpPt8'", &cells, "first_notification_p50_us");
    assert_times_hold(picture, "#gpPt6'", &cells, "notification_p50_us");
    assert_times_hold(picture, "#gpPt4'", &cells, "last_notification_p50_us");
    assert_times_hold(picture, "#gpPt12'", &cells, "set_service_p50_us");
    csv_file_deinit(&cells);
    assert_false(has_picture("out", "load_reads"));
}

/* ------------------------------------------------------------------ seconds */

COMMAND_TEST(seconds_hold_the_timeline)
{
    LOAD_SIMULATED("out", "-n", "5", "--duration", "4s", "-t", "2");
    const char *picture = picture_read("out", "load_timeline");
    ASSERT_SHOWS(picture, "second of the measured time", "Every second: 5 sessions, closed loop");
    picture_assert_lacks(picture, "errors");
    picture_assert_lacks(picture, "snapshot");
    /* Three panels of four seconds of each trial, and the legend's. */
    assert_int_equal(picture_marks(picture, "#gpPt6'", NULL, 0), 3 * 4 + 1);
    assert_int_equal(picture_marks(picture, "#gpPt4'", NULL, 0), 3 * 4 + 1);
    set_field(in_work("out/timeline.csv"), 2, "errors", "7");
    plot("out");
    picture = picture_read("out", "load_timeline");
    ASSERT_SHOWS(picture, "a second with errors");
    assert_int_equal(picture_marks(picture, "#gpPt1'", NULL, 0), 1 + 1);
}

/* What happens in one second stands at one line; a snapshot is a point on the axis. */
COMMAND_TEST(marks_are_drawn)
{
    LOAD_SIMULATED("out", "-n", "5", "--duration", "4s");
    char *path = strdup(in_work("out/timeline.csv"));
    assert_non_null(path);
    set_field(path, 1, "marks", "server 3 killed;server 3 lost;no server leads");
    set_field(path, 2, "marks", "server 2 leads;server 2 snapshot");
    set_field(path, 3, "marks", "server 3 restarted;server 3 back;something else");
    free(path);
    plot("out");
    const char *picture = picture_read("out", "load_timeline");
    ASSERT_SHOWS(picture, "kill 3, lost 3, no leader", "leader 2", "restart 3, back 3",
                 "a snapshot");
    picture_assert_lacks(picture, "else");
    assert_int_equal(picture_marks(picture, "#gpPt8'", NULL, 0), 1 + 1);
}

/* Lines of the file become shorter and longer: what one had at its end is not read in the next. */
COMMAND_TEST(a_mark_is_of_its_second_alone)
{
    LOAD_SIMULATED("out", "-n", "5", "--duration", "8s");
    char *path = strdup(in_work("out/timeline.csv"));
    assert_non_null(path);
    set_field(path, 1, "marks", "server 3 killed");
    set_field(path, 5, "marks", "server 3 restarted");
    for (size_t row = 2; row < 8; row++)
        set_field(path, row, "server_writes", row % 2 ? "" : "1");
    free(path);
    plot("out");
    const char *picture = picture_read("out", "load_timeline");
    ASSERT_SHOWS(picture, "kill 3", "restart 3");
}

/* Each is drawn, and named in the title of its load; of many their number is told. */
COMMAND_TEST(trials_that_are_not_valid_are_named)
{
    LOAD_SIMULATED("out", "-n", "5", "--duration", "2s", "-t", "4");
    char *path = strdup(in_work("out/load.csv"));
    assert_non_null(path);
    set_field(path, 3, "valid", "no");
    plot("out");
    const char *picture = picture_read("out", "load_timeline");
    ASSERT_SHOWS(picture, "Every second: 5 sessions, closed loop; trial 4 not valid");
    set_field(path, 1, "valid", "no");
    plot("out");
    picture = picture_read("out", "load_timeline");
    ASSERT_SHOWS(picture, "Every second: 5 sessions, closed loop; trials 2, 4 not valid");
    set_field(path, 0, "valid", "no");
    set_field(path, 2, "valid", "no");
    plot("out");
    picture = picture_read("out", "load_timeline");
    ASSERT_SHOWS(picture, "Every second: 5 sessions, closed loop; 4 trials not valid");
    free(path);
}

/* ------------------------------------------------------------------ what is not drawn */

/* The numbers have room, and so has one picture, but not the larger one. */
static void limit_files_to_40_kib(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){40 * 1024, 40 * 1024});
}

/* gnuplot does not say that it could not write. */
COMMAND_TEST(a_picture_that_has_no_room_is_not_left)
{
    command.prepare = limit_files_to_40_kib;
    command_run(&command, COMMAND("load", "-d", "simulated", "--reads", "0,100", "-n", "4", "-t",
                                  "1", "--duration", "1s", "--warm-up", "0", "-o", "out"));
    command.prepare = NULL;
    assert_status(&command, 0);
    assert_has(command.err, "the plots are skipped: out/plots/load_reads.png could not be written "
                            "to its end: the disk may be full\n");
    assert_true(has_picture("out", "load_reads"));
    assert_int_not_equal(access(in_work("out/plots/load_reads.png"), F_OK), 0);
    char *manifest = read_text(in_work("out/manifest.json"));
    assert_has(manifest, "load_reads.png could not be written");
    free(manifest);
}
