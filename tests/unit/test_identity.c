// SPDX-License-Identifier: Apache-2.0
/* Credentials of a file or of the environment: which are taken, and what is left of them. */
#include "client/identity.h"

#include "tests/support/csv_file.h"
#include "tests/support/test.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIABLE "TEST_IDENTITY"

static char path[] = "/tmp/zkherd-identity-XXXXXX";

FIXTURE(make_file)
{
    strcpy(strrchr(path, '-'), "-XXXXXX");
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

FIXTURE(remove_file)
{
    return unlink(path);
}

static enum error_kind read_file(const char *text, size_t length, mode_t mode,
                                 struct identity *identity, struct error *error)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
    *identity = (struct identity){.creator = true};
    return identity_read(path, identity, error);
}

#define FILE_TEST(name) TEST_BETWEEN(name, make_file, remove_file)

FILE_TEST(test_a_file_of_one_line_is_taken)
{
    static const char *const texts[] = {"ann:secret", "ann:secret\n", "ann:a:b\n", "ann:\n"};
    struct identity identity;
    struct error error;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(read_file(texts[i], strlen(texts[i]), 0600, &identity, &error),
                         ERROR_NONE);
        assert_int_equal(strncmp(identity.credentials, texts[i], strlen(identity.credentials)), 0);
        assert_int_equal(strlen(identity.credentials), strcspn(texts[i], "\n"));
        assert_true(identity_is_known(&identity));
        assert_true(identity.creator);
    }
    assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
}

/* No word of the file is told. */
static void assert_file_refused(const char *text, size_t length, mode_t mode, const char *why)
{
    struct identity identity;
    struct error error;
    assert_int_equal(read_file(text, length, mode, &identity, &error), ERROR_NOT_CREDENTIALS);
    assert_string_equal(error.subject, path);
    assert_string_equal(error.detail, why);
    assert_false(identity_is_known(&identity));
}

FILE_TEST(test_any_other_file_is_refused)
{
    char *longest = NULL;
    assert_int_equal(asprintf(&longest, "ann:%0251d", 0), 255);
    struct identity identity;
    struct error error;
    assert_int_equal(read_file(longest, 255, 0600, &identity, &error), ERROR_NONE);
    assert_file_refused("", 0, 0600, "it is empty");
    assert_file_refused("\n", 1, 0600, "it is empty");
    assert_file_refused("secret", 6, 0600, "there is no colon behind a name");
    assert_file_refused(":secret", 7, 0600, "there is no colon behind a name");
    assert_file_refused("ann:secret\nbob:secret\n", 22, 0600, "it has more than one line");
    assert_file_refused("ann:secret\r\n", 12, 0600, "it has more than one line");
    assert_file_refused("ann:\0secret", 11, 0600, "it has more than one line");
    free(longest);
    assert_int_equal(asprintf(&longest, "ann:%0252d", 0), 256);
    assert_file_refused(longest, 256, 0600, "it has more than 255 characters");
    free(longest);
}

FILE_TEST(test_a_file_that_others_may_read_or_write_is_refused)
{
    static const mode_t modes[] = {0640, 0604, 0620, 0602, 0666};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        assert_file_refused("ann:secret\n", 11, modes[i], "it is not this user's alone");
}

TEST(test_a_file_that_cannot_be_read_is_told)
{
    struct identity identity = {.creator = false};
    struct error error;
    assert_int_equal(identity_read("/nowhere", &identity, &error), ERROR_NOT_CREDENTIALS);
    assert_int_equal(error.os_error, ENOENT);
    assert_string_equal(error.subject, "/nowhere");
    assert_int_equal(identity_read("/", &identity, &error), ERROR_NOT_CREDENTIALS);
    assert_false(identity_is_known(&identity));
    assert_false(identity_is_known(NULL));
}

/* ------------------------------------------------------------------ the environment */

TEST(test_a_variable_is_taken_and_wiped)
{
    struct identity identity = {.creator = false};
    struct error error;
    assert_int_equal(identity_take(VARIABLE, &identity, &error), ERROR_NONE);
    assert_false(identity_is_known(&identity));
    assert_int_equal(setenv(VARIABLE, "ann:secret", 1), 0);
    const char *value = getenv(VARIABLE);
    assert_int_equal(identity_take(VARIABLE, &identity, &error), ERROR_NONE);
    assert_string_equal(identity.credentials, "ann:secret");
    assert_null(getenv(VARIABLE));
    assert_string_equal(value, "");
    assert_string_equal(value + strlen("ann:"), "");
}

TEST(test_a_variable_that_is_refused_is_wiped_as_well)
{
    struct identity identity = {.creator = false};
    struct error error;
    assert_int_equal(setenv(VARIABLE, "secret", 1), 0);
    const char *value = getenv(VARIABLE);
    assert_int_equal(identity_take(VARIABLE, &identity, &error), ERROR_NOT_CREDENTIALS);
    assert_string_equal(error.subject, VARIABLE);
    assert_null(strstr(error.detail, "secret"));
    assert_null(getenv(VARIABLE));
    assert_string_equal(value, "");
    assert_string_equal(identity.credentials, "");
}
