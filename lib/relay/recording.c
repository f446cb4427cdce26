// SPDX-License-Identifier: Apache-2.0
#include "relay/recording.h"

#include "base/clock.h"
#include "base/memory.h"
#include "wire/fields.h"
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define TITLE      "zkherd recording "
#define VERSION    1
#define WITH_DATA  UINT64_C(1)
#define BUFFER     (256 * 1024) /* of zlib */
#define FLUSH_NS   NS_PER_S
#define KIND_END   3 /* of the recording; the others are those of enum recording_kind */
#define KINDS      4
#define VARINT_MAX 10

/* ------------------------------------------------------------------ writing */

struct recorder {
    char *path;
    bool with_data;
    gzFile file;
    uint64_t last_ns;    /* of the last event */
    uint64_t flushed_ns; /* of the last that is flushed */
    uint64_t connections;
    unsigned char *copy; /* of a message, for blanking */
    size_t copy_room;
    enum error_kind failed;
    struct error error;
};

enum error_kind recorder_new(const char *path, bool with_data, struct recorder **recorder,
                             struct error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_from_errno(error, errno, path, "while making the recording");
    *recorder = memory_new(1, sizeof **recorder);
    **recorder = (struct recorder){.path = memory_text(path),
                                   .with_data = with_data,
                                   .file = memory_or_end(gzdopen(fd, "wb1"))};
    (void)gzbuffer((*recorder)->file, BUFFER);
    return ERROR_NONE;
}

static void fail(struct recorder *recorder)
{
    if (recorder->failed == ERROR_NONE)
        recorder->failed = error_from_errno(&recorder->error, errno, recorder->path,
                                            "while writing the recording, which ends there");
}

static void write_bytes(struct recorder *recorder, const void *bytes, size_t count)
{
    errno = 0;
    if (recorder->failed == ERROR_NONE && count > 0 &&
        gzfwrite(bytes, 1, count, recorder->file) != count)
        fail(recorder);
}

static void write_number(struct recorder *recorder, uint64_t number)
{
    unsigned char bytes[VARINT_MAX];
    size_t count = 0;
    for (; number > 0x7f; number >>= 7)
        bytes[count++] = (unsigned char)(number | 0x80);
    bytes[count++] = (unsigned char)number;
    write_bytes(recorder, bytes, count);
}

/* Writes all so far, so that it would remain if the program were killed. */
static void flush(struct recorder *recorder)
{
    errno = 0;
    if (recorder->failed == ERROR_NONE && gzflush(recorder->file, Z_SYNC_FLUSH) != Z_OK)
        fail(recorder);
    recorder->flushed_ns = recorder->last_ns;
}

void recorder_begin(struct recorder *recorder, uint64_t at_ns)
{
    char title[32];
    int length = snprintf(title, sizeof title, "%s%d\n", TITLE, VERSION);
    write_bytes(recorder, title, (size_t)length);
    write_number(recorder, recorder->with_data ? WITH_DATA : 0);
    write_number(recorder, clock_utc_ns());
    recorder->last_ns = at_ns;
    flush(recorder);
}

static void begin_event(struct recorder *recorder, uint64_t connection, unsigned kind,
                        uint64_t at_ns)
{
    write_number(recorder, connection * KINDS + kind);
    write_number(recorder, at_ns - recorder->last_ns);
    recorder->last_ns = at_ns;
}

static void end_event(struct recorder *recorder)
{
    if (recorder->last_ns - recorder->flushed_ns >= FLUSH_NS)
        flush(recorder);
}

/* Zeros in the place of what is private; the bytes are those of the recorder's copy. */
static void blank(void *context, char letter, const unsigned char *bytes, size_t count)
{
    const struct recorder *recorder = context;
    unsigned char *place = recorder->copy + (bytes - recorder->copy);
    if (letter == FIELDS_UNKNOWN)
        memset(place, 0, count);
    else if (letter == 'x' || letter == FIELDS_IDENTITY || letter == FIELDS_PASSWORD ||
             (letter == 'd' && !recorder->with_data))
        memset(place + WIRE_LENGTH, 0, count - WIRE_LENGTH);
}

static void record_message(void *context, struct conversation *conversation,
                           enum conversation_side from, const struct fields_message *message,
                           uint64_t at_ns)
{
    struct recorder *recorder = context;
    struct fields_message copy = *message;
    if (copy.kept > SPLITTER_KEPT_MAX)
        copy.kept = SPLITTER_KEPT_MAX;
    if (conversation->copies_tag == 0)
        conversation->copies_tag = ++recorder->connections;
    if (recorder->copy_room < copy.kept) {
        free(recorder->copy);
        recorder->copy = memory_new(recorder->copy_room = 2 * copy.kept, 1);
    }
    memcpy(recorder->copy, message->bytes, copy.kept);
    copy.bytes = recorder->copy;
    fields_walk(&copy, blank, recorder);
    begin_event(recorder, conversation->copies_tag - 1,
                from == CONVERSATION_CLIENT ? RECORDING_CLIENT : RECORDING_SERVER, at_ns);
    write_number(recorder, copy.length);
    write_bytes(recorder, recorder->copy, copy.kept);
    end_event(recorder);
}

struct conversation_copies recorder_copies(struct recorder *recorder)
{
    return (struct conversation_copies){recorder != NULL ? record_message : NULL, recorder};
}

void recorder_ended(struct recorder *recorder, const struct conversation *conversation,
                    uint64_t at_ns)
{
    uint64_t number =
        conversation->copies_tag > 0 ? conversation->copies_tag : ++recorder->connections;
    bool is_other =
        conversation->kind == CONVERSATION_WORD || conversation->kind == CONVERSATION_TLS;
    begin_event(recorder, number - 1, RECORDING_ENDED, at_ns);
    write_number(recorder, is_other ? conversation->kind : CONVERSATION_SILENT);
    if (is_other)
        write_bytes(recorder, conversation->first, sizeof conversation->first);
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        write_number(recorder, conversation->fed_bytes[side] - conversation->told_bytes[side]);
    write_number(recorder, conversation->unreadable != NULL);
    end_event(recorder);
}

enum error_kind recorder_end(struct recorder *recorder, bool keeps, struct error *error)
{
    begin_event(recorder, 0, KIND_END, clock_now_ns());
    errno = 0;
    if (gzclose(recorder->file) != Z_OK)
        fail(recorder);
    if (!keeps)
        (void)unlink(recorder->path);
    enum error_kind failed = keeps ? recorder->failed : ERROR_NONE;
    if (failed != ERROR_NONE)
        *error = recorder->error;
    free(recorder->copy);
    free(recorder->path);
    free(recorder);
    return failed;
}

/* ------------------------------------------------------------------ reading */

struct recording {
    char *path;
    gzFile file;
    uint64_t last_ns; /* of the last event, since 1970 */
    uint64_t connections;
    unsigned char *message;
    size_t room;
    bool is_cut;
    enum error_kind failed; /* ERROR_NONE: the file ends there, or goes on */
    struct error error;
};

static enum error_kind raise_malformed(const struct recording *recording, const char *why,
                                       struct error *error)
{
    return error_raise(error, ERROR_MALFORMED, 0, recording->path, "%s", why);
}

/* Returns false, so that a reader can return the call. */
static bool find_damaged(struct recording *recording)
{
    recording->failed = raise_malformed(recording, "it is damaged", &recording->error);
    return false;
}

/* Reads so many bytes. False: the file has ended before (is_cut), or cannot be read (failed). */
static bool read_bytes(struct recording *recording, void *bytes, size_t count)
{
    int code;
    errno = 0;
    if (gzfread(bytes, 1, count, recording->file) == count)
        return true;
    (void)gzerror(recording->file, &code);
    if (code == Z_ERRNO)
        recording->failed = error_from_errno(&recording->error, errno, recording->path,
                                             "while reading the recording");
    else if (code == Z_DATA_ERROR)
        (void)find_damaged(recording);
    recording->is_cut = true;
    return false;
}

static bool read_number(struct recording *recording, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned char byte;
        if (!read_bytes(recording, &byte, 1))
            return false;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return find_damaged(recording);
}

static enum error_kind read_title(struct recording *recording, struct error *error)
{
    char title[sizeof TITLE] = "";
    uint64_t flags;
    unsigned version = 0;
    char digit = '0';
    bool is_read = read_bytes(recording, title, strlen(TITLE)) && strcmp(title, TITLE) == 0;
    while (is_read && digit >= '0' && digit <= '9' && version < 1000) {
        version = 10 * version + (unsigned)(digit - '0');
        is_read = read_bytes(recording, &digit, 1);
    }
    if (recording->failed != ERROR_NONE && recording->failed != ERROR_MALFORMED) {
        *error = recording->error;
        return recording->failed;
    }
    if (title[0] == '\0')
        return raise_malformed(recording, "it is empty", error);
    if (!is_read || digit != '\n')
        return raise_malformed(recording, "it is no recording of zkherd tap --record", error);
    if (version != VERSION)
        return error_raise(error, ERROR_MALFORMED, 0, recording->path,
                           "a recording of version %u, and this zkherd reads version %d", version,
                           VERSION);
    if (!read_number(recording, &flags) || !read_number(recording, &recording->last_ns))
        return raise_malformed(recording, "it is empty", error);
    return ERROR_NONE;
}

enum error_kind recording_open(const char *path, struct recording **recording, struct error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_from_errno(error, errno, path, "while opening the recording");
    struct recording *new = memory_new(1, sizeof *new);
    *new = (struct recording){.path = memory_text(path), .file = memory_or_end(gzdopen(fd, "rb"))};
    (void)gzbuffer(new->file, BUFFER);
    enum error_kind kind = read_title(new, error);
    if (kind == ERROR_NONE)
        *recording = new;
    else
        recording_close(new);
    return kind;
}

static bool read_message(struct recording *recording, struct recording_event *event)
{
    uint64_t length;
    if (!read_number(recording, &length))
        return false;
    if (length > INT32_MAX)
        return find_damaged(recording);
    event->length = length;
    event->kept = length < SPLITTER_KEPT_MAX ? length : SPLITTER_KEPT_MAX;
    if (recording->room < event->kept) {
        free(recording->message);
        recording->message = memory_new(recording->room = event->kept, 1);
    }
    event->bytes = recording->message;
    return event->kept == 0 || read_bytes(recording, recording->message, event->kept);
}

static bool read_end(struct recording *recording, struct recording_event *event)
{
    uint64_t spoken, unreadable;
    if (!read_number(recording, &spoken))
        return false;
    event->spoken = spoken == CONVERSATION_WORD || spoken == CONVERSATION_TLS
                        ? (enum conversation_kind)spoken
                        : CONVERSATION_SILENT;
    if (event->spoken != CONVERSATION_SILENT &&
        !read_bytes(recording, event->first, sizeof event->first))
        return false;
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        if (!read_number(recording, &event->missed[side]))
            return false;
    if (!read_number(recording, &unreadable))
        return false;
    event->unreadable = unreadable != 0;
    if (event->spoken != CONVERSATION_SILENT &&
        event->missed[CONVERSATION_CLIENT] < sizeof event->first)
        return find_damaged(recording);
    return true;
}

/* Behind the end of the recording there is nothing, and zlib finds the sum of the bytes correct. */
static bool read_nothing(struct recording *recording)
{
    unsigned char byte;
    if (read_bytes(recording, &byte, 1))
        return find_damaged(recording);
    recording->is_cut = false;
    return false;
}

static bool read_event(struct recording *recording, struct recording_event *event)
{
    uint64_t head, passed_ns;
    if (!read_number(recording, &head) || !read_number(recording, &passed_ns))
        return false;
    *event = (struct recording_event){.kind = (enum recording_kind)(head % KINDS),
                                      .connection = head / KINDS,
                                      .at_ns = recording->last_ns += passed_ns};
    if (head % KINDS == KIND_END)
        return read_nothing(recording);
    if (event->connection > recording->connections)
        return find_damaged(recording);
    recording->connections += event->connection == recording->connections;
    return event->kind == RECORDING_ENDED ? read_end(recording, event)
                                          : read_message(recording, event);
}

enum error_kind recording_next(struct recording *recording, struct recording_event *event,
                               bool *more, struct error *error)
{
    *more = read_event(recording, event);
    if (recording->failed != ERROR_NONE)
        *error = recording->error;
    return recording->failed;
}

bool recording_is_cut(const struct recording *recording)
{
    return recording->is_cut;
}

void recording_close(struct recording *recording)
{
    if (recording == NULL)
        return;
    (void)gzclose(recording->file);
    free(recording->message);
    free(recording->path);
    free(recording);
}

/* ------------------------------------------------------------------ into conversations */

static void tell_end(const struct recording_event *event, struct conversation *conversation)
{
    size_t first = event->spoken == CONVERSATION_SILENT ? 0 : sizeof event->first;
    conversation_feed(conversation, CONVERSATION_CLIENT, event->first, first, event->at_ns);
    conversation->fed_bytes[CONVERSATION_CLIENT] += event->missed[CONVERSATION_CLIENT] - first;
    conversation->fed_bytes[CONVERSATION_SERVER] += event->missed[CONVERSATION_SERVER];
    if (event->unreadable)
        conversation_give_up(conversation, "it could not be read when it was recorded");
}

void recording_tell(const struct recording_event *event, struct conversation *conversation)
{
    static const unsigned char zeros[4096];
    const unsigned char length[WIRE_LENGTH] = {
        (unsigned char)(event->length >> 24), (unsigned char)(event->length >> 16),
        (unsigned char)(event->length >> 8), (unsigned char)event->length};
    enum conversation_side from =
        event->kind == RECORDING_CLIENT ? CONVERSATION_CLIENT : CONVERSATION_SERVER;
    if (event->kind == RECORDING_ENDED) {
        tell_end(event, conversation);
        return;
    }
    conversation_feed(conversation, from, length, sizeof length, event->at_ns);
    conversation_feed(conversation, from, event->bytes, event->kept, event->at_ns);
    for (size_t left = event->length - event->kept, count; left > 0; left -= count) {
        count = left < sizeof zeros ? left : sizeof zeros;
        conversation_feed(conversation, from, zeros, count, event->at_ns);
    }
}

/* The conversation of an event, which begins with its first. */
static struct conversation *find_conversation(struct conversation ***list, size_t *count,
                                              const struct recording_event *event,
                                              const struct conversation_listener *listener,
                                              void *context)
{
    if (event->connection == *count) {
        *list = memory_grow(*list, *count, sizeof(void *));
        (*list)[*count] = memory_new(1, sizeof ***list);
        conversation_init((*list)[(*count)++], listener, context);
    }
    return (*list)[event->connection];
}

enum error_kind recording_read(const char *path, const struct conversation_listener *listener,
                               void (*ended)(void *context,
                                             const struct conversation *conversation),
                               void *context, struct recording_facts *facts, struct error *error)
{
    struct recording *recording = NULL;
    struct conversation **list = NULL;
    struct recording_event event;
    size_t count = 0;
    bool more;
    enum error_kind kind = recording_open(path, &recording, error);
    if (recording == NULL)
        return kind;
    *facts = (struct recording_facts){.begun_ns = recording->last_ns};
    while ((kind = recording_next(recording, &event, &more, error)) == ERROR_NONE && more) {
        struct conversation *conversation =
            find_conversation(&list, &count, &event, listener, context);
        recording_tell(&event, conversation);
    }
    facts->ended_ns = recording->last_ns;
    facts->connections = count;
    facts->is_cut = recording->is_cut;
    for (size_t i = 0; i < count; i++) {
        if (kind == ERROR_NONE)
            ended(context, list[i]);
        conversation_deinit(list[i]);
        free(list[i]);
    }
    free(list);
    recording_close(recording);
    return kind;
}
