// SPDX-License-Identifier: Apache-2.0
/* Results of hosts that take several chunks: what the run takes is what they have sent, byte for
 * byte, and what is not whole is refused. */
#include "fleet/internal.h"
#include "load/internal.h"
#include "tests/support/outside.h"
#include "tests/support/place.h"
#include "tests/support/test.h"

#define SESSIONS  9
#define PROCESSES 5
#define SECONDS   8

TEST_GROUP(outside_start, outside_stop)

/* The processes of each host; the last process runs nowhere, and stays empty. */
static const struct {
    uint32_t first, count;
} hosts[] = {{0, 1}, {1, 3}};
enum { HOSTS = sizeof hosts / sizeof hosts[0] };

static struct load_plan plan = {.fleet = {.sessions = SESSIONS, .processes = PROCESSES, .depth = 1},
                                .mix = {.percent = {[LOAD_GET] = 100}},
                                .seconds = SECONDS,
                                .root = "/r"};
static char at[80];
static struct meeting *meeting;
static struct load_shared *theirs, *ours; /* of all hosts in one, and of the run */
static struct crew_state states[HOSTS];
static struct random chance;
static struct error error;

/* ------------------------------------------------------------------ what hosts have counted */

/* Counts that do not compress well. */
static void fill(struct histogram *histogram)
{
    for (size_t slot = 0; slot < HISTOGRAM_COUNTS; slot++) {
        histogram->counts[slot] = random_below(&chance, 256);
        histogram->total += histogram->counts[slot];
    }
    histogram->blocks = (UINT64_C(1) << HISTOGRAM_COUNTS / HISTOGRAM_HALF_SLOTS) - 1;
    histogram->overflow = random_below(&chance, 256);
}

static void fill_process(uint32_t process)
{
    struct load_worker *worker = &theirs->workers[process];
    struct load_window *window = &worker->windows[LOAD_MEASURED];
    worker->replied = random_next(&chance);
    window->answered = random_next(&chance);
    window->replies[LOAD_GET][ZK_NO_NODE] = random_next(&chance);
    fill(&window->lag);
    fill(&window->service[0][LOAD_GET]);
    fill(&window->response[ROLES - 1][LOAD_GET]);
    theirs->shared->workers[process].rss_kib = random_next(&chance);
    for (uint32_t i = process; i < SESSIONS; i += PROCESSES)
        theirs->shared->sessions[i].id = (int64_t)random_next(&chance);
    for (uint32_t second = 0; second < SECONDS; second++) {
        theirs->seconds[process * SECONDS + second].answered = random_next(&chance);
        fill(&theirs->times[process * SECONDS + second].reads);
        fill(&theirs->times[process * SECONDS + second].writes);
    }
}

static struct fleet fleet_of(struct load_shared *load)
{
    return (struct fleet){.shared = load->shared, .kind = load, .remote = &load_crew_kind};
}

static void path_of(size_t host, char path[MEETING_PATH_SIZE])
{
    snprintf(path, MEETING_PATH_SIZE, "/jobs/host-%zu", host);
}

static int make(void **state)
{
    char path[MEETING_PATH_SIZE];
    (void)state;
    random_init(&chance, 1);
    snprintf(at, sizeof at, "%s/parts", outside);
    meeting = place_open(at);
    place_expect(load_shared_new(&plan, &theirs, &error), &error);
    place_expect(load_shared_new(&plan, &ours, &error), &error);
    const struct fleet fleet = fleet_of(theirs);
    memset(states, 0, sizeof states);
    for (size_t host = 0; host < HOSTS; host++) {
        for (uint32_t i = 0; i < hosts[host].count; i++)
            fill_process(hosts[host].first + i);
        path_of(host, path);
        place_expect(crew_parts_send(meeting, path, &fleet, hosts[host].first, hosts[host].count,
                                     &states[host], &error),
                     &error);
    }
    return 0;
}

/* Those of results that were not taken whole. */
static void remove_chunks(void)
{
    char name[MEETING_PATH_SIZE], path[MEETING_PATH_SIZE + 8];
    while (place_children(meeting, "/jobs", name) > 0) {
        snprintf(path, sizeof path, "/jobs/%s", name);
        place_expect(meeting_delete(meeting, path, &error), &error);
    }
}

/* Servers may have ended the session: nothing is heard of it while all results are compared. */
static int clear_away(void **state)
{
    (void)state;
    load_shared_free(theirs);
    load_shared_free(ours);
    meeting_free(meeting);
    meeting = place_open(at);
    remove_chunks();
    meeting_free(meeting);
    return 0;
}

#define PARTS_TEST(test) TEST_BETWEEN(test, make, clear_away)

/* ------------------------------------------------------------------ what the run takes */

static size_t chunks_left(void)
{
    return place_children(meeting, "/jobs", NULL);
}

static enum error_kind take(size_t host, const struct crew_state *state)
{
    const struct fleet fleet = fleet_of(ours);
    char path[MEETING_PATH_SIZE];
    path_of(host, path);
    return crew_parts_take(meeting, path, &fleet, hosts[host].first, hosts[host].count, state,
                           &error);
}

/* Hundreds of megabytes, most of which nobody has written: cmocka would look at them one by one. */
static void assert_same(const void *taken, const void *sent, size_t bytes)
{
    assert_int_equal(memcmp(taken, sent, bytes), 0);
}

PARTS_TEST(results_in_many_chunks_come_whole)
{
    size_t sent = 0;
    for (size_t host = 0; host < HOSTS; host++) {
        assert_true(states[host].parts > 1);
        sent += states[host].parts;
    }
    assert_int_equal(chunks_left(), sent);
    for (size_t host = 0; host < HOSTS; host++)
        place_expect(take(host, &states[host]), &error);
    assert_int_equal(chunks_left(), 0);
    assert_same(ours->workers, theirs->workers, PROCESSES * sizeof *ours->workers);
    assert_same(ours->seconds, theirs->seconds, PROCESSES * SECONDS * sizeof *ours->seconds);
    assert_same(ours->times, theirs->times, PROCESSES * SECONDS * sizeof *ours->times);
    for (size_t i = 0; i < SESSIONS; i++)
        assert_int_equal(ours->shared->sessions[i].id, theirs->shared->sessions[i].id);
    for (size_t i = 0; i < PROCESSES; i++)
        assert_int_equal(ours->shared->workers[i].rss_kib, theirs->shared->workers[i].rss_kib);
}

/* Its first chunk is good, and says nothing of how many follow. */
PARTS_TEST(results_without_a_later_chunk_are_refused)
{
    char path[MEETING_PATH_SIZE + 16], of_host[MEETING_PATH_SIZE];
    struct crew_state fewer = states[0];
    fewer.parts--;
    assert_int_equal(take(0, &fewer), ERROR_MALFORMED);
    assert_has(error.detail, "are cut short");
    path_of(1, of_host);
    snprintf(path, sizeof path, "%s-part-1", of_host);
    place_expect(meeting_delete(meeting, path, &error), &error);
    assert_int_equal(take(1, &states[1]), ERROR_MALFORMED);
    assert_has(error.detail, "there is no such znode");
    assert_has(error.subject, path);
}

/* Two chunks of one size in the wrong order. */
PARTS_TEST(results_whose_chunks_are_exchanged_are_refused)
{
    static const char *const ends[] = {"-part-0", "-part-1"};
    const struct sync_session *session = &meeting->setup->session;
    static char data[2][1024 * 1024];
    size_t length[2];
    char path[2][MEETING_PATH_SIZE + 16], of_host[MEETING_PATH_SIZE];
    path_of(1, of_host);
    assert_true(states[1].parts > 2); /* the last is shorter than the others */
    for (size_t i = 0; i < 2; i++) {
        bool there = false;
        snprintf(path[i], sizeof path[i], "%s%s", of_host, ends[i]);
        place_expect(meeting_get(meeting, path[i], NO_WATCH, &there, &error), &error);
        assert_true(there && session->value_length <= sizeof data[i]);
        length[i] = session->value_length;
        memcpy(data[i], session->value, length[i]);
    }
    for (size_t i = 0; i < 2; i++)
        place_expect(meeting_set(meeting, path[i], data[1 - i], length[1 - i], NULL, &error),
                     &error);
    assert_int_equal(take(1, &states[1]), ERROR_MALFORMED);
}

/* A chunk is no larger than what the meeting place takes at once, and none is nearly empty but the
 * last: half a mebibyte each. */
PARTS_TEST(chunks_are_of_half_a_mebibyte)
{
    char path[MEETING_PATH_SIZE + 16], of_host[MEETING_PATH_SIZE];
    path_of(1, of_host);
    for (uint32_t chunk = 0; chunk < states[1].parts; chunk++) {
        bool there = false;
        snprintf(path, sizeof path, "%s-part-%u", of_host, chunk);
        place_expect(meeting_get(meeting, path, NO_WATCH, &there, &error), &error);
        assert_true(there);
        if (chunk + 1 < states[1].parts)
            assert_int_equal(meeting->setup->session.value_length, 512 * 1024);
        else
            assert_true(meeting->setup->session.value_length <= 512 * 1024);
    }
}
