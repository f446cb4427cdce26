// SPDX-License-Identifier: Apache-2.0
/*
 * consent: a question on the terminal before something is deleted. Layer: bench/target.
 */
#ifndef BENCH_TARGET_CONSENT_H
#define BENCH_TARGET_CONSENT_H

#include "base/error.h"
#include "bench/target/browser.h"

#include <stdbool.h>

/* Appends " [y/N] " to the question that the caller has written to stderr, and reads the answer
 * from stdin, a terminal. The session of the browser is kept alive meanwhile. Any answer but y and
 * yes is no. Errors of browser.h. */
MUST_CHECK enum error_kind consent_await(struct browser *browser, bool *agreed,
                                         struct error *error);

#endif
