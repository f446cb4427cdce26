// SPDX-License-Identifier: Apache-2.0
#include "wire/jute.h"

/* The next bytes; NULL if there are fewer. */
static const unsigned char *take(struct jute *jute, size_t count)
{
    if (jute->malformed || count > jute->left) {
        jute->malformed = true;
        jute->left = 0;
        return NULL;
    }
    const unsigned char *taken = jute->bytes;
    jute->bytes += count;
    jute->left -= count;
    return taken;
}

static uint64_t integer(struct jute *jute, size_t width)
{
    const unsigned char *bytes = take(jute, width);
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

/* A length that may be -1, which is 0 here; *is_null says so. */
static size_t length(struct jute *jute, bool *is_null)
{
    int32_t given = jute_int(jute);
    *is_null = given == -1;
    if (given < -1)
        (void)take(jute, SIZE_MAX);
    return given < 0 ? 0 : (size_t)given;
}

struct jute_bytes jute_bytes(struct jute *jute)
{
    bool is_null;
    size_t count = length(jute, &is_null);
    const unsigned char *bytes = is_null ? NULL : take(jute, count);
    return (struct jute_bytes){(const char *)bytes, bytes != NULL ? count : 0};
}

size_t jute_vector(struct jute *jute)
{
    bool is_null;
    size_t count = length(jute, &is_null);
    if (count > jute->left)
        (void)take(jute, SIZE_MAX);
    return jute->malformed ? 0 : count;
}

bool jute_is_read(const struct jute *jute)
{
    return !jute->malformed && jute->left == 0;
}
