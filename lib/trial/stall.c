// SPDX-License-Identifier: Apache-2.0
#include "trial/internal.h"

#include <stdio.h>
#include <string.h>

/* The workers are asked before the shortest stall is one: so it is known then what was owed. */
#define ASK_NS (STALL_LEAST_NS / 2)

/* ------------------------------------------------------------------ what moves */

/* Moves on with every request, reply, notification and step. */
static uint64_t movement(const struct trial_memory *memory)
{
    return shared_steps(memory->fleet) + trial_memory_requests(memory) +
           trial_memory_count(memory, TALLY_NOTIFICATION) +
           trial_memory_count(memory, TALLY_BYTES_RECEIVED);
}

/* By the median of what has been timed most, which a cold server's first answers do not raise. Once
 * a trial has had a stall its latencies have that in them, and a bound that was measured stays. */
static void measure_bound(struct stall *stall)
{
    const struct trial_memory *memory = stall->memory;
    if (stall->is_measured && stall->found.count > 0)
        return;
    const struct histogram *most = &memory->workers[0].latency[0][0];
    for (uint32_t i = 0; i < memory->plan->fleet.processes; i++) {
        for (int role = 0; role < ROLES; role++) {
            for (int kind = 0; kind <= METER_MULTI; kind++) {
                const struct histogram *latency = &memory->workers[i].latency[role][kind];
                if (histogram_count(latency) > histogram_count(most))
                    most = latency;
            }
        }
    }
    stall->latencies_ns = histogram_percentile_ns(most, 50) * STALL_LATENCIES;
    stall->bound_ns = stall->latencies_ns > STALL_LEAST_NS ? stall->latencies_ns : STALL_LEAST_NS;
    stall->is_measured = histogram_count(most) > 0;
}

/* ------------------------------------------------------------------ what is owed */

/* Whether a server owes it a reply. One that has come, and was not read, is the session's to read.
 */
static bool waits_for_reply(const struct shared_session *session)
{
    return session->asked && !session->answered && !atomic_load(&session->dead);
}

/* The server at which the most sessions wait for a reply. Which owes a notification nobody knows,
 * unless there is one alone. */
static void find_server(struct stall *stall)
{
    const struct trial_memory *memory = stall->memory;
    const struct connect_string *servers = memory->plan->fleet.servers;
    uint32_t most = 0;
    stall->server[0] = '\0';
    if (servers->count == 1)
        endpoint_address(&servers->endpoints[0], stall->server, sizeof stall->server);
    for (size_t i = 0; i < servers->count; i++) {
        char address[ENDPOINT_TEXT_SIZE];
        uint32_t waiting = 0;
        endpoint_address(&servers->endpoints[i], address, sizeof address);
        for (uint32_t s = 0; s < memory->plan->fleet.sessions; s++)
            waiting += waits_for_reply(&memory->fleet->sessions[s]) &&
                       strcmp(memory->fleet->sessions[s].server, address) == 0;
        if (waiting > most)
            snprintf(stall->server, sizeof stall->server, "%s", address);
        most = waiting > most ? waiting : most;
    }
}

static void hear_workers(struct stall *stall)
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

/* ------------------------------------------------------------------ silence */

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

/* Workers who were asked and did not answer did not run: every order is carried out, by the actor
 * of a dead session as well. */
static void end_silence(struct stall *stall, uint64_t now_ns)
{
    uint64_t length_ns = owed_ns(stall, now_ns);
    if (length_ns > stall->latencies_ns && length_ns > stall->brief_ns) {
        stall->brief_ns = length_ns;
        memcpy(stall->brief_server, stall->server, sizeof stall->brief_server);
    }
    if (stall->answered && length_ns > stall->bound_ns)
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
    *stall = (struct stall){.memory = memory, .bound_ns = STALL_LEAST_NS, .began_ns = now_ns};
    begin_silence(stall, movement(memory), now_ns);
}

void stall_look(struct stall *stall, uint64_t now_ns, uint64_t absent_ns)
{
    struct trial_memory *memory = stall->memory;
    if (memory == NULL)
        return;
    uint64_t moved = movement(memory);
    bool moves = moved != stall->moved;
    /* In free pace the sessions go on without the coordinator. */
    if (memory->plan->pace == PACE_LOCKSTEP)
        note_absence(stall, absent_ns);
    stall->absent_ns += absent_ns;
    if (moves) {
        end_silence(stall, now_ns);
        begin_silence(stall, moved, now_ns);
        return;
    }
    /* When all have finished nothing is timed any more. */
    if (atomic_load(&memory->fleet->finished) == memory->plan->fleet.sessions)
        begin_silence(stall, moved, now_ns);
    else if (stall->asked_ns == 0 && now_ns - stall->since_ns >= ASK_NS &&
             shared_inquire(memory->fleet)) { /* once an earlier question has been answered */
        measure_bound(stall);
        stall->asked_ns = now_ns;
    } else if (stall->asked_ns != 0 && !stall->answered &&
               atomic_load(&memory->fleet->reported) == memory->plan->fleet.processes)
        hear_workers(stall);
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
    measure_bound(stall);
    /* A silence that is a stall already goes on, and has the question in it. */
    if (waited_ns <= stall->bound_ns || stall_lasts_ns(stall, now_ns) > 0)
        return;
    count(stall, waited_ns, "");
    begin_silence(stall, movement(stall->memory), now_ns);
}

void stall_end(struct stall *stall, uint64_t now_ns, bool at_deadline)
{
    if (stall->memory != NULL && (!at_deadline || stall->request_is_out || !stall->answered))
        end_silence(stall, now_ns);
    if (stall->memory != NULL && stall->found.count == 0 &&
        stall->brief_ns > (now_ns - stall->began_ns) / 2)
        count(stall, stall->brief_ns, stall->brief_server);
    stall->memory = NULL;
}

uint64_t stall_lasts_ns(const struct stall *stall, uint64_t now_ns)
{
    if (stall->memory == NULL)
        return 0;
    uint64_t length_ns = owed_ns(stall, now_ns);
    return length_ns > stall->bound_ns ? length_ns : 0;
}
