// SPDX-License-Identifier: Apache-2.0
/*
 * journal_file: writes transaction logs and snapshots byte by byte, without the library's code.
 *
 * Fields: i an int (int), l a long (long long), f a flag (int), s a text, n null, a the usual ACL,
 * v a list (its texts, of JOURNAL_FILE_PATH bytes, and their number, an int).
 */
#ifndef TESTS_JOURNAL_FILE_H
#define TESTS_JOURNAL_FILE_H

#include "tests/support/test.h"

#define JOURNAL_FILE_MOST 262144
#define JOURNAL_FILE_PATH 80

extern unsigned char journal_file[JOURNAL_FILE_MOST];
extern size_t journal_file_bytes;

/* Begins a file: "ZKLG" or "ZKSN", and the version. */
void journal_file_begin(const char *magic, int version);

void journal_file_put(const char *fields, ...);

/* Appends a record to a log, at second zxid of 2026 unless journal_file_at_ms is not 0; returns its
 * offset. The cxid is journal_file_cxid, which begins as 7. */
extern long long journal_file_at_ms;
extern int journal_file_cxid;
size_t journal_file_record(long long session, long long zxid, int type, const char *fields, ...);

/* Whether records end with a digest, as from 3.6 on. */
extern bool journal_file_digest;

/* Ends a snapshot: the end of the znodes and the checksum. */
void journal_file_seal(void);

/* Appends a znode of a snapshot; its time is second czxid, or as given. */
void journal_file_znode(const char *path, long long owner, long long czxid);
void journal_file_znode_at(const char *path, long long owner, long long czxid, long long ms);

/* Writes the bytes so far, and `zeros` behind them. */
void journal_file_write(const char *folder, const char *name, size_t zeros);

#define JOURNAL_FILE_MS         1767225600000LL /* zxid 0 */
#define JOURNAL_FILE_TIME(zxid) (JOURNAL_FILE_MS + 1000 * ((zxid)&0xffffffff))

#endif
