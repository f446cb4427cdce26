// SPDX-License-Identifier: Apache-2.0
/*
 * text: numbers, durations and lists as people write them. Layer: base.
 *
 * Invariant: a parser takes the whole string or nothing; on false its outputs are unchanged.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reads the beginning of a file, at most size - 1 bytes. False, with "", if there is nothing to
 * read, or the file cannot be read. */
bool text_read(const char *path, char *text, size_t size);

/* A decimal number in minimum … maximum, without sign and blanks. */
bool text_parse_number(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *number);

/* A decimal number with at most two decimals, in hundredths: "0.25" is 25. minimum and maximum: in
 * hundredths. */
bool text_parse_hundredths(const char *text, uint64_t minimum, uint64_t maximum,
                           uint64_t *hundredths);

/* A duration: 0, or a decimal number, possibly with a fraction, and a unit: ns, us, ms, s, m or h.
 * At most ten days. */
bool text_parse_duration(const char *text, uint64_t *duration_ns);

/* A list of numbers in minimum … maximum: "10,20", a range with a factor "8..256x2" (2 or more), a
 * range with a step "8..64+8", or several of these with commas. *numbers is sorted and without
 * repetitions; *count is at least 1; the caller must free(*numbers). */
bool text_parse_numbers(const char *text, uint64_t minimum, uint64_t maximum, uint64_t **numbers,
                        size_t *count);

/* Copies the next item of a comma-separated list to item (size bytes), and moves *list behind its
 * comma. An item that does not fit becomes "". False at the end of the list. */
bool text_next_item(const char **list, char *item, size_t size);

/* For a list that text_parse_numbers refuses: whether a range in it lacks its step or is reversed.
 * If so, a sentence is written to text. */
bool text_explain_range(const char *list, char *text, size_t size);

/* The edit distance of two words (Levenshtein), ignoring case. Words are cut to 63 characters. */
size_t text_distance(const char *a, const char *b);

/* Whether `word` may be a misspelling of `meant`: their distance is at most a third of its length.
 */
bool text_is_like(const char *word, const char *meant);

/* Writes a count with thousands separated, "1,001,000"; size >= 27. Returns text. */
const char *text_format_count(uint64_t count, char *text, size_t size);

/* The end of a noun behind a count: "", or "s". */
const char *text_plural(uint64_t count);

/* Writes how many trials are meant: "2 of 5 trials", and of one "the only trial"; size >= 64.
 * Returns text. */
const char *text_format_share(size_t count, size_t of, char *text, size_t size);

/* Writes a duration for a person: "850 us", "1.4 s", "2 min 05 s"; size >= 32. Returns text. */
const char *text_format_duration(uint64_t duration_ns, char *text, size_t size);

/* Writes bytes as base64. A part of a whole that is not its last has a multiple of three bytes. */
void text_write_base64(const void *bytes, size_t length, FILE *stream);

/* Whether two texts are the same but for the numbers in them. */
bool text_says_the_same(const char *a, const char *b);

/* Appends to a text in `size` bytes, cut to fit. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends a clause to a text, behind a semicolon unless the text is empty, cut to fit in size
 * bytes. */
void text_append_clause(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
