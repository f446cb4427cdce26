// SPDX-License-Identifier: Apache-2.0
#include "relay/rename.h"

#include "base/memory.h"
#include "wire/jute.h"
#include "wire/wire.h"

#include <stdlib.h>
#include <string.h>

/* A sequential znode. */
struct name {
    struct path_node node;
    char *actual; /* NULL: it is not settled, or there is none */
    bool waits;
};

void rename_add(path_tree *names, const char *path, size_t length)
{
    ((struct name *)path_tree_take(names, path, length, sizeof(struct name)))->waits = true;
}

void rename_settle(path_tree *names, const char *path, size_t length, const char *actual,
                   size_t actual_length)
{
    struct name *name = path_tree_find(names, path, length);
    if (name == NULL || !name->waits)
        return;
    name->waits = false;
    name->actual = actual != NULL ? memory_copy(actual, actual_length) : NULL;
}

/* The path now, without the root: that of the longest sequential znode in it, and the rest. The
 * caller's to free. *waits becomes true if that znode is not settled. */
static char *path_now(const path_tree *names, const char *path, size_t length, bool *waits)
{
    for (size_t end = length; end > 0; end--) {
        const struct name *name =
            end == length || path[end] == '/' ? path_tree_find(names, path, end) : NULL;
        *waits = *waits || (name != NULL && name->waits);
        if (name != NULL && name->actual != NULL)
            return memory_format("%s%.*s", name->actual, (int)(length - end), path + end);
    }
    return memory_copy(path, length);
}

static void free_actual(void *node)
{
    free(((struct name *)node)->actual);
}

void rename_free(path_tree *names)
{
    path_tree_free(names, free_actual);
}

/* ------------------------------------------------------------------ whole messages */

#define ALL_PERMISSIONS 31

struct rewriting {
    const struct rename_target *target;
    const struct rename_session *session;
    enum opcode opcode;
    struct rename_message *out;
    bool waits;
};

static void put(struct rename_message *out, const void *bytes, size_t count)
{
    if (out->count + count > out->room) {
        out->room = 2 * (out->count + count);
        out->bytes = memory_or_end(realloc(out->bytes, out->room));
    }
    memcpy(out->bytes + out->count, bytes, count);
    out->count += count;
}

static void put_number(struct rename_message *out, uint64_t number, unsigned width)
{
    unsigned char bytes[sizeof number];
    for (unsigned i = 0; i < width; i++)
        bytes[i] = (unsigned char)(number >> 8 * (width - 1 - i));
    put(out, bytes, width);
}

static void put_text(struct rename_message *out, const char *first, const char *second)
{
    size_t length = strlen(first);
    put_number(out, length + strlen(second), WIRE_LENGTH);
    put(out, first, length);
    put(out, second, strlen(second));
}

/* What is no absolute path stays: no server takes it. */
static void put_path(struct rewriting *rewriting, const unsigned char *field, size_t count)
{
    const char *path = (const char *)field + WIRE_LENGTH;
    size_t length = count - WIRE_LENGTH;
    if (length == 0 || path[0] != '/') {
        put(rewriting->out, field, count);
        return;
    }
    char *now = path_now(&rewriting->target->names, path, length, &rewriting->waits);
    put_text(rewriting->out, rewriting->target->root, length > 1 ? now : "");
    free(now);
}

static int32_t scaled_timeout(const struct rewriting *rewriting, const unsigned char *field)
{
    struct jute jute = {.bytes = field, .left = sizeof(int32_t)};
    int64_t timeout_ms = jute_int(&jute) * INT64_C(100) / (int64_t)rewriting->target->speed_percent;
    return timeout_ms < INT32_MAX ? (int32_t)timeout_ms : INT32_MAX;
}

static void rewrite(void *context, char letter, const unsigned char *bytes, size_t count)
{
    struct rewriting *rewriting = context;
    struct rename_message *out = rewriting->out;
    const struct rename_session *session = rewriting->session;
    bool sets_watches =
        rewriting->opcode == OPCODE_SET_WATCHES || rewriting->opcode == OPCODE_SET_WATCHES2;
    if (letter == 'p' || letter == 'v')
        put_path(rewriting, bytes, count);
    else if (letter == FIELDS_PERMISSION)
        put_number(out, ALL_PERMISSIONS, sizeof(int32_t));
    else if (letter == FIELDS_SCHEME)
        put_text(out, "world", "");
    else if (letter == FIELDS_IDENTITY)
        put_text(out, "anyone", "");
    else if (letter == FIELDS_ZXID || (letter == 'l' && sets_watches))
        put_number(out, (uint64_t)session->zxid, sizeof session->zxid);
    else if (letter == FIELDS_TIMEOUT)
        put_number(out, (uint32_t)scaled_timeout(rewriting, bytes), sizeof(int32_t));
    else if (letter == FIELDS_SESSION)
        put_number(out, (uint64_t)session->number, sizeof session->number);
    else if (letter == FIELDS_PASSWORD && session->password_length > 0) {
        put_number(out, session->password_length, WIRE_LENGTH);
        put(out, session->password, session->password_length);
    } else
        put(out, bytes, count);
}

bool rename_message(const struct rename_target *target, const struct rename_session *session,
                    const struct fields_message *message, struct rename_message *out)
{
    struct rewriting rewriting = {target, session, message->opcode, out, false};
    out->count = 0;
    put_number(out, 0, WIRE_LENGTH);
    fields_walk(message, rewrite, &rewriting);
    size_t count = out->count;
    out->count = 0;
    put_number(out, count - WIRE_LENGTH, WIRE_LENGTH);
    out->count = count;
    return !rewriting.waits;
}
