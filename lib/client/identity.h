// SPDX-License-Identifier: Apache-2.0
/*
 * identity: the credentials of sessions, and whom the znodes that they create admit. Layer: client.
 *
 * Credentials are of ZooKeeper's scheme digest, name:password. A server takes any: wrong ones are
 * those of another user, whom an ACL does not admit.
 *
 * Invariant: credentials are in the memory of this process and its forks alone, which dump no core
 * from the first ones on. No error has them. (A process that dumps no core belongs to root in
 * /proc: there other processes of its user read its stat, statm and status, but not its memory, fd,
 * cwd.)
 */
#ifndef CLIENT_IDENTITY_H
#define CLIENT_IDENTITY_H

#include "base/error.h"

#include <stdbool.h>

/* Bytes of credentials; behind them is room for the end of a line, and for a terminator. */
#define IDENTITY_CREDENTIALS_MAX 255

struct identity {
    char credentials[IDENTITY_CREDENTIALS_MAX + 2]; /* name:password; "": none */
    bool creator; /* a znode admits whoever has these credentials alone; else everybody */
};

/* Whether there are credentials; NULL: there are none. */
bool identity_is_known(const struct identity *identity);

/* Reads the credentials from a file of one line, or a pipe, that this user alone may read or write.
 * ERROR_NOT_CREDENTIALS; then there are none. */
MUST_CHECK enum error_kind identity_read(const char *path, struct identity *identity,
                                         struct error *error);

/* Reads the credentials from a variable of the environment, if it is set, and wipes it: no child
 * inherits it, and /proc does not show it. Errors as above. Not while other threads run. */
MUST_CHECK enum error_kind identity_read_variable(const char *variable, struct identity *identity,
                                                  struct error *error);

/* Wipes and frees an allocated identity; NULL is fine. */
void identity_free(struct identity *identity);

#endif
