// SPDX-License-Identifier: Apache-2.0
/* internal: what the files of the journal share. Layer: journal. */
#ifndef JOURNAL_INTERNAL_H
#define JOURNAL_INTERNAL_H

#include "journal/journal.h"

/* Both kinds of files begin with a word, the version and a number of the database. */
#define FILE_HEADER_BYTES 16
#define FILE_VERSION      2

struct journal_file {
    char *path; /* the key of the order is `zxid`, from its name */
    int64_t zxid;
    uint64_t bytes; /* when it was found */
    uint64_t end;   /* where the first reading ended; 0: none did */
};

/* One reading. */
struct reading {
    const struct journal_listener *listener;
    void *context;
    uint64_t read_bytes, of_bytes;
    int64_t last;          /* zxid; 0: none yet */
    unsigned char *record; /* grows to the longest */
    size_t room;
    bool ended; /* by the listener */
};

void reading_flaw(const struct reading *reading, enum journal_flaw_kind kind,
                  const struct journal_file *file, uint64_t offset);

/* Counts bytes that were read; false ends the reading. */
bool reading_goes_on(struct reading *reading, uint64_t bytes);

/* Reads the bytes of a record, which must fill them. */
bool transaction_read(const unsigned char *bytes, size_t count,
                      struct journal_transaction *transaction);

/* Tells the transactions of a log that are behind reading->last. */
MUST_CHECK enum error_kind log_read(struct reading *reading, struct journal_file *file,
                                    struct error *error);

/* Tells the sessions of a snapshot and its znodes that are older than `before`; false if the file
 * is no whole snapshot. With nobody to tell them to, only looks whether the file is whole. */
bool snapshot_read(const struct journal_listener *listener, void *context, const char *path,
                   int64_t before);

#endif
