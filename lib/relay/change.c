// SPDX-License-Identifier: Apache-2.0
#include "relay/change.h"

#include "base/memory.h"

#include <stdlib.h>

/* Flags of a create (CreateMode): ephemeral, without and with a number. */
#define EPHEMERAL            1
#define EPHEMERAL_SEQUENTIAL 3

/* Any error: with one part of a transaction all fail. */
#define PART_FAILED (-1)

/* OPCODE_OTHER: it changes nothing that others can watch. */
static enum opcode kind_of(enum opcode opcode)
{
    return opcode_creates(opcode)                                 ? OPCODE_CREATE
           : opcode == OPCODE_SET_DATA || opcode == OPCODE_DELETE ? opcode
                                                                  : OPCODE_OTHER;
}

static void take_one(enum opcode opcode, const struct message_record *record, int32_t error,
                     const struct jute_bytes *made, change_take *take, void *context)
{
    enum opcode kind = kind_of(opcode);
    if (kind == OPCODE_OTHER || record->path.length == 0 || record->path.bytes[0] != '/')
        return;
    struct change change = {.opcode = kind,
                            .path = memory_copy(record->path.bytes, record->path.length),
                            .error = error};
    if (opcode == OPCODE_CREATE || opcode == OPCODE_CREATE2) {
        change.sequential = record->number == EPHEMERAL_SEQUENTIAL;
        change.ephemeral = record->number == EPHEMERAL || change.sequential;
    }
    if (kind == OPCODE_CREATE && made->length > 0 && made->bytes[0] == '/')
        change.made = memory_copy(made->bytes, made->length);
    take(context, &change);
    free(change.path);
    free(change.made);
}

void change_each_asked(enum opcode opcode, const struct message_record *record, change_take *take,
                       void *context)
{
    struct jute parts = record->parts;
    struct message_record part;
    const struct jute_bytes none = {0};
    if (opcode != OPCODE_MULTI)
        take_one(opcode, record, 0, &none, take, context);
    else
        while (message_next_part(&parts, false, &opcode, &part))
            take_one(opcode, &part, 0, &none, take, context);
}

void change_each_answered(const struct conversation_request *request,
                          const struct message_reply *reply, change_take *take, void *context)
{
    struct jute asked = request->record.parts, answered = reply->record.parts;
    struct message_record part, result;
    enum opcode opcode, answer;
    if (request->opcode != OPCODE_MULTI) {
        take_one(request->opcode, &request->record, reply->error, &reply->record.path, take,
                 context);
        return;
    }
    while (message_next_part(&asked, false, &opcode, &part)) {
        bool done = message_next_part(&answered, true, &answer, &result) && answer != OPCODE_OTHER;
        take_one(opcode, &part, done ? 0 : PART_FAILED, &result.path, take, context);
    }
}
