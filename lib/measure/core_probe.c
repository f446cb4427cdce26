// SPDX-License-Identifier: Apache-2.0
#include "measure/core_probe.h"

#include "base/clock.h"
#include "base/memory.h"
#include "measure/histogram.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TURN_NS (5 * NS_PER_MS)
#define STEPS   5000 /* about 10 us */

struct loop_of_core {
    pid_t pid;
    int socket;
};

struct core_probe {
    struct loop_of_core *loops;
    size_t count;
};

/* ------------------------------------------------------------------ the loop */

static void compute(void)
{
    volatile uint32_t number = 1;
    for (int i = 0; i < STEPS; i++)
        number = number * 1664525U + 1013904223U;
}

/* Waits until a time, or until the program asks. False: the program has ended. */
static bool wait_until(int socket, uint64_t due_ns, bool *asked)
{
    uint64_t now_ns = clock_now_ns();
    uint64_t left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    const struct timespec left = {.tv_nsec = (long)left_ns};
    struct pollfd poll = {.fd = socket, .events = POLLIN};
    char question;
    *asked = ppoll(&poll, 1, &left, NULL) > 0;
    return !*asked || read(socket, &question, 1) == 1;
}

/* A percentile is the end of a slot, which may lie above the largest value. */
static uint64_t percentile_ns(const struct histogram *lateness, double percent)
{
    uint64_t value_ns = histogram_percentile_ns(lateness, percent);
    return value_ns < lateness->max_ns ? value_ns : lateness->max_ns;
}

static bool answer(int socket, struct histogram *lateness)
{
    const struct core_probe_times times = {
        .turns = histogram_recorded(lateness),
        .p50_ns = percentile_ns(lateness, 50),
        .p99_ns = percentile_ns(lateness, 99),
        .max_ns = lateness->max_ns,
    };
    *lateness = (struct histogram){0};
    return write(socket, &times, sizeof times) == sizeof times;
}

/* A timer of a process may be 50 us late by default. A loop that missed its turns goes on with the
 * next one: the turn that was late has the whole time. */
static void go_round(int socket, struct histogram *lateness)
{
    uint64_t due_ns = clock_now_ns() + TURN_NS;
    bool asked;
    prctl(PR_SET_TIMERSLACK, 1);
    while (wait_until(socket, due_ns, &asked)) {
        if (asked) {
            if (!answer(socket, lateness))
                return;
            continue;
        }
        compute();
        uint64_t now_ns = clock_now_ns();
        histogram_record(lateness, now_ns - due_ns);
        due_ns += (now_ns - due_ns) / TURN_NS * TURN_NS + TURN_NS;
    }
}

/* The loop has no descriptor but its own: what the program closes must be closed. */
static void live_as_loop(int socket, unsigned core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    dup2(socket, 0);
    close_range(1, ~0U, 0);
    go_round(0, memory_new(1, sizeof(struct histogram)));
}

/* ------------------------------------------------------------------ the program's side */

static enum error_kind start(struct core_probe *probe, unsigned core, struct error *error)
{
    int sockets[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return error_from_errno(error, errno, "core probe", "socketpair");
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            live_as_loop(sockets[1], core);
        _exit(0);
    }
    int fork_error = errno;
    close(sockets[1]);
    if (pid < 0) {
        close(sockets[0]);
        return error_from_errno(error, fork_error, "core probe", "fork");
    }
    probe->loops = memory_grow(probe->loops, probe->count, sizeof *probe->loops);
    probe->loops[probe->count++] = (struct loop_of_core){pid, sockets[0]};
    return ERROR_NONE;
}

enum error_kind core_probe_new(struct core_probe **probe, struct error *error)
{
    struct core_probe *made = memory_new(1, sizeof *made);
    enum error_kind kind = ERROR_NONE;
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_ZERO(&mine);
    for (unsigned core = 0; core < CPU_SETSIZE && kind == ERROR_NONE; core++) {
        if (CPU_ISSET(core, &mine))
            kind = start(made, core, error);
    }
    if (kind == ERROR_NONE)
        *probe = made;
    else
        core_probe_free(made);
    return kind;
}

void core_probe_free(struct core_probe *probe)
{
    if (probe == NULL)
        return;
    for (size_t i = 0; i < probe->count; i++)
        close(probe->loops[i].socket);
    for (size_t i = 0; i < probe->count; i++)
        waitpid(probe->loops[i].pid, NULL, 0);
    free(probe->loops);
    free(probe);
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A loop that is gone has measured nothing. */
struct core_probe_times core_probe_take(struct core_probe *probe)
{
    struct core_probe_times worst = {0}, one;
    for (size_t i = 0; i < probe->count; i++)
        (void)!send(probe->loops[i].socket, "?", 1, MSG_NOSIGNAL);
    for (size_t i = 0; i < probe->count; i++) {
        if (recv(probe->loops[i].socket, &one, sizeof one, MSG_WAITALL) != sizeof one)
            continue;
        worst.turns += one.turns;
        worst.p50_ns = most(worst.p50_ns, one.p50_ns);
        worst.p99_ns = most(worst.p99_ns, one.p99_ns);
        worst.max_ns = most(worst.max_ns, one.max_ns);
    }
    return worst;
}
