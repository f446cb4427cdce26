// SPDX-License-Identifier: Apache-2.0
/*
 * opcode: the operations of ZooKeeper's protocol, a row each. Layer: wire.
 *
 * org.apache.zookeeper.ZooDefs.OpCode of 3.9.3, in the order of the numbers; earlier releases have
 * some of them. Not among them are create-session (-10), which has no number on the wire, and error
 * (-1), which stands in a multi's reply alone.
 *
 * X(NAME, number, name, request, reply): the name is ZooKeeper's; the records are the fields of
 * zookeeper.jute, a letter each:
 *
 *   p  a path                        a  an ACL
 *   d  data                          S  a stat
 *   n  a number: flags, a version,   l  a long
 *      a kind, a count, an error     x  a text or bytes that nobody asks for
 *   w  whether a watch is set        v  a vector of names or paths
 *   m  the parts of a transaction    i  a vector of identities: scheme and name
 */
#ifndef WIRE_OPCODE_H
#define WIRE_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

#define OPCODE_LIST(X)                                                                             \
    X(CLOSE, -11, "closeSession", "", "")                                                          \
    X(CREATE, 1, "create", "pdan", "p")                                                            \
    X(DELETE, 2, "delete", "pn", "")                                                               \
    X(EXISTS, 3, "exists", "pw", "S")                                                              \
    X(GET_DATA, 4, "getData", "pw", "dS")                                                          \
    X(SET_DATA, 5, "setData", "pdn", "S")                                                          \
    X(GET_ACL, 6, "getACL", "p", "aS")                                                             \
    X(SET_ACL, 7, "setACL", "pan", "S")                                                            \
    X(GET_CHILDREN, 8, "getChildren", "pw", "v")                                                   \
    X(SYNC, 9, "sync", "p", "p")                                                                   \
    X(PING, 11, "ping", "", "")                                                                    \
    X(GET_CHILDREN2, 12, "getChildren2", "pw", "vS")                                               \
    X(CHECK, 13, "check", "pn", "")                                                                \
    X(MULTI, 14, "multi", "m", "m")                                                                \
    X(CREATE2, 15, "create2", "pdan", "pS")                                                        \
    X(RECONFIG, 16, "reconfig", "xxxl", "dS")                                                      \
    X(CHECK_WATCHES, 17, "checkWatches", "pn", "")                                                 \
    X(REMOVE_WATCHES, 18, "removeWatches", "pn", "")                                               \
    X(CREATE_CONTAINER, 19, "createContainer", "pdan", "pS")                                       \
    X(DELETE_CONTAINER, 20, "deleteContainer", "p", "")                                            \
    X(CREATE_TTL, 21, "createTTL", "pdanl", "pS")                                                  \
    X(MULTI_READ, 22, "multiRead", "m", "m")                                                       \
    X(AUTH, 100, "auth", "nxx", "")                                                                \
    X(SET_WATCHES, 101, "setWatches", "lvvv", "")                                                  \
    X(SASL, 102, "sasl", "x", "x")                                                                 \
    X(GET_EPHEMERALS, 103, "getEphemerals", "p", "v")                                              \
    X(GET_ALL_CHILDREN_NUMBER, 104, "getAllChildrenNumber", "p", "n")                              \
    X(SET_WATCHES2, 105, "setWatches2", "lvvvvv", "")                                              \
    X(ADD_WATCH, 106, "addWatch", "pn", "n")                                                       \
    X(WHO_AM_I, 107, "whoAmI", "", "i")

/* The rows, in that order; OPCODE_OTHER is a number that is none of them. */
enum opcode {
#define X(NAME, number, name, request, reply) OPCODE_##NAME,
    OPCODE_LIST(X)
#undef X
        OPCODE_OTHER,
    OPCODES
};

/* The row of a number on the wire. */
enum opcode opcode_of(int32_t number);

/* ZooKeeper's name, a static string: "other" for OPCODE_OTHER. */
const char *opcode_name(enum opcode opcode);

/* Whether it creates a znode. */
bool opcode_creates(enum opcode opcode);

/* The fields of its request and of its reply: static strings. */
const char *opcode_request(enum opcode opcode);
const char *opcode_reply(enum opcode opcode);

#endif
