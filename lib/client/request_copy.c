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

static bool keep_parts(struct request_copy *copy, const struct request *request)
{
    assert(request->part_count <= REQUEST_PARTS_MAX);
    for (size_t i = 0; i < request->part_count; i++) {
        if (!keep(copy, copy->paths[i], &request->parts[i], &copy->parts[i]))
            return false;
    }
    copy->request.parts = copy->parts;
    copy->request.part_count = request->part_count;
    return true;
}

bool request_copy_take(struct request_copy *copy, const struct request *request)
{
    copy->values_length = 0;
    copy->request = (struct request){.operation = request->operation};
    if (request->operation == OP_MULTI)
        return keep_parts(copy, request);
    return keep(copy, copy->paths[0], request, &copy->request);
}
