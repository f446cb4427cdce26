// SPDX-License-Identifier: Apache-2.0
/*
 * plan: zkherd plan: what an ensemble allows the clients of a lock. Layer: bench/plan.
 *
 * Invariant: what is asked decides which options there are: a command line is read by one table of
 * options alone.
 */
#ifndef BENCH_PLAN_PLAN_H
#define BENCH_PLAN_PLAN_H

/* argv[0] is "plan". Returns the exit status. */
int plan_main(int argc, char **argv);

#endif
