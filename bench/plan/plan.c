// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/arguments.h"
#include "bench/cli/subcommands.h"
#include "bench/plan/internal.h"

#include <stdbool.h>
#include <string.h>

/* Whether the command line has this option: it says which other options there are. */
static bool has(int argc, char **argv, const char *option)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], option) == 0)
            return true;
    }
    return false;
}

static int search(int argc, char **argv)
{
    struct plan_options options;
    int status = plan_command_line_parse(argc, argv, &options);
    if (status != ARGUMENTS_GO)
        return status;
    status = options.dry_run ? plan_dry_run(&options) : plan_searches_lead(&options, argc, argv);
    target_options_deinit(&options.target);
    return status;
}

int plan_main(int argc, char **argv)
{
    if (has(argc, argv, "--limits"))
        return plan_limits_main(argc, argv);
    return search(argc, argv);
}
