// SPDX-License-Identifier: Apache-2.0
/* What the servers tell of each second of a load: a figure is theirs, or not known; and what
 * happens to them is marked once, in its second. */

#include "load/load_servers.h"

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
    load_servers_add_answers(&servers, ended++, answers);
}

/* Three servers that have counted 100 each. */
FIXTURE(set_up)
{
    memset(seconds, 0, sizeof seconds);
    memset(&marks, 0, sizeof marks);
    load_servers_init(&servers, SERVERS, BEGIN, seconds, &marks);
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
    answer_all(120);
    answers[0].counters.outstanding = FOUR_LETTER_UNREPORTED;
    take();
    assert_true(seconds[1].state_known && seconds[1].outstanding == FOUR_LETTER_UNREPORTED);
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

static void come_late(struct server_poll_answer *answer)
{
    answer->came_ns++;
}

/* It was asked a second before, and answers now. */
static void answer_what_was_asked_before(struct server_poll_answer *answer)
{
    answer->asked_ns = BEGIN;
}

static void lack_counters(struct server_poll_answer *answer)
{
    answer->has_counters = false;
}

/* Whatever it has counted since, and even if that is more than before. */
static void begin_anew(struct server_poll_answer *answer)
{
    answer->counters.uptime_ms = 1;
}

static void count_less(struct server_poll_answer *answer)
{
    answer->counters.uptime_ms = FOUR_LETTER_UNREPORTED;
    answer->counters.reads = 199;
}

/* How things are at the end is known also of counts that cannot be compared. */
TEST(an_answer_of_another_time_or_count_is_not_known)
{
    static const struct {
        void (*change)(struct server_poll_answer *answer);
        bool state, second;
    } cases[] = {{come_late, false, false},
                 {answer_what_was_asked_before, false, false},
                 {lack_counters, false, false},
                 {begin_anew, true, true},
                 {count_less, true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_up(state);
        answer_all(110);
        cases[i].change(&answers[1]);
        assert_known(false, cases[i].state, cases[i].second);
    }
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

/* ------------------------------------------------------------------ marks */

/* What the servers answer at the end of a second: a letter each. */
static void answer_letters(const char *letters)
{
    uint64_t asked_ns = answers[1].asked_ns;
    answer_all(100 + 10 * ended);
    for (size_t i = 0; i < SERVERS; i++) {
        answers[i].role = letters[i] == 'l' || letters[i] == 'L' ? ROLE_LEADER : ROLE_FOLLOWER;
        switch (letters[i]) {
        case 'a':
            befall(i, SERVER_POLL_ABSENT);
            break;
        case 'u':
            befall(i, SERVER_POLL_UNKNOWN);
            break;
        case 'w': /* owes an answer */
            befall(i, SERVER_POLL_OWES);
            break;
        case 'q': /* no quorum */
            befall(i, SERVER_POLL_UNSERVED);
            break;
        case '?':
            answers[i].role = ROLE_UNKNOWN;
            break;
        case 'o': /* what it was asked before, as a new process */
            answers[i].asked_ns = asked_ns;
            answers[i].counters.snapshots = 2;
            break;
        case 'n': /* a new process */
            answers[i].counters.snapshots = 2;
            break;
        case 't': /* does not say how many snapshots */
            answers[i].counters.snapshots = FOUR_LETTER_UNREPORTED;
            break;
        case 'L': /* has written two snapshots; late, and true all the same */
            answers[i].counters.snapshots = 3;
            answers[i].came_ns += NS_PER_S / 2;
            break;
        default:
            break;
        }
    }
    take();
}

/* f: follows, l: leads; the second before the first is "ffl". */
TEST(what_happens_to_servers_is_marked_in_its_second)
{
    static const struct {
        const char *before, *seconds[4], *marks[4];
    } cases[] = {
        {"ffl",
         {"fal", "ful", "fwl", "ffl"},
         {"server 2 lost", "", "", "server 2 back;server 2 snapshot"}},
        /* One that hangs is back when it answers a new question. */
        {"ffl",
         {"fwl", "fol", "fnl", "fnl"},
         {"server 2 lost", "", "server 2 back;server 2 snapshot", ""}},
        {"ffl", {"ffL", "tfL", "ffL", "ffL"}, {"server 3 snapshot", "", "", ""}},
        {"ffl",
         {"qfa", "qfa", "ffl", "ffl"},
         {"server 3 lost;no server leads", "", "server 3 back;server 3 snapshot;server 3 leads",
          ""}},
        /* A leader that does not answer may lead yet. */
        {"ffl", {"ffu", "ff?", "ffl", "ffl"}, {"", "", "", ""}},
        /* Of two leaders the new one leads: the other may be cut off, and not know of it yet. */
        {"ffl", {"lfl", "llf", "flf", "flf"}, {"server 1 leads", "server 2 leads", "", ""}},
        /* How it begins is not marked. */
        {"faa",
         {"fal", "fal", "fal", "fal"},
         {"server 3 back;server 3 snapshot;server 3 leads", "", "", ""}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_up(state);
        ended = 0;
        answer_letters(cases[i].before);
        for (size_t second = 0; second < 4; second++)
            answer_letters(cases[i].seconds[second]);
        for (uint32_t second = 0; second < 4; second++)
            assert_marks(second, cases[i].marks[second]);
    }
}

/* However many snapshots the servers write, an election is marked; and the text holds the longest
 * words of all marks. */
TEST_BETWEEN(an_election_has_room_beside_snapshots, set_up, NULL)
{
    static const char longest[] = "server 4294967295 snapshot;";
    char text[LOAD_MARKS_TEXT_SIZE];
    for (uint32_t i = 0; i < LOAD_MARKS_MAX; i++)
        load_marks_add(&marks, 0, LOAD_MARK_SNAPSHOT, UINT32_MAX - 1);
    assert_int_equal(strlen(load_marks_format(&marks, 0, text, sizeof text)),
                     LOAD_MARKS_MAX / 2 * (sizeof longest - 1) - 1);
    load_marks_add(&marks, 1, LOAD_MARK_LEADS, 1);
    assert_marks(1, "server 2 leads");
    for (uint32_t i = 0; i < LOAD_MARKS_MAX; i++)
        load_marks_add(&marks, 2, LOAD_MARK_NO_LEADER, 0);
    assert_int_equal(marks.count, LOAD_MARKS_MAX);
    assert_int_equal(marks.left_out, LOAD_MARKS_MAX / 2 + LOAD_MARKS_MAX / 2 + 1);
}
