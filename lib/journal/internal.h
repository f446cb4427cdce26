// SPDX-License-Identifier: Apache-2.0
/* internal: what the files of the journal share. Layer: journal. */
#ifndef JOURNAL_INTERNAL_H
#define JOURNAL_INTERNAL_H

#include "journal/journal.h"

#include <zlib.h>

/* Both kinds of files begin with a word, the version and a number of the database. */
#define FILE_HEADER_BYTES 16
#define FILE_VERSION      2
#define FILE_BUFFER_BYTES 131072

struct journal_file {
    char *path;
    size_t folder; /* its index among the folders that were named */
    int64_t zxid;  /* of a log its first record's, 0: it has none; of a snapshot that of its name */
    uint64_t bytes; /* when it was found */
    uint64_t end;   /* of a log: where the first reading ended; 0: none did */
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
    size_t open_count, opened; /* `opened`: so many of the journal's logs were opened */
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

void reading_flaw(const struct reading *reading, const struct journal_flaw *flaw);

/* Counts bytes that were read, for the progress. */
void reading_count(struct reading *reading, uint64_t bytes);

/* The name of the program that has compressed a file which begins so; NULL: none that is known. */
const char *file_compression(const unsigned char *bytes, size_t count);

/* Reads the bytes of a record, which must fill them; *content is as in a cursor. */
bool transaction_read(const unsigned char *bytes, size_t count,
                      struct journal_transaction *transaction, size_t *content);

/* Opens a log and reads its first record. After an error, too, the cursor is to be closed. */
MUST_CHECK enum error_kind log_open(struct log_cursor *cursor, struct reading *reading,
                                    struct journal_file *file, struct error *error);

/* Reads the next record with a higher zxid. */
MUST_CHECK enum error_kind log_next(struct log_cursor *cursor, struct reading *reading,
                                    struct error *error);
void log_close(struct log_cursor *cursor);

/* What a snapshot is besides its znodes. */
#define SNAPSHOT_CONFIG 2048
struct snapshot_facts {
    const char *compression; /* that cannot be read; NULL: none */
    int64_t newest;          /* the highest zxid in a znode, up to that of the snapshot's name */
    char config[SNAPSHOT_CONFIG]; /* the servers of the ensemble, from 3.5 on; "": not known */
};

/* Tells the sessions of a snapshot and its znodes that are older than `before`, to `listener`,
 * which may be NULL. False if the file is no whole snapshot. */
bool snapshot_read(const struct journal_file *file, const struct journal_listener *listener,
                   void *context, int64_t before, struct snapshot_facts *facts);

#endif
