// SPDX-License-Identifier: Apache-2.0
/* zlib reads what it compresses, and no more. */
#define ZLIB_CONST
#include "base/sha256.h"
#include "fleet/fleet.h"
#include "fleet/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Below jute.maxbuffer, 1 MiB, with room for the path. */
#define CHUNK_SIZE ((size_t)512 * 1024)
/* Most of a histogram is zeros: any level finds them. */
#define LEVEL 1

/* ------------------------------------------------------------------ texts */

#define FIELD(type, member, kind) TEXT_FIELD(struct type, member, kind)

const struct text_field crew_job_fields[] = {
    FIELD(crew_job, protocol, U32),   FIELD(crew_job, meaning, TEXT),
    FIELD(crew_job, kind, TEXT),      FIELD(crew_job, servers, TEXT),
    FIELD(crew_job, root, TEXT),      FIELD(crew_job, driver, U32),
    FIELD(crew_job, depth, U32),      FIELD(crew_job, session_timeout_ms, U32),
    FIELD(crew_job, timeout_ns, U64), FIELD(crew_job, seed, U64),
    FIELD(crew_job, sessions, U32),   FIELD(crew_job, processes, U32),
    FIELD(crew_job, hosts, U32),      {0}};

const struct text_field crew_job_seat_fields[] = {FIELD(crew_job_seat, member, TEXT),
                                                  FIELD(crew_job_seat, first, U32),
                                                  FIELD(crew_job_seat, count, U32),
                                                  {0}};

const struct text_field crew_order_fields[] = {FIELD(crew_order, serial, U64),
                                               FIELD(crew_order, phase, U32),
                                               FIELD(crew_order, inquiry, U32),
                                               FIELD(crew_order, commanded, U64),
                                               FIELD(crew_order, command, U64),
                                               FIELD(crew_order, times_ns, U64),
                                               FIELD(crew_order, shared, U64),
                                               FIELD(crew_order, quiet, BOOL),
                                               FIELD(crew_order, words, U64),
                                               FIELD(crew_order, roles, U32),
                                               {0}};

const struct text_field crew_state_fields[] = {
    FIELD(crew_state, serial, U64),         FIELD(crew_state, came_ns, U64),
    FIELD(crew_state, taken, U64),          FIELD(crew_state, inquiry, U32),
    FIELD(crew_state, final, BOOL),         FIELD(crew_state, parts, U32),
    FIELD(crew_state, digest, TEXT),        FIELD(crew_state, reported_ns, U64),
    FIELD(crew_state, established, U32),    FIELD(crew_state, ready, U32),
    FIELD(crew_state, finished, U32),       FIELD(crew_state, rests, U32),
    FIELD(crew_state, busy, U64),           FIELD(crew_state, lost, U64),
    FIELD(crew_state, first_lost, U32),     FIELD(crew_state, first_lost_status, U32),
    FIELD(crew_state, losses, U32),         FIELD(crew_state, steps, U64),
    FIELD(crew_state, absent_ns, U64),      FIELD(crew_state, cpu_ns, U64),
    FIELD(crew_state, rss_kib, U64),        FIELD(crew_state, traffic.requests, U64),
    FIELD(crew_state, traffic.writes, U64), FIELD(crew_state, traffic.notifications, U64),
    FIELD(crew_state, traffic.losses, U64), FIELD(crew_state, traffic.nudges, U64),
    FIELD(crew_state, live, U64),           FIELD(crew_state, closed, BOOL),
    FIELD(crew_state, error, U32),          FIELD(crew_state, subject, TEXT),
    FIELD(crew_state, detail, TEXT),        {0}};

void crew_path(const char *job, const char *name, char path[MEETING_PATH_SIZE])
{
    snprintf(path, MEETING_PATH_SIZE, "/jobs/%s%s%s", job, name[0] != '\0' ? "/" : "", name);
}

/* Hashing an integer's bytes makes the digest depend on their order. */
void crew_meaning(const struct crew_kind *const *kinds, char digest[SHA256_TEXT_SIZE])
{
    const uint32_t order = 1;
    struct growing_text text = {0};
    struct sha256 sha256;
    text_fields_describe(crew_job_fields, &text);
    text_fields_describe(crew_job_seat_fields, &text);
    text_fields_describe(crew_order_fields, &text);
    text_fields_describe(crew_state_fields, &text);
    growing_text_add(&text, "%zu %zu\n", sizeof(struct shared_worker),
                     sizeof(struct shared_session));
    for (; *kinds != NULL; kinds++) {
        growing_text_add(&text, "%s\n", (*kinds)->name);
        (*kinds)->mean(&text);
    }
    sha256_begin(&sha256);
    sha256_add(&sha256, text.text, text.length);
    sha256_add(&sha256, &order, sizeof order);
    sha256_end(&sha256, digest);
    free(text.text);
}

/* ------------------------------------------------------------------ the parts of a process */

/* What a worker alone writes in its place, behind what the run writes there. */
#define WORKER_FROM offsetof(struct shared_worker, steps)

/* First those of the fleet's own memory: the worker's place, and those of its sessions. */
static bool part_at(const struct fleet *fleet, uint32_t process, size_t index,
                    struct crew_part *part)
{
    struct shared *shared = fleet->shared;
    const struct fleet_plan *plan = shared->plan;
    size_t sessions = fleet_plan_sessions_of(plan, process);
    if (index == 0)
        *part = (struct crew_part){(char *)&shared->workers[process] + WORKER_FROM,
                                   sizeof shared->workers[process] - WORKER_FROM, false};
    else if (index <= sessions)
        *part = (struct crew_part){&shared->sessions[process + (index - 1) * plan->processes],
                                   sizeof shared->sessions[0], false};
    else
        return fleet->remote->part(fleet->kind, process, index - 1 - sessions, part);
    return true;
}

/* Before each part that is sent, and with a size of 0 behind the last. */
struct head {
    uint32_t process, index;
    uint64_t size_bytes;
};

/* ------------------------------------------------------------------ sending */

struct stream {
    struct meeting *meeting;
    const char *path;
    z_stream zlib;
    struct sha256 sha256;
    uint32_t chunks;
    unsigned char *chunk;
    enum error_kind kind;
    struct error *error;
};

static void chunk_path(const struct stream *stream, uint32_t chunk, char path[MEETING_PATH_SIZE])
{
    snprintf(path, MEETING_PATH_SIZE, "%.120s-part-%u", stream->path, chunk);
}

static void send_chunk(struct stream *stream)
{
    char path[MEETING_PATH_SIZE];
    size_t length = CHUNK_SIZE - stream->zlib.avail_out;
    chunk_path(stream, stream->chunks++, path);
    if (stream->kind == ERROR_NONE)
        stream->kind = meeting_create(stream->meeting, path, PERSISTENT, stream->chunk, length,
                                      NULL, stream->error);
    stream->zlib.next_out = stream->chunk;
    stream->zlib.avail_out = (uInt)CHUNK_SIZE;
}

/* deflate takes at most 4 GiB at once, and no part has as much. */
static void put(struct stream *stream, const void *bytes, size_t size_bytes, int flush)
{
    sha256_add(&stream->sha256, bytes, size_bytes);
    stream->zlib.next_in = bytes;
    stream->zlib.avail_in = (uInt)size_bytes;
    while (stream->kind == ERROR_NONE) {
        int end = deflate(&stream->zlib, flush);
        if (stream->zlib.avail_out > 0 && (flush == Z_NO_FLUSH || end == Z_STREAM_END))
            return;
        send_chunk(stream);
    }
}

static void put_parts(struct stream *stream, const struct fleet *fleet, uint32_t process)
{
    struct crew_part part;
    for (uint32_t index = 0; part_at(fleet, process, index, &part); index++) {
        const struct head head = {process, index, part.size_bytes};
        if (part.empty)
            continue;
        put(stream, &head, sizeof head, Z_NO_FLUSH);
        put(stream, part.place, part.size_bytes, Z_NO_FLUSH);
    }
}

enum error_kind crew_parts_send(struct meeting *meeting, const char *path,
                                const struct fleet *fleet, uint32_t first, uint32_t count,
                                struct crew_state *state, struct error *error)
{
    struct stream stream = {.meeting = meeting, .path = path, .kind = ERROR_NONE, .error = error};
    const struct head end = {first + count, 0, 0};
    stream.chunk = memory_new(1, CHUNK_SIZE);
    stream.zlib.next_out = stream.chunk;
    stream.zlib.avail_out = (uInt)CHUNK_SIZE;
    if (deflateInit(&stream.zlib, LEVEL) != Z_OK) {
        free(stream.chunk);
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    }
    sha256_begin(&stream.sha256);
    for (uint32_t i = 0; i < count; i++)
        put_parts(&stream, fleet, first + i);
    put(&stream, &end, sizeof end, Z_FINISH);
    send_chunk(&stream);
    deflateEnd(&stream.zlib);
    free(stream.chunk);
    state->parts = stream.chunks;
    sha256_end(&stream.sha256, state->digest);
    return stream.kind;
}

/* ------------------------------------------------------------------ taking */

/* The next chunk; it is copied, because what a get has read is valid until the next one. */
static enum error_kind take_chunk(struct stream *stream, const struct crew_state *state)
{
    const struct sync_session *session = &stream->meeting->setup->session;
    char path[MEETING_PATH_SIZE];
    bool there = false;
    if (stream->chunks == state->parts)
        return error_raise(stream->error, ERROR_MALFORMED, 0, stream->path,
                           "the results of this host are cut short");
    chunk_path(stream, stream->chunks++, path);
    enum error_kind kind = meeting_get(stream->meeting, path, NO_WATCH, &there, stream->error);
    if (kind == ERROR_NONE && (!there || session->value_length > CHUNK_SIZE))
        kind =
            error_raise(stream->error, ERROR_MALFORMED, 0, path, "%s",
                        there ? "it is larger than a chunk of results" : "there is no such znode");
    if (kind != ERROR_NONE)
        return kind;
    memcpy(stream->chunk, session->value, session->value_length);
    stream->zlib.next_in = stream->chunk;
    stream->zlib.avail_in = (uInt)session->value_length;
    return meeting_delete(stream->meeting, path, stream->error);
}

static enum error_kind inflate_some(struct stream *stream, const struct crew_state *state)
{
    enum error_kind kind = stream->zlib.avail_in == 0 ? take_chunk(stream, state) : ERROR_NONE;
    if (kind != ERROR_NONE)
        return kind;
    int end = inflate(&stream->zlib, Z_NO_FLUSH);
    if (end == Z_OK || (end == Z_STREAM_END && stream->zlib.avail_out == 0))
        return ERROR_NONE;
    return error_raise(stream->error, ERROR_MALFORMED, 0, stream->path,
                       "the results of this host cannot be decompressed");
}

static enum error_kind take(struct stream *stream, const struct crew_state *state, void *place,
                            size_t size_bytes)
{
    enum error_kind kind = ERROR_NONE;
    stream->zlib.next_out = place;
    stream->zlib.avail_out = (uInt)size_bytes;
    while (kind == ERROR_NONE && stream->zlib.avail_out > 0)
        kind = inflate_some(stream, state);
    stream->zlib.next_out = NULL; /* the place may be of a caller that returns */
    if (kind == ERROR_NONE)
        sha256_add(&stream->sha256, place, size_bytes);
    return kind;
}

static enum error_kind take_parts(struct stream *stream, const struct crew_state *state,
                                  const struct fleet *fleet, uint32_t first, uint32_t count)
{
    for (;;) {
        struct head head;
        struct crew_part part;
        enum error_kind kind = take(stream, state, &head, sizeof head);
        if (kind != ERROR_NONE || (head.process == first + count && head.size_bytes == 0))
            return kind;
        if (head.process < first || head.process >= first + count ||
            !part_at(fleet, head.process, head.index, &part) || part.size_bytes != head.size_bytes)
            return error_raise(stream->error, ERROR_MALFORMED, 0, stream->path,
                               "the results of this host are of another plan");
        kind = take(stream, state, part.place, part.size_bytes);
        if (kind != ERROR_NONE)
            return kind;
    }
}

/* What the run uses as an index or as a text. */
static bool is_sound(const struct fleet *fleet, uint32_t process)
{
    const struct shared *shared = fleet->shared;
    for (uint32_t i = process; i < shared->plan->sessions; i += shared->plan->processes) {
        const struct shared_session *session = &shared->sessions[i];
        if (session->role >= ROLES || memchr(session->server, '\0', sizeof session->server) == NULL)
            return false;
    }
    return fleet->remote->is_sound == NULL || fleet->remote->is_sound(fleet->kind, process);
}

/* Whatever was copied before it turned out to be no results. */
static void wipe_parts(const struct fleet *fleet, uint32_t process)
{
    struct crew_part part;
    for (uint32_t index = 0; part_at(fleet, process, index, &part); index++)
        memset(part.place, 0, part.size_bytes);
}

enum error_kind crew_parts_take(struct meeting *meeting, const char *path,
                                const struct fleet *fleet, uint32_t first, uint32_t count,
                                const struct crew_state *state, struct error *error)
{
    struct stream stream = {.meeting = meeting, .path = path, .error = error};
    char digest[SHA256_TEXT_SIZE];
    if (inflateInit(&stream.zlib) != Z_OK)
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    stream.chunk = memory_new(1, CHUNK_SIZE);
    sha256_begin(&stream.sha256);
    enum error_kind kind = take_parts(&stream, state, fleet, first, count);
    sha256_end(&stream.sha256, digest);
    if (kind == ERROR_NONE && strcmp(digest, state->digest) != 0)
        kind = error_raise(error, ERROR_MALFORMED, 0, path,
                           "the results of this host have another digest than it told");
    for (uint32_t i = 0; kind == ERROR_NONE && i < count; i++) {
        if (!is_sound(fleet, first + i))
            kind = error_raise(error, ERROR_MALFORMED, 0, path,
                               "the results of this host hold what no worker writes");
    }
    for (uint32_t i = 0; kind != ERROR_NONE && i < count; i++)
        wipe_parts(fleet, first + i);
    inflateEnd(&stream.zlib);
    free(stream.chunk);
    return kind;
}
