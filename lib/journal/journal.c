// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRESS_BYTES 1048576

struct files {
    struct journal_file *list; /* by their zxids */
    size_t count;
};

struct journal {
    struct files logs, snapshots;
    uint64_t bytes; /* of the logs */
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
    return *end == '\0' || strcmp(end, ".gz") == 0 || strcmp(end, ".snappy") == 0;
}

static enum error_kind add_file(struct files *files, const char *folder, const char *name,
                                int64_t zxid, struct error *error)
{
    struct stat status;
    char *path = memory_format("%s/%s", folder, name);
    if (stat(path, &status) != 0) {
        enum error_kind kind = error_from_errno(error, errno, path, "looking at it");
        free(path);
        return kind;
    }
    files->list = memory_grow(files->list, files->count, sizeof *files->list);
    files->list[files->count++] =
        (struct journal_file){.path = path, .zxid = zxid, .bytes = (uint64_t)status.st_size};
    return ERROR_NONE;
}

static enum error_kind fail_to_open(const char *folder, struct error *error)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return error_raise(error, ERROR_NO_JOURNAL, 0, folder,
                           errno == ENOENT ? "it does not exist" : "it is not a folder");
    return error_from_errno(error, errno, folder, "opening it");
}

/* The files of a folder, or of the folder version-2 in it. */
static enum error_kind find(struct journal *journal, const char *folder, struct error *error)
{
    char *inner = memory_format("%s/version-2", folder);
    DIR *open = opendir(inner);
    const char *found = open != NULL ? inner : folder;
    enum error_kind kind = ERROR_NONE;
    if (open == NULL && (open = opendir(folder)) == NULL) {
        free(inner);
        return fail_to_open(folder, error);
    }
    int64_t zxid;
    for (struct dirent *entry; kind == ERROR_NONE && (entry = readdir(open)) != NULL;) {
        if (read_name(entry->d_name, "log.", &zxid))
            kind = add_file(&journal->logs, found, entry->d_name, zxid, error);
        else if (read_name(entry->d_name, "snapshot.", &zxid))
            kind = add_file(&journal->snapshots, found, entry->d_name, zxid, error);
    }
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
    for (size_t i = 0; i < count && kind == ERROR_NONE; i++) {
        size_t before = new->logs.count + new->snapshots.count;
        kind = find(new, folders[i], error);
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

static void free_files(struct files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->list[i].path);
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

/* ------------------------------------------------------------------ reading */

void reading_flaw(const struct reading *reading, enum journal_flaw_kind kind,
                  const struct journal_file *file, uint64_t offset)
{
    if (reading->listener->flaw != NULL)
        reading->listener->flaw(reading->context, &(struct journal_flaw){.kind = kind,
                                                                         .file = file->path,
                                                                         .offset = offset,
                                                                         .after = reading->last});
}

bool reading_goes_on(struct reading *reading, uint64_t bytes)
{
    uint64_t pieces = reading->read_bytes / PROGRESS_BYTES;
    reading->read_bytes += bytes;
    if (reading->read_bytes / PROGRESS_BYTES != pieces && reading->listener->progress != NULL)
        reading->ended =
            !reading->listener->progress(reading->context, reading->read_bytes, reading->of_bytes);
    return !reading->ended;
}

/* Whether a snapshot can be read; says why not. */
static bool is_usable(const struct reading *reading, const struct journal_file *file)
{
    bool is_snappy = strcmp(strrchr(file->path, '.'), ".snappy") == 0;
    if (!is_snappy && snapshot_read(NULL, NULL, file->path, 0))
        return true;
    reading_flaw(reading, is_snappy ? JOURNAL_SNAPPY : JOURNAL_SNAPSHOT, file, 0);
    return false;
}

/* Whether a log begins with the first transaction of all: in an ensemble, of the first epoch. */
static bool is_first(int64_t zxid)
{
    return zxid <= 1 || (zxid >> 32 == 1 && (zxid & UINT32_MAX) <= 1);
}

/* The snapshot of which the least is missing that was deleted meanwhile: the first that was made
 * behind the beginning of the log, else the last before; NULL: there is none that can be read. */
static const struct journal_file *find_snapshot(const struct reading *reading,
                                                const struct files *snapshots, int64_t first_zxid)
{
    size_t behind = 0;
    while (behind < snapshots->count && snapshots->list[behind].zxid < first_zxid - 1)
        behind++;
    for (size_t i = behind; i < snapshots->count; i++)
        if (is_usable(reading, &snapshots->list[i]))
            return &snapshots->list[i];
    while (behind-- > 0)
        if (is_usable(reading, &snapshots->list[behind]))
            return &snapshots->list[behind];
    return NULL;
}

/* What was there before the first log. */
static void read_snapshot(struct reading *reading, const struct journal *journal)
{
    const struct journal_file *log = &journal->logs.list[0], *taken;
    if (is_first(log->zxid))
        return;
    taken = find_snapshot(reading, &journal->snapshots, log->zxid);
    if (taken != NULL)
        (void)!snapshot_read(reading->listener, reading->context, taken->path, log->zxid);
    else
        reading_flaw(reading, JOURNAL_NO_SNAPSHOT, log, 0);
}

enum error_kind journal_read(struct journal *journal, const struct journal_listener *listener,
                             void *context, struct error *error)
{
    struct reading reading = {.listener = listener, .context = context, .of_bytes = journal->bytes};
    enum error_kind kind = ERROR_NONE;
    read_snapshot(&reading, journal);
    for (size_t i = 0; i < journal->logs.count && kind == ERROR_NONE && !reading.ended; i++)
        kind = log_read(&reading, &journal->logs.list[i], error);
    free(reading.record);
    if (kind == ERROR_NONE && reading.ended)
        kind = error_raise(error, ERROR_INTERRUPTED, 0, journal->logs.list[0].path,
                           "the logs were not read to their end");
    return kind;
}
