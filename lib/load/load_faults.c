// SPDX-License-Identifier: Apache-2.0
#include "load/load_faults.h"

#include "base/clock.h"
#include "servers/four_letter.h"

#include <stdio.h>

/* How often a server is asked that is looked for, about. */
#define LOOK_NS (10 * NS_PER_MS)
/* How long an answer is waited for: of a server that is looked for, and asked again soon; and
 * before a kill, of one that is there. */
#define LOOK_PATIENCE_NS   (50 * NS_PER_MS)
#define SURVEY_PATIENCE_NS (300 * NS_PER_MS)

static bool kills(const struct load_fault *fault)
{
    return fault->target != LOAD_FAULT_DOWN;
}

const char *load_fault_word(const struct load_fault *fault)
{
    return kills(fault) ? "kill" : "restart";
}

static uint32_t count_servers(const struct load_faults *faults)
{
    return (uint32_t)faults->ensemble->connect.count;
}

static bool is_down(const struct load_faults *faults, uint32_t server)
{
    return faults->ensemble->servers[server].killed;
}

/* ------------------------------------------------------------------ what servers say */

/* By how much sooner than now it may have come, since the fault. */
static uint64_t uncertainty_ns(const struct load_faults *faults, uint32_t server, uint64_t fault_ns,
                               uint64_t now_ns)
{
    uint64_t since_ns = faults->measures_ns + fault_ns,
             in_vain_ns = faults->servers[server].in_vain_ns;
    return now_ns - (in_vain_ns > since_ns ? in_vain_ns : since_ns);
}

static void note_leader(struct load_faults *faults, uint32_t server, uint64_t now_ns)
{
    struct load_fault_result *result = &faults->results[faults->orphaned];
    result->led_ns = now_ns - faults->measures_ns - result->at_ns;
    result->led_within_ns = uncertainty_ns(faults, server, result->at_ns, now_ns);
    result->leader = server;
    faults->leaderless = false;
}

/* The last of several that were started at once counts. */
static void note_service(struct load_faults *faults, uint32_t server, uint64_t now_ns)
{
    uint32_t fault = faults->servers[server].fault;
    struct load_fault_result *result = &faults->results[fault];
    faults->servers[server].awaited = false;
    for (uint32_t i = 0; i < count_servers(faults); i++) {
        if (faults->servers[i].awaited && faults->servers[i].fault == fault)
            return;
    }
    result->served_ns = now_ns - faults->measures_ns - result->at_ns;
    result->served_within_ns = uncertainty_ns(faults, server, result->at_ns, now_ns);
}

/* Asks a server for its role, and notes what was waited for. ROLE_UNKNOWN if it does not serve, or
 * does not answer soon; then it may serve, and is busy: it was not asked in vain. */
static enum role ask(struct load_faults *faults, uint32_t server, uint64_t patience_ns)
{
    struct four_letter_identity identity;
    struct error ignored;
    uint64_t asked_ns = clock_now_ns();
    if (is_down(faults, server)) {
        faults->servers[server].in_vain_ns = asked_ns;
        return ROLE_UNKNOWN;
    }
    faults->words++;
    enum error_kind kind = four_letter_identify(&faults->ensemble->connect.endpoints[server],
                                                patience_ns, &identity, &ignored);
    enum role role = kind == ERROR_NONE ? role_of_mode(identity.mode) : ROLE_UNKNOWN;
    uint64_t now_ns = clock_now_ns();
    if (faults->leaderless && role == ROLE_LEADER)
        note_leader(faults, server, now_ns);
    if (faults->servers[server].awaited && role != ROLE_UNKNOWN)
        note_service(faults, server, now_ns);
    if (kind != ERROR_NO_ANSWER)
        faults->servers[server].in_vain_ns = asked_ns;
    return role;
}

static bool is_looked_for(const struct load_faults *faults, uint32_t server)
{
    return !is_down(faults, server) && (faults->servers[server].awaited || faults->leaderless);
}

static bool looks_for_any(const struct load_faults *faults)
{
    uint32_t i = 0;
    while (i < count_servers(faults) && !is_looked_for(faults, i))
        i++;
    return i < count_servers(faults);
}

/* ------------------------------------------------------------------ the servers of a fault */

static bool is_meant(const struct load_faults *faults, const struct load_fault *fault,
                     enum role role, uint32_t server)
{
    switch (fault->target) {
    case LOAD_FAULT_LEADER:
        return role == ROLE_LEADER;
    case LOAD_FAULT_FOLLOWER:
        return role == ROLE_FOLLOWER;
    case LOAD_FAULT_ANOTHER_FOLLOWER:
        return role == ROLE_FOLLOWER && !faults->servers[server].was_killed;
    default:
        return is_down(faults, server);
    }
}

/* As many as the fault is to have, or all that are down. Before a kill all servers are asked;
 * returns how many of them serve. */
static uint32_t choose(struct load_faults *faults, const struct load_fault *fault,
                       struct load_fault_result *result)
{
    uint32_t serving = 0, most = kills(fault) ? fault->servers : ENSEMBLE_SERVERS_MAX;
    result->count = 0;
    for (uint32_t i = 0; i < count_servers(faults); i++) {
        enum role role = kills(fault) ? ask(faults, i, SURVEY_PATIENCE_NS) : ROLE_UNKNOWN;
        serving += role != ROLE_UNKNOWN;
        if (result->count == most || !is_meant(faults, fault, role, i))
            continue;
        result->roles[result->count] = role;
        result->servers[result->count++] = i;
    }
    return serving;
}

/* Whether it can be carried out now; else `why` says why not. */
static bool is_possible(const struct load_faults *faults, const struct load_fault *fault,
                        uint32_t serving, struct load_fault_result *result)
{
    uint32_t quorum = count_servers(faults) / 2 + 1;
    if (!kills(fault) && result->count == 0)
        snprintf(result->why, sizeof result->why, "no such server was down");
    else if (kills(fault) && result->count < fault->servers)
        snprintf(result->why, sizeof result->why, "fewer such servers served: %u of %u",
                 result->count, fault->servers);
    else if (kills(fault) && serving < quorum + result->count)
        snprintf(result->why, sizeof result->why, "%u of %u servers served: no quorum would stay",
                 serving, count_servers(faults));
    else if (clock_now_ns() >= faults->settles_ns)
        snprintf(result->why, sizeof result->why, "the measured time was over");
    else
        result->why[0] = '\0';
    return result->why[0] == '\0';
}

/* ------------------------------------------------------------------ carrying out */

static enum error_kind carry_out_on(struct load_faults *faults, uint32_t server, enum role role,
                                    struct error *error)
{
    struct load_faults_server *known = &faults->servers[server];
    known->awaited = !kills(&faults->plan->faults[faults->next]);
    known->fault = faults->next;
    known->in_vain_ns = 0;
    if (known->awaited)
        return ensemble_restart(faults->ensemble, server, error);
    known->was_killed = true;
    if (role == ROLE_LEADER) {
        faults->leaderless = true;
        faults->orphaned = faults->next;
    }
    return ensemble_kill(faults->ensemble, server, error);
}

/* Servers of one fault go one after the other, each as soon as the one before has ended. */
static enum error_kind carry_out(struct load_faults *faults, struct load_fault_result *result,
                                 struct error *error)
{
    uint64_t began_ns = clock_now_ns();
    enum error_kind kind = ERROR_NONE;
    for (uint32_t i = 0; kind == ERROR_NONE && i < result->count; i++)
        kind = carry_out_on(faults, result->servers[i], result->roles[i], error);
    uint64_t ended_ns = clock_now_ns();
    result->carried_out = kind == ERROR_NONE;
    result->at_ns = began_ns - faults->measures_ns;
    result->took_ns = ended_ns - began_ns;
    outages_begin(faults->outages, result->at_ns, ended_ns - faults->measures_ns);
    return kind;
}

static enum error_kind try_next(struct load_faults *faults, uint64_t now_ns, struct error *error)
{
    const struct load_fault *fault = &faults->plan->faults[faults->next];
    struct load_fault_result *result = &faults->results[faults->next];
    enum error_kind kind = ERROR_NONE;
    uint32_t serving = choose(faults, fault, result);
    /* Its time is over when the one after that is due. */
    bool is_too_late = faults->next + 1 < faults->plan->fault_count &&
                       now_ns >= faults->measures_ns + fault[1].at_ns;
    if (is_possible(faults, fault, serving, result))
        kind = carry_out(faults, result, error);
    else if (!is_too_late)
        return ERROR_NONE;
    faults->next++;
    return kind;
}

/* ------------------------------------------------------------------ turns */

void load_faults_init(struct load_faults *faults, const struct load_plan *plan,
                      struct ensemble *ensemble, struct outages *outages,
                      struct load_fault_result *results)
{
    *faults = (struct load_faults){.plan = plan,
                                   .ensemble = ensemble,
                                   .outages = outages,
                                   .results = results,
                                   .measures_ns = UINT64_MAX,
                                   .settles_ns = UINT64_MAX};
    for (uint32_t i = 0; i < plan->fault_count; i++)
        results[i] = (struct load_fault_result){.first_operation_ns = UINT64_MAX,
                                                .first_write_ns = UINT64_MAX,
                                                .served_ns = UINT64_MAX,
                                                .led_ns = UINT64_MAX,
                                                .why = "its time did not come"};
}

/* When the next fault is; UINT64_MAX: there is none, or the measured time is not known yet. */
static uint64_t next_ns(const struct load_faults *faults)
{
    if (faults->next >= faults->plan->fault_count || faults->measures_ns == UINT64_MAX)
        return UINT64_MAX;
    return faults->measures_ns + faults->plan->faults[faults->next].at_ns;
}

uint64_t load_faults_due_ns(const struct load_faults *faults)
{
    uint64_t due_ns = next_ns(faults), turn_ns = faults->turned_ns + LOOK_NS;
    if (faults->plan->fault_count == 0)
        return UINT64_MAX;
    if (due_ns < turn_ns || (looks_for_any(faults) && turn_ns < due_ns))
        due_ns = turn_ns;
    return due_ns < faults->settles_ns ? due_ns : UINT64_MAX;
}

enum error_kind load_faults_turn(struct load_faults *faults, uint64_t now_ns, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    if (now_ns < load_faults_due_ns(faults))
        return ERROR_NONE;
    if (now_ns >= next_ns(faults))
        kind = try_next(faults, now_ns, error);
    /* Asks the next server in turn, one at a time: the coordinator has other things to do. */
    if (kind == ERROR_NONE && looks_for_any(faults)) {
        do
            faults->asked = faults->asked + 1 < count_servers(faults) ? faults->asked + 1 : 0;
        while (!is_looked_for(faults, faults->asked));
        (void)ask(faults, faults->asked, LOOK_PATIENCE_NS);
    }
    faults->turned_ns = clock_now_ns();
    return kind;
}

/* ------------------------------------------------------------------ the end */

/* Until the next fault that was carried out. */
static uint64_t until_ns(const struct load_faults *faults, uint32_t fault)
{
    while (++fault < faults->plan->fault_count) {
        if (faults->results[fault].carried_out)
            return faults->results[fault].at_ns;
    }
    return load_plan_measured_ns(faults->plan);
}

/* The sessions know of the faults that were carried out, and number them among themselves. */
void load_faults_take(struct load_faults *faults, struct load_marks *marks)
{
    const struct outages *outages = faults->outages;
    uint32_t number = 0;
    for (uint32_t i = 0; i < faults->plan->fault_count; i++) {
        struct load_fault_result *result = &faults->results[i];
        if (!result->carried_out)
            continue;
        uint64_t from_ns = result->at_ns, end_ns = until_ns(faults, i);
        result->first_operation_ns = outages_first_ns(outages, number, OUTAGES_ALL);
        result->first_write_ns = outages_first_ns(outages, number, OUTAGES_WRITES);
        result->silence_ns = outages_silence_ns(outages, from_ns, end_ns, OUTAGES_ALL);
        result->write_silence_ns = outages_silence_ns(outages, from_ns, end_ns, OUTAGES_WRITES);
        for (uint32_t j = 0; j < result->count; j++)
            load_marks_add(marks, from_ns,
                           kills(&faults->plan->faults[i]) ? LOAD_MARK_KILLED : LOAD_MARK_RESTARTED,
                           result->servers[j]);
        number++;
    }
}
