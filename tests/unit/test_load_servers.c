// SPDX-License-Identifier: Apache-2.0
/* What the servers tell of each second of a load: a figure is theirs, or not known; and what
 * happens to them is marked once, in its second. */

#include "load/internal.h"

#include "tests/support/test.h"

#define SERVERS 3
#define SECONDS 6
#define BEGIN   (7 * NS_PER_S) /* of the measured time */

static struct load_servers servers;
static struct load_server_second seconds[SECONDS];
static struct load_marks marks;
static struct server_poll_answer answers[SERVERS];
static uint32_t ended;

/* Each has counted so much since its start. */
static struct four_letter_counters counters_of(uint64_t so_much)
{
    return (struct four_letter_counters){.notifications = 3 * so_much,
                                         .writes = so_much,
                                         .reads = 2 * so_much,
                                         .packets_received = 4 * so_much,
                                         .watch_count = 5,
                                         .connections = 11,
                                         .outstanding = 2,
                                         .snapshots = 1,
                                         .uptime_ms = 1000 + so_much};
}

/* At the end of the present second. */
static void answer(size_t server, uint64_t so_much, enum role role)
{
    uint64_t now_ns = BEGIN + ended * NS_PER_S;
    answers[server] = (struct server_poll_answer){
        SERVER_POLL_ANSWERED, now_ns, now_ns + LOAD_SERVERS_LATE_NS, role, true,
        counters_of(so_much)};
}

static void answer_all(uint64_t so_much)
{
    for (size_t i = 0; i < SERVERS; i++)
        answer(i, so_much, i == 2 ? ROLE_LEADER : ROLE_FOLLOWER);
}

static void befall(size_t server, enum server_poll_state state)
{
    answers[server].state = state;
    answers[server].asked_ns = answers[server].came_ns = BEGIN + ended * NS_PER_S;
}

/* The present second ends. */
static void take(void)
{
    load_servers_take(&servers, ended++, answers);
}

/* Three servers that have counted 100 each. */
FIXTURE(set_up)
{
    memset(seconds, 0, sizeof seconds);
    memset(&marks, 0, sizeof marks);
    load_servers_init(&servers, SERVERS, BEGIN, NULL, seconds, &marks);
    ended = 0;
    answer_all(100);
    take();
    return 0;
}

static void assert_marks(uint32_t second, const char *words)
{
    char text[LOAD_MARKS_TEXT_SIZE];
    assert_string_equal(load_marks_format(&marks, second, text, sizeof text), words);
}

/* ------------------------------------------------------------------ counters */

TEST_BETWEEN(a_second_has_what_all_have_counted_in_it, set_up, NULL)
{
    answer_all(110);
    take();
    assert_true(seconds[0].known);
    assert_int_equal(seconds[0].writes, 30);
    assert_int_equal(seconds[0].reads, 60);
    assert_int_equal(seconds[0].notifications, 90);
    assert_int_equal(seconds[0].packets_received, 120 - SERVERS); /* without the questions */
    assert_true(seconds[0].state_known);
    assert_int_equal(seconds[0].watches, 15);
    assert_int_equal(seconds[0].connections, 30);
    assert_int_equal(seconds[0].outstanding, 6);
    assert_int_equal(marks.count, 0);
}

/* What is known of the first two seconds when the first answer is as it is, the next is well. A
 * missing answer is missed at the end of a second and at the beginning of the next. */
static void assert_known(bool first, bool state, bool second)
{
    take();
    answer_all(120);
    take();
    answer_all(130);
    take();
    assert_int_equal(seconds[0].known, first);
    assert_int_equal(seconds[0].state_known, state);
    assert_int_equal(seconds[1].known, second);
    assert_true(seconds[1].state_known);
    assert_true(seconds[2].known);
    assert_int_equal(seconds[2].writes, 30);
    assert_int_equal(marks.count, 0);
}

TEST_BETWEEN(a_late_answer_is_of_another_time, set_up, NULL)
{
    answer_all(110);
    answers[1].came_ns++;
    assert_known(false, false, false);
}

/* It was asked a second before, and answers now. */
TEST_BETWEEN(an_answer_to_an_earlier_question_is_of_another_time, set_up, NULL)
{
    answer_all(110);
    answers[1].asked_ns = BEGIN;
    assert_known(false, false, false);
}

TEST_BETWEEN(an_answer_without_counters_tells_none, set_up, NULL)
{
    answer_all(110);
    answers[1].has_counters = false;
    assert_known(false, false, false);
}

/* Whatever it has counted since, and even if that is more than before. How things are at the end is
 * known all the same. */
TEST_BETWEEN(a_server_that_began_anew_is_not_compared, set_up, NULL)
{
    answer_all(110);
    answers[1].counters.uptime_ms = 1;
    assert_known(false, true, true);
}

TEST_BETWEEN(a_count_that_fell_is_not_compared, set_up, NULL)
{
    answer_all(110);
    answers[1].counters.uptime_ms = FOUR_LETTER_UNTOLD;
    answers[1].counters.reads = 199;
    assert_known(false, true, true);
}

/* What it has counted before it went is not known; while it is away it counts nothing; and when it
 * is back it has begun at 0. */
TEST_BETWEEN(a_server_that_is_away_counts_nothing, set_up, NULL)
{
    for (uint64_t so_much = 110; so_much <= 120; so_much += 10) {
        answer_all(so_much);
        befall(0, SERVER_POLL_ABSENT);
        take();
    }
    answer_all(130);
    answer(0, 40, ROLE_FOLLOWER);
    take();
    assert_false(seconds[0].known);
    assert_true(seconds[0].state_known);
    assert_int_equal(seconds[0].connections, 20);
    assert_true(seconds[1].known);
    assert_int_equal(seconds[1].writes, 20);
    assert_int_equal(seconds[1].packets_received, 80 - 2);
    assert_true(seconds[2].known);
    assert_int_equal(seconds[2].writes, 60);
    assert_int_equal(seconds[2].packets_received, 240 - 3);
}

/* One asks in the fourth second: the answers at the end of the third may have counted its word. */
TEST_BETWEEN(packets_are_not_known_where_others_ask, set_up, NULL)
{
    static uint64_t words;
    servers.other_words = &words;
    words = 0;
    for (uint64_t i = 0; i < 5; i++) {
        answer_all(110 + 10 * i);
        words += i == 2;
        take();
    }
    for (size_t i = 0; i < 5; i++)
        assert_true(seconds[i].known && seconds[i].writes == 30);
    assert_int_equal(seconds[1].packets_received, 120 - SERVERS);
    assert_true(seconds[2].packets_received == FOUR_LETTER_UNTOLD);
    assert_true(seconds[3].packets_received == FOUR_LETTER_UNTOLD);
    assert_int_equal(seconds[4].packets_received, 120 - SERVERS);
}

TEST_BETWEEN(what_one_does_not_tell_is_unknown_of_all, set_up, NULL)
{
    answer_all(110);
    answers[0].counters.outstanding = FOUR_LETTER_UNTOLD;
    take();
    assert_true(seconds[0].state_known);
    assert_true(seconds[0].outstanding == FOUR_LETTER_UNTOLD);
    assert_int_equal(seconds[0].watches, 15);
}

/* ------------------------------------------------------------------ marks */

TEST_BETWEEN(a_server_is_lost_and_back_once, set_up, NULL)
{
    static const enum server_poll_state away[] = {SERVER_POLL_ABSENT, SERVER_POLL_UNKNOWN,
                                                  SERVER_POLL_OWES};
    for (size_t i = 0; i < sizeof away / sizeof away[0]; i++) {
        answer_all(110 + i);
        befall(1, away[i]);
        take();
    }
    answer_all(120);
    take();
    assert_marks(0, "server 2 lost");
    assert_marks(1, "");
    assert_marks(2, "");
    assert_marks(3, "server 2 back;server 2 snapshot"); /* of a new process */
}

/* In the second second it answers what it was asked before; at the end of the third it is asked
 * anew. */
TEST_BETWEEN(a_server_that_hangs_is_back_when_it_answers_a_new_question, set_up, NULL)
{
    answer_all(110);
    befall(1, SERVER_POLL_OWES);
    take();
    uint64_t asked_ns = answers[1].asked_ns;
    answer_all(120);
    answers[1].asked_ns = asked_ns;
    answers[1].counters.snapshots = 2;
    take();
    answer_all(130);
    answers[1].counters.snapshots = 2;
    take();
    assert_marks(0, "server 2 lost");
    assert_marks(1, "");
    assert_marks(2, "server 2 back;server 2 snapshot");
}

TEST_BETWEEN(one_question_that_fails_is_no_loss, set_up, NULL)
{
    answer_all(110);
    befall(1, SERVER_POLL_UNKNOWN);
    take();
    befall(1, SERVER_POLL_UNSERVED);
    take();
    assert_int_equal(marks.count, 0);
}

TEST_BETWEEN(a_snapshot_is_marked, set_up, NULL)
{
    answer_all(110);
    answers[2].counters.snapshots = 3;
    answers[2].came_ns += NS_PER_S / 2; /* late, and true all the same */
    take();
    answer_all(120);
    answers[2].counters.snapshots = 3;
    answers[0].counters.snapshots = FOUR_LETTER_UNTOLD;
    take();
    assert_marks(0, "server 3 snapshot");
    assert_int_equal(marks.count, 1);
}

TEST_BETWEEN(another_leader_is_marked, set_up, NULL)
{
    answer_all(110);
    befall(2, SERVER_POLL_ABSENT);
    answer(1, 110, ROLE_LEADER);
    take();
    assert_marks(0, "server 3 lost;server 2 leads");
}

TEST_BETWEEN(a_time_without_a_leader_is_marked_once, set_up, NULL)
{
    for (int i = 0; i < 2; i++) {
        answer_all(110);
        befall(0, SERVER_POLL_UNSERVED);
        befall(2, SERVER_POLL_ABSENT);
        take();
    }
    answer_all(120);
    take();
    assert_marks(0, "server 3 lost;no server leads");
    assert_marks(1, "");
    assert_marks(2, "server 3 back;server 3 snapshot;server 3 leads");
}

/* A leader that does not answer may lead yet. */
TEST_BETWEEN(a_leader_that_is_not_known_is_no_election, set_up, NULL)
{
    answer_all(110);
    befall(2, SERVER_POLL_UNKNOWN);
    take();
    answer_all(120);
    answers[2].role = ROLE_UNKNOWN;
    take();
    answer_all(130);
    take();
    assert_int_equal(marks.count, 0);
}

/* One that is cut off does not know of its successor yet. */
TEST_BETWEEN(of_two_leaders_the_new_one_leads, set_up, NULL)
{
    answer_all(110);
    answers[0].role = ROLE_LEADER;
    take();
    assert_marks(0, "server 1 leads");
    answer_all(120);
    answers[0].role = answers[1].role = ROLE_LEADER;
    answers[2].role = ROLE_FOLLOWER;
    take();
    assert_marks(1, "server 2 leads");
    assert_int_equal(marks.count, 2);
}

/* Before the first second has ended nothing has happened. */
TEST_BETWEEN(how_it_begins_is_not_marked, set_up, NULL)
{
    set_up(state);
    ended = 0;
    answer_all(100);
    befall(1, SERVER_POLL_ABSENT);
    befall(2, SERVER_POLL_ABSENT);
    take();
    assert_int_equal(marks.count, 0);
    answer_all(110);
    befall(1, SERVER_POLL_ABSENT);
    take();
    assert_marks(0, "server 3 back;server 3 snapshot;server 3 leads");
}
