// SPDX-License-Identifier: Apache-2.0
#include "wire/jute.h"

static void fail(struct jute *jute)
{
    jute->malformed = true;
    jute->left = 0;
}

/* The next bytes; NULL if there are fewer. */
static const unsigned char *next_bytes(struct jute *jute, size_t count)
{
    if (jute->malformed || count > jute->left) {
        fail(jute);
        return NULL;
    }
    const unsigned char *taken = jute->bytes;
    jute->bytes += count;
    jute->left -= count;
    return taken;
}

static uint64_t integer(struct jute *jute, size_t width)
{
    const unsigned char *bytes = next_bytes(jute, width);
    uint64_t value = 0;
    for (size_t i = 0; bytes != NULL && i < width; i++)
        value = value << 8 | bytes[i];
    return value;
}

int32_t jute_int(struct jute *jute)
{
    return (int32_t)(uint32_t)integer(jute, 4);
}

int64_t jute_long(struct jute *jute)
{
    return (int64_t)integer(jute, 8);
}

bool jute_flag(struct jute *jute)
{
    return integer(jute, 1) != 0;
}

struct jute_bytes jute_bytes(struct jute *jute)
{
    int32_t count = jute_int(jute);
    if (count < -1)
        fail(jute);
    const unsigned char *bytes = count < 0 ? NULL : next_bytes(jute, (size_t)count);
    return (struct jute_bytes){(const char *)bytes, bytes != NULL ? (size_t)count : 0};
}

size_t jute_vector(struct jute *jute)
{
    int32_t count = jute_int(jute);
    if (count < -1 || (count > 0 && (size_t)count > jute->left))
        fail(jute);
    return jute->malformed || count < 0 ? 0 : (size_t)count;
}

bool jute_is_read(const struct jute *jute)
{
    return !jute->malformed && jute->left == 0;
}
