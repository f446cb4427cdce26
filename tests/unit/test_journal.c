// SPDX-License-Identifier: Apache-2.0
/* Transaction logs and snapshots as servers of 3.4 to 3.9 write them; torn, damaged, of other
 * versions, overlapping, with gaps. */
#include "journal/journal.h"

#include "base/memory.h"
#include "tests/support/folder.h"
#include "tests/support/journal_file.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char folder[64], other[80], third[80];

/* The path of a file in the folder, until the next call. */
static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Writes what is in memory, compressed. */
static void write_compressed(const char *name)
{
    gzFile file = gzopen(in_folder(name), "w");
    assert_int_equal(gzwrite(file, journal_file, (unsigned)journal_file_bytes), journal_file_bytes);
    assert_int_equal(gzclose(file), Z_OK);
}

static struct journal *journal;
static struct growing_text told;
static struct error error;
static bool stop;

FIXTURE(set_up)
{
    snprintf(folder, sizeof folder, "/tmp/zkherd-journal-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(other, sizeof other, "%s/other", folder);
    snprintf(third, sizeof third, "%s/third", folder);
    journal_file_digest = false;
    journal_file_cxid = 7;
    journal = NULL;
    stop = false;
    return 0;
}

FIXTURE(tear_down)
{
    journal_free(journal);
    free(told.text);
    told = (struct growing_text){0};
    return folder_remove(folder);
}

#define JOURNAL_TEST(name) TEST_BETWEEN(name, set_up, tear_down)

/* ------------------------------------------------------------------ what is told */

static void print_change(const struct journal_change *change)
{
    static const char *const names[] = {
#define X(NAME, number, name, fields) [JOURNAL_##NAME] = (name),
        JOURNAL_TYPES(X)
#undef X
    };
    growing_text_add(&told, " %s", names[change->type]);
    if (change->path.length > 0)
        growing_text_add(&told, " %.*s", (int)change->path.length, change->path.bytes);
    if (change->ephemeral)
        growing_text_add(&told, " ephemeral");
    if (change->number != 0)
        growing_text_add(&told, " number %" PRId32, change->number);
    if (change->cversion != JOURNAL_NO_CVERSION)
        growing_text_add(&told, " cversion %" PRId32, change->cversion);
}

/* Of a transaction of session 9, which deletes /x, the zxid alone. */
static void print_transaction(void *context, const struct journal_transaction *transaction)
{
    struct jute listed = transaction->change.listed;
    struct jute_bytes path;
    (void)context;
    assert_int_equal(transaction->time_ms, JOURNAL_FILE_TIME(transaction->zxid));
    if (transaction->session == 9) {
        assert_int_equal(transaction->change.type, JOURNAL_DELETE);
        growing_text_add(&told, "%" PRIx64 "\n", (uint64_t)transaction->zxid);
        return;
    }
    growing_text_add(&told, "%" PRIx64 " %" PRIx64 ":", (uint64_t)transaction->zxid,
                     (uint64_t)transaction->session);
    print_change(&transaction->change);
    while (journal_next_path(&listed, &path))
        growing_text_add(&told, " %.*s", (int)path.length, path.bytes);
    growing_text_add(&told, "%s\n", transaction->cxid == 0 ? " by the server" : "");
}

static void print_session(void *context, int64_t id, int32_t timeout_ms)
{
    (void)context;
    growing_text_add(&told, "session %" PRIx64 " of %" PRId32 "\n", (uint64_t)id, timeout_ms);
}

static void print_znode(void *context, const struct journal_znode *znode)
{
    (void)context;
    assert_int_equal(znode->created_ms, JOURNAL_FILE_MS + 1000 * znode->czxid);
    growing_text_add(&told, "%.*s of %" PRIx64 ", created in %" PRIx64 "\n",
                     (int)znode->path.length, znode->path.bytes, (uint64_t)znode->owner,
                     (uint64_t)znode->czxid);
}

/* The number behind a text of the sentence; 0: it has none. */
static unsigned long long number(const char *sentence, const char *text, int base)
{
    const char *found = strstr(sentence, text);
    return found != NULL ? strtoull(found + strlen(text), NULL, base) : 0;
}

static void print_flaw(void *context, const char *sentence, bool loses)
{
    static const char *const words[] = {"cut short",
                                        "wrong checksum",
                                        "cannot be read;",
                                        "no transaction log",
                                        "out, because it is compressed by Snappy",
                                        "no whole snapshot",
                                        "no snapshot",
                                        "Transactions"};
    size_t kind = 0;
    (void)context;
    while (strstr(sentence, words[kind]) == NULL)
        assert_true(++kind < sizeof words / sizeof words[0]);
    if (kind == 7)
        growing_text_add(&told, "GAP%s between %llx and %llx, at least %llx\n",
                         strstr(sentence, "may be") != NULL ? "?" : "",
                         number(sentence, "between ", 16) + number(sentence, "behind ", 16),
                         number(sentence, " and ", 16), number(sentence, "snapshot has ", 16));
    else
        growing_text_add(&told, "%.*s: %s%s at %llu behind %llx\n",
                         (int)strcspn(strrchr(sentence, '/') + 1, " "), strrchr(sentence, '/') + 1,
                         words[kind], loses ? "!" : "", number(sentence, "byte ", 10),
                         number(sentence, "zxid ", 16));
}

static bool go_on(void *context, uint64_t read_bytes, uint64_t of_bytes)
{
    (void)context;
    assert_true(read_bytes <= of_bytes);
    return !stop;
}

static const struct journal_listener listener = {.znode = print_znode,
                                                 .session = print_session,
                                                 .transaction = print_transaction,
                                                 .flaw = print_flaw,
                                                 .progress = go_on};

static void read_again(void)
{
    free(told.text);
    told = (struct growing_text){0};
    growing_text_add(&told, "%s", "");
    assert_int_equal(journal_read(journal, &listener, NULL, &error), ERROR_NONE);
}

static void open_folders(size_t count)
{
    static char *folders[] = {folder, other, third};
    journal_free(journal);
    assert_int_equal(journal_open(folders, count, &journal, &error), ERROR_NONE);
}

static void read_folders(size_t count)
{
    open_folders(count);
    read_again();
}

static void assert_told(const char *text)
{
    assert_string_equal(told.text, text);
}

/* A log of deletes with these zxids, the last 0; its name need not be of the first. */
static void write_zxids(const char *in, const char *name, const long long *zxids)
{
    journal_file_begin("ZKLG", 2);
    for (; *zxids != 0; zxids++)
        journal_file_record(9, *zxids, 2, "s", "/x");
    journal_file_write(in, name, 0);
}

static void write_log(const char *in, const char *name, long long from, long long to)
{
    long long zxids[16] = {0};
    for (size_t i = 0; from + (long long)i <= to; i++)
        zxids[i] = from + (long long)i;
    write_zxids(in, name, zxids);
}

/* ------------------------------------------------------------------ records */

static void put_all_types(void)
{
    journal_file_begin("ZKLG", 2);
    journal_file_record(10, 1, -10, "i", 30000);
    journal_file_record(10, 2, 1, "ssafi", "/a", "data", 1, 5);
    journal_file_record(10, 3, 15, "snafi", "/b", 0, 6);
    journal_file_record(10, 4, 19, "snai", "/c", 7);
    journal_file_record(10, 5, 21, "snail", "/d", 8, 60000LL);
    journal_file_record(10, 6, 5, "ssi", "/b", "new", 1);
    journal_file_record(10, 7, 7, "sai", "/b", 2);
    journal_file_record(10, 8, -1, "i", -110);
    journal_file_record(10, 9, 16, "ssi", "/zookeeper/config", "server", -1);
    journal_file_record(10, 10, 20, "s", "/c");
    journal_file_record(10, 11, 2, "s", "/b");
    journal_file_record(10, 12, 14, "i", 0);
    journal_file_record(10, 13, -11, "is", 1, "/a");
}

#define ALL_TYPES                                                                                  \
    "1 a: createSession number 30000\n"                                                            \
    "2 a: create /a ephemeral cversion 5\n"                                                        \
    "3 a: create2 /b cversion 6\n"                                                                 \
    "4 a: createContainer /c cversion 7\n"                                                         \
    "5 a: createTTL /d cversion 8\n"                                                               \
    "6 a: setData /b number 1\n"                                                                   \
    "7 a: setACL /b number 2\n"                                                                    \
    "8 a: error number -110\n"                                                                     \
    "9 a: reconfig /zookeeper/config number -1\n"                                                  \
    "a a: deleteContainer /c\n"                                                                    \
    "b a: delete /b\n"                                                                             \
    "c a: multi\n"                                                                                 \
    "d a: closeSession /a\n"

/* From 3.6 on a digest follows each record. */
JOURNAL_TEST(every_type_of_transaction_is_read)
{
    for (int digest = 0; digest <= 1; digest++) {
        journal_file_digest = digest == 1;
        put_all_types();
        journal_file_write(folder, "log.1", 4096);
        read_folders(1);
        assert_told(ALL_TYPES);
        read_again();
        assert_told(ALL_TYPES);
        assert_int_equal(journal_logs(journal), 1);
    }
}

/* 3.3 and before write no version of the parent, and servers before 3.6 no paths; a digest may
 * follow where the paths are turned off. */
JOURNAL_TEST(fields_that_a_release_does_not_write_are_unknown)
{
    journal_file_begin("ZKLG", 2);
    journal_file_record(10, 1, 1, "snaf", "/a", 1);
    journal_file_record(10, 2, -11, "");
    journal_file_record(11, 3, -11, "i", 0);
    journal_file_record(12, 4, -11, "iss", 2, "/p", "/q");
    journal_file_digest = true;
    journal_file_record(13, 5, -11, "");
    journal_file_record(14, 6, -11, "is", 1, "/r");
    journal_file_cxid = 0;
    journal_file_record(15, 7, -11, "i", 0);
    journal_file_write(folder, "log.1", 0);
    read_folders(1);
    assert_told("1 a: create /a ephemeral\n"
                "2 a: closeSession\n"
                "3 b: closeSession\n"
                "4 c: closeSession /p /q\n"
                "5 d: closeSession\n"
                "6 e: closeSession /r\n"
                "7 f: closeSession by the server\n");
}

JOURNAL_TEST(a_record_that_cannot_be_read_ends_its_file)
{
    static const struct {
        int type;
        const char *fields;
    } bad[] = {{99, ""}, {2, "i"}, {-10, "ii"}, {14, "iiii"}, {5, "s"}, {2, "n"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        journal_file_begin("ZKLG", 2);
        size_t good = journal_file_bytes;
        journal_file_record(9, 1, 2, "s", "/x");
        size_t at = bad[i].fields[0] == 's'
                        ? journal_file_record(9, 2, bad[i].type, bad[i].fields, "/x")
                        : journal_file_record(9, 2, bad[i].type, bad[i].fields, 1, 14, 4, 0);
        journal_file_record(9, 3, 2, "s", "/x");
        journal_file_write(folder, "log.1", 0);
        read_folders(1);
        char text[128];
        snprintf(text, sizeof text,
                 "1\nlog.1: cannot be read; at %zu behind 1\nGAP between 1 and 0, at least 0\n",
                 at);
        assert_told(text);
        assert_true(at > good);
    }
}

/* ------------------------------------------------------------------ files that are not whole */

JOURNAL_TEST(a_log_that_is_cut_anywhere_is_read_up_to_there)
{
    put_all_types();
    size_t whole = journal_file_bytes;
    for (size_t bytes = 0; bytes < whole; bytes++) {
        journal_file_bytes = bytes;
        journal_file_write(folder, "log.1", 0);
        read_folders(1);
        const char *flaw = strstr(told.text, "log.1:");
        size_t good = flaw != NULL ? (size_t)(flaw - told.text) : told.length;
        assert_memory_equal(told.text, ALL_TYPES, good);
        if (flaw != NULL)
            assert_non_null(strstr(flaw, bytes < 4 ? "no transaction log" : "cut short"));
    }
}

/* What was allocated beforehand is zero behind the part of a record that was written; and a length
 * may be beyond the end of the file. */
JOURNAL_TEST(a_record_whose_end_is_not_there_is_torn)
{
    journal_file_begin("ZKLG", 2);
    journal_file_record(9, 1, 2, "s", "/x");
    size_t at = journal_file_record(9, 2, 2, "s", "/x");
    journal_file_bytes -= 3;
    journal_file_write(folder, "log.1", 1000);
    read_folders(1);
    char text[128];
    snprintf(text, sizeof text, "1\nlog.1: cut short at %zu behind 1\n", at);
    assert_told(text);
    journal_file[at + 9] = 0x7f;
    journal_file_write(folder, "log.1", 0);
    read_folders(1);
    assert_told(text);
    journal_file[at + 8] = 0x7f; /* no record is so long */
    journal_file_write(folder, "log.1", 0);
    read_folders(1);
    assert_non_null(strstr(told.text, "cannot be read; at"));
}

/* The server goes on to write where there were zeros, and in the file that it has just made. */
JOURNAL_TEST(a_second_reading_ends_where_the_first_did)
{
    journal_file_bytes = 0;
    journal_file_write(folder, "log.3", 0);
    write_log(folder, "log.1", 1, 1);
    journal_file_write(folder, "log.1", 1000);
    read_folders(1);
    assert_told("1\n");
    journal_file_record(9, 2, 2, "s", "/x");
    journal_file_write(folder, "log.1", 500);
    write_log(folder, "log.3", 3, 4);
    read_again();
    assert_told("1\n");
}

/* A wrong length does not hide that more follows. What another server has is not missing. */
JOURNAL_TEST(behind_a_wrong_checksum_nothing_is_read)
{
    char text[256];
    assert_int_equal(mkdir(other, 0700), 0);
    for (size_t byte = 11; byte <= 20; byte += 9) {
        journal_file_begin("ZKLG", 2);
        journal_file_record(9, 1, 2, "s", "/x");
        size_t at = journal_file_record(9, 2, 2, "s", "/x");
        journal_file_record(9, 3, 2, "s", "/x");
        journal_file[at + byte] ^= 1;
        journal_file_write(folder, "log.1", 0);
        write_log(folder, "log.4", 4, 4);
        read_folders(1);
        snprintf(text, sizeof text,
                 "1\nlog.1: wrong checksum at %zu behind 1\nGAP between 1 and 4, at least 0\n4\n",
                 at);
        assert_told(text);
    }
    write_log(other, "log.2", 2, 3);
    read_folders(2);
    assert_null(strstr(told.text, "GAP"));
    journal_file_begin("ZKLG", 2); /* nobody knows which it is */
    journal_file[journal_file_record(9, 1, 2, "s", "/x") + 20] ^= 1;
    journal_file_write(folder, "log.1", 0);
    read_folders(2);
    assert_non_null(strstr(told.text, "wrong checksum! at 16 behind 0"));
}

/* ------------------------------------------------------------------ several files */

#define SNAPSHOT                                                                                   \
    "session a of 30000\n"                                                                         \
    "/locks of 0, created in 2\n"                                                                  \
    "/locks/n-0000000001 of a, created in 5\n"                                                     \
    "/container of 0, created in 6\n"                                                              \
    "/ttl of 0, created in 7\n"

static void write_snapshot(const char *name, bool whole)
{
    journal_file_begin("ZKSN", 2);
    journal_file_put("ili", 1, 0xaLL, 30000);
    journal_file_put("ila", 1, 1LL);
    journal_file_znode("", 0, 0);
    journal_file_znode("/locks", 0, 2);
    journal_file_znode("/locks/n-0000000001", 0xa, 5);
    journal_file_znode("/container", (long long)((unsigned long long)1 << 63), 6);
    journal_file_znode("/ttl", (long long)0xff00000000000100ULL, 7);
    journal_file_znode("/later", 0xa, 11);
    journal_file_seal();
    journal_file[200] ^= !whole;
    journal_file_write(folder, name, 0);
}

/* Returns the number of folders. */
static size_t lay_out_files(const char *const logs[4])
{
    size_t folders = 1;
    for (size_t i = 0; i < 4 && logs[i] != NULL; i++) {
        long long zxids[16] = {0};
        char name[32];
        int at = 0, length;
        bool whole = logs[i][0] != '!';
        if (strncmp(logs[i], "third/", 6) == 0)
            folders = 3;
        else if (strncmp(logs[i], "other/", 6) == 0 && folders < 2)
            folders = 2;
        if (strstr(logs[i], "snapshot") != NULL) {
            write_snapshot(logs[i] + !whole, whole);
            continue;
        }
        assert_int_equal(sscanf(logs[i], "%31s%n", name, &at), 1);
        for (size_t k = 0; sscanf(logs[i] + at, "%llx%n", &zxids[k], &length) == 1; k++)
            at += length;
        write_zxids(folder, name, zxids);
    }
    return folders;
}

/* Logs, each "name zxid...", those of other folders behind "other/" and "third/", and snapshots,
 * damaged with a "!" in front; what is told of them. */
JOURNAL_TEST(what_several_files_have_is_told_in_the_order_of_zxids)
{
    static const struct {
        const char *logs[4];
        const char *told;
    } cases[] = {
        {{"log.1 1 2", "log.a a b", "log.3 3 4 5 6 7 8 9"}, "1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\n"},
        /* Two servers have the same, in files that begin elsewhere. */
        {{"log.1 1 2 3", "other/log.2 2 3 4 5", "log.6 6", "other/log.6 6 7"},
         "1\n2\n3\n4\n5\n6\n7\n"},
        /* A server that was away is sent a snapshot, and goes on in the same file. */
        {{"log.5 100000001 100000002 200000001 200000002",
          "other/log.100000003.gz 100000001 100000002 100000003 200000001"},
         "100000001\n100000002\n100000003\n200000001\n200000002\n"},
        /* No server that has the last transaction of an epoch has the first of the next one. */
        {{"log.1 100000001 100000002", "other/log.1 100000001 200000001"},
         "100000001\n100000002\nGAP? between 100000002 and 200000001, at least 0\n200000001\n"},
        /* What a leader has proposed was not committed if most servers go on without it, unless a
         * snapshot has it. */
        {{"log.1 100000001 100000002 100000003", "other/log.1 100000001 200000001",
          "third/log.1 100000001 200000001"},
         "100000001\n200000001\n"},
        {{"log.1 100000001 100000002 100000003", "other/log.1 100000001 200000001",
          "third/log.1 100000001 200000001", "third/snapshot.100000002"},
         "100000001\n100000002\n100000003\n"
         "GAP? between 100000003 and 200000001, at least 0\n200000001\n"},
        {{"log.1 100000001 100000002 100000003", "other/log.1 100000001 100000003",
          "third/log.1 100000001 100000003"},
         "100000001\n100000002\n100000003\n"},
        {{"log.1 100000001 100000002", "other/log.1 100000001 300000005",
          "third/log.1 100000001 300000005"},
         "100000001\n100000002\nGAP? between 100000002 and 300000005, at least 0\n300000005\n"},
        {{"log.1 100000001 200000000 200000001", "other/log.1 100000001 200000001",
          "third/log.1 100000001 200000001"},
         "100000001\n200000000\n200000001\n"},
        {{"log.1 100000001", "other/log.1 200000001", "third/log.1 200000001"},
         "100000001\nGAP? between 100000001 and 200000001, at least 0\n200000001\n"},
        /* The upper half of a zxid is the epoch: a new leader begins again with 0 or 1. */
        {{"log.100000001 100000001 100000002", "log.200000001 200000001", "log.400000000 400000000",
          "log.500000005 500000005"},
         "100000001\n100000002\n200000001\n400000000\n"
         "GAP? between 400000000 and 500000005, at least 0\n500000005\n"},
        {{"version-2/log.1 1"}, "1\n"},
        /* A snapshot has what was there before the log: the first that was made behind the log's
         * beginning is taken; between an older one and the log something is missing. */
        {{"snapshot.c", "log.b b c"}, SNAPSHOT "b\nc\n"},
        {{"snapshot.5", "log.b b"}, "log.b: no snapshot! at 0 behind 0\nb\n"},
        {{"snapshot.5", "!snapshot.b", "snapshot.a", "log.b b"}, SNAPSHOT "b\n"},
        {{"!snapshot.a", "log.b b"},
         "snapshot.a: no whole snapshot at 0 behind 0\nlog.b: no snapshot! at 0 behind 0\nb\n"},
        {{"!snapshot.0", "log.1 1"}, "1\n"}, /* a log of the beginning needs none */
        /* A snapshot has a later transaction of the epoch; what follows begins with that. */
        {{"snapshot.100000004", "log.1 100000001 200000001"},
         "100000001\nGAP between 100000001 and 200000001, at least 100000004\n" SNAPSHOT
         "/later of a, created in b\n200000001\n"},
        {{"log.1 1 2", "snapshot.4"}, "1\n2\nGAP between 2 and 0, at least 4\n"},
        /* What followed the snapshot in its epoch may have been in a log that is gone. */
        {{"snapshot.100000004", "log.200000001 200000001"},
         "log.200000001: no snapshot! at 0 behind 0\n" SNAPSHOT
         "/later of a, created in b\n200000001\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(mkdir(other, 0700), 0);
        assert_int_equal(mkdir(third, 0700), 0);
        if (strncmp(cases[i].logs[0], "version-2", 9) == 0)
            assert_int_equal(mkdir(in_folder("version-2"), 0700), 0);
        read_folders(lay_out_files(cases[i].logs));
        assert_told(cases[i].told);
        assert_int_equal(folder_remove(folder), 0);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
}

static void assert_refused(const char *why)
{
    open_folders(2);
    assert_int_equal(journal_read(journal, &listener, NULL, &error), ERROR_OTHER_ENSEMBLE);
    assert_non_null(strstr(error.subject, folder));
    assert_non_null(strstr(error.detail, why));
    assert_non_null(strstr(error.detail, folder));
}

JOURNAL_TEST(folders_of_two_ensembles_are_refused)
{
    assert_int_equal(mkdir(other, 0700), 0);
    write_log(folder, "log.1", 1, 2);
    journal_file_digest = true; /* which may differ */
    write_log(other, "log.1", 1, 1);
    journal_file_record(9, 2, 2, "s", "/y");
    journal_file_write(other, "log.1", 0);
    assert_refused("transaction 0x2 is not that of");
}

static void write_servers(const char *where, const char *name, const char *servers)
{
    journal_file_begin("ZKSN", 2);
    journal_file_put("ii", 0, 0);
    journal_file_znode("", 0, 0);
    journal_file_put("ssl", "/zookeeper/config", servers, 1LL);
    journal_file_put("llll", 0LL, 0LL, 0LL, 0LL);
    journal_file_put("iiill", 0, 0, 0, 0LL, 0LL);
    journal_file_seal();
    journal_file_write(where, name, 0);
}

/* Though their transactions have no number in common. */
JOURNAL_TEST(folders_whose_snapshots_name_other_servers_are_refused)
{
    assert_int_equal(mkdir(other, 0700), 0);
    write_log(folder, "log.1", 1, 2);
    write_log(other, "log.100000001", 0x100000001, 0x100000002);
    write_servers(folder, "snapshot.0",
                  "server.1=a:2:3:participant;0.0.0.0:1\nserver.2=b:2:3:participant;1\n");
    write_servers(other, "snapshot.0",
                  "server.2=c:2:3:participant;1\nserver.1=d:2:3:participant\nversion=0");
    assert_refused("names other servers than that of");
    write_servers(other, "snapshot.1",
                  "server.2=b:2:3:participant;9\nserver.3=d:2:3:participant\nversion=0");
    read_folders(2);
}

/* Two of three servers are a majority, two of four are not; who observes does not vote. */
JOURNAL_TEST(a_majority_settles_what_two_folders_have)
{
    static const char *const servers[] = {
        "", "server.1=a:2:3:participant;1\nserver.2=b:2:3\nserver.3=c:2:3:participant;1\n",
        "server.1=a:2:3;1\nserver.2=b:2:3;1\nserver.3=c:2:3;1\nserver.4=d:2:3:observer;1\n",
        "server.1=a:2:3;1\nserver.2=b:2:3;1\nserver.3=c:2:3;1\nserver.4=d:2:3;1\n"};
    assert_int_equal(mkdir(other, 0700), 0);
    journal_file_begin("ZKLG", 2);
    journal_file_write(folder, "currentEpoch", 0);
    write_log(folder, "log.100000001", 0x100000001, 0x100000003);
    write_log(other, "log.100000001", 0x100000001, 0x100000002);
    for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++) {
        int64_t from;
        write_servers(folder, "snapshot.0", servers[i]);
        read_folders(2);
        assert_int_equal(journal_unsettled(journal, &from), i < 3 ? 1 : 3);
        assert_int_equal(from, i < 3 ? 0x100000003 : 0x100000001);
    }
}

/* Copies are compressed; one that is cut short is read up to there. */
JOURNAL_TEST(a_log_may_be_compressed)
{
    put_all_types();
    write_compressed("log.1.gz");
    read_folders(1);
    assert_told(ALL_TYPES);
    read_again();
    assert_told(ALL_TYPES);
    assert_int_equal(truncate(in_folder("log.1.gz"), 150), 0);
    read_folders(1);
    assert_non_null(strstr(told.text, "log.1.gz: cut short at"));
    assert_non_null(strstr(told.text, "GAP"));
}

/* ------------------------------------------------------------------ snapshots */

JOURNAL_TEST(a_snapshot_may_be_compressed_but_not_by_all_means)
{
    write_snapshot("snapshot.a", false);
    memcpy(journal_file, "\x82SNAPPY", 7);
    journal_file_write(folder, "snapshot.b.snappy", 0);
    write_log(folder, "log.b", 11, 11);
    read_folders(1);
    assert_told("snapshot.a: no whole snapshot at 0 behind 0\n"
                "snapshot.b.snappy: out, because it is compressed by Snappy at 0 behind 0\n"
                "log.b: no snapshot! at 0 behind 0\nb\n");
    assert_int_equal(unlink(in_folder("snapshot.a")), 0);
    write_snapshot("raw", true);
    write_compressed("snapshot.a.gz");
    read_folders(1);
    assert_told(SNAPSHOT "b\n");
}

/* ------------------------------------------------------------------ folders */

JOURNAL_TEST(a_log_that_cannot_be_opened_is_an_error)
{
    write_log(folder, "log.1", 1, 1);
    open_folders(1);
    assert_int_equal(unlink(in_folder("log.1")), 0);
    assert_int_equal(journal_read(journal, &listener, NULL, &error), ERROR_SYSTEM);
    assert_string_equal(error.subject, in_folder("log.1"));
}

JOURNAL_TEST(a_reading_can_be_ended)
{
    write_log(folder, "log.1", 1, 1);
    journal_file_write(folder, "log.1", 2 << 20);
    open_folders(1);
    stop = true;
    assert_int_equal(journal_read(journal, &listener, NULL, &error), ERROR_INTERRUPTED);
}
