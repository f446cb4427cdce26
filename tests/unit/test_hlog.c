// SPDX-License-Identifier: Apache-2.0
/*
 * The judge of the log is Java's own HistogramLogProcessor. What it does not look at, or is too
 * large for its sums, is read back here, by the description of the format.
 */
#include "measure/hlog.h"

#include "base/random.h"

#include "tests/support/hlog_file.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <unistd.h>

#define JAR "/usr/share/java/hdrhistogram.jar"

static char log_path[] = P_tmpdir "/test_hlog.XXXXXX";
static char table_path[sizeof log_path + 16];
static struct histogram first, second, both;
static struct error error;

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
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    memset(&both, 0, sizeof both);
    return descriptor < 0 ? -1 : close(descriptor);
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
    assert_int_equal(hlog_write_interval(stream, tag, start_s, 1.25, histogram, &error),
                     ERROR_NONE);
}

static FILE *open_log(void)
{
    FILE *stream = fopen(log_path, "w");
    assert_non_null(stream);
    assert_int_equal(hlog_write_header(stream, UINT64_C(1700000000123456789), "two\nlines", &error),
                     ERROR_NONE);
    return stream;
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

/* The ends of the range, and counts whose varints have one to seven bytes. */
TEST_BETWEEN(java_reads_the_extremes, make_log, remove_log)
{
    if (!java_is_there())
        skip();
    histogram_record(&first, 0);
    histogram_record(&first, HISTOGRAM_HIGHEST_NS);
    for (uint32_t bits = 0; bits < 48; bits++) {
        uint64_t more = (UINT64_C(1) << bits) - 1;
        histogram_record(&first, histogram_slot_last_ns(3000 + bits));
        first.counts[3000 + bits] += more;
        first.total += more;
    }
    FILE *stream = open_log();
    write_interval(stream, "a", 0, &first);
    fclose(stream);
    assert_java_counts("a", &first);
}

TEST_BETWEEN(overflow_is_told_in_a_comment, make_log, remove_log)
{
    histogram_record(&first, 5);
    histogram_record(&first, UINT64_C(61500000000));
    FILE *stream = open_log();
    write_interval(stream, "a", 0, &first);
    fclose(stream);
    char row[512];
    bool told = false;
    stream = fopen(log_path, "r");
    assert_non_null(stream);
    while (fgets(row, sizeof row, stream) != NULL)
        told |= row[0] == '#' && strstr(row, "a: 1, the largest 61.500000 s") != NULL;
    fclose(stream);
    assert_true(told);
    if (!java_is_there())
        skip();
    histogram_record(&second, 5);
    assert_java_counts("a", &second);
}

/* ------------------------------------------------------------------ the bytes themselves */

/* The encoded histogram of the log's last line, in full; returns its length. */
static size_t read_back(unsigned char *encoded, size_t size)
{
    char row[2048] = "";
    FILE *stream = fopen(log_path, "r");
    assert_non_null(stream);
    while (fgets(row, sizeof row, stream) != NULL)
        ;
    fclose(stream);
    return hlog_file_unpack(row, encoded, size);
}

/* Other readers than Java's multiply by the ratio, and one of zero makes nothing of all values. */
TEST_BETWEEN(the_header_says_what_the_counts_mean, make_log, remove_log)
{
    unsigned char encoded[256];
    histogram_record(&first, 7);
    FILE *stream = open_log();
    write_interval(stream, NULL, 0, &first);
    fclose(stream);
    size_t length = read_back(encoded, sizeof encoded);
    assert_int_equal(hlog_file_number(encoded, 4), 0x1c849313);
    assert_int_equal(hlog_file_number(encoded + 4, 4), length - HLOG_HEADER_BYTES);
    assert_int_equal(hlog_file_number(encoded + 8, 4), 0);
    assert_int_equal(hlog_file_number(encoded + 12, 4), HISTOGRAM_DIGITS);
    assert_int_equal(hlog_file_number(encoded + 16, 8), HISTOGRAM_LOWEST_NS);
    assert_int_equal(hlog_file_number(encoded + 24, 8), HISTOGRAM_HIGHEST_NS);
    const double one = 1;
    uint64_t one_as_bits;
    memcpy(&one_as_bits, &one, sizeof one);
    assert_true(hlog_file_number(encoded + 32, 8) == one_as_bits);
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
    FILE *stream = open_log();
    write_interval(stream, NULL, 0, &first);
    fclose(stream);
    static const unsigned char count[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(read_back(encoded, sizeof encoded), HLOG_HEADER_BYTES + sizeof count);
    assert_memory_equal(encoded + HLOG_HEADER_BYTES, count, sizeof count);
}

TEST_BETWEEN(a_failed_stream_is_a_error, make_log, remove_log)
{
    FILE *stream = fopen("/dev/full", "w");
    if (stream == NULL)
        skip();
    setvbuf(stream, NULL, _IONBF, 0);
    assert_int_equal(hlog_write_header(stream, 0, NULL, &error), ERROR_NO_SPACE);
    assert_int_equal(hlog_write_interval(stream, "a", 0, 1, &first, &error), ERROR_NO_SPACE);
    fclose(stream);
}
