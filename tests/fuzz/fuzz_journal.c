// SPDX-License-Identifier: Apache-2.0
/* What any bytes make of a transaction log and of a snapshot, for libFuzzer: nothing outside of the
 * bytes is read, zxids ascend, and a second reading tells the same.
 *
 * The first byte of an input is 0 for a snapshot, whose bytes the others are. Else they are records
 * of a log, each behind a byte with its length: they get a checksum, so that they are read; what is
 * left over stands behind them as it is. tests/fuzz/seeds has inputs to begin with. */
#include "journal/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FOLDER_MOST 64

static char folder[FOLDER_MOST];

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ------------------------------------------------------------------ files */

static void put(FILE *file, uint64_t value, unsigned width)
{
    while (width-- > 0)
        putc((int)(value >> 8 * width & 0xff), file);
}

static FILE *open_file(const char *name)
{
    char path[FOLDER_MOST + 16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    require(file != NULL);
    return file;
}

static void write_log(const uint8_t *data, size_t size)
{
    FILE *file = open_file("log.5");
    fputs("ZKLG", file);
    put(file, 2, 4);
    put(file, 0, 8);
    while (size > 1 && data[0] < size) {
        put(file, adler32(1, data + 1, data[0]), 8);
        put(file, data[0], 4);
        fwrite(data + 1, 1, data[0], file);
        putc('B', file);
        size -= data[0] + 1UL;
        data += data[0] + 1;
    }
    fwrite(data, 1, size, file);
    require(fclose(file) == 0);
}

/* ------------------------------------------------------------------ what is told */

struct told {
    int64_t last;
    uint64_t transactions, paths, parts, bytes, flaws, znodes, sessions, begins;
};

static void add_text(struct told *told, const struct jute_bytes *text)
{
    for (size_t i = 0; i < text->length; i++)
        told->bytes = told->bytes * 31 + (unsigned char)text->bytes[i];
}

static void hear_transaction(void *context, const struct journal_transaction *transaction)
{
    struct told *told = context;
    struct jute parts = transaction->change.listed, paths = parts;
    struct journal_change part;
    struct jute_bytes path;
    size_t elements = 0;
    require(transaction->zxid > told->last);
    told->last = transaction->zxid;
    told->transactions++;
    add_text(told, &transaction->change.path);
    if (transaction->change.type == JOURNAL_MULTI)
        for (; journal_next_part(&parts, &part); elements++)
            add_text(told, &part.path);
    else
        for (; journal_next_path(&paths, &path); elements++)
            add_text(told, &path);
    require(elements == transaction->change.elements);
    told->parts += elements;
}

static void hear_znode(void *context, const struct journal_znode *znode)
{
    struct told *told = context;
    told->znodes++;
    add_text(told, &znode->path);
}

static void hear_begin(void *context, int64_t zxid, int64_t snapshot)
{
    struct told *told = context;
    require(zxid > told->last);
    told->begins += (uint64_t)zxid + (uint64_t)snapshot;
}

static void hear_session(void *context, int64_t id, int32_t timeout_ms)
{
    struct told *told = context;
    told->sessions += (uint64_t)id + (uint64_t)timeout_ms;
}

static void hear_flaw(void *context, const char *sentence, bool loses)
{
    struct told *told = context;
    told->flaws += strlen(sentence) + loses;
}

static const struct journal_listener listener = {.begin = hear_begin,
                                                 .znode = hear_znode,
                                                 .session = hear_session,
                                                 .transaction = hear_transaction,
                                                 .flaw = hear_flaw};

static void read_journal(struct journal *journal, struct told *told)
{
    struct error error;
    memset(told, 0, sizeof *told);
    require(journal_read(journal, &listener, told, &error) == ERROR_NONE);
}

static void remove_folder(void)
{
    char command[FOLDER_MOST + 16];
    snprintf(command, sizeof command, "rm -r %s", folder);
    (void)!system(command);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A transaction before which a snapshot is asked for: a delete of "/x" with the zxid 5. */
    static const uint8_t fifth[] = {38, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 7, 0, 0, 0, 0, 0,   0,  0,
                                    5,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, '/', 'x'};
    static struct told first, second;
    char *folders[] = {folder};
    struct journal *journal;
    struct error error;
    if (size == 0)
        return 0;
    if (folder[0] == '\0') {
        strcpy(folder, "/tmp/zkherd-fuzz-XXXXXX");
        require(mkdtemp(folder) != NULL && atexit(remove_folder) == 0);
    }
    bool is_snapshot = data[0] == 0;
    write_log(is_snapshot ? fifth : data + 1, is_snapshot ? sizeof fifth : size - 1);
    FILE *snapshot = open_file("snapshot.4");
    fwrite(data + 1, 1, is_snapshot ? size - 1 : 0, snapshot);
    require(fclose(snapshot) == 0);
    require(journal_open(folders, 1, &journal, &error) == ERROR_NONE);
    read_journal(journal, &first);
    read_journal(journal, &second);
    second.flaws = first.flaws; /* behind the first reading's end nothing is looked at */
    require(memcmp(&first, &second, sizeof first) == 0);
    journal_free(journal);
    return 0;
}
