// SPDX-License-Identifier: Apache-2.0
/* What a message is counted as, into which row it goes, and what of a row is held against its law.
 */

#include "recipes/registry.h"
#include "trial/internal.h"

#include "tests/support/test.h"

#define LOCKS 2

static struct trial_plan plan;
static struct trial_memory *memory;
static const struct actor actor;
static struct meter meter;

FIXTURE(set_up)
{
    struct error error;
    plan = (struct trial_plan){.recipe = registry_find("nonscalable"),
                               .fleet.sessions = 4,
                               .locks = LOCKS,
                               .fleet.processes = 1};
    if (trial_memory_new(&plan, &memory, &error) != ERROR_NONE)
        return -1;
    meter =
        (struct meter){.memory = memory, .worker = &memory->workers[0], .actor = &actor, .lock = 1};
    for (uint32_t lock = 0; lock < LOCKS; lock++)
        atomic_store(&memory->locks[lock].arrivals, 2);
    return 0;
}

FIXTURE(tear_down)
{
    trial_memory_free(memory);
    return 0;
}

/* Each kind a number of its own. */
static struct tally all_kinds(void)
{
    struct tally tally = {0};
    for (int kind = 0; kind < TALLY_KINDS; kind++)
        tally_add(&tally, (enum tally_kind)kind, (uint64_t)(kind + 1));
    return tally;
}

TEST_BETWEEN(test_requests_are_counted_once_and_nothing_else_is, set_up, tear_down)
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
TEST_BETWEEN(test_every_kind_but_bytes_is_held_against_the_law, set_up, tear_down)
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

TEST_BETWEEN(test_each_handoff_of_a_lock_has_a_row, set_up, tear_down)
{
    struct ledger_row rows[LOCKS * 3];
    memset(rows, 0, sizeof rows);
    const struct ledger ledger = {.rows = rows, .locks = LOCKS, .rows_per_lock = 3};
    assert_ptr_equal(ledger_row(&ledger, 0, 2), &rows[2]);
    assert_ptr_equal(ledger_row(&ledger, 1, 0), &rows[3]);
    assert_ptr_equal(ledger_row(&ledger, 0, 3), &rows[2]); /* and not the next lock's */
}

/* ------------------------------------------------------------------ what is counted */

static uint64_t counted(uint64_t handoff, enum tally_kind kind)
{
    return ledger_row(&memory->ledger, 1, handoff)->tally.of[kind];
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

static void reply(enum operation operation, enum zk_status status, size_t names)
{
    meter_replied(&meter, &(struct client_reply){
                              .operation = operation, .status = status, .name_count = names});
}

TEST_BETWEEN(test_a_message_is_in_the_row_of_its_handoff_and_in_the_total, set_up, tear_down)
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

TEST_BETWEEN(test_replies_are_counted_for_what_they_say, set_up, tear_down)
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

TEST_BETWEEN(test_a_spurious_notification_is_one_of_all, set_up, tear_down)
{
    notify(EVENT_DELETED, true, 10);
    notify(EVENT_DELETED, false, 20);
    assert_int_equal(counted(0, TALLY_NOTIFICATION), 2);
    assert_int_equal(counted(0, TALLY_NOTIFICATION_SPURIOUS), 1);
}

TEST_BETWEEN(test_before_the_first_release_nothing_is_handed_on, set_up, tear_down)
{
    notify(EVENT_DELETED, false, 500);
    grant(1, 200, 500);
    const struct histogram *latency = memory->workers[0].latency[0];
    assert_int_equal(histogram_count(&latency[METER_HANDOFF]), 0);
    assert_int_equal(histogram_count(&latency[METER_NOTIFICATION]), 0);
    assert_int_equal(histogram_count(&latency[METER_ACQUIRE]), 1);
    assert_int_equal(ledger_row(&memory->ledger, 1, 0)->handoff_ns, 0);
}

/* ------------------------------------------------------------------ bytes */

static uint64_t sent_so_far, received_so_far;

static bool tell_bytes(const struct client *client, struct client_bytes *bytes)
{
    (void)client;
    *bytes = (struct client_bytes){1, sent_so_far, received_so_far};
    return true;
}

static const struct client_driver driver = {.bytes = tell_bytes};
static const struct client client = {.driver = &driver};

/* What the connection was opened with belongs to nobody. */
TEST_BETWEEN(test_bytes_are_counted_from_reading_to_reading, set_up, tear_down)
{
    sent_so_far = 40, received_so_far = 30;
    client_bytes(&client, &meter.bytes);
    sent_so_far = 100, received_so_far = 50;
    meter_read_bytes(&meter, &client);
    begin_handoff(100, false);
    sent_so_far = 107, received_so_far = 59;
    meter_read_bytes(&meter, &client);
    meter_read_bytes(&meter, &client);
    assert_int_equal(counted(0, TALLY_BYTES_SENT), 60);
    assert_int_equal(counted(0, TALLY_BYTES_RECEIVED), 20);
    assert_int_equal(counted(1, TALLY_BYTES_SENT), 7);
    assert_int_equal(counted(1, TALLY_BYTES_RECEIVED), 9);
}

/* Of every kind, bytes included: else what is in no row, or in another lock's, would not be found.
 */
TEST_BETWEEN(test_rows_that_do_not_sum_up_are_told_of_every_kind, set_up, tear_down)
{
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        struct tally total = {0};
        tear_down(state);
        assert_int_equal(set_up(state), 0);
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
