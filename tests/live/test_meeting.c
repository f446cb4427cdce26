// SPDX-License-Identifier: Apache-2.0
/* Hosts meet on a real server, each in a process of its own: their ranks, their steps, their
 * records; who does not belong, who is damaged, and who goes. */
#include "base/random.h"
#include "hosts/meeting.h"
#include "tests/support/live.h"
#include "tests/support/pause.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define PLACE    "/lab"
#define SETTINGS "version 1\nsessions 8\nrate 100\n"

TEST_GROUP(live_start, live_stop)

static struct connect_string servers;
static bool is_host; /* a forked process, in which no test may fail */

static void expect(enum error_kind kind, const struct error *error)
{
    if (is_host && kind != ERROR_NONE)
        _exit(100);
    live_expect(kind, error);
}

static struct meeting_plan plan_of(uint32_t hosts, uint64_t timeout_ns)
{
    servers = live_servers;
    strcpy(servers.chroot, PLACE);
    return (struct meeting_plan){.servers = &servers,
                                 .hosts = hosts,
                                 .timeout_ns = timeout_ns,
                                 .settings = SETTINGS,
                                 .interrupts = -1};
}

static struct meeting *join(uint32_t hosts)
{
    const struct meeting_plan plan = plan_of(hosts, PATIENCE_NS);
    struct meeting *meeting = NULL;
    struct error error;
    expect(meeting_join(&plan, &meeting, &error), &error);
    return meeting;
}

static void await_step(struct meeting *meeting, enum meeting_step step)
{
    struct error error;
    expect(meeting_await(meeting, step, &error), &error);
}

/* Waits for the END of rank 0. Whether it has this status. */
static bool hears_end(struct meeting *meeting, const char *status)
{
    struct error error;
    return meeting_await(meeting, MEETING_TRIAL, &error) == ERROR_APART &&
           meeting->members[0].word >= MEETING_END &&
           strncmp(meeting->members[0].text, status, strlen(status)) == 0;
}

/* A host of its own process; its exit status is what the function returns. */
static pid_t start_host(int (*live)(void))
{
    pid_t host = fork();
    if (host != 0)
        return host;
    is_host = true;
    setup_session_abandon(live_host.setup);
    _exit(live());
}

static int end_of(pid_t host)
{
    int status;
    assert_int_equal(waitpid(host, &status, 0), host);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_nothing_left(void)
{
    bool exists;
    struct error error;
    live_expect(setup_session_exists(live_host.setup, PLACE, &exists, &error), &error);
    assert_false(exists);
}

/* Two hosts that live the same, each as its rank wants. */
static void run_two(int (*live)(void))
{
    pid_t hosts[] = {start_host(live), start_host(live)};
    for (int i = 0; i < 2; i++)
        assert_int_equal(end_of(hosts[i]), 0);
    assert_nothing_left();
}

/* ------------------------------------------------------------------ who belongs */

/* Its rank, if all agree on the names. */
static int tell_rank(void)
{
    struct meeting *meeting = join(3);
    int rank = (int)meeting->rank, leader = 0;
    char pid[16], status[16];
    snprintf(pid, sizeof pid, ":%d", (int)getpid());
    sscanf(strrchr(meeting->members[0].name, ':'), ":%d", &leader);
    snprintf(status, sizeof status, "%d", leader);
    bool agrees = strstr(meeting->members[rank].name, pid) != NULL &&
                  (rank == 0 || hears_end(meeting, status));
    meeting_leave(meeting, (int)getpid());
    return agrees ? rank : 100;
}

TEST(hosts_that_meet_have_ranks_and_the_status_of_the_first)
{
    pid_t hosts[3];
    unsigned seen = 0;
    for (int i = 0; i < 3; i++)
        hosts[i] = start_host(tell_rank);
    for (int i = 0; i < 3; i++) {
        int rank = end_of(hosts[i]);
        seen |= rank == 0 ? 1 : rank == 1 ? 2 : rank == 2 ? 4 : 8;
    }
    assert_int_equal(seen, 7);
    assert_nothing_left();
}

/* The error's detail has all these words. */
static void assert_refused(uint32_t hosts, uint64_t timeout_ns, const char *why, const char *words)
{
    const struct meeting_plan plan = plan_of(hosts, timeout_ns);
    struct meeting *meeting;
    struct error error;
    assert_int_equal(meeting_join(&plan, &meeting, &error), ERROR_NOT_MET);
    if (strstr(error.detail, why) == NULL || strstr(error.detail, words) == NULL)
        fail_msg("%s, not: %s … %s", error.detail, why, words);
}

static void await_children(size_t wanted)
{
    size_t count = 0;
    struct error error;
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (count < wanted && clock_now_ns() < until_ns)
        live_expect(setup_session_list_children(live_host.setup, PLACE, NULL, &count, &error),
                    &error);
}

static int stop[2]; /* a pipe: a byte interrupts */

static int wait_with_others(void)
{
    struct meeting_plan plan = plan_of(2, PATIENCE_NS);
    struct meeting *meeting;
    struct error error;
    plan.settings = "version 2\nsessions 9\nrate 100\n";
    plan.interrupts = stop[0];
    return (int)meeting_join(&plan, &meeting, &error);
}

TEST(hosts_with_other_settings_do_not_meet_and_are_told_which)
{
    assert_int_equal(pipe(stop), 0);
    pid_t other = start_host(wait_with_others);
    await_children(1);
    assert_refused(2, NS_PER_S, "1 of 2 hosts are there after 1.0 s; ",
                   " differs in: version, sessions");
    assert_int_equal(write(stop[1], "", 1), 1);
    assert_int_equal(end_of(other), ERROR_INTERRUPTED);
    assert_nothing_left();
}

TEST(a_host_too_many_is_refused)
{
    struct meeting *first = join(1);
    assert_refused(1, NS_PER_S, "the 1 host that --hosts asks for came before this one", "");
    meeting_leave(first, 0);
    assert_nothing_left();
}

/* A znode that no session's end removes is where a member is to be. */
static void assert_refused_with(unsigned rank, const char *bytes, size_t length, const char *why,
                                const char *words)
{
    char path[64];
    struct error error;
    const Bytef *settings = (const Bytef *)SETTINGS;
    snprintf(path, sizeof path, PLACE "/%08lx%08lx-%02u", crc32(0, settings, sizeof SETTINGS - 1),
             adler32(1, settings, sizeof SETTINGS - 1), rank);
    live_expect(setup_session_create(live_host.setup, PLACE, "", &error), &error);
    const struct request request = request_create(path, bytes, length, PERSISTENT);
    live_expect(setup_session_ask(live_host.setup, &request, path, &error), &error);
    assert_int_equal(live_host.setup->reply.status, ZK_OK);
    assert_refused(2, NS_PER_S, why, words);
    live_expect(setup_session_delete_tree(live_host.setup, PLACE, &error), &error);
}

/* Nor does a member count whose host was killed in a trial, and whose session has not ended yet;
 * nor the END of a rank 0 that others have met. */
TEST(a_member_of_garbage_is_refused)
{
    static char garbage[1000000];
    const char *const others[] = {"", "hello", "17", "17 x", "4294967295 x\n", "-1 x\n"};
    memset(garbage, '7', sizeof garbage);
    assert_refused_with(0, garbage, sizeof garbage, "has 1000000 bytes", "delete it");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_refused_with(0, others[i], strlen(others[i]), "that are no word of a host", "");
    assert_refused_with(1, "12 x\n", 5, "1 of 2 hosts are there after 1.0 s", "");
    assert_refused_with(0, "1073741824 x\n0", 14, "1 of 2 hosts are there after 1.0 s", "");
}

/* ------------------------------------------------------------------ records */

#define RECORD_NUMBERS 187500 /* four parts: random numbers cannot be packed */

/* Random numbers are sent, and taken as they were. */
static int exchange_record(void)
{
    struct meeting *meeting = join(2);
    uint64_t *numbers = calloc(RECORD_NUMBERS, sizeof *numbers), *taken;
    size_t count;
    struct random random;
    bool is_well;
    random_init(&random, 1);
    for (size_t i = 0; i < RECORD_NUMBERS; i++)
        numbers[i] = random_next(&random);
    if (meeting->rank == 0) {
        meeting_say(meeting, MEETING_TRIAL, "what to do");
        await_step(meeting, MEETING_SENT);
        taken = meeting_take(meeting, 1, &count);
        is_well = count == RECORD_NUMBERS && memcmp(taken, numbers, count * sizeof *taken) == 0;
    } else {
        await_step(meeting, MEETING_TRIAL);
        is_well = strcmp(meeting->members[0].text, "what to do") == 0;
        meeting_send(meeting, numbers, RECORD_NUMBERS);
        meeting_say(meeting, MEETING_SENT, "187500");
        is_well = hears_end(meeting, "0") && is_well;
    }
    meeting_leave(meeting, 0);
    return is_well ? 0 : 1;
}

TEST(a_record_of_several_parts_is_taken_as_it_was_sent)
{
    run_two(exchange_record);
}

/* What is said of a part of one number, and which of its bytes is another. */
static const struct damage {
    const char *said;
    int byte;
} damages[] = {{"1", 4}, {"1", 15}, {"2", -1}, {"0", -1}, {"99999999999", -1}, {"x", -1}}, *damage;

static int exchange_damaged(void)
{
    struct meeting *meeting = join(2);
    unsigned char packed[64];
    uLong length = sizeof packed;
    char path[MEETING_PATH_SIZE + 2];
    bool is_well = compress(packed, &length, (const Bytef *)"12345678", 8) == Z_OK && length == 16;
    struct error error;
    size_t count;
    if (meeting->rank == 0) {
        meeting_say(meeting, MEETING_TRIAL, "");
        await_step(meeting, MEETING_SENT);
        free(meeting_take(meeting, 1, &count));
        is_well = strncmp(meeting->why, "the record of host 1 (", 22) == 0;
    } else {
        if (damage->byte >= 0)
            packed[damage->byte] ^= 1;
        snprintf(path, sizeof path, "%s-0", meeting->members[1].path);
        const struct request part = request_create(path, packed, length, EPHEMERAL);
        await_step(meeting, MEETING_TRIAL);
        expect(setup_session_ask(meeting->session, &part, path, &error), &error);
        meeting_say(meeting, MEETING_SENT, damage->said);
        is_well = hears_end(meeting, "4: the record of host 1 (") && is_well &&
                  strstr(meeting->why, "has ended the load: the record of host 1 (") != NULL;
    }
    meeting_leave(meeting, 4);
    return is_well ? 0 : 1;
}

TEST(a_damaged_record_ends_the_meeting)
{
    for (damage = damages; damage < damages + sizeof damages / sizeof *damages; damage++)
        run_two(exchange_damaged);
}

/* ------------------------------------------------------------------ who goes, and comes again */

static int met[2]; /* a pipe: the process of rank 0, when all have met */

/* Rank 0 waits to be killed, the other one for a trial that never comes. */
static int lose_the_first(void)
{
    struct meeting *meeting = join(2);
    struct error error;
    pid_t self = getpid();
    if (meeting->rank == 0)
        return write(met[1], &self, sizeof self) == sizeof self ? pause() : 1;
    bool is_told = meeting_await(meeting, MEETING_TRIAL, &error) == ERROR_APART &&
                   strncmp(meeting->why, "host 0 (", 8) == 0 && strstr(meeting->why, "has gone");
    meeting_leave(meeting, 4);
    return is_told ? 0 : 1;
}

TEST(when_rank_0_is_killed_the_others_are_told_and_nothing_is_left)
{
    pid_t first;
    assert_int_equal(pipe(met), 0);
    pid_t hosts[] = {start_host(lose_the_first), start_host(lose_the_first)};
    close(met[1]); /* hosts that do not meet end the wait */
    assert_int_equal(read(met[0], &first, sizeof first), sizeof first);
    kill(first, SIGKILL);
    for (int i = 0; i < 2; i++)
        assert_int_equal(end_of(hosts[i]), hosts[i] == first ? -1 : 0);
    assert_nothing_left();
}

static int leave_early(void)
{
    struct meeting *meeting = join(2);
    await_step(meeting, MEETING_TRIAL);
    meeting_break(meeting, "too early");
    return meeting_leave(meeting, 4) == 7 ? 0 : 1;
}

/* A host is killed when it is alone: its member stays until its session ends, and another is at
 * rank 1 by then. */
TEST(a_rank_that_has_become_free_is_taken_and_rank_0_is_told_who_leaves)
{
    struct error error;
    pid_t first = start_host(leave_early);
    await_children(1);
    kill(first, SIGKILL);
    (void)end_of(first);
    pid_t second = start_host(leave_early);
    await_children(2);
    struct meeting *meeting = join(2);
    assert_int_equal(meeting->rank, 0);
    meeting_say(meeting, MEETING_TRIAL, "what to do");
    assert_int_equal(meeting_await(meeting, MEETING_SENT, &error), ERROR_APART);
    assert_non_null(strstr(meeting->why, "host 1 ("));
    assert_non_null(strstr(meeting->why, "has ended the load: too early"));
    meeting_end(meeting, MEETING_END, 4);
    meeting_leave(meeting, 7);
    assert_int_equal(end_of(second), 0);
    assert_nothing_left();
}

static int64_t owner_of(const char *path)
{
    struct error error;
    live_expect(setup_session_read(live_host.setup, OP_GET, path, &error), &error);
    return live_host.setup->reply.status == ZK_OK ? live_host.setup->reply.owner : 0;
}

/* Goes when the first trial begins, and comes again: for another meeting, which is none. */
static int come_again(void)
{
    struct meeting_plan plan = plan_of(2, PATIENCE_NS);
    struct meeting *meeting;
    struct error error;
    expect(setup_session_new(&live_servers, NULL, PATIENCE_NS, -1, &live_host.setup, &error),
           &error);
    await_children(1);
    setup_session_free(live_host.setup);
    meeting = join(2);
    await_step(meeting, MEETING_TRIAL);
    setup_session_free(meeting->session);
    plan.interrupts = stop[0];
    return (int)meeting_join(&plan, &meeting, &error);
}

TEST(a_host_that_comes_at_the_rank_of_another_is_not_taken_for_it)
{
    struct error error;
    assert_int_equal(pipe(stop), 0);
    pid_t other = start_host(come_again);
    struct meeting *meeting = join(2);
    const char *path = meeting->members[1].path;
    int64_t first = owner_of(path), owner;
    meeting_say(meeting, MEETING_TRIAL, "");
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    do
        owner = owner_of(path);
    while ((owner == first || owner == 0) && clock_now_ns() < until_ns);
    assert_int_equal(meeting_await(meeting, MEETING_SENT, &error), ERROR_APART);
    assert_non_null(strstr(meeting->why, "host 1 ("));
    assert_non_null(strstr(meeting->why, "has gone"));
    assert_int_equal(owner_of(path), owner);
    assert_int_equal(write(stop[1], "", 1), 1);
    assert_int_equal(end_of(other), ERROR_INTERRUPTED);
    meeting_leave(meeting, 4);
    assert_nothing_left();
}
