// SPDX-License-Identifier: Apache-2.0
#include "bench/recipes/internal.h"

#include "recipes/own.h"
#include "recipes/registry.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void write_text(const char *name, FILE *stream)
{
    static const char as_name[] = "@name@", as_identifier[] = "@ident@";
    for (const char *text = skeleton_txt; *text != '\0'; text++) {
        bool is_name = strncmp(text, as_name, strlen(as_name)) == 0,
             is_identifier = strncmp(text, as_identifier, strlen(as_identifier)) == 0;
        if (!is_name && !is_identifier) {
            putc(*text, stream);
            continue;
        }
        for (const char *at = name; *at != '\0'; at++)
            putc(is_identifier && *at == '-' ? '_' : *at, stream);
        text += strlen(is_name ? as_name : as_identifier) - 1;
    }
}

enum error_kind skeleton_write(const char *name, struct error *error)
{
    char path[64];
    if (!own_is_name(name))
        return error_raise(error, ERROR_USAGE, 0, name[0] != '\0' ? name : "''",
                           "a recipe's name is a small letter, and up to 18 small letters, digits "
                           "and dashes");
    if (registry_find(name) != NULL)
        return error_raise(error, ERROR_USAGE, 0, name, "a recipe of zkherd is called so");
    snprintf(path, sizeof path, "%s.c", name);
    FILE *stream = fopen(path, "wxe");
    if (stream == NULL)
        return error_from_errno(error, errno, path, "%s", "");
    write_text(name, stream);
    errno = 0;
    if (!(ferror(stream) | (fclose(stream) != 0)))
        return ERROR_NONE;
    int os_error = errno != 0 ? errno : EIO;
    unlink(path);
    return error_from_errno(error, os_error, path, "%s", "");
}
