// SPDX-License-Identifier: Apache-2.0
/*
 * busy: other programs that use the cores, as far as the tests that run beside this one can spare
 * them.
 */
#ifndef TESTS_BUSY_H
#define TESTS_BUSY_H

/* Starts one for each core that the test may use: each uses a third of it, more than the bound of
 * noise. They end with the test at the latest. */
void busy_start(void);
void busy_end(void);

#endif
