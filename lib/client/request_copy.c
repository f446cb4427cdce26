// SPDX-License-Identifier: Apache-2.0
#include "client/request_copy.h"

#include <assert.h>
#include <string.h>

/* False, and *kept unchanged, if there is no room. */
static bool keep(struct request_copy *copy, char *path, const struct request *request,
                 struct request *kept)
{
    size_t length = strnlen(request->path, REQUEST_COPY_PATH_MAX);
    if (length == REQUEST_COPY_PATH_MAX ||
        request->value_length > REQUEST_COPY_VALUES_MAX - copy->values_length)
        return false;
    char *value = &copy->values[copy->values_length];
    memcpy(path, request->path, length + 1);
    if (request->value_length > 0)
        memcpy(value, request->value, request->value_length);
    copy->values_length += request->value_length;
    *kept = *request;
    kept->path = path;
    kept->value = value;
    return true;
}

bool request_copy_take(struct request_copy *copy, const struct request *request)
{
    bool is_multi = request->operation == OP_MULTI;
    const struct request *parts = is_multi ? request->parts : request;
    size_t count = is_multi ? request->part_count : 1;
    assert(count <= REQUEST_PARTS_MAX);
    copy->values_length = 0;
    for (size_t i = 0; i < count; i++) {
        if (!keep(copy, copy->paths[i], &parts[i], &copy->parts[i]))
            return false;
    }
    copy->request = is_multi ? *request : copy->parts[0];
    if (is_multi)
        copy->request.parts = copy->parts;
    return true;
}
