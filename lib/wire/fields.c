// SPDX-License-Identifier: Apache-2.0
#include "wire/fields.h"

#include "wire/jute.h"
#include "wire/wire.h"

struct walk {
    struct jute jute;
    const unsigned char *end;
    fields_take *take;
    void *context;
};

/* Gives what was read since `from`; of a field that does not fit, all that is left. */
static void give(struct walk *walk, char letter, const unsigned char *from)
{
    bool malformed = walk->jute.malformed;
    if (malformed)
        walk->jute.bytes = walk->end;
    if (walk->jute.bytes > from)
        walk->take(walk->context, malformed ? FIELDS_UNKNOWN : letter, from,
                   (size_t)(walk->jute.bytes - from));
}

static void walk_fixed(struct walk *walk, char letter, size_t size)
{
    const unsigned char *from = walk->jute.bytes;
    for (; size > 0 && !walk->jute.malformed; size--)
        (void)jute_flag(&walk->jute);
    give(walk, letter, from);
}

static void walk_bytes(struct walk *walk, char letter)
{
    const unsigned char *from = walk->jute.bytes;
    (void)jute_bytes(&walk->jute);
    give(walk, letter, from);
}

static size_t walk_count(struct walk *walk)
{
    const unsigned char *from = walk->jute.bytes;
    size_t count = jute_vector(&walk->jute);
    give(walk, FIELDS_COUNT, from);
    return count;
}

static void walk_identities(struct walk *walk, bool of_acl)
{
    for (size_t count = walk_count(walk); count > 0 && !walk->jute.malformed; count--) {
        if (of_acl)
            walk_fixed(walk, FIELDS_PERMISSION, sizeof(int32_t));
        walk_bytes(walk, FIELDS_SCHEME);
        walk_bytes(walk, FIELDS_IDENTITY);
    }
}

static void walk_record(struct walk *walk, const char *fields, bool is_reply);

/* The number of a part, whether it is the end, and an error, of which a failed part has another. */
static void walk_parts(struct walk *walk, bool is_reply)
{
    for (bool done = false; !done && !walk->jute.malformed;) {
        const unsigned char *from = walk->jute.bytes;
        int32_t number = jute_int(&walk->jute);
        done = jute_flag(&walk->jute);
        (void)jute_int(&walk->jute);
        give(walk, FIELDS_HEADER, from);
        enum opcode opcode = opcode_of(number);
        if (is_reply && number == -1 && !done)
            walk_record(walk, "n", true);
        else if (opcode != OPCODE_MULTI && opcode != OPCODE_MULTI_READ)
            walk_record(walk, is_reply ? opcode_reply(opcode) : opcode_request(opcode), is_reply);
    }
}

static void walk_record(struct walk *walk, const char *fields, bool is_reply)
{
    for (; *fields != '\0'; fields++) {
        switch (*fields) {
        case 'p':
        case 'd':
        case 'x':
            walk_bytes(walk, *fields);
            break;
        case 'v':
            for (size_t count = walk_count(walk); count > 0 && !walk->jute.malformed; count--)
                walk_bytes(walk, 'v');
            break;
        case 'a':
        case 'i':
            walk_identities(walk, *fields == 'a');
            break;
        case 'm':
            walk_parts(walk, is_reply);
            break;
        default:
            walk_fixed(walk, *fields,
                       *fields == 'w'   ? 1
                       : *fields == 'n' ? sizeof(int32_t)
                       : *fields == 'l' ? sizeof(int64_t)
                                        : WIRE_STAT);
        }
    }
}

static void walk_opening(struct walk *walk, bool of_client)
{
    walk_fixed(walk, FIELDS_HEADER, sizeof(int32_t));
    if (of_client)
        walk_fixed(walk, FIELDS_ZXID, sizeof(int64_t));
    walk_fixed(walk, FIELDS_TIMEOUT, sizeof(int32_t));
    walk_fixed(walk, FIELDS_SESSION, sizeof(int64_t));
    walk_bytes(walk, FIELDS_PASSWORD);
    if (walk->jute.left > 0)
        walk_fixed(walk, 'w', 1);
}

static void walk_request(struct walk *walk)
{
    const unsigned char *from = walk->jute.bytes;
    (void)jute_int(&walk->jute);
    enum opcode opcode = opcode_of(jute_int(&walk->jute));
    give(walk, FIELDS_HEADER, from);
    walk_record(walk, opcode_request(opcode), false);
}

static void walk_reply(struct walk *walk, enum opcode opcode)
{
    const unsigned char *from = walk->jute.bytes;
    (void)jute_int(&walk->jute);
    (void)jute_long(&walk->jute);
    int32_t error = jute_int(&walk->jute);
    give(walk, FIELDS_HEADER, from);
    if (error == 0)
        walk_record(walk, opcode_reply(opcode), true);
}

void fields_walk(const struct fields_message *message, fields_take *take, void *context)
{
    struct walk walk = {.jute = {.bytes = message->bytes, .left = message->kept},
                        .end = message->bytes + message->kept,
                        .take = take,
                        .context = context};
    switch (message->kind) {
    case FIELDS_CLIENT_OPENING:
    case FIELDS_SERVER_OPENING:
        walk_opening(&walk, message->kind == FIELDS_CLIENT_OPENING);
        break;
    case FIELDS_REQUEST:
        walk_request(&walk);
        break;
    case FIELDS_REPLY:
        walk_reply(&walk, message->opcode);
        break;
    default:
        walk_fixed(&walk, FIELDS_HEADER, WIRE_REPLY_HEADER + 2 * sizeof(int32_t));
        walk_bytes(&walk, 'p');
    }
    if (walk.jute.left > 0)
        walk_fixed(&walk, FIELDS_UNKNOWN, walk.jute.left);
}
