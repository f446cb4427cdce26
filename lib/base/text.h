// SPDX-License-Identifier: Apache-2.0
/*
 * text: numbers, durations and lists as people write them, and foreign text made safe for a
 * terminal. Layer: base.
 *
 * Text of others may contain bytes that a terminal obeys, or that change how the rest is read:
 * escape sequences, marks of writing direction, characters without width. It is printed only
 * through printable_text and its kin. Data files (CSV, JSON) keep it unchanged.
 *
 * Invariant: a parser takes the whole string or nothing; on false its outputs are unchanged.
 * Printable text is UTF-8 on one line; every character is visible, by itself or as an accent on the
 * one before, and every omission is marked.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reads the beginning of a file, whose path is a format, at most size - 1 bytes. False, with "", if
 * there is nothing to read, or the file cannot be read. */
bool text_read(char *text, size_t size, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

/* A decimal number in minimum … maximum, without sign and blanks; and one with at most two
 * decimals, in hundredths, as the bounds are: "0.25" is 25. */
bool text_parse_number(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *number);
bool text_parse_hundredths(const char *text, uint64_t minimum, uint64_t maximum,
                           uint64_t *hundredths);

/* A duration: 0, or a decimal number, possibly with a fraction, and a unit: ns, us, ms, s, m or h.
 * At most ten days. */
bool text_parse_duration(const char *text, uint64_t *duration_ns);

/* A list of numbers in minimum … maximum: "10,20", a range "8-12" of all numbers, one with a factor
 * "8..256x2" (2 or more) or with a step "8..64+8", or several of these with commas. *numbers is
 * sorted and without repetitions; *count is at least 1; the caller must free(*numbers). */
bool text_parse_numbers(const char *text, uint64_t minimum, uint64_t maximum, uint64_t **numbers,
                        size_t *count);

/* Copies the next item of a comma-separated list to item (size bytes), and moves *list behind its
 * comma. An item that does not fit becomes "". False at the end of the list. */
bool text_next_item(const char **list, char *item, size_t size);

/* The edit distance of two words (Levenshtein), ignoring case, cut to 63 characters; and whether it
 * is so small, at most a third of the length of `meant`, that `word` may be a misspelling. */
size_t text_distance(const char *a, const char *b);
bool text_is_like(const char *word, const char *meant);

/* Whether two texts are the same but for numbers, and the letters that hexadecimal ones have. */
bool text_is_alike(const char *a, const char *b);

/* Write for a person, and return text: a count with thousands separated, "1,001,000" (size >= 27);
 * a number of trials, "2 of 5 trials", and of one "the only trial" (size >= 64); a duration,
 * "850 us", "1.4 s", "2 min 05 s" (size >= 32). */
const char *text_format_count(uint64_t count, char *text, size_t size);
const char *text_format_share(size_t count, size_t of, char *text, size_t size);
const char *text_format_duration(uint64_t duration_ns, char *text, size_t size);

/* The end of a noun behind a count: "", or "s". */
const char *text_plural(uint64_t count);

/* Writes bytes as base64. A part of a whole that is not its last has a multiple of three bytes. */
void text_write_base64(const void *bytes, size_t length, FILE *stream);

/* Appends to a text in `size` bytes, cut to fit; the clause behind a semicolon, unless it is the
 * first. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define text_append_clause(text, size, ...)                                                        \
    (text_append(text, size, "%s", (text)[0] != '\0' ? "; " : ""),                                 \
     text_append(text, size, __VA_ARGS__))

/* ------------------------------------------------------------------ foreign text */

/* Writes `length` bytes of UTF-8, or a string, to `text` (size bytes, at least 4). Invisible
 * characters become \x1b, \u202e or \U000e0001, and bytes that are not UTF-8 \xff, as in a shell's
 * $''. Text that does not fit is cut between two characters and ends in "...". Returns text. */
const char *printable_bytes(const void *bytes, size_t length, char *text, size_t size);
const char *printable_text(const char *foreign, char *text, size_t size);

/* The terminal columns of `length` bytes of printable text, at most: two for an East Asian
 * character or a pictogram, one for any other. printable_cut cuts the text in place to this many
 * columns (at least 3), "..." included, and returns it. */
size_t printable_columns(const char *text, size_t length);
char *printable_cut(char *text, size_t columns);

/* Decodes the first character: returns its length in bytes, 1 to 4, with its number in *code; 0,
 * with *code unchanged, if the bytes do not begin with a UTF-8 character. */
size_t printable_decode(const char *bytes, size_t length, uint32_t *code);

#endif
