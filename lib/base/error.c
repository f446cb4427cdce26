// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

const struct error_row error_rows[] = {
#define X(name, status, words, advice) [ERROR_##name] = {status, words, advice},
    ERROR_LIST(X)
#undef X
};

static enum error_kind kind_of_errno(int os_error)
{
    static const struct {
        int os_error;
        enum error_kind kind;
    } kinds[] = {{ENOSPC, ERROR_NO_SPACE},       {EDQUOT, ERROR_NO_SPACE},
                 {EFBIG, ERROR_NO_SPACE},        {EACCES, ERROR_DENIED},
                 {EPERM, ERROR_DENIED},          {EROFS, ERROR_DENIED},
                 {EMFILE, ERROR_NO_DESCRIPTORS}, {ENFILE, ERROR_NO_DESCRIPTORS},
                 {ENOMEM, ERROR_NO_MEMORY},      {EEXIST, ERROR_EXISTS}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].os_error == os_error)
            return kinds[i].kind;
    }
    return ERROR_SYSTEM;
}

enum error_kind error_raise(struct error *error, enum error_kind kind, int os_error,
                            const char *subject, const char *detail, ...)
{
    va_list arguments;
    error->kind = kind == ERROR_SYSTEM ? kind_of_errno(os_error) : kind;
    error->os_error = os_error;
    snprintf(error->subject, sizeof error->subject, "%s", subject);
    va_start(arguments, detail);
    vsnprintf(error->detail, sizeof error->detail, detail, arguments);
    va_end(arguments);
    return error->kind;
}
