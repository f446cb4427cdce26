// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRESS_BYTES 1048576

struct journal {
    struct journal_files logs, snapshots;
    char *const *folders; /* the caller's */
    size_t folder_count;
    bool is_sorted; /* the logs, by their first records */
    bool is_of_ensemble;
    size_t voters;    /* servers of the ensemble; 0: not known, or one folder alone */
    size_t unsettled; /* the last transactions that have no majority, and are in no snapshot */
    int64_t unsettled_from; /* the first of them */
};

/* One reading of all files. */
struct reading {
    struct journal *journal;
    const struct journal_listener *listener;
    void *context;
    struct error *error; /* the first one */
    uint64_t read_bytes;
    int64_t last;              /* zxid; 0: none yet */
    int64_t broken;            /* zxid behind which a log cannot be read on; 0: none */
    int64_t *folder_last;      /* the last zxid of each folder */
    struct log_cursor *open;   /* logs that have begun and have not ended */
    size_t open_count, opened; /* `opened`: of the journal's logs, in their order */
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

/* A file that is there by the name of another folder, too, is one. */
static enum error_kind add_file(struct journal_files *files, struct journal_file file,
                                struct error *error)
{
    struct stat status = {0};
    enum error_kind kind = ERROR_NONE;
    if (stat(file.path, &status) != 0)
        kind = error_from_errno(error, errno, file.path, "looking at it");
    file.bytes = (uint64_t)status.st_size;
    file.device = status.st_dev;
    file.inode = status.st_ino;
    for (size_t i = 0; i < files->count; i++)
        if (files->list[i].device == file.device && files->list[i].inode == file.inode) {
            free(file.path);
            return kind;
        }
    files->bytes += file.bytes;
    files->list = memory_grow(files->list, files->count, sizeof file);
    files->list[files->count++] = file;
    return kind;
}

/* Adds the files of a folder, or of the folder version-2 in it. */
static enum error_kind find_files(struct journal *journal, size_t index, struct error *error)
{
    const char *folder = journal->folders[index];
    char *inner = memory_format("%s/version-2", folder);
    DIR *open = opendir(inner);
    const char *found = open != NULL ? inner : folder;
    size_t count = 0;
    struct dirent *entry;
    enum error_kind kind = ERROR_NONE;
    if (open == NULL && (open = opendir(folder)) == NULL)
        kind = errno == ENOENT || errno == ENOTDIR
                   ? error_raise(error, ERROR_NO_JOURNAL, 0, folder,
                                 errno == ENOENT ? "it does not exist" : "it is not a folder")
                   : error_from_errno(error, errno, folder, "opening it");
    while (open != NULL && kind == ERROR_NONE && (entry = readdir(open)) != NULL) {
        struct journal_file file = {.folder = index};
        journal->is_of_ensemble |= strcmp(entry->d_name, "currentEpoch") == 0;
        const bool is_log = read_name(entry->d_name, "log.", &file.zxid);
        if (is_log || read_name(entry->d_name, "snapshot.", &file.zxid)) {
            file.path = memory_format("%s/%s", found, entry->d_name);
            kind = add_file(is_log ? &journal->logs : &journal->snapshots, file, error);
            count++;
        }
    }
    if (open != NULL)
        (void)closedir(open);
    free(inner);
    if (kind == ERROR_NONE && count == 0)
        kind = error_raise(error, ERROR_NO_JOURNAL, 0, folder, "the folder has no file log.ZXID");
    return kind;
}

static int compare(const void *a, const void *b)
{
    const struct journal_file *one = a, *other = b;
    if (one->zxid != other->zxid)
        return (one->zxid > other->zxid) - (one->zxid < other->zxid);
    return strcmp(one->path, other->path);
}

static void sort_files(struct journal_files *files)
{
    if (files->count > 0)
        qsort(files->list, files->count, sizeof *files->list, compare);
}

enum error_kind journal_open(char *const *folders, size_t count, struct journal **opened,
                             struct error *error)
{
    struct journal *journal = *opened = memory_new(1, sizeof *journal);
    enum error_kind kind = ERROR_NONE;
    *journal = (struct journal){.folders = folders, .folder_count = count};
    for (size_t i = 0; i < count && kind == ERROR_NONE; i++)
        kind = find_files(journal, i, error);
    if (kind == ERROR_NONE && journal->logs.count == 0)
        kind = error_raise(error, ERROR_NO_JOURNAL, 0, folders[0],
                           "there are snapshots, but no file log.ZXID");
    sort_files(&journal->logs);
    sort_files(&journal->snapshots);
    return kind;
}

static void free_files(struct journal_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->list[i].path);
        free(files->list[i].facts);
    }
    free(files->list);
}

void journal_free(struct journal *journal)
{
    if (journal == NULL)
        return;
    free_files(&journal->logs);
    free_files(&journal->snapshots);
    free(journal);
}

size_t journal_logs(const struct journal *journal)
{
    return journal->logs.count;
}

size_t journal_unsettled(const struct journal *journal, int64_t *from)
{
    *from = journal->unsettled_from;
    return journal->is_of_ensemble ? journal->unsettled : 0;
}

/* ------------------------------------------------------------------ flaws and progress */

/* Reports a sentence that begins with a file, if that is not ""; the full stop is added. */
__attribute__((format(printf, 4, 5))) static void
report_flaw(const struct reading *reading, bool loses, const char *path, const char *format, ...)
{
    char text[512], shown[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    char *sentence = memory_format("%s%s%s.", printable_text(path, shown, sizeof shown),
                                   path[0] != '\0' ? " " : "", text);
    if (reading->listener->flaw != NULL)
        reading->listener->flaw(reading->context, sentence, loses);
    free(sentence);
}

/* Counts what was read of a file, all of one that is done. */
static void count_bytes(struct reading *reading, struct log_cursor *cursor)
{
    const uint64_t bytes = cursor->file->bytes, offset = (uint64_t)gzoffset(cursor->stream),
                   read = cursor->done || offset > bytes ? bytes : offset;
    reading->read_bytes += read - cursor->counted;
    cursor->counted = read;
    cursor->counted_at = cursor->position;
    if (reading->listener->progress != NULL &&
        !reading->listener->progress(reading->context, reading->read_bytes,
                                     reading->journal->logs.bytes))
        ERROR_FIRST(reading->error, error_raise(reading->error, ERROR_INTERRUPTED, 0,
                                                reading->journal->logs.list[0].path,
                                                "the logs were not read to their end"));
}

/* Counts what was read of a log by a step, and reports why the log has ended. */
static void note_step(struct reading *reading, struct log_cursor *cursor)
{
    if (cursor->done || cursor->position - cursor->counted_at >= PROGRESS_BYTES)
        count_bytes(reading, cursor);
    if (cursor->is_broken && cursor->transaction.zxid > reading->broken)
        reading->broken = cursor->transaction.zxid;
    if (cursor->flaw[0] != '\0')
        report_flaw(reading, cursor->is_broken && cursor->transaction.zxid == 0, cursor->file->path,
                    "%s", cursor->flaw);
}

/* ------------------------------------------------------------------ what no log has */

/* Whether a zxid is one of the first two of its epoch, its upper half: an epoch begins with 0,
 * which its leader may leave out. */
static bool begins_epoch(int64_t zxid)
{
    return (zxid & UINT32_MAX) <= 1;
}

/* Whether a snapshot can be read; reports why not. */
static bool is_usable(const struct reading *reading, struct journal_file *snapshot)
{
    const struct snapshot_facts *facts = snapshot_facts(snapshot);
    if (!facts->is_whole)
        report_flaw(reading, false, snapshot->path, "is %s%s",
                    facts->compression == NULL
                        ? "no whole snapshot, and is left out"
                        : "a snapshot that is left out, because it is compressed by ",
                    facts->compression != NULL ? facts->compression : "");
    return facts->is_whole;
}

/* The highest zxid of a snapshot behind the last transaction that was read and before another; 0:
 * there is none. The number of the snapshot may be that of an epoch without a transaction. */
static int64_t find_newest(const struct reading *reading, int64_t before)
{
    const struct journal_files *snapshots = &reading->journal->snapshots;
    for (size_t i = snapshots->count; i-- > 0;) {
        int64_t zxid = snapshots->list[i].zxid;
        if (zxid <= reading->last || zxid >= before)
            continue;
        if ((zxid & UINT32_MAX) == 0 && snapshot_facts(&snapshots->list[i])->is_whole)
            zxid = snapshots->list[i].facts->newest;
        if ((zxid & UINT32_MAX) != 0 && zxid > reading->last)
            return zxid;
    }
    return 0;
}

/* The snapshot that lacks the fewest deleted znodes: the first that has all before a transaction.
 * Before the first of an epoch the last one behind reading->last will do, if there is no gap behind
 * it. NULL: there is none that can be read. */
static struct journal_file *find_snapshot(const struct reading *reading, int64_t zxid)
{
    const struct journal_files *snapshots = &reading->journal->snapshots;
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
    /* The first of all, in an ensemble of the first epoch, has nothing before it, unless a server
     * alone has had that. */
    bool is_first = reading->last == 0 && zxid >> 32 <= 1 && begins_epoch(zxid) &&
                    find_newest(reading, zxid) == 0;
    struct journal_file *snapshot = is_first ? NULL : find_snapshot(reading, zxid);
    bool is_whole = is_first || (snapshot != NULL && snapshot->zxid >= zxid - 1);
    if (!is_whole && reading->last == 0)
        report_flaw(reading, true, log->path,
                    "does not begin with the first transaction, and no snapshot has all that was "
                    "there before (name the dataDir as well)");
    if (reading->listener->begin != NULL)
        reading->listener->begin(reading->context, zxid,
                                 snapshot != NULL ? snapshot->facts->latest
                                 : is_first       ? 0
                                                  : JOURNAL_NOT_KNOWN);
    if (snapshot != NULL)
        snapshot_read(snapshot, reading->listener, reading->context, zxid);
}

/* The zxid with which the logs of a folder go on; INT64_MAX: they have ended. */
static int64_t next_of(const struct reading *reading, size_t folder)
{
    const struct journal_files *logs = &reading->journal->logs;
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < reading->open_count; i++)
        if (reading->open[i].file->folder == folder && reading->open[i].transaction.zxid < next)
            next = reading->open[i].transaction.zxid;
    for (size_t i = reading->opened; i < logs->count && logs->list[i].zxid < next; i++)
        if (logs->list[i].folder == folder)
            next = logs->list[i].zxid;
    return next;
}

/* Whether a server that has the last transaction of an epoch has this first one of another, too. */
static bool is_continued(const struct reading *reading, int64_t zxid)
{
    const struct journal_files *snapshots = &reading->journal->snapshots;
    for (size_t i = 0; i < reading->journal->folder_count; i++) {
        bool has_last = reading->folder_last[i] == reading->last;
        for (size_t j = 0; j < snapshots->count; j++)
            has_last |= snapshots->list[j].folder == i && snapshots->list[j].zxid == reading->last;
        if (has_last && next_of(reading, i) == zxid)
            return true;
    }
    return false;
}

/* Whether a leader proposed a transaction at the end of an epoch that most servers went on without:
 * it was never committed, unless a snapshot has it, or a later one. */
static bool was_dropped(const struct reading *reading, int64_t zxid)
{
    size_t with = 0, without = 0;
    for (size_t i = 0; i < reading->journal->folder_count && reading->last > 0; i++) {
        const int64_t next = next_of(reading, i);
        with += next == zxid;
        without += reading->folder_last[i] == reading->last && next >> 32 > zxid >> 32 &&
                   begins_epoch(next) && find_newest(reading, next) == 0;
    }
    return without > with;
}

/* Reports what is missing before a transaction, or behind the last (INT64_MAX); false: nothing. */
static bool find_gap(const struct reading *reading, int64_t zxid)
{
    const int64_t last = reading->last;
    bool is_last = zxid == INT64_MAX, is_new = zxid >> 32 > last >> 32;
    char found[48] = "";
    if (zxid == last + 1)
        return false;
    int64_t newest = find_newest(reading, zxid);
    bool is_whole = is_last || (is_new && begins_epoch(zxid) && is_continued(reading, zxid));
    if (is_whole && newest == 0 && last != reading->broken)
        return false;
    if (newest != 0)
        snprintf(found, sizeof found, ", a snapshot has 0x%" PRIx64, (uint64_t)newest);
    if (is_last)
        report_flaw(reading, true, "", "Transactions behind 0x%" PRIx64 " are in no log%s",
                    (uint64_t)last, found);
    else
        report_flaw(reading, true, "",
                    "Transactions between 0x%" PRIx64 " and 0x%" PRIx64
                    " %s%s: holders behind them begin anew",
                    (uint64_t)last, (uint64_t)zxid,
                    newest != 0 || !is_new    ? "are in no log"
                    : last == reading->broken ? "may be missing"
                                              : "may be missing, because no server has both",
                    found);
    return true;
}

/* ------------------------------------------------------------------ merging */

/* Reads the first record of each log: the name of a file need not be its zxid. */
static void sort_logs(struct reading *reading)
{
    struct journal *journal = reading->journal;
    struct error *error = reading->error;
    ERROR_FIRST(error, snapshots_check(&journal->snapshots, journal->folders, journal->folder_count,
                                       error));
    for (size_t i = 0; i < journal->logs.count && error->kind == ERROR_NONE; i++) {
        struct log_cursor cursor;
        ERROR_FIRST(error, log_open(&cursor, &journal->logs.list[i], error));
        note_step(reading, &cursor);
        cursor.file->zxid = cursor.done ? 0 : cursor.transaction.zxid;
        log_close(&cursor);
    }
    if (journal->folder_count > 1)
        journal->voters = snapshots_voters(&journal->snapshots);
    sort_files(&journal->logs);
    journal->is_sorted = error->kind == ERROR_NONE;
    reading->read_bytes = 0;
}

/* An open log that has the next transaction; NULL: none is open. */
static struct log_cursor *find_first(const struct reading *reading)
{
    struct log_cursor *first = NULL;
    for (size_t i = 0; i < reading->open_count; i++)
        if (first == NULL || reading->open[i].transaction.zxid < first->transaction.zxid)
            first = &reading->open[i];
    return first;
}

/* Opens the logs that begin at the next transaction. */
static void open_logs(struct reading *reading)
{
    const struct journal_files *logs = &reading->journal->logs;
    for (; reading->error->kind == ERROR_NONE && reading->opened < logs->count; reading->opened++) {
        struct journal_file *file = &logs->list[reading->opened];
        const struct log_cursor *first = find_first(reading);
        if (first != NULL && file->zxid > first->transaction.zxid)
            return;
        if (file->zxid == 0)
            continue;
        reading->open = memory_grow(reading->open, reading->open_count, sizeof *reading->open);
        struct log_cursor *cursor = &reading->open[reading->open_count];
        ERROR_FIRST(reading->error, log_open(cursor, file, reading->error));
        note_step(reading, cursor);
        if (cursor->done) /* it has been cut since it was sorted */
            log_close(cursor);
        else
            reading->open_count++;
    }
}

/* Whether all logs that have the transaction of the first have it with the same content. Servers
 * before 3.6 leave out the paths that end with a session, even if their leader lists them. */
static bool is_equal(struct reading *reading, const struct log_cursor *first)
{
    for (size_t i = 0; i < reading->open_count; i++) {
        const struct log_cursor *second = &reading->open[i];
        assert(second->record != NULL); /* an open log has a transaction */
        size_t common = second->content < first->content ? second->content : first->content;
        if (second->transaction.zxid != first->transaction.zxid ||
            memcmp(second->record, first->record, common) == 0)
            continue;
        ERROR_FIRST(reading->error,
                    error_raise(reading->error, ERROR_OTHER_ENSEMBLE, 0, second->file->path,
                                "its transaction 0x%" PRIx64 " is not that of %.200s",
                                (uint64_t)first->transaction.zxid, first->file->path));
        return false;
    }
    return true;
}

/* Notes how many folders have a transaction. A new epoch settles what was before it. */
static void note_copies(struct journal *journal, int64_t zxid, size_t copies)
{
    const struct journal_files *snapshots = &journal->snapshots;
    const bool has_snapshot =
        snapshots->count > 0 && snapshots->list[snapshots->count - 1].zxid >= zxid;
    if (has_snapshot || (copies > 1 && 2 * copies > journal->voters)) {
        journal->unsettled = 0;
        return;
    }
    if (journal->unsettled == 0 || zxid >> 32 > journal->unsettled_from >> 32) {
        journal->unsettled = 0;
        journal->unsettled_from = zxid;
    }
    journal->unsettled++;
}

/* Passes a transaction and what is missing before it; goes on in each log that has it. */
static void pass(struct reading *reading, const struct log_cursor *first)
{
    const int64_t zxid = first->transaction.zxid;
    size_t copies = 0;
    if (!is_equal(reading, first))
        return;
    if (!was_dropped(reading, zxid)) {
        if (reading->last == 0 || find_gap(reading, zxid))
            begin(reading, first->file, zxid);
        reading->last = zxid;
        reading->listener->transaction(reading->context, &first->transaction);
    }
    for (size_t i = reading->open_count; i-- > 0;) {
        struct log_cursor *cursor = &reading->open[i];
        int64_t *folder_last = &reading->folder_last[cursor->file->folder];
        if (cursor->transaction.zxid != zxid)
            continue;
        copies += *folder_last != zxid;
        *folder_last = zxid;
        ERROR_FIRST(reading->error, log_next(cursor, reading->error));
        note_step(reading, cursor);
        if (!cursor->done)
            continue;
        log_close(cursor);
        *cursor = reading->open[--reading->open_count];
    }
    note_copies(reading->journal, zxid, copies);
}

enum error_kind journal_read(struct journal *journal, const struct journal_listener *listener,
                             void *context, struct error *error)
{
    struct reading reading = {
        .journal = journal, .listener = listener, .context = context, .error = error};
    reading.folder_last = memory_new(journal->folder_count, sizeof *reading.folder_last);
    journal->unsettled = 0;
    error->kind = ERROR_NONE;
    if (!journal->is_sorted)
        sort_logs(&reading);
    open_logs(&reading);
    while (error->kind == ERROR_NONE && reading.open_count > 0) {
        pass(&reading, find_first(&reading));
        open_logs(&reading);
    }
    while (reading.open_count > 0)
        log_close(&reading.open[--reading.open_count]);
    free(reading.open);
    free(reading.folder_last);
    if (error->kind == ERROR_NONE && reading.last > 0)
        (void)find_gap(&reading, INT64_MAX);
    return error->kind;
}
