// SPDX-License-Identifier: Apache-2.0
/* What a message is counted as, into which row it goes, and what of a row is held against its law;
 * times from a release to what follows it, when another process releases at the same moment; which
 * times are taken, and what bytes there are. */

#include "base/clock.h"
#include "recipes/registry.h"
#include "trial/internal.h"

#include "tests/support/test.h"

static struct trial_plan plan;
static struct trial_memory *memory;
static struct actor actor;
static struct meter meter;

/* All have arrived: two clients at each of two locks, of which the second is looked at, or three at
 * a lock alone. */
static int set_up_with(uint32_t sessions, uint32_t locks)
{
    struct error error;
    plan = (struct trial_plan){.recipe = registry_find("nonscalable"),
                               .fleet.sessions = sessions,
                               .locks = locks,
                               .fleet.processes = 1};
    if (trial_memory_new(&plan, &memory, &error) != ERROR_NONE)
        return -1;
    meter = (struct meter){
        .memory = memory, .worker = &memory->workers[0], .actor = &actor, .lock = locks - 1};
    for (uint32_t lock = 0; lock < locks; lock++)
        atomic_store(&memory->locks[lock].arrivals, sessions / locks);
    return 0;
}

FIXTURE(set_up)
{
    return set_up_with(3, 1);
}

FIXTURE(set_up_two)
{
    return set_up_with(4, 2);
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

static void begin_handoff(uint64_t now_ns, bool holder_died)
{
    handoff_begin(memory, meter.lock, now_ns, holder_died);
}

static void grant(uint32_t session, uint64_t acquire_ns, uint64_t now_ns)
{
    actor.session = session;
    meter_granted(&meter, now_ns - acquire_ns, now_ns);
}

/* Each kind a number of its own. */
static struct tally all_kinds(void)
{
    struct tally tally = {0};
    for (int kind = 0; kind < TALLY_KINDS; kind++)
        tally_add(&tally, (enum tally_kind)kind, (uint64_t)(kind + 1));
    return tally;
}

TEST_BETWEEN(test_requests_are_counted_once_and_nothing_else_is, set_up_two, tear_down)
{
    static const enum tally_kind requests[] = {TALLY_CREATE,       TALLY_EXISTS, TALLY_GET,
                                               TALLY_GET_CHILDREN, TALLY_SET,    TALLY_DELETE,
                                               TALLY_MULTI,        TALLY_SYNC};
    struct tally all = all_kinds();
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        sum += all.of[requests[i]];
    assert_int_equal(tally_rpcs(&all), sum);
}

/* One more or one less of any kind; of bytes no law says anything. */
TEST_BETWEEN(test_every_kind_but_bytes_is_held_against_the_law, set_up_two, tear_down)
{
    struct tally law = all_kinds();
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        bool bytes = kind == TALLY_BYTES_SENT || kind == TALLY_BYTES_RECEIVED;
        struct tally more = all_kinds(), less = all_kinds();
        more.of[kind]++;
        less.of[kind]--;
        assert_int_equal(tally_has_law((enum tally_kind)kind), !bytes);
        assert_int_equal(ledger_difference(&more, &law), bytes ? TALLY_KINDS : kind);
        assert_int_equal(ledger_difference(&less, &law), bytes ? TALLY_KINDS : kind);
    }
    assert_int_equal(ledger_difference(&law, &law), TALLY_KINDS);
}

TEST_BETWEEN(test_each_handoff_of_a_lock_has_a_row, set_up_two, tear_down)
{
    struct ledger_row rows[2 * 3];
    memset(rows, 0, sizeof rows);
    const struct ledger ledger = {.rows = rows, .locks = 2, .rows_per_lock = 3};
    assert_ptr_equal(ledger_row(&ledger, 0, 2), &rows[2]);
    assert_ptr_equal(ledger_row(&ledger, 1, 0), &rows[3]);
    assert_ptr_equal(ledger_row(&ledger, 0, 3), &rows[2]); /* and not the next lock's */
}

/* ------------------------------------------------------------------ what is counted */

static uint64_t counted(uint64_t handoff, enum tally_kind kind)
{
    return ledger_row(&memory->ledger, 1, handoff)->tally.of[kind];
}

static void reply(enum operation operation, enum zk_status status, size_t names)
{
    meter_replied(&meter, &(struct client_reply){
                              .operation = operation, .status = status, .name_count = names});
}

TEST_BETWEEN(test_a_message_is_in_the_row_of_its_handoff_and_in_the_total, set_up_two, tear_down)
{
    meter_sent(&meter, OP_CREATE);
    meter_sent(&meter, OP_MULTI);
    begin_handoff(100, false);
    meter_sent(&meter, OP_CREATE);
    assert_int_equal(counted(0, TALLY_CREATE), 1);
    assert_int_equal(counted(0, TALLY_MULTI), 1);
    assert_int_equal(counted(1, TALLY_CREATE), 1);
    assert_int_equal(memory->workers[0].total.of[TALLY_CREATE], 2);
    assert_int_equal(ledger_row(&memory->ledger, 0, 0)->tally.of[TALLY_CREATE], 0);
    assert_int_equal(trial_memory_requests(memory), 3);
}

TEST_BETWEEN(test_replies_are_counted_for_what_they_say, set_up_two, tear_down)
{
    reply(OP_CREATE, ZK_NODE_EXISTS, 0);
    reply(OP_DELETE, ZK_NO_NODE, 0);
    reply(OP_DELETE, ZK_OK, 0);
    reply(OP_EXISTS, ZK_NO_NODE, 0);
    reply(OP_GET_CHILDREN, ZK_OK, 5);
    reply(OP_GET_CHILDREN, ZK_OK, 7);
    assert_int_equal(counted(0, TALLY_CREATE_FAILED), 1);
    assert_int_equal(counted(0, TALLY_DELETE_FAILED), 1);
    assert_int_equal(counted(0, TALLY_NAMES_LISTED), 12);
    assert_int_equal(counted(0, TALLY_EXISTS), 0); /* counted when it was sent */
}

TEST_BETWEEN(test_a_spurious_notification_is_one_of_all, set_up_two, tear_down)
{
    meter_notified(&meter, EVENT_DELETED, false, 10);
    meter_notified(&meter, EVENT_DELETED, true, 20);
    assert_int_equal(counted(0, TALLY_NOTIFICATION), 2);
    assert_int_equal(counted(0, TALLY_NOTIFICATION_SPURIOUS), 1);
}

TEST_BETWEEN(test_before_the_first_release_nothing_is_handed_on, set_up_two, tear_down)
{
    meter_notified(&meter, EVENT_DELETED, true, 500);
    grant(1, 200, 500);
    const struct histogram *latency = memory->workers[0].latency[0];
    assert_int_equal(histogram_count(&latency[METER_HANDOFF]), 0);
    assert_int_equal(histogram_count(&latency[METER_NOTIFICATION]), 0);
    assert_int_equal(histogram_count(&latency[METER_ACQUIRE]), 1);
    assert_int_equal(ledger_row(&memory->ledger, 1, 0)->handoff_ns, 0);
}

/* ------------------------------------------------------------------ times */

TEST_BETWEEN(test_times_are_from_the_release_on, set_up, tear_down)
{
    begin_handoff(1000, false);
    meter_notified(&meter, EVENT_DELETED, true, 1200);
    grant(1, 900, 1700);
    assert_int_equal(latency(METER_NOTIFICATION)->max_ns, 200);
    assert_int_equal(latency(METER_HANDOFF)->max_ns, 700);
    assert_int_equal(ledger_row(&memory->ledger, 0, 1)->handoff_ns, 700);
}

/* The clock was looked at before the other process sent it. */
TEST_BETWEEN(test_what_came_before_a_release_is_not_its_work, set_up, tear_down)
{
    begin_handoff(1000, false);
    meter_notified(&meter, EVENT_DELETED, false, 999);
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
    meter_notified(&meter, EVENT_CHILD, true, 1100);
    assert_int_equal(histogram_count(latency(METER_NOTIFICATION)), 1);
    atomic_store(&memory->locks[0].joined, true);
    meter_notified(&meter, EVENT_CHILD, true, 1900);
    assert_int_equal(histogram_count(latency(METER_NOTIFICATION)), 1);
    meter_notified(&meter, EVENT_DELETED, true, 1200);
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

/* Of several that one release lets in. */
TEST_BETWEEN(test_a_handoff_ends_with_its_last_grant, set_up, tear_down)
{
    begin_handoff(1000, false);
    grant(1, 900, 1300);
    grant(2, 900, 1700);
    grant(0, 900, 1500);
    assert_int_equal(ledger_row(&memory->ledger, 0, 1)->handoff_ns, 700);
    assert_int_equal(ledger_row(&memory->ledger, 0, 1)->granted, 3);
    assert_int_equal(ledger_row(&memory->ledger, 0, 1)->holder, 1 + 1);
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
    static const uint32_t readings[][5] = {{1, 150, 120, 50, 20},
                                           {2, 40, 30, 90, 50},
                                           {2, 41, 33, 91, 53},
                                           {3, 50, 3, 141, 56},
                                           {4, 50, 4, 191, 60}};
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        read_bytes(readings[i][0], readings[i][1], readings[i][2]);
        assert_int_equal(of[TALLY_BYTES_SENT], readings[i][3]);
        assert_int_equal(of[TALLY_BYTES_RECEIVED], readings[i][4]);
    }
}

/* What the connection was opened with belongs to nobody. */
TEST_BETWEEN(test_bytes_are_counted_from_reading_to_reading, set_up_two, tear_down)
{
    const struct client client = {.driver = &driver};
    counters = (struct client_bytes){1, 40, 30};
    client_bytes(&client, &meter.bytes);
    read_bytes(1, 100, 50);
    begin_handoff(100, false);
    read_bytes(1, 107, 59);
    read_bytes(1, 107, 59);
    assert_int_equal(counted(0, TALLY_BYTES_SENT), 60);
    assert_int_equal(counted(0, TALLY_BYTES_RECEIVED), 20);
    assert_int_equal(counted(1, TALLY_BYTES_SENT), 7);
    assert_int_equal(counted(1, TALLY_BYTES_RECEIVED), 9);
}

/* Of every kind, bytes included: else what is in no row, or in another lock's, would not be found.
 */
TEST_BETWEEN(test_rows_that_do_not_sum_up_are_told_of_every_kind, set_up_two, tear_down)
{
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        struct tally total = {0};
        tear_down(state);
        assert_int_equal(set_up_two(state), 0);
        atomic_store(&memory->locks[1].releases, 1);
        ledger_row(&memory->ledger, 0, 0)->tally.of[kind] = 5;
        ledger_row(&memory->ledger, 1, 1)->tally.of[kind] = 2;
        total.of[kind] = 7;
        trial_memory_check_ledger(memory, &total);
        assert_int_equal(atomic_load(&memory->violation_count), 0);
        total.of[kind] = 8;
        trial_memory_check_ledger(memory, &total);
        assert_int_equal(atomic_load(&memory->violation_count), 1);
        assert_int_equal(memory->violations[0].kind, VIOLATION_LEDGER);
        assert_int_equal(memory->violations[0].tally, kind);
        assert_int_equal(memory->violations[0].expected, 8);
        assert_int_equal(memory->violations[0].found, 7);
    }
}
