// SPDX-License-Identifier: Apache-2.0
#include "load/internal.h"

#include "servers/four_letter.h"

#include <stdio.h>

/* How long an answer is waited for: of a server that is looked for, and asked again soon; and
 * before a kill, of one that is there. */
#define LOOK_PATIENCE_NS   (50 * NS_PER_MS)
#define SURVEY_PATIENCE_NS (300 * NS_PER_MS)

static uint32_t servers_of(const struct load_faults *faults)
{
    return (uint32_t)faults->ensemble->connect.count;
}

static bool is_down(const struct load_faults *faults, uint32_t server)
{
    return faults->ensemble->servers[server].killed;
}

/* ROLE_UNKNOWN if it does not serve, or does not answer soon. *told: whether the answer says which:
 * a server that is busy may serve. */
static enum role ask_role(struct load_faults *faults, uint32_t server, uint64_t patience_ns,
                          bool *told)
{
    struct four_letter_identity identity;
    struct error ignored;
    const struct endpoint *endpoint = &faults->ensemble->connect.endpoints[server];
    *told = true;
    if (is_down(faults, server))
        return ROLE_UNKNOWN;
    faults->words++;
    enum error_kind kind = four_letter_identify(endpoint, patience_ns, &identity, &ignored);
    *told = kind != ERROR_NO_ANSWER;
    return kind == ERROR_NONE ? role_of_mode(identity.mode) : ROLE_UNKNOWN;
}

/* ------------------------------------------------------------------ what servers say */

/* By how much sooner it may have come than now. */
static uint64_t uncertainty_ns(const struct load_faults *faults,
                               const struct load_faults_look *look, uint64_t fault_ns,
                               uint64_t now_ns)
{
    uint64_t since_ns = faults->measures_ns + fault_ns;
    return now_ns - (look->in_vain_ns > since_ns ? look->in_vain_ns : since_ns);
}

static void note_leader(struct load_faults *faults, uint32_t server, uint64_t now_ns)
{
    struct load_fault_result *result = &faults->results[faults->orphaned];
    result->led_ns = now_ns - faults->measures_ns - result->at_ns;
    result->led_within_ns = uncertainty_ns(faults, &faults->looks[server], result->at_ns, now_ns);
    result->leader = server;
    faults->leaderless = false;
}

/* The last of several that were started at once counts. */
static void note_service(struct load_faults *faults, uint32_t server, uint64_t now_ns)
{
    struct load_faults_look *look = &faults->looks[server];
    struct load_fault_result *result = &faults->results[look->fault];
    look->awaited = false;
    for (uint32_t i = 0; i < servers_of(faults); i++) {
        if (faults->looks[i].awaited && faults->looks[i].fault == look->fault)
            return;
    }
    result->served_ns = now_ns - faults->measures_ns - result->at_ns;
    result->served_within_ns = uncertainty_ns(faults, look, result->at_ns, now_ns);
}

static bool is_looked_for(const struct load_faults *faults, uint32_t server)
{
    return !is_down(faults, server) && (faults->looks[server].awaited || faults->leaderless);
}

static bool looks_for_any(const struct load_faults *faults)
{
    bool any = false;
    for (uint32_t i = 0; i < servers_of(faults); i++)
        any = any || is_looked_for(faults, i);
    return any;
}

/* Asks a server, and notes what was waited for. */
static enum role hear(struct load_faults *faults, uint32_t server, uint64_t patience_ns)
{
    struct load_faults_look *look = &faults->looks[server];
    uint64_t asked_ns = clock_now_ns();
    bool told;
    enum role role = ask_role(faults, server, patience_ns, &told);
    uint64_t now_ns = clock_now_ns();
    if (faults->leaderless && role == ROLE_LEADER)
        note_leader(faults, server, now_ns);
    if (look->awaited && role != ROLE_UNKNOWN)
        note_service(faults, server, now_ns);
    if (told)
        look->in_vain_ns = asked_ns;
    return role;
}

/* ------------------------------------------------------------------ the servers of a fault */

/* What all servers are at one time. */
struct survey {
    uint32_t serving;
    enum role roles[ENSEMBLE_SERVERS_MAX];
};

static struct survey survey_servers(struct load_faults *faults)
{
    struct survey survey = {.serving = 0};
    for (uint32_t i = 0; i < servers_of(faults); i++) {
        survey.roles[i] = hear(faults, i, SURVEY_PATIENCE_NS);
        survey.serving += survey.roles[i] != ROLE_UNKNOWN;
    }
    return survey;
}

static bool is_meant(const struct load_faults *faults, const struct load_fault *fault,
                     const struct survey *survey, uint32_t server)
{
    switch (fault->target) {
    case LOAD_FAULT_LEADER:
        return survey->roles[server] == ROLE_LEADER;
    case LOAD_FAULT_FOLLOWER:
        return survey->roles[server] == ROLE_FOLLOWER;
    case LOAD_FAULT_ANOTHER_FOLLOWER:
        return survey->roles[server] == ROLE_FOLLOWER && !faults->was_killed[server];
    case LOAD_FAULT_SERVER:
        return fault->server == server;
    default:
        return is_down(faults, server);
    }
}

/* As many as the fault is to have, or all that are down. */
static void choose(const struct load_faults *faults, const struct load_fault *fault,
                   const struct survey *survey, struct load_fault_result *result)
{
    uint32_t most = fault->action == LOAD_FAULT_RESTART ? ENSEMBLE_SERVERS_MAX : fault->servers;
    result->count = 0;
    for (uint32_t i = 0; i < servers_of(faults) && result->count < most; i++) {
        if (!is_meant(faults, fault, survey, i) ||
            is_down(faults, i) != (fault->action == LOAD_FAULT_RESTART))
            continue;
        result->roles[result->count] = survey->roles[i];
        result->servers[result->count++] = i;
    }
}

/* Whether it can be carried out now; else `why` says why not. */
static bool is_possible(const struct load_faults *faults, const struct load_fault *fault,
                        const struct survey *survey, struct load_fault_result *result)
{
    uint32_t quorum = servers_of(faults) / 2 + 1;
    bool kills = fault->action == LOAD_FAULT_KILL;
    if (!kills && result->count == 0)
        snprintf(result->why, sizeof result->why, "no such server was down");
    else if (kills && result->count < fault->servers)
        snprintf(result->why, sizeof result->why, "fewer such servers served: %u of %u",
                 result->count, fault->servers);
    else if (kills && survey->serving < quorum + result->count)
        snprintf(result->why, sizeof result->why, "%u of %u servers served: no quorum would stay",
                 survey->serving, servers_of(faults));
    else if (clock_now_ns() >= faults->settles_ns)
        snprintf(result->why, sizeof result->why, "the measured time was over");
    else
        result->why[0] = '\0';
    return result->why[0] == '\0';
}

/* ------------------------------------------------------------------ carrying out */

/* Servers of one fault go one after the other, each as soon as the one before has ended. */
static enum error_kind carry_out(struct load_faults *faults, const struct load_fault *fault,
                                 struct load_fault_result *result, struct error *error)
{
    uint64_t began_ns = clock_now_ns();
    enum error_kind kind = ERROR_NONE;
    result->why[0] = '\0';
    for (uint32_t i = 0; kind == ERROR_NONE && i < result->count; i++) {
        uint32_t server = result->servers[i];
        if (fault->action == LOAD_FAULT_KILL) {
            faults->was_killed[server] = true;
            faults->looks[server].awaited = false;
            kind = ensemble_kill(faults->ensemble, server, error);
        } else {
            faults->looks[server] =
                (struct load_faults_look){.awaited = true, .fault = faults->next};
            kind = ensemble_restart(faults->ensemble, server, error);
        }
        if (result->roles[i] != ROLE_LEADER)
            continue;
        faults->leaderless = true;
        faults->orphaned = faults->next;
    }
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
    const struct survey survey =
        fault->action == LOAD_FAULT_KILL ? survey_servers(faults) : (struct survey){.serving = 0};
    enum error_kind kind = ERROR_NONE;
    choose(faults, fault, &survey, result);
    /* Its time is over when the one after that is due. */
    bool is_too_late = faults->next + 1 < faults->plan->fault_count &&
                       now_ns >= faults->measures_ns + fault[1].at_ns;
    if (is_possible(faults, fault, &survey, result))
        kind = carry_out(faults, fault, result, error);
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

uint64_t load_faults_due_ns(const struct load_faults *faults)
{
    uint64_t due_ns = UINT64_MAX;
    if (faults->plan->fault_count == 0 || faults->measures_ns == UINT64_MAX)
        return due_ns;
    if (faults->next < faults->plan->fault_count)
        due_ns = faults->measures_ns + faults->plan->faults[faults->next].at_ns;
    uint64_t turn_ns = faults->turned_ns + LOAD_FAULTS_LOOK_NS;
    if (due_ns < turn_ns || (looks_for_any(faults) && turn_ns < due_ns))
        due_ns = turn_ns;
    return due_ns < faults->settles_ns ? due_ns : UINT64_MAX;
}

enum error_kind load_faults_turn(struct load_faults *faults, uint64_t now_ns, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    if (now_ns < load_faults_due_ns(faults))
        return ERROR_NONE;
    if (faults->next < faults->plan->fault_count &&
        now_ns >= faults->measures_ns + faults->plan->faults[faults->next].at_ns)
        kind = try_next(faults, now_ns, error);
    /* Asks the next server in turn, one at a time: the coordinator has other things to do. */
    if (kind == ERROR_NONE && looks_for_any(faults)) {
        do
            faults->asked = faults->asked + 1 < servers_of(faults) ? faults->asked + 1 : 0;
        while (!is_looked_for(faults, faults->asked));
        (void)hear(faults, faults->asked, LOOK_PATIENCE_NS);
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
        uint64_t from_ns = result->at_ns, next_ns = until_ns(faults, i);
        result->first_operation_ns = outages_first_ns(outages, number, OUTAGES_ALL);
        result->first_write_ns = outages_first_ns(outages, number, OUTAGES_WRITES);
        result->silence_ns = outages_silence_ns(outages, from_ns, next_ns, OUTAGES_ALL);
        result->write_silence_ns = outages_silence_ns(outages, from_ns, next_ns, OUTAGES_WRITES);
        for (uint32_t j = 0; j < result->count; j++)
            load_marks_add(marks, from_ns,
                           faults->plan->faults[i].action == LOAD_FAULT_KILL ? LOAD_MARK_KILLED
                                                                             : LOAD_MARK_RESTARTED,
                           result->servers[j]);
        number++;
    }
}

const char *load_fault_word(enum load_fault_action action)
{
    return action == LOAD_FAULT_KILL ? "kill" : "restart";
}
