// SPDX-License-Identifier: Apache-2.0
#include "bench/target/consent.h"

#include <stdio.h>
#include <strings.h>
#include <unistd.h>

enum error_kind consent_await(struct browser *browser, bool *agreed, struct error *error)
{
    char answer[16] = "";
    fputs(" [y/N] ", stderr);
    enum error_kind kind = browser_await_input(browser, STDIN_FILENO, error);
    if (kind != ERROR_NONE)
        return kind;
    *agreed = fgets(answer, sizeof answer, stdin) != NULL &&
              (strcasecmp(answer, "y\n") == 0 || strcasecmp(answer, "yes\n") == 0);
    return ERROR_NONE;
}
