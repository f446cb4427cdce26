// SPDX-License-Identifier: Apache-2.0
/* The table of a load: which columns it has, and that it fits in 80 columns. */

#include "bench/load/load.h"
#include "bench/output/load_rows.h"
#include "tests/support/screen.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

#include <math.h>

static struct load_options options;
static struct table rows;
static char text[4096];

FIXTURE(set_up)
{
    options = (struct load_options){.mix = {.percent = {[LOAD_GET] = 80, [LOAD_SET] = 20}}};
    rows = (struct table){.type = &load_row_table};
    return 0;
}

FIXTURE(tear_down)
{
    table_deinit(&rows);
    return 0;
}

/* Valid trials of one cell, all with the same figures; the last of them. */
static struct table_value *add(unsigned trials, uint64_t rate_per_s, double per_s)
{
    static const size_t p99s[] = {load_row_response_p99_us, load_row_service_p99_us,
                                  load_row_last_notification_p99_us};
    struct table_value *row = NULL;
    for (unsigned trial = 1; trial <= trials; trial++) {
        row = table_add(&rows);
        row[load_row_mix] = table_text("a mix");
        row[load_row_reads_percent] = table_count(mix_reads(&options.mix));
        row[load_row_sessions] = table_count(100000);
        row[load_row_rate_per_s] = table_count_if(rate_per_s > 0, rate_per_s);
        row[load_row_achieved_per_s] = table_real(per_s);
        row[load_row_response_p50_us] = table_real(1500);
        for (size_t i = 0; i < 3; i++)
            row[p99s[i]] = table_real(59999e3);
        row[load_row_errors] = table_count(0);
        row[load_row_complete] = row[load_row_valid] = table_flag(true);
    }
    return row;
}

static const char *write_for(unsigned columns)
{
    FILE *stream = fmemopen(text, sizeof text, "w");
    assert_non_null(stream);
    struct table cells = {0};
    load_cells_add(&rows, &cells);
    load_table_write(&cells, &options, columns, stream);
    table_deinit(&cells);
    fclose(stream);
    return text;
}

/* From five trials on there is an interval; without one there is no column for it. */
TEST_BETWEEN(an_interval_that_is_known_is_shown, set_up, tear_down)
{
    add(5, 0, 12345);
    assert_has(write_for(80), "  interval ");
    assert_has(text, "  12,345 to 12,345  ");
    assert_true(screen_widest(text) <= 80);
}

TEST_BETWEEN(without_room_errors_go_first, set_up, tear_down)
{
    add(5, 0, 123456);
    size_t width = screen_widest(write_for(200));
    assert_has(text, "errors");
    assert_has(text, "interval");
    write_for((unsigned)width - 1);
    assert_has(text, "\nno room for errors: see cells.csv\n");
    assert_has(text, "interval");
}

TEST_BETWEEN(figures_of_trials_that_are_not_valid_are_marked, set_up, tear_down)
{
    add(1, 0, 12345)[load_row_valid].flag = false;
    assert_has(write_for(80), " ~12,345 ");
    assert_has(text, " ~1.50 ");
    add(1, 0, 12345);
    assert_null(strstr(write_for(80), "~"));
}

TEST_BETWEEN(a_verdict_has_a_word, set_up, tear_down)
{
    struct table_value *row = add(1, 0, 12345);
    row[load_row_valid].flag = false;
    assert_has(write_for(80), "  not valid\n");
    row[load_row_driver_bound] = table_flag(true);
    assert_has(write_for(80), "  driver\n");
    row[load_row_miscounted] = table_flag(true);
    assert_has(write_for(80), "  FAILS\n");
}

/* All kinds, all columns, and the largest numbers. */
TEST_BETWEEN(the_widest_table_fits, set_up, tear_down)
{
    uint64_t rate = 10000000, shares[] = {0, 100};
    options.rates = (struct levels){.list = &rate, .count = 1};
    options.watch_percent = 100;
    for (int kind = 0; kind < MIX_KINDS; kind++)
        options.mix.percent[kind] = kind < 8 ? 11 : 12;
    add(5, rate, 999999.4)[load_row_errors] = table_count(9999999);
    assert_true(screen_widest(write_for(80)) <= 80);
    assert_has(text, "mix get=11,exists=11,");
    assert_has(text, "trylock=11,\n    create-delete=12\n\n");
    assert_has(text, "all notified");
    options.reads = (struct levels){.list = shares, .count = 2};
    assert_true(screen_widest(write_for(80)) <= 80);
}
