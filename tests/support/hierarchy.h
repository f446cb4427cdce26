// SPDX-License-Identifier: Apache-2.0
/*
 * hierarchy: cgroup hierarchies made of folders, and the mountinfo that says where they are
 * mounted.
 */
#ifndef TESTS_HIERARCHY_H
#define TESTS_HIERARCHY_H

#include "tests/support/test.h"

extern char hierarchy_folder[64]; /* all hierarchies of a test are below it */
extern char hierarchy_mounts[96]; /* the path of the mountinfo */

/* The set-up and the tear-down of a test. */
int hierarchy_make(void **state);
int hierarchy_remove(void **state);

/* Writes a file into a folder below hierarchy_folder; the folder's parent must be there. */
void hierarchy_put(const char *folder, const char *name, const char *text);

/* A hierarchy is mounted in a folder below hierarchy_folder. */
void hierarchy_mount(const char *folder, const char *type_and_options);

#endif
