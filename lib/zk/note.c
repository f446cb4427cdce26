// SPDX-License-Identifier: Apache-2.0
#include "zk/note.h"

#include <assert.h>
#include <string.h>

/* False, and *kept unchanged, if there is no room. */
static bool keep(struct note *note, char *path, const struct client_request *request,
                 struct client_request *kept)
{
    size_t length = strnlen(request->path, NOTE_PATH_MAX);
    if (length == NOTE_PATH_MAX || request->value_length > NOTE_VALUES_MAX - note->values_length)
        return false;
    char *value = &note->values[note->values_length];
    memcpy(path, request->path, length + 1);
    if (request->value_length > 0)
        memcpy(value, request->value, request->value_length);
    note->values_length += request->value_length;
    *kept = *request;
    kept->path = path;
    kept->value = value;
    return true;
}

static bool keep_parts(struct note *note, const struct client_request *request)
{
    assert(request->part_count <= CLIENT_PARTS_MAX);
    for (size_t i = 0; i < request->part_count; i++) {
        if (!keep(note, note->paths[i], &request->parts[i], &note->parts[i]))
            return false;
    }
    note->request.parts = note->parts;
    note->request.part_count = request->part_count;
    return true;
}

bool note_take(struct note *note, const struct client_request *request)
{
    note->values_length = 0;
    note->request = (struct client_request){.operation = request->operation};
    if (request->operation == CLIENT_MULTI)
        return keep_parts(note, request);
    return keep(note, note->paths[0], request, &note->request);
}
