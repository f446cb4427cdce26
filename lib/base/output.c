// SPDX-License-Identifier: Apache-2.0
#include "base/output.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* The write function of the stream: stdio itself would lose the errno of a failed write. */
static ssize_t write_through(void *cookie, const char *bytes, size_t size)
{
    struct output *output = cookie;
    size_t done = 0;
    while (done < size && output->os_error == 0) {
        ssize_t wrote = write(output->descriptor, bytes + done, size - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            output->os_error = errno;
    }
    output->written_bytes += done;
    return (ssize_t)(done == size ? size : 0);
}

static bool is_nowhere(const char *folder)
{
    return strcmp(folder, OUTPUT_NOWHERE) == 0;
}

static bool set_paths(struct output *output, const char *folder, const char *name)
{
    size_t size = sizeof output->path;
    int length = snprintf(output->path, size, "%s/%s", folder, name);
    int part_length = snprintf(output->part_path, size, "%s/%s.part", folder, name);
    return length > 0 && part_length > 0 && (size_t)part_length < size;
}

void output_unreserve(const char *folder, const char *name)
{
    struct output output;
    if (!is_nowhere(folder) && set_paths(&output, folder, name))
        unlink(output.part_path);
}

void output_reserve(const char *folder, const char *name, size_t bytes)
{
    struct output output;
    if (is_nowhere(folder) || !set_paths(&output, folder, name))
        return;
    int descriptor = open(output.part_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return;
    bool is_taken = posix_fallocate(descriptor, 0, (off_t)bytes) == 0;
    close(descriptor);
    if (!is_taken)
        unlink(output.part_path);
}

enum error_kind output_open(struct output *output, const char *folder, const char *name,
                            struct error *error)
{
    const cookie_io_functions_t functions = {.write = write_through};
    struct output opened = {.stream = NULL};
    *output = opened;
    if (!set_paths(&opened, folder, name))
        return error_from_errno(error, ENAMETOOLONG, name, "its path is too long");
    if (is_nowhere(folder))
        opened.part_path[0] = '\0';
    opened.descriptor = open(is_nowhere(folder) ? "/dev/null" : opened.part_path,
                             O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (opened.descriptor < 0)
        return error_from_errno(error, errno, opened.path, "cannot be opened for writing");
    *output = opened;
    output->stream = memory_or_end(fopencookie(output, "w", functions));
    return ERROR_NONE;
}

enum error_kind output_commit(struct output *output, struct error *error)
{
    bool flushed = fflush(output->stream) == 0 && !ferror(output->stream);
    if (output->os_error == 0 && !flushed)
        output->os_error = EIO;
    if (output->os_error != 0)
        return error_from_errno(error, output->os_error, output->path, "writing it failed");
    output->committed_bytes = output->written_bytes;
    return ERROR_NONE;
}

/* Closes the file without writing what is buffered. */
static int close_quietly(struct output *output)
{
    if (output->stream == NULL)
        return 0;
    if (output->os_error == 0)
        output->os_error = ECANCELED;
    fclose(output->stream);
    output->stream = NULL;
    return close(output->descriptor);
}

enum error_kind output_finish(struct output *output, struct error *error)
{
    if (output_commit(output, error))
        return error->kind;
    /* Some file systems report a full disk only here. */
    if (close_quietly(output) != 0)
        return error_from_errno(error, errno, output->path, "closing it failed");
    if (output->part_path[0] != '\0' && rename(output->part_path, output->path) != 0)
        return error_from_errno(error, errno, output->path, "%s cannot be renamed to it",
                                output->part_path);
    output->part_path[0] = '\0';
    return ERROR_NONE;
}

enum error_kind output_keep(struct output *output, struct error *error)
{
    bool kept = output->part_path[0] == '\0';
    close_quietly(output);
    if (!kept && output->committed_bytes == 0)
        kept = unlink(output->part_path) == 0;
    else if (!kept)
        kept = truncate(output->part_path, (off_t)output->committed_bytes) == 0 &&
               rename(output->part_path, output->path) == 0;
    enum error_kind kind =
        kept ? ERROR_NONE
             : error_from_errno(error, errno, output->path, "what was written of it is in %s",
                                output->part_path);
    output->part_path[0] = '\0';
    return kind;
}

void output_abandon(struct output *output)
{
    close_quietly(output);
    if (output->part_path[0] != '\0')
        unlink(output->part_path);
    output->part_path[0] = '\0';
}

enum error_kind output_write(const char *folder, const char *name,
                             void (*write)(FILE *stream, const void *context), const void *context,
                             struct error *error)
{
    struct output output;
    if (output_open(&output, folder, name, error))
        return error->kind;
    write(output.stream, context);
    enum error_kind kind = output_finish(&output, error);
    if (kind != ERROR_NONE)
        output_abandon(&output);
    return kind;
}
