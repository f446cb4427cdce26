// SPDX-License-Identifier: Apache-2.0
/*
 * translate: client.h in the words of the Apache C client, and back. Layer: zk, above library,
 * below the drivers.
 *
 * The drivers make different calls, asynchronous and synchronous ones; what the arguments and the
 * answers of these mean is the same for both, and is said here alone.
 *
 * Invariant: nothing is copied; a reply points to what it was made of.
 */
#ifndef ZK_TRANSLATE_H
#define ZK_TRANSLATE_H

#include "zk/client.h"
#include "zk/library.h"

/* What the library's codes, events and states mean. */
enum zk_status translate_status(int code);
enum client_event translate_event(const struct library *library, int type);
enum client_state translate_state(const struct library *library, int state);

/* The flags of a create. */
int translate_mode(enum create_mode mode);

/* Replies, but for operation and latency, of what a call gave: beside `code`, everything is read
 * only if that is ZOK. */
struct client_reply translate_created(int code, const char *path);
struct client_reply translate_data(int code, const char *value, int length);
struct client_reply translate_names(int code, const struct String_vector *names);

#endif
