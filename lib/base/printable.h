// SPDX-License-Identifier: Apache-2.0
/*
 * printable: text of others, made fit for a terminal. Layer: base.
 *
 * What a server, a file or a command line says may hold bytes that a terminal obeys instead of
 * showing, or that change how the rest is read: escape sequences, marks of writing direction,
 * characters without width. Whoever prints such text prints it through here. Files of data (CSV,
 * JSON) keep it as it came.
 *
 * Invariant: what comes out is UTF-8, on one line; every character of it can be seen, by itself or,
 * as an accent, on the one before, and none is obeyed. Nothing is left out without a sign of it.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes so many bytes of UTF-8 to `text` (size bytes, at least 4). Characters that cannot be seen
 * become \x1b, \u202e or \U000e0001 by their number, and bytes that are no UTF-8 \xff, as shells
 * take them between $''. What does not fit is cut between two characters, and "..." stands for it.
 * Returns text.
 */
const char *printable_bytes(const void *bytes, size_t length, char *text, size_t size);

/* The same of a string. */
const char *printable_text(const char *foreign, char *text, size_t size);

/* The columns that so many bytes of printable text take on a terminal, at most: two for a character
 * of East Asia or a pictogram, one for any other. */
size_t printable_columns(const char *text, size_t length);

/* Cuts printable text, in place, to so many columns (at least 3), with "..." for what was cut.
 * Returns text. */
char *printable_cut(char *text, size_t columns);

/* The bytes of the character that begins here, 1 to 4, and its number in *code; 0 if these so many
 * bytes do not begin with a character of UTF-8, and *code is unchanged. */
size_t printable_decode(const char *bytes, size_t length, uint32_t *code);

#endif
