// SPDX-License-Identifier: Apache-2.0
/*
 * translate: client.h in the words of the Apache C client, and back. Layer: client, above library,
 * below the drivers.
 *
 * The drivers make different calls, asynchronous and synchronous ones; what the arguments and the
 * answers of these mean is the same for both, and is said here alone.
 *
 * Invariant: nothing is copied; a reply points to what it was made of.
 */
#ifndef CLIENT_TRANSLATE_H
#define CLIENT_TRANSLATE_H

#include "client/client.h"
#include "client/library.h"

#include <stdbool.h>

/* What the library's codes, events and states mean. */
enum zk_status translate_status(int code);
enum client_event translate_event(const struct library *library, int type);
enum client_state translate_state(const struct library *library, int state);

/* The flags of a create, and the value of a create or a set: no bytes are no null value. */
int translate_mode(enum create_mode mode);
const char *translate_value(const struct request *request);

/* The parts of a multi, as many operations; they point into the request. What comes of each of them
 * is not asked for. */
void translate_parts(const struct library *library, const struct request *request,
                     zoo_op_t ops[static REQUEST_PARTS_MAX]);

/*
 * Replies, but for operation and latency, of what a call gave: beside `code`, everything is read
 * only if that is ZOK. A multi's code is that of the first part that failed.
 *
 * Of a create, path NULL: the reply had no body, which the library does not say; it is
 * ZK_OTHER_ERROR.
 */
struct client_reply translate_created(int code, const char *path);
struct client_reply translate_stat(int code, const struct Stat *stat);
struct client_reply translate_data(int code, const char *value, int length,
                                   const struct Stat *stat);
struct client_reply translate_names(int code, const struct String_vector *names);

/* Whether the session has expired or was refused. To be asked before a multi, which the library
 * would leave half-made then, freeing paths that are not its own (zoo_amulti in its zookeeper.c).
 */
bool translate_is_gone(const struct library *library, zhandle_t *zk);

#endif
