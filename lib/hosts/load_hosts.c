// SPDX-License-Identifier: Apache-2.0
#include "hosts/load_hosts.h"

#include "base/cores.h"
#include "base/memory.h"
#include "base/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the receipt of GO to the first request: the others have received it by then. */
#define BEGIN_NS (100 * NS_PER_MS)
/* How often it is looked whether the others have reached a step. */
#define TURN_NS NS_PER_MS

/* ------------------------------------------------------------------ steps */

/* Rank 0 says its steps, and waits for all others at theirs, and the other way round. */
static void reach_step(struct load_hosts *hosts, struct load_trial *trial, enum meeting_step step)
{
    bool is_of_first = step == MEETING_TRIAL || step == MEETING_GO || step == MEETING_READ;
    bool says = is_of_first == (hosts->meeting->rank == 0);
    if (says && load_trial_goes_on(trial)) {
        meeting_say(hosts->meeting, step, hosts->text);
        hosts->text[0] = '\0';
    }
    while (!says && load_trial_goes_on(trial) && !meeting_has(hosts->meeting, step)) {
        experiment_rest(&trial->experiment); /* each host watches over itself */
        experiment_wait(&trial->experiment, TURN_NS);
    }
}

/* Before the servers' counters are read for the first time. Sessions of the other hosts are no
 * strangers: the load's, a set-up session each, and those of the meeting at these servers: OPEN has
 * a text then. */
static void note_guests(struct load_hosts *hosts, struct load_trial *trial)
{
    const struct fleet_plan *fleet = &trial->plan->fleet;
    struct meeting *meeting = hosts->meeting;
    uint32_t guests = fleet->all - fleet->sessions + meeting->plan.hosts - 1 + hosts->meets_here;
    for (uint32_t i = 0; meeting->rank == 0 && i < meeting->heard_count; i++)
        guests += meeting->heard[i].text[0] != '\0';
    trial->experiment.counters.guests = guests;
    meeting->spent = (struct tally){{0}};
}

static void start(struct load_hosts *hosts, struct load_trial *trial, uint64_t said_ns)
{
    uint64_t heard_ns = experiment_now_ns(&trial->experiment);
    reach_step(hosts, trial, MEETING_BEGUN);
    hosts->spread_ns = experiment_now_ns(&trial->experiment) - said_ns;
    if (hosts->spread_ns > hosts->spread_most_ns)
        hosts->spread_most_ns = hosts->spread_ns;
    load_trial_wait(trial, heard_ns + BEGIN_NS);
}

/* ------------------------------------------------------------------ adding up */

static void fill_host(const struct load_hosts *hosts, const struct load_trial *trial,
                      struct load_host *host)
{
    const struct load_result *result = trial->result;
    const struct load_window *measured = result->measured;
    const struct shared *shared = trial->load->shared;
    uint64_t started_ns = trial->experiment.started_ns;
    *host = (struct load_host){
        .sessions = trial->plan->fleet.sessions,
        .answered = measured->answered,
        .errors = measured->errors,
        .unsent = measured->unsent,
        .rpcs = tally_rpcs(&result->total),
        .client_cpu_ns = result->client_cpu_ns,
        .millicores = (uint64_t)(cores_allowed() * 1e3),
        .absent_ns = result->absent_ns,
        .losses = result->losses,
        .pings_most = shared_pings_most(shared, experiment_now_ns(&trial->experiment)) +
                      setup_session_pings(trial->experiment.setup, started_ns) +
                      setup_session_pings(hosts->meeting->session, started_ns)};
    for (uint32_t i = 0; i < trial->plan->fleet.processes; i++) {
        uint64_t rss_kib;
        if (process_rss_kib(trial->experiment.workers.pids[i], &rss_kib))
            host->client_rss_kib += rss_kib;
    }
    histogram_add(&host->response, &measured->response[ROLES][LOAD_KINDS]);
}

/* Numbers of 64 bits: put in on the host that sends, and on rank 0 combined with its own, in the
 * same order. */
struct record {
    uint64_t *numbers;
    size_t count; /* on rank 0 */
    size_t at;
    bool is_taken;
};

enum combination { SUM, MOST };

/* Returns the other host's number, or the one that is sent. */
static uint64_t exchange_one(struct record *record, uint64_t own)
{
    size_t at = record->at++;
    if (record->is_taken)
        return at < record->count ? record->numbers[at] : 0;
    record->numbers = memory_grow(record->numbers, at, sizeof own);
    return record->numbers[at] = own;
}

static void exchange(struct record *record, enum combination to, void *place, size_t count)
{
    for (uint64_t *own = place; own < (uint64_t *)place + count; own++) {
        uint64_t other = exchange_one(record, *own);
        if (record->is_taken)
            *own = to == SUM ? *own + other : *own < other ? other : *own;
    }
}

/* Only blocks of slots that are in use are in a record. */
static void exchange_histograms(struct record *record, struct histogram *histograms, size_t count)
{
    for (struct histogram *one = histograms; one < histograms + count; one++) {
        uint64_t blocks = exchange_one(record, one->blocks);
        one->blocks |= blocks;
        exchange(record, SUM, &one->total, 1);
        exchange(record, SUM, &one->overflow, 1);
        exchange(record, MOST, &one->max_ns, 1);
        for (size_t block = 0; block <= HISTOGRAM_BUCKETS; block++) {
            if ((blocks >> block & 1) != 0)
                exchange(record, SUM, one->counts + block * HISTOGRAM_HALF_SLOTS,
                         HISTOGRAM_HALF_SLOTS);
        }
    }
}

static void exchange_seconds(struct record *record, const struct load_trial *trial, uint32_t worker)
{
    const struct load_plan *plan = trial->plan;
    size_t spans = load_plan_spans(plan);
    exchange_histograms(record, &trial->load->times[worker * spans].reads, 2 * spans);
    for (uint32_t second = 0; second < plan->seconds; second++) {
        struct load_second *of = &trial->load->seconds[worker * plan->seconds + second];
        exchange(record, SUM, &of->answered, 2);
        exchange(record, MOST, &of->lag_ns, 1);
    }
}

/* What a host has in its result, and in the seconds of worker 0, to which those of the others are
 * added before: a record does not grow with the processes. */
static void exchange_host(struct record *record, struct load_hosts *hosts,
                          const struct load_trial *trial, struct load_host *host)
{
    struct load_result *result = trial->result;
    struct load_window *measured = result->measured;
    const struct load_plan *plan = trial->plan;
    exchange(record, SUM, host, offsetof(struct load_host, response) / sizeof(uint64_t));
    exchange_histograms(record, &host->response, 1);
    exchange(record, SUM, hosts->cost.of, TALLY_KINDS);
    exchange(record, SUM, result->total.of, TALLY_KINDS);
    exchange(record, SUM, &result->offered, 1);
    exchange(record, SUM, &result->client_cpu_ns, 1);
    exchange(record, SUM, &result->reconnects, 1);
    exchange(record, MOST, &result->absent_ns, 1);
    exchange(record, SUM, measured, offsetof(struct load_window, lag) / sizeof(uint64_t));
    exchange_histograms(record, &measured->lag,
                        1 + 2 * sizeof measured->service / sizeof measured->lag);
    for (uint32_t second = 0; second < plan->seconds; second++) {
        exchange(record, SUM, &result->usage[second].client_cpu_ns, 1);
        exchange(record, SUM, &result->usage[second].outstanding, 1);
    }
    for (uint32_t worker = 1; !record->is_taken && worker < plan->fleet.processes; worker++) {
        struct record moved = {.is_taken = false};
        exchange_seconds(&moved, trial, worker);
        moved = (struct record){moved.numbers, moved.at, .is_taken = true};
        exchange_seconds(&moved, trial, 0);
        free(moved.numbers);
    }
    exchange_seconds(record, trial, 0);
}

/* Adds the record of another host to the result, and what is in no list there. */
static void add_host(struct load_hosts *hosts, struct load_trial *trial, uint32_t rank)
{
    struct load_result *result = trial->result;
    struct load_host *host = &hosts->list[rank];
    struct record record = {.is_taken = true};
    record.numbers = meeting_take(hosts->meeting, rank, &record.count);
    *host = (struct load_host){0};
    exchange_host(&record, hosts, trial, host);
    free(record.numbers);
    if (record.at != record.count)
        meeting_break(hosts->meeting, "the record of host %u has a wrong length", rank);
    result->client_rss_kib += host->client_rss_kib;
    result->losses += (uint32_t)host->losses;
    atomic_fetch_add(&trial->load->shared->losses, (uint32_t)host->losses);
    trial->guest_pings += host->pings_most;
    if ((double)host->client_cpu_ns * (double)hosts->busiest->millicores >
        (double)hosts->busiest->client_cpu_ns * (double)host->millicores)
        hosts->busiest = host;
}

static void add_up(struct load_hosts *hosts, struct load_trial *trial)
{
    struct meeting *meeting = hosts->meeting;
    struct load_result *result = trial->result;
    struct load_host *own = &hosts->list[meeting->rank];
    if (!load_trial_goes_on(trial))
        return;
    fill_host(hosts, trial, own);
    hosts->busiest = own;
    result->client_rss_kib = own->client_rss_kib;
    if (meeting->rank > 0) {
        struct record record = {.is_taken = false};
        exchange_host(&record, hosts, trial, own);
        meeting_send(meeting, record.numbers, record.at);
        snprintf(hosts->text, sizeof hosts->text, "%zu", record.at);
        free(record.numbers);
        return;
    }
    reach_step(hosts, trial, MEETING_SENT);
    for (uint32_t rank = 1; load_trial_goes_on(trial) && rank < meeting->plan.hosts; rank++) {
        add_host(hosts, trial, rank);
        if (!meeting_stands(meeting))
            trial->experiment.end = END_ALONE;
    }
    trial->guests = hosts->cost;
    trial->guest_pings += setup_session_pings(meeting->session, trial->experiment.started_ns);
}

static void take_step(void *context, struct load_trial *trial, enum load_step of)
{
    static const enum meeting_step steps[] = {
        [LOAD_STEP_BEGIN] = MEETING_TRIAL, [LOAD_STEP_OPEN] = MEETING_OPEN,
        [LOAD_STEP_START] = MEETING_GO,    [LOAD_STEP_REST] = MEETING_REST,
        [LOAD_STEP_ADD_UP] = MEETING_READ, [LOAD_STEP_CLEAR] = MEETING_SENT};
    struct load_hosts *hosts = context;
    const struct experiment *experiment = &trial->experiment;
    const char *reason =
        experiment->end == END_ERROR ? error_words(experiment->error.kind) : trial->result->reason;
    uint64_t began_ns = experiment_now_ns(&trial->experiment);
    if (!load_trial_goes_on(trial) && (hosts->meeting->rank > 0 || trial->result->end != END_DONE))
        meeting_break(hosts->meeting, "host %u (%s) cannot go on%s%s", hosts->meeting->rank,
                      hosts->meeting->name, reason[0] != '\0' ? ": " : "", reason);
    if (of == LOAD_STEP_OPEN) {
        hosts->meets_here = meeting_is_at(hosts->meeting, trial->experiment.host->servers);
        strcpy(hosts->text, hosts->meets_here ? "here" : "");
    }
    reach_step(hosts, trial, steps[of]);
    if (of == LOAD_STEP_OPEN)
        note_guests(hosts, trial);
    else if (of == LOAD_STEP_START)
        start(hosts, trial, began_ns);
    else if (of == LOAD_STEP_REST)
        hosts->cost = hosts->meets_here ? hosts->meeting->spent : (struct tally){{0}};
    else if (of == LOAD_STEP_ADD_UP)
        add_up(hosts, trial);
}

/* ------------------------------------------------------------------ its life */

int load_hosts_leave(struct load_hosts *hosts, int status)
{
    status = meeting_leave(hosts->meeting, status);
    free(hosts->list);
    *hosts = (struct load_hosts){0};
    return status;
}

void load_hosts_share(struct load_hosts *hosts, const char *order, struct load_plan *plan,
                      struct fleet_host *host)
{
    struct meeting *meeting = hosts->meeting;
    struct fleet_plan *fleet = &plan->fleet;
    if (meeting == NULL)
        return;
    snprintf(hosts->text, sizeof hosts->text, "%s", order);
    uint32_t hosts_here = meeting->plan.hosts, rest = fleet->sessions % hosts_here;
    fleet->all = fleet->sessions;
    fleet->sessions = fleet->all / hosts_here + (meeting->rank < rest);
    fleet->first =
        fleet->all / hosts_here * meeting->rank + (meeting->rank < rest ? meeting->rank : rest);
    plan->take_step = take_step;
    plan->company = hosts;
    host->has_company = meeting_stands;
    host->company = meeting;
}

const struct load_hosts *load_hosts_of(const struct load_result *result)
{
    return result->end == END_DONE ? result->load->plan->company : NULL;
}
