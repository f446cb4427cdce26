// SPDX-License-Identifier: Apache-2.0
#include "load/load.h"

#include "load/internal.h"

/* How long servers that have yet to answer are waited for, when the measured time is over; and how
 * often it is looked whether they have. */
#define ANSWERS_NS     (5 * NS_PER_S)
#define ANSWER_TURN_NS (2 * NS_PER_MS)

/* What has been used until the end of a second, or until the measured time began. */
static enum error_kind read_usage(struct load_trial *trial, struct load_usage *usage)
{
    const struct ensemble *ensemble = trial->counters.ensemble;
    *usage = (struct load_usage){.client_cpu_ns = workers_cpu_ns(&trial->workers),
                                 .server_cpu_known = ensemble != NULL,
                                 .outstanding = load_shared_outstanding(trial->load)};
    if (ensemble == NULL)
        return ERROR_NONE;
    return ensemble_cpu_ns(ensemble, &usage->server_cpu_ns, &trial->error);
}

/* What was used between two readings. */
static struct load_usage usage_between(const struct load_usage *before,
                                       const struct load_usage *after)
{
    struct load_usage usage = *after;
    usage.client_cpu_ns -= before->client_cpu_ns;
    usage.server_cpu_ns -= before->server_cpu_ns;
    return usage;
}

/* Waits for the end of each second, and reads what it has used. */
static void measure_seconds(struct load_trial *trial, struct load_servers *servers,
                            uint64_t measures_ns)
{
    struct load_usage before = {0}, after;
    for (uint32_t ended = 0; ended <= trial->plan->seconds; ended++) {
        load_trial_wait(trial, measures_ns + ended * NS_PER_S);
        if (trial->end == END_DONE)
            trial->end = fleet_end_of(read_usage(trial, &after));
        if (trial->end != END_DONE)
            return;
        load_servers_turn(servers, ended);
        if (ended > 0)
            trial->result->usage[ended - 1] = usage_between(&before, &after);
        trial->result->seconds = ended;
        trial->progress.phase = LOAD_MEASURES;
        trial->progress.second = ended;
        before = after;
    }
}

/* What the servers have yet to answer they count before their counters are read at the end. */
static void await_answers(struct load_trial *trial, struct load_servers *servers)
{
    uint64_t until_ns = load_trial_now_ns(trial) + ANSWERS_NS;
    while (trial->end == END_DONE && !server_poll_is_settled(servers->poll) &&
           load_trial_now_ns(trial) < until_ns)
        load_trial_wait(trial, load_trial_now_ns(trial) + ANSWER_TURN_NS);
    load_servers_take_last(servers);
}

static void measure(struct load_trial *trial, struct load_servers *servers)
{
    struct load_shared *load = trial->load;
    uint64_t measures_ns = load_trial_now_ns(trial) + trial->plan->warm_up_ns,
             ends_ns = measures_ns + load_plan_measured_ns(trial->plan);
    atomic_store(&load->measures_ns, measures_ns);
    atomic_store(&load->settles_ns, ends_ns);
    atomic_store(&load->ends_ns, ends_ns);
    servers->measures_ns = measures_ns;
    servers->other_words = &trial->faults.words;
    load_faults_start(&trial->faults, measures_ns, ends_ns);
    load_trial_start(trial);
    load_trial_warm_up(trial);
    measure_seconds(trial, servers, measures_ns);
    await_answers(trial, servers);
}

/* With the sessions at rest. */
static void lead(struct load_trial *trial)
{
    struct load_servers servers;
    struct load_result *result = trial->result;
    trial->end =
        fleet_end_of(load_servers_begin(&servers, &trial->counters, trial->watchdog.loop,
                                        result->server_seconds, &result->marks, &trial->error));
    if (trial->end == END_DONE)
        measure(trial, &servers);
    load_servers_end(&servers);
}

enum error_kind load_run(const struct load_plan *plan, const struct load_host *host,
                         struct load_result **result, struct error *error)
{
    struct load_trial *trial = load_trial_begin(plan, host);
    if (trial->end == END_DONE)
        lead(trial);
    return load_trial_end(trial, true, result, error);
}

/* ------------------------------------------------------------------ a load in the background */

bool load_background_begin(struct load_trial **begun, const struct load_plan *plan,
                           const struct load_host *host)
{
    struct load_trial *trial = *begun = load_trial_begin(plan, host);
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

bool load_background_goes_on(const struct load_trial *trial)
{
    struct error ignored;
    return atomic_load(&trial->load->shared->lost) == 0 &&
           workers_check(&trial->workers, &ignored) == ERROR_NONE;
}

void load_background_contend(struct load_trial *trial)
{
    atomic_store(&trial->load->contends_ns, load_trial_now_ns(trial));
}

void load_background_settle(struct load_trial *trial)
{
    atomic_store(&trial->load->ends_ns, load_trial_now_ns(trial));
}

const struct load_shared *load_background_counts(const struct load_trial *trial)
{
    return trial->load;
}

/* Whatever contended may have failed before it began, or before it ended. */
enum error_kind load_background_end(struct load_trial *trial, struct load_result **result,
                                    struct error *error)
{
    if (trial->end == END_DONE && atomic_load(&trial->load->ends_ns) == UINT64_MAX)
        load_background_settle(trial);
    return load_trial_end(trial, false, result, error);
}
