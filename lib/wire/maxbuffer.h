// SPDX-License-Identifier: Apache-2.0
/*
 * maxbuffer: how much fits in a message that is at most jute.maxbuffer long. Layer: wire.
 *
 * A server closes the connection on which a longer request comes (NIOServerCnxn.readLength), and a
 * Java client the one on which a longer reply comes (ClientCnxnSocket.readLength: "Packet len … is
 * out of range!"). Both compare the length that precedes the message, which does not include its
 * own 4 bytes. A server sends a reply of any length, and the Apache C client reads one of any
 * length. Read in 3.8.0 and 3.9.3. Java clients up to 3.6 refuse a reply of just the limit, too,
 * and before 3.6.0 their limit is 4 MiB unless it is set (ZOOKEEPER-3593).
 *
 * Invariant: what fits is computed from the lengths of wire/wire.h; there is no second formula.
 *
 * Every limit and length is in bytes; a result is 0 if nothing fits.
 */
#ifndef WIRE_MAXBUFFER_H
#define WIRE_MAXBUFFER_H

#include <stddef.h>
#include <stdint.h>

/* The default of servers and of Java clients: 0xfffff. */
#define MAXBUFFER_DEFAULT 1048575

/* The bounds of a setting: room for a request with its path; Java's greatest integer. */
#define MAXBUFFER_LEAST 1024
#define MAXBUFFER_MOST  2147483647

/* What is compared with the limit, of a message whose length is of wire/wire.h. */
uint64_t maxbuffer_counted(uint64_t message_bytes);

/* The names of this length that a reply to getChildren lists, beside `others` names that have
 * other_bytes together. */
uint64_t maxbuffer_names(uint64_t limit, size_t name_length, size_t others, uint64_t other_bytes);

/* The watches that one request sets again, if each path has this length. The Apache C client sets
 * all of a session in one request. A Java client divides them among requests, none of which has
 * more than 128 KiB of paths and a path, from 3.4.7 on (ZOOKEEPER-706). */
uint64_t maxbuffer_watches(uint64_t limit, size_t path_length);

/* The longest value of a create and of a setData, with a path of this length, and of a reply to
 * getData. */
uint64_t maxbuffer_created_value(uint64_t limit, size_t path_length);
uint64_t maxbuffer_set_value(uint64_t limit, size_t path_length);
uint64_t maxbuffer_read_value(uint64_t limit);

#endif
