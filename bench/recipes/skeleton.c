// SPDX-License-Identifier: Apache-2.0
#include "bench/recipes/internal.h"

#include "base/memory.h"
#include "recipes/own.h"
#include "recipes/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_text(const char *name, FILE *stream)
{
    static const char as_name[] = "@name@", as_identifier[] = "@ident@";
    for (const char *text = skeleton_txt; *text != '\0'; text++) {
        if (strncmp(text, as_name, strlen(as_name)) == 0) {
            fputs(name, stream);
            text += strlen(as_name) - 1;
        } else if (strncmp(text, as_identifier, strlen(as_identifier)) == 0) {
            for (const char *at = name; *at != '\0'; at++)
                putc(*at == '-' ? '_' : *at, stream);
            text += strlen(as_identifier) - 1;
        } else {
            putc(*text, stream);
        }
    }
}

enum error_kind skeleton_write(const char *name, struct error *error)
{
    if (!own_is_name(name))
        return error_raise(error, ERROR_USAGE, 0, name[0] != '\0' ? name : "''",
                           "a recipe's name is a small letter, and up to 18 small letters, digits "
                           "and dashes");
    if (registry_find(name) != NULL)
        return error_raise(error, ERROR_USAGE, 0, name, "a recipe of zkherd is called so");
    char *path = memory_format("%s.c", name);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    int os_error = stream == NULL ? errno : 0;
    if (stream != NULL) {
        write_text(name, stream);
        errno = 0;
        if (ferror(stream) | (fclose(stream) != 0))
            os_error = errno != 0 ? errno : EIO;
        if (os_error != 0)
            unlink(path);
    }
    enum error_kind kind =
        os_error == 0 ? ERROR_NONE : error_from_errno(error, os_error, path, "%s", "");
    free(path);
    return kind;
}
