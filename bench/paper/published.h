// SPDX-License-Identifier: Apache-2.0
/*
 * published: figures of the ZooKeeper paper (Hunt et al., USENIX ATC 2010, section 5). Layer:
 * bench/paper.
 */
#ifndef BENCH_PAPER_PUBLISHED_H
#define BENCH_PAPER_PUBLISHED_H

#include <stddef.h>
#include <stdint.h>

/* It elects a leader in less than this (section 5.2). */
#define PUBLISHED_ELECTION_MS 200

/* What its clients did in Table 1. */
#define PUBLISHED_SESSIONS    250
#define PUBLISHED_DEPTH       100
#define PUBLISHED_VALUE_BYTES 1024

/* Table 1: operations a second at saturation with so many servers and so many percent reads. NaN
 * if the paper has no such figure: it has 0 and 100 percent, with 3, 5, 7, 9 and 13 servers. */
double published_table1(uint64_t servers, uint32_t reads_percent);

/* What each worker did in Table 2, with values of PUBLISHED_VALUE_BYTES. */
#define PUBLISHED_CREATES 50000

/* Table 2: creates a second with so many servers and workers. NaN if the paper has no such figure:
 * it has 1, 10 and 20 workers, with 3, 5, 7 and 9 servers. */
double published_table2(uint64_t servers, uint64_t workers);

/* The mean latency of a create in Table 2, in milliseconds: the paper has that of one worker with 3
 * and with 9 servers; else NaN. */
double published_latency_ms(uint64_t servers, uint64_t workers);

/* Table 3: seconds in which so many clients enter and leave so many double barriers, the average of
 * their times over five runs. NaN if the paper has no such figure: it has 50, 100 and 200 clients,
 * with 200, 400, 800 and 1600 barriers. It does not say how many servers. */
double published_table3(uint64_t clients, uint64_t barriers);

/* The lines of Table 3: the k-th number of clients, and of barriers; 0 behind the last. */
uint64_t published_table3_clients(size_t k);
uint64_t published_table3_barriers(size_t k);

#endif
