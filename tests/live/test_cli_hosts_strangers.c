// SPDX-License-Identifier: Apache-2.0
/* Hosts that are late, members that are no workers, and runs that have gone: whatever others write
 * to the meeting place, and whoever dies, no result is spoilt and nothing is left. */
#include "bench/output/crew_kinds.h"
#include "fleet/internal.h"
#include "load/internal.h"
#include "recipes/registry.h"
#include "tests/support/asked.h"
#include "tests/support/hosts.h"
#include "trial/internal.h"

#include <zlib.h>

#define ROOT    "/zkherd-20260101T000000Z-0000001"
#define DAMAGED "the results of this host "
#define MIB     (1024 * 1024)

TEST_GROUP(hosts_start, hosts_stop)

/* ------------------------------------------------------------------ what a stranger writes */

/* What it tells, and the data of its only chunk; NULL: it has none. */
struct lie {
    const char *text; /* instead of a state */
    uint32_t parts;
    const void *chunk;
    size_t length;
    const char *digest; /* NULL: a wrong one */
    size_t live, lives; /* from which on so many of what it counts are as large as can be */
    enum error_kind gives_up;
    const char *words;
};

static void tell_lie(struct meeting *meeting, const char *job, const struct meeting_member *member,
                     const struct lie *lie)
{
    struct crew_state state = {.serial = 1, .inquiry = 1, .final = true, .parts = lie->parts};
    struct growing_text text = {0};
    struct error error = {0};
    char path[MEETING_PATH_SIZE], chunk[MEETING_PATH_SIZE + 16];
    crew_path(job, member->name, path);
    snprintf(chunk, sizeof chunk, "%s-part-0", path);
    state.error = (uint32_t)lie->gives_up;
    state.final = lie->lives == 0;
    memset(&state.live[lie->live], 0xff, lie->lives * sizeof state.live[0]);
    snprintf(state.detail, sizeof state.detail, "%s", lie->gives_up ? "it\nwill not" : "");
    memset(state.digest, '0', sizeof state.digest - 1);
    if (lie->digest != NULL)
        snprintf(state.digest, sizeof state.digest, "%s", lie->digest);
    text_fields_write(crew_state_fields, &state, &text);
    if (lie->chunk != NULL)
        place_expect(
            meeting_create(meeting, chunk, PERSISTENT, lie->chunk, lie->length, NULL, &error),
            &error);
    const char *told = lie->text != NULL ? lie->text : text.text;
    place_expect(meeting_create(meeting, path, EPHEMERAL, told, strlen(told), NULL, &error),
                 &error);
    free(text.text);
}

/* A run of this command with one worker, which the test plays, has one row in this file. */
static void check_lie(const struct lie *lie, const char *const arguments[], const char *file)
{
    struct meeting *meeting = place_open(meet);
    struct meeting_member member = place_fake_member();
    struct error error = {0};
    char job[MEETING_PATH_SIZE] = "";
    place_expect(meeting_join(meeting, &member, &error), &error);
    command_start(&hosts_run, arguments);
    place_await_job(meeting, job);
    tell_lie(meeting, job, &member, lie);
    place_finish(meeting, &hosts_run);
    hosts_assert_spoilt(file, lie->words);
    assert_int_equal(place_children(meeting, "/jobs", NULL), 0);
    meeting_free(meeting);
    folder_remove(in_work("out"));
}

/* The order of this job behind one with that serial. */
static struct crew_order await_order(struct meeting *meeting, const char *job, uint64_t serial)
{
    struct crew_order order = {0};
    struct error error = {0};
    char path[MEETING_PATH_SIZE];
    uint64_t until_ns = clock_now_ns() + PLACE_NS;
    bool there = false;
    crew_path(job, "order", path);
    while (order.serial <= serial) {
        place_expect(meeting_get(meeting, path, NO_WATCH, &there, &error), &error);
        const char *text = meeting->setup->session.value;
        if (there)
            (void)!text_fields_read(crew_order_fields, &order, sizeof order, &text);
        if (clock_now_ns() > until_ns)
            fail_msg("no order follows %llu", (unsigned long long)serial);
        pause_ms(2);
    }
    return order;
}

static void tell_state(struct meeting *meeting, const char *path, const struct crew_state *told)
{
    struct growing_text text = {0};
    struct error error = {0};
    bool there = false;
    text_fields_write(crew_state_fields, told, &text);
    place_expect(meeting_create(meeting, path, EPHEMERAL, text.text, text.length, &there, &error),
                 &error);
    if (there)
        place_expect(meeting_set(meeting, path, text.text, text.length, NULL, &error), &error);
    free(text.text);
}

/* The head of a record, as crew_parts.c has it. */
struct record {
    uint32_t process, index;
    uint64_t size_bytes;
};

static size_t pack(const void *records, size_t bytes, unsigned char *packed, size_t size)
{
    uLongf length = size;
    assert_int_equal(compress(packed, &length, records, bytes), Z_OK);
    return length;
}

/* A host that the test plays: its two sessions send nothing. */
struct played {
    struct meeting *meeting;
    struct meeting_member member;
    char job[MEETING_PATH_SIZE], path[MEETING_PATH_SIZE];
    struct crew_state told;
    uint64_t begun_ns, stopped_ns; /* when it obeyed these orders */
};

/* It begins late, after the order to start. */
static void obey_command(struct played *played, int given)
{
    if (given == LOAD_ORDER_START) {
        pause_ms(1500);
        played->begun_ns = clock_now_ns();
        return;
    }
    if (given == LOAD_ORDER_STOP)
        played->stopped_ns = clock_now_ns();
    played->told.rests += 2;
}

static void send_nothing(struct played *played)
{
    static const struct record end = {1, 0, 0};
    struct crew_state *told = &played->told;
    unsigned char packed[64];
    struct sha256 sha256;
    struct error error = {0};
    char chunk[MEETING_PATH_SIZE + 16];
    size_t length = pack(&end, sizeof end, packed, sizeof packed);
    snprintf(chunk, sizeof chunk, "%s-part-0", played->path);
    place_expect(meeting_create(played->meeting, chunk, PERSISTENT, packed, length, NULL, &error),
                 &error);
    sha256_begin(&sha256);
    sha256_add(&sha256, &end, sizeof end);
    sha256_end(&sha256, told->digest);
    told->parts = 1;
    told->final = true;
}

/* The last readings come late, too. */
static void obey(struct played *played, const struct crew_order *order)
{
    struct crew_state *told = &played->told;
    if (order->commanded != told->taken)
        obey_command(played, (int)(order->command >> 32));
    if (order->inquiry != told->inquiry)
        send_nothing(played);
    if (order->phase == PHASE_MEASURED && told->ready == 0) {
        pause_ms(2500);
        told->ready = 1;
    }
    told->closed = order->phase == PHASE_CLOSE;
    told->serial = order->serial;
    told->taken = order->commanded;
    told->inquiry = order->inquiry;
}

/* A host may be slower than others, in all that it is told. */
HOSTS_TEST(a_host_that_is_late_is_waited_for)
{
    struct played played = {.meeting = place_open(meet), .member = place_fake_member()};
    struct error error = {0};
    played.told.established = 2;
    place_expect(meeting_join(played.meeting, &played.member, &error), &error);
    command_start(&hosts_run,
                  COMMAND(LOAD, "-n", "2", "--rate", "100", "--duration", "2s", "--warm-up", "0",
                          "--meet", meet, "--workers", "1", "-o", "out"));
    place_await_job(played.meeting, played.job);
    crew_path(played.job, played.member.name, played.path);
    tell_state(played.meeting, played.path, &played.told);
    while (!played.told.closed) {
        const struct crew_order order = await_order(played.meeting, played.job, played.told.serial);
        obey(&played, &order);
        tell_state(played.meeting, played.path, &played.told);
    }
    assert_true(played.begun_ns > 0);
    assert_true(played.stopped_ns - played.begun_ns >= 2 * NS_PER_S);
    command_finish(&hosts_run, COMMAND_LIMIT_NS);
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    assert_int_equal(load.rows, 1);
    assert_string_equal(csv_file_text(&load, 0, "reconciled"), "yes");
    csv_file_deinit(&load);
    meeting_free(played.meeting);
}

/* A session whose server has a role that there is not, and nothing else. */
static size_t pack_role(unsigned char *packed, size_t size, char digest[SHA256_TEXT_SIZE])
{
    const struct {
        struct record head;
        struct shared_session session;
        struct record end;
    } all = {{0, 1, sizeof all.session}, {.role = (enum role)99}, {1, 0, 0}};
    struct sha256 sha256;
    sha256_begin(&sha256);
    sha256_add(&sha256, &all, sizeof all);
    sha256_end(&sha256, digest);
    return pack(&all, sizeof all, packed, size);
}

HOSTS_TEST(results_that_are_not_whole_spoil_the_trial)
{
    static char large[MIB / 2 + 1];
    static const struct record one = {1, 0, 0}, two = {2, 0, 8}, zero = {0, 0, 8};
    unsigned char end[64], another[64], other_size[64], role[512];
    char digest[SHA256_TEXT_SIZE];
    size_t end_length = pack(&one, sizeof one, end, sizeof end);
    size_t another_length = pack(&two, sizeof two, another, sizeof another);
    size_t other_length = pack(&zero, sizeof zero, other_size, sizeof other_size);
    size_t role_length = pack_role(role, sizeof role, digest);
    const struct lie lies[] = {
        {.text = "garbage", .words = "has told what is no state of a worker"},
        {.text = "", .words = "has told what is no state of a worker"},
        {.parts = 0, .words = DAMAGED "are cut short"},
        {.parts = UINT32_MAX, .words = "there is no such znode"},
        {.parts = 1, .chunk = "garbage", .length = 7, .words = DAMAGED "cannot be decompressed"},
        {.parts = 1, .chunk = "", .length = 0, .words = DAMAGED "cannot be decompressed"},
        {.parts = 1, .chunk = large, .length = sizeof large, .words = "larger than a chunk"},
        {.parts = 1, .chunk = end, .length = end_length - 9, .words = DAMAGED "are cut short"},
        {.parts = 1, .chunk = another, .length = another_length, .words = "are of another plan"},
        {.parts = 1, .chunk = other_size, .length = other_length, .words = "are of another plan"},
        {.parts = 1, .chunk = end, .length = end_length, .words = "another digest than it told"},
        {.parts = 1,
         .chunk = role,
         .length = role_length,
         .digest = digest,
         .words = "no worker writes"},
        {.gives_up = ERROR_NOT_VALID, .words = "on fake has given up: it?will not"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
        check_lie(&lies[i], COMMAND(LOAD, ENDLESS, "-o", "out", "--meet", meet, "--workers", "1"),
                  "out/load.csv");
}

/* A lock's holder, who was granted it, and of whom a violation is: places in the run's memory. The
 * numbers are those of what a host tells in lib/trial/lock_crew.c, and in lock_scattered.c. */
HOSTS_TEST(a_session_that_there_is_not_holds_no_lock)
{
    static const struct {
        const char *pace;
        size_t live, lives;
    } told[] = {{"lockstep", 3 * TALLY_KINDS + 1, 1},
                {"lockstep", 3 * TALLY_KINDS + 11, 1},
                {"lockstep", 3 * TALLY_KINDS + 15, LOCK_CREW_VIOLATION_WORDS},
                {"free", TALLY_KINDS + 5, LOCK_CREW_VIOLATION_WORDS}};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        const struct lie lie = {.live = told[i].live,
                                .lives = told[i].lives,
                                .words = "has told what is no state of a worker"};
        check_lie(&lie,
                  COMMAND("run", "--connect", outside, "--timeout", PATIENCE, "-t", "1", "-n", "2",
                          "-r", "scalable", "--pace", told[i].pace, "--noise", "off", "-o", "out",
                          "--meet", meet, "--workers", "1"),
                  "out/trials.csv");
    }
}

/* A worker is chosen among znodes that are none. */
HOSTS_TEST(what_is_no_worker_is_left_alone)
{
    struct meeting *meeting = place_open(meet);
    struct error error = {0};
    char *garbage = memory_new(MIB, 1);
    struct meeting_member member = place_fake_member(), idle = member, greedy = member;
    idle.share = 0;
    greedy.share = MEETING_SHARE_MAX + 1;
    place_expect(meeting_join(meeting, &idle, &error), &error);
    place_expect(meeting_join(meeting, &greedy, &error), &error);
    member.meaning[0] = member.meaning[0] == 'f' ? '0' : 'f';
    snprintf(member.host, sizeof member.host, "no UTF-8: \xff");
    place_expect(meeting_join(meeting, &member, &error), &error);
    memset(garbage, 'x', MIB);
    place_expect(
        meeting_create(meeting, "/members/garbage", EPHEMERAL, garbage, MIB - 200, NULL, &error),
        &error);
    place_expect(meeting_create(meeting, "/members/empty", EPHEMERAL, NULL, 0, NULL, &error),
                 &error);
    free(garbage);
    place_start_worker(&workers[0], meet, "--share", "1");
    place_await_waiting(meet, 2); /* the other one says so, too */
    json_t *root = hosts_list();
    const json_t *list = json_object_get(root, "workers");
    assert_int_equal(json_array_size(list), 6);
    for (size_t i = 0; i < 6; i++) {
        const json_t *worker = json_array_get(list, i);
        bool is_ours = json_integer_value(json_object_get(worker, "process")) == workers[0].pid;
        assert_int_equal(json_is_true(json_object_get(worker, "usable")), is_ours);
    }
    json_decref(root);
    command_start(&hosts_run,
                  COMMAND(LOAD, AT_A_RATE, "-o", "out", "--meet", meet, "--workers", "1"));
    place_finish(meeting, &hosts_run);
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    hosts_assert_counted(&load);
    csv_file_deinit(&load);
    meeting_free(meeting);
    hosts_end_workers(1);
}

HOSTS_TEST(who_leads_may_be_any_bytes)
{
    struct meeting *meeting = place_open(meet);
    struct error error = {0};
    place_expect(meeting_lead(meeting, "no UTF-8: \xff", &error), &error);
    /* As when the reply to the first was lost. */
    place_expect(meeting_lead(meeting, "no UTF-8: \xff", &error), &error);
    json_t *root = hosts_list();
    const char *leader = json_string_value(json_object_get(root, "leader"));
    assert_non_null(leader);
    assert_has(leader, "no UTF-8: ");
    json_decref(root);
    meeting_free(meeting);
}

/* ------------------------------------------------------------------ jobs of a stranger */

/* A job for one member, and the plan of a load at a rate. */
struct forgery {
    struct crew_job job;
    struct crew_job_seat seat;
    const char *plan; /* instead of the load's */
};

static struct forgery forgery_for(const char *member)
{
    struct forgery forgery = {.job = {.protocol = MEETING_PROTOCOL,
                                      .driver = DRIVER_EVENTS,
                                      .depth = 1,
                                      .session_timeout_ms = 10000,
                                      .timeout_ns = NS_PER_S,
                                      .seed = 1,
                                      .sessions = 2,
                                      .processes = 1,
                                      .hosts = 1},
                              .seat = {.count = 1}};
    crew_meaning(crew_kinds, forgery.job.meaning);
    snprintf(forgery.job.kind, sizeof forgery.job.kind, "load");
    snprintf(forgery.job.servers, sizeof forgery.job.servers, "%s", outside);
    snprintf(forgery.job.root, sizeof forgery.job.root, ROOT "/t0000");
    snprintf(forgery.seat.member, sizeof forgery.seat.member, "%s", member);
    return forgery;
}

static char *describe_load(void)
{
    char why[160];
    struct load_plan plan = {.rate_per_s = 10, .value_bytes = 8, .seconds = 5};
    assert_true(mix_parse("get=100", &plan.mix, why, sizeof why));
    return load_crew_describe(&plan);
}

static void give_job(struct meeting *meeting, const char *name, const struct forgery *forgery)
{
    struct growing_text text = {0};
    struct error error = {0};
    char path[MEETING_PATH_SIZE];
    char *plan = describe_load();
    text_fields_write(crew_job_fields, &forgery->job, &text);
    text_fields_write(crew_job_seat_fields, &forgery->seat, &text);
    growing_text_add(&text, "%s", forgery->plan != NULL ? forgery->plan : plan);
    crew_path(name, "", path);
    place_expect(meeting_create(meeting, path, PERSISTENT, text.text, text.length, NULL, &error),
                 &error);
    free(text.text);
    free(plan);
}

static void remove_job(struct meeting *meeting, const char *name)
{
    struct error error = {0};
    char path[MEETING_PATH_SIZE];
    crew_path(name, "", path);
    place_expect(meeting_delete(meeting, path, &error), &error);
}

static void give_text(struct meeting *meeting, const char *name, const char *data, size_t length)
{
    struct error error = {0};
    char path[MEETING_PATH_SIZE];
    crew_path(name, "", path);
    place_expect(meeting_create(meeting, path, PERSISTENT, data, length, NULL, &error), &error);
}

/* A place that the test leads, and the name of the only worker there, which has this option. */
static struct meeting *lead_one_worker(char member[MEETING_PATH_SIZE], const char *option,
                                       const char *value)
{
    struct meeting *meeting = place_open(meet);
    struct error error = {0};
    place_start_worker(&workers[0], meet, option, value);
    place_expect(meeting_lead(meeting, "a test", &error), &error);
    while (place_waiting(meeting) != 1)
        pause_ms(5);
    place_children(meeting, "/members", member);
    return meeting;
}

/* The worker gives the job up, and waits for the next. Its sentences are whole when it has ended.
 */
static void check_refused(struct meeting *meeting, const char *name, const struct forgery *forgery)
{
    char said[256];
    give_job(meeting, name, forgery);
    snprintf(said, sizeof said, "job %s was given up: ", name);
    await_words(&workers[0], workers[0].err_descriptor, said, 1);
    while (place_waiting(meeting) != 1)
        pause_ms(5);
    remove_job(meeting, name);
}

HOSTS_TEST(a_worker_goes_on_after_jobs_that_are_none)
{
    static const char *const words[] = {
        "job b-nobody was given up: its data are no job of zkherd",
        "job c-nothing was given up: its data are no job of zkherd",
        "job d-beyond was given up: its data are no job of zkherd",
        "job e-processes was given up: its data are no job of zkherd",
        "job f-meaning was given up: the run is of another version, whose results have another "
        "meaning",
        "job g-protocol was given up: the run is of another version, whose results have another "
        "meaning",
        "dance: this worker knows no such kind of trial",
        "load: what the run has written is no plan",
        "job j-servers was given up: ",
        "job k-sessions was given up: its data are no job of zkherd",
        "job l-share was given up: this worker runs fewer processes (--share)",
    };
    char member[MEETING_PATH_SIZE], *garbage = memory_new(MIB, 1);
    struct meeting *meeting = lead_one_worker(member, "--share", "1");
    const struct forgery sound = forgery_for(member);
    struct forgery one;
    memset(garbage, 'x', MIB);
    give_text(meeting, "a-empty", "", 0);
    give_text(meeting, "a-garbage", "garbage", 7);
    give_text(meeting, "a-large", garbage, MIB - 200);
    free(garbage);

    one = sound;
    one.job.sessions = one.job.processes = one.seat.count = 0;
    check_refused(meeting, "b-nobody", &one);
    one = sound;
    one.seat.count = 0;
    check_refused(meeting, "c-nothing", &one);
    one = sound;
    one.seat.first = UINT32_MAX;
    check_refused(meeting, "d-beyond", &one);
    one = sound;
    one.job.processes = 3;
    check_refused(meeting, "e-processes", &one);
    one = sound;
    one.job.meaning[0] = 'x';
    check_refused(meeting, "f-meaning", &one);
    one = sound;
    one.job.protocol++;
    check_refused(meeting, "g-protocol", &one);
    one = sound;
    snprintf(one.job.kind, sizeof one.job.kind, "dance");
    check_refused(meeting, "h-kind", &one);
    one = sound;
    one.plan = "garbage";
    check_refused(meeting, "i-plan", &one);
    one = sound;
    snprintf(one.job.servers, sizeof one.job.servers, ":::");
    check_refused(meeting, "j-servers", &one);
    one = sound;
    one.job.sessions = UINT32_MAX;
    check_refused(meeting, "k-sessions", &one);
    one = sound;
    one.job.processes = one.seat.count = 2;
    check_refused(meeting, "l-share", &one);
    meeting_free(meeting);
    place_await_waiting(meet, 1);
    meeting = place_open(meet);
    remove_job(meeting, "a-empty");
    remove_job(meeting, "a-garbage");
    remove_job(meeting, "a-large");
    meeting_free(meeting);
    hosts_end_workers(1);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_has(workers[0].err, words[i]);
}

/* What a worker removes when a run has gone is that run's. */
HOSTS_TEST(a_worker_removes_nothing_but_znodes_of_runs)
{
    static const char *const roots[] = {"/precious/t0000",    "/precious",        "/",
                                        "/zkherd-x/../t0000", "/zookeeper/t0000", "precious"};
    char member[MEETING_PATH_SIZE], name[16];
    struct meeting *meeting = lead_one_worker(member, "--share", "1");
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        struct forgery one = forgery_for(member);
        snprintf(one.job.root, sizeof one.job.root, "%s", roots[i]);
        snprintf(name, sizeof name, "root-%zu", i);
        check_refused(meeting, name, &one);
    }
    meeting_free(meeting);
    hosts_end_workers(1);
    assert_int_equal(count_words(workers[0].err, ": its data are no job of zkherd"),
                     sizeof roots / sizeof roots[0]);
}

/* The run has gone when it had given the job, and no order. */
HOSTS_TEST(a_worker_waits_for_no_order_of_a_run_that_has_gone)
{
    char member[MEETING_PATH_SIZE];
    struct meeting *meeting = lead_one_worker(member, "--share", "1");
    const struct forgery sound = forgery_for(member);
    give_job(meeting, "early", &sound);
    await_words(&workers[0], workers[0].err_descriptor, "job early begins", 1);
    while (place_children(meeting, "/jobs/early", NULL) == 0) /* it has told something */
        pause_ms(5);
    meeting_free(meeting);
    await_words(&workers[0], workers[0].err_descriptor, "job early was given up: ", 1);
    place_await_waiting(meet, 1);
    hosts_end_workers(1);
    assert_has(workers[0].err, "its znodes are removed");
}

static void give_order(struct meeting *meeting, const char *path, uint64_t serial,
                       enum fleet_phase phase, bool quiet)
{
    struct crew_order order = {.serial = serial, .phase = phase, .quiet = quiet};
    struct growing_text text = {0};
    struct error error = {0};
    for (size_t i = 0; i < CREW_TIMES_MAX; i++)
        order.times_ns[i] = UINT64_MAX;
    text_fields_write(crew_order_fields, &order, &text);
    place_expect(serial == 1 ? meeting_create(meeting, path, PERSISTENT, text.text, text.length,
                                              NULL, &error)
                             : meeting_set(meeting, path, text.text, text.length, NULL, &error),
                 &error);
    free(text.text);
}

static char *describe_lock(void)
{
    const struct trial_plan plan = {.recipe = registry_find("scalable")};
    return lock_crew_describe(&plan);
}

/* The first order of a job has these values somewhere: the worker gives the job up. */
static void check_order_refused(struct meeting *meeting, const char *name,
                                const struct forgery *forgery, const struct crew_order *order)
{
    struct growing_text text = {0};
    struct error error = {0};
    char path[MEETING_PATH_SIZE], said[256];
    give_job(meeting, name, forgery);
    snprintf(said, sizeof said, "job %s begins", name);
    await_words(&workers[0], workers[0].err_descriptor, said, 1);
    crew_path(name, "order", path);
    text_fields_write(crew_order_fields, order, &text);
    place_expect(meeting_create(meeting, path, PERSISTENT, text.text, text.length, NULL, &error),
                 &error);
    free(text.text);
    snprintf(said, sizeof said, "job %s was given up: ", name);
    await_words(&workers[0], workers[0].err_descriptor, said, 1);
    while (place_waiting(meeting) != 1)
        pause_ms(5);
    remove_job(meeting, name);
}

/* Each would have the worker write behind the end of what it has. */
HOSTS_TEST(a_worker_obeys_no_order_that_is_none)
{
    char member[MEETING_PATH_SIZE], *plan = describe_lock();
    struct meeting *meeting = lead_one_worker(member, "--share", "1");
    const struct forgery load = forgery_for(member);
    const struct crew_order sound = {
        .serial = 1, .times_ns = {0, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    struct forgery lock = load;
    struct crew_order one = sound;
    snprintf(lock.job.kind, sizeof lock.job.kind, "lock");
    lock.plan = plan;
    one.phase = PHASE_CLOSE + 1;
    check_order_refused(meeting, "a-phase", &load, &one);
    one = sound;
    one.times_ns[1] = NS_PER_S;
    one.times_ns[2] = 7 * NS_PER_S; /* a second more than are measured */
    check_order_refused(meeting, "b-seconds", &load, &one);
    one = sound;
    one.times_ns[1] = UINT64_MAX - 1;
    check_order_refused(meeting, "c-late", &load, &one);
    one = sound;
    one.shared = 1;
    one.words[8] = 0; /* nobody moves */
    check_order_refused(meeting, "d-nobody", &lock, &one);
    one.words[8] = 1;
    one.words[0] = 3; /* the third of two sessions holds */
    check_order_refused(meeting, "e-holder", &lock, &one);
    free(plan);
    meeting_free(meeting);
    hosts_end_workers(1);
    assert_int_equal(count_words(workers[0].err, "what the run has ordered is no order of zkherd"),
                     5);
}

/* Waits until the worker has told that the order came, and returns how often it has told. */
static int32_t await_answer(struct meeting *meeting, const char *path, uint64_t serial)
{
    struct crew_state state = {0};
    struct error error = {0};
    uint64_t until_ns = clock_now_ns() + PLACE_NS;
    while (state.serial < serial) {
        place_expect(meeting_get(meeting, path, NO_WATCH, NULL, &error), &error);
        const char *text = meeting->setup->session.value;
        assert_true(text_fields_read(crew_state_fields, &state, sizeof state, &text));
        if (clock_now_ns() > until_ns)
            fail_msg("order %llu is not answered", (unsigned long long)serial);
        pause_ms(2);
    }
    return meeting->setup->session.reply.version;
}

/* Otherwise it tells once a second how far it is. */
HOSTS_TEST(a_worker_is_quiet_until_the_next_order)
{
    char member[MEETING_PATH_SIZE], answers[MEETING_PATH_SIZE], order[MEETING_PATH_SIZE];
    struct meeting *meeting = lead_one_worker(member, "--share", "1");
    const struct forgery sound = forgery_for(member);
    give_job(meeting, "quiet", &sound);
    while (place_children(meeting, "/jobs/quiet", NULL) == 0)
        pause_ms(5);
    crew_path("quiet", member, answers);
    crew_path("quiet", "order", order);
    give_order(meeting, order, 1, PHASE_CONNECT, true);
    int32_t answered = await_answer(meeting, answers, 1);
    pause_ms(2500);
    assert_int_equal(await_answer(meeting, answers, 1), answered);
    give_order(meeting, order, 2, PHASE_CONNECT, false);
    answered = await_answer(meeting, answers, 2);
    uint64_t until_ns = clock_now_ns() + PLACE_NS;
    while (await_answer(meeting, answers, 2) == answered && clock_now_ns() < until_ns)
        pause_ms(5);
    assert_true(await_answer(meeting, answers, 2) > answered);
    remove_job(meeting, "quiet");
    meeting_free(meeting);
    hosts_end_workers(1);
}

static void await_jobs(struct meeting *meeting, size_t count)
{
    uint64_t until_ns = clock_now_ns() + PLACE_NS;
    while (place_children(meeting, "/jobs", NULL) != count) {
        if (clock_now_ns() > until_ns)
            fail_msg("%zu jobs are left", place_children(meeting, "/jobs", NULL));
        pause_ms(5);
    }
}

/* Waits for the mark of a run's root. */
static void await_mark(struct meeting *meeting)
{
    struct error error = {0};
    while (count_outside().ephemerals_count == 0)
        place_expect(meeting_turn(meeting, clock_now_ns() + 5 * NS_PER_MS, &error), &error);
}

static void make_znode(struct meeting *meeting, const char *path, enum create_mode mode)
{
    struct error error = {0};
    place_expect(meeting_create(meeting, path, mode, "x", 1, NULL, &error), &error);
}

/* A run that has lost the meeting place cannot remove its job there. Workers who wait do, but not
 * one that another member has still to end. */
HOSTS_TEST(jobs_of_runs_that_have_gone_are_removed)
{
    char member[MEETING_PATH_SIZE], left[MEETING_PATH_SIZE];
    struct meeting *run = lead_one_worker(member, "--share", "1"), *other = place_open(meet);
    make_znode(run, "/jobs/a-served", PERSISTENT);
    make_znode(other, "/jobs/a-served/member-0000009999", EPHEMERAL);
    make_znode(run, "/jobs/b-left", PERSISTENT);
    make_znode(run, "/jobs/b-left/order", PERSISTENT);
    make_znode(run, "/jobs/b-left/member-0000009999-part-0", PERSISTENT);
    meeting_free(run);
    await_jobs(other, 1); /* the first is looked at before the second */
    place_children(other, "/jobs", left);
    assert_string_equal(left, "a-served");
    meeting_free(other);
    other = place_open(meet);
    await_jobs(other, 0);
    meeting_free(other);
    hosts_end_workers(1);
}

/* The last job stays until the run has removed its znodes: if it dies before that, those who have
 * ended the job remove them. */
HOSTS_TEST(a_job_that_has_ended_says_what_is_to_be_removed)
{
    char member[MEETING_PATH_SIZE], answers[MEETING_PATH_SIZE], order[MEETING_PATH_SIZE], root[160];
    struct meeting *meeting = lead_one_worker(member, "--share", "1");
    const struct forgery sound = forgery_for(member);
    snprintf(root, sizeof root, "%s" ROOT, outside);
    meeting_free(place_open(root));
    give_job(meeting, "ended", &sound);
    crew_path("ended", member, answers);
    crew_path("ended", "order", order);
    await_words(&workers[0], workers[0].err_descriptor, "job ended begins", 1);
    give_order(meeting, order, 1, PHASE_CLOSE, false);
    await_words(&workers[0], workers[0].err_descriptor, "job ended has ended", 1);
    while (place_waiting(meeting) != 1)
        pause_ms(5);
    assert_int_equal(place_children(meeting, "/jobs", NULL), 1);
    meeting_free(meeting);
    meeting = place_open(meet);
    await_jobs(meeting, 0);
    assert_nothing_left_outside(1);
    meeting_free(meeting);
    hosts_end_workers(1);
}

/* A run's root on the measured server, and the job that names it. */
static void leave_job(struct meeting *meeting, const char *name)
{
    char root[160];
    const struct forgery of_one_that_has_gone = forgery_for("member-0000009999");
    snprintf(root, sizeof root, "%s" ROOT, outside);
    meeting_free(place_open(root));
    give_job(meeting, name, &of_one_that_has_gone);
}

HOSTS_TEST(whoever_waits_removes_what_others_have_left)
{
    char member[MEETING_PATH_SIZE];
    struct meeting *meeting = lead_one_worker(member, "--share", "1");
    leave_job(meeting, "left");
    meeting_free(meeting);
    meeting = place_open(meet);
    await_jobs(meeting, 0);
    assert_nothing_left_outside(1);
    meeting_free(meeting);
    hosts_end_workers(1);
}

/* The worker may not: a run that begins does. */
HOSTS_TEST(a_job_stays_until_somebody_can_remove_its_znodes)
{
    char member[MEETING_PATH_SIZE], left[MEETING_PATH_SIZE];
    struct meeting *meeting = lead_one_worker(member, "--only", "other:2181");
    leave_job(meeting, "a-left");
    make_znode(meeting, "/jobs/b-garbage", PERSISTENT);
    meeting_free(meeting);
    meeting = place_open(meet);
    await_jobs(meeting, 1); /* the first is looked at before the second */
    place_children(meeting, "/jobs", left);
    assert_string_equal(left, "a-left");
    command_start(&hosts_run, COMMAND(LOAD, ENDLESS, "--meet", meet, "--workers", "2"));
    await_mark(meeting);
    command_end(&hosts_run, hosts_run.pid, SIGINT);
    await_jobs(meeting, 0);
    assert_nothing_left_outside(1);
    meeting_free(meeting);
    hosts_end_workers(1);
}

/* A run begins, and finds a job of another that names a root znode at few_at: does that stay? */
static bool stays_beside(struct meeting *meeting)
{
    bool stays = false;
    struct meeting *other = place_open(few_at);
    struct forgery forgery = forgery_for("member-0000009999");
    struct error error = {0};
    snprintf(forgery.job.servers, sizeof forgery.job.servers, "%s", few_at);
    place_expect(meeting_create(other, ROOT, PERSISTENT, NULL, 0, NULL, &error), &error);
    meeting_free(other);
    give_job(meeting, "others", &forgery);
    command_start(&hosts_run, COMMAND(LOAD, ENDLESS, "--meet", meet, "--workers", "1"));
    await_mark(meeting);
    command_end(&hosts_run, hosts_run.pid, SIGINT);
    await_jobs(meeting, 0);
    other = place_open(few_at);
    place_expect(meeting_exists(other, ROOT, NO_WATCH, &stays, &error), &error);
    meeting_free(other);
    return stays;
}

/* Whoever writes a job may name servers of his own, and wait for passwords there. */
HOSTS_TEST(a_run_takes_its_password_to_no_servers_of_others)
{
    static const char *const credentials[] = {"ZKHERD_AUTH=ann:open-sesame", NULL};
    struct meeting *meeting = place_open(meet);
    const char *const *settings = hosts_run.settings;
    hosts_run.settings = credentials;
    assert_true(stays_beside(meeting));
    hosts_run.settings = settings;
    assert_false(stays_beside(meeting));
    meeting_free(meeting);
}

/* It waits for a second worker. */
HOSTS_TEST(a_run_that_dies_before_its_first_trial_leaves_nothing)
{
    hosts_start_workers(1);
    struct meeting *meeting = place_open(meet);
    command_start(&hosts_run, COMMAND(LOAD, ENDLESS, "--meet", meet, "--workers", "2"));
    await_mark(meeting);
    assert_int_equal(place_children(meeting, "/jobs", NULL), 1);
    command_end(&hosts_run, hosts_run.pid, SIGKILL);
    await_jobs(meeting, 0);
    assert_nothing_left_outside(1);
    meeting_free(meeting);
    hosts_end_workers(1);
}

/* It goes on trying; with --once it ends when the run that has used it has gone, though the meeting
 * place was lost meanwhile. */
HOSTS_TEST(a_worker_says_which_meeting_place_is_lost)
{
    struct ensemble_options options = ensemble_options_default();
    struct ensemble *place = NULL;
    struct error error = {0};
    char at[80], said[160], member[MEETING_PATH_SIZE];
    options.heap_mib = 128;
    place_expect(ensemble_start(&options, &place, &error), &error);
    options.first_port = place->connect.endpoints[0].port;
    snprintf(at, sizeof at, "127.0.0.1:%u/lab", options.first_port);
    command_start(&workers[0], COMMAND("worker", "--meet", at, "--share", "1", "--once"));
    place_await_waiting(at, 1);
    struct meeting *meeting = place_open(at);
    place_expect(meeting_lead(meeting, "a test", &error), &error);
    place_children(meeting, "/members", member);
    struct forgery one = forgery_for(member);
    one.seat.count = 0;
    check_refused(meeting, "nothing", &one);
    ensemble_stop(place);
    snprintf(said, sizeof said, "the meeting place %s is lost (", at);
    await_words(&workers[0], workers[0].err_descriptor, said, 1);
    meeting_free(meeting);
    place_expect(ensemble_start(&options, &place, &error), &error);
    command_finish(&workers[0], COMMAND_LIMIT_NS);
    assert_status(&workers[0], 0);
    assert_has(workers[0].err, "): trying again");
    ensemble_stop(place);
}
