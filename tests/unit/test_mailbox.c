// SPDX-License-Identifier: Apache-2.0
/* What a session's thread is sent by other threads: its order, its room, and its owner's work. */

#include "base/clock.h"
#include "client/mailbox.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include <stdatomic.h>

static struct mailbox mailbox;

FIXTURE(set_up)
{
    mailbox_init(&mailbox);
    return 0;
}

FIXTURE(tear_down)
{
    mailbox_deinit(&mailbox);
    return 0;
}

static void assert_letter(enum letter_kind kind, int value, const char *path)
{
    struct letter letter;
    assert_int_equal(mailbox_take(&mailbox, false, &letter), MAILBOX_LETTER);
    assert_int_equal(letter.kind, kind);
    assert_int_equal(letter.value, value);
    assert_string_equal(letter.path, path);
}

static void assert_news(bool has_to_do, enum mailbox_news news)
{
    struct letter letter;
    assert_int_equal(mailbox_take(&mailbox, has_to_do, &letter), news);
}

/* Waits until a counter that another thread advances is there. */
static void await_count(atomic_int *counter, int wanted)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (atomic_load(counter) < wanted && clock_now_ns() < until_ns)
        pause_ms(1);
    assert_int_equal(atomic_load(counter), wanted);
}

/* ------------------------------------------------------------------ letters */

/* Three at a time, so that the places are used several times over. */
TEST_BETWEEN(letters_come_in_their_order, set_up, tear_down)
{
    assert_news(false, MAILBOX_EMPTY);
    for (int i = 0; i < 10 * MAILBOX_LETTERS_MAX; i += 3) {
        mailbox_post(&mailbox, LETTER_STATE, i, "");
        mailbox_post(&mailbox, LETTER_EVENT, i + 1, "/a/b");
        mailbox_post(&mailbox, LETTER_ORDER, i + 2, "");
        assert_letter(LETTER_STATE, i, "");
        assert_letter(LETTER_EVENT, i + 1, "/a/b");
        assert_letter(LETTER_ORDER, i + 2, "");
        assert_news(false, MAILBOX_EMPTY);
    }
}

TEST_BETWEEN(the_longest_path_is_kept, set_up, tear_down)
{
    char path[REQUEST_COPY_PATH_MAX];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    mailbox_post(&mailbox, LETTER_EVENT, 1, path);
    assert_letter(LETTER_EVENT, 1, path);
}

/* ------------------------------------------------------------------ its room */

static atomic_int posted;

static void *post_one_too_many(void *nothing)
{
    for (int i = 0; i <= MAILBOX_LETTERS_MAX; i++) {
        mailbox_post(&mailbox, LETTER_ORDER, i, "");
        atomic_fetch_add(&posted, 1);
    }
    return nothing;
}

static pthread_t fill(void)
{
    pthread_t thread;
    atomic_store(&posted, 0);
    assert_int_equal(pthread_create(&thread, NULL, post_one_too_many, NULL), 0);
    await_count(&posted, MAILBOX_LETTERS_MAX);
    pause_ms(20); /* in which a letter that did not wait for room would be posted */
    assert_int_equal(atomic_load(&posted), MAILBOX_LETTERS_MAX);
    return thread;
}

TEST_BETWEEN(who_posts_to_a_full_mailbox_waits_for_room, set_up, tear_down)
{
    pthread_t thread = fill();
    assert_letter(LETTER_ORDER, 0, "");
    await_count(&posted, MAILBOX_LETTERS_MAX + 1);
    pthread_join(thread, NULL);
    for (int i = 1; i <= MAILBOX_LETTERS_MAX; i++)
        assert_letter(LETTER_ORDER, i, "");
    assert_news(false, MAILBOX_EMPTY);
}

TEST_BETWEEN(the_end_lets_go_who_waits_for_room, set_up, tear_down)
{
    pthread_t thread = fill();
    mailbox_close(&mailbox);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&posted), MAILBOX_LETTERS_MAX + 1);
    assert_news(false, MAILBOX_CLOSED);
}

TEST_BETWEEN(nothing_comes_after_the_end, set_up, tear_down)
{
    mailbox_post(&mailbox, LETTER_ORDER, 1, "");
    mailbox_close(&mailbox);
    mailbox_post(&mailbox, LETTER_ORDER, 2, "");
    assert_news(false, MAILBOX_CLOSED);
    assert_news(true, MAILBOX_CLOSED);
    assert_false(mailbox_is_busy(&mailbox));
    assert_false(mailbox_return(&mailbox));
    mailbox_await(&mailbox, 0);
}

/* ------------------------------------------------------------------ its owner's work */

static pthread_t called_on;
static int called_with;

static void note_call(void *context, int value)
{
    assert_ptr_equal(context, &called_with);
    called_on = pthread_self();
    called_with = value;
}

/* Only who finds nothing, and has something to do, is busy. */
TEST_BETWEEN(the_owner_is_busy_when_nothing_has_come, set_up, tear_down)
{
    assert_news(false, MAILBOX_EMPTY);
    assert_false(mailbox_is_busy(&mailbox));
    mailbox_post(&mailbox, LETTER_STATE, 1, "");
    assert_news(true, MAILBOX_LETTER);
    assert_false(mailbox_is_busy(&mailbox));
    assert_news(true, MAILBOX_EMPTY);
    assert_true(mailbox_is_busy(&mailbox));
    assert_true(mailbox_return(&mailbox));
    assert_false(mailbox_is_busy(&mailbox));
}

TEST_BETWEEN(a_busy_owner_s_order_is_carried_out_at_once, set_up, tear_down)
{
    called_with = 0;
    mailbox_post_or_call(&mailbox, LETTER_ORDER, 1, note_call, &called_with);
    assert_int_equal(called_with, 0);
    assert_letter(LETTER_ORDER, 1, "");
    assert_news(true, MAILBOX_EMPTY);
    mailbox_post_or_call(&mailbox, LETTER_ORDER, 2, note_call, &called_with);
    assert_int_equal(called_with, 2);
    assert_true(pthread_equal(called_on, pthread_self()));
    assert_true(mailbox_return(&mailbox));
    assert_news(false, MAILBOX_EMPTY);
}

/* What is posted while the owner is busy waits for it. */
TEST_BETWEEN(a_letter_waits_for_a_busy_owner, set_up, tear_down)
{
    assert_news(true, MAILBOX_EMPTY);
    mailbox_post(&mailbox, LETTER_EVENT, 3, "/l");
    assert_true(mailbox_return(&mailbox));
    assert_letter(LETTER_EVENT, 3, "/l");
}

static atomic_int calls_begun, calls_ended;

static void take_some_time(void *context, int value)
{
    (void)context, (void)value;
    atomic_fetch_add(&calls_begun, 1);
    pause_ms(50);
    atomic_fetch_add(&calls_ended, 1);
}

static void *order(void *nothing)
{
    mailbox_post_or_call(&mailbox, LETTER_ORDER, 1, take_some_time, NULL);
    return nothing;
}

TEST_BETWEEN(the_owner_returns_after_what_is_carried_out, set_up, tear_down)
{
    pthread_t thread;
    assert_news(true, MAILBOX_EMPTY);
    assert_int_equal(pthread_create(&thread, NULL, order, NULL), 0);
    await_count(&calls_begun, 1);
    assert_true(mailbox_return(&mailbox));
    assert_int_equal(atomic_load(&calls_ended), 1);
    pthread_join(thread, NULL);
}

/* ------------------------------------------------------------------ waiting */

static void *post_later(void *nothing)
{
    pause_ms(20);
    mailbox_post(&mailbox, LETTER_STATE, 7, "");
    return nothing;
}

static void *close_later(void *nothing)
{
    pause_ms(20);
    mailbox_close(&mailbox);
    return nothing;
}

static void await_what(void *(*later)(void *nothing))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, later, NULL), 0);
    mailbox_await(&mailbox, 0);
    pthread_join(thread, NULL);
}

TEST_BETWEEN(a_letter_and_the_end_wake_the_owner, set_up, tear_down)
{
    await_what(post_later);
    mailbox_await(&mailbox, 0); /* the letter is there yet */
    assert_letter(LETTER_STATE, 7, "");
    await_what(close_later);
    assert_news(false, MAILBOX_CLOSED);
}

TEST_BETWEEN(nothing_is_awaited_up_to_a_time, set_up, tear_down)
{
    uint64_t until_ns = clock_now_ns() + 20 * NS_PER_MS;
    mailbox_await(&mailbox, until_ns);
    assert_true(clock_now_ns() >= until_ns);
    assert_news(false, MAILBOX_EMPTY);
    mailbox_await(&mailbox, 1);
}
