// SPDX-License-Identifier: Apache-2.0
#include "servers/role.h"

#include <stddef.h>
#include <string.h>

const char *role_word(enum role role)
{
    static const char *const words[] = {
#define X(name, word) [ROLE_##name] = word,
        ROLE_LIST_OF_SESSIONS(X) ROLE_LIST_OF_OTHERS(X)
#undef X
    };
    return words[role];
}

enum role role_of_mode(const char *mode)
{
    static const enum role modes[] = {ROLE_STANDALONE, ROLE_LEADER, ROLE_FOLLOWER, ROLE_OBSERVER,
                                      ROLE_READ_ONLY};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(mode, role_word(modes[i])) == 0)
            return modes[i];
    }
    return ROLE_UNKNOWN;
}

bool role_leads(enum role role)
{
    return role == ROLE_LEADER || role == ROLE_STANDALONE;
}
