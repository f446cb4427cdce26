// SPDX-License-Identifier: Apache-2.0
/*
 * perform: a request out of a test's script, made through the function of client/client.h that is
 * for it.
 */
#ifndef TESTS_PERFORM_H
#define TESTS_PERFORM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/client.h"

void perform(struct client *client, const struct request *request);

#endif
