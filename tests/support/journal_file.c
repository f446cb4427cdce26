// SPDX-License-Identifier: Apache-2.0
#include "tests/support/journal_file.h"

#include <zlib.h>

unsigned char journal_file[JOURNAL_FILE_MOST];
size_t journal_file_bytes;
bool journal_file_digest;
long long journal_file_at_ms;
int journal_file_cxid = 7;

static void put_integer(uint64_t value, unsigned width)
{
    assert_true(journal_file_bytes + width <= sizeof journal_file);
    while (width-- > 0)
        journal_file[journal_file_bytes++] = (unsigned char)(value >> 8 * width);
}

static void put_text(const char *text)
{
    size_t length = strlen(text);
    put_integer(length, 4);
    assert_true(journal_file_bytes + length <= sizeof journal_file);
    memcpy(journal_file + journal_file_bytes, text, length);
    journal_file_bytes += length;
}

static void put_list(va_list *values)
{
    const char(*texts)[JOURNAL_FILE_PATH] = va_arg(*values, const char(*)[JOURNAL_FILE_PATH]);
    int count = va_arg(*values, int);
    put_integer((uint64_t)count, 4);
    for (int i = 0; i < count; i++)
        put_text(texts[i]);
}

static void put(const char *fields, va_list list)
{
    va_list values; /* a parameter has no address that can be handed on */
    va_copy(values, list);
    for (; *fields != '\0'; fields++) {
        switch (*fields) {
        case 'i':
            put_integer((uint64_t)va_arg(values, int), 4);
            break;
        case 'l':
            put_integer((uint64_t)va_arg(values, long long), 8);
            break;
        case 'f':
            put_integer((uint64_t)va_arg(values, int), 1);
            break;
        case 's':
            put_text(va_arg(values, const char *));
            break;
        case 'n':
            put_integer((uint64_t)-1, 4);
            break;
        case 'v':
            put_list(&values);
            break;
        default:
            put_integer(1, 4);
            put_integer(31, 4);
            put_text("world");
            put_text("anyone");
        }
    }
    va_end(values);
}

void journal_file_begin(const char *magic, int version)
{
    journal_file_bytes = 0;
    for (int i = 0; i < 4; i++)
        put_integer((unsigned char)magic[i], 1);
    put_integer((uint64_t)version, 4);
    put_integer(0, 8);
}

void journal_file_put(const char *fields, ...)
{
    va_list values;
    va_start(values, fields);
    put(fields, values);
    va_end(values);
}

size_t journal_file_record(long long session, long long zxid, int type, const char *fields, ...)
{
    size_t at = journal_file_bytes;
    va_list values;
    journal_file_put("li", 0LL, 0); /* the checksum and the length, below */
    journal_file_put("lilli", session, journal_file_cxid, zxid,
                     journal_file_at_ms != 0 ? journal_file_at_ms : JOURNAL_FILE_TIME(zxid), type);
    va_start(values, fields);
    put(fields, values);
    va_end(values);
    if (journal_file_digest)
        journal_file_put("il", 2, 123456789LL);
    size_t end = journal_file_bytes, length = end - at - 12;
    journal_file_bytes = at;
    put_integer(adler32(1, journal_file + at + 12, (uInt)length), 8);
    put_integer(length, 4);
    journal_file_bytes = end;
    put_integer('B', 1);
    return at;
}

void journal_file_seal(void)
{
    put_text("/");
    put_integer(adler32(1, journal_file, (uInt)journal_file_bytes), 8);
    put_text("/");
}

void journal_file_znode_at(const char *path, long long owner, long long czxid, long long ms)
{
    journal_file_put(owner != 0 ? "ss" : "sn", path, "some data");
    journal_file_put("lllll", 1LL, czxid, czxid, ms, JOURNAL_FILE_MS);
    journal_file_put("iiill", 0, 1000, 0, owner, czxid);
}

void journal_file_znode(const char *path, long long owner, long long czxid)
{
    journal_file_znode_at(path, owner, czxid, JOURNAL_FILE_MS + 1000 * czxid);
}

void journal_file_write(const char *folder, const char *name, size_t zeros)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(journal_file, 1, journal_file_bytes, file), journal_file_bytes);
    for (; zeros > 0; zeros--)
        assert_int_equal(putc(0, file), 0);
    assert_int_equal(fclose(file), 0);
}
