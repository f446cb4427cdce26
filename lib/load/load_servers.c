// SPDX-License-Identifier: Apache-2.0
#include "load/load_servers.h"

/* ------------------------------------------------------------------ counters */

static bool is_known(const struct server_poll_answer *answer)
{
    return answer->state == SERVER_POLL_ABSENT ||
           (answer->state == SERVER_POLL_ANSWERED && answer->has_counters);
}

/* A server counts from 0 again after an election or a restart. */
static bool goes_on_counting(const struct four_letter_counters *before,
                             const struct four_letter_counters *now)
{
    bool goes_on =
        before->uptime_ms == FOUR_LETTER_UNREPORTED || now->uptime_ms >= before->uptime_ms;
#define X(A, B, name, keys, word, meaning) goes_on = goes_on && now->name >= before->name;
    FOUR_LETTER_COUNTED(X, , )
#undef X
    return goes_on && now->packets_received > before->packets_received;
}

/* Whether it is known what a server counted between the two. One that has come up in between counts
 * from 0, which is what is known of it before. */
static bool are_comparable(const struct server_poll_answer *before,
                           const struct server_poll_answer *now)
{
    if (!is_known(before) || !is_known(now))
        return false;
    if (now->state == SERVER_POLL_ABSENT || before->state == SERVER_POLL_ABSENT)
        return before->state == SERVER_POLL_ABSENT;
    return goes_on_counting(&before->counters, &now->counters);
}

/* Each answer has counted the word that asked for it. */
static void add_server(const struct server_poll_answer *before,
                       const struct server_poll_answer *now, struct load_server_second *second)
{
    const struct four_letter_counters *counters = &now->counters;
    bool serves = now->state == SERVER_POLL_ANSWERED;
    second->known = second->known && are_comparable(before, now);
    second->state_known = second->state_known && is_known(now);
    if (second->known && serves) {
#define X(A, B, name, keys, word, meaning) second->name += counters->name - before->counters.name;
        FOUR_LETTER_COUNTED(X, , )
#undef X
        second->packets_received--;
    }
    if (!second->state_known || !serves)
        return;
    second->watches += counters->watch_count;
    second->connections += counters->connections - 1;
    if (counters->outstanding == FOUR_LETTER_UNREPORTED)
        second->outstanding = FOUR_LETTER_UNREPORTED;
    else if (second->outstanding != FOUR_LETTER_UNREPORTED)
        second->outstanding += counters->outstanding;
}

/* ------------------------------------------------------------------ marks */

/* Before the first second has ended nothing has happened yet: that is how things are. */
static void mark(struct load_servers *servers, enum load_mark_kind kind, size_t server)
{
    if (servers->ended > 0)
        load_marks_add(servers->marks, servers->ended - 1, kind, (uint32_t)server);
}

/* A server that has not answered is lost until it answers what it is asked later. */
static void mark_loss(struct load_servers *servers, size_t server, enum server_poll_state state)
{
    bool *was_lost = &servers->lost[server];
    bool lost = state == SERVER_POLL_ABSENT || state == SERVER_POLL_OWES ||
                (state == SERVER_POLL_UNKNOWN && *was_lost);
    if (lost != *was_lost)
        mark(servers, lost ? LOAD_MARK_LOST : LOAD_MARK_BACK, server);
    *was_lost = lost;
}

/* A process that has ended takes its count of snapshots with it. */
static void mark_snapshot(struct load_servers *servers, size_t server,
                          const struct server_poll_answer *now)
{
    uint64_t *seen = &servers->snapshots[server], written = now->counters.snapshots;
    if (now->state == SERVER_POLL_ABSENT)
        *seen = 0;
    if (now->state != SERVER_POLL_ANSWERED || !now->has_counters ||
        written == FOUR_LETTER_UNREPORTED)
        return;
    if (*seen != FOUR_LETTER_UNREPORTED && written > *seen)
        mark(servers, LOAD_MARK_SNAPSHOT, server);
    *seen = written;
}

/* The leader of those before, and of this server. While a leader that is cut off does not know of
 * its successor yet, both lead: the new one does. */
static int leader_among(const struct load_servers *servers, int found, size_t server,
                        const struct server_poll_answer *now)
{
    bool is_answered = now->state == SERVER_POLL_ANSWERED;
    bool is_role_known = now->state == SERVER_POLL_ABSENT || now->state == SERVER_POLL_UNSERVED ||
                         (is_answered && now->role != ROLE_UNKNOWN);
    if (is_answered && now->role == ROLE_LEADER && (found < 0 || found == servers->leader))
        return (int)server;
    return is_role_known || found >= 0 ? found : LOAD_SERVERS_LEADER_UNKNOWN;
}

static void mark_election(struct load_servers *servers, int now)
{
    int before = servers->leader;
    if (now == LOAD_SERVERS_LEADER_UNKNOWN || now == before)
        return;
    servers->leader = now;
    if (before == LOAD_SERVERS_LEADER_UNKNOWN)
        return;
    if (now == LOAD_SERVERS_LEADERLESS)
        mark(servers, LOAD_MARK_NO_LEADER, 0);
    else
        mark(servers, LOAD_MARK_LEADS, (size_t)now);
}

/* ------------------------------------------------------------------ the seconds */

void load_servers_init(struct load_servers *servers, size_t count, uint64_t measures_ns,
                       struct load_server_second *seconds, struct load_marks *marks)
{
    *servers = (struct load_servers){.count = count,
                                     .measures_ns = measures_ns,
                                     .seconds = seconds,
                                     .marks = marks,
                                     .leader = LOAD_SERVERS_LEADER_UNKNOWN};
    for (size_t i = 0; i < count; i++)
        servers->snapshots[i] = FOUR_LETTER_UNREPORTED;
}

/* An answer to an earlier question, from a server that hung, is of another time; and a late one
 * says nothing of the counters at the end of its second. */
void load_servers_add_answers(struct load_servers *servers, uint32_t ended,
                              const struct server_poll_answer *answers)
{
    struct load_server_second second = {.known = true, .state_known = true};
    uint64_t ended_ns = servers->measures_ns + ended * NS_PER_S;
    int leader = LOAD_SERVERS_LEADERLESS;
    servers->ended = ended;
    for (size_t i = 0; i < servers->count; i++) {
        struct server_poll_answer now = answers[i];
        if (now.state != SERVER_POLL_OWES && now.asked_ns < ended_ns)
            now.state = SERVER_POLL_UNKNOWN;
        mark_loss(servers, i, now.state);
        mark_snapshot(servers, i, &now);
        leader = leader_among(servers, leader, i, &now);
        if (now.came_ns > ended_ns + LOAD_SERVERS_LATE_NS)
            now.state = SERVER_POLL_UNKNOWN;
        if (now.state == SERVER_POLL_ABSENT)
            now.counters = (struct four_letter_counters){0};
        add_server(&servers->before[i], &now, &second);
        servers->before[i] = now;
    }
    mark_election(servers, leader);
    if (ended > 0)
        servers->seconds[ended - 1] = second;
}
