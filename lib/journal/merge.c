// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include "base/memory.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define LOG_MAGIC  0x5a4b4c47 /* ZKLG */
#define HEAD_BYTES 12         /* before a record: its checksum and its length */
#define RECORD_END 'B'
/* Far more than jute.maxbuffer lets a request have; a longer one is none. */
#define RECORD_MOST 67108864

#define PROGRESS_BYTES 1048576

struct files {
    struct journal_file *list; /* by their zxids */
    size_t count;
};

struct journal {
    struct files logs, snapshots;
    char *const *folders; /* the caller's */
    size_t folder_count;
    uint64_t bytes; /* of the logs */
    bool is_sorted; /* the logs, by their first records */
};

/* One reading of all files. */
struct reading {
    const struct journal *journal;
    const struct journal_listener *listener;
    void *context;
    uint64_t read_bytes, of_bytes;
    int64_t last;              /* zxid; 0: none yet */
    int64_t *folder_last;      /* the last zxid of each folder */
    struct log_cursor **open;  /* logs that have begun and have not ended */
    size_t open_count, opened; /* `opened`: of the journal's logs, in their order */
    bool ended;                /* by the listener */
};

/* The position in a log: at a record, unless `done`. */
struct log_cursor {
    struct journal_file *file;
    gzFile stream;
    uint64_t at, position; /* bytes of the log: where the record begins, and ends */
    uint64_t limit;        /* nothing is read behind it */
    uint64_t counted;      /* bytes of the file that the progress has */
    unsigned char *record; /* grows to the longest */
    size_t room;
    size_t content; /* bytes of the record without the digest, which a release may lack */
    struct journal_transaction transaction;
    bool done;
};

const struct journal_flaw_row journal_flaws[] = {
#define X(NAME, loses, sentence) [JOURNAL_##NAME] = {loses, sentence},
    JOURNAL_FLAWS(X)
#undef X
};

/* ------------------------------------------------------------------ finding files */

/* The zxid in a name such as log.100000001, or snapshot.1f.gz; false: not such a name. */
static bool read_name(const char *name, const char *prefix, int64_t *zxid)
{
    size_t length = strlen(prefix);
    char *end;
    if (strncmp(name, prefix, length) != 0 || strspn(name + length, "0123456789abcdef") == 0)
        return false;
    *zxid = (int64_t)strtoull(name + length, &end, 16);
    return *end == '\0' || *end == '.';
}

static enum error_kind add_file(struct files *files, const char *path,
                                const struct journal_file *file, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return error_from_errno(error, errno, path, "looking at it");
    files->list = memory_grow(files->list, files->count, sizeof *files->list);
    files->list[files->count] = *file;
    files->list[files->count].path = memory_text(path);
    files->list[files->count++].bytes = (uint64_t)status.st_size;
    return ERROR_NONE;
}

/* The files of a folder, or of the folder version-2 in it. */
static enum error_kind find(struct journal *journal, size_t index, struct error *error)
{
    const char *folder = journal->folders[index];
    char *inner = memory_format("%s/version-2", folder);
    DIR *open = opendir(inner);
    const char *found = open != NULL ? inner : folder;
    enum error_kind kind = ERROR_NONE;
    if (open == NULL && (open = opendir(folder)) == NULL)
        kind = errno == ENOENT || errno == ENOTDIR
                   ? error_raise(error, ERROR_NO_JOURNAL, 0, folder,
                                 errno == ENOENT ? "it does not exist" : "it is not a folder")
                   : error_from_errno(error, errno, folder, "opening it");
    for (struct dirent *entry;
         open != NULL && kind == ERROR_NONE && (entry = readdir(open)) != NULL;) {
        struct journal_file file = {.folder = index};
        char *path = memory_format("%s/%s", found, entry->d_name);
        if (read_name(entry->d_name, "log.", &file.zxid))
            kind = add_file(&journal->logs, path, &file, error);
        else if (read_name(entry->d_name, "snapshot.", &file.zxid))
            kind = add_file(&journal->snapshots, path, &file, error);
        free(path);
    }
    if (open != NULL)
        (void)closedir(open);
    free(inner);
    return kind;
}

static int compare(const void *a, const void *b)
{
    const struct journal_file *one = a, *other = b;
    if (one->zxid != other->zxid)
        return (one->zxid > other->zxid) - (one->zxid < other->zxid);
    return strcmp(one->path, other->path);
}

static void sort(struct files *files)
{
    if (files->count > 0)
        qsort(files->list, files->count, sizeof *files->list, compare);
}

enum error_kind journal_open(char *const *folders, size_t count, struct journal **journal,
                             struct error *error)
{
    struct journal *new = memory_new(1, sizeof *new);
    enum error_kind kind = ERROR_NONE;
    *new = (struct journal){.folders = folders, .folder_count = count};
    for (size_t i = 0; i < count && kind == ERROR_NONE; i++) {
        size_t before = new->logs.count + new->snapshots.count;
        kind = find(new, i, error);
        if (kind == ERROR_NONE && new->logs.count + new->snapshots.count == before)
            kind = error_raise(error, ERROR_NO_JOURNAL, 0, folders[i],
                               "the folder has no file log.ZXID");
    }
    if (kind == ERROR_NONE && new->logs.count == 0)
        kind = error_raise(error, ERROR_NO_JOURNAL, 0, folders[0],
                           "there are snapshots, but no file log.ZXID");
    sort(&new->logs);
    sort(&new->snapshots);
    for (size_t i = 0; i < new->logs.count; i++)
        new->bytes += new->logs.list[i].bytes;
    if (kind == ERROR_NONE)
        *journal = new;
    else
        journal_free(new);
    return kind;
}

void journal_free(struct journal *journal)
{
    if (journal == NULL)
        return;
    struct files *all[] = {&journal->logs, &journal->snapshots};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (size_t j = 0; j < all[i]->count; j++)
            free(all[i]->list[j].path);
        free(all[i]->list);
    }
    free(journal);
}

size_t journal_logs(const struct journal *journal)
{
    return journal->logs.count;
}

/* ------------------------------------------------------------------ the listener */

static void reading_flaw(const struct reading *reading, const struct journal_flaw *flaw)
{
    if (reading->listener->flaw != NULL)
        reading->listener->flaw(reading->context, flaw);
}

static void reading_count(struct reading *reading, uint64_t bytes)
{
    uint64_t pieces = reading->read_bytes / PROGRESS_BYTES;
    reading->read_bytes += bytes;
    if (reading->read_bytes / PROGRESS_BYTES != pieces && reading->listener->progress != NULL)
        reading->ended |=
            !reading->listener->progress(reading->context, reading->read_bytes, reading->of_bytes);
}

/* ------------------------------------------------------------------ a log */

enum record_state { RECORD_WHOLE, RECORD_END_OF_LOG, RECORD_FLAWED };

/* Reads as many of the bytes as there are before the limit. */
static size_t read_bytes(struct log_cursor *cursor, void *bytes, size_t count)
{
    uint64_t left = cursor->limit - cursor->position;
    int got = gzread(cursor->stream, bytes, (unsigned)(count < left ? count : left));
    cursor->position += got > 0 ? (uint64_t)got : 0;
    return got > 0 ? (size_t)got : 0;
}

/* Z_OK, Z_BUF_ERROR where a compressed file is cut short, or the error of reading it. */
static int state_of(const struct log_cursor *cursor)
{
    int state = Z_OK;
    (void)gzerror(cursor->stream, &state);
    return state == Z_STREAM_END ? Z_OK : state;
}

/* A file without a byte is one that its server has just made. */
static enum record_state read_header(struct log_cursor *cursor, struct journal_flaw *flaw)
{
    unsigned char header[FILE_HEADER_BYTES];
    size_t count = read_bytes(cursor, header, sizeof header);
    struct jute jute = {.bytes = header, .left = count};
    bool is_log = jute_int(&jute) == LOG_MAGIC, is_known = jute_int(&jute) == FILE_VERSION;
    if (count == sizeof header && is_log && is_known)
        return RECORD_WHOLE;
    flaw->compression = file_compression(header, count);
    flaw->kind = flaw->compression != NULL ? JOURNAL_COMPRESSED
                 : !is_log                 ? JOURNAL_NOT_A_LOG
                 : count == sizeof header  ? JOURNAL_OTHER_VERSION
                                           : JOURNAL_TORN;
    return count == 0 && state_of(cursor) == Z_OK ? RECORD_END_OF_LOG : RECORD_FLAWED;
}

/* Reads the next record. What was allocated beforehand is zero: the end. */
static enum record_state read_record(struct log_cursor *cursor, enum journal_flaw_kind *flaw)
{
    unsigned char head[HEAD_BYTES];
    size_t count = read_bytes(cursor, head, sizeof head);
    struct jute jute = {.bytes = head, .left = count};
    uint64_t checksum = (uint64_t)jute_long(&jute);
    uint32_t length = (uint32_t)jute_int(&jute);
    if ((count == 0 && state_of(cursor) == Z_OK) ||
        (count == sizeof head && checksum == 0 && length == 0))
        return RECORD_END_OF_LOG;
    *flaw = JOURNAL_TORN;
    if (count < sizeof head || length >= cursor->limit - cursor->position)
        return RECORD_FLAWED;
    *flaw = JOURNAL_UNREADABLE;
    if (length > RECORD_MOST)
        return RECORD_FLAWED;
    *flaw = JOURNAL_TORN;
    if (length >= cursor->room) {
        free(cursor->record);
        cursor->room = 2 * (length + 1UL);
        cursor->record = memory_new(cursor->room, 1);
    }
    if (read_bytes(cursor, cursor->record, length + 1UL) != length + 1UL ||
        cursor->record[length] != RECORD_END)
        return RECORD_FLAWED;
    *flaw = JOURNAL_CHECKSUM;
    if (adler32(1, cursor->record, length) != checksum)
        return RECORD_FLAWED;
    *flaw = JOURNAL_UNREADABLE;
    return transaction_read(cursor->record, length, &cursor->transaction, &cursor->content)
               ? RECORD_WHOLE
               : RECORD_FLAWED;
}

/* Ends the reading of a log, unless a record was read: what is behind its end, too, counts as read.
 */
static enum error_kind finish(struct log_cursor *cursor, struct reading *reading,
                              enum record_state state, const struct journal_flaw *flaw,
                              struct error *error)
{
    uint64_t offset = (uint64_t)gzoffset(cursor->stream);
    cursor->done = state != RECORD_WHOLE;
    if (cursor->done || offset > cursor->file->bytes)
        offset = cursor->file->bytes;
    reading_count(reading, offset - cursor->counted);
    cursor->counted = offset;
    if (!cursor->done)
        return ERROR_NONE;
    if (state_of(cursor) == Z_ERRNO)
        return error_from_errno(error, errno, cursor->file->path, "reading it");
    cursor->file->end = cursor->at;
    if (state == RECORD_FLAWED)
        reading_flaw(reading, flaw);
    return ERROR_NONE;
}

static enum error_kind log_next(struct log_cursor *cursor, struct reading *reading,
                                struct error *error)
{
    struct journal_flaw flaw = {.file = cursor->file->path, .after = cursor->transaction.zxid};
    enum record_state state;
    do { /* a server may write again what it was sent again */
        cursor->at = cursor->position;
        state = read_record(cursor, &flaw.kind);
    } while (state == RECORD_WHOLE && cursor->transaction.zxid <= flaw.after);
    flaw.offset = cursor->at;
    if (flaw.kind == JOURNAL_TORN && state_of(cursor) == Z_DATA_ERROR)
        flaw.kind = JOURNAL_CHECKSUM;
    return finish(cursor, reading, state, &flaw, error);
}

static enum error_kind log_open(struct log_cursor *cursor, struct reading *reading,
                                struct journal_file *file, struct error *error)
{
    struct journal_flaw flaw = {.file = file->path};
    *cursor = (struct log_cursor){.file = file, .stream = gzopen(file->path, "re")};
    if (cursor->stream == NULL)
        return error_from_errno(error, errno, file->path, "opening it");
    (void)gzbuffer(cursor->stream, FILE_BUFFER_BYTES);
    cursor->limit = file->end > 0                   ? file->end
                    : gzdirect(cursor->stream) != 0 ? file->bytes
                                                    : UINT64_MAX;
    enum record_state state = read_header(cursor, &flaw);
    return state == RECORD_WHOLE ? log_next(cursor, reading, error)
                                 : finish(cursor, reading, state, &flaw, error);
}

static void log_close(struct log_cursor *cursor)
{
    if (cursor->stream != NULL)
        (void)gzclose_r(cursor->stream);
    free(cursor->record);
    *cursor = (struct log_cursor){.done = true};
}

/* ------------------------------------------------------------------ what was there before */

static int64_t epoch_of(int64_t zxid)
{
    return zxid >> 32;
}

/* Whether a zxid is one of the first two of its epoch, its upper half: an epoch begins with 0,
 * which its leader may leave out. */
static bool begins_epoch(int64_t zxid)
{
    return (zxid & UINT32_MAX) <= 1;
}

/* Whether a snapshot can be read; reports why not. */
static bool is_usable(const struct reading *reading, const struct journal_file *file)
{
    struct snapshot_facts facts;
    struct journal_flaw flaw = {.kind = JOURNAL_SNAPSHOT, .file = file->path};
    if (snapshot_read(file, NULL, NULL, 0, &facts))
        return true;
    if ((flaw.compression = facts.compression) != NULL)
        flaw.kind = JOURNAL_LEFT_OUT;
    reading_flaw(reading, &flaw);
    return false;
}

/* The snapshot that lacks the fewest deleted znodes: the first that has all
 * before a transaction. Before the first of an epoch the last one behind reading->last will do, if
 * there is no gap behind it. NULL: there is none that can be read. */
static const struct journal_file *find_snapshot(const struct reading *reading, int64_t zxid)
{
    const struct files *snapshots = &reading->journal->snapshots;
    size_t behind = 0;
    while (behind < snapshots->count && snapshots->list[behind].zxid < zxid - 1)
        behind++;
    for (size_t i = behind; i < snapshots->count; i++)
        if (is_usable(reading, &snapshots->list[i]))
            return &snapshots->list[i];
    while (begins_epoch(zxid) && behind-- > 0 && snapshots->list[behind].zxid > reading->last)
        if (is_usable(reading, &snapshots->list[behind]))
            return &snapshots->list[behind];
    return NULL;
}

/* Passes what was there before the first transaction, or before one behind a gap. */
static void begin(const struct reading *reading, const struct journal_file *log, int64_t zxid)
{
    /* The first of all, in an ensemble of the first epoch, has nothing before it. */
    bool is_first = reading->last == 0 && epoch_of(zxid) <= 1 && begins_epoch(zxid);
    const struct journal_file *snapshot = is_first ? NULL : find_snapshot(reading, zxid);
    struct snapshot_facts facts;
    if (snapshot == NULL && !is_first && reading->last == 0)
        reading_flaw(reading,
                     &(struct journal_flaw){.kind = JOURNAL_NO_SNAPSHOT, .file = log->path});
    if (reading->listener->begin != NULL)
        reading->listener->begin(reading->context, zxid,
                                 snapshot != NULL ? snapshot->zxid
                                 : is_first       ? 0
                                                  : JOURNAL_NOT_KNOWN);
    if (snapshot != NULL)
        (void)!snapshot_read(snapshot, reading->listener, reading->context, zxid, &facts);
}

/* ------------------------------------------------------------------ gaps */

/* The highest zxid that a snapshot has of those behind the last transaction that was read and
 * before another; 0: none has. The number of the snapshot may be that of an epoch without a
 * transaction. */
static int64_t find_newest(const struct reading *reading, int64_t before)
{
    const struct files *snapshots = &reading->journal->snapshots;
    struct snapshot_facts facts;
    for (size_t i = snapshots->count; i-- > 0;) {
        int64_t zxid = snapshots->list[i].zxid;
        if (zxid <= reading->last || zxid >= before)
            continue;
        if ((zxid & UINT32_MAX) == 0 && snapshot_read(&snapshots->list[i], NULL, NULL, 0, &facts))
            zxid = facts.newest;
        if ((zxid & UINT32_MAX) != 0 && zxid > reading->last)
            return zxid;
    }
    return 0;
}

/* Whether a server that has the last transaction of an epoch has this first one of another, too. */
static bool is_continued(const struct reading *reading, int64_t zxid)
{
    const struct files *snapshots = &reading->journal->snapshots;
    for (size_t i = 0; i < reading->open_count; i++) {
        size_t folder = reading->open[i]->file->folder;
        if (reading->open[i]->transaction.zxid != zxid)
            continue;
        if (reading->folder_last[folder] == reading->last)
            return true;
        for (size_t j = 0; j < snapshots->count; j++)
            if (snapshots->list[j].folder == folder && snapshots->list[j].zxid == reading->last)
                return true;
    }
    return false;
}

/* Reports what is missing before a transaction, or behind the last (INT64_MAX); false: nothing. */
static bool find_gap(const struct reading *reading, int64_t zxid, const struct journal_file *log)
{
    struct journal_flaw gap = {.kind = JOURNAL_GAP, .file = log->path, .after = reading->last};
    bool is_last = zxid == INT64_MAX;
    if (zxid == reading->last + 1)
        return false;
    bool is_new = epoch_of(zxid) > epoch_of(reading->last) && begins_epoch(zxid);
    gap.before = is_last ? 0 : zxid;
    gap.newest = find_newest(reading, zxid);
    if (gap.newest == 0 && (is_last || (is_new && is_continued(reading, zxid))))
        return false;
    reading_flaw(reading, &gap);
    return true;
}

/* ------------------------------------------------------------------ merging */

/* Reads the first record of each log: the name of a file need not be its zxid. */
static enum error_kind sort_logs(struct reading *reading, struct journal *journal,
                                 struct error *error)
{
    enum error_kind kind = journal->is_sorted
                               ? ERROR_NONE
                               : snapshots_check(journal->snapshots.list, journal->snapshots.count,
                                                 journal->folders, journal->folder_count, error);
    for (size_t i = 0; i < journal->logs.count && kind == ERROR_NONE && !journal->is_sorted; i++) {
        struct log_cursor cursor;
        kind = log_open(&cursor, reading, &journal->logs.list[i], error);
        journal->logs.list[i].zxid = cursor.done ? 0 : cursor.transaction.zxid;
        log_close(&cursor);
    }
    sort(&journal->logs);
    journal->is_sorted = kind == ERROR_NONE;
    reading->read_bytes = 0;
    return kind;
}

static int64_t least_zxid(const struct reading *reading)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < reading->open_count; i++)
        if (reading->open[i]->transaction.zxid < least)
            least = reading->open[i]->transaction.zxid;
    return least;
}

/* Opens the logs that begin at the next transaction. */
static enum error_kind open_logs(struct reading *reading, struct error *error)
{
    const struct files *logs = &reading->journal->logs;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE && reading->opened < logs->count &&
           logs->list[reading->opened].zxid <= least_zxid(reading)) {
        struct journal_file *file = &logs->list[reading->opened++];
        if (file->zxid == 0)
            continue;
        struct log_cursor *cursor = memory_new(1, sizeof *cursor);
        reading->open = memory_grow(reading->open, reading->open_count, sizeof(void *));
        reading->open[reading->open_count++] = cursor;
        kind = log_open(cursor, reading, file, error);
        if (cursor->done) { /* it has been cut since it was sorted */
            log_close(cursor);
            free(cursor);
            reading->open_count--;
        }
    }
    return kind;
}

/* Whether all logs that have the transaction of the first have it with the same content. Servers
 * before 3.6 leave out the paths that end with a session, even if their leader lists them. */
static enum error_kind check_equal(const struct reading *reading, const struct log_cursor *first,
                                   struct error *error)
{
    const struct journal *journal = reading->journal;
    for (size_t i = 0; i < reading->open_count; i++) {
        const struct log_cursor *other = reading->open[i];
        assert(other->record != NULL); /* an open log has a transaction */
        size_t common = other->content < first->content ? other->content : first->content;
        if (other->transaction.zxid != first->transaction.zxid ||
            memcmp(other->record, first->record, common) == 0)
            continue;
        bool is_file = other->file->folder == first->file->folder;
        return error_raise(error, ERROR_OTHER_ENSEMBLE, 0,
                           is_file ? other->file->path : journal->folders[other->file->folder],
                           "its transaction 0x%" PRIx64 " is not that of %.200s",
                           (uint64_t)first->transaction.zxid,
                           is_file ? first->file->path : journal->folders[first->file->folder]);
    }
    return ERROR_NONE;
}

/* Goes on in each log that has the transaction. */
static enum error_kind advance(struct reading *reading, int64_t zxid, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = reading->open_count; i-- > 0 && kind == ERROR_NONE;) {
        struct log_cursor *cursor = reading->open[i];
        if (cursor->transaction.zxid != zxid)
            continue;
        reading->folder_last[cursor->file->folder] = zxid;
        kind = log_next(cursor, reading, error);
        if (!cursor->done)
            continue;
        reading->open[i] = reading->open[--reading->open_count];
        log_close(cursor);
        free(cursor);
    }
    return kind;
}

/* Passes the next transaction, and what is missing before it. */
static enum error_kind pass_next(struct reading *reading, struct error *error)
{
    int64_t zxid = least_zxid(reading);
    size_t i = 0;
    while (reading->open[i]->transaction.zxid != zxid)
        i++;
    const struct log_cursor *first = reading->open[i];
    enum error_kind kind = check_equal(reading, first, error);
    if (kind != ERROR_NONE)
        return kind;
    if (reading->last == 0 || find_gap(reading, zxid, first->file))
        begin(reading, first->file, zxid);
    reading->last = zxid;
    reading->listener->transaction(reading->context, &first->transaction);
    return advance(reading, zxid, error);
}

enum error_kind journal_read(struct journal *journal, const struct journal_listener *listener,
                             void *context, struct error *error)
{
    struct reading reading = {
        .journal = journal, .listener = listener, .context = context, .of_bytes = journal->bytes};
    reading.folder_last = memory_new(journal->folder_count, sizeof *reading.folder_last);
    enum error_kind kind = sort_logs(&reading, journal, error);
    if (kind == ERROR_NONE)
        kind = open_logs(&reading, error);
    while (kind == ERROR_NONE && reading.open_count > 0 && !reading.ended) {
        kind = pass_next(&reading, error);
        if (kind == ERROR_NONE)
            kind = open_logs(&reading, error);
    }
    while (reading.open_count > 0) {
        log_close(reading.open[--reading.open_count]);
        free(reading.open[reading.open_count]);
    }
    free(reading.open);
    free(reading.folder_last);
    if (kind == ERROR_NONE && reading.ended)
        return error_raise(error, ERROR_INTERRUPTED, 0, journal->logs.list[0].path,
                           "the logs were not read to their end");
    if (kind == ERROR_NONE && reading.last > 0)
        (void)!find_gap(&reading, INT64_MAX, &journal->logs.list[journal->logs.count - 1]);
    return kind;
}
