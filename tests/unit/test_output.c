// SPDX-License-Identifier: Apache-2.0
#include "base/output.h"

#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = P_tmpdir "/test_output.XXXXXX";
static struct output output;
static struct error error;

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool exists(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

static const char *content_of(const char *name)
{
    static char content[8192];
    FILE *stream = fopen(path_of(name), "r");
    assert_non_null(stream);
    content[fread(content, 1, sizeof content - 1, stream)] = '\0';
    fclose(stream);
    return content;
}

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

FIXTURE(make_folder)
{
    signal(SIGXFSZ, SIG_IGN);
    return mkdtemp(folder) == NULL;
}

FIXTURE(remove_folder)
{
    return rmdir(folder); /* fails if a test left a file */
}

FIXTURE(clean)
{
    limit_file_size(RLIM_INFINITY);
    output_abandon(&output);
    unlink(path_of("a.csv"));
    return 0;
}

TEST_BETWEEN(appears_only_when_finished, NULL, clean)
{
    assert_int_equal(output_open(&output, folder, "a.csv", &error), ERROR_NONE);
    fprintf(output.stream, "x,y\n1,%d\n", 2);
    assert_int_equal(output_commit(&output, &error), ERROR_NONE);
    assert_true(exists("a.csv.part"));
    assert_false(exists("a.csv"));
    fputs("3,4\n", output.stream);
    assert_int_equal(output_finish(&output, &error), ERROR_NONE);
    assert_false(exists("a.csv.part"));
    assert_string_equal(content_of("a.csv"), "x,y\n1,2\n3,4\n");
    output_abandon(&output); /* closed already: must not remove anything */
    assert_true(exists("a.csv"));
}

TEST_BETWEEN(abandoned_leaves_nothing, NULL, clean)
{
    assert_int_equal(output_open(&output, folder, "a.csv", &error), ERROR_NONE);
    fputs("1\n", output.stream);
    output_abandon(&output);
    output_abandon(&output);
    assert_false(exists("a.csv"));
    assert_false(exists("a.csv.part"));
    struct output zeroed;
    memset(&zeroed, 0, sizeof zeroed);
    output_abandon(&zeroed);
    assert_int_not_equal(fcntl(STDIN_FILENO, F_GETFD), -1); /* zero is no descriptor of ours */
}

/* The file of a test that outgrows a limit of 4096 bytes: two good rows, then more than fits. */
static void outgrow(void)
{
    limit_file_size(4096);
    assert_int_equal(output_open(&output, folder, "a.csv", &error), ERROR_NONE);
    fputs("x,y\n1,2\n", output.stream);
    assert_int_equal(output_commit(&output, &error), ERROR_NONE);
    for (int i = 0; i < 100000; i++)
        fprintf(output.stream, "%d,%d\n", i, i);
    memset(&error, 0, sizeof error);
    assert_int_equal(output_commit(&output, &error), ERROR_NO_SPACE);
    assert_int_equal(error.os_error, EFBIG);
    assert_string_equal(error.subject, path_of("a.csv"));
}

TEST_BETWEEN(a_failed_write_keeps_what_was_committed, NULL, clean)
{
    outgrow();
    assert_int_equal(output_keep(&output, &error), ERROR_NONE);
    assert_string_equal(content_of("a.csv"), "x,y\n1,2\n");
    assert_false(exists("a.csv.part"));
}

TEST_BETWEEN(a_failed_write_stays_failed, NULL, clean)
{
    outgrow();
    limit_file_size(RLIM_INFINITY); /* there is room again, but the rows between are lost */
    clearerr(output.stream);
    fputs("5,6\n", output.stream);
    assert_int_equal(output_finish(&output, &error), ERROR_NO_SPACE);
    assert_false(exists("a.csv"));
    assert_int_equal(output_keep(&output, &error), ERROR_NONE);
    assert_string_equal(content_of("a.csv"), "x,y\n1,2\n");
}

TEST_BETWEEN(a_rename_that_fails_is_a_error, NULL, clean)
{
    assert_int_equal(mkdir(path_of("a.csv"), 0700), 0);
    assert_int_equal(output_open(&output, folder, "a.csv", &error), ERROR_NONE);
    fputs("1\n", output.stream);
    enum error_kind finished = output_finish(&output, &error);
    enum error_kind kept = output_keep(&output, &error);
    bool part_remains = exists("a.csv.part");
    rmdir(path_of("a.csv"));
    unlink(path_of("a.csv.part"));
    assert_int_equal(finished, ERROR_SYSTEM);
    assert_int_equal(kept, ERROR_SYSTEM);
    assert_int_equal(error.os_error, EISDIR);
    assert_non_null(strstr(error.detail, "a.csv.part"));
    assert_true(part_remains);
}

TEST_GROUP(make_folder, remove_folder)

static void write_number(FILE *stream, const void *context)
{
    fprintf(stream, "%d\n", *(const int *)context);
}

TEST_BETWEEN(a_file_is_written_as_a_whole, NULL, clean)
{
    const int number = 17;
    assert_int_equal(output_write(folder, "a.csv", write_number, &number, &error), ERROR_NONE);
    assert_string_equal(content_of("a.csv"), "17\n");
    assert_int_equal(output_write("/nowhere", "a.csv", write_number, &number, &error),
                     ERROR_SYSTEM);
}

/* However it ends: no file is made, /dev/null stays what it is, and a write that fails is found. */
TEST(what_goes_nowhere_makes_no_file)
{
    struct stat before, after;
    const int number = 17;
    assert_int_equal(stat("/dev/null", &before), 0);
    assert_int_equal(output_write(OUTPUT_NOWHERE, "a.csv", write_number, &number, &error),
                     ERROR_NONE);
    for (int end = 0; end < 3; end++) {
        assert_int_equal(output_open(&output, OUTPUT_NOWHERE, "a.csv", &error), ERROR_NONE);
        fputs("1\n", output.stream);
        assert_int_equal(output_commit(&output, &error), ERROR_NONE);
        assert_int_equal(output.committed_bytes, 2);
        if (end == 0)
            assert_int_equal(output_finish(&output, &error), ERROR_NONE);
        else if (end == 1)
            assert_int_equal(output_keep(&output, &error), ERROR_NONE);
        output_abandon(&output);
    }
    output_reserve(OUTPUT_NOWHERE, "a.csv", 10);
    output_unreserve(OUTPUT_NOWHERE, "a.csv");
    assert_int_not_equal(access("/a.csv", F_OK), 0);
    assert_int_not_equal(access("/a.csv.part", F_OK), 0);
    assert_int_equal(stat("/dev/null", &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_true(S_ISCHR(after.st_mode));
}
