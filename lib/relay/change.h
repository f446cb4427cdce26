// SPDX-License-Identifier: Apache-2.0
/*
 * change: the znodes that a request asks to create, to change or to delete, alone or as parts of a
 * transaction. Layer: relay.
 */
#ifndef RELAY_CHANGE_H
#define RELAY_CHANGE_H

#include "relay/conversation.h"

struct change {
    enum opcode opcode; /* OPCODE_CREATE for every kind of create, OPCODE_SET_DATA, OPCODE_DELETE */
    char *path;         /* that is asked for: begins with '/' */
    bool ephemeral, sequential; /* of a create */
    /* What the reply says: the error, any number for a transaction that failed in another part; and
     * the path of the znode that was created, or NULL. */
    int32_t error;
    char *made;
};

/* The path is gone after the call. */
typedef void change_take(void *context, const struct change *change);

/* Calls for each change that a request asks for, in order; and again with what a reply says of it.
 */
void change_each_asked(enum opcode opcode, const struct message_record *record, change_take *take,
                       void *context);
void change_each_answered(const struct conversation_request *request,
                          const struct message_reply *reply, change_take *take, void *context);

#endif
