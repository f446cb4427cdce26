// SPDX-License-Identifier: Apache-2.0
#include "load/load_session.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

#define PROGRESS_NS    (100 * NS_PER_MS)
#define REPORT_TURN_NS NS_PER_MS

uint64_t load_trial_now_ns(const struct load_trial *trial)
{
    return watchdog_now_ns(&trial->experiment.watchdog);
}

/* ------------------------------------------------------------------ what the watchdog asks */

/* Every reply is a step of its session. */
static uint64_t movement(void *context)
{
    const struct load_trial *trial = context;
    return load_shared_sent(trial->load);
}

static void show(struct load_trial *trial)
{
    const struct load_watch *watch = &trial->host->watch;
    if (watch->progress == NULL)
        return;
    trial->shown_ns = clock_now_ns();
    trial->progress.established = atomic_load(&trial->load->shared->established);
    watch->progress(watch->context, &trial->progress);
}

static enum fleet_end look(void *context, uint64_t loop_ns, uint64_t absent_ns)
{
    struct load_trial *trial = context;
    if (loop_ns > atomic_load(&trial->load->measures_ns) && absent_ns > trial->absent_ns)
        trial->absent_ns = absent_ns;
    if (clock_now_ns() - trial->shown_ns >= PROGRESS_NS)
        show(trial);
    const struct load_watch *watch = &trial->host->watch;
    return watch->has_company == NULL || watch->has_company(watch->context) ? END_DONE : END_ALONE;
}

static uint64_t received(void *context)
{
    const struct load_trial *trial = context;
    return load_shared_total(trial->load).of[TALLY_NOTIFICATION];
}

/* Simulated servers lose no wake-up. */
static bool is_owed(void *context)
{
    return ((const struct load_trial *)context)->experiment.counters.sim == NULL;
}

static const struct watchdog_kind watchdog_kind = {
    .movement = movement, .look = look, .received = received, .is_owed = is_owed};

static void wait_once(struct load_trial *trial, uint64_t most_ns)
{
    trial->experiment.end = watchdog_wait(&trial->experiment.watchdog, most_ns);
}

/* ------------------------------------------------------------------ orders */

static void await_rest(struct load_trial *trial)
{
    watchdog_rest(&trial->experiment.watchdog);
    while (load_trial_goes_on(trial) &&
           atomic_load(&trial->load->resting) < trial->plan->fleet.sessions)
        wait_once(trial, WATCHDOG_TURN_NS);
}

static void carry_out(struct load_trial *trial, int order)
{
    if (!load_trial_goes_on(trial))
        return;
    atomic_store(&trial->load->resting, 0);
    atomic_store(&trial->load->chores_done, 0);
    shared_tell_all(trial->load->shared, order);
    await_rest(trial);
}

/* ------------------------------------------------------------------ the beginning */

/* The folders that all sessions use: of the data znodes, and of the sessions' own. */
static enum error_kind make_folders(struct load_trial *trial)
{
    static const char *const names[] = {"/z", "/c"};
    struct experiment *experiment = &trial->experiment;
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < sizeof names / sizeof names[0]; i++) {
        char path[LOAD_PATH_SIZE];
        snprintf(path, sizeof path, "%s%s", trial->plan->root, names[i]);
        kind = setup_session_create(experiment->setup, path, &experiment->error);
    }
    return kind;
}

/* The sessions are opened, and have laid out their znodes. */
static void reach_start(struct load_trial *trial)
{
    struct experiment *experiment = &trial->experiment;
    trial->progress.phase = LOAD_CONNECTS;
    experiment_gate(experiment);
    if (!load_trial_goes_on(trial))
        return;
    shared_enter(trial->load->shared, PHASE_RUN);
    trial->progress.phase = LOAD_LAYS_OUT;
    carry_out(trial, LOAD_ORDER_LAY_OUT);
    experiment_read_start(experiment);
}

struct load_trial *load_trial_begin(const struct load_plan *plan, const struct load_host *host)
{
    struct load_trial *trial = memory_new(1, sizeof *trial);
    struct experiment *experiment = &trial->experiment;
    trial->plan = plan;
    trial->host = host;
    *experiment = (struct experiment){
        .plan = &plan->fleet,
        .root = plan->root,
        .ensemble = host->ensemble,
        .setup = host->setup,
        .counters = {.servers = host->servers,
                     .companions = host->companions,
                     .may_lack = plan->fleet.driver != DRIVER_SIMULATED && host->ensemble == NULL},
        .watchdog = {.interrupt_descriptor = host->watch.interrupt_descriptor,
                     .kind = &watchdog_kind,
                     .context = trial},
    };
    experiment->end = fleet_end_of(load_result_new(plan, &trial->result, &experiment->error));
    if (!load_trial_goes_on(trial))
        return trial;
    trial->load = trial->result->load;
    trial->progress.load = trial->load;
    load_faults_init(&trial->faults, plan, host->ensemble, trial->load->outages,
                     trial->result->faults);
    experiment_open(experiment, host->simulation);
    if (load_trial_goes_on(trial))
        experiment->end = fleet_end_of(make_folders(trial));
    experiment_start(experiment, trial->load->shared, &load_session_ops, trial->load);
    reach_start(trial);
    return trial;
}

/* ------------------------------------------------------------------ the load */

/* The load may be offered so seldom that nothing moves for long. A fault that is due at until_ns
 * waits for the next call: the servers are asked before a kill, and what is read at the end of a
 * second is read before that. */
void load_trial_wait(struct load_trial *trial, uint64_t until_ns)
{
    uint64_t now_ns;
    while (load_trial_goes_on(trial) && (now_ns = load_trial_now_ns(trial)) < until_ns) {
        uint64_t end_ns = load_faults_due_ns(&trial->faults);
        end_ns = end_ns < until_ns ? end_ns : until_ns;
        uint64_t wait_ns = end_ns > now_ns ? end_ns - now_ns : 0;
        watchdog_rest(&trial->experiment.watchdog);
        wait_once(trial, wait_ns < WATCHDOG_TURN_NS ? wait_ns : WATCHDOG_TURN_NS);
        if (load_trial_goes_on(trial) && load_trial_now_ns(trial) < until_ns)
            trial->experiment.end = fleet_end_of(load_faults_turn(
                &trial->faults, load_trial_now_ns(trial), &trial->experiment.error));
    }
}

void load_trial_start(struct load_trial *trial)
{
    if (!load_trial_goes_on(trial))
        return;
    trial->progress.phase = LOAD_WARMS_UP;
    /* To the nanosecond before the measured time: which operations are due in that depends on the
     * seed alone. */
    trial->load->starts_ns = atomic_load(&trial->load->measures_ns) - trial->plan->warm_up_ns;
    atomic_store(&trial->load->resting, 0);
    shared_tell_all(trial->load->shared, LOAD_ORDER_START);
    load_trial_wait(trial, atomic_load(&trial->load->measures_ns));
    if (load_trial_goes_on(trial))
        shared_forget_absence(trial->load->shared);
}

/* ------------------------------------------------------------------ the end */

/* At the load's end the sessions stop by themselves, but those without a connection. A worker that
 * did not run for all of the load may not know yet that the load has begun: its sessions have sent
 * nothing, and the order to stop would be the first that they hear. */
static void drain(struct load_trial *trial)
{
    watchdog_rest(&trial->experiment.watchdog);
    while (load_trial_goes_on(trial) && !shared_have_taken(trial->load->shared))
        wait_once(trial, WATCHDOG_TURN_NS);
    if (!load_trial_goes_on(trial))
        return;
    shared_tell_all(trial->load->shared, LOAD_ORDER_STOP);
    await_rest(trial);
}

static void read_servers(struct load_trial *trial)
{
    struct experiment *experiment = &trial->experiment;
    struct load_result *result = trial->result;
    struct error *error = &experiment->error;
    enum error_kind kind;
    if (trial->plan->fault_count > 0) { /* some were killed: their CPU time alone */
        uint64_t cpu_ns = 0;
        kind = ensemble_cpu_ns(experiment->ensemble, &cpu_ns, error);
        result->servers = (struct server_counters_count){
            .cpu_known = true, .cpu_ns = cpu_ns - experiment->at_start.cpu_ns};
    } else {
        kind =
            experiment_read_servers(experiment, true, &result->total, 0, &result->servers, error);
    }
    experiment->end = fleet_end_of(kind);
}

/* To be called right after the servers were asked. */
static void compare_counts(struct load_trial *trial)
{
    struct load_result *result = trial->result;
    result->reconcile = experiment_reconcile(
        &trial->experiment, (struct reconcile_facts){.servers = result->servers,
                                                     .sessions = &result->total,
                                                     .had_faults = trial->plan->fault_count > 0});
    if (result->reconcile.had_strangers)
        snprintf(result->not_valid, sizeof result->not_valid, "%s", result->reconcile.why);
}

/* The sessions of a server that is gone have gone to others: their times are another load's. Nor do
 * times stand where what was to happen to the servers did not, or what has not come back since. */
static void describe_servers(struct load_trial *trial)
{
    struct load_result *result = trial->result;
    const struct error *absent = &trial->experiment.counters.absent;
    const struct load_plan *plan = trial->plan;
    if (absent->kind != ERROR_NONE) {
        snprintf(result->reconcile.why, sizeof result->reconcile.why, "%.80s does not answer: %s",
                 absent->subject, error_words(absent->kind));
        snprintf(result->not_valid, sizeof result->not_valid, "%s", result->reconcile.why);
    }
    if (plan->fault_count == 0)
        return;
    load_faults_take(&trial->faults, &result->marks);
    if (result->apart > 0)
        snprintf(result->not_valid, sizeof result->not_valid,
                 "%u of %u sessions had no connection at the end", result->apart,
                 plan->fleet.sessions);
    for (uint32_t i = plan->fault_count; i-- > 0;) { /* the first of them is told */
        if (!result->faults[i].carried_out)
            snprintf(result->not_valid, sizeof result->not_valid,
                     "fault %u (%s) was not carried out: %s", i + 1,
                     load_fault_word(&plan->faults[i]), result->faults[i].why);
    }
}

static const char *status_words(int status)
{
    switch (status) {
    case ZK_SESSION_EXPIRED:
        return "expired";
    case ZK_CONNECTION_LOSS:
        return "lost its connection while it laid out its znodes: values may be larger than the "
               "servers take (jute.maxbuffer)";
    case ZK_NO_AUTH:
        return "was denied a request";
    default:
        return "got an answer with which it cannot lay out its znodes";
    }
}

/* Whoever led what was to go on beside the load knows why that has ended. */
static void describe_end(const struct load_trial *trial)
{
    struct load_result *result = trial->result;
    const struct shared *shared = trial->load->shared;
    if (result->end == END_DEADLINE && !shared_have_taken(shared))
        snprintf(result->reason, sizeof result->reason,
                 "a worker process did not run for %g s, and has not taken an order",
                 (double)trial->plan->fleet.timeout_ns / 1e9);
    else if (result->end == END_DEADLINE)
        snprintf(result->reason, sizeof result->reason,
                 "nothing moved for %g s: %u of %u sessions have got all their replies",
                 (double)trial->plan->fleet.timeout_ns / 1e9, atomic_load(&trial->load->resting),
                 trial->plan->fleet.sessions);
    else if (result->end == END_LOST)
        snprintf(result->reason, sizeof result->reason, "session %u %s",
                 atomic_load(&shared->first_lost) - 1,
                 status_words(atomic_load(&shared->first_lost_status)));
}

/* The load has ended well. All its sessions rest: nobody records any more. */
static void take_result(struct load_trial *trial, bool alone)
{
    struct shared *shared = trial->load->shared;
    uint64_t absent_ns = trial->absent_ns; /* until the last reply */
    /* What the sessions know of their pings is in their reports; and with its report a session
     * settles what it was notified of: there is no other inquiry in a load. */
    bool inquired = load_trial_goes_on(trial) && shared_inquire(shared);
    while (inquired && load_trial_goes_on(trial) &&
           atomic_load(&shared->reported) < trial->plan->fleet.processes)
        wait_once(trial, REPORT_TURN_NS);
    if (load_trial_goes_on(trial))
        trial->experiment.end = under_way_settle(&trial->experiment.watchdog);
    if (load_trial_goes_on(trial) && alone)
        read_servers(trial);
    if (!load_trial_goes_on(trial))
        return;
    trial->result->absent_ns = shared_absent_ns(shared);
    if (absent_ns > trial->result->absent_ns)
        trial->result->absent_ns = absent_ns;
    load_result_add_up(trial->result);
    if (alone)
        compare_counts(trial);
    describe_servers(trial);
}

/* With the workers running. What was measured stands, however the clearing ends: the set-up session
 * deletes what the sessions leave. The last second is shown when it is whole, however soon the rest
 * ends. */
static void end_load(struct load_trial *trial, bool alone)
{
    drain(trial);
    if (load_trial_goes_on(trial))
        show(trial);
    /* Whoever else uses the servers is notified, too: then nobody knows how many are to come. Nor
     * is that known after a server was killed. */
    if (load_trial_goes_on(trial) && alone && trial->plan->fault_count == 0 &&
        trial->load->fan_out != NULL)
        trial->experiment.end =
            under_way_receive(&trial->experiment.watchdog, &trial->experiment.at_start);
    take_result(trial, alone);
    trial->result->end = trial->experiment.end;
    describe_end(trial);
    trial->progress.phase = LOAD_CLEARS;
    carry_out(trial, LOAD_ORDER_CLEAR);
    /* The sessions of a load that has ended too early may send on, until their last readings. */
    experiment_stop(&trial->experiment);
    if (trial->experiment.end != END_ERROR && trial->result->end != END_DONE)
        load_result_add_up(trial->result);
    for (uint32_t i = 0; i < trial->plan->fleet.processes; i++)
        trial->result->client_rss_kib += trial->load->shared->workers[i].rss_kib;
}

enum error_kind load_trial_end(struct load_trial *trial, bool alone, struct load_result **result,
                               struct error *error)
{
    struct experiment *experiment = &trial->experiment;
    if (experiment->are_working)
        end_load(trial, alone);
    experiment_close(experiment);
    if (experiment->end != END_ERROR && trial->plan->fault_count > 0)
        experiment->end = fleet_end_of(ensemble_mend(experiment->ensemble, &experiment->error));
    enum error_kind kind = experiment->end == END_ERROR ? experiment->error.kind : ERROR_NONE;
    if (kind == ERROR_NONE) {
        *result = trial->result;
    } else {
        load_result_free(trial->result);
        *error = experiment->error;
    }
    free(trial);
    return kind;
}
