// SPDX-License-Identifier: Apache-2.0
/*
 * role: what a session's server is in its ensemble, for latencies that are told by it. Layer:
 * fleet.
 *
 * A write goes through the leader: a session on the leader is a hop nearer to it than others.
 *
 * The servers are asked at the gate, when every session stands. A server that changes its role
 * closes its connections first, so the role holds for as long as the connection does. Of a session
 * that had to connect again nobody knows what its new server is, or was since: from then on its
 * role is ROLE_RECONNECTED.
 */
#ifndef FLEET_ROLE_H
#define FLEET_ROLE_H

/* X(name, the word for it: a server's own, where it has one) */
#define ROLE_LIST(X)                                                                               \
    X(UNKNOWN, "unknown") /* its whitelist refuses srvr, or nobody has asked yet: zero */          \
    X(STANDALONE, "standalone")                                                                    \
    X(LEADER, "leader")                                                                            \
    X(FOLLOWER, "follower")                                                                        \
    X(OBSERVER, "observer")                                                                        \
    X(RECONNECTED, "reconnected")

enum role {
#define X(name, word) ROLE_##name,
    ROLE_LIST(X)
#undef X
        ROLES
};

/* The word for a role: a static string. */
const char *role_word(enum role role);

/* The role of a server that calls its mode so (four_letter_identity); ROLE_UNKNOWN for other words.
 */
enum role role_of_mode(const char *mode);

#endif
