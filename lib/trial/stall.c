// SPDX-License-Identifier: Apache-2.0
#include "trial/stall.h"

#include <stdio.h>
#include <string.h>

/* The workers are asked before the shortest stall is one: so it is known then what was owed. */
#define ASK_NS (STALL_LEAST_NS / 2)

/* ------------------------------------------------------------------ what moves, and how fast */

/* Moves on with every request, reply, notification and step. */
static uint64_t movement(const struct trial_memory *memory)
{
    const struct tally total = trial_memory_total(memory);
    return shared_steps(memory->fleet) + tally_rpcs(&total) + total.of[TALLY_NOTIFICATION] +
           total.of[TALLY_BYTES_RECEIVED];
}

/* The longest latency of some kinds, and their histogram with most values. */
struct latencies {
    const struct histogram *most;
    uint64_t longest_ns;
};

static struct latencies sum_latencies(const struct trial_memory *memory, int first, int last)
{
    struct latencies found = {.most = &memory->workers[0].latency[0][first]};
    for (uint32_t i = 0; i < memory->plan->fleet.processes; i++) {
        for (int role = 0; role < ROLES; role++) {
            for (int kind = first; kind <= last; kind++) {
                const struct histogram *latency = &memory->workers[i].latency[role][kind];
                if (histogram_count(latency) > histogram_count(found.most))
                    found.most = latency;
                if (latency->max_ns > found.longest_ns)
                    found.longest_ns = latency->max_ns;
            }
        }
    }
    return found;
}

/* The median of what has been timed most, which a cold server's first answers do not raise. Once a
 * trial has had a stall its latencies have that in them, and a median that was measured stays. */
static void measure_median(struct stall *stall)
{
    if (stall->median_ns == 0 || stall->found.count == 0)
        stall->median_ns = histogram_percentile_ns(
            sum_latencies(stall->memory, METER_CREATE, METER_MULTI).most, 50);
}

/* A longer silence is a stall. */
static uint64_t bound_ns(const struct stall *stall)
{
    uint64_t latencies_ns = stall->median_ns * STALL_LATENCIES;
    return latencies_ns > STALL_LEAST_NS ? latencies_ns : STALL_LEAST_NS;
}

/* ------------------------------------------------------------------ what is owed */

/* Whether a server owes it a reply. One that has come is the session's to read. */
static bool waits_for_reply(const struct shared_session *session)
{
    return session->asked && !session->answered && !atomic_load(&session->dead);
}

/* The server at which the most sessions wait for a reply, or the only server. */
static void find_server(struct stall *stall)
{
    const struct trial_memory *memory = stall->memory;
    const struct connect_string *servers = memory->plan->fleet.servers;
    uint32_t most = 0;
    stall->server[0] = '\0';
    for (size_t i = 0; i < servers->count; i++) {
        char address[ENDPOINT_TEXT_SIZE];
        uint32_t waiting = servers->count == 1;
        endpoint_address(&servers->endpoints[i], address, sizeof address);
        for (uint32_t s = 0; s < memory->plan->fleet.sessions; s++)
            waiting += waits_for_reply(&memory->fleet->sessions[s]) &&
                       strcmp(memory->fleet->sessions[s].server, address) == 0;
        if (waiting > most)
            snprintf(stall->server, sizeof stall->server, "%s", address);
        most = waiting > most ? waiting : most;
    }
}

static void read_reports(struct stall *stall)
{
    const struct trial_memory *memory = stall->memory;
    bool pauses = false;
    stall->request_is_out = false;
    for (uint32_t i = 0; i < memory->plan->fleet.sessions; i++) {
        const struct shared_session *session = &memory->fleet->sessions[i];
        if (atomic_load(&session->dead))
            continue;
        stall->request_is_out = stall->request_is_out || waits_for_reply(session);
        pauses = pauses || memory->sessions[i].pauses || session->answered;
    }
    stall->answered = true;
    stall->is_owed = stall->request_is_out || !pauses;
    find_server(stall);
}

/* How much of the silence until now_ns a server is to answer for. What a dead session has left is
 * waited for until the servers end it: that is no notification owed. */
static uint64_t owed_ns(const struct stall *stall, uint64_t now_ns)
{
    uint64_t since_ns = stall->since_ns + stall->absent_ns;
    uint64_t expires_ns = atomic_load(&stall->memory->fleet->expires_ns);
    if (!stall->answered || !stall->is_owed)
        return 0;
    if (!stall->request_is_out && expires_ns > since_ns)
        since_ns = expires_ns;
    return now_ns > since_ns ? now_ns - since_ns : 0;
}

/* ------------------------------------------------------------------ silence */

static void count(struct stall *stall, uint64_t length_ns, const char *server)
{
    struct stalls *found = &stall->found;
    found->count++;
    found->total_ns += length_ns;
    if (length_ns <= found->longest_ns)
        return;
    found->longest_ns = length_ns;
    snprintf(found->server, sizeof found->server, "%s", server);
}

static void note_absence(struct stall *stall, uint64_t absent_ns)
{
    if (absent_ns > STALL_LEAST_NS && absent_ns > stall->found.absent_ns)
        stall->found.absent_ns = absent_ns;
}

/* Workers that did not answer did not run: actors, dead ones included, carry every order out. */
static void end_silence(struct stall *stall, uint64_t now_ns)
{
    uint64_t length_ns = owed_ns(stall, now_ns);
    if (stall->answered && length_ns > bound_ns(stall))
        count(stall, length_ns, stall->server);
    else if (stall->answered && stall->is_owed)
        note_absence(stall, stall->absent_ns);
    else if (stall->asked_ns != 0 && !stall->answered)
        note_absence(stall, now_ns - stall->asked_ns);
}

static void begin_silence(struct stall *stall, uint64_t moved, uint64_t now_ns)
{
    stall->moved = moved;
    stall->since_ns = now_ns;
    stall->absent_ns = stall->asked_ns = 0;
    stall->answered = stall->is_owed = stall->request_is_out = false;
}

void stall_begin(struct stall *stall, struct trial_memory *memory, uint64_t now_ns)
{
    (void)shared_absence_ns(memory->fleet);
    *stall = (struct stall){.memory = memory, .began_ns = now_ns};
    begin_silence(stall, movement(memory), now_ns);
}

void stall_check(struct stall *stall, uint64_t now_ns, uint64_t absent_ns)
{
    struct trial_memory *memory = stall->memory;
    if (memory == NULL)
        return;
    uint64_t moved = movement(memory);
    /* In free pace the sessions go on without the coordinator. */
    if (memory->plan->pace == PACE_LOCKSTEP)
        note_absence(stall, absent_ns);
    stall->absent_ns += absent_ns;
    if (moved != stall->moved) {
        end_silence(stall, now_ns);
        begin_silence(stall, moved, now_ns);
    } else if (atomic_load(&memory->fleet->finished) == memory->plan->fleet.sessions) {
        begin_silence(stall, moved, now_ns); /* when all have finished nothing is timed any more */
    } else if (stall->asked_ns == 0 && now_ns - stall->since_ns >= ASK_NS &&
               shared_inquire(memory->fleet,
                              false)) { /* once an earlier question has been answered */
        measure_median(stall);
        stall->asked_ns = now_ns;
    } else if (stall->asked_ns != 0 && !stall->answered && shared_has_reports(memory->fleet)) {
        read_reports(stall);
    }
}

void stall_rest(struct stall *stall, uint64_t now_ns)
{
    if (stall->memory == NULL)
        return;
    uint64_t moved = movement(stall->memory);
    if (moved != stall->moved)
        end_silence(stall, now_ns);
    begin_silence(stall, moved, now_ns);
}

void stall_question(struct stall *stall, uint64_t now_ns, uint64_t waited_ns)
{
    if (stall->memory == NULL || waited_ns <= STALL_LEAST_NS)
        return;
    measure_median(stall);
    /* A silence that is a stall already goes on, and has the question in it. */
    if (waited_ns <= bound_ns(stall) || stall_lasts_ns(stall, now_ns) > 0)
        return;
    count(stall, waited_ns, "");
    begin_silence(stall, movement(stall->memory), now_ns);
}

uint64_t stall_lasts_ns(const struct stall *stall, uint64_t now_ns)
{
    uint64_t length_ns = stall->memory == NULL ? 0 : owed_ns(stall, now_ns);
    return length_ns > bound_ns(stall) ? length_ns : 0;
}

/* ------------------------------------------------------------------ the end of a short trial */

/* Looks ten times a second say little of a trial that takes some milliseconds: the longest time in
 * which a request had no reply, or a release no notification, says it; the notification that a
 * death causes is of no release, nor need one at a barrier be of the last. That time may have a
 * worker's absence in it, of which all but a turn is known: less than STALL_BRIEF_NS. It is a stall
 * if it is most of the trial, or, within a handoff, of its drain; else 0. */
static uint64_t brief_stall_ns(const struct stall *stall, uint64_t now_ns)
{
    const struct trial_memory *memory = stall->memory;
    bool is_of_release = atomic_load(&memory->died_ns) == 0 && !memory->plan->recipe->barrier;
    int last_kind = is_of_release ? METER_NOTIFICATION : METER_MULTI;
    uint64_t most_ns = sum_latencies(memory, METER_CREATE, last_kind).longest_ns,
             absent_ns = shared_absence_ns(memory->fleet),
             length_ns = most_ns > absent_ns ? most_ns - absent_ns : 0;
    if (length_ns < STALL_BRIEF_NS || length_ns <= stall->median_ns * STALL_BRIEF_LATENCIES)
        return 0;
    uint64_t first_ns = atomic_load(&memory->first_release_ns),
             last_ns = atomic_load(&memory->last_released_ns),
             until_ns = last_ns > stall->began_ns ? last_ns : now_ns,
             handoff_ns = sum_latencies(memory, METER_HANDOFF, METER_HANDOFF).longest_ns;
    bool is_of_drain = first_ns > 0 && last_ns > first_ns && handoff_ns >= length_ns;
    bool is_most = length_ns > (until_ns - stall->began_ns) / 2 ||
                   (is_of_drain && length_ns > (last_ns - first_ns) / 2);
    return is_most ? length_ns : 0;
}

void stall_end(struct stall *stall, uint64_t now_ns, bool at_deadline)
{
    const struct trial_memory *memory = stall->memory;
    if (memory == NULL)
        return;
    if (!at_deadline || stall->request_is_out || !stall->answered)
        end_silence(stall, now_ns);
    if (stall->found.count == 0 && !memory->plan->tolerates_brief_stalls) {
        measure_median(stall);
        uint64_t length_ns = brief_stall_ns(stall, now_ns);
        if (stall->server[0] == '\0' && memory->plan->fleet.servers->count == 1)
            find_server(stall);
        /* The one of several servers is known if the workers have reported in that silence. */
        if (length_ns > 0)
            count(stall, length_ns, stall->server);
    }
    stall->memory = NULL;
}
