// SPDX-License-Identifier: Apache-2.0
#include "tests/support/place.h"

#include "bench/output/crew_kinds.h"
#include "fleet/internal.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

void place_expect(enum error_kind kind, const struct error *error)
{
    if (kind != ERROR_NONE)
        fail_msg("%s: %s: %s", error->subject, error_words(error->kind), error->detail);
}

struct meeting *place_open(const char *at)
{
    struct connect_string where;
    struct meeting *meeting = NULL;
    struct error error = {0};
    place_expect(connect_parse(at, &where, &error), &error);
    place_expect(meeting_open(&where, -1, true, &meeting, &error), &error);
    return meeting;
}

void place_finish(struct meeting *meeting, struct command *command)
{
    struct error error = {0};
    while (command_runs(command))
        place_expect(meeting_turn(meeting, clock_now_ns() + 20 * NS_PER_MS, &error), &error);
    command_finish(command, COMMAND_LIMIT_NS);
}

size_t place_children(struct meeting *meeting, const char *path, char last[MEETING_PATH_SIZE])
{
    const char **names = NULL;
    size_t count = 0;
    struct error error = {0};
    place_expect(meeting_list(meeting, path, NO_WATCH, &names, &count, &error), &error);
    if (last != NULL)
        snprintf(last, MEETING_PATH_SIZE, "%s", count > 0 ? names[count - 1] : "");
    free(names);
    return count;
}

bool place_is_led(struct meeting *meeting)
{
    char who[MEETING_LEADER_SIZE];
    struct error error = {0};
    place_expect(meeting_leader(meeting, NO_WATCH, who, &error), &error);
    return who[0] != '\0';
}

size_t place_waiting(struct meeting *meeting)
{
    struct meeting_member *list = NULL;
    size_t count = 0, waiting = 0;
    struct error error = {0};
    place_expect(meeting_members(meeting, NO_WATCH, &list, &count, &error), &error);
    for (size_t i = 0; i < count; i++)
        waiting += strcmp(list[i].doing, "waits") == 0;
    free(list);
    return waiting;
}

void place_await_waiting(const char *at, size_t wanted)
{
    struct meeting *meeting = place_open(at);
    uint64_t until_ns = clock_now_ns() + PLACE_NS;
    while (place_waiting(meeting) != wanted) {
        if (clock_now_ns() > until_ns)
            fail_msg("%zu workers wait, not %zu", place_waiting(meeting), wanted);
        pause_ms(5);
    }
    meeting_free(meeting);
}

void place_await_led(const char *at, bool led)
{
    struct meeting *meeting = place_open(at);
    uint64_t until_ns = clock_now_ns() + PLACE_NS;
    while (place_is_led(meeting) != led) {
        if (clock_now_ns() > until_ns)
            fail_msg("the workers are %s", led ? "not led" : "led");
        pause_ms(5);
    }
    meeting_free(meeting);
}

void place_await_job(struct meeting *meeting, char job[MEETING_PATH_SIZE])
{
    uint64_t until_ns = clock_now_ns() + PLACE_NS;
    while (place_children(meeting, "/jobs", job) == 0 || strstr(job, "-t") == NULL) {
        if (clock_now_ns() > until_ns)
            fail_msg("no job of a trial comes");
        pause_ms(5);
    }
}

void place_await_working(const char *at, size_t wanted)
{
    struct meeting *meeting = place_open(at);
    uint64_t until_ns = clock_now_ns() + PLACE_NS;
    for (;;) {
        char job[MEETING_PATH_SIZE], path[MEETING_PATH_SIZE];
        place_await_job(meeting, job);
        crew_path(job, "", path);
        size_t told = place_children(meeting, path, NULL); /* and the order */
        if (told == wanted + 1)
            break;
        if (clock_now_ns() > until_ns)
            fail_msg("%zu znodes are in job '%s'", told, job);
        pause_ms(5);
    }
    meeting_free(meeting);
}

void place_assert_empty(const char *at)
{
    struct meeting *meeting = place_open(at);
    uint64_t until_ns = clock_now_ns() + PLACE_NS;
    for (;;) {
        size_t members = place_children(meeting, "/members", NULL),
               jobs = place_children(meeting, "/jobs", NULL);
        bool led = place_is_led(meeting);
        if (members == 0 && jobs == 0 && !led)
            break;
        if (clock_now_ns() > until_ns)
            fail_msg("left in the meeting place: %zu members, %zu jobs%s", members, jobs,
                     led ? ", a lead" : "");
        pause_ms(20);
    }
    assert_int_equal(place_children(meeting, "", NULL), 2);
    meeting_free(meeting);
}

void place_start_worker(struct command *worker, const char *at, const char *option,
                        const char *value)
{
    static const char *const settings[] = {NO_PROGRAMS, NULL};
    worker->settings = settings;
    command_start(worker, COMMAND("worker", "--meet", at, option, value));
}

void place_end_worker(struct command *worker)
{
    command_end(worker, worker->pid, SIGTERM);
    assert_status(worker, 0);
}

struct meeting_member place_fake_member(void)
{
    struct meeting_member member = {.protocol = MEETING_PROTOCOL, .share = 1, .host = "fake"};
    snprintf(member.doing, sizeof member.doing, "waits");
    crew_meaning(crew_kinds, member.meaning);
    return member;
}
