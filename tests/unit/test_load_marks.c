// SPDX-License-Identifier: Apache-2.0
/* What happened to the servers during a load: every mark is in the words of its second, or counted
 * among those that have no room. */

#include "load/internal.h"

#include "tests/support/test.h"

static struct load_marks marks;
static char text[LOAD_MARKS_TEXT_SIZE];

FIXTURE(set_up)
{
    memset(&marks, 0, sizeof marks);
    return 0;
}

static void assert_words(uint32_t second, const char *expected)
{
    assert_string_equal(load_marks_format(&marks, second, text, sizeof text), expected);
}

TEST_BETWEEN(a_mark_is_in_the_words_of_its_second, set_up, NULL)
{
    load_marks_add(&marks, 0, LOAD_MARK_SNAPSHOT, 0);
    load_marks_add(&marks, 2 * NS_PER_S, LOAD_MARK_LOST, 2);
    load_marks_add(&marks, 2 * NS_PER_S, LOAD_MARK_NO_LEADER, 0);
    load_marks_add(&marks, NS_PER_S + 1, LOAD_MARK_KILLED, 2); /* told later */
    load_marks_add(&marks, 2 * NS_PER_S + 1, LOAD_MARK_LEADS, 1);
    load_marks_add(&marks, 4 * NS_PER_S, LOAD_MARK_RESTARTED, 2);
    load_marks_add(&marks, 4 * NS_PER_S, LOAD_MARK_BACK, 2);
    assert_words(0, "server 1 snapshot");
    assert_words(1, "server 3 killed;server 3 lost;no server leads");
    assert_words(2, "server 2 leads");
    assert_words(3, "server 3 restarted;server 3 back");
    assert_words(4, "");
}

TEST_BETWEEN(what_has_no_room_is_counted, set_up, NULL)
{
    for (uint32_t i = 0; i < LOAD_MARKS_MAX + 3; i++)
        load_marks_add(&marks, 1, LOAD_MARK_RESTARTED, UINT32_MAX - 1);
    assert_int_equal(marks.count, LOAD_MARKS_MAX);
    assert_int_equal(marks.left_out, 3);
}

/* However many snapshots the servers write, an election is marked. */
TEST_BETWEEN(an_election_has_room_beside_snapshots, set_up, NULL)
{
    for (uint32_t i = 0; i < LOAD_MARKS_MAX; i++)
        load_marks_add(&marks, i * NS_PER_S + 1, LOAD_MARK_SNAPSHOT, 0);
    load_marks_add(&marks, 1, LOAD_MARK_LEADS, 1);
    assert_words(0, "server 1 snapshot;server 2 leads");
    assert_int_equal(marks.left_out, LOAD_MARKS_MAX / 2);
}

/* The longest words of the most marks. */
TEST_BETWEEN(the_text_holds_all_marks, set_up, NULL)
{
    static const char one[] = "server 4294967295 restarted;";
    what_has_no_room_is_counted(state);
    load_marks_format(&marks, 0, text, sizeof text);
    assert_int_equal(strlen(text), LOAD_MARKS_MAX * (sizeof one - 1) - 1);
}
