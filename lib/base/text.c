// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "base/clock.h"
#include "base/memory.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unictype.h>
#include <unistr.h>
#include <uniwidth.h>

#define LIST_LENGTH_MAX 4096

bool text_read(char *text, size_t size, const char *path, ...)
{
    char name[PATH_MAX + 64];
    va_list arguments;
    va_start(arguments, path);
    vsnprintf(name, sizeof name, path, arguments);
    va_end(arguments);
    FILE *file = fopen(name, "re");
    text[0] = '\0';
    if (file == NULL)
        return false;
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return text[0] != '\0';
}

/* Reads the digits at *text and moves it behind them. False if there are none, or the number
 * exceeds 64 bits. */
static bool read_digits(const char **text, uint64_t *number)
{
    if (!isdigit((unsigned char)**text))
        return false;
    char *end;
    errno = 0;
    uint64_t value = strtoull(*text, &end, 10);
    if (errno != 0)
        return false;
    *text = end;
    *number = value;
    return true;
}

bool text_parse_number(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *number)
{
    uint64_t value;
    if (!read_digits(&text, &value) || *text != '\0' || value < minimum || value > maximum)
        return false;
    *number = value;
    return true;
}

bool text_parse_hundredths(const char *text, uint64_t minimum, uint64_t maximum,
                           uint64_t *hundredths)
{
    uint64_t whole, part = 0;
    if (!read_digits(&text, &whole) || whole > maximum / 100)
        return false;
    if (*text == '.') {
        size_t digits = strlen(++text);
        if (digits > 2 || !read_digits(&text, &part))
            return false;
        part *= digits == 1 ? 10 : 1;
    }
    uint64_t value = whole * 100 + part;
    if (*text != '\0' || value < minimum || value > maximum)
        return false;
    *hundredths = value;
    return true;
}

#define LONGEST_NS (10.0 * 86400 * 1e9)

bool text_parse_duration(const char *text, uint64_t *duration_ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1},  {"us", 1e3},     {"ms", 1e6},
                 {"s", 1e9}, {"m", 60 * 1e9}, {"h", 3600 * 1e9}};
    char digits[21], *end;
    int length;
    if (strcmp(text, "0") == 0) {
        *duration_ns = 0;
        return true;
    }
    /* strtod alone would take signs, blanks, exponents, hexadecimals and infinities as well. */
    if (!isdigit((unsigned char)text[0]) || sscanf(text, "%20[0-9.]%n", digits, &length) != 1)
        return false;
    double value = strtod(digits, &end);
    for (size_t i = 0; *end == '\0' && i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(text + length, units[i].name) == 0 && value * units[i].ns <= LONGEST_NS) {
            *duration_ns = (uint64_t)(value * units[i].ns + 0.5);
            return true;
        }
    }
    return false;
}

/* Appends an item of a list, "8", "4-8", "8..256x2" or "8..64+8", to at most LIST_LENGTH_MAX
 * numbers. */
static bool append_item(const char *item, uint64_t minimum, uint64_t maximum, uint64_t *list,
                        size_t *count)
{
    uint64_t value, last, stride = 1;
    bool multiplies = false, past_64_bits = false;
    if (!read_digits(&item, &value))
        return false;
    last = value;
    if (*item == '-') {
        item++;
        if (!read_digits(&item, &last))
            return false;
    } else if (strncmp(item, "..", 2) == 0) {
        item += 2;
        if (!read_digits(&item, &last) || (*item != 'x' && *item != '+'))
            return false;
        multiplies = *item++ == 'x';
        if (!read_digits(&item, &stride) || stride < (multiplies ? 2 : 1))
            return false;
    }
    if (*item != '\0' || value < minimum || last > maximum || value > last ||
        (multiplies && value == 0))
        return false;
    while (value <= last && !past_64_bits) {
        if (*count == LIST_LENGTH_MAX)
            return false;
        list[(*count)++] = value;
        past_64_bits = multiplies ? __builtin_mul_overflow(value, stride, &value)
                                  : __builtin_add_overflow(value, stride, &value);
    }
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool text_parse_numbers(const char *text, uint64_t minimum, uint64_t maximum, uint64_t **numbers,
                        size_t *count)
{
    uint64_t *list = memory_new(LIST_LENGTH_MAX, sizeof *list);
    size_t found = 0, kept = 0;
    char item[64];
    while (text_next_item(&text, item, sizeof item)) {
        if (!append_item(item, minimum, maximum, list, &found)) {
            free(list);
            return false;
        }
    }
    qsort(list, found, sizeof *list, compare_numbers);
    for (size_t i = 0; i < found; i++) {
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    }
    *numbers = list;
    *count = kept;
    return true;
}

bool text_next_item(const char **list, char *item, size_t size)
{
    if (*list == NULL)
        return false;
    size_t length = strcspn(*list, ",");
    item[0] = '\0';
    if (length < size) {
        memcpy(item, *list, length);
        item[length] = '\0';
    }
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return true;
}

size_t text_distance(const char *a, const char *b)
{
    size_t row[64];
    size_t a_length = strnlen(a, 63), b_length = strnlen(b, 63);
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t above = row[j];
            bool differ = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
            size_t fewer = (above < row[j - 1] ? above : row[j - 1]) + 1;
            row[j] = diagonal + differ < fewer ? diagonal + differ : fewer;
            diagonal = above;
        }
    }
    return row[b_length];
}

bool text_is_like(const char *word, const char *meant)
{
    return 3 * text_distance(word, meant) <= strlen(meant);
}

const char *text_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const char *text_format_share(size_t count, size_t of, char *text, size_t size)
{
    if (count == 1 && of == 1)
        snprintf(text, size, "the only trial");
    else
        snprintf(text, size, "%zu of %zu trial%s", count, of, of == 1 ? "" : "s");
    return text;
}

const char *text_format_count(uint64_t count, char *text, size_t size)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    size_t at = 0;
    assert(size >= 27);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

const char *text_format_duration(uint64_t duration_ns, char *text, size_t size)
{
    double ns = (double)duration_ns;
    uint64_t seconds = (duration_ns + NS_PER_S / 2) / NS_PER_S;
    /* Below the values that would round up to 1000 of the unit. */
    if (ns < 999.5e3)
        snprintf(text, size, "%.0f us", ns / 1e3);
    else if (ns < 999.5e6)
        snprintf(text, size, "%.3g ms", ns / 1e6);
    else if (seconds < 60)
        snprintf(text, size, "%.1f s", ns / 1e9);
    else if (seconds < 3600)
        snprintf(text, size, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60, seconds % 60);
    else
        snprintf(text, size, "%" PRIu64 " h %02" PRIu64 " min", seconds / 3600,
                 seconds % 3600 / 60);
    return text;
}

void text_append(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

void text_write_base64(const void *bytes, size_t length, FILE *stream)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i += 3) {
        uint32_t second = i + 1 < length ? byte[i + 1] : 0;
        uint32_t third = i + 2 < length ? byte[i + 2] : 0;
        uint32_t triple = (uint32_t)byte[i] << 16 | second << 8 | third;
        putc(digits[triple >> 18], stream);
        putc(digits[triple >> 12 & 63], stream);
        putc(i + 1 < length ? digits[triple >> 6 & 63] : '=', stream);
        putc(i + 2 < length ? digits[triple & 63] : '=', stream);
    }
}

bool text_is_alike(const char *a, const char *b)
{
    static const char digits[] = "0123456789abcdef-"; /* of numbers and GUIDs */
    for (;; a++, b++) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a != *b || *a == '\0')
            return *a == *b;
    }
}

/* ------------------------------------------------------------------ foreign text */

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
