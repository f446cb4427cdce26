// SPDX-License-Identifier: Apache-2.0
#include "fleet/reconcile.h"

#include <stdio.h>

/* The servers' count without what is no request of a session. */
static struct server_counters_count count_of_sessions(const struct reconcile_facts *facts)
{
    struct server_counters_count count = facts->servers;
    uint64_t received = facts->sessions->of[TALLY_NOTIFICATION];
    server_counters_discount(&count, facts->exits, facts->reconnects,
                             facts->setup_session_requests);
    /* A session that was about to die may not have received its last notifications. */
    if (facts->had_death && count.notifications > received)
        count.notifications = received;
    return count;
}

static bool has_lost_connections(const struct reconcile_facts *facts)
{
    return facts->reconnects > 0 || facts->losses > 0;
}

/* Whether another client has connected since the gate opened. If a session has lost its connection,
 * the number of its own attempts to reconnect is not known. */
static bool has_newcomers(const struct reconcile_facts *facts)
{
    return facts->servers.connects > 0 && facts->setup_session_stayed &&
           !has_lost_connections(facts);
}

/* Why the two counts cannot be compared; NULL if they can. */
static const char *find_obstacle(const struct reconcile_facts *facts, bool others)
{
    if (facts->had_faults)
        return "servers were killed on purpose, and their counters with them";
    if (!facts->servers.known)
        return facts->servers.asked_again
                   ? "a server did not give its counters (mntr) at once, as at an election"
                   : "the servers do not tell their counters (mntr, from ZooKeeper 3.6 on)";
    if (facts->has_companions)
        return "the servers count the requests of other sessions of zkherd, too";
    if (!others)
        return NULL;
    return facts->are_private ? "a client that is not zkherd's was connected to a private server"
                              : "other clients are connected";
}

/* Whether the counts may differ although both are right: result->why says why. */
static bool is_excused(const struct reconcile_facts *facts, struct reconcile_result *result)
{
    if (has_lost_connections(facts))
        snprintf(result->why, sizeof result->why,
                 "sessions lost their connections, and the messages in transit on them");
    else if (!facts->setup_session_stayed)
        snprintf(result->why, sizeof result->why, "zkherd's own session had to connect again");
    else if (!facts->are_private && result->servers > result->sessions)
        snprintf(result->why, sizeof result->why,
                 "the servers counted more %s than the sessions: other clients seem to use them",
                 server_counters_counter_word(result->counter));
    return result->why[0] != '\0';
}

struct reconcile_result reconcile(const struct reconcile_facts *facts)
{
    struct reconcile_result result = {.reconciled = RECONCILED_NA,
                                      .counter = SERVER_COUNTERS_AGREES};
    bool others = facts->servers.known && (facts->is_shared || has_newcomers(facts));
    const char *obstacle = find_obstacle(facts, others);
    result.had_strangers = facts->are_private && others;
    if (obstacle != NULL) {
        snprintf(result.why, sizeof result.why, "%s", obstacle);
        return result;
    }
    struct server_counters_count count = count_of_sessions(facts);
    /* After a reconnect the library sets its watches again, which counts as a read. */
    result.counter =
        server_counters_reconcile(&count, facts->sessions, facts->pings_most + facts->reconnects,
                                  &result.servers, &result.sessions);
    if (result.counter == SERVER_COUNTERS_AGREES)
        result.reconciled = RECONCILED_YES;
    else if (!is_excused(facts, &result))
        result.reconciled = RECONCILED_NO;
    return result;
}

const char *reconcile_word(enum reconciled reconciled)
{
    static const char *const words[] = {
        [RECONCILED_NA] = "na", [RECONCILED_YES] = "yes", [RECONCILED_NO] = "no"};
    return words[reconciled];
}
