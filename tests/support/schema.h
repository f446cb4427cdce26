// SPDX-License-Identifier: Apache-2.0
/*
 * schema: compares JSON with the schemas in docs/schema.
 *
 * The check knows the words of JSON Schema that these schemas use: type, properties, required,
 * additionalProperties, items, enum, anyOf, $ref to a definition of the same file or of
 * rows.schema.json. Any other word fails the test, so that nothing is believed to be checked that
 * is not. It reads the schemas of the folder in which the test was started.
 */
#ifndef TESTS_SCHEMA_H
#define TESTS_SCHEMA_H

#include "tests/support/test.h"

#include <jansson.h>

/* Why the value is not as docs/schema/NAME.schema.json says, until the next call; NULL: it is. */
const char *schema_complaint(const json_t *value, const char *name);

/* Fails the test unless it is; `what` is named then. */
void assert_schema(const json_t *value, const char *name, const char *what);

#endif
