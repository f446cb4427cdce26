// SPDX-License-Identifier: Apache-2.0
/*
 * fields: the bytes of a message field by field, for who copies it and changes some of them. Layer:
 * wire.
 *
 * A field has the letter of its kind in wire/opcode.h, with these differences: a vector is its
 * count, then its elements; an ACL and a vector of identities are the count, then the parts of each
 * element. What is behind the header of a refusal, of an operation of a later release, and from a
 * field on that does not fit, is one field of an unknown kind.
 *
 * Invariant: every byte of the message is in one field, in order, whatever the bytes are.
 */
#ifndef WIRE_FIELDS_H
#define WIRE_FIELDS_H

#include "wire/opcode.h"

#include <stddef.h>

/* Letters besides those of wire/opcode.h. Texts and bytes are behind their length in 4 bytes. */
enum fields_letter {
    FIELDS_HEADER = 'h',     /* what precedes a record, or a part of a transaction */
    FIELDS_COUNT = 'c',      /* of a vector; its elements are 'v' */
    FIELDS_PERMISSION = 'P', /* of an entry of an ACL */
    FIELDS_SCHEME = 's',     /* of an identity */
    FIELDS_IDENTITY = 'I',   /* who: a name, an address, or a name and the hash of a password */
    FIELDS_ZXID = 'z',       /* of an opening: the last transaction that the client has seen */
    FIELDS_TIMEOUT = 't',    /* of an opening */
    FIELDS_SESSION = 'o',    /* of an opening */
    FIELDS_PASSWORD = 'k',   /* of the session */
    FIELDS_UNKNOWN = '?',
};

enum fields_kind {
    FIELDS_CLIENT_OPENING,
    FIELDS_SERVER_OPENING,
    FIELDS_REQUEST,
    FIELDS_REPLY,
    FIELDS_NOTIFICATION,
};

/* A message without its length. */
struct fields_message {
    enum fields_kind kind;
    enum opcode opcode; /* of a reply: that of its request */
    const unsigned char *bytes;
    size_t kept;   /* how many bytes are there: fewer than `length` of a very long message */
    size_t length; /* how many it has */
};

/* Takes a field: its letter and its bytes, which are the message's own. */
typedef void fields_take(void *context, char letter, const unsigned char *bytes, size_t count);

/* Calls `take` for each field of the bytes that are there. */
void fields_walk(const struct fields_message *message, fields_take *take, void *context);

#endif
