// SPDX-License-Identifier: Apache-2.0
/* What any bytes make of a recording, for libFuzzer: nothing outside of the bytes is read, and what
 * was read and recorded again is read as before.
 *
 * An input is the file behind its title, as it is before zlib: docs/files.md. tests/fuzz/recordings
 * has inputs to begin with. */
#include "relay/recording.h"
#include "tests/fuzz/told.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_MOST        64
#define CONNECTIONS_MOST 64

/* ------------------------------------------------------------------ files */

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "we");
    require(file != NULL);
    fputs("zkherd recording 1\n", file);
    fwrite(data, 1, size, file);
    require(fclose(file) == 0);
}

static void end(struct conversation *conversation, struct recorder *recorder, uint64_t at_ns,
                struct told *told)
{
    if (recorder != NULL)
        recorder_ended(recorder, conversation, at_ns);
    told_end(told, conversation);
    conversation_deinit(conversation);
}

/* Whether the file could be read to the end of what it has. recorder: NULL, or records it again. */
static bool read_file(const char *path, struct recorder *recorder, struct told *told)
{
    static struct conversation conversations[CONNECTIONS_MOST];
    struct recording *recording = NULL;
    struct recording_event event = {0};
    struct error error;
    size_t count = 0;
    bool more = true;
    memset(told, 0, sizeof *told);
    if (recording_open(path, &recording, &error) != ERROR_NONE)
        return false;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE && more && count < CONNECTIONS_MOST) {
        kind = recording_next(recording, &event, &more, &error);
        if (kind != ERROR_NONE || !more)
            break;
        if (event.connection == count) {
            conversation_init(&conversations[count], &told_listener, told);
            if (recorder != NULL)
                conversations[count].copies = recorder_copies(recorder);
            count++;
        }
        recording_tell(&event, &conversations[event.connection]);
    }
    for (size_t i = 0; i < count; i++)
        end(&conversations[i], recorder, event.at_ns, told);
    recording_close(recording);
    return kind == ERROR_NONE && count < CONNECTIONS_MOST;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char first_path[PATH_MOST], again_path[PATH_MOST];
    struct told first, again;
    struct recorder *recorder;
    struct error error;
    if (first_path[0] == '\0') {
        snprintf(first_path, sizeof first_path, "/tmp/zkherd-fuzz-%d.zkr", (int)getpid());
        snprintf(again_path, sizeof again_path, "/tmp/zkherd-fuzz-%d-again.zkr", (int)getpid());
    }
    write_file(first_path, data, size);
    require(recorder_new(again_path, false, &recorder, &error) == ERROR_NONE);
    recorder_begin(recorder, 0);
    bool whole = read_file(first_path, recorder, &first);
    require(recorder_end(recorder, true, &error) == ERROR_NONE);
    if (whole) {
        require(read_file(again_path, NULL, &again));
        require(memcmp(&first, &again, sizeof first) == 0);
    }
    (void)unlink(first_path);
    (void)unlink(again_path);
    return 0;
}
