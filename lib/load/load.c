// SPDX-License-Identifier: Apache-2.0
#include "load/load.h"

#include "base/memory.h"
#include "load/load_servers.h"
#include "load/load_session.h"

#include <stdio.h>
#include <stdlib.h>

#define PROGRESS_NS    (100 * NS_PER_MS)
#define REPORT_TURN_NS NS_PER_MS
/* The longest wait for servers that have yet to answer in the end, and the time between looks. */
#define ANSWERS_NS     (5 * NS_PER_S)
#define ANSWER_TURN_NS (2 * NS_PER_MS)

/* ------------------------------------------------------------------ what the experiment asks */

static struct tally counted(void *context)
{
    return load_shared_total(((const struct load_trial *)context)->load);
}

static void show(struct load_trial *trial)
{
    if (trial->watch == NULL)
        return;
    trial->shown_ns = clock_now_ns();
    trial->progress.established = atomic_load(&trial->load->shared->established);
    trial->watch->progress(trial->watch->context, &trial->progress);
}

static enum fleet_end waited(void *context, uint64_t loop_ns, uint64_t absent_ns)
{
    struct load_trial *trial = context;
    if (loop_ns > atomic_load(&trial->load->measures_ns) && absent_ns > trial->absent_ns)
        trial->absent_ns = absent_ns;
    if (clock_now_ns() - trial->shown_ns >= PROGRESS_NS)
        show(trial);
    return END_DONE;
}

/* Simulated servers lose no wake-up. */
static bool is_owed(void *context)
{
    return ((const struct load_trial *)context)->experiment.counters.sim == NULL;
}

static const struct experiment_kind of_load = {
    .counted = counted, .waited = waited, .is_owed = is_owed};

/* ------------------------------------------------------------------ orders */

/* Takes a step together with the other hosts, if there are any; the last one even if this host
 * cannot go on. */
static void take_step(struct load_trial *trial, enum load_step step)
{
    if (trial->plan->take_step != NULL && (step == LOAD_STEP_CLEAR || load_trial_goes_on(trial)))
        trial->plan->take_step(trial->plan->company, trial, step);
}

static void await_rest(struct load_trial *trial)
{
    experiment_rest(&trial->experiment);
    while (load_trial_goes_on(trial) &&
           atomic_load(&trial->load->resting) < trial->plan->fleet.sessions)
        experiment_wait(&trial->experiment, EXPERIMENT_TURN_NS);
}

static void carry_out(struct load_trial *trial, int order)
{
    if (!load_trial_goes_on(trial))
        return;
    atomic_store(&trial->load->resting, 0);
    atomic_store(&trial->load->chores_done, 0);
    shared_order_all(trial->load->shared, order);
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
        kind = setup_session_create(experiment->setup, path, "", &experiment->error);
    }
    return kind;
}

struct load_trial *load_trial_begin(const struct load_plan *plan, const struct fleet_host *host,
                                    const struct load_watch *watch)
{
    struct load_trial *trial = memory_new(1, sizeof *trial);
    struct experiment *experiment = &trial->experiment;
    trial->plan = plan;
    trial->watch = watch;
    *experiment = (struct experiment){.plan = &plan->fleet,
                                      .host = host,
                                      .root = plan->root,
                                      .kind = &of_load,
                                      .context = trial,
                                      .requests_move = true};
    experiment_check(experiment, load_result_new(plan, &trial->result, &experiment->error));
    if (!load_trial_goes_on(trial))
        return trial;
    trial->load = trial->result->load;
    trial->progress.load = trial->load;
    experiment_open(experiment);
    experiment->counters.may_lack = !server_counters_is_private(&experiment->counters);
    if (load_trial_goes_on(trial) && plan->fleet.first == 0)
        experiment_check(experiment, make_folders(trial));
    take_step(trial, LOAD_STEP_BEGIN);
    experiment_start(experiment, trial->load->shared, &load_session_ops, trial->load);
    trial->progress.phase = LOAD_CONNECTS;
    experiment_gate(experiment);
    if (!load_trial_goes_on(trial))
        return trial;
    shared_enter(trial->load->shared, PHASE_RUN);
    trial->progress.phase = LOAD_LAYS_OUT;
    carry_out(trial, LOAD_ORDER_LAY_OUT);
    take_step(trial, LOAD_STEP_OPEN);
    experiment_read_start(experiment);
    return trial;
}

/* ------------------------------------------------------------------ the load */

/* The load may be offered so seldom that nothing moves for long. */
void load_trial_wait(struct load_trial *trial, uint64_t until_ns)
{
    uint64_t now_ns;
    while (load_trial_goes_on(trial) &&
           (now_ns = experiment_now_ns(&trial->experiment)) < until_ns) {
        uint64_t wait_ns = until_ns - now_ns;
        experiment_rest(&trial->experiment);
        experiment_wait(&trial->experiment,
                        wait_ns < EXPERIMENT_TURN_NS ? wait_ns : EXPERIMENT_TURN_NS);
    }
}

/* The measured time is fixed beforehand: what is due in it depends on the seed alone. */
void load_trial_start(struct load_trial *trial, bool settles, bool ends)
{
    struct load_shared *load = trial->load;
    trial->progress.phase = LOAD_WARMS_UP;
    take_step(trial, LOAD_STEP_START);
    if (!load_trial_goes_on(trial))
        return;
    load->starts_ns = experiment_now_ns(&trial->experiment);
    uint64_t measures_ns = load->starts_ns + trial->plan->warm_up_ns,
             settles_ns = measures_ns + trial->plan->seconds * NS_PER_S;
    atomic_store(&load->measures_ns, measures_ns);
    if (settles)
        atomic_store(&load->settles_ns, settles_ns);
    if (ends)
        atomic_store(&load->ends_ns, settles_ns);
    atomic_store(&load->resting, 0);
    shared_order_all(load->shared, LOAD_ORDER_START);
    load_trial_wait(trial, measures_ns);
    if (load_trial_goes_on(trial))
        (void)shared_absence_ns(load->shared);
}

/* ------------------------------------------------------------------ the end */

/* To be called right after the servers were asked. The sessions of a server that is gone have gone
 * to others: their times are another load's. */
static void compare_counts(struct load_trial *trial, bool alone)
{
    struct load_result *result = trial->result;
    struct reconcile_result *found = &result->reconcile;
    const struct error *absent = &trial->experiment.counters.absent;
    struct tally sent = result->total;
    struct reconcile_facts facts = {
        .servers = result->servers, .sessions = &sent, .pings_most = trial->guest_pings};
    tally_sum(&sent, &trial->guests);
    if (alone)
        *found = experiment_reconcile(&trial->experiment, facts);
    if (absent->kind != ERROR_NONE)
        snprintf(found->why, sizeof found->why, "%.80s does not answer: %s", absent->subject,
                 error_words(absent->kind));
    if (found->had_strangers || absent->kind != ERROR_NONE)
        snprintf(result->not_valid, sizeof result->not_valid, "%s", found->why);
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

/* END_ALONE has its reason in what was to run at the same time. */
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

/* The load has ended well. All its sessions rest: none records any more. Whether all has been
 * added up. */
static bool store_result(struct load_trial *trial, bool alone)
{
    struct experiment *experiment = &trial->experiment;
    struct load_result *result = trial->result;
    struct shared *shared = trial->load->shared;
    uint64_t absent_ns = trial->absent_ns; /* until the last reply */
    /* The only inquiry of a load: a report has the pings, and ends what counts as notified. */
    if (load_trial_goes_on(trial))
        (void)shared_inquire(shared, false);
    while (load_trial_goes_on(trial) && !shared_has_reports(shared))
        experiment_wait(experiment, REPORT_TURN_NS);
    experiment_await_setup(experiment);
    take_step(trial, LOAD_STEP_REST);
    if (load_trial_goes_on(trial) && alone)
        experiment_check(experiment, experiment_read_servers(experiment, &result->total, 0,
                                                             &result->servers, &experiment->error));
    if (!load_trial_goes_on(trial))
        return false;
    result->absent_ns = shared_absence_ns(shared);
    if (absent_ns > result->absent_ns)
        result->absent_ns = absent_ns;
    load_result_add_up(result);
    take_step(trial, LOAD_STEP_ADD_UP);
    if (load_trial_goes_on(trial))
        compare_counts(trial, alone);
    return true;
}

/* With the workers running. At the load's end the sessions stop by themselves, but those without a
 * connection. A worker that did not run for all of the load may not know that it has begun: the
 * order to stop would be its first. What was measured stands, however the clearing ends: the set-up
 * session deletes what is left. The last second is shown when it is whole. */
static void end_load(struct load_trial *trial, bool alone)
{
    experiment_rest(&trial->experiment);
    while (load_trial_goes_on(trial) && !shared_have_taken(trial->load->shared))
        experiment_wait(&trial->experiment, EXPERIMENT_TURN_NS);
    if (load_trial_goes_on(trial)) {
        shared_order_all(trial->load->shared, LOAD_ORDER_STOP);
        await_rest(trial);
    }
    if (load_trial_goes_on(trial))
        show(trial);
    /* Whoever else uses the servers is notified, too: then it is not known how many are to come. */
    if (load_trial_goes_on(trial) && alone && trial->load->fan_out != NULL)
        experiment_await_notifications(&trial->experiment);
    bool is_added_up = store_result(trial, alone);
    trial->result->end = trial->experiment.end;
    describe_end(trial);
    trial->progress.phase = LOAD_CLEARS;
    carry_out(trial, LOAD_ORDER_CLEAR);
    take_step(trial, LOAD_STEP_CLEAR);
    /* The sessions of a load that has ended too early may send on, until their last readings. */
    experiment_stop(&trial->experiment);
    if (trial->experiment.end != END_ERROR && !is_added_up)
        load_result_add_up(trial->result);
    if (trial->result->client_rss_kib == 0) /* else all hosts' */
        for (uint32_t i = 0; i < trial->plan->fleet.processes; i++)
            trial->result->client_rss_kib += trial->load->shared->workers[i].rss_kib;
}

/* If `alone`, no other session has used the servers since it began: compares their counts. */
static enum error_kind end_trial(struct load_trial *trial, bool alone, struct load_result **result,
                                 struct error *error)
{
    struct experiment *experiment = &trial->experiment;
    if (experiment->are_working)
        end_load(trial, alone);
    experiment_close(experiment);
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

/* ------------------------------------------------------------------ a load alone */

/* What was used since `before`, from which it goes on then. */
static enum error_kind read_usage(struct load_trial *trial, struct load_usage *before,
                                  struct load_usage *used)
{
    const struct ensemble *ensemble = trial->experiment.counters.ensemble;
    uint64_t cpu_of_ns[ENSEMBLE_SERVERS_MAX],
        replied = 0; /* read first: none is a reply to what is not among the sent */
    for (uint32_t worker = 0; worker < trial->plan->fleet.processes; worker++)
        replied += atomic_load(&trial->load->workers[worker].replied);
    struct load_usage now = {.client_cpu_ns = workers_cpu_ns(&trial->experiment.workers),
                             .server_cpu_known = ensemble != NULL,
                             .outstanding = load_shared_sent(trial->load) - replied};
    if (ensemble != NULL && ensemble_cpu_ns(ensemble, cpu_of_ns, &now.server_cpu_ns,
                                            &trial->experiment.error) != ERROR_NONE)
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
static void measure_seconds(struct load_trial *trial, struct server_poll *poll)
{
    struct load_result *result = trial->result;
    uint64_t measures_ns = atomic_load(&trial->load->measures_ns);
    struct load_servers servers;
    struct load_usage before = {0}, used;
    uint32_t ended = 0;
    load_servers_init(&servers, trial->experiment.counters.servers->count, measures_ns,
                      result->server_seconds, &result->marks);
    for (; ended <= trial->plan->seconds; ended++) {
        load_trial_wait(trial, measures_ns + ended * NS_PER_S);
        if (load_trial_goes_on(trial))
            experiment_check(&trial->experiment, read_usage(trial, &before, &used));
        if (!load_trial_goes_on(trial))
            break;
        if (ended > 0) {
            load_servers_add_answers(&servers, ended - 1, server_poll_answers(poll));
            result->usage[ended - 1] = used;
        }
        server_poll_ask(poll);
        result->seconds = ended;
        trial->progress.phase = LOAD_MEASURES;
        trial->progress.second = ended;
    }
    uint64_t until_ns = experiment_now_ns(&trial->experiment) + ANSWERS_NS;
    while (load_trial_goes_on(trial) && !server_poll_is_settled(poll) &&
           experiment_now_ns(&trial->experiment) < until_ns)
        load_trial_wait(trial, experiment_now_ns(&trial->experiment) + ANSWER_TURN_NS);
    if (ended > 0)
        load_servers_add_answers(&servers, ended - 1, server_poll_answers(poll));
}

enum error_kind load_run(const struct load_plan *plan, const struct fleet_host *host,
                         const struct load_watch *watch, struct load_result **result,
                         struct error *error)
{
    struct load_trial *trial = load_trial_begin(plan, host, watch);
    struct experiment *experiment = &trial->experiment;
    struct server_poll *poll = NULL;
    if (load_trial_goes_on(trial))
        experiment_check(experiment,
                         server_poll_new(&experiment->counters, &experiment->setup->loop, &poll,
                                         &experiment->error));
    if (load_trial_goes_on(trial)) {
        load_trial_start(trial, true, true);
        measure_seconds(trial, poll);
    }
    server_poll_free(poll);
    return end_trial(trial, true, result, error);
}

/* ------------------------------------------------------------------ a load in the background */

bool load_background_begin(struct load_trial **begun, const struct load_plan *plan,
                           const struct fleet_host *host)
{
    struct load_trial *trial = *begun = load_trial_begin(plan, host, NULL);
    load_trial_start(trial, true, false);
    if (load_trial_goes_on(trial))
        load_trial_wait(trial, atomic_load(&trial->load->settles_ns));
    return load_trial_goes_on(trial);
}

bool load_background_goes_on(const struct load_trial *trial)
{
    struct error ignored;
    return atomic_load(&trial->load->shared->lost) == 0 &&
           workers_check(&trial->experiment.workers, &ignored) == ERROR_NONE;
}

void load_background_begin_contention(struct load_trial *trial)
{
    if (atomic_load(&trial->load->contends_ns) == UINT64_MAX &&
        atomic_load(&trial->load->ends_ns) == UINT64_MAX)
        atomic_store(&trial->load->contends_ns, experiment_now_ns(&trial->experiment));
}

void load_background_end_contention(struct load_trial *trial)
{
    if (atomic_load(&trial->load->ends_ns) == UINT64_MAX)
        atomic_store(&trial->load->ends_ns, experiment_now_ns(&trial->experiment));
}

/* Whatever contended may have failed before it began, or before it ended. */
enum error_kind load_background_end(struct load_trial *trial, struct load_result **result,
                                    struct error *error)
{
    if (load_trial_goes_on(trial))
        load_background_end_contention(trial);
    return end_trial(trial, false, result, error);
}
