// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/arguments.h"
#include "bench/cli/subcommands.h"
#include "bench/plan/internal.h"

int plan_main(int argc, char **argv)
{
    struct plan_options options;
    int status = plan_command_line_parse(argc, argv, &options);
    if (status != ARGUMENTS_GO)
        return status;
    status = options.dry_run ? plan_dry_run(&options) : plan_searches_lead(&options, argc, argv);
    target_options_deinit(&options.target);
    return status;
}
