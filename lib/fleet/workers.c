// SPDX-License-Identifier: Apache-2.0
#include "fleet/workers.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Workers that run so long after worker_close_ns are killed. */
#define END_NS (1500 * NS_PER_MS)

/* In the forked process. Ctrl-C on the terminal reaches it too, but only the parent obeys. */
static void live_as_worker(const struct fleet *fleet, uint32_t index, struct setup_session *setup,
                           struct ensemble *ensemble)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    setup_session_abandon(setup);
    ensemble_forget(ensemble);
    struct error error = {0};
    enum error_kind kind = worker_run(fleet, index, &error);
    if (kind != ERROR_NONE) {
        fleet->shared->workers[index].error = error;
        shared_wake(fleet->shared->coordinator_descriptor);
    }
}

enum error_kind workers_start(struct workers *workers, const struct fleet *fleet,
                              struct setup_session *setup, struct ensemble *ensemble,
                              struct error *error)
{
    uint32_t processes = fleet->shared->plan->processes;
    pid_t parent = getpid();
    *workers = (struct workers){.fleet = *fleet, .pids = calloc(processes, sizeof *workers->pids)};
    if (workers->pids == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "trial", "for %u workers", processes);
    while (workers->count < processes) {
        pid_t worker = fork();
        if (worker < 0) {
            enum error_kind kind = error_from_errno(error, errno, "worker", "fork %u of %u",
                                                    workers->count + 1, processes);
            workers_end(workers);
            return kind;
        }
        if (worker == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == parent)
                live_as_worker(fleet, workers->count, setup, ensemble);
            /* The parent's exit handlers and buffered output are not the child's. */
            _exit(0);
        }
        workers->pids[workers->count++] = worker;
    }
    return ERROR_NONE;
}

enum error_kind workers_start_simulated(struct workers *workers, const struct fleet *fleet,
                                        struct sim *sim, struct error *error)
{
    *workers = (struct workers){.fleet = *fleet};
    return worker_new_simulated(fleet, sim, &workers->guest, error);
}

enum error_kind workers_turn(const struct workers *workers, const struct loop *loop,
                             uint64_t most_ns, struct error *error)
{
    if (workers->guest != NULL)
        return worker_turn(workers->guest, most_ns, error);
    return loop_turn(loop, loop_now_ns(loop) + most_ns, error);
}

enum error_kind workers_check(const struct workers *workers, struct error *error)
{
    for (uint32_t i = 0; i < workers->count; i++) {
        siginfo_t end = {0};
        const struct error *why = &workers->fleet.shared->workers[i].error;
        /* WNOWAIT: workers_end reaps. */
        if (waitid(P_PID, (id_t)workers->pids[i], &end, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            end.si_pid == 0)
            continue;
        if (why->kind == ERROR_NONE && end.si_code != CLD_EXITED && end.si_status == SIGABRT)
            return error_raise(error, ERROR_WORKER_ABORTED, 0, "worker", "%s", "");
        if (why->kind == ERROR_NONE)
            return error_raise(error, ERROR_WORKER_DIED, 0, "worker",
                               end.si_code == CLD_EXITED ? "exit status %d" : "signal %d",
                               end.si_status);
        *error = *why;
        return error->kind;
    }
    return ERROR_NONE;
}

uint64_t workers_cpu_ns(const struct workers *workers)
{
    uint64_t sum_ns = 0;
    for (uint32_t i = 0; i < workers->count; i++) {
        clockid_t clock;
        struct timespec used;
        if (clock_getcpuclockid(workers->pids[i], &clock) == 0 && clock_gettime(clock, &used) == 0)
            sum_ns += (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
    }
    return sum_ns;
}

void workers_end(struct workers *workers)
{
    struct shared *shared = workers->fleet.shared;
    uint64_t until_ns = clock_now_ns() + worker_close_ns(shared->plan) + END_NS;
    shared_enter(shared, PHASE_CLOSE);
    for (uint32_t i = 0; i < workers->count; i++) {
        while (waitpid(workers->pids[i], NULL, WNOHANG) == 0) {
            if (clock_now_ns() >= until_ns)
                kill(workers->pids[i], SIGKILL);
            usleep(1000);
        }
    }
    worker_free(workers->guest);
    free(workers->pids);
    *workers = (struct workers){.fleet = workers->fleet};
}
