// SPDX-License-Identifier: Apache-2.0
/*
 * report: `zkherd report`: writes the page of past results. Layer: bench/report.
 */
#ifndef BENCH_REPORT_REPORT_H
#define BENCH_REPORT_REPORT_H

/* argv[0] is the subcommand. Returns the exit status. */
int report_main(int argc, char **argv);

#endif
