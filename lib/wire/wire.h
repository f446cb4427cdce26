// SPDX-License-Identifier: Apache-2.0
/*
 * wire: the lengths of ZooKeeper's messages on a connection of the Apache C client, in bytes.
 * Layer: wire.
 *
 * A message is its length (4 bytes) and records in the encoding jute: integers of 4 or 8 bytes, a
 * flag of 1, strings and vectors after their length of 4.
 *
 * Invariant: every length includes the 4 bytes of the message's own.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include "wire/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The opening of a connection, and the request to close the session. */
#define WIRE_CONNECT_REQUEST 49
#define WIRE_CONNECT_REPLY   41
#define WIRE_CLOSE_REQUEST   12

#define WIRE_LENGTH       4  /* the length before every message */
#define WIRE_REPLY_HEADER 16 /* of every reply and notification: xid, zxid, error */
#define WIRE_STAT         68 /* what exists, get and set return of a znode */

/* A reply without a record: to a delete, to a failed request, to the setting of watches. */
#define WIRE_BARE_REPLY (WIRE_LENGTH + WIRE_REPLY_HEADER)

/* A request with its paths and values. */
uint64_t wire_request(const struct request *request);

/* The request that sets `count` watches again; path_bytes is the sum of the lengths of their paths.
 */
uint64_t wire_watches_request(size_t count, uint64_t path_bytes);

/* A reply to a request that succeeded: with the created znode's path, a stat, a value and a stat,
 * or names. */
#define WIRE_STAT_REPLY (WIRE_BARE_REPLY + WIRE_STAT)
uint64_t wire_created_reply(size_t path_length);
uint64_t wire_value_reply(size_t value_length);
uint64_t wire_names_reply(size_t count, uint64_t name_bytes);

/* A multi's reply is a bare reply, its parts, and the mark of their end. If the multi failed, each
 * part is an error. */
#define WIRE_PARTS_END  9
#define WIRE_PART_ERROR 13
uint64_t wire_part_reply(enum operation operation, size_t path_length);

/* A notification. */
uint64_t wire_notification(size_t path_length);

#endif
