// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"

#include "tests/support/test.h"

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

TEST(takes_a_host_with_the_usual_port)
{
    struct connect_string connect = parse("localhost");
    assert_int_equal(connect.count, 1);
    assert_endpoint(&connect, 0, "localhost", 2181);
    assert_string_equal(connect.chroot, "");
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

TEST(refuses_bad_hosts)
{
    assert_refused("/a", "a host is missing");
    assert_refused("a,,b", "a host is missing");
    assert_refused(",a", "a host is missing");
    assert_refused(" a", "blank");
    assert_refused("a\n", "blank");
    assert_refused("a\x7f", "control");
    assert_refused("user@a", "no host has");
    assert_refused("a;b", "no host has");
    assert_refused("h\xc3\xb6st", "no host has");
}

TEST(refuses_bad_ports)
{
    assert_refused("a:65536", "a port is");
    assert_refused("a:18446744073709551617", "a port is");
    assert_refused("a:zk", "'zk'");
    assert_refused("a:-1", "a port is");
    assert_refused("a:+1", "a port is");
    assert_refused("a:21x/c", "'21x'");
    assert_refused("a,b:0,c", "'0'");
}

TEST(refuses_bad_ipv6)
{
    assert_refused("fe80::1:2181", "needs brackets");
    assert_refused("a:1:2", "needs brackets");
    assert_refused("[::1", "not closed");
    assert_refused("[::1,a]:2181", "not closed");
    assert_refused("[]", "for IPv6");
    assert_refused("[localhost]:2181", "for IPv6");
    assert_refused("[127.0.0.1]", "for IPv6");
    assert_refused("[fe80::1%]:3", "for IPv6");
    assert_refused("[fe80::1%e;]:3", "for IPv6");
    assert_refused("[::1]2181", "may follow");
    assert_refused("[::1]:", "a port is");
}

TEST(refuses_bad_chroots)
{
    assert_refused("a:1/b/", "ends with a '/'");
    assert_refused("a/b//c", "'//'");
    assert_refused("a/.", "relative");
    assert_refused("a/b/./c", "relative");
    assert_refused("a/b c", "blank");
    assert_refused("a:1/b,c:2", "follows the last one, as in zk1:2181,zk2:2181/app, so it has no "
                                "comma: '/b,c:2'");
    assert_refused("a/b,c/b", "'/b,c/b'");
    assert_refused("a/b,", "'/b,'");
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

TEST(formats_for_the_client_from_any_endpoint_on)
{
    char text[CONNECT_TEXT_SIZE];
    struct connect_string connect = parse("a,[::1]:9,c:3/x/y");
    assert_string_equal(connect_format(&connect, true, text, sizeof text), "a:2181,::1:9,c:3/x/y");
    assert_string_equal(connect_format(&connect, false, text, sizeof text), "a:2181,::1:9,c:3");
    assert_string_equal(connect_spread(&connect, 1, text, sizeof text), "::1:9,c:3,a:2181/x/y");
    assert_string_equal(connect_spread(&connect, 2, text, sizeof text), "c:3,a:2181,::1:9/x/y");
}

TEST(the_longest_connect_string_fits)
{
    struct connect_string connect = {.count = CONNECT_ENDPOINTS_MAX};
    for (size_t i = 0; i < connect.count; i++) {
        memset(connect.endpoints[i].host, 'h', 255);
        connect.endpoints[i].port = 65535;
    }
    memset(connect.chroot, '/', 255);
    char text[CONNECT_TEXT_SIZE];
    connect_format(&connect, true, text, sizeof text);
    assert_int_equal(strlen(text), 16 * (255 + 6) + 15 + 255);
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
