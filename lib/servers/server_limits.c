// SPDX-License-Identifier: Apache-2.0
#include "servers/server_limits.h"

#include "base/text.h"

uint64_t server_limits_connections(const struct endpoint *endpoint, uint64_t timeout_ns)
{
    char conf[8192], text[64];
    struct error ignored;
    uint64_t number = FOUR_LETTER_UNTOLD;
    if (four_letter_ask(endpoint, "conf", timeout_ns, conf, sizeof conf, &ignored) != ERROR_NONE)
        return FOUR_LETTER_UNTOLD;
    four_letter_line(conf, "\nmaxClientCnxns=", text, sizeof text);
    return text_parse_number(text, 0, UINT64_MAX - 1, &number) ? number : FOUR_LETTER_UNTOLD;
}
