// SPDX-License-Identifier: Apache-2.0
/* What the paths of many znodes have in common. */
#include "relay/pattern.h"

#include "tests/support/test.h"

static void assert_pattern(const char *path, const char *expected)
{
    char pattern[PATTERN_SIZE], again[PATTERN_SIZE];
    assert_int_equal(pattern_fold(path, strlen(path), pattern), strlen(expected));
    assert_string_equal(pattern, expected);
    pattern_fold(pattern, strlen(pattern), again);
    assert_string_equal(again, pattern);
}

TEST(names_of_the_libraries)
{
    /* Curator, kazoo, zoo_lock, WriteLock, zkherd's own recipes. */
    assert_pattern("/l/_c_0f9a2b3c-0000-4111-8222-0123456789ab-lock-0000000017",
                   "/l/_c_<guid>-lock-<n>");
    assert_pattern("/l/0f9a2b3c000041118222012345678abc__lock__0000000003", "/l/<guid>__lock__<n>");
    assert_pattern("/l/x-0100a5b2c3d40001-0000000002", "/l/x-<session>-<n>");
    assert_pattern("/l/x-72057594037927936-0000000002", "/l/x-<session>-<n>");
    assert_pattern("/l/lock-0000000000", "/l/lock-<n>");
    assert_pattern("/l/c0000000000", "/l/c<n>");
    assert_pattern("/l/n-12345678901/data", "/l/n-<n>/data");
}

TEST(other_names_stay)
{
    assert_pattern("/", "/");
    assert_pattern("", "");
    assert_pattern("/zkherd-20261122T080910Z-0001234/t0012",
                   "/zkherd-20261122T080910Z-0001234/t0012");
    assert_pattern("/brokers/ids/123456789", "/brokers/ids/123456789");
    assert_pattern("/a/facade", "/a/facade");
    assert_pattern("/a/deadbeefdeadbeef", "/a/deadbeefdeadbeef"); /* 16 alone: may be any name */
    assert_pattern("/a/0f9a2b3c-0000-4111-8222-0123456789a",
                   "/a/0f9a2b3c-0000-4111-8222-0123456789a");
}

/* Letters that are hexadecimal digits as well. */
TEST(a_sequence_number_behind_hexadecimal_letters)
{
    assert_pattern("/a/facade0000000001", "/a/facade<n>");
    assert_pattern("/a/bad0000000001", "/a/bad<n>");
}

TEST(a_long_path_is_cut)
{
    char path[2 * PATTERN_SIZE], pattern[PATTERN_SIZE];
    memset(path, 'x', sizeof path);
    path[0] = '/';
    size_t length = pattern_fold(path, sizeof path, pattern);
    assert_int_equal(length, strlen(pattern));
    assert_true(length < PATTERN_SIZE);
    assert_memory_equal(pattern, path, length);
}
