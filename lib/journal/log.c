// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>

#define LOG_MAGIC  0x5a4b4c47 /* ZKLG */
#define HEAD_BYTES 12         /* before a record: its checksum and its length */
#define RECORD_END 'B'
/* Far more than jute.maxbuffer lets a request have; a longer one is none. */
#define RECORD_MOST 67108864

enum record_state { RECORD_WHOLE, RECORD_END_OF_LOG, RECORD_FLAWED };

/* Reads as many of the bytes as there are before the limit. */
static size_t take(struct log_cursor *cursor, void *bytes, size_t count)
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

/* ------------------------------------------------------------------ a record */

/* A file without a byte is one that its server has just made. */
static enum record_state read_header(struct log_cursor *cursor, struct journal_flaw *flaw)
{
    unsigned char header[FILE_HEADER_BYTES];
    size_t count = take(cursor, header, sizeof header);
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

static void make_room(struct log_cursor *cursor, size_t bytes)
{
    if (bytes <= cursor->room)
        return;
    free(cursor->record);
    cursor->room = 2 * bytes;
    cursor->record = memory_new(cursor->room, 1);
}

/* Reads the next record. What was allocated beforehand is zero: the end. */
static enum record_state read_record(struct log_cursor *cursor, enum journal_flaw_kind *flaw)
{
    unsigned char head[HEAD_BYTES];
    size_t count = take(cursor, head, sizeof head);
    struct jute jute = {.bytes = head, .left = count};
    uint64_t checksum = (uint64_t)jute_long(&jute);
    uint32_t length = (uint32_t)jute_int(&jute);
    *flaw = JOURNAL_TORN;
    if ((count == 0 && state_of(cursor) == Z_OK) ||
        (count == sizeof head && checksum == 0 && length == 0))
        return RECORD_END_OF_LOG;
    if (count < sizeof head || length >= cursor->limit - cursor->position)
        return RECORD_FLAWED;
    if (length > RECORD_MOST) {
        *flaw = JOURNAL_UNREADABLE;
        return RECORD_FLAWED;
    }
    make_room(cursor, length + 1UL);
    if (take(cursor, cursor->record, length + 1UL) != length + 1UL ||
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

/* ------------------------------------------------------------------ a log */

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

enum error_kind log_next(struct log_cursor *cursor, struct reading *reading, struct error *error)
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

enum error_kind log_open(struct log_cursor *cursor, struct reading *reading,
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

void log_close(struct log_cursor *cursor)
{
    if (cursor->stream != NULL)
        (void)gzclose_r(cursor->stream);
    free(cursor->record);
    *cursor = (struct log_cursor){.done = true};
}
