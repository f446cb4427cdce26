// SPDX-License-Identifier: Apache-2.0
#include "load/internal.h"

#include <stdio.h>

/* How long servers that have yet to answer are waited for, when the measured time is over; and how
 * often it is looked whether they have. */
#define ANSWERS_NS     (5 * NS_PER_S)
#define ANSWER_TURN_NS (2 * NS_PER_MS)

/* What a bystander does. */
#define WARM_UP_NS  (500 * NS_PER_MS)
#define PERIOD_NS   (NS_PER_S / BRAKE_READS_PER_S)
#define VALUE_BYTES 100
/* The longest that the opening, the end, or the deletion waits for the servers. */
#define PATIENCE_NS (30 * NS_PER_S)

/* What was used since `before`, from which it goes on then. */
static enum error_kind read_usage(struct load_trial *trial, struct load_usage *before,
                                  struct load_usage *used)
{
    const struct ensemble *ensemble = trial->counters.ensemble;
    uint64_t replied = 0; /* read first: none is a reply to what is not among the sent */
    for (uint32_t worker = 0; worker < trial->plan->fleet.processes; worker++)
        replied += atomic_load(&trial->load->workers[worker].replied);
    struct load_usage now = {.client_cpu_ns = workers_cpu_ns(&trial->workers),
                             .server_cpu_known = ensemble != NULL,
                             .outstanding = load_shared_sent(trial->load) - replied};
    if (ensemble != NULL &&
        ensemble_cpu_ns(ensemble, &now.server_cpu_ns, &trial->error) != ERROR_NONE)
        return trial->error.kind;
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
    load_servers_init(&servers, trial->counters.servers->count, measures_ns, &trial->faults.words,
                      result->server_seconds, &result->marks);
    for (; ended <= trial->plan->seconds; ended++) {
        load_trial_wait(trial, measures_ns + ended * NS_PER_S);
        if (trial->end == END_DONE)
            trial->end = fleet_end_of(read_usage(trial, &before, &used));
        if (trial->end != END_DONE)
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
    while (trial->end == END_DONE && !server_poll_is_settled(poll) &&
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
    if (trial->end == END_DONE)
        trial->end = fleet_end_of(
            server_poll_new(&trial->counters, &trial->setup->session.loop, &poll, &trial->error));
    if (trial->end == END_DONE) {
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
    if (trial->end != END_DONE)
        return false;
    uint64_t measures_ns = load_trial_now_ns(trial) + plan->warm_up_ns,
             settles_ns = measures_ns + load_plan_measured_ns(plan);
    atomic_store(&trial->load->measures_ns, measures_ns);
    atomic_store(&trial->load->settles_ns, settles_ns);
    load_trial_start(trial);
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

/* ------------------------------------------------------------------ bystander */

static struct load_plan plan_of(const struct load_host *host, const char *root)
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
    if (trial->end == END_DONE)
        return ERROR_NONE;
    if (trial->end == END_ERROR) {
        *error = trial->error;
        return error->kind;
    }
    return error_raise(error, ERROR_SESSION_LOST, 0, "bystander", "%s",
                       trial->end == END_LOST ? "a session of the bystander has expired"
                                              : "the servers do not answer the bystander");
}

enum error_kind bystander_begin(struct bystander *bystander, const struct load_host *host,
                                const char *root, uint64_t alone_ns, struct error *error)
{
    *bystander = (struct bystander){.host = *host};
    bystander->host.watch =
        (struct load_watch){.interrupt_descriptor = host->watch.interrupt_descriptor};
    snprintf(bystander->root, sizeof bystander->root, "%s", root);
    bystander->plan = plan_of(&bystander->host, bystander->root);
    struct load_trial *trial = load_trial_begin(&bystander->plan, &bystander->host);
    bystander->trial = trial;
    if (trial->end == END_DONE) {
        atomic_store(&trial->load->measures_ns, load_trial_now_ns(trial) + WARM_UP_NS);
        load_trial_start(trial);
        load_trial_wait(trial, load_trial_now_ns(trial) + alone_ns);
    }
    struct error ending;
    enum error_kind kind = raise_end(bystander, error);
    if (kind != ERROR_NONE)
        (void)!bystander_end(bystander, &ending);
    return kind;
}

enum error_kind bystander_wait(struct bystander *bystander, uint64_t wait_ns, struct error *error)
{
    load_trial_wait(bystander->trial, load_trial_now_ns(bystander->trial) + wait_ns);
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

const char *bystander_server(const struct bystander *bystander, uint32_t session, char *text,
                             size_t size)
{
    return endpoint_typed(&bystander->plan.fleet.servers->endpoints[session], text, size);
}

/* How many reads of a session were due in the measured time, and before the bound. */
static uint64_t due_of(const struct bystander *bystander, uint32_t session, uint64_t bound_ns)
{
    const struct load_shared *load = bystander->trial->load;
    const uint64_t times_ns[] = {atomic_load(&load->measures_ns),
                                 load_trial_now_ns(bystander->trial) - bound_ns};
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
