// SPDX-License-Identifier: Apache-2.0
/*
 * main: the program's subcommands. Layer: bench.
 */
#include "bench/claims.h"
#include "bench/compare.h"
#include "bench/complain.h"
#include "bench/ensemble.h"
#include "bench/inspect.h"
#include "bench/recipes.h"
#include "bench/run.h"
#include "bench/standard_output.h"
#include "bench/version.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: zkherd SUBCOMMAND [OPTION]...\n"
    "Measure what handing a ZooKeeper lock to n clients costs: O(n²) messages when\n"
    "everybody watches one znode, O(n) when each watches the one before.\n"
    "\n"
    "  run          run recipes, count every message, hold the counts against laws\n"
    "  compare      two runs or more: are the counts equal, are the times\n"
    "  claims       try what is claimed of ZooKeeper's locks: does it hold\n"
    "  ensemble     keep private servers running for several runs\n"
    "  recipes      what each recipe does, its law, where it comes from\n"
    "  inspect      who holds a lock and who waits, by browsing; break it\n"
    "\n"
    "  -h, --help     this help; zkherd SUBCOMMAND --help for a subcommand's\n"
    "  -V, --version  the version\n"
    "\n"
    "Examples:\n"
    "  zkherd run                          the herd effect, on a private server\n"
    "  zkherd run -r scalable -n 1000      one recipe, a thousand clients\n"
    "  zkherd claims                       every claim, with its verdict\n";

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} subcommands[] = {
    {"run", run_main},           {"compare", compare_main}, {"claims", claims_main},
    {"ensemble", ensemble_main}, {"recipes", recipes_main}, {"inspect", inspect_main},
};

/* What could not be printed must not pass for done; of a pipe that is closed nothing is said. */
static int check_stdout(int status)
{
    struct fault fault;
    enum fault_kind kind = standard_output_flush(&fault);
    if (kind != FAULT_NONE && kind != FAULT_UNREAD)
        complain(&fault);
    return status != 0 ? status : fault_exit_status(kind);
}

static int run_subcommand(int argc, char **argv)
{
    if (argc < 2)
        return complain_usage("", "subcommand", "none is given");
    bool help_wanted = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    bool version_wanted = strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0;
    if ((help_wanted || version_wanted) && argc > 2)
        return complain_usage("", argv[2], "%s stands alone", argv[1]);
    if (help_wanted) {
        fputs(help, stdout);
        return 0;
    }
    if (version_wanted) {
        printf("zkherd %s\n", version_text);
        return 0;
    }
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (strcmp(argv[1], subcommands[i].name) == 0)
            return subcommands[i].main(argc - 1, argv + 1);
    }
    return complain_usage("", argv[1], "no such subcommand");
}

int main(int argc, char **argv)
{
    /* A file that grows past its limit is to be an error of the write, not the end of the program.
     */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    return check_stdout(run_subcommand(argc, argv));
}
