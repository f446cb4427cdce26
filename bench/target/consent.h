// SPDX-License-Identifier: Apache-2.0
/*
 * consent: a question on the terminal before something is deleted. Layer: bench/target.
 */
#ifndef BENCH_TARGET_CONSENT_H
#define BENCH_TARGET_CONSENT_H

#include "base/error.h"
#include "bench/target/browser.h"

#include <stdbool.h>

/* Ends a question that stands on stderr with " [y/N] " and reads the answer from stdin, a terminal;
 * the browser's session is kept alive meanwhile. An answer other than y or yes is no. Errors of
 * browser.h. */
MUST_CHECK enum error_kind consent_await(struct browser *browser, bool *agreed,
                                         struct error *error);

#endif
