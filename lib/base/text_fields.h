// SPDX-License-Identifier: Apache-2.0
/*
 * text_fields: the members of a structure as lines of text, each a name and its values. Layer:
 * base.
 *
 * Numbers are decimal; a member that is an array of numbers has its values on one line, with blanks
 * between. A text is the rest of its line.
 *
 * Invariant: what text_fields_write has written, text_fields_read reads into an equal structure; on
 * false nothing is changed.
 */
#ifndef BASE_TEXT_FIELDS_H
#define BASE_TEXT_FIELDS_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum text_field_kind { TEXT_FIELD_U32, TEXT_FIELD_U64, TEXT_FIELD_BOOL, TEXT_FIELD_TEXT };

/* A list of them ends with one whose name is NULL. */
struct text_field {
    const char *name;
    enum text_field_kind kind;
    size_t offset, size; /* of the member */
};

/* A row of such a list. */
#define TEXT_FIELD(type, member, kind_)                                                            \
    {                                                                                              \
        .name = #member, .kind = TEXT_FIELD_##kind_, .offset = offsetof(type, member),             \
        .size = sizeof(((type *)NULL)->member)                                                     \
    }

/* Adds the lines of the structure. Control characters in a text become question marks. */
void text_fields_write(const struct text_field *fields, const void *structure,
                       struct growing_text *text);

/* Adds what the fields are: two programs for which that is the same text read each other's lines.
 */
void text_fields_describe(const struct text_field *fields, struct growing_text *text);

/* Reads as many lines as there are fields, which have these names in this order, and moves *text
 * behind them. `size` is that of the structure, at most TEXT_FIELDS_SIZE_MAX. False: they are not
 * these, or a value does not fit in its member. */
#define TEXT_FIELDS_SIZE_MAX 8192
bool text_fields_read(const struct text_field *fields, void *structure, size_t size,
                      const char **text);

#endif
