// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void *memory_or_end(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "zkherd: %s; %s\n", error_words(ERROR_NO_MEMORY),
                error_advice(ERROR_NO_MEMORY));
        _Exit(error_exit_status(ERROR_NO_MEMORY));
    }
    return memory;
}

void *memory_new(size_t count, size_t size)
{
    return memory_or_end(calloc(count > 0 ? count : 1, size));
}

void *memory_grow(void *list, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0) /* room up to the next power of two */
        return list;
    return memory_or_end(reallocarray(list, count > 0 ? 2 * count : 1, size));
}

char *memory_copy(const void *bytes, size_t count)
{
    char *copy = memory_new(count + 1, 1);
    if (count > 0) /* bytes may be NULL */
        memcpy(copy, bytes, count);
    return copy;
}

char *memory_text(const char *text)
{
    return memory_or_end(strdup(text));
}

__attribute__((format(printf, 1, 0))) static char *format_new(const char *format, va_list arguments)
{
    char *text;
    return memory_or_end(vasprintf(&text, format, arguments) < 0 ? NULL : text);
}

char *memory_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_new(format, arguments);
    va_end(arguments);
    return text;
}

void growing_text_add(struct growing_text *growing, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *added = format_new(format, arguments);
    va_end(arguments);
    size_t length = strlen(added);
    growing->text = memory_or_end(realloc(growing->text, growing->length + length + 1));
    memcpy(growing->text + growing->length, added, length + 1);
    growing->length += length;
    free(added);
}
