// SPDX-License-Identifier: Apache-2.0
/*
 * main: the program's subcommands. Layer: bench.
 */
#include "base/text.h"
#include "bench/claims/claims.h"
#include "bench/clean/clean.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/compare/compare.h"
#include "bench/ensemble/ensemble.h"
#include "bench/help/help.h"
#include "bench/inspect/inspect.h"
#include "bench/load/load.h"
#include "bench/model/model.h"
#include "bench/paper/paper.h"
#include "bench/plan/plan.h"
#include "bench/plot/plot.h"
#include "bench/recipes/recipes.h"
#include "bench/report/report.h"
#include "bench/run/run.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char help_before[] =
    "Usage: zkherd SUBCOMMAND [OPTION]...\n"
    "Measure the cost of handing a ZooKeeper lock to n clients: O(n²) messages if all\n"
    "clients watch one znode, O(n) if each client watches only its predecessor.\n"
    "\n";

static const char help_behind[] =
    "\n"
    "  -h, --help     print this help; zkherd SUBCOMMAND --help: that of a subcommand\n"
    "  -V, --version  print the version\n"
    "\n"
    "Examples:\n"
    "  zkherd run                          the herd effect, on a private server\n"
    "  zkherd run -r scalable -n 1000      one recipe, a thousand clients\n"
    "  zkherd claims                       every claim, with its verdict\n";

static int help_about_all(int argc, char **argv);

static const struct subcommand subcommands[] = {
    {"run", run_main, "run recipes, count every message, compare the counts with laws"},
    {"load", load_main, "send a mix of requests, in a closed loop or at an offered rate"},
    {"paper", paper_main, "repeat the evaluation of the ZooKeeper paper, beside its figures"},
    {"plan", plan_main, "find how many may wait for a lock; say what else limits them"},
    {"calibrate", calibrate_main, "estimate what reads, writes, the disk take on these servers"},
    {"compare", compare_main, "compare the counts and times of two runs or more"},
    {"plot", plot_main, "draw the plots of runs, loads and comparisons again"},
    {"report", report_main, "write the page of past results, of several side by side"},
    {"claims", claims_main, "test claims about ZooKeeper's locks and ensembles"},
    {"ensemble", ensemble_main, "keep private servers running for several runs"},
    {"recipes", recipes_main, "show what each recipe does, its law, its source"},
    {"inspect", inspect_main, "show the holder and the waiters of a lock; break the lock"},
    {"clean", clean_main, "remove what killed runs left on servers"},
    {"help", help_about_all, "answer ten questions about locks; the help of a subcommand"},
    {0},
};

static int help_about_all(int argc, char **argv)
{
    return help_main(argc, argv, subcommands);
}

/* What could not be printed must not pass for done; of a pipe that is closed nothing is said. */
static int check_stdout(int status)
{
    struct error error;
    enum error_kind kind = standard_output_flush(&error);
    if (kind != ERROR_NONE && kind != ERROR_UNREAD)
        complain(&error);
    return status != 0 ? status : error_exit_status(kind);
}

static int run_subcommand(int argc, char **argv)
{
    const struct subcommand *one = subcommands;
    if (argc < 2)
        return complain_usage("", "subcommand", "none is given");
    const char *name = argv[1];
    bool help_wanted = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    bool version_wanted = strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0;
    if ((help_wanted || version_wanted) && argc > 2)
        return complain_usage("", argv[2], "%s takes no further argument", name);
    if (help_wanted) {
        fputs(help_before, stdout);
        for (; one->name != NULL; one++)
            printf("  %-12s %s\n", one->name, one->does);
        fputs(help_behind, stdout);
        return 0;
    }
    if (version_wanted) {
        printf("zkherd %s\n", version_text);
        return 0;
    }
    while (one->name != NULL && strcmp(name, one->name) != 0)
        one++;
    if (one->name != NULL)
        return one->main(argc - 1, argv + 1);
    for (one = subcommands; one->name != NULL; one++) {
        if (text_is_like(name, one->name))
            return complain_usage("", name, "no such subcommand; did you mean '%s'?", one->name);
    }
    return complain_usage("", name[0] != '\0' ? name : "''", "no such subcommand");
}

int main(int argc, char **argv)
{
    standard_output_guard();
    /* A file that grows past its limit is to be an error of the write, not the end of the program.
     */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    /* A parent may have ignored it: then the status of a child, gnuplot's say, would be lost. */
    signal(SIGCHLD, SIG_DFL);
    return check_stdout(run_subcommand(argc, argv));
}
