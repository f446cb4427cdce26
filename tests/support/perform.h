// SPDX-License-Identifier: Apache-2.0
/*
 * perform: makes a request through the function of client/client.h for its operation.
 */
#ifndef TESTS_PERFORM_H
#define TESTS_PERFORM_H

#include "client/client.h"
#include "tests/support/test.h"

void perform(struct client *client, const struct request *request);

#endif
