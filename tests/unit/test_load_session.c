// SPDX-License-Identifier: Apache-2.0
/* A load session and a client that is not there: which request follows which reply, and how many
 * are outstanding. */

#include "base/clock.h"
#include "load/load_session.h"

#include "tests/support/test.h"

#define SENT_MAX    100000
#define DEPTH       8
#define OPERATIONS  20000
#define VALUE_BYTES 10
#define ZNODES      8

/* What a session has sent, in order; the first `answered` of it have their replies. */
struct sent {
    enum operation operation;
    char path[LOAD_PATH_SIZE];
    size_t value_length; /* of a multi: of its write */
};

static struct sent list[SENT_MAX];
static size_t sent, answered;
static struct load_plan plan;
static uint32_t znodes;         /* of the next to start: that all share; 0: one for each session */
static uint32_t session_number; /* of the next to start, among the sessions of several hosts */
static struct load_result *result;
static struct load_shared *load; /* the result's */
static struct load_session session;
static struct client client;
static uint64_t time_ns;

static uint64_t now_ns(const struct client *of)
{
    (void)of;
    return time_ns;
}

static void submit(struct client *of, const struct request *request)
{
    (void)of;
    const struct request *write =
        request->operation == OP_MULTI ? &request->parts[request->part_count - 1] : request;
    assert_true(sent < SENT_MAX);
    list[sent].operation = request->operation;
    list[sent].value_length = write->value_length;
    snprintf(list[sent++].path, LOAD_PATH_SIZE, "%s", write->path);
}

static uint32_t timeout_ms(const struct client *of)
{
    (void)of;
    return 4000;
}

static void server(const struct client *of, char *text, size_t size)
{
    (void)of;
    snprintf(text, size, "somewhere:1");
}

static size_t unread(const struct client *of)
{
    (void)of;
    return 0;
}

static const struct client_driver driver = {.submit = submit,
                                            .now_ns = now_ns,
                                            .unread = unread,
                                            .timeout_ms = timeout_ms,
                                            .server = server};

static void set_alarm(void *context, uint64_t due_ns, struct actor *actor)
{
    (void)context;
    (void)due_ns;
    (void)actor;
}

/* A session of this mix that has been told to start; a rate of 0 is a closed loop. */
static void start_at(const char *mix, uint32_t depth, uint64_t rate_per_s)
{
    struct error error = {0};
    char why[160];
    plan = (struct load_plan){.fleet = {.sessions = 1, .processes = 1, .all = session_number + 1},
                              .rate_per_s = rate_per_s,
                              .value_bytes = VALUE_BYTES,
                              .znodes = znodes,
                              .seconds = 1,
                              .root = "/r"};
    if (!mix_parse(mix, &plan.mix, why, sizeof why))
        fail_msg("%s", why);
    plan.fleet.depth = mix_requests(&plan.mix, depth);
    assert_int_equal(load_result_new(&plan, &result, &error), ERROR_NONE);
    load = result->load;
    client = (struct client){
        .driver = &driver, .listener = load_session_ops.listener, .owner = &session};
    assert_int_equal(client_init(&client, plan.fleet.depth, &error), ERROR_NONE);
    session = (struct load_session){.actor = {.shared = load->shared,
                                              .worker = &load->shared->workers[0],
                                              .ops = &load_session_ops,
                                              .set_alarm = set_alarm,
                                              .client = &client,
                                              .number = session_number,
                                              .established = true}};
    load_session_ops.init(&session, load, 1);
    sent = answered = 0;
    time_ns = load->starts_ns = 1000;
    atomic_store(&load->measures_ns, time_ns);
    atomic_store(&load->settles_ns, time_ns + plan.seconds * NS_PER_S);
    load_session_ops.order(&session, ORDER_GATE);
    load_session_ops.order(&session, LOAD_ORDER_START);
}

static void start(const char *mix, uint32_t depth)
{
    start_at(mix, depth, 0);
}

static void stop(void)
{
    client_deinit(&client);
    load_result_free(result);
}

/* To the oldest request outstanding. */
static void answer(enum zk_status status)
{
    assert_true(answered < sent);
    time_ns += NS_PER_MS;
    answered++;
    client_deliver_reply(&client, &(struct client_reply){.status = status});
}

static void answer_all(enum zk_status status)
{
    while (answered < sent)
        answer(status);
}

static void lose_connection(void)
{
    client.listener->state_changed(&session, CLIENT_CONNECTING);
    answer_all(ZK_CONNECTION_LOSS);
}

static uint64_t total_of(enum tally_kind kind)
{
    return tally_read_shared(&load->workers[0].total, kind);
}

#define ASSERT_SENT(at, operation_, number)                                                        \
    do {                                                                                           \
        assert_int_equal(list[at].operation, operation_);                                          \
        assert_string_equal(list[at].path, "/r/c/0/p0000000000000000000" number);                  \
    } while (0)

/* ------------------------------------------------------------------ what is asked for */

TEST(what_is_written_has_its_size)
{
    start("set=40,create=30,multi=30", 1);
    for (unsigned i = 0; i < 100; i++)
        answer(ZK_OK);
    for (size_t i = 0; i < sent; i++)
        assert_int_equal(list[i].value_length, VALUE_BYTES);
    stop();
}

/* Each as often as the others, within five standard deviations. */
TEST(all_data_znodes_are_used)
{
    static const char *const mixes[] = {"get=100", "set=100", "exists=100", "multi=100"};
    for (size_t m = 0; m < sizeof mixes / sizeof mixes[0]; m++) {
        unsigned times[ZNODES] = {0};
        znodes = ZNODES;
        start(mixes[m], 1);
        znodes = 0;
        while (sent < 800 * ZNODES)
            answer(ZK_OK);
        for (size_t i = 0; i < sent; i++) {
            unsigned znode;
            assert_int_equal(sscanf(list[i].path, "/r/z/%u", &znode), 1);
            assert_true(znode < ZNODES);
            times[znode]++;
        }
        for (size_t i = 0; i < ZNODES; i++)
            assert_in_range(times[i], 800 - 135, 800 + 135);
        stop();
    }
}

/* As if all sessions were of one host. */
TEST(a_session_of_several_hosts_has_the_znodes_of_its_number)
{
    session_number = 5;
    start("get=50,create=50", 1);
    session_number = 0;
    while (sent < 50)
        answer(ZK_OK);
    for (size_t i = 0; i < sent; i++) {
        const char *path = list[i].operation == OP_GET ? "/r/z/5" : "/r/c/5/";
        assert_memory_equal(list[i].path, path, strlen(path));
    }
    stop();
}

/* ------------------------------------------------------------------ create-delete */

/* Each znode is deleted once, after its create was answered, and no two creates have a path. A path
 * ends in its number. */
static void assert_each_is_deleted_once(void)
{
    static uint8_t states[SENT_MAX]; /* 1: created, 2: deleted */
    memset(states, 0, sizeof states);
    for (size_t i = 0; i < sent; i++) {
        const char *name = strrchr(list[i].path, '/') + 1;
        unsigned long number = strtoul(name + 1, NULL, 10);
        if (name[0] != 'p')
            continue;
        assert_int_equal(states[number], list[i].operation == OP_CREATE ? 0 : 1);
        states[number]++;
    }
}

/* ------------------------------------------------------------------ at an offered rate */

/* Of the operations so far: late by more than so many ms. */
static uint64_t late_by(uint64_t ms)
{
    return histogram_above(&load->workers[0].windows[LOAD_MEASURED].lag, ms * NS_PER_MS);
}

/* Those so far that were due: so many were not delayed, and so many were. */
static void assert_due(uint64_t lag, uint64_t delayed)
{
    answer_all(ZK_OK);
    assert_int_equal(sent, 1 + 15);
    assert_int_equal(histogram_count(&load->workers[0].windows[LOAD_MEASURED].lag), lag);
    assert_int_equal(atomic_load(&load->workers[0].windows[LOAD_MEASURED].delayed), delayed);
}

/* An operation is due every 20 ms. In the 300 ms in which the driver does not look, 15 are; each
 * but the first then follows another one that has waited for the driver, and is as late. Where the
 * reply to the first, or a connection, has not come for so long, the driver is not late. */
TEST(what_waits_is_late_by_the_driver_or_delayed_by_the_server)
{
    enum { FOR_DRIVER, FOR_REPLY, FOR_CONNECTION };
    for (int waits = FOR_DRIVER; waits <= FOR_CONNECTION; waits++) {
        start_at("get=100", 1, 50);
        if (waits != FOR_REPLY)
            answer(ZK_OK);
        if (waits == FOR_CONNECTION)
            client.listener->state_changed(&session, CLIENT_CONNECTING);
        assert_int_equal(sent, 1);
        time_ns += 300 * NS_PER_MS;
        if (waits != FOR_REPLY)
            load_session_ops.alarm(&session, 0);
        if (waits == FOR_CONNECTION)
            client.listener->state_changed(&session, CLIENT_ESTABLISHED);
        assert_due(waits == FOR_DRIVER ? 1 + 15 : 1, waits == FOR_DRIVER ? 0 : 15);
        assert_int_equal(late_by(100), waits == FOR_DRIVER ? 10 : 0);
        assert_int_equal(late_by(10), waits == FOR_DRIVER ? 14 : 0); /* the last came due then */
        stop();
    }
}

/* Until the driver looked; what passes between that and the sending is the servers' delay. */
TEST(the_drivers_lag_ends_when_the_driver_looks)
{
    start_at("get=100", 1, 50);
    time_ns += 9 * NS_PER_MS;
    load_session_record_lag(&session, time_ns - 8 * NS_PER_MS, time_ns - 5 * NS_PER_MS, time_ns);
    load_session_record_lag(&session, time_ns - 8 * NS_PER_MS, time_ns - 6 * NS_PER_MS, time_ns);
    assert_true(load->workers[0].windows[LOAD_MEASURED].lag.max_ns == 3 * NS_PER_MS);
    assert_true(load_shared_second_sum(load, 0).lag_ns == 3 * NS_PER_MS);
    answer_all(ZK_OK);
    stop();
}

/* Each session has arrivals of its own: all together would come in bursts else. */
TEST(sessions_do_not_arrive_together)
{
    uint64_t due_ns[2];
    for (unsigned i = 0; i < 2; i++) {
        start_at("get=100", 1, 50);
        plan.poisson = true;
        load_session_ops.init(&session, load, 7 + i);
        load_session_ops.order(&session, LOAD_ORDER_START);
        due_ns[i] = session.schedule.due_ns;
        stop();
    }
    assert_int_not_equal(due_ns[0], due_ns[1]);
}

/* In a second 50 are due, of which the first was sent. What is due between the measured and the
 * contended time counts nowhere. */
TEST(what_was_never_sent_counts_in_its_window)
{
    start_at("get=100", 1, 50);
    atomic_store(&load->contends_ns, load->starts_ns + 2 * NS_PER_S);
    atomic_store(&load->ends_ns, load->starts_ns + 3 * NS_PER_S);
    time_ns = load->starts_ns + 3 * NS_PER_S;
    load_session_ops.order(&session, LOAD_ORDER_STOP);
    assert_int_equal(atomic_load(&load->workers[0].windows[LOAD_MEASURED].unsent), 49);
    assert_int_equal(atomic_load(&load->workers[0].windows[LOAD_CONTENDED].unsent), 50);
    answer_all(ZK_OK);
    stop();
}

/* ------------------------------------------------------------------ its ends */

/* What was outstanding is answered, and deleted; nothing else is sent. */
TEST(the_end_of_the_load_leaves_nothing)
{
    start("create-delete=100", 3);
    for (unsigned i = 0; i < 100; i++)
        answer(ZK_OK);
    atomic_store(&load->ends_ns, time_ns + 1);
    answer_all(ZK_OK);
    assert_int_equal(session.state, LOAD_IDLE);
    assert_int_equal(atomic_load(&load->resting), 1);
    assert_int_equal(total_of(TALLY_CREATE), total_of(TALLY_DELETE));
    assert_int_equal(total_of(TALLY_CREATE) + total_of(TALLY_DELETE), sent);
    assert_each_is_deleted_once();
    size_t before = sent;
    load_session_ops.order(&session, LOAD_ORDER_CLEAR);
    answer_all(ZK_OK);
    assert_each_is_deleted_once();
    assert_int_equal(sent, before + 2); /* its data znode and its folder */
    stop();
}

TEST(a_session_deletes_what_it_has_created)
{
    start("create=100", 1);
    for (unsigned i = 0; i < 3; i++)
        answer(ZK_OK);
    atomic_store(&load->ends_ns, time_ns + 1);
    answer_all(ZK_OK);
    uint64_t created = total_of(TALLY_CREATE);
    assert_true(created >= 4);
    size_t before = sent;
    load_session_ops.order(&session, LOAD_ORDER_CLEAR);
    answer_all(ZK_OK);
    assert_each_is_deleted_once();
    assert_int_equal(sent, before + created + 2); /* its data znode and its folder */
    stop();
}

/* Whatever is lost may have been carried out: neither is repeated, and the session goes on with
 * other znodes. */
TEST(what_a_lost_connection_leaves_is_not_deleted_twice)
{
    start("create-delete=100", 2);
    answer(ZK_OK);
    answer(ZK_OK);
    assert_int_equal(sent - answered, 4);
    lose_connection();
    assert_int_equal(client.outstanding, 0);
    assert_int_equal(session.async_deletes, 0);
    assert_int_equal(sent, 6);
    client.listener->state_changed(&session, CLIENT_ESTABLISHED);
    assert_int_equal(sent, 8);
    ASSERT_SENT(6, OP_CREATE, "4");
    ASSERT_SENT(7, OP_CREATE, "5");
    answer(ZK_OK);
    ASSERT_SENT(8, OP_DELETE, "4");
    atomic_store(&load->ends_ns, time_ns);
    answer_all(ZK_OK);
    load_session_ops.order(&session, LOAD_ORDER_CLEAR);
    answer_all(ZK_OK);
    assert_each_is_deleted_once();
    assert_int_equal(total_of(TALLY_CREATE_FAILED), 2);
    assert_int_equal(total_of(TALLY_DELETE_FAILED), 2);
    stop();
}

/* ------------------------------------------------------------------ in the background */

/* Rates are of what is answered in a time, whenever that was due. */
TEST(an_answer_counts_in_the_time_in_which_it_comes)
{
    start("get=100", 2);
    struct load_window *windows = load->workers[0].windows;
    atomic_store(&load->settles_ns, time_ns + 1);
    atomic_store(&load->contends_ns, time_ns + 1);
    answer(ZK_OK);
    answer(ZK_NO_NODE);
    assert_int_equal(windows[LOAD_MEASURED].answered + windows[LOAD_MEASURED].errors, 0);
    assert_int_equal(windows[LOAD_CONTENDED].answered, 1);
    assert_int_equal(windows[LOAD_CONTENDED].errors, 1);
    assert_int_equal(windows[LOAD_MEASURED].replied, 2);
    atomic_store(&load->ends_ns, time_ns);
    answer_all(ZK_OK);
    stop();
}

/* Beyond an hour: spans of two seconds here, the last of one. Seconds have their own counts. */
TEST(times_of_a_long_load_are_of_spans)
{
    static struct histogram times[2];
    start("get=50,set=50", 1);
    load_result_free(result);
    struct error error = {0};
    plan.seconds = LOAD_SPANS_MAX + 1;
    assert_int_equal(load_plan_span_s(&plan), 2);
    assert_int_equal(load_result_new(&plan, &result, &error), ERROR_NONE);
    load = result->load;
    atomic_store(&load->measures_ns, 1000);
    for (uint64_t second = 0; second < plan.seconds; second++)
        histogram_record(&load_shared_times(load, 0, 1000 + second * NS_PER_S)->reads, second + 1);
    for (uint32_t second = 0; second < plan.seconds; second++) {
        bool ends = second % 2 == 1 || second + 1 == plan.seconds;
        memset(times, 0, sizeof times);
        load_shared_add_times(load, second, &times[0], &times[1]);
        assert_int_equal(histogram_count(&times[0]), !ends ? 0 : second % 2 == 1 ? 2 : 1);
        assert_true(times[0].max_ns == (ends ? second + 1 : 0));
        assert_int_equal(histogram_count(&times[1]), 0);
    }
    plan.seconds = LOAD_SPANS_MAX;
    assert_int_equal(load_plan_span_s(&plan), 1);
    stop();
}

static void assert_contended(uint64_t replied, uint64_t over)
{
    uint64_t found_replied, found_over;
    load_shared_contended(load, &found_replied, &found_over);
    assert_int_equal(found_replied, replied);
    assert_int_equal(found_over, over);
}

/* Of those due in the contended time: at the limit is over, and a request that fails has not met
 * it, whenever the reply comes. */
TEST(contended_requests_are_held_against_the_limit)
{
    start("get=100", 3);
    plan.limit_ns = 2 * NS_PER_MS;
    answer(ZK_OK); /* due before the contended time */
    atomic_store(&load->contends_ns, time_ns);
    answer(ZK_OK);
    answer(ZK_OK);
    answer(ZK_OK); /* due in it, and 3 ms ago: so are the next two */
    assert_contended(1, 1);
    plan.limit_ns = 3 * NS_PER_MS;
    answer(ZK_OK);
    assert_contended(2, 2);
    plan.limit_ns = 3 * NS_PER_MS + 1;
    answer(ZK_OK);
    assert_contended(3, 2);
    atomic_store(&load->ends_ns, time_ns);
    answer(ZK_NO_NODE);
    assert_contended(4, 3);
    answer_all(ZK_OK);
    assert_int_equal(atomic_load(&load->workers[0].windows[LOAD_CONTENDED].failed), 1);
    stop();
}
