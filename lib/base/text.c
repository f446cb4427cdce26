// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "base/clock.h"
#include "base/memory.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_LENGTH_MAX 4096

bool text_read(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
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
    /* strtod alone would take signs, blanks, exponents, hexadecimals and infinities as well. */
    size_t length = strspn(text, "0123456789."), unit = 0;
    char digits[24], *end;
    if (strcmp(text, "0") == 0) {
        *duration_ns = 0;
        return true;
    }
    if (length == 0 || length > 20 || !isdigit((unsigned char)text[0]))
        return false;
    snprintf(digits, sizeof digits, "%.*s", (int)length, text);
    double value = strtod(digits, &end);
    while (unit < sizeof units / sizeof units[0] && strcmp(text + length, units[unit].name) != 0)
        unit++;
    if (*end != '\0' || unit == sizeof units / sizeof units[0] ||
        value * units[unit].ns > LONGEST_NS)
        return false;
    *duration_ns = (uint64_t)(value * units[unit].ns + 0.5);
    return true;
}

/* An item of a list of numbers: first..last, then x and a factor, or + and a step. */
struct range {
    uint64_t first, last, stride;
    char kind; /* '\0': without a step */
};

/* Reads as much of a range as is there; false if it begins with no number, or something follows. */
static bool read_range(const char *item, struct range *range)
{
    *range = (struct range){.kind = '+', .stride = 1};
    if (!read_digits(&item, &range->first))
        return false;
    range->last = range->first;
    if (*item == '\0')
        return true;
    if (strncmp(item, "..", 2) != 0)
        return false;
    item += 2;
    if (!read_digits(&item, &range->last))
        return false;
    range->kind = *item;
    if (*item == '\0')
        return true;
    item++;
    return (range->kind == 'x' || range->kind == '+') && read_digits(&item, &range->stride) &&
           *item == '\0';
}

/* Appends the numbers of a range to a list of at most LIST_LENGTH_MAX. */
static bool append_range(const struct range *range, uint64_t *list, size_t *count)
{
    bool multiplies = range->kind == 'x', past_64_bits = false;
    uint64_t value = range->first;
    if (range->first > range->last || range->kind == '\0' || range->stride == 0 ||
        (multiplies && (range->stride < 2 || range->first == 0)))
        return false;
    while (value <= range->last && !past_64_bits) {
        if (*count == LIST_LENGTH_MAX)
            return false;
        list[(*count)++] = value;
        past_64_bits = multiplies ? __builtin_mul_overflow(value, range->stride, &value)
                                  : __builtin_add_overflow(value, range->stride, &value);
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
    struct range range;
    char item[64];
    bool good = *text != '\0';
    while (good && text_next_item(&text, item, sizeof item))
        good = read_range(item, &range) && range.first >= minimum && range.first <= maximum &&
               range.last >= minimum && range.last <= maximum && append_range(&range, list, &found);
    if (!good) {
        free(list);
        return false;
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

bool text_explain_range(const char *list, char *text, size_t size)
{
    struct range range;
    char item[64];
    while (text_next_item(&list, item, sizeof item)) {
        (void)read_range(item, &range);
        if (range.first > range.last && strstr(item, "..") != NULL)
            snprintf(text, size, "the range is reversed: %" PRIu64 " is more than %" PRIu64,
                     range.first, range.last);
        else if (range.kind == '\0')
            snprintf(text, size, "the range lacks its step: %sx2 doubles, %s+8 adds 8", item, item);
        else
            continue;
        return true;
    }
    return false;
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
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

void text_append_clause(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    if (length > 0)
        length += (size_t)snprintf(text + length, size - length, "; ");
    va_start(arguments, format);
    if (length < size)
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

/* How long the number is that the text begins with; 0: none. A GUID is one, its hyphens included:
 * the names of znodes have them. */
static size_t number_length(const char *text)
{
    size_t hexadecimal = strspn(text, "0123456789abcdef");
    return hexadecimal >= 8 ? strspn(text, "0123456789abcdef-") : strspn(text, "0123456789");
}

bool text_says_the_same(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        size_t in_a = number_length(a), in_b = number_length(b);
        if ((in_a > 0) != (in_b > 0) || (in_a == 0 && *a != *b))
            return false;
        a += in_a > 0 ? in_a : 1;
        b += in_b > 0 ? in_b : 1;
    }
    return *a == *b;
}
