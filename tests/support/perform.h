// SPDX-License-Identifier: Apache-2.0
/*
 * perform: makes a request through the function of client/client.h for its operation.
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
