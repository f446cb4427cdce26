// SPDX-License-Identifier: Apache-2.0
#include "relay/rename.h"

#include "base/memory.h"
#include "wire/jute.h"
#include "wire/wire.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A write that has yet to be done. */
struct write {
    uint64_t number;
    struct write *next;
};

/* A znode, or all znodes just below it. */
struct name {
    const char *path; /* its own copy, or what is looked for */
    size_t length;
    bool below;
    char *copy;
    char *actual;                      /* of a sequential znode that is settled; else NULL */
    bool waits;                        /* of a sequential znode: it is not settled */
    struct write *writes, *last_write; /* in the order of their numbers */
};

static int compare(const void *a, const void *b)
{
    const struct name *first = a, *second = b;
    if (first->below != second->below)
        return first->below - second->below;
    if (first->length != second->length)
        return first->length < second->length ? -1 : 1;
    return memcmp(first->path, second->path, first->length);
}

static struct name *find(const rename_names *names, const char *path, size_t length, bool below)
{
    const struct name key = {.path = path, .length = length, .below = below};
    struct name *const *found = tfind(&key, names, compare);
    return found != NULL ? *found : NULL;
}

static struct name *find_or_add(rename_names *names, const char *path, size_t length, bool below)
{
    struct name *name = find(names, path, length, below);
    if (name != NULL)
        return name;
    name = memory_new(1, sizeof *name);
    name->path = name->copy = memory_copy(path, length);
    name->length = length;
    name->below = below;
    (void)memory_or_end(tsearch(name, names, compare));
    return name;
}

void rename_add(rename_names *names, const char *path, size_t length)
{
    find_or_add(names, path, length, false)->waits = true;
}

void rename_settle(rename_names *names, const char *path, size_t length, const char *actual,
                   size_t actual_length)
{
    struct name *name = find(names, path, length, false);
    if (name == NULL || !name->waits)
        return;
    name->waits = false;
    name->actual = actual != NULL ? memory_copy(actual, actual_length) : NULL;
}

static size_t parent_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}

static void begin_write(struct name *name, uint64_t number)
{
    struct write *write = memory_new(1, sizeof *write);
    write->number = number;
    *(name->writes != NULL ? &name->last_write->next : &name->writes) = write;
    name->last_write = write;
}

static void end_write(struct name *name, uint64_t number)
{
    struct write *before = NULL, *write = name->writes;
    for (; write->number != number; write = write->next)
        before = write;
    *(before != NULL ? &before->next : &name->writes) = write->next;
    if (name->last_write == write)
        name->last_write = before;
    free(write);
}

void rename_begin_write(rename_names *names, const char *path, size_t length, bool of_children,
                        uint64_t number)
{
    begin_write(find_or_add(names, path, length, false), number);
    if (of_children)
        begin_write(find_or_add(names, path, parent_length(path, length), true), number);
}

void rename_end_write(rename_names *names, const char *path, size_t length, bool of_children,
                      uint64_t number)
{
    end_write(find(names, path, length, false), number);
    if (of_children)
        end_write(find(names, path, parent_length(path, length), true), number);
}

/* The path now, without the root: that of the longest sequential znode in it that is settled, and
 * the rest. The caller's to free. */
static char *path_now(const rename_names *names, const char *path, size_t length)
{
    for (size_t end = length; end > 0; end = parent_length(path, end)) {
        const struct name *name = find(names, path, end, false);
        if (name != NULL && name->actual != NULL)
            return memory_format("%s%.*s", name->actual, (int)(length - end), path + end);
    }
    return memory_copy(path, length);
}

/* Whether a write below this number has yet to be done. */
static bool is_awaited(const rename_names *names, const char *path, size_t length, bool below,
                       uint64_t number)
{
    const struct name *name = find(names, path, length, below);
    return name != NULL && name->writes != NULL && name->writes->number < number;
}

static bool waits(const rename_names *names, const char *path, size_t length, uint64_t number)
{
    bool found = is_awaited(names, path, length, false, number) ||
                 is_awaited(names, path, length, true, number) ||
                 is_awaited(names, path, parent_length(path, length), false, number);
    for (size_t end = length; end > 0 && !found; end = parent_length(path, end)) {
        const struct name *name = find(names, path, end, false);
        found = name != NULL && name->waits;
    }
    return found;
}

static void free_name(void *node)
{
    struct name *name = node;
    for (struct write *write = name->writes, *next; write != NULL; write = next) {
        next = write->next;
        free(write);
    }
    free(name->copy);
    free(name->actual);
    free(name);
}

void rename_free(rename_names *names)
{
    tdestroy(*names, free_name);
    *names = NULL;
}

/* ------------------------------------------------------------------ whole messages */

#define ALL_PERMISSIONS 31

struct rewriting {
    const struct rename_target *target;
    uint64_t number;
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
    const rename_names *names = &rewriting->target->names;
    char *now = path_now(names, path, length);
    put_text(rewriting->out, rewriting->target->root, length > 1 ? now : "");
    rewriting->waits = rewriting->waits || waits(names, path, length, rewriting->number);
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

bool rename_message(const struct rename_target *target, uint64_t number,
                    const struct rename_session *session, const struct fields_message *message,
                    struct rename_message *out)
{
    struct rewriting rewriting = {target, number, session, message->opcode, out, false};
    out->count = 0;
    put_number(out, 0, WIRE_LENGTH);
    fields_walk(message, rewrite, &rewriting);
    size_t count = out->count;
    out->count = 0;
    put_number(out, count - WIRE_LENGTH, WIRE_LENGTH);
    out->count = count;
    return !rewriting.waits;
}
