// SPDX-License-Identifier: Apache-2.0
/*
 * loader: symbols of a shared library that is loaded when it is needed, and not linked. Layer:
 * base.
 *
 * Invariant: a loaded library stays loaded until the process ends.
 */
#ifndef BASE_LOADER_H
#define BASE_LOADER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Where in a table the value of a symbol belongs. */
struct loader_place {
    const char *symbol; /* NULL: the end of the list */
    size_t offset;
    bool is_integer; /* the value is an integer, not an address */
};

/* Loads the library of this file name, and fills in the table. missing: the error, with the name of
 * the package, if there is no such library, or if it lacks a symbol. */
MUST_CHECK enum error_kind loader_load(const char *file, const char *package,
                                       const struct loader_place *places, enum error_kind missing,
                                       void *table, struct error *error);

#endif
