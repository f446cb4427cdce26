// SPDX-License-Identifier: Apache-2.0
#include "trial/board.h"

#include <assert.h>
#include <errno.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/* When the time decides how many handoffs there are, rows are laid out for this many a second;
 * memory that is never touched costs nothing. */
#define HANDOFFS_PER_S_MAX 20000
#define ROWS_MAX           (UINT64_C(1) << 26)

static size_t round_up(size_t bytes)
{
    return (bytes + BOARD_CACHE_LINE - 1) / BOARD_CACHE_LINE * BOARD_CACHE_LINE;
}

/* Rows for the arrivals, every release, and one to spare. */
static size_t rows_per_lock(const struct trial_plan *plan)
{
    uint64_t most = 0;
    assert(plan->locks > 0);
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        uint64_t handoffs = plan_handoffs_of(plan, lock);
        if (handoffs > most)
            most = handoffs;
    }
    if (most == UINT64_MAX)
        most = (uint64_t)((double)plan->duration_ns / 1e9 * HANDOFFS_PER_S_MAX) + plan->clients;
    uint64_t limit = ROWS_MAX / plan->locks;
    return (size_t)(most + 2 < limit ? most + 2 : limit);
}

/* Cuts a block off the board's memory. */
static void *take(char **at, size_t bytes)
{
    void *block = *at;
    *at += round_up(bytes);
    return block;
}

static enum error_kind open_eventfd(int *descriptor, struct error *error)
{
    *descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (*descriptor < 0)
        return error_from_errno(error, errno, "worker", "eventfd");
    return ERROR_NONE;
}

static enum error_kind open_descriptors(struct board *board, struct error *error)
{
    board->coordinator_descriptor = -1;
    for (uint32_t i = 0; i < board->plan->processes; i++)
        board->workers[i].wake_descriptor = -1;
    if (board->plan->driver == DRIVER_SIMULATED)
        return ERROR_NONE; /* everything happens on one thread: nobody is to be woken */
    enum error_kind kind = open_eventfd(&board->coordinator_descriptor, error);
    for (uint32_t i = 0; kind == ERROR_NONE && i < board->plan->processes; i++)
        kind = open_eventfd(&board->workers[i].wake_descriptor, error);
    return kind;
}

enum error_kind board_new(const struct trial_plan *plan, struct board **board, struct error *error)
{
    size_t rows = rows_per_lock(plan);
    size_t locks_bytes = plan->locks * sizeof(struct board_lock);
    size_t workers_bytes = plan->processes * sizeof(struct board_worker);
    size_t sessions_bytes = plan->clients * sizeof(struct board_session);
    size_t rows_bytes = plan->locks * rows * sizeof(struct ledger_row);
    size_t size_bytes = round_up(sizeof **board) + round_up(locks_bytes) + round_up(workers_bytes) +
                        round_up(sessions_bytes) + round_up(rows_bytes);
    char *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return error_from_errno(error, errno, "trial", "%zu MiB of shared memory",
                                size_bytes >> 20);
    char *at = memory;
    struct board *made = take(&at, sizeof *made);
    made->plan = plan;
    made->size_bytes = size_bytes;
    made->locks = take(&at, locks_bytes);
    made->workers = take(&at, workers_bytes);
    made->sessions = take(&at, sessions_bytes);
    made->ledger = (struct ledger){take(&at, rows_bytes), plan->locks, rows};
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        atomic_store(&made->locks[lock].last_order, INT64_MIN);
        atomic_store(&made->locks[lock].last_alone, INT64_MIN);
        atomic_store(&made->locks[lock].admissions, plan_clients_of(plan, lock));
    }
    enum error_kind kind = open_descriptors(made, error);
    if (kind != ERROR_NONE) {
        board_free(made);
        return kind;
    }
    *board = made;
    return ERROR_NONE;
}

void board_free(struct board *board)
{
    if (board == NULL)
        return;
    if (board->coordinator_descriptor >= 0)
        close(board->coordinator_descriptor);
    for (uint32_t i = 0; i < board->plan->processes; i++) {
        if (board->workers[i].wake_descriptor >= 0)
            close(board->workers[i].wake_descriptor);
    }
    munmap(board, board->size_bytes);
}

size_t board_rows_used(const struct board *board, uint32_t lock)
{
    uint64_t releases = atomic_load(&board->locks[lock].releases);
    return ledger_is_full(&board->ledger, releases) ? board->ledger.rows_per_lock
                                                    : (size_t)releases + 1;
}

void board_violate(struct board *board, const struct violation *violation)
{
    uint32_t index = atomic_fetch_add(&board->violation_count, 1);
    if (index < BOARD_VIOLATIONS_MAX)
        board->violations[index] = *violation;
}

uint32_t board_violation_count(const struct board *board)
{
    return atomic_load(&board->violation_count);
}

void board_check_ledger(struct board *board, const struct tally *total)
{
    struct tally rows = {0};
    for (uint32_t lock = 0; lock < board->plan->locks; lock++)
        ledger_sum(&board->ledger, lock, board_rows_used(board, lock), &rows);
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        if (rows.of[kind] != total->of[kind])
            board_violate(board, &(struct violation){.kind = VIOLATION_LEDGER,
                                                     .tally = (enum tally_kind)kind,
                                                     .expected = (int64_t)total->of[kind],
                                                     .found = (int64_t)rows.of[kind]});
    }
}

uint64_t board_notifications(const struct board *board)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < board->plan->processes; i++)
        sum += tally_read_shared(&board->workers[i].total, TALLY_NOTIFICATION);
    return sum;
}

uint64_t board_requests(const struct board *board)
{
    struct tally sum = {0};
    for (uint32_t i = 0; i < board->plan->processes; i++) {
        for (int kind = 0; kind < TALLY_KINDS; kind++)
            sum.of[kind] += tally_read_shared(&board->workers[i].total, (enum tally_kind)kind);
    }
    return tally_rpcs(&sum);
}

uint64_t board_steps(const struct board *board)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < board->plan->processes; i++)
        sum += atomic_load(&board->workers[i].steps);
    return sum;
}

void board_raise(_Atomic uint64_t *highest, uint64_t value)
{
    uint64_t before = atomic_load(highest);
    while (before < value && !atomic_compare_exchange_weak(highest, &before, value))
        continue;
}

void board_wake(int descriptor)
{
    /* It fails only when the counter is full: then whoever waits is awake already. */
    if (descriptor >= 0)
        (void)!eventfd_write(descriptor, 1);
}

void board_woken(int descriptor)
{
    eventfd_t count;
    if (descriptor >= 0)
        (void)!eventfd_read(descriptor, &count);
}

const char *board_meter_word(enum meter_kind kind)
{
    static const char *const words[] = {
#define X(name, word) [METER_##name] = word,
        METER_LIST(X)
#undef X
    };
    return words[kind];
}
