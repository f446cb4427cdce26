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
    switch (os_error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return ERROR_NO_SPACE;
    case EACCES:
    case EPERM:
    case EROFS:
        return ERROR_DENIED;
    case ENOMEM:
        return ERROR_NO_MEMORY;
    case EMFILE:
    case ENFILE:
        return ERROR_NO_DESCRIPTORS;
    case EEXIST:
        return ERROR_EXISTS;
    default:
        return ERROR_SYSTEM;
    }
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
