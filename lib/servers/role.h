// SPDX-License-Identifier: Apache-2.0
/*
 * role: what a server is in its ensemble. Layer: servers.
 *
 * Latencies are told by the role of the session's server: a write goes through the leader, so a
 * session on the leader is a hop nearer to the leader than other sessions.
 *
 * The servers are asked at the gate, when every session is connected. A server that changes its
 * role closes its connections first, so the role holds for as long as the connection does. After a
 * session has connected again, nobody knows the role of its new server: from then on the role of
 * the session's server is ROLE_RECONNECTED.
 */
#ifndef SERVERS_ROLE_H
#define SERVERS_ROLE_H

#include <stdbool.h>

/* X(name, the word for it: a server's own, where it has one). The roles of a session's server: */
#define ROLE_LIST_OF_SESSIONS(X)                                                                   \
    X(UNKNOWN, "unknown") /* its whitelist refuses srvr, or nobody has asked yet: zero */          \
    X(STANDALONE, "standalone")                                                                    \
    X(LEADER, "leader")                                                                            \
    X(FOLLOWER, "follower")                                                                        \
    X(OBSERVER, "observer")                                                                        \
    X(RECONNECTED, "reconnected")

/* The roles of a server on which no session is measured: */
#define ROLE_LIST_OF_OTHERS(X)                                                                     \
    X(READ_ONLY, "read-only")                                                                      \
    X(KILLED, "killed") /* by server_kill */

enum role {
#define X(name, word) ROLE_##name,
    ROLE_LIST_OF_SESSIONS(X) ROLE_LIST_OF_OTHERS(X)
#undef X
};

/* How many roles a session's server may have; they come first. */
#define ROLES (ROLE_RECONNECTED + 1)

/* The word for a role: a static string. */
const char *role_word(enum role role);

/* The role of a server that calls its mode so (four_letter_identity); ROLE_UNKNOWN for other words.
 */
enum role role_of_mode(const char *mode);

/* Whether a server of this role is the one of its ensemble that orders the writes: a leader, or a
 * standalone server. */
bool role_leads(enum role role);

#endif
