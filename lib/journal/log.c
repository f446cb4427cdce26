// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#define LOG_MAGIC    0x5a4b4c47 /* ZKLG */
#define BUFFER_BYTES 262144
#define HEAD_BYTES   12 /* before a record: its checksum and its length */
#define RECORD_END   'B'
/* Far more than jute.maxbuffer lets a request have; a longer one is none. */
#define RECORD_MOST 67108864

static struct jute begin(const void *bytes, size_t count)
{
    return (struct jute){.bytes = bytes, .left = count};
}

/* Whether a log begins here; a file without a byte is one that its server has just made. */
static bool read_header(const struct reading *reading, struct journal_file *file, FILE *stream)
{
    unsigned char header[FILE_HEADER_BYTES];
    size_t count =
        fread(header, 1, file->bytes < sizeof header ? file->bytes : sizeof header, stream);
    struct jute jute = begin(header, count);
    if (count == 0)
        return false;
    bool is_log = jute_int(&jute) == LOG_MAGIC, is_known = jute_int(&jute) == FILE_VERSION;
    if (count == sizeof header && is_log && is_known)
        return true;
    reading_flaw(reading,
                 !is_log                  ? JOURNAL_NOT_A_LOG
                 : count == sizeof header ? JOURNAL_OTHER_VERSION
                                          : JOURNAL_TORN,
                 file, 0);
    return false;
}

static void make_room(struct reading *reading, size_t bytes)
{
    if (bytes <= reading->room)
        return;
    free(reading->record);
    reading->room = 2 * bytes;
    reading->record = memory_new(reading->room, 1);
}

enum record_state { RECORD_WHOLE, RECORD_END_OF_LOG, RECORD_FLAWED };

/* Reads the next record into reading->record. What was allocated beforehand is zero: the end. */
static enum record_state next_record(struct reading *reading, struct journal_file *file,
                                     FILE *stream, uint64_t at, uint32_t *length,
                                     enum journal_flaw_kind *flaw)
{
    unsigned char head[HEAD_BYTES];
    uint64_t left = (file->end > 0 ? file->end : file->bytes) - at;
    size_t count = fread(head, 1, left < sizeof head ? left : sizeof head, stream);
    struct jute jute = begin(head, count);
    uint64_t checksum = (uint64_t)jute_long(&jute);
    *length = (uint32_t)jute_int(&jute);
    *flaw = JOURNAL_TORN;
    if (count == 0 || (count == sizeof head && checksum == 0 && *length == 0))
        return RECORD_END_OF_LOG;
    if (count < sizeof head || *length >= left - sizeof head)
        return RECORD_FLAWED;
    if (*length > RECORD_MOST) {
        *flaw = JOURNAL_UNREADABLE;
        return RECORD_FLAWED;
    }
    make_room(reading, *length + 1UL);
    if (fread(reading->record, 1, *length + 1UL, stream) != *length + 1UL ||
        reading->record[*length] != RECORD_END)
        return RECORD_FLAWED;
    *flaw = JOURNAL_CHECKSUM;
    return adler32(1, reading->record, *length) == checksum ? RECORD_WHOLE : RECORD_FLAWED;
}

/* The zxids of an epoch, the upper half, are without a gap. */
static bool follows(int64_t last, int64_t zxid)
{
    return last == 0 || zxid == last + 1 || (zxid >> 32 > last >> 32 && (zxid & UINT32_MAX) <= 1);
}

static void tell(struct reading *reading, const struct journal_file *file,
                 const struct journal_transaction *transaction, uint64_t at)
{
    if (transaction->zxid <= reading->last)
        return;
    if (!follows(reading->last, transaction->zxid))
        reading_flaw(reading, JOURNAL_GAP, file, at);
    reading->last = transaction->zxid;
    reading->listener->transaction(reading->context, transaction);
}

static void read_records(struct reading *reading, struct journal_file *file, FILE *stream)
{
    enum record_state state = RECORD_WHOLE;
    enum journal_flaw_kind flaw;
    struct journal_transaction transaction;
    uint64_t at = FILE_HEADER_BYTES;
    while (state == RECORD_WHOLE) {
        uint32_t length;
        state = next_record(reading, file, stream, at, &length, &flaw);
        if (state == RECORD_WHOLE && !transaction_read(reading->record, length, &transaction)) {
            state = RECORD_FLAWED;
            flaw = JOURNAL_UNREADABLE;
        }
        if (state == RECORD_WHOLE) {
            tell(reading, file, &transaction, at);
            at += HEAD_BYTES + length + 1UL;
            if (!reading_goes_on(reading, HEAD_BYTES + length + 1UL))
                return;
        }
    }
    if (state == RECORD_FLAWED && !ferror(stream))
        reading_flaw(reading, flaw, file, at);
    file->end = at;
}

enum error_kind log_read(struct reading *reading, struct journal_file *file, struct error *error)
{
    FILE *stream = fopen(file->path, "re");
    enum error_kind kind = ERROR_NONE;
    if (stream == NULL)
        return error_from_errno(error, errno, file->path, "opening it");
    (void)setvbuf(stream, NULL, _IOFBF, BUFFER_BYTES);
    uint64_t before = reading->read_bytes;
    if (read_header(reading, file, stream))
        read_records(reading, file, stream);
    if (ferror(stream))
        kind = error_from_errno(error, errno, file->path, "reading it");
    (void)fclose(stream);
    /* Also what was not read: what was allocated beforehand, or is behind a flaw. */
    reading->read_bytes = before;
    if (kind == ERROR_NONE && !reading->ended)
        (void)reading_goes_on(reading, file->bytes);
    return kind;
}
