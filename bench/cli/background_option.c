// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/background_option.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static bool parse(struct option_given *given, bool may_lack_rate)
{
    struct background_options *background = option_row_place(given);
    const char *at = strrchr(given->value, '@');
    size_t length = at == NULL ? strlen(given->value) : (size_t)(at - given->value);
    uint64_t rate_per_s = 0;
    char mix[256];
    bool has_rate =
        at != NULL && text_parse_number(at + 1, given->row->least, given->row->most, &rate_per_s);
    if (length >= sizeof mix || !(has_rate || (at == NULL && may_lack_rate)))
        return option_row_refuse(given, BACKGROUND_OPTION_EXPECTED);
    snprintf(mix, sizeof mix, "%.*s", (int)length, given->value);
    background->given = true;
    background->rate_per_s = rate_per_s;
    return mix_parse(mix, &background->mix, given->why, sizeof given->why);
}

bool background_option_parse(struct option_given *given)
{
    return parse(given, false);
}

bool background_option_parse_open(struct option_given *given)
{
    return parse(given, true);
}

const char *background_option_format(const struct background_options *background, char *text,
                                     size_t size)
{
    char mix[128];
    if (!background->given)
        snprintf(text, size, "none");
    else if (background->rate_per_s == 0)
        snprintf(text, size, "%s", mix_format(&background->mix, mix, sizeof mix));
    else
        snprintf(text, size, "%s@%llu", mix_format(&background->mix, mix, sizeof mix),
                 (unsigned long long)background->rate_per_s);
    return text;
}
