// SPDX-License-Identifier: Apache-2.0
/*
 * Histograms, and the log of them. Its judge is Java's own HistogramLogProcessor; what that does
 * not look at, or is too large for its sums, is read back here, by the description of the format.
 */
#include "base/random.h"
#include "measure/hlog.h"

#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>
#include <zlib.h>

static struct histogram first, second, both;

FIXTURE(empty)
{
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    memset(&both, 0, sizeof both);
    return 0;
}

/* Every slot begins where the last one ended, and is at most a thousandth of its values wide. */
TEST_BETWEEN(slots_cover_the_range, empty, NULL)
{
    uint64_t first_ns = 0;
    for (uint32_t slot = 0; slot < HISTOGRAM_COUNTS; slot++) {
        uint64_t last_ns = histogram_slot_last_ns(slot);
        assert_int_equal(histogram_slot(first_ns), slot);
        assert_int_equal(histogram_slot(last_ns), slot);
        assert_true((last_ns - first_ns) * 1000 <= first_ns);
        first_ns = last_ns + 1;
    }
    assert_true(first_ns > HISTOGRAM_HIGHEST_NS);
    assert_true(histogram_slot(HISTOGRAM_HIGHEST_NS) < HISTOGRAM_COUNTS);
}

TEST_BETWEEN(overflow_counts_above_everything, empty, NULL)
{
    for (int i = 0; i < 90; i++)
        histogram_record(&first, 100);
    for (int i = 0; i < 10; i++)
        histogram_record(&first, HISTOGRAM_HIGHEST_NS + 5);
    assert_int_equal(histogram_count(&first), 90);
    assert_int_equal(histogram_recorded(&first), 100);
    assert_int_equal(histogram_percentile_ns(&first, 90), 100);
    assert_int_equal(histogram_percentile_ns(&first, 90.1), HISTOGRAM_HIGHEST_NS + 5);
    assert_int_equal(histogram_percentile_ns(&first, 100), HISTOGRAM_HIGHEST_NS + 5);
}

/* What is above all others, and no more is known of it. */
TEST_BETWEEN(what_is_only_known_to_be_slower_moves_the_percentiles, empty, NULL)
{
    for (uint64_t us = 1; us <= 90; us++)
        histogram_record(&first, us * 1000);
    assert_true(histogram_percentile_of_more_us(&first, 0, 50) < 46);
    double median = histogram_percentile_of_more_us(&first, 10, 50);
    assert_true(median >= 50 && median < 51);
    assert_true(isfinite(histogram_percentile_of_more_us(&first, 10, 90)));
    assert_true(isinf(histogram_percentile_of_more_us(&first, 10, 90.1)));
    assert_true(isinf(histogram_percentile_of_more_us(&first, 10, 100)));
    assert_true(isfinite(histogram_percentile_of_more_us(&first, 0, 100)));
    histogram_record(&first, HISTOGRAM_HIGHEST_NS + 5);
    assert_true(isfinite(histogram_percentile_of_more_us(&first, 9, 90)));
    assert_true(isinf(histogram_percentile_of_more_us(&first, 10, 90)));
    assert_true(isinf(histogram_percentile_of_more_us(&first, 9, 91)));
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/*
 * Against the definition: the smallest value that covers the share, found by sorting. Some of these
 * percentages times the count come out a hair above the rank, and must not skip to the next value.
 */
TEST_BETWEEN(percentiles_agree_with_sorting, empty, NULL)
{
    enum { COUNT = 999 };
    uint64_t values_ns[COUNT];
    struct random random;
    random_init(&random, 1);
    for (size_t i = 0; i < COUNT; i++) {
        values_ns[i] = random_next(&random) >> (30 + random_below(&random, 34));
        histogram_record(&first, values_ns[i]);
    }
    qsort(values_ns, COUNT, sizeof values_ns[0], compare);
    for (size_t rank = 1; rank <= COUNT; rank++) {
        uint64_t last_ns = histogram_slot_last_ns(histogram_slot(values_ns[rank - 1]));
        double percent = 100 * (double)rank / COUNT;
        assert_int_equal(histogram_percentile_ns(&first, percent), last_ns);
    }
}

/* The middle of a slot is at most 0.05 % from what is in it. */
TEST_BETWEEN(the_mean_is_that_of_the_values, empty, NULL)
{
    assert_true(isnan(histogram_mean_us(&first)));
    for (uint64_t ns = 1; ns <= 2000; ns++)
        histogram_record(&first, ns);
    assert_true(histogram_mean_us(&first) == 1.0005);
    memset(&first, 0, sizeof first);
    for (uint64_t ms = 1; ms <= 100; ms++)
        histogram_record(&first, ms * 1000000);
    assert_true(fabs(histogram_mean_us(&first) / 50500 - 1) < 0.0005);
    histogram_record(&first, HISTOGRAM_HIGHEST_NS + 1);
    assert_true(isinf(histogram_mean_us(&first)));
}

TEST_BETWEEN(adding_is_recording_both, empty, NULL)
{
    struct random random;
    random_init(&random, 2);
    for (int i = 0; i < 1000; i++) {
        uint64_t value_ns = random_next(&random) >> (20 + random_below(&random, 40));
        histogram_record(i % 3 == 0 ? &first : &second, value_ns);
        histogram_record(&both, value_ns);
    }
    histogram_record(&second, UINT64_MAX);
    histogram_record(&both, UINT64_MAX);
    assert_true(both.overflow > 0);
    histogram_add(&first, &second);
    assert_memory_equal(&first, &both, sizeof both);
}

#define WRITERS 4
#define RECORDS 20000

/* ------------------------------------------------------------------ the log */

#define JAR "/usr/share/java/hdrhistogram.jar"

static char log_path[] = P_tmpdir "/test_hlog.XXXXXX";
static char table_path[sizeof log_path + 16];

static bool java_is_there(void)
{
    if (access(JAR, R_OK) == 0 && system("java -version >/dev/null 2>&1") == 0)
        return true;
    print_message("skipped: needs java and " JAR " (libhdrhistogram-java)\n");
    return false;
}

FIXTURE(make_log)
{
    int descriptor = mkstemp(log_path);
    snprintf(table_path, sizeof table_path, "%s.table", log_path);
    return descriptor < 0 ? -1 : close(descriptor) + empty(state);
}

FIXTURE(remove_log)
{
    char path[sizeof table_path + 8];
    snprintf(path, sizeof path, "%s.hgrm", table_path);
    unlink(path);
    unlink(table_path);
    unlink(log_path);
    strcpy(log_path + strlen(log_path) - 6, "XXXXXX");
    return 0;
}

/* Durations over nine powers of ten, most of them short, and long runs of empty slots between. */
static void fill(struct histogram *histogram, uint64_t seed, size_t count)
{
    struct random random;
    random_init(&random, seed);
    for (size_t i = 0; i < count; i++) {
        uint64_t value_ns = random_next(&random) >> (29 + random_below(&random, 35));
        histogram_record(histogram, value_ns);
    }
}

static void write_interval(FILE *stream, const char *tag, double start_s,
                           const struct histogram *histogram)
{
    hlog_write_interval(stream, tag, start_s, 1.25, histogram);
}

static FILE *open_log(void)
{
    FILE *stream = fopen(log_path, "w");
    assert_non_null(stream);
    hlog_write_header(stream, UINT64_C(1700000000123456789), "two\nlines");
    return stream;
}

/* A log of the first histogram alone. */
static void write_one(const char *tag)
{
    FILE *stream = open_log();
    write_interval(stream, tag, 0, &first);
    fclose(stream);
}

/* Java's distribution of a tag: in each row a value, and how many were recorded up to it. */
static void assert_java_counts(const char *tag, const struct histogram *expected)
{
    char row[512];
    double value_ns;
    uint64_t up_to, seen = 0;
    uint32_t slot = 0;
    snprintf(row, sizeof row,
             "java -cp " JAR " org.HdrHistogram.HistogramLogProcessor -i %s %s%s -csv "
             "-outputValueUnitRatio 1 -o %s",
             log_path, tag != NULL ? "-tag " : "", tag != NULL ? tag : "", table_path);
    assert_int_equal(system(row), 0);
    snprintf(row, sizeof row, "%s.hgrm", table_path);
    FILE *table = fopen(row, "r");
    assert_non_null(table);
    while (fgets(row, sizeof row, table) != NULL) {
        if (sscanf(row, "%lf,%*f,%" SCNu64, &value_ns, &up_to) != 2)
            continue;
        while (slot < HISTOGRAM_COUNTS && histogram_slot_last_ns(slot) <= (uint64_t)value_ns)
            seen += expected->counts[slot++];
        assert_int_equal(up_to, seen);
    }
    fclose(table);
    assert_int_equal(seen, histogram_count(expected));
}

TEST_BETWEEN(java_reads_each_tag, make_log, remove_log)
{
    if (!java_is_there())
        skip();
    fill(&first, 1, 20000);
    fill(&second, 2, 777);
    FILE *stream = open_log();
    write_interval(stream, "queue.8.handoff", 0, &first);
    write_interval(stream, "herd.8.handoff", 0, &second);
    write_interval(stream, NULL, 0, &second);
    write_interval(stream, "queue.8.handoff", 1.25, &second);
    fclose(stream);
    histogram_add(&both, &first);
    histogram_add(&both, &second);
    assert_java_counts("queue.8.handoff", &both);
    assert_java_counts("herd.8.handoff", &second);
    assert_java_counts(NULL, &second);
}

/* ------------------------------------------------------------------ the bytes themselves */

#define HLOG_HEADER_BYTES 40 /* of an encoded histogram; behind it are the counts */
#define PACKED_HEADER     8

/* A number, its highest byte first. */
static uint64_t number_at(const unsigned char *bytes, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* The encoded histogram of the log's last line; returns its length. */
static size_t read_back(unsigned char *encoded, size_t size)
{
    unsigned char packed[2048];
    uLongf room = (uLongf)size;
    char line[128];
    snprintf(line, sizeof line, "tail -n 1 %s | sed 's/.*,//' | base64 -d", log_path);
    FILE *bytes = popen(line, "re");
    assert_non_null(bytes);
    size_t length = fread(packed, 1, sizeof packed, bytes);
    assert_int_equal(pclose(bytes), 0);
    assert_true(length > PACKED_HEADER);
    assert_int_equal(number_at(packed, 4), 0x1c849314);
    assert_int_equal(number_at(packed + 4, 4), length - PACKED_HEADER);
    assert_int_equal(
        uncompress(encoded, &room, packed + PACKED_HEADER, (uLong)(length - PACKED_HEADER)), Z_OK);
    return room;
}

/* Other readers than Java's multiply by the ratio, and one of zero makes nothing of all values. */
TEST_BETWEEN(the_header_says_what_the_counts_mean, make_log, remove_log)
{
    unsigned char encoded[256];
    histogram_record(&first, 7);
    write_one(NULL);
    size_t length = read_back(encoded, sizeof encoded);
    assert_int_equal(number_at(encoded, 4), 0x1c849313);
    assert_int_equal(number_at(encoded + 4, 4), length - HLOG_HEADER_BYTES);
    assert_int_equal(number_at(encoded + 8, 4), 0);
    assert_int_equal(number_at(encoded + 12, 4), HISTOGRAM_DIGITS);
    assert_int_equal(number_at(encoded + 16, 8), HISTOGRAM_LOWEST_NS);
    assert_int_equal(number_at(encoded + 24, 8), HISTOGRAM_HIGHEST_NS);
    const double one = 1;
    uint64_t one_as_bits;
    memcpy(&one_as_bits, &one, sizeof one);
    assert_true(number_at(encoded + 32, 8) == one_as_bits);
    static const unsigned char counts[] = {13, 2}; /* zigzag: 7 empty slots, then 1 */
    assert_int_equal(length, HLOG_HEADER_BYTES + sizeof counts);
    assert_memory_equal(encoded + HLOG_HEADER_BYTES, counts, sizeof counts);
}

/* Nine bytes hold any count: the ninth has all of its eight bits. */
TEST_BETWEEN(the_largest_count_takes_nine_bytes, make_log, remove_log)
{
    unsigned char encoded[256];
    histogram_record(&first, 0);
    first.counts[0] = first.total = INT64_MAX;
    write_one(NULL);
    static const unsigned char count[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(read_back(encoded, sizeof encoded), HLOG_HEADER_BYTES + sizeof count);
    assert_memory_equal(encoded + HLOG_HEADER_BYTES, count, sizeof count);
}

TEST(a_percentile_takes_values_enough)
{
    static const struct {
        double percent;
        uint64_t least; /* values */
    } cases[] = {{50, 1}, {95, 20}, {99, 100}, {99.9, 1000}, {100, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(histogram_has_percentile(cases[i].least, cases[i].percent));
        assert_false(histogram_has_percentile(cases[i].least - 1, cases[i].percent));
    }
}
