// SPDX-License-Identifier: Apache-2.0
#include "bench/help/answers.h"

#include <string.h>

#define SERVERS "zk1:2181,zk2:2181,zk3:2181"

static const struct answer answers[] = {
    {
        .topic = "watches",
        .question = "How many watches do the clients of a lock leave on the servers?",
        .commands = "zkherd plan --limits -n 10000 -r nonscalable,scalable,walkback\n",
        .reading =
            "The last rows are the watches that fit into the servers' heaps, and the share that n "
            "clients take. In most recipes a client has one watch; walkback leaves watches "
            "behind, and n clients of it have n(n-1)/2. What a watch costs when it fires is "
            "another question: a release notifies one client of scalable, and all of nonscalable.",
        .caution = "The room is an upper bound, as if nothing else were in the heaps. Watches that "
                   "belong to no lock, such as those of caches, are not counted.",
    },
    {
        .topic = "holders",
        .question = "Who holds the lock, and who waits with a watch?",
        .commands = "zkherd inspect /locks --connect " SERVERS "\n"
                    "zkherd inspect /locks/orders --connect " SERVERS "\n",
        .reading =
            "The first command lists the locks of a folder, the one with the most waiters first. "
            "The second shows the clients of one lock in order: session, time in the queue, "
            "address, server. In a queue each waiter has a watch on the znode above its own.",
        .caution = "zkherd cannot list the watches of a server by session, only the clients of "
                   "locks; the waiters of a lock of one znode have no znodes and are not shown. "
                   "Addresses need the four-letter word cons, allowed on all servers.",
    },
    {
        .topic = "many",
        .question = "How many clients may wait for one lock?",
        .commands = "zkherd plan --slo 'handoff p95 < 10ms' --resolution 25 \\\n"
                    "    -r nonscalable,childwatch,scalable\n",
        .reading =
            "For each recipe: the largest number of waiters with which the objective is met, the "
            "smallest with which it is not, and what gave out first. The herd coefficient says "
            "what one more waiter costs, in handoffs without waiters: about 0 for a queue.",
        .caution = "The answer holds for the servers, the machine and the other load of the "
                   "measurement: with --connect it is about your servers. Add --dry-run first, to "
                   "see what the search would demand of them.",
    },
    {
        .topic = "slow",
        .question = "Why is a lock slow with a thousand clients?",
        .commands = "zkherd run -r nonscalable:250,scalable,ticket -n 100,250,1000 -t 3\n",
        .reading =
            "A client waits for all that stand before it, so the last of n clients waits for the "
            "drain time: n times the handoff and the hold. In a queue the handoff does not depend "
            "on n; then only shorter holds or more locks help. With a herd the handoff itself "
            "grows with n; then another recipe helps.",
        .caution = "Each client of zkherd has a session of its own. Threads of one process that "
                   "share a session and one lock object may form a herd inside the process, which "
                   "zkherd does not measure.",
    },
    {
        .topic = "packet",
        .question = "Why does listing a lock fail with \"Packet len is out of range\"?",
        .commands = "zkherd plan --limits -n 20000 -r scalable,scalable-guid,ticket \\\n"
                    "    --lock /app/locks/orders\n",
        .reading =
            "The row 'names in a list' says how many clients a list may name before a Java client "
            "refuses the reply, by jute.maxbuffer: 55,187 with names of 15 bytes, 17,772 with "
            "Curator's 55. Shorter names, more locks, a larger -Djute.maxbuffer of every client, "
            "or a recipe without lists help.",
        .caution = "No four-letter word tells jute.maxbuffer: give yours with --jute-maxbuffer. "
                   "The client retries for ever, which looks like a network problem.",
    },
    {
        .topic = "reconnect",
        .question = "Why can a client not reconnect that has many watches?",
        .commands = "zkherd plan --limits -n 40000 -r scalable,walkback --lock /app/locks/orders\n",
        .reading =
            "The row 'watches again' says how many watches one session of the C client may have: "
            "it sets them all again in one request, and if that is longer than jute.maxbuffer the "
            "server closes the connection, each time. A client of one lock has one or two; a "
            "session with many locks, or of walkback, has as many as all of them together.",
        .caution = "Java clients since 3.4.7 divide the request and do not meet this limit. The "
                   "row is about one session, and about paths of the length of this lock's.",
    },
    {
        .topic = "orphan",
        .question = "Why is a lock free and still granted to nobody?",
        .commands = "zkherd claims --only C10\n"
                    "zkherd inspect /locks/orders --connect " SERVERS "\n",
        .reading =
            "When the reply to a CREATE is lost, the client has a znode that it does not know, "
            "and queues again behind itself. The claim shows it, and that a GUID in the name "
            "prevents it. On your servers, inspect shows the orphan: the first znode belongs to a "
            "session that stands in the queue a second time.",
        .caution = "Two places of one session may be two threads: ask the client. Restart that "
                   "client, so that its session ends; --break is for one that cannot be reached.",
    },
    {
        .topic = "trylock",
        .question = "What do thousands of failing try-locks a second cost?",
        .commands = "zkherd load -m trylock=100 -n 100 --duration 5s\n"
                    "zkherd load -m create-delete=50,children=50 -n 100 --duration 5s\n"
                    "zkherd run -r broken-leak -n 4 -t 1 --session-timeout 4s\n",
        .reading =
            "On a lock of one znode, a try that fails is one CREATE, a write as expensive as one "
            "that succeeds: the first command says how many a second the servers answer. On a "
            "queue it is a CREATE, a list and a DELETE: the second command. In the third, clients "
            "leave their znode behind: the verdict fails, and says for how long the lock stood.",
        .caution = "zkherd does not run your client: it cannot tell whether that one leaks. Look "
                   "with zkherd inspect for places of clients that do not wait.",
    },
    {
        .topic = "pause",
        .question = "Can two clients hold a lock after a long pause?",
        .commands = "zkherd claims --only C13,C14\n",
        .reading =
            "Yes. C14: the lock of a client that no longer answers passes on after the session "
            "timeout. C13: the old holder is not told when its znode goes, and still holds by its "
            "own account. A client that was only paused wakes up as such a holder. So the "
            "resource must refuse it: by a number that grows with every grant, such as the zxid "
            "of the holder's znode.",
        .caution = "zkherd does not pause a client: it ends one, and deletes the znode of another. "
                   "A longer session timeout makes the case rarer, and every crash longer.",
    },
    {
        .topic = "election",
        .question = "Why does a leader election take long, or never end?",
        .commands = "zkherd claims --only C17\n"
                    "zkherd paper figure8\n",
        .reading = "An election on a queue needs no contest: the next in line leads, after one "
                   "notification and one request, however many clients there are. If the leader "
                   "crashed, its session timeout comes first. Figure 8 is about the servers' own "
                   "election: how long nothing is answered when their leader is killed.",
        .caution = "zkherd runs a recipe, not your client. An election that never ends may have a "
                   "leader in line that does not know of its znode: see zkherd help orphan.",
    },
};

const struct answer *answers_at(size_t number)
{
    return number < sizeof answers / sizeof answers[0] ? &answers[number] : NULL;
}

const struct answer *answers_find(const char *topic)
{
    const struct answer *answer;
    for (size_t i = 0; (answer = answers_at(i)) != NULL; i++) {
        if (strcmp(answer->topic, topic) == 0)
            return answer;
    }
    return NULL;
}
