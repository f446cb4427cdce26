// SPDX-License-Identifier: Apache-2.0
/* options: the command lines of the evaluations of the paper. Layer: bench/paper. */
#ifndef BENCH_PAPER_OPTIONS_H
#define BENCH_PAPER_OPTIONS_H

#include "bench/cli/arguments.h"
#include "bench/cli/options.h"

struct paper_options {
    struct load_options load; /* the first member: rows of a load put their values there */
    struct levels barriers;   /* of table3 */
};

/* The command line of an evaluation; constant. */
struct paper_command {
    struct arguments arguments;
    const char *simulated; /* the default numbers of simulated servers */
    bool compares_servers; /* needs two numbers of private or simulated servers, or more */
    bool (*is_consistent)(const struct paper_options *options); /* complains; NULL: always */
    /* Why it cannot be made on these servers, without a period; NULL, as the function may be, if it
     * can. Among all it is left out then. */
    const char *(*find_obstacle)(const struct target_options *target);
};

extern const struct paper_command paper_command_all, paper_command_table1, paper_command_table2,
    paper_command_table3, paper_command_figure8;

/* Parses argv[1] …. ARGUMENTS_GO: the caller owns *options, to paper_options_deinit. Else the exit
 * status; mistakes have been complained about. With --connect the only number of servers is that of
 * the servers named. */
int paper_options_parse(const struct paper_command *command, int argc, char **argv,
                        struct paper_options *options);
void paper_options_deinit(struct paper_options *options);

/* The events of a trial of figure8, each a kill and a start, and the equal parts of its time: with
 * fewer than five servers two of them cannot be killed. */
uint32_t paper_figure8_events(uint64_t servers);
uint64_t paper_figure8_parts(uint64_t servers);

/* Why these servers cannot show how throughput changes with their number, of writes or of reads
 * alone: a static text without a period; NULL if they can. */
const char *paper_servers_cannot_show(const struct target_options *target, bool writes);

/* The counterpart of a machine of the paper. Returns text. */
const char *paper_servers_describe(const struct target_options *target, char *text, size_t size);

#endif
