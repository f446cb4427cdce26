// SPDX-License-Identifier: Apache-2.0
/* The records of one log, one after another. */
#include "journal/internal.h"

#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MAGIC  0x5a4b4c47 /* ZKLG */
#define HEAD_BYTES 12         /* before a record: its checksum and its length */
#define RECORD_END 'B'
/* Far more than jute.maxbuffer lets a request have; a longer one is none. */
#define RECORD_MOST 67108864

/* Ends of a log: but for the first flaws, in words behind its name. */
static const char end_of_log[] = "";
static const char torn[] = "ends within a record: it is cut short, or was copied while it grew";
static const char wrong[] = "has a record with a wrong checksum; the rest of the file is not read";
static const char foreign[] = "has a record that cannot be read; the rest of the file is not read";
static const char not_a_log[] = "is no transaction log";
static const char other[] = "is of another version than 2, which ZooKeeper 3.4 to 3.9 write";
static const char compressed[] = "cannot be read, because it is compressed by ";

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

/* Reads what is before the records: NULL, or an end. A server begins with a file without a byte. */
static const char *read_header(struct log_cursor *cursor)
{
    unsigned char header[FILE_HEADER_BYTES];
    size_t count = read_bytes(cursor, header, sizeof header);
    struct jute jute = {.bytes = header, .left = count};
    bool is_log = jute_int(&jute) == LOG_MAGIC, is_known = jute_int(&jute) == FILE_VERSION;
    cursor->compression = file_compression(header, count);
    if (count == 0 && state_of(cursor) == Z_OK)
        return end_of_log;
    if (!is_log)
        return cursor->compression != NULL ? compressed : not_a_log;
    if (count < sizeof header)
        return torn;
    return is_known ? NULL : other;
}

/* Whether nothing but zeros, or nothing, follows a record: it may be half written. */
static bool is_last(struct log_cursor *cursor)
{
    static const unsigned char zeros[HEAD_BYTES];
    unsigned char next[HEAD_BYTES] = {0};
    (void)read_bytes(cursor, next, sizeof next);
    return memcmp(next, zeros, sizeof next) == 0;
}

/* Reads the next record: NULL, or an end. What was allocated beforehand is zero: the end. */
static const char *read_record(struct log_cursor *cursor)
{
    unsigned char head[HEAD_BYTES];
    size_t count = read_bytes(cursor, head, sizeof head);
    struct jute jute = {.bytes = head, .left = count};
    uint64_t checksum = (uint64_t)jute_long(&jute);
    uint32_t length = (uint32_t)jute_int(&jute);
    if ((count == 0 && state_of(cursor) == Z_OK) ||
        (count == sizeof head && checksum == 0 && length == 0))
        return end_of_log;
    if (count == sizeof head && length > RECORD_MOST)
        return foreign;
    if (count < sizeof head || length >= cursor->limit - cursor->position)
        return torn;
    if (length >= cursor->room) {
        free(cursor->record);
        cursor->room = 2 * (length + 1UL);
        cursor->record = memory_new(cursor->room, 1);
    }
    if (read_bytes(cursor, cursor->record, length + 1UL) != length + 1UL)
        return torn;
    if (cursor->record[length] != RECORD_END)
        return is_last(cursor) ? torn : wrong;
    if (adler32(1, cursor->record, length) != checksum)
        return wrong;
    return transaction_read(cursor->record, length, &cursor->transaction, &cursor->content)
               ? NULL
               : foreign;
}

enum error_kind log_next(struct log_cursor *cursor, struct error *error)
{
    const int64_t after = cursor->transaction.zxid;
    struct journal_file *file = cursor->file;
    const char *end;
    do { /* a server may write again what it was sent again */
        cursor->at = cursor->position;
        end = cursor->at == 0 ? read_header(cursor) : read_record(cursor);
    } while (end == NULL && cursor->transaction.zxid <= after);
    cursor->done = end != NULL;
    if (!cursor->done)
        return ERROR_NONE;
    const int stream = state_of(cursor);
    if (stream == Z_ERRNO)
        return error_from_errno(error, errno, file->path, "reading it");
    file->end = cursor->at;
    if (end == torn && stream == Z_DATA_ERROR)
        end = wrong;
    cursor->transaction.zxid = after;
    cursor->is_broken = end != end_of_log && (end != torn || stream != Z_OK);
    if (cursor->at == 0)
        snprintf(cursor->flaw, sizeof cursor->flaw, "%s%s", end,
                 end == compressed ? cursor->compression : "");
    else if (end != end_of_log)
        snprintf(cursor->flaw, sizeof cursor->flaw,
                 "%s (at byte %" PRIu64 ", behind zxid 0x%" PRIx64 ")", end, cursor->at,
                 (uint64_t)after);
    return ERROR_NONE;
}

enum error_kind log_open(struct log_cursor *cursor, struct journal_file *file, struct error *error)
{
    *cursor = (struct log_cursor){.file = file, .stream = gzopen(file->path, "re"), .done = true};
    if (cursor->stream == NULL)
        return error_from_errno(error, errno, file->path, "opening it");
    (void)gzbuffer(cursor->stream, FILE_BUFFER_BYTES);
    cursor->limit = file->end > 0                   ? file->end
                    : gzdirect(cursor->stream) != 0 ? file->bytes
                                                    : UINT64_MAX;
    return log_next(cursor, error);
}

void log_close(struct log_cursor *cursor)
{
    if (cursor->stream != NULL)
        (void)gzclose_r(cursor->stream);
    free(cursor->record);
}
