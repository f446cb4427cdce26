// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/plan_beside.h"

enum error_kind plan_beside_run(struct plan_beside *beside, const struct plan_probe *probe,
                                const struct trial_plan *plan, const struct trial_host *host,
                                struct trial_result **result, struct error *error)
{
    const struct background_plan load = plan_probe_background(probe);
    return load.rate_per_s > 0 ? background_run(&beside->background, &load, plan, host,
                                                &beside->figures, result, error)
                               : trial_run(plan, host, result, error);
}

bool plan_beside_has_enough(struct plan_beside *beside, const struct plan_probe *probe,
                            const struct trial_memory *memory, uint64_t elapsed_ns)
{
    bool has_load = probe->load_per_s > 0;
    if (has_load && plan_probe_is_steady(memory, elapsed_ns))
        background_contend(&beside->background);
    uint64_t over = background_over(&beside->background); /* first: never more than the samples */
    const struct plan_count count = {background_replied(&beside->background), over};
    bool enough = plan_probe_has_enough(probe, memory, &count, elapsed_ns);
    if (has_load && enough)
        background_settle(&beside->background);
    return enough;
}

uint64_t plan_beside_sent(const struct plan_beside *beside)
{
    return beside->figures.measured ? beside->figures.rpcs : background_sent(&beside->background);
}

uint64_t plan_beside_losses(const struct plan_beside *beside)
{
    return beside->figures.measured ? beside->figures.losses
                                    : background_losses(&beside->background);
}
