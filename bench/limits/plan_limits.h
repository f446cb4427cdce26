// SPDX-License-Identifier: Apache-2.0
/*
 * plan_limits: zkherd plan --limits: what limits the clients of a lock besides time. Layer:
 * bench/limits.
 *
 * Invariant: no server is started, and no session is made.
 */
#ifndef BENCH_LIMITS_PLAN_LIMITS_H
#define BENCH_LIMITS_PLAN_LIMITS_H

/* argv[0] is "plan". Returns the exit status. */
int plan_limits_main(int argc, char **argv);

#endif
