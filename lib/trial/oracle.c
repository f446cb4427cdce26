// SPDX-License-Identifier: Apache-2.0
#include "trial/oracle.h"

#include "base/clock.h"
#include "zk/admin.h"

#include <stdio.h>

#define TIMEOUT_NS    (5 * NS_PER_S)
#define QUESTIONS_MAX 50

/* A question to one server, as admin_insist puts it. */
struct inquiry {
    struct oracle *oracle;
    const struct endpoint *endpoint;
    struct admin_identity identity;
    struct admin_counters counters;
};

/* A private server that has ended will not answer any more: there is no use in asking again. */
static enum fault_kind find_cause(const struct inquiry *inquiry, enum fault_kind kind,
                                  struct fault *fault)
{
    struct fault end;
    if (kind == FAULT_NONE || oracle_check(inquiry->oracle, &end) == FAULT_NONE)
        return kind;
    *fault = end;
    return end.kind;
}

/* Asks until there is an answer; of what it was asked in vain nobody knows what a server counted.
 */
static enum fault_kind insist(enum fault_kind (*ask)(void *inquiry, struct fault *fault),
                              struct inquiry *inquiry, struct fault *fault)
{
    unsigned times;
    enum fault_kind kind = admin_insist(ask, inquiry, TIMEOUT_NS, &times, fault);
    if (kind == FAULT_NONE)
        inquiry->oracle->asked_again = inquiry->oracle->asked_again || times > 1;
    return kind;
}

static enum fault_kind ask_identity(void *context, struct fault *fault)
{
    struct inquiry *inquiry = context;
    struct oracle *oracle = inquiry->oracle;
    enum fault_kind kind = FAULT_NONE;
    if (oracle->simulated != NULL) {
        snprintf(inquiry->identity.mode, sizeof inquiry->identity.mode, "%s",
                 simulated_mode((unsigned)oracle->servers->count, inquiry->endpoint->port - 1U));
        inquiry->identity.zxid = simulated_zxid(oracle->simulated, inquiry->endpoint->port - 1U);
        inquiry->identity.talks = true;
    } else {
        kind = admin_identify(inquiry->endpoint, TIMEOUT_NS, &inquiry->identity, fault);
    }
    oracle->words += kind == FAULT_NONE && inquiry->identity.talks;
    return find_cause(inquiry, kind, fault);
}

static enum fault_kind ask_counters(void *context, struct fault *fault)
{
    struct inquiry *inquiry = context;
    struct oracle *oracle = inquiry->oracle;
    enum fault_kind kind = FAULT_NONE;
    if (oracle->simulated != NULL)
        simulated_counters(oracle->simulated, inquiry->endpoint->port - 1U, &inquiry->counters);
    else
        kind = admin_counters(inquiry->endpoint, TIMEOUT_NS, &inquiry->counters, fault);
    oracle->words += kind == FAULT_NONE;
    return find_cause(inquiry, kind, fault);
}

static bool is_same_but_for_the_question(const struct admin_counters *counters,
                                         const struct admin_counters *before)
{
    return counters->packets_received == before->packets_received + 1 &&
           counters->reads == before->reads && counters->writes == before->writes &&
           counters->notifications_sent == before->notifications_sent;
}

/*
 * Asks for the counters until an answer says what the one before did: a server writes its answer
 * line by line and works on meanwhile, so a ping may be in one counter and not in the other.
 * Of a server that never comes to rest the last answer is taken.
 */
static enum fault_kind ask_whole(struct inquiry *inquiry, struct fault *fault)
{
    struct admin_counters before = {0};
    for (int questions = 0; questions < QUESTIONS_MAX; questions++) {
        enum fault_kind kind = insist(ask_counters, inquiry, fault);
        if (kind != FAULT_NONE)
            return kind;
        if (questions > 0 && is_same_but_for_the_question(&inquiry->counters, &before))
            break;
        before = inquiry->counters;
    }
    return FAULT_NONE;
}

/* Adds one server's counters; *told turns false if it does not tell. */
static enum fault_kind add_server(struct oracle *oracle, const struct endpoint *endpoint,
                                  struct oracle_reading *reading, struct fault *fault)
{
    struct inquiry inquiry = {.oracle = oracle, .endpoint = endpoint};
    enum fault_kind kind = ask_whole(&inquiry, fault);
    if (kind == FAULT_NOT_WHITELISTED || kind == FAULT_ZOOKEEPER) {
        reading->told = false;
        return FAULT_NONE;
    }
    if (kind != FAULT_NONE)
        return kind;
    const struct admin_counters counters = inquiry.counters;
    reading->writes += counters.writes;
    reading->reads += counters.reads;
    reading->notifications += counters.notifications_sent;
    reading->packets_received += counters.packets_received;
    reading->connections += counters.connections - 1;
    reading->connects += counters.connects;
    reading->watches += counters.watch_count;
    /* Every server of an ensemble has them all, but for what it has not applied yet. */
    if (counters.ephemerals_count < reading->ephemerals)
        reading->ephemerals = counters.ephemerals_count;
    return FAULT_NONE;
}

bool oracle_is_private(const struct oracle *oracle)
{
    return oracle->ensemble != NULL || oracle->simulated != NULL;
}

bool oracle_is_shared(const struct oracle_reading *reading, uint32_t clients)
{
    return reading->connections > clients + UINT64_C(1); /* the steward's */
}

enum fault_kind oracle_check(const struct oracle *oracle, struct fault *fault)
{
    return ensemble_check(oracle->ensemble, fault);
}

enum fault_kind oracle_ask_role(struct oracle *oracle, const struct endpoint *endpoint,
                                enum role *role, struct fault *fault)
{
    struct inquiry inquiry = {.oracle = oracle, .endpoint = endpoint};
    unsigned times;
    enum fault_kind kind = admin_insist(ask_identity, &inquiry, TIMEOUT_NS, &times, fault);
    if (kind == FAULT_NONE)
        *role = role_of_mode(inquiry.identity.mode);
    return kind;
}

enum fault_kind oracle_follow(struct oracle *oracle, uint64_t *mark, bool *reached,
                              uint64_t *longest_ns, struct fault *fault)
{
    uint64_t least = UINT64_MAX, most = 0;
    *longest_ns = 0;
    for (size_t i = 0; i < oracle->servers->count; i++) {
        struct inquiry inquiry = {.oracle = oracle, .endpoint = &oracle->servers->endpoints[i]};
        uint64_t asked_ns = clock_now_ns();
        enum fault_kind kind = insist(ask_identity, &inquiry, fault);
        if (kind != FAULT_NONE)
            return kind;
        uint64_t waited_ns = clock_now_ns() - asked_ns;
        *longest_ns = waited_ns > *longest_ns ? waited_ns : *longest_ns;
        if (!inquiry.identity.talks)
            continue;
        least = inquiry.identity.zxid < least ? inquiry.identity.zxid : least;
        most = inquiry.identity.zxid > most ? inquiry.identity.zxid : most;
    }
    if (*mark == 0)
        *mark = most;
    *reached = least >= *mark;
    return FAULT_NONE;
}

enum fault_kind oracle_read(struct oracle *oracle, struct oracle_reading *reading,
                            struct fault *fault)
{
    *reading = (struct oracle_reading){.told = true, .ephemerals = UINT64_MAX};
    enum fault_kind kind = FAULT_NONE;
    for (size_t i = 0; kind == FAULT_NONE && reading->told && i < oracle->servers->count; i++)
        kind = add_server(oracle, &oracle->servers->endpoints[i], reading, fault);
    reading->asked_again = oracle->asked_again;
    reading->packets_received -= oracle->words;
    if (kind == FAULT_NONE && oracle->ensemble != NULL) {
        reading->cpu_known = true;
        kind = ensemble_cpu_ns(oracle->ensemble, &reading->cpu_ns, fault);
    }
    return kind;
}

struct oracle_count oracle_subtract(const struct oracle_reading *before,
                                    const struct oracle_reading *after)
{
    return (struct oracle_count){
        .told = before->told && after->told && !before->asked_again && !after->asked_again,
        .asked_again = before->asked_again || after->asked_again,
        .writes = after->writes - before->writes,
        .reads = after->reads - before->reads,
        .notifications = after->notifications - before->notifications,
        .packets_received = after->packets_received - before->packets_received,
        .connects = after->connects - before->connects,
        .watches_leaked = (int64_t)after->watches - (int64_t)before->watches,
        .ephemerals_leaked = (int64_t)after->ephemerals - (int64_t)before->ephemerals,
        .cpu_known = before->cpu_known && after->cpu_known,
        .cpu_ns = after->cpu_ns - before->cpu_ns,
    };
}

void oracle_discount(struct oracle_count *count, uint64_t exits, uint64_t reconnects,
                     uint64_t steward_reads)
{
    /* Closing a session is a write; connecting again with one is none. */
    count->writes -= exits;
    count->reads -= steward_reads;
    count->packets_received -= exits + reconnects + steward_reads;
}

static uint64_t reads_of(const struct tally *tally)
{
    return tally->of[TALLY_EXISTS] + tally->of[TALLY_GET] + tally->of[TALLY_GET_CHILDREN];
}

bool oracle_is_behind(const struct oracle_count *count, const struct tally *tally, uint64_t exits)
{
    return exits > 0 && count->told && count->writes < tally_rpcs(tally) - reads_of(tally) + exits;
}

/* How many of the reads that the servers answered were pings, if their number can be right. */
static uint64_t pings_among(const struct oracle_count *count, uint64_t reads, uint64_t pings_most)
{
    uint64_t left = count->reads > reads ? count->reads - reads : 0;
    return left < pings_most ? left : pings_most;
}

enum oracle_counter oracle_reconcile(const struct oracle_count *count, const struct tally *tally,
                                     uint64_t pings_most, uint64_t *servers, uint64_t *sessions)
{
    const uint64_t *of = tally->of;
    uint64_t reads = reads_of(tally);
    uint64_t rpcs = tally_rpcs(tally);
    uint64_t pings = pings_among(count, reads, pings_most);
    const struct {
        uint64_t servers, sessions;
    } pairs[] = {
        [ORACLE_WRITES] = {count->writes, rpcs - reads},
        [ORACLE_READS] = {count->reads, reads + pings},
        [ORACLE_NOTIFICATIONS] = {count->notifications, of[TALLY_NOTIFICATION]},
        [ORACLE_PACKETS] = {count->packets_received, rpcs + pings},
    };
    for (int counter = 0; counter < ORACLE_AGREES; counter++) {
        if (pairs[counter].servers == pairs[counter].sessions)
            continue;
        *servers = pairs[counter].servers;
        *sessions = pairs[counter].sessions;
        return (enum oracle_counter)counter;
    }
    return ORACLE_AGREES;
}

const char *oracle_counter_word(enum oracle_counter counter)
{
    static const char *const words[] = {
        [ORACLE_WRITES] = "writes",
        [ORACLE_READS] = "reads and pings",
        [ORACLE_NOTIFICATIONS] = "notifications",
        [ORACLE_PACKETS] = "packets received",
        [ORACLE_AGREES] = "",
    };
    return words[counter];
}
