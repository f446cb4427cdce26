// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SNAPSHOT_MAGIC 0x5a4b534e /* ZKSN */
#define PATH_MOST      1048576    /* what fits in a request (jute.maxbuffer) */
/* Behind a znode's data: the number of its ACL, and its stat (StatPersisted). */
#define STAT_BYTES 68
/* Owners of znodes that are not ephemeral (EphemeralType): a container's, and those with a TTL. The
 * highest byte of these is that of the sessions of server 255, too. */
#define OWNER_CONTAINER INT64_MIN
#define OWNER_TTL_BYTE  0xff

const char *file_compression(const unsigned char *bytes, size_t count)
{
    static const struct {
        const char *name, *magic;
    } known[] = {{"Snappy", "\x82SNAPPY"}, {"zstd", "\x28\xb5\x2f\xfd"}, {"xz", "\xfd\x37zXZ"},
                 {"bzip2", "BZh"},         {"lz4", "\x04\x22\x4d\x18"},  {"zip", "PK\x03\x04"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (count >= strlen(known[i].magic) &&
            memcmp(bytes, known[i].magic, strlen(known[i].magic)) == 0)
            return known[i].name;
    return NULL;
}

/* A snapshot as it is read, compressed (gzip) or not. */
struct source {
    gzFile file;
    uLong checksum;
    bool failed;     /* it ended too early, or is no snapshot */
    int64_t *listed; /* the sessions whose ids look like a TTL */
    size_t listed_count;
    int64_t most; /* zxid of the name: what is newer was written while the server went on */
    struct snapshot_facts *facts;
    char path[PATH_MOST];
};

static void read_bytes(struct source *source, void *bytes, size_t count)
{
    if (!source->failed && gzread(source->file, bytes, (unsigned)count) != (int)count)
        source->failed = true;
    if (source->failed)
        memset(bytes, 0, count);
    source->checksum = adler32(source->checksum, bytes, (uInt)count);
}

static int32_t read_int(struct source *source)
{
    unsigned char bytes[4];
    read_bytes(source, bytes, sizeof bytes);
    return jute_int(&(struct jute){.bytes = bytes, .left = sizeof bytes});
}

static int64_t read_long(struct source *source)
{
    unsigned char bytes[8];
    read_bytes(source, bytes, sizeof bytes);
    return jute_long(&(struct jute){.bytes = bytes, .left = sizeof bytes});
}

static void skip(struct source *source, size_t count)
{
    unsigned char piece[4096];
    for (size_t size; count > 0 && !source->failed; count -= size) {
        size = count < sizeof piece ? count : sizeof piece;
        read_bytes(source, piece, size);
    }
}

/* The length of a text or of data; 0 of null. */
static size_t read_length(struct source *source)
{
    int32_t length = read_int(source);
    source->failed |= length < -1;
    return length > 0 && !source->failed ? (size_t)length : 0;
}

/* Reads the path of a znode; "/" is the end of the znodes, and "" the root. */
static struct jute_bytes read_path(struct source *source)
{
    size_t length = read_length(source);
    if (length > PATH_MOST)
        source->failed = true;
    else
        read_bytes(source, source->path, length);
    return (struct jute_bytes){source->path, source->failed ? 0 : length};
}

static void skip_acls(struct source *source)
{
    for (int32_t lists = read_int(source); lists > 0 && !source->failed; lists--) {
        (void)read_long(source);
        for (int32_t entries = read_int(source); entries > 0 && !source->failed; entries--) {
            (void)read_int(source);
            skip(source, read_length(source)); /* scheme */
            skip(source, read_length(source)); /* who */
        }
    }
}

static bool looks_like_ttl(int64_t owner)
{
    return (uint64_t)owner >> 56 == OWNER_TTL_BYTE;
}

/* Such an owner is a session if the snapshot has that. */
static bool is_session(const struct source *source, int64_t owner)
{
    size_t i = 0;
    if (!looks_like_ttl(owner))
        return owner != OWNER_CONTAINER;
    while (i < source->listed_count && source->listed[i] != owner)
        i++;
    return i < source->listed_count;
}

static void note_zxid(struct source *source, int64_t zxid)
{
    if (zxid <= source->most && zxid > source->facts->newest)
        source->facts->newest = zxid;
}

/* Behind its path. */
static void read_znode(struct source *source, struct journal_znode *znode)
{
    static const char config[] = "/zookeeper/config";
    unsigned char bytes[STAT_BYTES];
    size_t length = read_length(source);
    if (znode->path.length == strlen(config) && length < SNAPSHOT_CONFIG &&
        memcmp(znode->path.bytes, config, strlen(config)) == 0)
        read_bytes(source, source->facts->config, length);
    else
        skip(source, length);
    read_bytes(source, bytes, sizeof bytes);
    struct jute stat = {.bytes = bytes, .left = sizeof bytes};
    (void)jute_long(&stat); /* the ACL */
    znode->czxid = jute_long(&stat);
    note_zxid(source, znode->czxid);
    note_zxid(source, jute_long(&stat)); /* mzxid */
    znode->created_ms = jute_long(&stat);
    (void)jute_long(&stat); /* mtime */
    (void)jute_int(&stat);  /* version */
    znode->cversion = jute_int(&stat);
    (void)jute_int(&stat); /* aversion */
    int64_t owner = jute_long(&stat);
    znode->owner = is_session(source, owner) ? owner : 0;
    note_zxid(source, jute_long(&stat)); /* pzxid: of the last child that came or went */
}

static bool is_end(const struct jute_bytes *path)
{
    return path->length == 1 && path->bytes[0] == '/';
}

static void read_sessions(struct source *source, const struct journal_listener *listener,
                          void *context)
{
    for (int32_t count = read_int(source); count > 0 && !source->failed; count--) {
        int64_t id = read_long(source);
        int32_t timeout_ms = read_int(source);
        if (looks_like_ttl(id) && !source->failed) {
            source->listed =
                memory_grow(source->listed, source->listed_count, sizeof *source->listed);
            source->listed[source->listed_count++] = id;
        }
        if (listener != NULL && listener->session != NULL && !source->failed)
            listener->session(context, id, timeout_ms);
    }
}

static void read_znodes(struct source *source, const struct journal_listener *listener,
                        void *context, int64_t before)
{
    struct journal_znode znode = {0};
    for (;;) {
        znode.path = read_path(source);
        if (source->failed || is_end(&znode.path))
            return;
        read_znode(source, &znode);
        if (listener != NULL && listener->znode != NULL && !source->failed &&
            znode.path.length > 0 && znode.czxid < before)
            listener->znode(context, &znode);
    }
}

/* Whether a snapshot begins here. */
static bool read_header(struct source *source)
{
    unsigned char header[FILE_HEADER_BYTES];
    read_bytes(source, header, sizeof header);
    struct jute jute = {.bytes = header, .left = sizeof header};
    source->facts->compression = file_compression(header, sizeof header);
    return jute_int(&jute) == SNAPSHOT_MAGIC && jute_int(&jute) == FILE_VERSION;
}

bool snapshot_read(const struct journal_file *file, const struct journal_listener *listener,
                   void *context, int64_t before, struct snapshot_facts *facts)
{
    struct source *source = memory_new(1, sizeof *source);
    *facts = (struct snapshot_facts){0};
    source->checksum = 1;
    source->most = file->zxid;
    source->facts = facts;
    source->file = gzopen(file->path, "re");
    source->failed = source->file == NULL || gzbuffer(source->file, FILE_BUFFER_BYTES) != 0 ||
                     !read_header(source);
    read_sessions(source, listener, context);
    skip_acls(source);
    read_znodes(source, listener, context, before);
    uLong checksum = source->checksum;
    bool whole = (uLong)read_long(source) == checksum && !source->failed;
    if (source->file != NULL)
        (void)gzclose_r(source->file);
    free(source->listed);
    free(source);
    return whole;
}

/* ------------------------------------------------------------------ several folders */

static bool share_a_server(const char *config, const char *other)
{
    for (const char *at = strstr(config, "server."); at != NULL; at = strstr(at + 1, "server.")) {
        char *server = memory_copy(at, strcspn(at, ";\n"));
        bool is_shared = strstr(other, server) != NULL;
        free(server);
        if (is_shared)
            return true;
    }
    return false;
}

enum error_kind snapshots_check(const struct journal_file *snapshots, size_t count,
                                char *const *folders, size_t folder_count, struct error *error)
{
    struct snapshot_facts *facts = memory_new(folder_count, sizeof *facts);
    enum error_kind kind = ERROR_NONE;
    for (size_t i = count; i-- > 0 && folder_count > 1;) {
        struct snapshot_facts *of_folder = &facts[snapshots[i].folder];
        if (of_folder->config[0] == '\0')
            (void)!snapshot_read(&snapshots[i], NULL, NULL, 0, of_folder);
    }
    for (size_t i = 0; i < folder_count; i++)
        for (size_t j = 0; j < i && kind == ERROR_NONE; j++)
            if (facts[i].config[0] != '\0' && facts[j].config[0] != '\0' &&
                !share_a_server(facts[i].config, facts[j].config))
                kind =
                    error_raise(error, ERROR_OTHER_ENSEMBLE, 0, folders[i],
                                "its snapshot names other servers than that of %.200s", folders[j]);
    free(facts);
    return kind;
}
