// SPDX-License-Identifier: Apache-2.0
/* The plots: what they say, told against the files that they are drawn from. */
#include "tests/support/outcome.h"
#include "tests/support/picture.h"
#include "tests/support/test.h"

#include "recipes/registry.h"

#include <math.h>

static struct command command;

#define RUN_SIMULATED(folder, ...) SIMULATED(&command, "run", folder, __VA_ARGS__)

static void plot(const char *folder, const char *formats)
{
    picture_draw(&command, folder, formats);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
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
    plot("out", "svg");
    const char *after = picture_read("out", "messages");
    assert_string_not_equal(before, after);
    RUN_SIMULATED("free", "-r", "nonscalable,scalable", "-n", "8..64x2", "-t", "1", "-p", "free");
    const char *without = picture_read("free", "messages");
    picture_assert_lacks(without, "law");
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

/* One wants to read 4 ms and 50 ms, how many handoffs a point is of, and what p99 is. */
static void assert_latencies_can_be_read(const char *text)
{
    RUN_SIMULATED("out", "-r", "scalable", "-n", "8..64x2", "-t", "1");
    write_file(in_work("out/waiters.csv"), text);
    plot("out", "svg");
    const char *picture = picture_read("out", "handoff_latency");
    ASSERT_SHOWS(picture, "4 ms", "50 ms", "p99: 1 in 100 is slower", "median (p50), 95 % CI",
                 "p50 of 1–99 handoffs", "p50 of 100–999", "p50 of 1,000 or more");
    /* Three sizes of the recipe's mark: the legend's, and a point of each. */
    char sizes[3][64] = {"", "", ""};
    size_t count = 0;
    for (const char *at = picture; (at = strstr(at, "#gpPt4'")) != NULL; at++) {
        const char *scale = strstr(at, "scale(");
        char found[64];
        snprintf(found, sizeof found, "%.*s", (int)strcspn(scale, ")"), scale);
        size_t i = 0;
        while (i < count && strcmp(sizes[i], found) != 0)
            i++;
        if (i == count && count < 3)
            snprintf(sizes[count++], sizeof sizes[0], "%s", found);
    }
    assert_int_equal(count, 3);
}

#define WAITERS_COLUMNS                                                                            \
    "run,recipe,waiters_low,waiters_high,waiters_mean,handoffs,creates_mean,notifications_mean,"   \
    "rpcs_mean,handoff_p50_us,handoff_p50_low_us,handoff_p50_high_us,handoff_p99_us,"              \
    "law_creates_mean,law_notifications_mean"

/* A point is as large as the number of handoffs that have its times. */
COMMAND_TEST(latencies_can_be_read)
{
    assert_latencies_can_be_read(
        WAITERS_COLUMNS ",timed\n"
                        "out,scalable,1,1,1.00,2000,0,1,2,1500.0,1400.0,1600.0,,0,1,99\n"
                        "out,scalable,2,3,2.50,2000,0,1,2,4000.0,3800.0,4200.0,50000.0,0,1,100\n"
                        "out,scalable,4,7,5.50,2000,0,1,2,8000.0,7000.0,9000.0,80000.0,0,1,1000\n"
                        "out,scalable,8,15,8.00,2000,0,1,2,,,,,0,1,0\n");
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
        plot("out", "svg");
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

/* Each of many recipes has its place in the legend, with its law; what ran in memory is not said to
 * be measured. */
COMMAND_TEST(many_recipes_fit_into_the_legend)
{
    const struct recipe *recipe;
    char names[1024] = "", words[80];
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        if (recipe_has_law(recipe) && !recipe->broken)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                     names[0] == '\0' ? "" : ",", recipe->name);
    }
    RUN_SIMULATED("out", "-r", names, "-n", "4,8,16", "-t", "1");
    static const char *const pictures[] = {"rpcs", "bytes", "drain_time"};
    for (size_t k = 0; k < sizeof pictures / sizeof pictures[0]; k++) {
        const char *picture = picture_read("out", pictures[k]);
        for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
            if (!recipe_has_law(recipe) || recipe->broken)
                continue;
            snprintf(words, sizeof words, "%s: ", recipe->name);
            struct picture_text text = picture_find(picture, words);
            /* Of 800 units, with letters of 7. */
            assert_true(text.x > 0 && text.x + 7 * (double)strlen(text.words) < 800);
        }
    }
    RUN_SIMULATED("one", "-r", "scalable", "-n", "4,8", "-t", "1");
    const char *picture = picture_read("one", "rpcs");
    picture_find(picture, "scalable, counted");
}

/* Of levels that have no room for all labels, every other one has one, the last among them, and
 * that stays within its panel. */
COMMAND_TEST(labels_of_levels)
{
    static const char levels[] = "10,17,25,35,50,70,100,170,250,350,500,700,1000";
    RUN_SIMULATED("a", "-r", "ticket", "-n", levels, "-t", "1");
    RUN_SIMULATED("b", "-r", "ticket", "-n", levels, "-t", "1");
    command_run(&command, COMMAND("compare", "a", "b", "-q", "-o", "out"));
    assert_status(&command, 0);
    const char *picture = picture_read("out", "compare");
    assert_int_equal(picture_count(picture, "10"), 2);
    assert_int_equal(picture_count(picture, "50"), 2);
    assert_int_equal(picture_count(picture, "250"), 2);
    assert_int_equal(picture_count(picture, "1,000"), 2);
    assert_int_equal(picture_count(picture, "35"), 0);
    assert_int_equal(picture_count(picture, "700"), 0);
    /* Of 800 units the left panel ends at 50.5 %; half of five letters of 8 units each. */
    assert_true(picture_find(picture, "1,000").x + 20 < 0.505 * 800);
}

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
    plot("compared/", "svg");
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
    plot("compared", "svg");
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
    assert_formats("a", "messages");
    assert_formats("a", "bytes");
    assert_formats("a", "handoff_latency");
    assert_formats("a", "drain_time");
    RUN_SIMULATED("b", "-r", "scalable", "-n", "8,16", "-t", "1", "--plots", "eps");
    assert_int_equal(count_entries(in_work("b/plots")), 5);
    command_run(&command,
                COMMAND("compare", "a", "b", "-q", "-o", "out", "--plots", "eps,pdf,png,svg"));
    assert_status(&command, 0);
    assert_int_equal(count_entries(in_work("out/plots")), 4);
    assert_formats("out", "compare");
}

/* An older picture of other data would tell of data that are no longer there. */
COMMAND_TEST(a_picture_without_data_any_more_is_removed)
{
    RUN_SIMULATED("out", "-r", "nonscalable,scalable", "-n", "4", "-t", "1", "--trace", "1");
    const char *picture = in_work("out/plots/anatomy.svg");
    assert_int_equal(access(picture, F_OK), 0);
    assert_int_equal(rename(in_work("out/trace.csv"), in_work("out/kept.csv")), 0);
    plot("out", "svg");
    assert_int_equal(access(picture, F_OK), 0);
    write_file(in_work("out/trace.csv"),
               "run,recipe,clients,trial,lock,handoff,waiters,time_us,session,event,operation,"
               "status,latency_us,wakes\n"
               "out,scalable,4,1,0,4,0,0.000,3,release,,,,\n");
    plot("out", "png");
    assert_int_equal(access(picture, F_OK), 0);
    plot("out", "svg");
    assert_int_equal(access(picture, F_OK), -1);
    assert_int_equal(rename(in_work("out/kept.csv"), in_work("out/trace.csv")), 0);
    plot("out", "svg");
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

COMMAND_TEST(what_cannot_be_drawn_is_told)
{
    RUN_SIMULATED("both", "-r", "scalable", "-n", "8", "-t", "1", "--servers", "1,3");
    command_run(&command, COMMAND("plot", "both/"));
    assert_refused(&command, 2,
                   "both: nothing to draw but in its folders: name both/simulated1, "
                   "both/simulated3");
    assert_int_equal(mkdir(in_work("empty"), 0755), 0);
    write_file(in_work("empty/compare.csv"), compared_columns);
    command_run(&command, COMMAND("plot", "empty", "--json"));
    assert_status(&command, 3);
    assert_has(command.err, "zkherd: empty: the plots cannot be drawn: there is nothing to draw");
    assert_string_equal(command.out, "");
    assert_int_not_equal(access(in_work("empty/plots"), F_OK), 0);
}

/* ------------------------------------------------------------------ whoever draws */

static void assert_same_bytes(const char *path, const char *other)
{
    FILE *a = fopen(path, "re"), *b = fopen(other, "re");
    int byte = 0;
    assert_true(a != NULL && b != NULL);
    for (size_t i = 0; byte != EOF; i++) {
        byte = getc(a);
        if (getc(b) != byte)
            fail_msg("%s and %s differ at byte %zu", path, other, i);
    }
    fclose(a);
    fclose(b);
}

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
    RUN_SIMULATED("out", "-r", "scalable", "-n", "8..64x2", "-t", "1", "--plots", "svg,png");
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
    plot("out", "svg,png");
    command.settings = NULL;
    const char *after = picture_read("out", "rpcs");
    assert_string_equal(before, after);
    assert_same_bytes(in_work("before/rpcs.png"), in_work("out/plots/rpcs.png"));
}
