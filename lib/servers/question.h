// SPDX-License-Identifier: Apache-2.0
/*
 * question: a four-letter word to one server, for whose answer nobody waits. Layer: servers, beside
 * four_letter, which waits.
 *
 * question_begin, then question_turn whenever the descriptor is ready, until it is done; or
 * question_abandon at any time.
 *
 * Invariant: nothing here waits.
 */
#ifndef SERVERS_QUESTION_H
#define SERVERS_QUESTION_H

#include "servers/answer.h"

struct question {
    const struct endpoint *endpoint;
    const char *word;
    int fd;       /* of the question that is open; else -1 */
    bool sent;    /* the word: until then the descriptor is to become writable, then readable */
    char *answer; /* the caller's, `size` bytes of it */
    size_t size, length;
};

/* Asks a server whose host is an address (tcp_resolve); the answer's place must have been set, and
 * no question may be open. Errors of tcp_begin; then none is. */
MUST_CHECK enum error_kind question_begin(struct question *question,
                                          const struct endpoint *endpoint, const char *word,
                                          struct error *error);

/* Goes on with what is ready. *done: the question is no longer open; on success its answer is then
 * ZooKeeper's to this word. After an error it is done. Those of four_letter.h. */
MUST_CHECK enum error_kind question_turn(struct question *question, bool *done,
                                         struct error *error);

/* Closes the connection; no question open is fine. */
void question_abandon(struct question *question);

#endif
