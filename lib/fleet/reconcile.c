// SPDX-License-Identifier: Apache-2.0
#include "fleet/server_counters.h"

#include <stdio.h>

const char *const reconcile_words[] = {
    [RECONCILED_NA] = "na", [RECONCILED_YES] = "yes", [RECONCILED_NO] = "no"};

/* A sync is no transaction: the servers count one as a read. */
static uint64_t reads_of(const struct tally *tally)
{
    return tally->of[TALLY_EXISTS] + tally->of[TALLY_GET] + tally->of[TALLY_GET_CHILDREN] +
           tally->of[TALLY_SYNC];
}

bool server_counters_is_behind(const struct server_counters_count *count, const struct tally *tally,
                               uint64_t exits)
{
    return exits > 0 && count->known && count->writes < tally_rpcs(tally) - reads_of(tally) + exits;
}

bool server_counters_await_answers(const struct server_counters *counters,
                                   const struct server_counters_count *before, uint32_t clients,
                                   const struct server_counters_count *count)
{
    return counters->companions == 0 && !server_counters_is_shared(before, clients) &&
           count->known && count->packets_received > count->reads + count->writes + count->connects;
}

/* Pings count as reads: as many as bring the two numbers nearest, if there may be so many. */
static void compare(const struct server_counters_count *count, const struct tally *tally,
                    uint64_t pings_most, struct reconcile_result *result)
{
    const uint64_t *of = tally->of;
    uint64_t reads = reads_of(tally);
    uint64_t rpcs = tally_rpcs(tally);
    /* The reads that are left were pings, if the servers counted right. */
    uint64_t left = count->reads > reads ? count->reads - reads : 0,
             pings = left < pings_most ? left : pings_most;
    const struct {
        uint64_t servers, sessions;
    } pairs[server_counters_agree] = {
        [server_counters_writes] = {count->writes, rpcs - reads},
        [server_counters_reads] = {count->reads, reads + pings},
        [server_counters_notifications] = {count->notifications, of[TALLY_NOTIFICATION]},
        [server_counters_packets_received] = {count->packets_received, rpcs + pings},
    };
    int counter = 0;
    while (counter < server_counters_agree && pairs[counter].servers == pairs[counter].sessions)
        counter++;
    result->counter = (enum server_counters_counter)counter;
    if (result->counter == server_counters_agree)
        return;
    result->servers = pairs[counter].servers;
    result->sessions = pairs[counter].sessions;
}

const char *const server_counters_words[] = {
#define X(A, B, name, keys, word, meaning) word,
    FOUR_LETTER_COUNTED(X, , )
#undef X
        "" /* they agree */
};

/* The servers' count without what is no request of a session: the close of one is a write, a
 * reconnect is none, nor is what authenticates it. */
static struct server_counters_count count_of_sessions(const struct reconcile_facts *facts)
{
    struct server_counters_count count = facts->servers;
    uint64_t received = facts->sessions->of[TALLY_NOTIFICATION];
    count.writes -= facts->exits;
    count.packets_received -= facts->exits + facts->reconnects * (facts->authenticates ? 2 : 1);
    /* A session that was about to die may not have received its last notifications. */
    if (facts->had_death && count.notifications > received)
        count.notifications = received;
    return count;
}

static bool has_lost_connections(const struct reconcile_facts *facts)
{
    return facts->reconnects > 0 || facts->losses > 0;
}

/* Why the two counts cannot be compared; "": they can. */
static void describe_obstacle(const struct reconcile_facts *facts, bool others, char *why,
                              size_t size)
{
    enum error_kind unreported = facts->unreported == NULL ? ERROR_NONE : facts->unreported->kind;
    if (facts->servers.asked_again)
        snprintf(why, size, "a server did not give its counters (mntr) at once, as at an election");
    else if (!facts->servers.known && unreported == ERROR_NONE)
        snprintf(why, size, "the servers do not report their counters (mntr)");
    else if (!facts->servers.known && unreported == ERROR_NOT_WHITELISTED)
        snprintf(why, size, "%.70s refuses mntr, which has its counters: %s",
                 facts->unreported->subject, error_advice(unreported));
    else if (!facts->servers.known)
        snprintf(why, size,
                 "%.70s does not report its counters: mntr has them from ZooKeeper 3.6 on",
                 facts->unreported->subject);
    else if (facts->has_companions)
        snprintf(why, size, "the servers count the requests of other sessions of zkherd, too");
    else if (others && facts->are_private)
        snprintf(why, size, "a client that is not zkherd's was connected to a private server");
    else if (others)
        snprintf(why, size, "other clients are connected");
}

/* Why the counts may differ although both are right; "": they may not. */
static void describe_excuse(const struct reconcile_facts *facts,
                            const struct reconcile_result *result, char *why, size_t size)
{
    if (has_lost_connections(facts))
        snprintf(why, size, "sessions lost their connections, and the messages in transit on them");
    else if (!facts->setup_session_stayed)
        snprintf(why, size, "zkherd's own session had to connect again");
    else if (facts->servers.has_own)
        snprintf(why, size, "a request of zkherd's own session had no reply yet");
    else if (!facts->are_private && result->servers > result->sessions)
        snprintf(why, size,
                 "the servers counted more %s than the sessions: other clients seem to use them",
                 server_counters_words[result->counter]);
}

struct reconcile_result reconcile(const struct reconcile_facts *facts)
{
    struct reconcile_result result = {.counter = server_counters_agree, .others_packets = -1};
    const struct server_counters_count count = count_of_sessions(facts);
    /* After a reconnect the library sets its watches again, which counts as a read. */
    uint64_t pings_most = facts->pings_most + facts->reconnects,
             ours = tally_rpcs(facts->sessions) + pings_most;
    /* If a session has lost its connection, how often it has tried to reconnect is not known. */
    bool has_newcomers =
        count.connects > 0 && facts->setup_session_stayed && !has_lost_connections(facts);
    bool others = count.known && (facts->is_shared || has_newcomers);
    result.had_strangers = facts->are_private && others;
    if (count.known && !count.has_own && !facts->has_companions)
        result.others_packets =
            count.packets_received > ours ? (int64_t)(count.packets_received - ours) : 0;
    describe_obstacle(facts, others, result.why, sizeof result.why);
    if (result.why[0] != '\0')
        return result;
    compare(&count, facts->sessions, pings_most, &result);
    if (result.counter != server_counters_agree)
        describe_excuse(facts, &result, result.why, sizeof result.why);
    if (result.why[0] == '\0')
        result.reconciled =
            result.counter == server_counters_agree ? RECONCILED_YES : RECONCILED_NO;
    return result;
}
