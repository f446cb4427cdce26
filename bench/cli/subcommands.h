// SPDX-License-Identifier: Apache-2.0
/*
 * subcommands: the subcommands of zkherd, a row each: X(name, what it does). The function of a row,
 * NAME_main, is in the folder of its name. Layer: bench/cli.
 */
#ifndef BENCH_CLI_SUBCOMMANDS_H
#define BENCH_CLI_SUBCOMMANDS_H

#define SUBCOMMANDS(X)                                                                             \
    X(run, "run recipes, count every message, compare the counts with laws")                       \
    X(load, "send a mix of requests, in a closed loop or at an offered rate")                      \
    X(tap, "count what any clients send, by a relay before the servers")                           \
    X(autopsy, "find locks, holders and herds in the logs of servers")                             \
    X(paper, "repeat the evaluation of the ZooKeeper paper, beside its figures")                   \
    X(plan, "find how many may wait for a lock")                                                   \
    X(compare, "compare the counts and times of two runs or more")                                 \
    X(plot, "draw the plots of runs, loads and comparisons again")                                 \
    X(report, "write the page of past results, of several side by side")                           \
    X(claims, "test claims about ZooKeeper's locks and ensembles")                                 \
    X(ensemble, "keep private servers running for several runs")                                   \
    X(recipes, "show what each recipe does, its law, its source")                                  \
    X(inspect, "show the holder and the waiters of a lock")                                        \
    X(clean, "remove what killed runs left on servers")                                            \
    X(help, "print the help of a subcommand")

#define X(name, does) int name##_main(int argc, char **argv);
SUBCOMMANDS(X)
#undef X

struct subcommand {
    const char *name;                   /* NULL behind the last */
    int (*main)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
    const char *does;                   /* for the help of the program */
};

/* All of them (bench/help/help.c). */
extern const struct subcommand subcommands[];

#endif
