// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unictype.h>
#include <unistr.h>
#include <uniwidth.h>

#define CUT         "..."
#define CUT_LENGTH  (sizeof CUT - 1)
#define ESCAPE_SIZE sizeof "\\U0010ffff"

/* Controls, marks of direction, line and paragraph separators, and what is ignorable by default.
 * XML, and so SVG, forbids U+FFFE and U+FFFF. */
static bool is_unseen(ucs4_t code)
{
    const uint32_t unseen =
        UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf | UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp;
    return uc_is_general_category_withtable(code, unseen) ||
           uc_is_property_default_ignorable_code_point(code) || (code | 1) == 0xffff;
}

size_t printable_decode(const char *bytes, size_t length, uint32_t *code)
{
    ucs4_t decoded;
    int read = length > 0 ? u8_mbtoucr(&decoded, (const uint8_t *)bytes, length) : 0;
    if (read <= 0)
        return 0;
    *code = decoded;
    return (size_t)read;
}

/* Writes the printable form of the first character or byte (ESCAPE_SIZE bytes). Returns its length;
 * *used: the bytes of the text that it stands for. */
static size_t make_printable(const char *bytes, size_t length, char *made, size_t *used)
{
    uint32_t code = 0;
    size_t read = printable_decode(bytes, length, &code);
    *used = read > 0 ? read : 1;
    if (read > 0 && !is_unseen(code)) {
        memcpy(made, bytes, read);
        return read;
    }
    int written;
    if (read <= 1)
        written = snprintf(made, ESCAPE_SIZE, "\\x%02x", (unsigned char)bytes[0]);
    else if (code <= 0xffff)
        written = snprintf(made, ESCAPE_SIZE, "\\u%04" PRIx32, code);
    else
        written = snprintf(made, ESCAPE_SIZE, "\\U%08" PRIx32, code);
    return (size_t)written;
}

const char *printable_bytes(const void *bytes, size_t length, char *text, size_t size)
{
    const char *from = bytes;
    size_t at = 0, cut_at = 0, used;
    assert(size > CUT_LENGTH);
    while (length > 0) {
        char made[ESCAPE_SIZE];
        size_t made_length = make_printable(from, length, made, &used);
        if (at + made_length >= size) {
            memcpy(text + cut_at, CUT, CUT_LENGTH + 1);
            return text;
        }
        memcpy(text + at, made, made_length);
        at += made_length;
        if (at + CUT_LENGTH < size)
            cut_at = at;
        from += used;
        length -= used;
    }
    text[at] = '\0';
    return text;
}

const char *printable_text(const char *foreign, char *text, size_t size)
{
    return printable_bytes(foreign, strlen(foreign), text, size);
}

/* The columns of the first character; *bytes: its length. */
static size_t columns_of(const char *text, size_t length, size_t *bytes)
{
    uint32_t code = 0;
    *bytes = printable_decode(text, length, &code);
    if (*bytes == 0)
        *bytes = 1;
    return uc_width(code, "UTF-8") == 2 ? 2 : 1;
}

size_t printable_columns(const char *text, size_t length)
{
    size_t columns = 0, bytes;
    for (size_t at = 0; at < length; at += bytes)
        columns += columns_of(text + at, length - at, &bytes);
    return columns;
}

char *printable_cut(char *text, size_t columns)
{
    size_t length = strlen(text), cut_at = 0, width = 0, bytes;
    assert(columns >= CUT_LENGTH);
    for (size_t at = 0; at < length; at += bytes) {
        width += columns_of(text + at, length - at, &bytes);
        if (width > columns) {
            memcpy(text + cut_at, CUT, CUT_LENGTH + 1);
            return text;
        }
        if (width + CUT_LENGTH <= columns)
            cut_at = at + bytes;
    }
    return text;
}
