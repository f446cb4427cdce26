// SPDX-License-Identifier: Apache-2.0
#include "bench/help/help.h"

#define SERVERS "zk1:2181,zk2:2181,zk3:2181"

const struct answer answers[] = {
    {
        .topic = "watches",
        .question = "How many watches do the clients of a lock leave on the servers?",
        .in_short =
            "In most recipes one for each client that waits, which is little. walkback leaves "
            "n(n-1)/2 behind, which soon fill a server's heap. What a watch costs when it fires is "
            "another question: a release notifies one client of a queue, and all waiters of "
            "nonscalable or childwatch.",
        .commands = "zkherd plan --limits -n 10000 -r nonscalable,scalable,walkback\n",
        .reading =
            "The last rows are the watches that fit into the servers' heaps, and the share that n "
            "clients take; the last lines, how many clients it takes to fill them.",
        .caution = "The room is an upper bound, as if nothing else were in the heaps. Watches that "
                   "belong to no lock, such as those of caches, are not counted.",
    },
    {
        .topic = "holders",
        .question = "Who holds the lock, and who waits with a watch?",
        .in_short =
            "zkherd inspect shows the clients of a lock in order: the first one holds it, each of "
            "the others waits for the one above. It finds locks by their znodes; the watches of a "
            "server it cannot list.",
        .commands = "zkherd inspect /locks --connect " SERVERS "\n"
                    "zkherd inspect /locks/orders --connect " SERVERS "\n",
        .reading =
            "The first command lists the locks of a folder, the one with the most waiters first. "
            "The second shows the clients of one lock: session, time in the queue, address, "
            "server. In a queue each waiter has a watch on the znode above its own.",
        .caution = "zkherd cannot list the watches of a server by session, only the clients of "
                   "locks; the waiters of a lock of one znode have no znodes and are not shown. "
                   "Addresses need the four-letter word cons, allowed on all servers.",
    },
    {
        .topic = "many",
        .question = "How many clients may wait for one lock?",
        .in_short =
            "A thousand and more of a queue, whose handoff does not depend on how many wait. Of a "
            "lock with the herd effect only as many as still meet the latency that you need, "
            "perhaps a hundred: the command finds the number on your servers.",
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
        .in_short =
            "Because n clients, one after another, take n times the handoff and the hold: then "
            "only shorter holds or more locks help. Or because the handoff itself grows with n, "
            "the herd effect: then another recipe helps. Compare the bars that the command prints.",
        .commands = "zkherd run -r nonscalable:250,scalable,ticket -n 100,250,1000 -t 3\n",
        .reading =
            "Bars of one length: a handoff costs the same for every n, and the last of n clients "
            "waits n times the handoff and the hold; the column drain has this time for a hold of "
            "0. Bars that grow with n: the herd effect.",
        .caution = "Each client of zkherd has a session of its own. Threads of one process that "
                   "share a session and one lock object may form a herd inside the process, which "
                   "zkherd does not measure.",
    },
    {
        .topic = "packet",
        .question = "Why does listing a lock fail with \"Packet len is out of range\"?",
        .in_short =
            "The reply that lists the znodes of the lock is longer than the client's "
            "jute.maxbuffer, a megabyte. At once: a larger -Djute.maxbuffer for every client. "
            "Then: fewer znodes in the folder (look for orphans), shorter names, or a recipe "
            "without lists.",
        .commands = "zkherd plan --limits -n 20000 -r scalable,scalable-guid,ticket \\\n"
                    "    --lock /app/locks/orders\n",
        .reading =
            "The row 'names in a list' says how many clients a list may name before a Java client "
            "refuses the reply: 55,187 with names of 15 bytes, 17,772 with Curator's 55.",
        .caution = "No four-letter word tells jute.maxbuffer: give yours with --jute-maxbuffer. "
                   "The client retries for ever, which looks like a network problem.",
    },
    {
        .topic = "reconnect",
        .question = "Why can a client not reconnect that has many watches?",
        .in_short =
            "The C client sets all watches of a session again in one request. If that is longer "
            "than the servers' jute.maxbuffer, they close the connection, each time. End the "
            "process, or raise the servers' limit; then spread the watches over more sessions.",
        .commands = "zkherd plan --limits -n 40000 -r scalable,walkback --lock /app/locks/orders\n",
        .reading =
            "The row 'watches again' says how many watches one session of the C client may have. A "
            "client of one lock has one or two; a session with many locks, or of walkback, has as "
            "many as all of them together.",
        .caution = "Java clients since 3.4.7 divide the request and do not meet this limit. The "
                   "row is about one session, and about paths of the length of this lock's.",
    },
    {
        .topic = "orphan",
        .question = "Why is a lock free and still granted to nobody?",
        .in_short =
            "If the lock stands still for longer than the session timeout, the reply to a CREATE "
            "was probably lost: a client has a znode that it does not know, and waits behind "
            "itself. zkherd inspect shows this orphan, in the first place. Restart its client. A "
            "GUID in the names of the znodes prevents it.",
        .commands = "zkherd claims --only C10\n"
                    "zkherd inspect /locks/orders --connect " SERVERS "\n",
        .reading =
            "The claim shows a lock that stands still, and that a GUID prevents it. On your "
            "servers inspect shows the orphan: the first znode belongs to a session that stands in "
            "the queue a second time.",
        .caution = "Two places of one session may be two threads: ask the client. Restart that "
                   "client, so that its session ends; --break is for one that cannot be reached.",
    },
    {
        .topic = "trylock",
        .question = "What do thousands of failing try-locks a second cost?",
        .in_short =
            "As much as tries that succeed: each is a CREATE, a write that goes through the leader "
            "and the log. Look with exists before you try, wait with a watch, or try less often. A "
            "try at a queue costs three requests, and leaves a znode behind if the client fails in "
            "between.",
        .commands = "zkherd load -m trylock=100 -n 100 --duration 5s\n"
                    "zkherd load -m create-delete=50,children=50 -n 100 --duration 5s\n"
                    "zkherd run -r broken-leak -n 4 -t 1 --session-timeout 4s\n",
        .reading =
            "On a lock of one znode a try that fails is one CREATE: the first command says how "
            "many a second the servers answer. On a queue it is a CREATE, a list and a DELETE: the "
            "second command. In the third, a client leaves its znode behind: the verdict fails, "
            "and says for how long the lock stood.",
        .caution = "zkherd does not run your client: it cannot tell whether that one leaks. Look "
                   "with zkherd inspect for places of clients that do not wait.",
    },
    {
        .topic = "pause",
        .question = "Can two clients hold a lock after a long pause?",
        .in_short =
            "Yes, and no lock of ZooKeeper can prevent it. The resource behind the lock must "
            "refuse the old holder: by a number that grows with every grant and that every write "
            "carries, such as the zxid of the creation of the holder's znode.",
        .commands = "zkherd claims --only C13,C14\n",
        .reading =
            "C14: the lock of a client that no longer answers passes on after the session timeout. "
            "C13: the old holder is not told when its znode goes, and still holds by its own "
            "account. A client that was only paused wakes up as such a holder.",
        .caution =
            "zkherd does not pause a client: it ends one, and deletes the znode of another. A "
            "longer session timeout makes the case rarer, and the wait after each crash longer.",
    },
    {
        .topic = "election",
        .question = "Why does a leader election take long, or never end?",
        .in_short =
            "A crashed leader is replaced after its session timeout, and nobody is elected while "
            "the servers elect their own leader. If it never ends, the znode in the first place "
            "may belong to a client that does not know of it, or whose session still lives.",
        .commands = "zkherd claims --only C17\n"
                    "zkherd paper figure8\n",
        .reading =
            "C17: an election on a queue needs no contest; the next in line leads, after one "
            "notification and one request, however many clients there are. If the leader crashed, "
            "its session timeout comes first. Figure 8: how long nothing is answered when the "
            "servers' leader is killed.",
        .caution = "zkherd runs a recipe, not your client. An election that never ends may have a "
                   "leader in line that does not know of its znode: see zkherd help orphan.",
    },
    {0},
};
