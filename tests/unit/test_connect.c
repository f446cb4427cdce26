// SPDX-License-Identifier: Apache-2.0
/* Connect strings and paths, and credentials of a file or of the environment: which are taken, and
 * what is left of them. */
#include "client/connect.h"
#include "client/identity.h"

#include "tests/support/csv_file.h"
#include "tests/support/test.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct connect_string parse(const char *text)
{
    struct connect_string connect;
    struct error error = {.detail = ""};
    if (connect_parse(text, &connect, &error) != ERROR_NONE)
        fail_msg("'%s' was refused: %s", text, error.detail);
    return connect;
}

/* Refused as wrong usage, with these words, and without a trace in the output. */
static void assert_refused(const char *text, const char *words)
{
    struct connect_string connect, before;
    memset(&connect, 0x5a, sizeof connect);
    before = connect;
    struct error error = {.detail = ""};
    if (connect_parse(text, &connect, &error) != ERROR_USAGE)
        fail_msg("'%s' was not refused", text);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_int_equal(strncmp(error.subject, text, sizeof error.subject - 1), 0);
    if (strstr(error.detail, words) == NULL)
        fail_msg("'%s' was refused with '%s', not '%s'", text, error.detail, words);
    assert_memory_equal(&connect, &before, sizeof connect);
}

static void assert_endpoint(const struct connect_string *connect, size_t index, const char *host,
                            unsigned port)
{
    assert_true(index < connect->count);
    assert_string_equal(connect->endpoints[index].host, host);
    assert_int_equal(connect->endpoints[index].port, port);
}

TEST(takes_hosts_ports_and_a_chroot)
{
    struct connect_string connect = parse("zk_1.example.org:1,10.0.0.7,h-3:65535/a/b.c/..d/...");
    assert_int_equal(connect.count, 3);
    assert_endpoint(&connect, 0, "zk_1.example.org", 1);
    assert_endpoint(&connect, 1, "10.0.0.7", 2181);
    assert_endpoint(&connect, 2, "h-3", 65535);
    assert_string_equal(connect.chroot, "/a/b.c/..d/...");
}

TEST(takes_ipv6_in_brackets)
{
    struct connect_string connect = parse("[::1]:9,[2001:db8::7],[fe80::1%eth0]:3/c");
    assert_endpoint(&connect, 0, "::1", 9);
    assert_endpoint(&connect, 1, "2001:db8::7", 2181);
    assert_endpoint(&connect, 2, "fe80::1%eth0", 3);
    assert_string_equal(connect.chroot, "/c");
}

TEST(refuses_what_is_no_connect_string)
{
    static const struct {
        const char *text, *words;
    } refused[] = {
        {"/a", "a host is missing"},
        {"a,,b", "a host is missing"},
        {",a", "a host is missing"},
        {" a", "blank"},
        {"a\n", "blank"},
        {"a\x7f", "control"},
        {"user@a", "no host has"},
        {"a;b", "no host has"},
        {"h\xc3\xb6st", "no host has"},
        {"a:65536", "a port is"},
        {"a:18446744073709551617", "a port is"},
        {"a:zk", "'zk'"},
        {"a:-1", "a port is"},
        {"a:+1", "a port is"},
        {"a:21x/c", "'21x'"},
        {"a,b:0,c", "'0'"},
        {"fe80::1:2181", "needs brackets"},
        {"a:1:2", "needs brackets"},
        {"[::1", "not closed"},
        {"[::1,a]:2181", "not closed"},
        {"[]", "for IPv6"},
        {"[localhost]:2181", "for IPv6"},
        {"[127.0.0.1]", "for IPv6"},
        {"[fe80::1%]:3", "for IPv6"},
        {"[fe80::1%e;]:3", "for IPv6"},
        {"[::1]2181", "may follow"},
        {"[::1]:", "a port is"},
        {"a:1/b/", "ends with a '/'"},
        {"a/b//c", "'//'"},
        {"a/.", "relative"},
        {"a/b/./c", "relative"},
        {"a/b c", "blank"},
        {"a:1/b,c:2",
         "follows the last one, as in zk1:2181,zk2:2181/app, so it has no comma: '/b,c:2'"},
        {"a/b,c/b", "'/b,c/b'"},
        {"a/b,", "'/b,'"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_refused(refused[i].text, refused[i].words);
}

TEST(refuses_what_is_too_long_or_too_many)
{
    char text[600];
    memset(text, 'h', sizeof text);
    text[256] = '\0';
    assert_refused(text, "too long");
    text[255] = '\0';
    struct connect_string connect = parse(text);
    assert_endpoint(&connect, 0, text, 2181);
    memset(text, 'h', sizeof text);
    text[1] = '/';
    text[1 + 256] = '\0';
    assert_refused(text, "chroot is too long");
    text[1 + 255] = '\0';
    assert_string_equal(parse(text).chroot, text + 1);

    const char *sixteen = "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p";
    assert_int_equal(parse(sixteen).count, 16);
    snprintf(text, sizeof text, "%s,q", sixteen);
    assert_refused(text, "too many hosts");
}

TEST(formats_endpoints_for_people)
{
    char text[ENDPOINT_TEXT_SIZE];
    struct connect_string connect = parse("a.b,[::1]:9");
    assert_string_equal(endpoint_format(&connect.endpoints[0], text, sizeof text), "a.b:2181");
    assert_string_equal(endpoint_format(&connect.endpoints[1], text, sizeof text), "[::1]:9");
    strcpy(connect.endpoints[0].name, "name");
    assert_string_equal(endpoint_format(&connect.endpoints[0], text, sizeof text),
                        "name:2181 (a.b)");
    assert_string_equal(endpoint_typed(&connect.endpoints[0], text, sizeof text), "name:2181");
    assert_string_equal(endpoint_address(&connect.endpoints[0], text, sizeof text), "a.b:2181");
}

TEST(formats_connect_strings_as_they_were_typed)
{
    char text[CONNECT_TEXT_SIZE];
    struct connect_string connect = parse("10.0.0.7,[::1]:9/a");
    strcpy(connect.endpoints[0].name, "zk1");
    assert_string_equal(connect_typed(&connect, text, sizeof text), "zk1:2181,[::1]:9/a");
    assert_string_equal(connect_format(&connect, true, text, sizeof text), "10.0.0.7:2181,::1:9/a");
}

static void assert_path_refused(const char *path, const char *words)
{
    struct error error = {.detail = ""};
    assert_int_equal(connect_check_path(path, &error), ERROR_USAGE);
    if (strstr(error.detail, words) == NULL)
        fail_msg("'%s' was refused with '%s', not '%s'", path, error.detail, words);
}

TEST(checks_paths_as_zookeeper_does)
{
    static const char *const good[] = {"/", "/a", "/a/b c/..d/...", "/a.b/c-0000000001"};
    char lengthy[CONNECT_PATH_MAX + 2] = "/";
    struct error error;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_int_equal(connect_check_path(good[i], &error), ERROR_NONE);
    memset(lengthy + 1, 'x', CONNECT_PATH_MAX);
    assert_path_refused(lengthy, "the path is too long");
    lengthy[CONNECT_PATH_MAX] = '\0';
    assert_int_equal(connect_check_path(lengthy, &error), ERROR_NONE);
    assert_path_refused("//", "the path has an empty name, '//'");
    assert_path_refused("/.", "the path has a relative name");
    assert_path_refused("/a\tb", "the path has a control character");
}

/* Of the sessions of each server, as many go to each of the others, and none to a server twice. */
TEST(sessions_of_a_lost_server_are_spread)
{
    struct connect_string connect = {.count = 0};
    struct error error;
    unsigned next[3][3] = {{0}};
    char text[CONNECT_TEXT_SIZE];
    assert_int_equal(connect_parse("h:1,h:2,h:3/r", &connect, &error), ERROR_NONE);
    assert_string_equal(connect_spread(&connect, 0, text, sizeof text), "h:1,h:2,h:3/r");
    assert_string_equal(connect_spread(&connect, 3, text, sizeof text), "h:1,h:3,h:2/r");
    assert_string_equal(connect_spread(&connect, 4, text, sizeof text), "h:2,h:1,h:3/r");
    for (uint32_t session = 0; session < 12; session++) {
        unsigned first, second, third;
        connect_spread(&connect, session, text, sizeof text);
        assert_int_equal(sscanf(text, "h:%u,h:%u,h:%u/r", &first, &second, &third), 3);
        assert_int_equal(first, session % 3 + 1);
        assert_int_equal(first + second + third, 6);
        next[first - 1][second - 1]++;
    }
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++)
            assert_int_equal(next[i][j], i == j ? 0 : 2);
    }
    connect.count = 1;
    assert_string_equal(connect_spread(&connect, 7, text, sizeof text), "h:1/r");
}

/* ------------------------------------------------------------------ credentials */

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
    assert_int_equal(identity_read_variable(VARIABLE, &identity, &error), ERROR_NONE);
    assert_false(identity_is_known(&identity));
    assert_int_equal(setenv(VARIABLE, "ann:secret", 1), 0);
    const char *value = getenv(VARIABLE);
    assert_int_equal(identity_read_variable(VARIABLE, &identity, &error), ERROR_NONE);
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
    assert_int_equal(identity_read_variable(VARIABLE, &identity, &error), ERROR_NOT_CREDENTIALS);
    assert_string_equal(error.subject, VARIABLE);
    assert_null(strstr(error.detail, "secret"));
    assert_null(getenv(VARIABLE));
    assert_string_equal(value, "");
    assert_string_equal(identity.credentials, "");
}
