// SPDX-License-Identifier: Apache-2.0
#include "load/internal.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

#define PROGRESS_NS    (100 * NS_PER_MS)
#define REPORT_TURN_NS NS_PER_MS

/* How long the servers are given to answer pings that they have received, and how often they are
 * asked. */
#define ANSWERING_NS      (2 * NS_PER_S)
#define ANSWERING_TURN_NS (5 * NS_PER_MS)

uint64_t load_trial_now_ns(const struct load_trial *trial)
{
    return watchdog_now_ns(&trial->watchdog);
}

static bool goes_on(const struct load_trial *trial)
{
    return trial->end == END_DONE;
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
    return ((const struct load_trial *)context)->sim == NULL;
}

static const struct watchdog_kind watchdog_kind = {
    .movement = movement, .look = look, .received = received, .is_owed = is_owed};

/* ------------------------------------------------------------------ orders */

static void await_rest(struct load_trial *trial)
{
    watchdog_rest(&trial->watchdog);
    while (goes_on(trial) && atomic_load(&trial->load->resting) < trial->plan->fleet.sessions)
        trial->end = watchdog_wait(&trial->watchdog, WATCHDOG_TURN_NS);
}

static void carry_out(struct load_trial *trial, int order)
{
    if (!goes_on(trial))
        return;
    atomic_store(&trial->load->resting, 0);
    atomic_store(&trial->load->chores_done, 0);
    shared_tell_all(trial->load->shared, order);
    await_rest(trial);
}

/* ------------------------------------------------------------------ the beginning */

/* The folders that all sessions use: of the data znodes, and of the sessions' own. */
static enum error_kind make_folders(struct load_trial *trial, struct error *error)
{
    static const char *const names[] = {"", "/z", "/c"};
    enum error_kind kind = setup_session_create_parent(trial->setup, trial->plan->root, error);
    for (size_t i = 0; kind == ERROR_NONE && i < sizeof names / sizeof names[0]; i++) {
        char path[LOAD_PATH_SIZE];
        snprintf(path, sizeof path, "%s%s", trial->plan->root, names[i]);
        kind = setup_session_create(trial->setup, path, error);
        trial->has_root = trial->has_root || kind == ERROR_NONE;
    }
    return kind;
}

/* A simulation made for this trial: it ends with all that is in it. */
static enum error_kind make_simulation(struct load_trial *trial, struct error *error)
{
    struct sim_options options = *trial->host->simulation;
    options.seed = trial->plan->fleet.seed;
    enum error_kind kind = sim_new(&options, &trial->sim, error);
    if (kind != ERROR_NONE)
        return kind;
    trial->counters.sim = trial->sim;
    return setup_session_new_simulated(trial->sim, trial->plan->fleet.timeout_ns, &trial->setup,
                                       error);
}

static enum error_kind prepare(struct load_trial *trial, struct error *error)
{
    enum error_kind kind = load_result_new(trial->plan, &trial->result, error);
    if (kind != ERROR_NONE)
        return kind;
    trial->load = trial->result->load;
    trial->progress.load = trial->load;
    load_faults_init(&trial->faults, trial->plan, trial->host->ensemble, trial->load->outages,
                     trial->result->faults);
    if (trial->plan->fleet.driver == DRIVER_SIMULATED) {
        kind = make_simulation(trial, error);
    } else {
        trial->setup = trial->host->setup;
        trial->counters.ensemble = trial->host->ensemble;
        trial->counters.may_lack = trial->host->ensemble == NULL;
    }
    if (kind == ERROR_NONE) {
        trial->counters.own = &trial->setup->session;
        kind = make_folders(trial, error);
    }
    const struct fleet fleet = {trial->load->shared, &load_session_ops, trial->load,
                                trial->plan->root};
    if (kind == ERROR_NONE)
        kind = workers_start(&trial->workers, &fleet, trial->setup, trial->sim,
                             trial->host->ensemble, error);
    trial->are_working = kind == ERROR_NONE;
    if (kind != ERROR_NONE)
        return kind;
    trial->watchdog = (struct watchdog){
        .workers = &trial->workers,
        .counters = &trial->counters,
        .setup = trial->setup,
        .interrupt_descriptor = trial->host->watch.interrupt_descriptor,
        .kind = &watchdog_kind,
        .context = trial,
        .error = &trial->error,
    };
    return watchdog_start(&trial->watchdog);
}

static void reach_start(struct load_trial *trial)
{
    watchdog_rest(&trial->watchdog);
    trial->progress.phase = LOAD_CONNECTS;
    trial->end = gate_await_sessions(&trial->watchdog);
    if (goes_on(trial))
        trial->end = fleet_end_of(gate_note_roles(&trial->watchdog));
    if (!goes_on(trial))
        return;
    shared_enter(trial->load->shared, PHASE_RUN);
    trial->progress.phase = LOAD_LAYS_OUT;
    carry_out(trial, LOAD_ORDER_LAY_OUT);
    if (goes_on(trial))
        trial->end = gate_read_counters(&trial->watchdog, &trial->at_start);
    trial->started_ns = load_trial_now_ns(trial);
}

struct load_trial *load_trial_begin(const struct load_plan *plan, const struct load_host *host)
{
    struct load_trial *trial = memory_new(1, sizeof *trial);
    *trial = (struct load_trial){
        .plan = plan,
        .host = host,
        .counters = {.servers = host->servers, .companions = host->companions},
    };
    trial->end = fleet_end_of(prepare(trial, &trial->error));
    if (goes_on(trial))
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
    while (goes_on(trial) && (now_ns = load_trial_now_ns(trial)) < until_ns) {
        uint64_t end_ns = load_faults_due_ns(&trial->faults);
        end_ns = end_ns < until_ns ? end_ns : until_ns;
        uint64_t wait_ns = end_ns > now_ns ? end_ns - now_ns : 0;
        watchdog_rest(&trial->watchdog);
        trial->end = watchdog_wait(&trial->watchdog,
                                   wait_ns < WATCHDOG_TURN_NS ? wait_ns : WATCHDOG_TURN_NS);
        if (goes_on(trial) && load_trial_now_ns(trial) < until_ns)
            trial->end = fleet_end_of(
                load_faults_turn(&trial->faults, load_trial_now_ns(trial), &trial->error));
    }
}

void load_trial_start(struct load_trial *trial)
{
    if (!goes_on(trial))
        return;
    trial->progress.phase = LOAD_WARMS_UP;
    /* To the nanosecond before the measured time: which operations are due in that depends on the
     * seed alone. */
    trial->load->starts_ns = atomic_load(&trial->load->measures_ns) - trial->plan->warm_up_ns;
    atomic_store(&trial->load->resting, 0);
    shared_tell_all(trial->load->shared, LOAD_ORDER_START);
    load_trial_wait(trial, atomic_load(&trial->load->measures_ns));
    if (goes_on(trial))
        shared_forget_absence(trial->load->shared);
}

/* ------------------------------------------------------------------ the end */

/* At the load's end the sessions stop by themselves, but those without a connection. A worker that
 * did not run for all of the load may not know yet that the load has begun: its sessions have sent
 * nothing, and the order to stop would be the first that they hear. */
static void drain(struct load_trial *trial)
{
    watchdog_rest(&trial->watchdog);
    while (goes_on(trial) && !shared_have_taken(trial->load->shared))
        trial->end = watchdog_wait(&trial->watchdog, WATCHDOG_TURN_NS);
    if (!goes_on(trial))
        return;
    shared_tell_all(trial->load->shared, LOAD_ORDER_STOP);
    await_rest(trial);
}

static void read_servers(struct load_trial *trial)
{
    struct server_counters_reading at_end;
    uint64_t until_ns = load_trial_now_ns(trial) + ANSWERING_NS;
    if (trial->plan->fault_count > 0) { /* some were killed: their CPU time alone */
        uint64_t cpu_ns = 0;
        trial->end = fleet_end_of(ensemble_cpu_ns(trial->host->ensemble, &cpu_ns, &trial->error));
        trial->result->servers = (struct server_counters_count){
            .cpu_known = true, .cpu_ns = cpu_ns - trial->at_start.cpu_ns};
        return;
    }
    for (;;) {
        trial->end = fleet_end_of(server_counters_read(&trial->counters, &at_end, &trial->error));
        if (!goes_on(trial))
            return;
        trial->result->servers = server_counters_subtract(&trial->at_start, &at_end);
        /* A ping may be under way, where nobody else sends anything. */
        if (!server_counters_await_answers(&trial->counters, &trial->at_start,
                                           trial->plan->fleet.sessions, &trial->result->servers) ||
            load_trial_now_ns(trial) >= until_ns)
            return;
        watchdog_rest(&trial->watchdog);
        trial->end = watchdog_wait(&trial->watchdog, ANSWERING_TURN_NS);
        if (!goes_on(trial))
            return;
    }
}

/* To be called right after the servers were asked. */
static void compare_counts(struct load_trial *trial)
{
    struct load_result *result = trial->result;
    const struct reconcile_facts facts = {
        .servers = result->servers,
        .sessions = &result->total,
        .untold = &trial->counters.untold,
        .are_private = server_counters_is_private(&trial->counters),
        .had_faults = trial->plan->fault_count > 0,
        .has_companions = trial->host->companions > 0,
        .is_shared = server_counters_is_shared(&trial->at_start, trial->plan->fleet.sessions),
        .reconnects = result->reconnects,
        .authenticates = identity_is_known(trial->plan->fleet.servers->identity),
        .losses = result->losses,
        .setup_session_stayed = setup_session_stayed(trial->setup, trial->started_ns),
        .pings_most = trial->sim != NULL /* nobody pings there */
                          ? 0
                          : setup_session_pings(trial->setup, trial->started_ns) +
                                shared_pings_most(trial->load->shared, load_trial_now_ns(trial)),
    };
    result->reconcile = reconcile(&facts);
    if (result->reconcile.had_strangers)
        snprintf(result->not_valid, sizeof result->not_valid, "%s", result->reconcile.why);
}

/* The sessions of a server that is gone have gone to others: their times are another load's. Nor do
 * times stand where what was to happen to the servers did not, or what has not come back since. */
static void describe_servers(struct load_trial *trial)
{
    struct load_result *result = trial->result;
    const struct error *absent = &trial->counters.absent;
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
                     load_fault_word(plan->faults[i].action), result->faults[i].why);
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
    bool inquired = goes_on(trial) && shared_inquire(shared);
    while (inquired && goes_on(trial) &&
           atomic_load(&shared->reported) < trial->plan->fleet.processes)
        trial->end = watchdog_wait(&trial->watchdog, REPORT_TURN_NS);
    if (goes_on(trial))
        trial->end = under_way_settle(&trial->watchdog);
    if (goes_on(trial) && alone)
        read_servers(trial);
    if (!goes_on(trial))
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
    if (goes_on(trial))
        show(trial);
    /* Whoever else uses the servers is notified, too: then nobody knows how many are to come. Nor
     * is that known after a server was killed. */
    if (goes_on(trial) && alone && trial->plan->fault_count == 0 && trial->load->fan_out != NULL)
        trial->end = under_way_receive(&trial->watchdog, &trial->at_start);
    take_result(trial, alone);
    trial->result->end = trial->end;
    describe_end(trial);
    trial->progress.phase = LOAD_CLEARS;
    carry_out(trial, LOAD_ORDER_CLEAR);
    /* The sessions of a load that has ended too early may send on, until their last readings. */
    if (trial->end != END_ERROR && gate_close(&trial->watchdog) != ERROR_NONE)
        trial->end = END_ERROR;
    if (trial->end != END_ERROR && trial->result->end != END_DONE)
        load_result_add_up(trial->result);
    for (uint32_t i = 0; i < trial->plan->fleet.processes; i++)
        trial->result->client_rss_kib += trial->load->shared->workers[i].rss_kib;
    watchdog_stop(&trial->watchdog);
}

/* A private server that has failed takes its znodes with it. */
static void remove_root(struct load_trial *trial)
{
    struct error clearing;
    bool failed = trial->end == END_ERROR;
    if (!trial->has_root || trial->sim != NULL || (failed && trial->host->ensemble != NULL))
        return;
    if (setup_session_delete_tree(trial->setup, trial->plan->root, &clearing) == ERROR_NONE ||
        failed)
        return;
    trial->error = clearing;
    trial->end = END_ERROR;
}

enum error_kind load_trial_end(struct load_trial *trial, bool alone, struct load_result **result,
                               struct error *error)
{
    if (trial->are_working) {
        end_load(trial, alone);
        workers_end(&trial->workers);
    }
    remove_root(trial);
    if (trial->end != END_ERROR && trial->plan->fault_count > 0)
        trial->end = fleet_end_of(ensemble_mend(trial->host->ensemble, &trial->error));
    if (trial->sim != NULL) {
        setup_session_free(trial->setup);
        sim_free(trial->sim);
    }
    enum error_kind kind = trial->end == END_ERROR ? trial->error.kind : ERROR_NONE;
    if (kind == ERROR_NONE) {
        *result = trial->result;
    } else {
        load_result_free(trial->result);
        *error = trial->error;
    }
    free(trial);
    return kind;
}
