// SPDX-License-Identifier: Apache-2.0
/*
 * role: what a server is in its ensemble. Layer: servers.
 *
 * Latencies are kept by the role of the session's server: a write goes through the leader, so other
 * sessions' writes take one hop more than those of sessions on the leader.
 *
 * The servers are asked at the gate, when every session is connected. A server closes its
 * connections before it changes its role, so the role holds as long as the connection does. After a
 * session has connected again, its server's role is ROLE_RECONNECTED: the new server is not asked.
 */
#ifndef SERVERS_ROLE_H
#define SERVERS_ROLE_H

#include <stdbool.h>

/* X(name, word): the word is ZooKeeper's, where there is one. The roles of a session's server: */
#define ROLE_LIST_OF_SESSIONS(X)                                                                   \
    X(UNKNOWN, "unknown") /* its whitelist refuses srvr, or it was not asked */                    \
    X(STANDALONE, "standalone")                                                                    \
    X(LEADER, "leader")                                                                            \
    X(FOLLOWER, "follower")                                                                        \
    X(OBSERVER, "observer")                                                                        \
    X(RECONNECTED, "reconnected")

/* The roles of a server on which no session is measured: */
#define ROLE_LIST_OF_OTHERS(X) X(READ_ONLY, "read-only")

enum role {
#define X(name, word) ROLE_##name,
    ROLE_LIST_OF_SESSIONS(X) ROLE_LIST_OF_OTHERS(X)
#undef X
};

/* The number of roles that a session's server may have; these come first. */
#define ROLES (ROLE_RECONNECTED + 1)

/* The word for a role: a static string. */
const char *role_word(enum role role);

/* The role for the mode of a four_letter_identity; ROLE_UNKNOWN for other words. */
enum role role_of_mode(const char *mode);

/* Whether a server of this role orders the writes: a leader, or a standalone server. */
bool role_leads(enum role role);

#endif
