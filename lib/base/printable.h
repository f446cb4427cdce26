// SPDX-License-Identifier: Apache-2.0
/*
 * printable: foreign text, made safe for a terminal. Layer: base.
 *
 * Text from a server, a file or a command line may contain bytes that a terminal obeys, or that
 * change how the rest is read: escape sequences, marks of writing direction, characters without
 * width. Such text is printed only through this module. Data files (CSV, JSON) keep it unchanged.
 *
 * Invariant: the output is UTF-8 on one line; every character is visible, by itself or as an accent
 * on the one before. Every omission is marked.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

/* Writes `length` bytes of UTF-8 to `text` (size bytes, at least 4). Invisible characters become
 * \x1b, \u202e or \U000e0001, and bytes that are not UTF-8 \xff, as in a shell's $''. Text that
 * does not fit is cut between two characters and ends in "...". Returns text. */
const char *printable_bytes(const void *bytes, size_t length, char *text, size_t size);

/* The same for a string. */
const char *printable_text(const char *foreign, char *text, size_t size);

/* The terminal columns of `length` bytes of printable text, at most: two for an East Asian
 * character or a pictogram, one for any other. */
size_t printable_columns(const char *text, size_t length);

/* Cuts printable text in place to this many columns (at least 3), "..." included. Returns text. */
char *printable_cut(char *text, size_t columns);

/* Decodes the first character: returns its length in bytes, 1 to 4, with its number in *code; 0,
 * with *code unchanged, if the bytes do not begin with a UTF-8 character. */
size_t printable_decode(const char *bytes, size_t length, uint32_t *code);

#endif
