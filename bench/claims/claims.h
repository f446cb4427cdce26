// SPDX-License-Identifier: Apache-2.0
/*
 * claims: `zkherd claims`, which tests claims about ZooKeeper's locks on real servers. Layer:
 * bench/claims.
 */
#ifndef BENCH_CLAIMS_CLAIMS_H
#define BENCH_CLAIMS_CLAIMS_H

/* argv[0] is "claims". Returns the exit status. */
int claims_main(int argc, char **argv);

#endif
