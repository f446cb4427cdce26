// SPDX-License-Identifier: Apache-2.0
/* internal: what the files of the journal share. Layer: journal. */
#ifndef JOURNAL_INTERNAL_H
#define JOURNAL_INTERNAL_H

#include "journal/journal.h"

#include <sys/types.h>
#include <zlib.h>

/* Files begin with a word, the version and a number of the database. */
#define FILE_HEADER_BYTES 16
#define FILE_VERSION      2
#define FILE_BUFFER_BYTES 131072

#define SNAPSHOT_CONFIG 2048
struct snapshot_facts {
    bool is_whole;
    const char *compression; /* that cannot be read; NULL: none */
    int64_t newest;          /* the highest zxid in a znode, up to that of the snapshot's name */
    int64_t latest;          /* or any: what was changed while it was written may be missing */
    char config[SNAPSHOT_CONFIG]; /* the servers of the ensemble, from 3.5 on; "": not known */
};

struct journal_file {
    char *path;
    size_t folder; /* its index among the folders that were named */
    int64_t zxid;  /* of a log its first record's, 0: it has none; of a snapshot that of its name */
    uint64_t bytes; /* when it was found */
    dev_t device;
    ino_t inode;
    uint64_t end;                 /* of a log: where the first reading ended; 0: none did */
    struct snapshot_facts *facts; /* NULL: not known yet */
};

struct journal_files {
    struct journal_file *list; /* by their zxids */
    size_t count;
    uint64_t bytes; /* of all of them */
};

/* The position in a log: at a record, unless `done`. */
struct log_cursor {
    struct journal_file *file;
    gzFile stream;
    uint64_t at, position;        /* bytes of the log: where the record begins, and ends */
    uint64_t limit;               /* nothing is read behind it */
    uint64_t counted, counted_at; /* bytes of the file that the progress has; the position then */
    unsigned char *record;        /* grows to the longest */
    size_t room;
    size_t content; /* bytes of the record without the digest, which a release may lack */
    struct journal_transaction transaction;
    const char *compression; /* that cannot be read; NULL: none */
    bool done;
    char flaw[192]; /* why it ends: words behind its name; "": it does not, or as it should */
    bool is_broken; /* behind transaction.zxid, 0: none, it has what cannot be read */
};

/* Goes to the first record of a log, and to the next one, or behind the last. */
MUST_CHECK enum error_kind log_open(struct log_cursor *cursor, struct journal_file *file,
                                    struct error *error);
MUST_CHECK enum error_kind log_next(struct log_cursor *cursor, struct error *error);
void log_close(struct log_cursor *cursor);

/* The name of the program that has compressed a file which begins so; NULL: none that is known. */
const char *file_compression(const unsigned char *bytes, size_t count);

/* Reads the bytes of a record, which must fill them. *content: of these, those without the digest,
 * which a release may lack. */
bool transaction_read(const unsigned char *bytes, size_t count,
                      struct journal_transaction *transaction, size_t *content);

/* Passes the sessions of a snapshot, and its znodes that are older than `before`, to `listener`. */
void snapshot_read(struct journal_file *file, const struct journal_listener *listener,
                   void *context, int64_t before);

/* The facts of a snapshot, which is read once for them. */
const struct snapshot_facts *snapshot_facts(struct journal_file *file);

/* The servers that vote, by the newest snapshot that names them; 0: none does. */
size_t snapshots_voters(const struct journal_files *snapshots);

/* ERROR_OTHER_ENSEMBLE if the newest snapshots of two folders name other servers: two ensembles
 * whose transactions have no number in common would be merged. */
MUST_CHECK enum error_kind snapshots_check(const struct journal_files *snapshots,
                                           char *const *folders, size_t folder_count,
                                           struct error *error);

#endif
