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

static void fill(enum load_mark_kind kind)
{
    while (marks.count < LOAD_MARKS_MAX)
        load_marks_add(&marks, marks.count * NS_PER_S + 1, kind, 0);
}

/* The faults are told last, when the list may be full. */
TEST_BETWEEN(a_fault_has_room_before_a_snapshot, set_up, NULL)
{
    load_marks_add(&marks, 1, LOAD_MARK_LOST, 1);
    load_marks_add(&marks, 1, LOAD_MARK_SNAPSHOT, 1);
    fill(LOAD_MARK_SNAPSHOT);
    load_marks_add(&marks, 1, LOAD_MARK_SNAPSHOT, 2);
    assert_words(0, "server 2 lost;server 2 snapshot");
    load_marks_add(&marks, 1, LOAD_MARK_LEADS, 0);
    load_marks_add(&marks, 1, LOAD_MARK_KILLED, 2);
    assert_words(0, "server 2 lost;server 2 snapshot;server 1 leads;server 3 killed");
    assert_words(LOAD_MARKS_MAX - 1, ""); /* the latest snapshots have given way */
    assert_words(LOAD_MARKS_MAX - 2, "");
    assert_words(LOAD_MARKS_MAX - 3, "server 1 snapshot");
    assert_int_equal(marks.count, LOAD_MARKS_MAX);
    assert_int_equal(marks.left_out, 3);
}

TEST_BETWEEN(a_fault_has_room_before_what_followed, set_up, NULL)
{
    fill(LOAD_MARK_BACK);
    load_marks_add(&marks, 1, LOAD_MARK_SNAPSHOT, 2);
    load_marks_add(&marks, 1, LOAD_MARK_LOST, 2);
    load_marks_add(&marks, 1, LOAD_MARK_RESTARTED, 2);
    assert_words(0, "server 1 back;server 3 restarted");
    assert_words(LOAD_MARKS_MAX - 1, "");
    assert_int_equal(marks.count, LOAD_MARKS_MAX);
    assert_int_equal(marks.left_out, 3);
}

/* The longest words of the most marks. */
TEST_BETWEEN(the_text_holds_all_marks, set_up, NULL)
{
    static const char one[] = "server 4294967295 restarted;";
    what_has_no_room_is_counted(state);
    load_marks_format(&marks, 0, text, sizeof text);
    assert_int_equal(strlen(text), LOAD_MARKS_MAX * (sizeof one - 1) - 1);
}
