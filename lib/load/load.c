// SPDX-License-Identifier: Apache-2.0
#include "load/internal.h"

/* How long servers that have yet to answer are waited for, when the measured time is over; and how
 * often it is looked whether they have. */
#define ANSWERS_NS     (5 * NS_PER_S)
#define ANSWER_TURN_NS (2 * NS_PER_MS)

/* What was used since `before`, from which it goes on then. */
static enum error_kind read_usage(struct load_trial *trial, struct load_usage *before,
                                  struct load_usage *used)
{
    const struct ensemble *ensemble = trial->experiment.counters.ensemble;
    uint64_t replied = 0; /* read first: none is a reply to what is not among the sent */
    for (uint32_t worker = 0; worker < trial->plan->fleet.processes; worker++)
        replied += atomic_load(&trial->load->workers[worker].replied);
    struct load_usage now = {.client_cpu_ns = workers_cpu_ns(&trial->experiment.workers),
                             .server_cpu_known = ensemble != NULL,
                             .outstanding = load_shared_sent(trial->load) - replied};
    if (ensemble != NULL &&
        ensemble_cpu_ns(ensemble, &now.server_cpu_ns, &trial->experiment.error) != ERROR_NONE)
        return trial->experiment.error.kind;
    *used = now;
    used->client_cpu_ns -= before->client_cpu_ns;
    used->server_cpu_ns -= before->server_cpu_ns;
    *before = now;
    return ERROR_NONE;
}

/* The servers are asked when the measured time begins and at the end of each second, and what they
 * answer is taken at the end of the next. What they have yet to answer at last, they count before
 * their counters are read at the end. */
static void measure_seconds(struct load_trial *trial, struct server_poll *poll,
                            uint64_t measures_ns)
{
    struct load_result *result = trial->result;
    struct load_servers servers;
    struct load_usage before = {0}, used;
    uint32_t ended = 0;
    load_servers_init(&servers, trial->experiment.counters.servers->count, measures_ns,
                      &trial->faults.words, result->server_seconds, &result->marks);
    for (; ended <= trial->plan->seconds; ended++) {
        load_trial_wait(trial, measures_ns + ended * NS_PER_S);
        if (load_trial_goes_on(trial))
            trial->experiment.end = fleet_end_of(read_usage(trial, &before, &used));
        if (!load_trial_goes_on(trial))
            break;
        if (ended > 0) {
            load_servers_take(&servers, ended - 1, server_poll_answers(poll));
            result->usage[ended - 1] = used;
        }
        server_poll_ask(poll);
        result->seconds = ended;
        trial->progress.phase = LOAD_MEASURES;
        trial->progress.second = ended;
    }
    uint64_t until_ns = load_trial_now_ns(trial) + ANSWERS_NS;
    while (load_trial_goes_on(trial) && !server_poll_is_settled(poll) &&
           load_trial_now_ns(trial) < until_ns)
        load_trial_wait(trial, load_trial_now_ns(trial) + ANSWER_TURN_NS);
    if (ended > 0)
        load_servers_take(&servers, ended - 1, server_poll_answers(poll));
}

enum error_kind load_run(const struct load_plan *plan, const struct load_host *host,
                         struct load_result **result, struct error *error)
{
    struct load_trial *trial = load_trial_begin(plan, host);
    struct server_poll *poll = NULL;
    if (load_trial_goes_on(trial))
        trial->experiment.end = fleet_end_of(server_poll_new(&trial->experiment.counters,
                                                             &trial->experiment.setup->session.loop,
                                                             &poll, &trial->experiment.error));
    if (load_trial_goes_on(trial)) {
        uint64_t measures_ns = load_trial_now_ns(trial) + plan->warm_up_ns,
                 ends_ns = measures_ns + load_plan_measured_ns(plan);
        atomic_store(&trial->load->measures_ns, measures_ns);
        atomic_store(&trial->load->settles_ns, ends_ns);
        atomic_store(&trial->load->ends_ns, ends_ns);
        trial->faults.measures_ns = measures_ns;
        trial->faults.settles_ns = ends_ns;
        load_trial_start(trial);
        measure_seconds(trial, poll, measures_ns);
    }
    server_poll_free(poll);
    return load_trial_end(trial, true, result, error);
}

/* ------------------------------------------------------------------ a load in the background */

bool load_background_begin(struct load_trial **begun, const struct load_plan *plan,
                           const struct load_host *host)
{
    struct load_trial *trial = *begun = load_trial_begin(plan, host);
    if (!load_trial_goes_on(trial))
        return false;
    uint64_t measures_ns = load_trial_now_ns(trial) + plan->warm_up_ns,
             settles_ns = measures_ns + load_plan_measured_ns(plan);
    atomic_store(&trial->load->measures_ns, measures_ns);
    atomic_store(&trial->load->settles_ns, settles_ns);
    load_trial_start(trial);
    load_trial_wait(trial, settles_ns);
    return load_trial_goes_on(trial);
}

bool load_background_goes_on(const struct load_trial *trial)
{
    struct error ignored;
    return atomic_load(&trial->load->shared->lost) == 0 &&
           workers_check(&trial->experiment.workers, &ignored) == ERROR_NONE;
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
    if (load_trial_goes_on(trial) && atomic_load(&trial->load->ends_ns) == UINT64_MAX)
        load_background_settle(trial);
    return load_trial_end(trial, false, result, error);
}
