// SPDX-License-Identifier: Apache-2.0
/* What fits in a message of jute.maxbuffer bytes, against formulas that are written out here. */

#include "wire/maxbuffer.h"
#include "wire/wire.h"

#include "tests/support/test.h"

#define LIMIT MAXBUFFER_DEFAULT

TEST(the_default_is_zookeepers)
{
    assert_int_equal(LIMIT, 0xfffff);
}

/* (limit - 20) / (4 + length) */
TEST(names)
{
    assert_int_equal(maxbuffer_names(LIMIT, 15, 0, 0), 55187);
    assert_int_equal(maxbuffer_names(LIMIT, 55, 0, 0), 17772);
    assert_int_equal(maxbuffer_names(20 + 3 * 19, 15, 0, 0), 3);
    assert_int_equal(maxbuffer_names(20 + 3 * 19 - 1, 15, 0, 0), 2);
    assert_int_equal(maxbuffer_names(20 + 3 * 19, 15, 1, 4), 2); /* 8 bytes for the other */
    assert_int_equal(maxbuffer_names(20 + 3 * 19 + 8, 15, 1, 4), 3);
    assert_int_equal(maxbuffer_names(19, 15, 0, 0), 0);
}

/* (limit - 28) / (4 + length) */
TEST(watches)
{
    assert_int_equal(maxbuffer_watches(LIMIT, 27), 33824);
    assert_int_equal(maxbuffer_watches(28 + 2 * 31, 27), 2);
    assert_int_equal(maxbuffer_watches(28 + 2 * 31 - 1, 27), 1);
    assert_int_equal(maxbuffer_watches(27, 27), 0);
}

/* limit - 47 - path, limit - 20 - path, limit - 88 */
TEST(values)
{
    assert_int_equal(maxbuffer_created_value(LIMIT, 11), LIMIT - 47 - 11);
    assert_int_equal(maxbuffer_set_value(LIMIT, 11), LIMIT - 20 - 11);
    assert_int_equal(maxbuffer_read_value(LIMIT), LIMIT - 88);
    assert_int_equal(maxbuffer_created_value(50, 11), 0);
    assert_int_equal(maxbuffer_read_value(88), 0);
}

/* A message of just the limit fits, one of a byte more does not. */
TEST(what_fits_is_no_longer_than_the_limit)
{
    for (uint64_t limit = 1024; limit < 1100; limit++) {
        uint64_t listed = maxbuffer_names(limit, 15, 0, 0);
        uint64_t watched = maxbuffer_watches(limit, 27);
        assert_true(maxbuffer_counted(wire_names_reply(listed, listed * 15)) <= limit);
        assert_true(maxbuffer_counted(wire_names_reply(listed + 1, (listed + 1) * 15)) > limit);
        assert_true(maxbuffer_counted(wire_watches_request(watched, watched * 27)) <= limit);
        assert_true(maxbuffer_counted(wire_watches_request(watched + 1, (watched + 1) * 27)) >
                    limit);
        assert_int_equal(maxbuffer_counted(wire_value_reply(maxbuffer_read_value(limit))), limit);
    }
}
