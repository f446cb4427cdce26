// SPDX-License-Identifier: Apache-2.0
#include "load/bystander.h"

#include <stdio.h>

#define WARM_UP_NS  (500 * NS_PER_MS)
#define PERIOD_NS   (NS_PER_S / BRAKE_READS_PER_S)
#define VALUE_BYTES 100
#define PATIENCE_NS (30 * NS_PER_S) /* of the opening, the end, and the deletion */

static struct load_plan plan_of(const struct fleet_host *host, const char *root)
{
    uint32_t sessions = (uint32_t)host->servers->count;
    return (struct load_plan){
        .fleet = {.driver = DRIVER_EVENTS,
                  .sessions = sessions,
                  .processes = sessions, /* so a worker's counts are those of one session */
                  .depth = 1,
                  .session_timeout_ms = (uint32_t)(PATIENCE_NS / NS_PER_MS),
                  .timeout_ns = PATIENCE_NS,
                  .servers = host->servers},
        .mix = mix_of_reads(100),
        .rate_per_s = (uint64_t)BRAKE_READS_PER_S * sessions,
        .value_bytes = VALUE_BYTES,
        .warm_up_ns = WARM_UP_NS,
        .root = root,
    };
}

/* The words for a load that has ended too early, which is not an error of its own. */
static enum error_kind raise_end(const struct bystander *bystander, struct error *error)
{
    const struct load_trial *trial = bystander->trial;
    if (load_trial_goes_on(trial))
        return ERROR_NONE;
    if (trial->experiment.end == END_ERROR) {
        *error = trial->experiment.error;
        return error->kind;
    }
    return error_raise(error, ERROR_SESSION_LOST, 0, "bystander", "%s",
                       trial->experiment.end == END_LOST
                           ? "a session of the bystander has expired"
                           : "the servers do not answer the bystander");
}

enum error_kind bystander_begin(struct bystander *bystander, const struct fleet_host *host,
                                const char *root, uint64_t alone_ns, struct error *error)
{
    *bystander = (struct bystander){.host = *host};
    snprintf(bystander->root, sizeof bystander->root, "%s", root);
    bystander->plan = plan_of(&bystander->host, bystander->root);
    struct load_trial *trial = load_trial_begin(&bystander->plan, &bystander->host, NULL);
    bystander->trial = trial;
    load_trial_start(trial, false, false);
    if (load_trial_goes_on(trial))
        load_trial_wait(trial, experiment_now_ns(&trial->experiment) + alone_ns);
    struct error ending;
    enum error_kind kind = raise_end(bystander, error);
    if (kind != ERROR_NONE)
        (void)!bystander_end(bystander, &ending);
    return kind;
}

enum error_kind bystander_wait(struct bystander *bystander, uint64_t wait_ns, struct error *error)
{
    load_trial_wait(bystander->trial, experiment_now_ns(&bystander->trial->experiment) + wait_ns);
    return raise_end(bystander, error);
}

enum error_kind bystander_end(struct bystander *bystander, struct error *error)
{
    struct load_result *result = NULL;
    enum error_kind kind = load_background_end(bystander->trial, &result, error);
    if (kind == ERROR_NONE)
        load_result_free(result);
    return kind;
}

/* A session's server has one role, but for a session that has gone to another server. */
uint64_t bystander_p99_ns(const struct bystander *bystander, uint32_t session)
{
    const struct load_window *measured =
        &bystander->trial->load->workers[session].windows[LOAD_MEASURED];
    uint64_t most_ns = 0;
    for (int role = 0; role < ROLES; role++) {
        const struct histogram *response = &measured->response[role][LOAD_GET];
        uint64_t p99_ns = histogram_percentile_ns(response, 99);
        most_ns = p99_ns > most_ns ? p99_ns : most_ns;
    }
    return most_ns;
}

/* How many reads of a session were due in the measured time, and before the bound. */
static uint64_t due_of(const struct bystander *bystander, uint32_t session, uint64_t bound_ns)
{
    const struct load_shared *load = bystander->trial->load;
    const uint64_t times_ns[] = {atomic_load(&load->measures_ns),
                                 experiment_now_ns(&bystander->trial->experiment) - bound_ns};
    uint64_t first_ns = load->starts_ns + session * NS_PER_S / bystander->plan.rate_per_s;
    uint64_t due[2]; /* since the load started */
    for (int i = 0; i < 2; i++)
        due[i] = times_ns[i] <= first_ns ? 0 : (times_ns[i] - first_ns - 1) / PERIOD_NS + 1;
    return times_ns[1] <= times_ns[0] ? 0 : due[1] - due[0];
}

/* The counts are read in the order by which a reply that comes meanwhile makes no read overdue. */
struct brake_counts bystander_count(const struct bystander *bystander, uint32_t session,
                                    uint64_t bound_ns)
{
    const struct load_shared *load = bystander->trial->load;
    const struct load_worker *worker = &load->workers[session];
    const struct load_window *measured = &worker->windows[LOAD_MEASURED];
    uint64_t replied = atomic_load(&worker->replied);
    struct brake_counts counts = {.due = due_of(bystander, session, bound_ns),
                                  .losses = atomic_load(&load->shared->losses)};
    counts.late = histogram_above(&measured->lag, bound_ns);
    for (int role = 0; role < ROLES; role++)
        counts.slow += histogram_above(&measured->response[role][LOAD_GET], bound_ns);
    for (int status = 0; status < LOAD_STATUSES; status++) {
        uint64_t replies = atomic_load(&measured->replies[LOAD_GET][status]);
        counts.done += replies;
        counts.errors += status == ZK_OK ? 0 : replies;
    }
    counts.waits = replied < tally_read_shared(&worker->total, TALLY_GET);
    return counts;
}
