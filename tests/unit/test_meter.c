// SPDX-License-Identifier: Apache-2.0
/* Times from a release to what follows it, when another process releases at the same moment; which
 * times are taken, and what bytes and pings there are. */

#include "base/clock.h"
#include "recipes/registry.h"
#include "trial/internal.h"

#include "tests/support/test.h"

static struct trial_plan plan;
static struct trial_memory *memory;
static struct actor actor;
static struct meter meter;

/* All have arrived at the only lock. */
FIXTURE(set_up)
{
    struct error error;
    plan = (struct trial_plan){.recipe = registry_find("nonscalable"),
                               .fleet.sessions = 3,
                               .locks = 1,
                               .fleet.processes = 1};
    if (trial_memory_new(&plan, &memory, &error) != ERROR_NONE)
        return -1;
    meter = (struct meter){.memory = memory, .worker = &memory->workers[0], .actor = &actor};
    atomic_store(&memory->locks[0].arrivals, plan.fleet.sessions);
    return 0;
}

FIXTURE(tear_down)
{
    trial_memory_free(memory);
    return 0;
}

static const struct histogram *latency(enum meter_kind kind)
{
    return &memory->workers[0].latency[actor.role][kind];
}

/* What a lock session does when the lock is released or loses its holder, when a notification has
 * come, and when it is granted. */
static void begin_handoff(uint64_t now_ns, bool holder_died)
{
    handoff_begin(memory, meter.lock, now_ns, holder_died);
}

static void notify(enum client_event event, bool spurious, uint64_t now_ns)
{
    meter_notified(&meter, event, spurious,
                   handoff_notification_ns(memory, meter.lock, event, now_ns));
}

static void grant(uint32_t session, uint64_t acquire_ns, uint64_t now_ns)
{
    uint64_t handoff_ns = handoff_grant_ns(memory, meter.lock, now_ns - acquire_ns, now_ns);
    meter_granted(&meter, now_ns, acquire_ns, handoff_ns);
    handoff_granted(memory, meter.lock, session, handoff_ns, now_ns);
}

TEST_BETWEEN(test_times_are_from_the_release_on, set_up, tear_down)
{
    begin_handoff(1000, false);
    notify(EVENT_DELETED, false, 1200);
    grant(1, 900, 1700);
    assert_int_equal(latency(METER_NOTIFICATION)->max_ns, 200);
    assert_int_equal(latency(METER_HANDOFF)->max_ns, 700);
    assert_int_equal(ledger_row(&memory->ledger, 0, 1)->handoff_ns, 700);
}

/* The clock was looked at before the other process sent it. */
TEST_BETWEEN(test_what_came_before_a_release_is_not_its_work, set_up, tear_down)
{
    begin_handoff(1000, false);
    notify(EVENT_DELETED, true, 999);
    grant(1, 900, 999);
    assert_int_equal(histogram_count(latency(METER_NOTIFICATION)), 0);
    assert_int_equal(histogram_count(latency(METER_HANDOFF)), 0);
    assert_int_equal(latency(METER_NOTIFICATION)->overflow, 0);
    assert_int_equal(latency(METER_HANDOFF)->overflow, 0);
    assert_int_equal(ledger_row(&memory->ledger, 0, 1)->handoff_ns, 0);
    assert_int_equal(memory->workers[0].total.of[TALLY_NOTIFICATION], 1);
}

TEST_BETWEEN(test_a_grant_before_a_death_is_no_recovery, set_up, tear_down)
{
    injection_begun(memory, 0, 0, 1000);
    grant(1, 900, 999);
    assert_int_equal(atomic_load(&memory->recovery_ns), 0);
    grant(2, 900, 1300);
    assert_int_equal(atomic_load(&memory->recovery_ns), 300);
}

/* A child that changed may be who has arrived since the release: that is none of its notifications.
 */
TEST_BETWEEN(test_a_change_behind_an_arrival_is_not_the_releases, set_up, tear_down)
{
    begin_handoff(1000, false);
    notify(EVENT_CHILD, false, 1100);
    assert_int_equal(histogram_count(latency(METER_NOTIFICATION)), 1);
    atomic_store(&memory->locks[0].joined, true);
    notify(EVENT_CHILD, false, 1900);
    assert_int_equal(histogram_count(latency(METER_NOTIFICATION)), 1);
    notify(EVENT_DELETED, false, 1200);
    assert_int_equal(histogram_count(latency(METER_NOTIFICATION)), 2);
}

/* Who came after the release, and joins others who hold, was let in by none. */
TEST_BETWEEN(test_who_joins_has_no_handoff, set_up, tear_down)
{
    begin_handoff(1000, false);
    atomic_store(&memory->locks[0].sharers, 2);
    grant(1, 300, 1700); /* arrived at 1400 */
    assert_int_equal(histogram_count(latency(METER_HANDOFF)), 0);
    assert_int_equal(ledger_row(&memory->ledger, 0, 1)->handoff_ns, 0);
    grant(2, 900, 1700); /* arrived at 800: it was waiting */
    assert_int_equal(histogram_count(latency(METER_HANDOFF)), 1);
    /* Alone it owes its grant to the release, though that came before. */
    atomic_store(&memory->locks[0].sharers, 1);
    grant(0, 300, 1800);
    assert_int_equal(histogram_count(latency(METER_HANDOFF)), 2);
}

/* Its time is the recovery's. */
TEST_BETWEEN(test_the_grant_behind_a_death_is_no_handoff, set_up, tear_down)
{
    begin_handoff(1000, true);
    grant(1, 900, 1700);
    assert_int_equal(histogram_count(latency(METER_HANDOFF)), 0);
    assert_int_equal(ledger_row(&memory->ledger, 0, 1)->handoff_ns, 700);
    begin_handoff(2000, false);
    grant(2, 1900, 2100);
    assert_int_equal(histogram_count(latency(METER_HANDOFF)), 1);
}

/* From each one's first grant on, until the last has been let in. */
TEST_BETWEEN(test_a_steady_trial_times_its_middle, set_up, tear_down)
{
    struct lock_state *lock = &memory->locks[0];
    plan.workload = WORKLOAD_STEADY;
    plan.handoffs = 10;
    atomic_store(&lock->admissions, 9);
    begin_handoff(1000, false);
    atomic_store(&lock->grants, 2);
    meter_released(&meter, 1);
    assert_int_equal(histogram_count(latency(METER_RELEASE)), 0);
    atomic_store(&lock->grants, 3);
    meter_released(&meter, 1);
    assert_int_equal(histogram_count(latency(METER_RELEASE)), 1);
    atomic_store(&lock->admissions, 10);
    meter_released(&meter, 1);
    assert_int_equal(histogram_count(latency(METER_RELEASE)), 1);
}

/* ------------------------------------------------------------------ bytes */

static struct client_bytes counters;

static bool bytes(const struct client *client, struct client_bytes *bytes_now)
{
    (void)client;
    *bytes_now = counters;
    return true;
}

static const struct client_driver driver = {.bytes = bytes};

static void read_bytes(uint64_t connection, uint64_t sent, uint64_t received)
{
    const struct client client = {.driver = &driver};
    counters = (struct client_bytes){connection, sent, received};
    meter_read_bytes(&meter, &client);
}

/* Also if they have passed those of the connection before since then, one of them or both. */
TEST_BETWEEN(test_the_bytes_of_a_new_connection_count_from_zero, set_up, tear_down)
{
    const struct client client = {.driver = &driver};
    const uint64_t *of = memory->workers[0].total.of;
    counters = (struct client_bytes){1, 100, 100};
    client_bytes(&client, &meter.bytes);
    read_bytes(1, 150, 120);
    assert_int_equal(of[TALLY_BYTES_SENT], 50);
    assert_int_equal(of[TALLY_BYTES_RECEIVED], 20);
    read_bytes(2, 40, 30);
    assert_int_equal(of[TALLY_BYTES_SENT], 90);
    assert_int_equal(of[TALLY_BYTES_RECEIVED], 50);
    read_bytes(2, 41, 33);
    assert_int_equal(of[TALLY_BYTES_SENT], 91);
    assert_int_equal(of[TALLY_BYTES_RECEIVED], 53);
    read_bytes(3, 50, 3);
    assert_int_equal(of[TALLY_BYTES_SENT], 141);
    assert_int_equal(of[TALLY_BYTES_RECEIVED], 56);
    read_bytes(4, 50, 4);
    assert_int_equal(of[TALLY_BYTES_SENT], 191);
    assert_int_equal(of[TALLY_BYTES_RECEIVED], 60);
}
