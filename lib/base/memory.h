// SPDX-License-Identifier: Apache-2.0
/*
 * memory: small allocations that cannot fail, and text that grows. Layer: base.
 *
 * Without memory the program ends with exit status 3 and the sentence of ERROR_NO_MEMORY: what has
 * been written to files by then is kept beside its final name. For what is small however many
 * clients there are; an allocation sized by the number of clients returns an error instead.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/* The memory that another function has allocated; ends the program if that is NULL. */
void *memory_or_end(void *memory);

/* Zeroed memory for `count` objects. */
void *memory_new(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));

/* Room for one more object at the end of a list of `count`, as realloc: grows by doubling, so a
 * list is always grown by this function, and by one. */
void *memory_grow(void *list, size_t count, size_t size);

/* Copies of bytes (NULL if there are none), with a NUL behind them, and of a text; and a text from
 * a format. */
char *memory_copy(const void *bytes, size_t count) __attribute__((malloc));
char *memory_text(const char *text) __attribute__((malloc));
char *memory_format(const char *format, ...) __attribute__((malloc, format(printf, 1, 2)));

/* A text that grows. All zero bytes: empty. `text` is to be freed; NULL until something is added.
 */
struct growing_text {
    char *text;
    size_t length;
};

void growing_text_add(struct growing_text *growing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
