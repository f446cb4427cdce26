// SPDX-License-Identifier: Apache-2.0
/*
 * four_letter: four-letter words to one server, over plain TCP. Layer: servers.
 *
 * Each call opens a connection of its own. It ends timeout_ns after it began; only the resolving of
 * a host name (DNS) may take longer (servers/tcp.h).
 *
 * Invariant: that of answer.h.
 *
 * Errors of tcp_connect, and ERROR_NO_ANSWER (not in time), ERROR_NOT_ZOOKEEPER (something else
 * answers), ERROR_CLOSED (closed without an answer, as at the limit maxClientCnxns, or on a port
 * for TLS), ERROR_NOT_WHITELISTED, ERROR_NOT_SERVING (a ZooKeeper without its quorum),
 * ERROR_ZOOKEEPER (an answer that is longer than its buffer, or lacks something). On an error the
 * outputs mean nothing.
 */
#ifndef SERVERS_FOUR_LETTER_H
#define SERVERS_FOUR_LETTER_H

#include "base/error.h"
#include "client/connect.h"
#include "servers/answer.h"

#include <stddef.h>
#include <stdint.h>

/* Sends a word and writes the whole answer, with a NUL, to answer (size bytes). An answer to srvr,
 * mntr, conf or cons must begin as ZooKeeper's does; an answer to another word must not be empty.
 */
MUST_CHECK enum error_kind four_letter_ask(const struct endpoint *endpoint, const char *word,
                                           uint64_t timeout_ns, char *answer, size_t size,
                                           struct error *error);

/* Asks srvr. A whitelist that refuses srvr is no error: then talks is false. */
MUST_CHECK enum error_kind four_letter_identify(const struct endpoint *endpoint,
                                                uint64_t timeout_ns,
                                                struct four_letter_identity *identity,
                                                struct error *error);

/* Asks mntr. A counter that is missing (before 3.6) is ERROR_ZOOKEEPER; the detail names it. */
MUST_CHECK enum error_kind four_letter_counters(const struct endpoint *endpoint,
                                                uint64_t timeout_ns,
                                                struct four_letter_counters *counters,
                                                struct error *error);

/*
 * Repeats a question to a server that is known to be a ZooKeeper, until the question is answered or
 * timeout_ns have passed since it was first asked. It is repeated only after an error that a server
 * causes during an election: it closes the connection, does not answer, refuses to connect, or does
 * not serve. Returns the result of the last question. *times: how often it was asked.
 */
MUST_CHECK enum error_kind
four_letter_insist(enum error_kind (*question)(void *context, struct error *error), void *context,
                   uint64_t timeout_ns, unsigned *times, struct error *error);

#endif
