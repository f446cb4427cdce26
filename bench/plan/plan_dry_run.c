// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_dry_run.h"

#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/plan/plan_demand.h"
#include "bench/plan/plan_probe.h"

#include <stdio.h>
#include <string.h>

/* zkherd's own. */
#define SETUP_SESSIONS 1

static struct plan_demand_trial trial_of(void *context, const struct recipe *recipe,
                                         const struct search_probe *asked)
{
    const struct plan_options *options = context;
    const struct plan_probe probe = plan_probe_of(&options->question, asked);
    return (struct plan_demand_trial){
        .plan = plan_probe_trial(&probe, recipe, options->target.driver),
        .longest_ns = probe.longest_ns,
    };
}

int plan_dry_run(const struct plan_options *options)
{
    struct plan_options given_options = *options;
    const struct search_plan search = plan_question_search(&options->question);
    uint64_t bystanders = options->target.connect ? options->target.servers.count : 0;
    const struct plan_demand_given given = {
        .search = &search,
        .trial = trial_of,
        .context = &given_options,
        .chroot_length = strlen(options->target.servers.chroot),
        .companions = SETUP_SESSIONS + bystanders,
        .max_rate = options->guard.max_rate,
        .max_time_ns = options->guard.max_time_ns,
    };
    struct error error;
    if (plan_demand_write(&given, options->recipes, options->recipe_count, TERMINAL_COLUMNS, stdout,
                          &error) != ERROR_NONE)
        return complain(&error);
    if (options->target.topology_count > 1)
        printf("\nThe same for each of the %zu numbers of servers.\n",
               options->target.topology_count);
    printf("\nNothing was run.\n");
    return 0;
}
