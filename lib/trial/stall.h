// SPDX-License-Identifier: Apache-2.0
/*
 * stall: notices when servers owe an answer and nothing is received by anybody. Layer: trial,
 * below monitor.
 *
 * The coordinator looks here about ten times a second. Silence begins when the workers' counters
 * were last seen to move. When it has lasted for a while, and only then, the workers are asked what
 * each session is doing (shared_inquire): nothing is added to the measured path. A request
 * that is out, or sessions that all wait without anybody who holds or pauses by a timer, are owed
 * something. A hold, a pause of a recipe, a session that is about to expire, an answer that has
 * come and was not read, and a wait of the coordinator that the plan's rate wants (stall_rest) are
 * not.
 *
 * Invariant: time in which zkherd itself did not run is never called a stall of a server. It is
 * told apart, in absent_ns.
 */
#ifndef TRIAL_STALL_H
#define TRIAL_STALL_H

#include "base/clock.h"
#include "client/connect.h"
#include "trial/lock_board.h"

#include <stdbool.h>
#include <stdint.h>

/* Silence is a stall when it lasts longer than this, and longer than so many times what requests
 * have taken in the trial before (docs/counting.md). */
#define STALL_LEAST_NS  NS_PER_S
#define STALL_LATENCIES 50

/* What a trial has had of them. */
struct stalls {
    uint32_t count;
    uint64_t total_ns;
    uint64_t longest_ns;
    char server[ENDPOINT_TEXT_SIZE]; /* that owed an answer in the longest; "": not known */
    uint64_t absent_ns; /* the longest time in which zkherd did not run while it was waited for */
};

struct stall {
    struct lock_board *board; /* NULL: not begun */
    uint64_t moved;           /* the sum of the workers' counters */
    uint64_t since_ns;        /* when that sum was first seen */
    uint64_t absent_ns;       /* how long since then the coordinator was not run */
    uint64_t asked_ns;        /* when the workers were asked in this silence; 0: not yet */
    bool answered;            /* they have answered: the next two fields are known */
    bool request_is_out;
    bool is_owed; /* a request is out, or everybody waits for a notification */
    uint64_t bound_ns;
    bool is_measured; /* the bound: something had been timed when it was taken */
    char server[ENDPOINT_TEXT_SIZE];
    struct stalls found;
};

/* The gate opens. */
void stall_begin(struct stall *stall, struct lock_board *board, uint64_t now_ns);

/* Looks whether anything has moved. absent_ns: how long the coordinator was kept from running since
 * the last look, beyond what it had asked for. */
void stall_look(struct stall *stall, uint64_t now_ns, uint64_t absent_ns);

/* The trial itself waits, as planned: until now nothing was owed but what the silence before the
 * wait has shown. */
void stall_rest(struct stall *stall, uint64_t now_ns);

/* A server has just answered the coordinator itself, in the middle of the trial, after waited_ns.
 * Time that is counted here is not counted again with the silence that it is part of. */
void stall_question(struct stall *stall, uint64_t now_ns, uint64_t waited_ns);

/* The end of the trial: a silence that it ends in is counted. At its deadline only if a request is
 * out: notifications that all wait for in vain may be a wake-up that the recipe has lost. */
void stall_end(struct stall *stall, uint64_t now_ns, bool at_deadline);

/* How long the present stall has lasted; 0: there is none. */
uint64_t stall_lasts_ns(const struct stall *stall, uint64_t now_ns);

#endif
