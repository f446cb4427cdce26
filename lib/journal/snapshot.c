// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include "base/id_tree.h"
#include "base/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SNAPSHOT_MAGIC 0x5a4b534e /* ZKSN */
#define PATH_MOST      1048576    /* what fits in a request (jute.maxbuffer) */
/* Behind a znode's data: the number of its ACL, and its stat (StatPersisted). */
#define STAT_BYTES 68
#define DEPTH_MOST 64 /* of folders whose cversions are kept */
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
    struct journal_file *file;
    gzFile stream;
    uLong checksum;
    bool failed;                   /* it ended too early, or is no snapshot */
    id_tree sessions;              /* whose ids look like a TTL */
    int32_t cversions[DEPTH_MOST]; /* of the last folder of each depth */
    const struct journal_listener *listener;
    void *context;
    char path[PATH_MOST];
};

static size_t depth_of(struct jute_bytes path)
{
    size_t depth = 0;
    for (size_t i = 0; i < path.length; i++)
        depth += path.bytes[i] == '/';
    return depth;
}

static void read_bytes(struct source *source, void *bytes, size_t count)
{
    if (!source->failed && gzread(source->stream, bytes, (unsigned)count) != (int)count)
        source->failed = true;
    if (source->failed)
        memset(bytes, 0, count);
    source->checksum = adler32(source->checksum, bytes, (uInt)count);
}

/* An int of 4 bytes or a long of 8. */
static int64_t read_integer(struct source *source, size_t width)
{
    unsigned char bytes[8];
    struct jute jute = {.bytes = bytes, .left = width};
    read_bytes(source, bytes, width);
    return width == 4 ? jute_int(&jute) : jute_long(&jute);
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
    int64_t length = read_integer(source, 4);
    source->failed |= length < -1;
    return length > 0 && !source->failed ? (size_t)length : 0;
}

static struct jute_bytes read_path(struct source *source)
{
    size_t length = read_length(source);
    if (length > PATH_MOST)
        source->failed = true;
    else
        read_bytes(source, source->path, length);
    source->failed |= length > 0 && source->path[0] != '/';
    return (struct jute_bytes){source->path, source->failed ? 0 : length};
}

static void skip_acls(struct source *source)
{
    for (int64_t lists = read_integer(source, 4); lists > 0 && !source->failed; lists--) {
        (void)read_integer(source, 8);
        for (int64_t entries = read_integer(source, 4); entries > 0 && !source->failed; entries--) {
            (void)read_integer(source, 4);
            skip(source, read_length(source)); /* scheme */
            skip(source, read_length(source)); /* who */
        }
    }
}

static bool looks_like_ttl(int64_t owner)
{
    return (uint64_t)owner >> 56 == OWNER_TTL_BYTE;
}

/* What is newer than the snapshot's name was written while the server went on. */
static void note_zxid(struct source *source, int64_t zxid)
{
    struct journal_file *file = source->file;
    if (zxid <= file->zxid && zxid > file->facts->newest)
        file->facts->newest = zxid;
    if (zxid > file->facts->latest)
        file->facts->latest = zxid;
}

/* Behind its path. */
static void read_znode(struct source *source, struct journal_znode *znode)
{
    static const char config[] = "/zookeeper/config";
    unsigned char bytes[STAT_BYTES];
    const size_t depth = depth_of(znode->path);
    size_t length = read_length(source);
    if (znode->path.length == strlen(config) && length < SNAPSHOT_CONFIG &&
        memcmp(znode->path.bytes, config, strlen(config)) == 0)
        read_bytes(source, source->file->facts->config, length);
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
    const int32_t cversion = jute_int(&stat);
    (void)jute_int(&stat); /* aversion */
    znode->cversion =
        depth > 0 && depth < DEPTH_MOST ? source->cversions[depth - 1] : JOURNAL_NO_CVERSION;
    if (depth < DEPTH_MOST - 1) {
        source->cversions[depth] = cversion;
        source->cversions[depth + 1] = JOURNAL_NO_CVERSION;
    }
    int64_t owner = jute_long(&stat);
    bool is_session = looks_like_ttl(owner) ? id_tree_find(&source->sessions, owner) != NULL
                                            : owner != OWNER_CONTAINER;
    znode->owner = is_session ? owner : 0;
    note_zxid(source, jute_long(&stat)); /* pzxid: of the last child that came or went */
}

static void read_sessions(struct source *source)
{
    for (int64_t count = read_integer(source, 4); count > 0 && !source->failed; count--) {
        int64_t id = read_integer(source, 8);
        int32_t timeout_ms = (int32_t)read_integer(source, 4);
        if (source->failed)
            return;
        if (looks_like_ttl(id))
            (void)id_tree_find_or_add(&source->sessions, id, sizeof id);
        if (source->listener->session != NULL)
            source->listener->session(source->context, id, timeout_ms);
    }
}

/* Reads the znodes up to the path "/", which is their end; the root's is "". */
static void read_znodes(struct source *source, int64_t before)
{
    struct journal_znode znode = {.path = read_path(source)};
    while (!source->failed && (znode.path.length != 1 || znode.path.bytes[0] != '/')) {
        read_znode(source, &znode);
        if (!source->failed && source->listener->znode != NULL && znode.path.length > 0 &&
            znode.czxid < before)
            source->listener->znode(source->context, &znode);
        znode.path = read_path(source);
    }
}

/* Whether a snapshot begins here. */
static bool read_header(struct source *source)
{
    unsigned char header[FILE_HEADER_BYTES];
    read_bytes(source, header, sizeof header);
    struct jute jute = {.bytes = header, .left = sizeof header};
    source->file->facts->compression = file_compression(header, sizeof header);
    return jute_int(&jute) == SNAPSHOT_MAGIC && jute_int(&jute) == FILE_VERSION;
}

void snapshot_read(struct journal_file *file, const struct journal_listener *listener,
                   void *context, int64_t before)
{
    struct source *source = memory_new(1, sizeof *source);
    if (file->facts == NULL)
        file->facts = memory_new(1, sizeof *file->facts);
    file->facts->latest = file->zxid;
    source->file = file;
    source->checksum = 1;
    source->listener = listener;
    source->context = context;
    source->stream = gzopen(file->path, "re");
    source->failed = source->stream == NULL || gzbuffer(source->stream, FILE_BUFFER_BYTES) != 0 ||
                     !read_header(source);
    read_sessions(source);
    skip_acls(source);
    read_znodes(source, before);
    uLong checksum = source->checksum;
    file->facts->is_whole = (uLong)read_integer(source, 8) == checksum && !source->failed;
    if (source->stream != NULL)
        (void)gzclose_r(source->stream);
    tdestroy(source->sessions, free);
    free(source);
}

const struct snapshot_facts *snapshot_facts(struct journal_file *file)
{
    static const struct journal_listener nobody;
    if (file->facts == NULL)
        snapshot_read(file, &nobody, NULL, 0);
    return file->facts;
}

/* ------------------------------------------------------------------ several folders */

static bool share_a_server(const char *config, const char *other)
{
    for (const char *at = strstr(config, "server."); at != NULL; at = strstr(at + 1, "server."))
        if (memmem(other, strlen(other), at, strcspn(at, ";\n")) != NULL)
            return true;
    return false;
}

/* The servers that the newest snapshot of a folder names; "" if none does. */
static const char *config_of(const struct journal_files *snapshots, size_t folder)
{
    for (size_t i = snapshots->count; i-- > 0;)
        if (snapshots->list[i].folder == folder &&
            snapshot_facts(&snapshots->list[i])->config[0] != '\0')
            return snapshots->list[i].facts->config;
    return "";
}

size_t snapshots_voters(const struct journal_files *snapshots)
{
    size_t voters = 0;
    for (size_t i = snapshots->count; i-- > 0 && voters == 0;) {
        const char *config = snapshot_facts(&snapshots->list[i])->config;
        for (const char *at = strstr(config, "server."); at != NULL; at = strstr(at + 1, "server."))
            voters += memmem(at, strcspn(at, ";\n"), ":observer", strlen(":observer")) == NULL;
    }
    return voters;
}

enum error_kind snapshots_check(const struct journal_files *snapshots, char *const *folders,
                                size_t folder_count, struct error *error)
{
    for (size_t i = 1; i < folder_count; i++)
        for (size_t j = 0; j < i; j++) {
            const char *config = config_of(snapshots, i), *other = config_of(snapshots, j);
            if (config[0] != '\0' && other[0] != '\0' && !share_a_server(config, other))
                return error_raise(error, ERROR_OTHER_ENSEMBLE, 0, folders[i],
                                   "its snapshot names other servers than that of %.200s",
                                   folders[j]);
        }
    return ERROR_NONE;
}
