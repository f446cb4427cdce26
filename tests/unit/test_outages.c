// SPDX-License-Identifier: Apache-2.0
/* What sessions find out about faults of the servers. */

#include "load/internal.h"

#include "tests/support/test.h"

#define MS NS_PER_MS

static const struct load_plan plan = {
    .fleet = {.sessions = 2, .processes = 2}, .seconds = 2, .fault_count = 2, .root = "/r"};
static struct load_shared *load;
static struct outages *outages;

FIXTURE(make)
{
    struct error error;
    assert_int_equal(load_shared_new(&plan, &load, &error), ERROR_NONE);
    outages = load->outages;
    return 0;
}

FIXTURE(clear)
{
    load_shared_free(load);
    return 0;
}

static void read_at(uint64_t ms)
{
    outages_record(outages, true, ms * MS, ms * MS);
}

static void write_at(uint64_t ms)
{
    outages_record(outages, false, ms * MS, ms * MS);
}

/* Of what was sent after the fault alone, and the earliest, in whatever order they are recorded. */
TEST_BETWEEN(the_first_operation_after_a_fault, make, clear)
{
    outages_record(outages, true, 90 * MS, 110 * MS); /* no fault yet */
    outages_begin(outages, 120 * MS, 130 * MS);
    outages_record(outages, true, 129 * MS, 140 * MS); /* sent before its end */
    assert_int_equal(outages_first_ns(outages, 0, OUTAGES_ALL), UINT64_MAX);
    outages_record(outages, true, 130 * MS, 170 * MS);
    outages_record(outages, true, 135 * MS, 150 * MS);
    outages_record(outages, true, 150 * MS, 160 * MS);
    outages_record(outages, false, 150 * MS, 190 * MS);
    assert_int_equal(outages_first_ns(outages, 0, OUTAGES_ALL), 30 * MS);
    assert_int_equal(outages_first_ns(outages, 0, OUTAGES_READS), 30 * MS);
    assert_int_equal(outages_first_ns(outages, 0, OUTAGES_WRITES), 70 * MS);

    outages_begin(outages, 200 * MS, 200 * MS);
    assert_int_equal(outages_first_ns(outages, 1, OUTAGES_ALL), UINT64_MAX);
    outages_record(outages, false, 201 * MS, 205 * MS);
    assert_int_equal(outages_first_ns(outages, 1, OUTAGES_ALL), 5 * MS);
    assert_int_equal(outages_first_ns(outages, 0, OUTAGES_WRITES), 70 * MS);
}

TEST_BETWEEN(the_longest_silence_is_that_of_all, make, clear)
{
    for (uint64_t ms = 0; ms < 2000; ms++) {
        if (ms < 500 || ms >= 700)
            read_at(ms);
        if (ms < 300)
            write_at(ms);
    }
    read_at(600);
    write_at(900);
    assert_int_equal(outages_silence_ns(outages, 0, 2000 * MS, OUTAGES_ALL), 100 * MS);
    assert_int_equal(outages_silence_ns(outages, 0, 2000 * MS, OUTAGES_READS), 100 * MS);
    assert_int_equal(outages_silence_ns(outages, 0, 2000 * MS, OUTAGES_WRITES), 1099 * MS);
    assert_int_equal(outages_silence_ns(outages, 0, 1000 * MS, OUTAGES_WRITES), 600 * MS);
    assert_int_equal(outages_silence_ns(outages, 550 * MS, 650 * MS, OUTAGES_ALL), 50 * MS);
    assert_int_equal(outages_silence_ns(outages, 700 * MS, 2000 * MS, OUTAGES_ALL), 0);
    assert_int_equal(outages_silence_ns(outages, 0, 9000 * MS, OUTAGES_ALL), 100 * MS);
}

TEST_BETWEEN(samples_are_of_a_tenth_of_a_second, make, clear)
{
    read_at(0);
    read_at(99);
    write_at(99);
    write_at(100);
    read_at(1999);
    read_at(2000); /* behind the measured time */
    assert_int_equal(outages_sample(outages, 0, OUTAGES_READS), 2);
    assert_int_equal(outages_sample(outages, 0, OUTAGES_WRITES), 1);
    assert_int_equal(outages_sample(outages, 0, OUTAGES_ALL), 3);
    assert_int_equal(outages_sample(outages, 1, OUTAGES_ALL), 1);
    assert_int_equal(outages_sample(outages, 19, OUTAGES_ALL), 1);
}
