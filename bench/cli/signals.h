// SPDX-License-Identifier: Apache-2.0
/*
 * signals: SIGINT, SIGHUP and SIGTERM as a descriptor, so that a run can end in order. Layer:
 * bench/cli.
 */
#ifndef BENCH_CLI_SIGNALS_H
#define BENCH_CLI_SIGNALS_H

/* From here on these signals make a descriptor readable and do nothing else. Returns the
 * descriptor, the caller's to close; -1 if the kernel has none left. */
int signals_block(void);

/* Reads the signals that have come: the descriptor becomes readable again with the next signal. */
void signals_take(int descriptor);

#endif
