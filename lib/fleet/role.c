// SPDX-License-Identifier: Apache-2.0
#include "fleet/role.h"

#include <string.h>

const char *role_word(enum role role)
{
    static const char *const words[] = {
#define X(name, word) [ROLE_##name] = word,
        ROLE_LIST(X)
#undef X
    };
    return words[role];
}

enum role role_of_mode(const char *mode)
{
    for (int role = 0; role < ROLE_RECONNECTED; role++) {
        if (strcmp(mode, role_word((enum role)role)) == 0)
            return (enum role)role;
    }
    return ROLE_UNKNOWN;
}
