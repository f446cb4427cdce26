// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SNAPSHOT_MAGIC 0x5a4b534e /* ZKSN */
#define BUFFER_BYTES   262144
#define PATH_MOST      1048576 /* what fits in a request (jute.maxbuffer) */
/* Behind a znode's data: the number of its ACL, and its stat (StatPersisted). */
#define STAT_BYTES 68
/* Owners of znodes that are not ephemeral (EphemeralType): a container's, and those with a TTL,
 * whose highest byte is not that of a session's server. */
#define OWNER_CONTAINER INT64_MIN
#define OWNER_TTL_BYTE  0xff

/* A snapshot as it is read, compressed (gzip) or not. */
struct source {
    gzFile file;
    uLong checksum;
    bool failed; /* it ended too early, or is no snapshot */
    char path[PATH_MOST];
};

static void take(struct source *source, void *bytes, size_t count)
{
    if (!source->failed && gzread(source->file, bytes, (unsigned)count) != (int)count)
        source->failed = true;
    if (source->failed)
        memset(bytes, 0, count);
    source->checksum = adler32(source->checksum, bytes, (uInt)count);
}

static int32_t take_int(struct source *source)
{
    unsigned char bytes[4];
    take(source, bytes, sizeof bytes);
    return jute_int(&(struct jute){.bytes = bytes, .left = sizeof bytes});
}

static int64_t take_long(struct source *source)
{
    unsigned char bytes[8];
    take(source, bytes, sizeof bytes);
    return jute_long(&(struct jute){.bytes = bytes, .left = sizeof bytes});
}

static void skip(struct source *source, size_t count)
{
    unsigned char piece[4096];
    for (size_t size; count > 0 && !source->failed; count -= size) {
        size = count < sizeof piece ? count : sizeof piece;
        take(source, piece, size);
    }
}

/* The length of a text or of data; 0 of null. */
static size_t take_length(struct source *source)
{
    int32_t length = take_int(source);
    source->failed |= length < -1;
    return length > 0 && !source->failed ? (size_t)length : 0;
}

/* Reads the path of a znode; "/" is the end of the znodes, and "" the root. */
static struct jute_bytes take_path(struct source *source)
{
    size_t length = take_length(source);
    if (length > PATH_MOST)
        source->failed = true;
    else
        take(source, source->path, length);
    return (struct jute_bytes){source->path, source->failed ? 0 : length};
}

static void skip_acls(struct source *source)
{
    for (int32_t lists = take_int(source); lists > 0 && !source->failed; lists--) {
        (void)take_long(source);
        for (int32_t entries = take_int(source); entries > 0 && !source->failed; entries--) {
            (void)take_int(source);
            skip(source, take_length(source)); /* scheme */
            skip(source, take_length(source)); /* who */
        }
    }
}

static bool is_session(int64_t owner)
{
    return owner != OWNER_CONTAINER && (uint64_t)owner >> 56 != OWNER_TTL_BYTE;
}

/* Behind its path. */
static void read_znode(struct source *source, struct journal_znode *znode)
{
    unsigned char bytes[STAT_BYTES];
    skip(source, take_length(source));
    take(source, bytes, sizeof bytes);
    struct jute stat = {.bytes = bytes, .left = sizeof bytes};
    (void)jute_long(&stat); /* the ACL */
    znode->czxid = jute_long(&stat);
    (void)jute_long(&stat); /* mzxid */
    znode->created_ms = jute_long(&stat);
    (void)jute_long(&stat); /* mtime */
    (void)jute_int(&stat);  /* version */
    znode->cversion = jute_int(&stat);
    (void)jute_int(&stat); /* aversion */
    int64_t owner = jute_long(&stat);
    znode->owner = is_session(owner) ? owner : 0;
}

static bool is_end(const struct jute_bytes *path)
{
    return path->length == 1 && path->bytes[0] == '/';
}

static void read_sessions(struct source *source, const struct journal_listener *listener,
                          void *context)
{
    for (int32_t count = take_int(source); count > 0 && !source->failed; count--) {
        int64_t id = take_long(source);
        int32_t timeout_ms = take_int(source);
        if (listener != NULL && listener->session != NULL && !source->failed)
            listener->session(context, id, timeout_ms);
    }
}

static void read_znodes(struct source *source, const struct journal_listener *listener,
                        void *context, int64_t before)
{
    struct journal_znode znode;
    for (;;) {
        znode.path = take_path(source);
        if (source->failed || is_end(&znode.path))
            return;
        read_znode(source, &znode);
        if (listener != NULL && listener->znode != NULL && !source->failed &&
            znode.path.length > 0 && znode.czxid < before)
            listener->znode(context, &znode);
    }
}

bool snapshot_read(const struct journal_listener *listener, void *context, const char *path,
                   int64_t before)
{
    struct source *source = memory_new(1, sizeof *source);
    source->checksum = 1;
    source->file = gzopen(path, "re");
    source->failed = source->file == NULL || gzbuffer(source->file, BUFFER_BYTES) != 0 ||
                     take_int(source) != SNAPSHOT_MAGIC || take_int(source) != FILE_VERSION;
    (void)take_long(source); /* the database */
    read_sessions(source, listener, context);
    skip_acls(source);
    read_znodes(source, listener, context, before);
    uLong checksum = source->checksum;
    bool whole = (uLong)take_long(source) == checksum && !source->failed;
    if (source->file != NULL)
        (void)gzclose_r(source->file);
    free(source);
    return whole;
}
