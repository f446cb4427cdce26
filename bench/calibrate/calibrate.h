// SPDX-License-Identifier: Apache-2.0
/*
 * calibrate: zkherd calibrate: what this ensemble takes for a read, a write, a notification, so
 * that the simulation can predict other cells. Layer: bench/calibrate.
 */
#ifndef BENCH_CALIBRATE_CALIBRATE_H
#define BENCH_CALIBRATE_CALIBRATE_H

/* argv[0] is "calibrate". Returns the exit status. */
int calibrate_main(int argc, char **argv);

#endif
