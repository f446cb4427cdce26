// SPDX-License-Identifier: Apache-2.0
/*
 * translate: the types of client.h from and to those of the Apache C client, for its synchronous
 * and its asynchronous calls. Layer: client, above library, below the drivers.
 *
 * Invariant: nothing is copied; a reply points to what it was made of.
 */
#ifndef CLIENT_TRANSLATE_H
#define CLIENT_TRANSLATE_H

#include "client/client.h"
#include "client/library.h"

#include <stdbool.h>

enum zk_status translate_status(int code);
enum client_event translate_event(const struct library *library, int type);
enum client_state translate_state(const struct library *library, int state);

/* The flags of a create. The value of a create or a set, never NULL. */
int translate_mode(enum create_mode mode);
const char *translate_value(const struct request *request);

/* The parts of a multi as operations, which point into the request. Their single results are not
 * asked for. */
void translate_parts(const struct library *library, const struct request *request,
                     zoo_op_t ops[static REQUEST_PARTS_MAX]);

/*
 * The reply, but for operation, tag and latency, from the results of a call, which are read only if
 * `code` is ZOK. A create with ZOK and path NULL, a reply without a body, is ZK_OTHER_ERROR.
 */
struct client_reply translate_created(int code, const char *path);
struct client_reply translate_stat(int code, const struct Stat *stat);
struct client_reply translate_data(int code, const char *value, int length,
                                   const struct Stat *stat);
struct client_reply translate_names(int code, const struct String_vector *names);

/* Whether the session has expired or was refused. To be asked before a multi: for such a session
 * the library would free paths that are not its own (zoo_amulti in its zookeeper.c). */
bool translate_is_gone(const struct library *library, zhandle_t *zk);

#endif
