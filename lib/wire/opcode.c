// SPDX-License-Identifier: Apache-2.0
#include "wire/opcode.h"

static const struct {
    int32_t number;
    const char *name, *request, *reply;
} rows[] = {
#define X(NAME, number, name, request, reply) [OPCODE_##NAME] = {number, name, request, reply},
    OPCODE_LIST(X)
#undef X
        [OPCODE_OTHER] = {0, "other", "", ""},
};

enum opcode opcode_of(int32_t number)
{
    enum opcode opcode = 0;
    while (opcode < OPCODE_OTHER && rows[opcode].number != number)
        opcode++;
    return opcode;
}

const char *opcode_name(enum opcode opcode)
{
    return rows[opcode].name;
}

bool opcode_creates(enum opcode opcode)
{
    return opcode == OPCODE_CREATE || opcode == OPCODE_CREATE2 ||
           opcode == OPCODE_CREATE_CONTAINER || opcode == OPCODE_CREATE_TTL;
}

const char *opcode_request(enum opcode opcode)
{
    return rows[opcode].request;
}

const char *opcode_reply(enum opcode opcode)
{
    return rows[opcode].reply;
}
