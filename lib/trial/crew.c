// SPDX-License-Identifier: Apache-2.0
#include "trial/crew.h"

#include "base/clock.h"
#include "trial/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Who has not ended so long after the time for closing never will. */
#define END_NS (1500 * NS_PER_MS)

/* In the forked process. Ctrl-C on the terminal reaches it too; what follows from that is the
 * parent's to say. */
static void live_as_worker(struct board *board, uint32_t index, struct steward *steward,
                           struct ensemble *ensemble)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    steward_abandon(steward);
    ensemble_forget(ensemble);
    struct fault fault = {0};
    enum fault_kind kind = worker_run(board, index, &fault);
    if (kind != FAULT_NONE) {
        board->workers[index].fault = fault;
        board_wake(board->conductor_descriptor);
    }
}

enum fault_kind crew_start(struct crew *crew, struct board *board, struct steward *steward,
                           struct ensemble *ensemble, struct fault *fault)
{
    uint32_t processes = board->plan->processes;
    pid_t parent = getpid();
    *crew = (struct crew){.board = board, .workers = calloc(processes, sizeof *crew->workers)};
    if (crew->workers == NULL)
        return fault_raise(fault, FAULT_NO_MEMORY, 0, "trial", "for %u workers", processes);
    while (crew->count < processes) {
        pid_t worker = fork();
        if (worker < 0) {
            enum fault_kind kind = fault_from_errno(fault, errno, "worker", "fork %u of %u",
                                                    crew->count + 1, processes);
            crew_end(crew);
            return kind;
        }
        if (worker == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == parent)
                live_as_worker(board, crew->count, steward, ensemble);
            /* Neither the parent's exit handlers nor its buffered output are the child's. */
            _exit(0);
        }
        crew->workers[crew->count++] = worker;
    }
    return FAULT_NONE;
}

enum fault_kind crew_start_simulated(struct crew *crew, struct board *board,
                                     struct simulated *simulated, struct fault *fault)
{
    *crew = (struct crew){.board = board};
    return worker_new_simulated(board, simulated, &crew->guest, fault);
}

enum fault_kind crew_turn(const struct crew *crew, const struct stage *stage, uint64_t most_ns,
                          struct fault *fault)
{
    if (crew->guest != NULL)
        return worker_turn(crew->guest, most_ns, fault);
    return stage_turn(stage, stage_now_ns(stage) + most_ns, fault);
}

enum fault_kind crew_check(const struct crew *crew, struct fault *fault)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        siginfo_t end = {0};
        const struct fault *told = &crew->board->workers[i].fault;
        /* Looks without reaping: crew_end does that. */
        if (waitid(P_PID, (id_t)crew->workers[i], &end, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            end.si_pid == 0)
            continue;
        if (told->kind == FAULT_NONE && end.si_code != CLD_EXITED && end.si_status == SIGABRT)
            return fault_raise(fault, FAULT_WORKER_ABORTED, 0, "worker", "%s", "");
        if (told->kind == FAULT_NONE)
            return fault_raise(fault, FAULT_WORKER_DIED, 0, "worker",
                               end.si_code == CLD_EXITED ? "exit status %d" : "signal %d",
                               end.si_status);
        *fault = *told;
        return fault->kind;
    }
    return FAULT_NONE;
}

void crew_end(struct crew *crew)
{
    uint64_t until_ns = clock_now_ns() + worker_close_ns(crew->board->plan) + END_NS;
    atomic_store(&crew->board->phase, PHASE_CLOSE);
    for (uint32_t i = 0; i < crew->count; i++)
        board_wake(crew->board->workers[i].wake_descriptor);
    for (uint32_t i = 0; i < crew->count; i++) {
        while (waitpid(crew->workers[i], NULL, WNOHANG) == 0) {
            if (clock_now_ns() >= until_ns)
                kill(crew->workers[i], SIGKILL);
            usleep(1000);
        }
    }
    worker_free(crew->guest);
    free(crew->workers);
    *crew = (struct crew){.board = crew->board};
}
