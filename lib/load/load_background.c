// SPDX-License-Identifier: Apache-2.0
#include "load/load_background.h"

bool load_background_begin(struct load_background *background, const struct load_plan *plan,
                           const struct load_host *host)
{
    struct load_trial *trial = &background->trial;
    load_trial_begin(trial, plan, host);
    if (trial->end != END_DONE)
        return false;
    uint64_t measures_ns = load_trial_now_ns(trial) + plan->warm_up_ns,
             settles_ns = measures_ns + load_plan_measured_ns(plan);
    atomic_store(&trial->load->measures_ns, measures_ns);
    atomic_store(&trial->load->settles_ns, settles_ns);
    load_trial_start(trial);
    load_trial_warm_up(trial);
    load_trial_wait(trial, settles_ns);
    return trial->end == END_DONE;
}

bool load_background_goes_on(const struct load_background *background)
{
    const struct load_trial *trial = &background->trial;
    struct error ignored;
    return atomic_load(&trial->load->shared->lost) == 0 &&
           workers_check(&trial->workers, &ignored) == ERROR_NONE;
}

void load_background_contend(struct load_background *background)
{
    struct load_trial *trial = &background->trial;
    atomic_store(&trial->load->contends_ns, load_trial_now_ns(trial));
}

void load_background_settle(struct load_background *background)
{
    struct load_trial *trial = &background->trial;
    atomic_store(&trial->load->ends_ns, load_trial_now_ns(trial));
}

/* Whatever contended may have failed before it began, or before it ended. */
enum error_kind load_background_end(struct load_background *background, struct load_result **result,
                                    struct error *error)
{
    struct load_trial *trial = &background->trial;
    if (trial->end == END_DONE && atomic_load(&trial->load->ends_ns) == UINT64_MAX)
        load_background_settle(background);
    return load_trial_end(trial, false, result, error);
}
