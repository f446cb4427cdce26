// SPDX-License-Identifier: Apache-2.0
/*
 * signals: a run that a signal ends comes to its end in good order. Layer: bench/cli.
 */
#ifndef BENCH_CLI_SIGNALS_H
#define BENCH_CLI_SIGNALS_H

/* From here on Ctrl-C, a hang-up and SIGTERM make a descriptor readable and do nothing else.
 * Returns it, the caller's to close; -1 if there is none to be had. */
int signals_block(void);

/* Takes what has come, so that the descriptor becomes readable again with the next signal only. */
void signals_take(int descriptor);

#endif
