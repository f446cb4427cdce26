// SPDX-License-Identifier: Apache-2.0
/* Alarms by a clock that the test moves: which ring, in what order, how late, and how often the
 * timerfd is armed. */

#include "base/clock.h"
#include "base/random.h"
#include "fleet/timers.h"

#include "tests/support/test.h"

#include <poll.h>
#include <sys/timerfd.h>

#define ALARMS 1000

static struct timers timers;
static uint64_t time_ns; /* 0: the clock's own */
static unsigned armed;
static struct itimerspec armed_for;

uint64_t __real_clock_now_ns(void);
uint64_t __wrap_clock_now_ns(void);
int __real_timerfd_settime(int descriptor, int flags, const struct itimerspec *when,
                           struct itimerspec *before);
int __wrap_timerfd_settime(int descriptor, int flags, const struct itimerspec *when,
                           struct itimerspec *before);

uint64_t __wrap_clock_now_ns(void)
{
    return time_ns != 0 ? time_ns : __real_clock_now_ns();
}

int __wrap_timerfd_settime(int descriptor, int flags, const struct itimerspec *when,
                           struct itimerspec *before)
{
    armed++;
    armed_for = *when;
    return __real_timerfd_settime(descriptor, flags, when, before);
}

/* ------------------------------------------------------------------ owners */

struct owner {
    uint64_t due_ns;
    uint64_t late_ns;
    uint64_t again_ns; /* sets another alarm when this one rings; 0: none */
};

static struct owner owners[ALARMS];
static struct owner *rung[2 * ALARMS];
static size_t rung_count;

static void ring(void *context, uint64_t late_ns)
{
    struct owner *owner = context;
    owner->late_ns = late_ns;
    rung[rung_count++] = owner;
    uint64_t again_ns = owner->again_ns;
    owner->again_ns = 0;
    if (again_ns != 0)
        timers_set(&timers, again_ns, owner);
}

static void set(size_t owner, uint64_t due_ns)
{
    owners[owner] = (struct owner){.due_ns = due_ns};
    timers_set(&timers, due_ns, &owners[owner]);
}

FIXTURE(set_up)
{
    struct error error;
    rung_count = 0;
    time_ns = NS_PER_S;
    armed = 0;
    return timers_init(&timers, ALARMS, ring, &error) == ERROR_NONE ? 0 : -1;
}

FIXTURE(tear_down)
{
    timers_deinit(&timers);
    return 0;
}

/* ------------------------------------------------------------------ tests */

TEST_BETWEEN(test_the_earlier_rings_first_and_of_equals_the_one_set_before, set_up, tear_down)
{
    struct random random;
    random_init(&random, 1);
    for (size_t i = 0; i < ALARMS; i++)
        set(i, 2 * NS_PER_S + random_below(&random, ALARMS / 5));
    time_ns = 3 * NS_PER_S;
    timers_ring(&timers);
    assert_int_equal(rung_count, ALARMS);
    for (size_t i = 1; i < ALARMS; i++) {
        assert_true(rung[i - 1]->due_ns <= rung[i]->due_ns);
        if (rung[i - 1]->due_ns == rung[i]->due_ns)
            assert_true(rung[i - 1] < rung[i]);
    }
}

TEST_BETWEEN(test_none_rings_before_its_time_and_each_once, set_up, tear_down)
{
    for (size_t i = 0; i < 10; i++)
        set(i, 2 * NS_PER_S + i);
    time_ns = 2 * NS_PER_S - 1;
    timers_ring(&timers);
    assert_int_equal(rung_count, 0);
    for (size_t i = 0; i < 10; i++) {
        time_ns = 2 * NS_PER_S + i;
        timers_ring(&timers);
        assert_int_equal(rung_count, i + 1);
        assert_ptr_equal(rung[i], &owners[i]);
    }
}

/* Also with a time that has passed: else an owner that always sets such an alarm would keep the
 * others, and the sockets, waiting for ever. */
TEST_BETWEEN(test_an_alarm_that_is_set_while_another_rings_waits_for_the_next_batch, set_up,
             tear_down)
{
    for (size_t i = 0; i < 5; i++)
        set(i, 2 * NS_PER_S + i);
    for (size_t i = 0; i < 3; i++)
        owners[i].again_ns = 3 - i; /* long since */
    time_ns = 3 * NS_PER_S;
    timers_ring(&timers);
    assert_int_equal(rung_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_ptr_equal(rung[i], &owners[i]);
    timers_ring(&timers);
    assert_int_equal(rung_count, 8);
    for (size_t i = 0; i < 3; i++) {
        assert_ptr_equal(rung[5 + i], &owners[2 - i]);
        assert_int_equal(rung[5 + i]->late_ns, time_ns - 1 - i);
    }
}

TEST_BETWEEN(test_the_timerfd_is_armed_when_the_earliest_time_changes, set_up, tear_down)
{
    set(0, 5 * NS_PER_S + 7);
    assert_int_equal(armed, 1);
    assert_int_equal(armed_for.it_value.tv_sec, 5);
    assert_int_equal(armed_for.it_value.tv_nsec, 7);
    for (size_t i = 1; i < 100; i++)
        set(i, 5 * NS_PER_S + 7 + i);
    assert_int_equal(armed, 1);
    set(100, 4 * NS_PER_S);
    assert_int_equal(armed, 2);
    assert_int_equal(armed_for.it_value.tv_sec, 4);
    /* A hundred that ring, and set another each: once. */
    for (size_t i = 0; i < 100; i++)
        owners[i].again_ns = 9 * NS_PER_S + i;
    time_ns = 6 * NS_PER_S;
    timers_ring(&timers);
    assert_int_equal(rung_count, 101);
    assert_int_equal(armed, 3);
    assert_int_equal(armed_for.it_value.tv_sec, 9);
}

static bool is_readable_within_ms(int most_ms)
{
    struct pollfd descriptor = {.fd = timers.descriptor, .events = POLLIN};
    return poll(&descriptor, 1, most_ms) == 1;
}

TEST_BETWEEN(test_the_timerfd_is_readable_when_an_alarm_is_due, set_up, tear_down)
{
    time_ns = 0;
    for (size_t i = 0; i < 3; i++) {
        set(i, clock_now_ns() + NS_PER_MS);
        assert_true(is_readable_within_ms(10000));
        assert_true(clock_now_ns() >= owners[i].due_ns);
        timers_ring(&timers);
        assert_int_equal(rung_count, i + 1);
        assert_int_equal(armed, i + 1);
        assert_false(is_readable_within_ms(0));
    }
    set(3, 1);
    assert_true(is_readable_within_ms(10000));
    set(4, clock_now_ns() + 3600 * NS_PER_S);
    timers_ring(&timers);
    assert_false(is_readable_within_ms(0));
}
