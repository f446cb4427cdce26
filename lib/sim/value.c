// SPDX-License-Identifier: Apache-2.0
#include "sim/value.h"

#include <string.h>

static size_t size_of(size_t length)
{
    return sizeof(struct value) + length;
}

struct value *value_take(struct slab *slab, const void *bytes, size_t length)
{
    if (length == 0)
        return NULL;
    struct value *value = slab_take(slab, size_of(length));
    value->references = 1;
    value->length = (uint32_t)length;
    memcpy(value->bytes, bytes, length);
    return value;
}

struct value *value_hold(struct value *value)
{
    if (value != NULL)
        value->references++;
    return value;
}

void value_release(struct slab *slab, struct value *value)
{
    if (value != NULL && --value->references == 0)
        slab_give(slab, value, size_of(value->length));
}
