// SPDX-License-Identifier: Apache-2.0
#include "zk/note.h"

#include <string.h>

bool note_take(struct note *note, const struct client_request *request)
{
    size_t length = strnlen(request->path, NOTE_PATH_MAX);
    note->request = (struct client_request){.operation = request->operation};
    if (length == NOTE_PATH_MAX)
        return false;
    memcpy(note->path, request->path, length + 1);
    note->request = *request;
    note->request.path = note->path;
    return true;
}
