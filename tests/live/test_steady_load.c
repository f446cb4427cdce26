// SPDX-License-Identifier: Apache-2.0
/* A load that is under way allocates nothing: what zkherd's own code asks the allocator for is
 * counted in the workers. What the client library allocates for itself does not pass here. */
#include "tests/support/live.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define OPERATIONS 10000

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* Of all workers; the test's own process is none. */
static _Atomic uint64_t *allocations;
static pid_t test;

static void count(void)
{
    if (allocations != NULL && getpid() != test)
        atomic_fetch_add(allocations, 1);
}

void *__wrap_malloc(size_t size)
{
    count();
    return __real_malloc(size);
}

void *__wrap_calloc(size_t members, size_t size)
{
    count();
    return __real_calloc(members, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    count();
    return __real_realloc(memory, size);
}

/* What had been allocated and sent at two times of the measured time, the second as late as the
 * coordinator looked. */
struct window {
    bool is_open;
    uint64_t allocations[2];
    uint64_t sent[2];
};

static void look(void *context, const struct load_progress *progress)
{
    struct window *window = context;
    if (progress->phase != LOAD_MEASURES)
        return;
    if (!window->is_open) {
        window->allocations[0] = atomic_load(allocations);
        window->sent[0] = load_shared_sent(progress->load);
        window->is_open = true;
    }
    window->sent[1] = load_shared_sent(progress->load);
    window->allocations[1] = atomic_load(allocations);
}

/* All operations that a session has one outstanding of at a time. */
#define SINGLE "exists=10,children=5,set=15,create=10,delete=10,multi=5,trylock=10,get="

static void check(enum driver driver, uint32_t depth, uint64_t rate_per_s)
{
    const char *mix = driver == DRIVER_THREADS ? SINGLE "35" : SINGLE "25,create-delete=10";
    char why[160];
    struct load_plan plan = {
        .fleet = {.driver = driver,
                  .sessions = 8,
                  .processes = 1,
                  .timeout_ns = 10 * NS_PER_S,
                  .session_timeout_ms = 30000,
                  .seed = 7,
                  .servers = &live_servers},
        .rate_per_s = rate_per_s,
        .value_bytes = 1024,
        .warm_up_ns = 300 * NS_PER_MS,
        .seconds = 1,
    };
    if (!mix_parse(mix, &plan.mix, why, sizeof why))
        fail_msg("%s", why);
    plan.fleet.depth = mix_requests(&plan.mix, depth);
    for (uint64_t sent = 0; sent < OPERATIONS;) {
        struct window window = {0};
        atomic_store(allocations, 0);
        load_result_free(live_load(&plan, look, &window, NULL));
        assert_true(window.is_open);
        assert_true(window.allocations[0] > 0);
        assert_int_equal(window.allocations[1] - window.allocations[0], 0);
        sent += window.sent[1] - window.sent[0];
    }
}

TEST(test_on_events_no_request_allocates)
{
    check(DRIVER_EVENTS, 1, 0);
    check(DRIVER_EVENTS, 32, 0);
    check(DRIVER_EVENTS, 32, 4000);
}

TEST(test_on_threads_no_request_allocates)
{
    check(DRIVER_THREADS, 1, 0);
}

static int start(void **state)
{
    test = getpid();
    allocations =
        mmap(NULL, sizeof *allocations, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return allocations != MAP_FAILED ? live_start(state) : -1;
}

TEST_GROUP(start, live_stop)
