// SPDX-License-Identifier: Apache-2.0
/*
 * wire: how long ZooKeeper's messages are on a connection of the Apache C client, in bytes. Layer:
 * wire, below the simulation.
 *
 * A message is its length (4 bytes) and records in the encoding called jute: integers of 4 or 8
 * bytes, a flag of 1, strings and vectors behind their length of 4.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include "wire/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The opening of a connection, and its end. */
#define WIRE_CONNECT_REQUEST 49
#define WIRE_CONNECT_REPLY   41
#define WIRE_CLOSE_REQUEST   12

/* Before every message, its length; at the head of every reply and notification, its xid, zxid and
 * error. */
#define WIRE_LENGTH       4
#define WIRE_REPLY_HEADER 16

/* A reply without a record: of a deletion, of whatever failed, of watches that were set again. */
#define WIRE_BARE_REPLY (WIRE_LENGTH + WIRE_REPLY_HEADER)

/* A request with its paths and values. */
uint64_t wire_request(const struct request *request);

/* The request that sets watches again: how many, and the lengths of their paths summed. */
uint64_t wire_watches_request(size_t count, uint64_t path_bytes);

/* A reply to a request that was carried out: with the created znode's path, the value, or the list
 * of names of these lengths. */
uint64_t wire_created_reply(size_t path_length);
uint64_t wire_stat_reply(void);
uint64_t wire_value_reply(size_t value_length);
uint64_t wire_names_reply(size_t count, uint64_t name_bytes);

/* A part of a multi's reply; the parts come between a bare reply and the mark of their end. A multi
 * that failed tells an error for each of its parts. */
#define WIRE_PARTS_END 9
uint64_t wire_part_reply(enum operation operation, size_t path_length);
uint64_t wire_part_error(void);

/* A notification. */
uint64_t wire_notification(size_t path_length);

#endif
