// SPDX-License-Identifier: Apache-2.0
/* The messages of a server, in the bytes of a connection. */

#include "wire/frame.h"
#include "wire/wire.h"

#include "tests/support/test.h"

#include <arpa/inet.h>

static char bytes[128];
static struct frame frame;

/* The head of a frame, and zeros behind it. */
static void put(size_t at, int32_t length, int32_t xid)
{
    const uint32_t head[] = {htonl((uint32_t)length), htonl((uint32_t)xid)};
    memcpy(bytes + at, head, sizeof head);
}

FIXTURE(set_up)
{
    memset(bytes, 0, sizeof bytes);
    frame = (struct frame){.bytes = 99, .xid = 99};
    return 0;
}

/* In memory that ends with the bytes: AddressSanitizer notices who reads on. */
static enum frame_state read_of(size_t count)
{
    char *copy = malloc(count + (count == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    enum frame_state state = frame_read(copy, count, &frame);
    free(copy);
    return state;
}

TEST_BETWEEN(test_a_head_in_part_tells_nothing, set_up, NULL)
{
    put(0, WIRE_REPLY_HEADER, 7);
    for (size_t count = 0; count < 8; count++)
        assert_int_equal(read_of(count), FRAME_UNKNOWN);
    assert_int_equal(frame.bytes, 99);
    assert_int_equal(frame.xid, 99);
}

TEST_BETWEEN(test_a_frame_grows_until_it_is_whole, set_up, NULL)
{
    put(0, WIRE_REPLY_HEADER + 3, 7);
    for (size_t count = 8; count < WIRE_BARE_REPLY + 3; count++) {
        assert_int_equal(read_of(count), FRAME_PARTIAL);
        assert_int_equal(frame.xid, 7);
    }
    assert_int_equal(read_of(WIRE_BARE_REPLY + 3), FRAME_WHOLE);
    assert_int_equal(frame.bytes, WIRE_BARE_REPLY + 3);
    assert_int_equal(read_of(sizeof bytes), FRAME_WHOLE);
    assert_int_equal(frame.bytes, WIRE_BARE_REPLY + 3);
}

/* Of the lengths that the simulation counts with. */
TEST_BETWEEN(test_frames_follow_one_another, set_up, NULL)
{
    size_t notification = wire_notification(strlen("/a"));
    put(0, (int32_t)notification - WIRE_LENGTH, -1);
    put(notification, WIRE_REPLY_HEADER, -2);
    put(notification + WIRE_BARE_REPLY, (int32_t)WIRE_STAT_REPLY - WIRE_LENGTH, 12);
    assert_int_equal(read_of(sizeof bytes), FRAME_WHOLE);
    assert_int_equal(frame.xid, -1);
    assert_int_equal(frame.bytes, notification);
    assert_int_equal(frame_read(bytes + notification, WIRE_BARE_REPLY, &frame), FRAME_WHOLE);
    assert_int_equal(frame.xid, -2);
    assert_int_equal(frame.bytes, WIRE_BARE_REPLY);
    assert_int_equal(frame_read(bytes + notification + WIRE_BARE_REPLY, 20, &frame), FRAME_PARTIAL);
    assert_int_equal(frame.xid, 12);
    assert_int_equal(frame.bytes, WIRE_STAT_REPLY);
}

TEST_BETWEEN(test_what_is_shorter_than_its_header_is_no_frame, set_up, NULL)
{
    static const int32_t lengths[] = {WIRE_REPLY_HEADER - 1, 0, -1, INT32_MIN};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        put(0, lengths[i], 7);
        assert_int_equal(read_of(sizeof bytes), FRAME_INVALID);
    }
    assert_int_equal(frame.bytes, 99);
    put(0, INT32_MAX, 7);
    assert_int_equal(read_of(sizeof bytes), FRAME_PARTIAL);
    assert_int_equal(frame.bytes, (size_t)INT32_MAX + WIRE_LENGTH);
}
