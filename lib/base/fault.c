// SPDX-License-Identifier: Apache-2.0
#include "base/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
    int exit_status;
    const char *words;
    const char *advice;
} catalogue[] = {
#define X(name, status, words, advice) [FAULT_##name] = {status, words, advice},
    FAULT_LIST(X)
#undef X
};

__attribute__((format(printf, 5, 0))) static enum fault_kind
fill(struct fault *fault, enum fault_kind kind, int os_error, const char *subject,
     const char *detail, va_list arguments)
{
    fault->kind = kind;
    fault->os_error = os_error;
    snprintf(fault->subject, sizeof fault->subject, "%s", subject);
    vsnprintf(fault->detail, sizeof fault->detail, detail, arguments);
    return kind;
}

enum fault_kind fault_raise(struct fault *fault, enum fault_kind kind, int os_error,
                            const char *subject, const char *detail, ...)
{
    va_list arguments;
    va_start(arguments, detail);
    fill(fault, kind, os_error, subject, detail, arguments);
    va_end(arguments);
    return kind;
}

static enum fault_kind kind_of_errno(int os_error)
{
    switch (os_error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return FAULT_NO_SPACE;
    case EACCES:
    case EPERM:
    case EROFS:
        return FAULT_DENIED;
    case ENOMEM:
        return FAULT_NO_MEMORY;
    case EMFILE:
    case ENFILE:
        return FAULT_NO_DESCRIPTORS;
    case EEXIST:
        return FAULT_EXISTS;
    default:
        return FAULT_SYSTEM;
    }
}

enum fault_kind fault_from_errno(struct fault *fault, int os_error, const char *subject,
                                 const char *detail, ...)
{
    enum fault_kind kind = kind_of_errno(os_error);
    va_list arguments;
    va_start(arguments, detail);
    fill(fault, kind, os_error, subject, detail, arguments);
    va_end(arguments);
    return kind;
}

const char *fault_words(enum fault_kind kind)
{
    return catalogue[kind].words;
}

const char *fault_advice(enum fault_kind kind)
{
    return catalogue[kind].advice;
}

int fault_exit_status(enum fault_kind kind)
{
    return catalogue[kind].exit_status;
}
