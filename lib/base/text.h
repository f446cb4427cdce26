// SPDX-License-Identifier: Apache-2.0
/*
 * text: numbers, durations and lists as a person types and reads them. Layer: base.
 *
 * Invariant: a parser takes the whole string or nothing; on false its outputs are unchanged.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal number in minimum … maximum; no sign, no blanks. */
bool text_parse_number(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *number);

/* A duration: a decimal number, with a fraction if need be, and its unit: ns, us, ms, s, m or h. A
 * bare 0 is zero. At most ten days. */
bool text_parse_duration(const char *text, uint64_t *duration_ns);

/*
 * A list of numbers in minimum … maximum: "10,20", a doubling range "8..256x2" (any factor from 2),
 * a range in steps "8..64+8", or several of them with commas. The list is sorted and without
 * repetitions. On success *numbers is the caller's to free(), *count its length (at least 1).
 */
bool text_parse_numbers(const char *text, uint64_t minimum, uint64_t maximum, uint64_t **numbers,
                        size_t *count);

/*
 * Cuts the next item off a comma-separated list: copies it to item (size bytes) and moves *list
 * behind its comma. False at the end of the list. An item that is empty or does not fit comes out
 * as "".
 */
bool text_next_item(const char **list, char *item, size_t size);

/* How many numbers such a list names, those included that it names again; 0 if it is none. */
size_t text_count_numbers(const char *list, uint64_t minimum, uint64_t maximum);

/* Of a list that text_parse_numbers refuses: whether a range in it is to blame, one that lacks its
 * step or that is reversed; why, in words, is written to text then. */
bool text_explain_range(const char *list, char *text, size_t size);

/* The edit distance of two words (Levenshtein) whatever their case, for "did you mean". Words over
 * 63 characters are cut. */
size_t text_distance(const char *a, const char *b);

/* Whether a word may have been meant by this one: of three letters one may be wrong, and no letter
 * counts as wrong for its case. */
bool text_is_like(const char *word, const char *meant);

/* Writes a count with thousands separated, "1,001,000"; size >= 27. Returns text. */
const char *text_format_count(uint64_t count, char *text, size_t size);

/* Writes a duration for a person: "850 us", "1.4 s", "2 min 05 s"; size >= 32. Returns text. */
const char *text_format_duration(uint64_t duration_ns, char *text, size_t size);

#endif
