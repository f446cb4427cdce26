// SPDX-License-Identifier: Apache-2.0
#include "load/load.h"

#include "fleet/gate.h"
#include "load/load_session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Of a result: the lag; service and response, each of every kind and of all, and again for every
 * role. */
#define KINDS_AND_ALL (LOAD_KINDS + 1)
#define HISTOGRAMS    (1 + 2 * KINDS_AND_ALL + 2 * ROLES * LOAD_KINDS)

#define PROGRESS_NS    (100 * NS_PER_MS)
#define REPORT_TURN_NS NS_PER_MS

/* ------------------------------------------------------------------ one trial */

struct run {
    const struct load_plan *plan;
    const struct load_host *host;
    struct setup_session *setup; /* the host's, or the simulation's own */
    struct server_counters counters;
    struct load_shared *load;
    struct load_result *result;
    struct watchdog watchdog;
    struct load_progress progress;
    uint64_t shown_ns; /* the last progress, on the host's clock */
    struct server_counters_reading at_start;
    uint64_t started_ns;             /* when that was taken, of the loop's time */
    uint64_t setup_session_requests; /* of the set-up session until then */
    uint32_t sampled;                /* seconds of the measured time that have been sampled, and
                                        one for its beginning */
    struct load_usage sum;           /* at the last sample: of all time */
};

static uint64_t now_ns(const struct run *run)
{
    return loop_now_ns(run->watchdog.loop);
}

/* ------------------------------------------------------------------ what the watchdog asks */

static uint64_t movement(void *context)
{
    const struct run *run = context;
    return load_shared_sent(run->load);
}

static enum fleet_end look(void *context, uint64_t loop_ns, uint64_t absent_ns)
{
    struct run *run = context;
    const struct load_watch *watch = &run->host->watch;
    uint64_t host_ns = clock_now_ns();
    (void)loop_ns;
    (void)absent_ns;
    if (watch->progress == NULL || host_ns - run->shown_ns < PROGRESS_NS)
        return END_DONE;
    run->shown_ns = host_ns;
    run->progress.established = atomic_load(&run->load->shared->established);
    run->progress.second = run->sampled > 0 ? run->sampled - 1 : 0;
    watch->progress(watch->context, &run->progress);
    return END_DONE;
}

static const struct watchdog_kind watchdog_kind = {movement, look};

/* ------------------------------------------------------------------ orders */

static enum fleet_end await_rest(struct run *run)
{
    enum fleet_end end = END_DONE;
    while (end == END_DONE && atomic_load(&run->load->resting) < run->plan->fleet.sessions)
        end = watchdog_wait(&run->watchdog, WATCHDOG_TURN_NS);
    return end;
}

static enum fleet_end carry_out(struct run *run, enum load_order order)
{
    atomic_store(&run->load->resting, 0);
    shared_tell_all(run->load->shared, order);
    return await_rest(run);
}

/* ------------------------------------------------------------------ the measured time */

static enum error_kind sample(struct run *run)
{
    struct load_usage now = {.client_cpu_ns = workers_cpu_ns(run->watchdog.workers)};
    enum error_kind kind = ERROR_NONE;
    if (run->counters.ensemble != NULL) {
        now.server_cpu_known = true;
        kind = ensemble_cpu_ns(run->counters.ensemble, &now.server_cpu_ns, run->watchdog.error);
    }
    if (kind == ERROR_NONE && run->sampled > 0)
        run->result->usage[run->sampled - 1] = (struct load_usage){
            .client_cpu_ns = now.client_cpu_ns - run->sum.client_cpu_ns,
            .server_cpu_known = now.server_cpu_known,
            .server_cpu_ns = now.server_cpu_ns - run->sum.server_cpu_ns,
            .outstanding = load_shared_outstanding(run->load),
        };
    run->sum = now;
    run->sampled++;
    return kind;
}

/* When the next second of the measured time begins, or its last one ends. */
static uint64_t next_sample_ns(const struct run *run)
{
    return run->load->measures_ns + run->sampled * NS_PER_S;
}

/* The load may be offered so seldom that nothing moves for long. */
static enum fleet_end wait_until(struct run *run, uint64_t until_ns)
{
    enum fleet_end end = END_DONE;
    for (uint64_t now = now_ns(run); end == END_DONE && now < until_ns; now = now_ns(run)) {
        uint64_t left_ns = until_ns - now;
        watchdog_rest(&run->watchdog);
        end =
            watchdog_wait(&run->watchdog, left_ns < WATCHDOG_TURN_NS ? left_ns : WATCHDOG_TURN_NS);
    }
    return end;
}

static enum fleet_end measure(struct run *run)
{
    struct load_shared *load = run->load;
    load->starts_ns = now_ns(run);
    load->measures_ns = load->starts_ns + run->plan->warm_up_ns;
    load->ends_ns = load->measures_ns + load_plan_measured_ns(run->plan);
    atomic_store(&load->resting, 0);
    run->progress.phase = LOAD_WARMS_UP;
    shared_tell_all(load->shared, LOAD_ORDER_START);
    enum fleet_end end = END_DONE;
    while (end == END_DONE && run->sampled <= run->plan->seconds) {
        end = wait_until(run, next_sample_ns(run));
        run->progress.phase = LOAD_MEASURES;
        if (end == END_DONE)
            end = fleet_end_of(sample(run));
    }
    return end;
}

/* The sessions stop by themselves at the load's end, but those without a connection. */
static enum fleet_end drain(struct run *run)
{
    watchdog_rest(&run->watchdog);
    shared_tell_all(run->load->shared, LOAD_ORDER_STOP);
    return await_rest(run);
}

/* ------------------------------------------------------------------ from the gate to the end */

static enum fleet_end reach_start(struct run *run)
{
    run->progress.phase = LOAD_CONNECTS;
    enum fleet_end end = gate_await_sessions(&run->watchdog);
    if (end == END_DONE)
        end = fleet_end_of(gate_note_roles(&run->watchdog));
    if (end != END_DONE)
        return end;
    shared_enter(run->load->shared, PHASE_RUN);
    run->progress.phase = LOAD_LAYS_OUT;
    end = carry_out(run, LOAD_ORDER_LAY_OUT);
    if (end == END_DONE)
        end = gate_read_counters(&run->watchdog, &run->at_start);
    run->started_ns = now_ns(run);
    run->setup_session_requests = setup_session_requests(run->setup);
    return end;
}

/* What the sessions know of their pings is in their reports. */
static enum fleet_end collect_reports(struct run *run)
{
    struct shared *shared = run->load->shared;
    enum fleet_end end = END_DONE;
    shared_inquire(shared);
    while (end == END_DONE && atomic_load(&shared->reported) < run->plan->fleet.processes)
        end = watchdog_wait(&run->watchdog, REPORT_TURN_NS);
    return end;
}

static enum fleet_end read_servers(struct run *run)
{
    struct server_counters_reading at_end;
    enum fleet_end end = collect_reports(run);
    if (end == END_DONE)
        end = fleet_end_of(server_counters_read(&run->counters, &at_end, run->watchdog.error));
    if (end == END_DONE)
        run->result->servers = server_counters_subtract(&run->at_start, &at_end);
    return end;
}

static enum fleet_end lead(struct run *run)
{
    enum fleet_end end = reach_start(run);
    if (end == END_DONE)
        end = measure(run);
    if (end == END_DONE)
        end = drain(run);
    if (end == END_DONE)
        end = read_servers(run);
    return end;
}

/* ------------------------------------------------------------------ adding up */

static void add_replies(const struct load_worker *worker, struct load_result *result)
{
    for (int kind = 0; kind < LOAD_KINDS; kind++) {
        for (int status = 0; status < LOAD_STATUSES; status++) {
            uint64_t count = atomic_load(&worker->replies[kind][status]);
            result->replies[kind][status] += count;
            result->offered += count;
        }
    }
}

static void add_latencies(const struct load_worker *worker, struct load_result *result)
{
    histogram_add(result->lag, &worker->lag);
    for (int role = 0; role < ROLES; role++) {
        for (int kind = 0; kind < LOAD_KINDS; kind++) {
            const struct histogram *service = &worker->service[role][kind],
                                   *response = &worker->response[role][kind];
            histogram_add(&result->service_of[role][kind], service);
            histogram_add(&result->service[kind], service);
            histogram_add(&result->service[LOAD_KINDS], service);
            histogram_add(&result->response_of[role][kind], response);
            histogram_add(&result->response[kind], response);
            histogram_add(&result->response[LOAD_KINDS], response);
        }
    }
}

static void add_workers(const struct run *run)
{
    struct load_result *result = run->result;
    for (uint32_t i = 0; i < run->plan->fleet.processes; i++) {
        const struct load_worker *worker = &run->load->workers[i];
        const struct shared_worker *place = &run->load->shared->workers[i];
        tally_sum(&result->total, &worker->total);
        add_replies(worker, result);
        add_latencies(worker, result);
        result->delayed += atomic_load(&worker->delayed);
        result->unsent += atomic_load(&worker->unsent);
        result->client_rss_kib += place->rss_kib;
        result->reconnects += atomic_load(&place->reconnects);
    }
    result->offered += result->unsent;
    result->losses = atomic_load(&run->load->shared->losses);
}

static void add_seconds(const struct run *run)
{
    struct load_result *result = run->result;
    for (uint32_t second = 0; second < run->plan->seconds; second++) {
        const struct load_usage *usage = &result->usage[second];
        result->answered += load_shared_answered(run->load, second);
        result->errors += load_shared_errors(run->load, second);
        result->client_cpu_ns += usage->client_cpu_ns;
        result->server_cpu_known = usage->server_cpu_known;
        result->server_cpu_ns += usage->server_cpu_ns;
    }
}

static uint64_t count_pings(const struct run *run)
{
    if (run->counters.sim != NULL)
        return 0; /* nobody pings there */
    return setup_session_pings(run->setup, run->started_ns) +
           shared_pings_most(run->load->shared, now_ns(run));
}

/* To be called right after the servers were asked. */
static void compare_counts(const struct run *run)
{
    struct load_result *result = run->result;
    const struct reconcile_facts facts = {
        .servers = result->servers,
        .sessions = &result->total,
        .are_private = server_counters_is_private(&run->counters),
        .is_shared = server_counters_is_shared(&run->at_start, run->plan->fleet.sessions),
        .reconnects = result->reconnects,
        .losses = result->losses,
        .setup_session_stayed = setup_session_stayed(run->setup, run->started_ns),
        .setup_session_requests = setup_session_requests(run->setup) - run->setup_session_requests,
        .pings_most = count_pings(run),
    };
    struct reconcile_result found = reconcile(&facts);
    result->reconciled = found.reconciled;
    result->difference = found;
    snprintf(result->not_reconciled, sizeof result->not_reconciled, "%s", found.why);
    if (found.had_strangers)
        snprintf(result->not_valid, sizeof result->not_valid, "%s", found.why);
}

/* ------------------------------------------------------------------ an end too early */

static const char *status_words(int status)
{
    switch (status) {
    case ZK_SESSION_EXPIRED:
        return "expired";
    case ZK_CONNECTION_LOSS:
        return "lost its connection while it laid out its znodes";
    case ZK_NO_AUTH:
        return "was denied a request";
    default:
        return "got an answer with which it cannot lay out its znodes";
    }
}

static void describe_end(const struct run *run)
{
    struct load_result *result = run->result;
    const struct shared *shared = run->load->shared;
    if (result->end == END_DEADLINE)
        snprintf(result->reason, sizeof result->reason,
                 "nothing moved for %g s: %u of %u sessions have got all their replies",
                 (double)run->plan->fleet.timeout_ns / 1e9, atomic_load(&run->load->resting),
                 run->plan->fleet.sessions);
    else if (result->end == END_LOST)
        snprintf(result->reason, sizeof result->reason, "session %u %s",
                 atomic_load(&shared->first_lost) - 1,
                 status_words(atomic_load(&shared->first_lost_status)));
}

/* ------------------------------------------------------------------ the whole */

/* With the workers running. */
static enum error_kind lead_workers(struct run *run, const struct workers *workers,
                                    struct error *error)
{
    run->watchdog = (struct watchdog){
        .workers = workers,
        .counters = &run->counters,
        .loop = setup_session_loop(run->setup),
        .interrupt_descriptor = run->host->watch.interrupt_descriptor,
        .kind = &watchdog_kind,
        .context = run,
        .error = error,
    };
    watchdog_rest(&run->watchdog);
    enum fleet_end end = fleet_end_of(watchdog_start(&run->watchdog));
    if (end == END_DONE)
        end = lead(run);
    if (end != END_ERROR)
        add_workers(run);
    if (end == END_DONE) {
        add_seconds(run);
        compare_counts(run);
        run->progress.phase = LOAD_CLEARS;
        end = carry_out(run, LOAD_ORDER_CLEAR);
    }
    run->result->end = end;
    describe_end(run);
    if (end != END_ERROR && gate_close(&run->watchdog) != ERROR_NONE)
        end = END_ERROR;
    watchdog_stop(&run->watchdog);
    return end == END_ERROR ? error->kind : ERROR_NONE;
}

static enum error_kind run_workers(struct run *run, struct error *error)
{
    struct workers workers;
    const struct fleet fleet = {run->load->shared, &load_session_ops, run->load};
    enum error_kind kind =
        run->counters.sim != NULL
            ? workers_start_simulated(&workers, &fleet, run->counters.sim, error)
            : workers_start(&workers, &fleet, run->setup, run->host->ensemble, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = lead_workers(run, &workers, error);
    workers_end(&workers);
    return kind;
}

/* The folders that all sessions use: of the data znodes, and of the sessions' own. */
static enum error_kind make_folders(const struct run *run, struct error *error)
{
    static const char *const names[] = {"", "/z", "/c"};
    enum error_kind kind = setup_session_create_parent(run->setup, run->plan->root, error);
    for (size_t i = 0; kind == ERROR_NONE && i < sizeof names / sizeof names[0]; i++) {
        char path[LOAD_PATH_SIZE];
        snprintf(path, sizeof path, "%s%s", run->plan->root, names[i]);
        kind = setup_session_create(run->setup, path, error);
    }
    return kind;
}

static enum error_kind run_on_servers(struct run *run, struct error *error)
{
    run->setup = run->host->setup;
    run->counters.ensemble = run->host->ensemble;
    enum error_kind kind = make_folders(run, error);
    if (kind == ERROR_NONE)
        kind = run_workers(run, error);
    struct error clearing = {0};
    enum error_kind cleared = ERROR_NONE;
    /* A private server that has failed takes its znodes with it. */
    if (kind == ERROR_NONE || run->host->ensemble == NULL)
        cleared = setup_session_delete_tree(run->setup, run->plan->root, &clearing);
    if (kind == ERROR_NONE && cleared != ERROR_NONE) {
        *error = clearing;
        kind = cleared;
    }
    return kind;
}

/* In a simulation made for this trial: it ends with all that is in it. */
static enum error_kind run_in_simulation(struct run *run, struct error *error)
{
    struct sim_options options = *run->host->simulation;
    struct sim *sim = NULL;
    options.seed = run->plan->fleet.seed;
    enum error_kind kind = sim_new(&options, &sim, error);
    if (kind != ERROR_NONE)
        return kind;
    run->counters.sim = sim;
    kind = setup_session_new_simulated(sim, run->plan->fleet.timeout_ns, &run->setup, error);
    if (kind == ERROR_NONE)
        kind = make_folders(run, error);
    if (kind == ERROR_NONE)
        kind = run_workers(run, error);
    setup_session_free(run->setup);
    sim_free(sim);
    return kind;
}

/* Mapped, not allocated: what is never touched costs nothing. */
static bool map_histograms(struct load_result *result)
{
    struct histogram *histograms =
        mmap(NULL, HISTOGRAMS * sizeof *histograms, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (histograms == MAP_FAILED)
        return false;
    result->lag = histograms;
    result->service = histograms + 1;
    result->response = result->service + KINDS_AND_ALL;
    result->service_of = (struct histogram(*)[LOAD_KINDS])(result->response + KINDS_AND_ALL);
    result->response_of = result->service_of + ROLES;
    return true;
}

static enum error_kind new_result(const struct load_plan *plan, struct load_result **result,
                                  struct error *error)
{
    struct load_result *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "load", "%s", "");
    made->usage = calloc(plan->seconds, sizeof *made->usage);
    enum error_kind kind = made->usage != NULL && map_histograms(made)
                               ? load_shared_new(plan, &made->load, error)
                               : error_raise(error, ERROR_NO_MEMORY, 0, "load", "%s", "");
    if (kind != ERROR_NONE) {
        load_result_free(made);
        return kind;
    }
    *result = made;
    return ERROR_NONE;
}

enum error_kind load_run(const struct load_plan *plan, const struct load_host *host,
                         struct load_result **result, struct error *error)
{
    struct load_result *made = NULL;
    enum error_kind kind = new_result(plan, &made, error);
    if (kind != ERROR_NONE)
        return kind;
    struct run run = {
        .plan = plan,
        .host = host,
        .counters = {.servers = host->servers},
        .load = made->load,
        .result = made,
        .progress.load = made->load,
    };
    kind = plan->fleet.driver == DRIVER_SIMULATED ? run_in_simulation(&run, error)
                                                  : run_on_servers(&run, error);
    if (kind != ERROR_NONE) {
        load_result_free(made);
        return kind;
    }
    *result = made;
    return ERROR_NONE;
}

void load_result_free(struct load_result *result)
{
    if (result == NULL)
        return;
    load_shared_free(result->load);
    if (result->lag != NULL)
        munmap(result->lag, HISTOGRAMS * sizeof *result->lag);
    free(result->usage);
    free(result);
}
