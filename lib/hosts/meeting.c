// SPDX-License-Identifier: Apache-2.0
#include "hosts/meeting.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* The data of a place that zkherd has made. */
#define PLACE "zkherd meeting place"

/* Numbers of a part: servers take packets below 1 MiB (jute.maxbuffer). And more than any record
 * has. */
#define PART_NUMBERS ((size_t)60000)
#define NUMBERS_MAX  ((size_t)1 << 27)

#define OPEN_NS (10 * NS_PER_S)
/* How often a host looks again for members that are missing, or a rank that has become free. */
#define TURN_NS (250 * NS_PER_MS)
/* How much later than its timeout a session's end may reach the others: servers look once a tick.
 */
#define EXPIRY_SLACK_NS (5 * NS_PER_S)

/* ------------------------------------------------------------------ words */

void meeting_break(struct meeting *meeting, const char *format, ...)
{
    va_list arguments;
    if (meeting->why[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(meeting->why, sizeof meeting->why, format, arguments);
    va_end(arguments);
}

/* A connection that was lost may have lost a notification: it is not taken up again. */
static bool is_connected(struct meeting *meeting)
{
    const struct setup_session *session = meeting->session;
    bool is = session->state == CLIENT_ESTABLISHED && session->traffic.losses == 0;
    if (!is)
        meeting_break(meeting, "host %u (%s) has lost the meeting place", meeting->rank,
                      meeting->name);
    return is;
}

/* Sends a request about a znode of the meeting. False if there is no reply, or the connection was
 * lost: the hosts have gone apart then. */
static bool ask(struct meeting *meeting, const struct request *request)
{
    struct error error;
    if (!is_connected(meeting))
        return false;
    enum error_kind kind = setup_session_ask(meeting->session, request, request->path, &error);
    if (is_connected(meeting) && kind != ERROR_NONE)
        meeting_break(meeting, "the meeting place does not answer: %s", error_words(kind));
    return is_connected(meeting) && kind == ERROR_NONE;
}

/* Reads a member's word: a number, a blank, the host's name, and below these a text; and watches
 * the member. False if it has none: it is gone, or what it holds is no word, and the hosts have
 * gone apart. A word below an earlier one is of another host, at the rank of one that is gone. */
static bool read_word(struct meeting *meeting, struct meeting_member *member)
{
    const struct request request = request_read(OP_GET, member->path, WATCH);
    const struct setup_session *session = meeting->session;
    char name[MEETING_NAME_SIZE];
    uint32_t word = 0;
    int end = 0;
    member->changed = false; /* before the read: what changes after it is notified */
    if (!ask(meeting, &request))
        return false;
    meeting->spent.of[TALLY_GET]++;
    bool exists = session->reply.status != ZK_NO_NODE;
    const char *value =
        session->reply.status == ZK_OK && session->value != NULL ? session->value : "";
    bool is_word = sscanf(value, "%u %79[^\n]%n", &word, name, &end) == 2 && value[end] == '\n' &&
                   word <= MEETING_LAST;
    member->is_gone = !exists || (is_word && meeting->has_met && word < member->word);
    if (!is_word && exists)
        meeting_break(meeting, "%s has %zu bytes that are no word of a host: delete it",
                      member->path, session->value_length);
    if (!is_word || member->is_gone)
        return false;
    free(member->data);
    member->data = memory_text(value);
    member->text = member->data + end + 1;
    member->word = word;
    snprintf(member->name, sizeof member->name, "%s", name);
    return true;
}

/* ------------------------------------------------------------------ steps */

/* Reads the words of the members that have changed. Before all have met, one that is missing is
 * looked for again; an END is that of this meeting if its host has waited for it. */
static void read_changed_words(struct meeting *meeting)
{
    for (uint32_t i = 0; i < meeting->heard_count; i++) {
        struct meeting_member *member = &meeting->heard[i];
        unsigned rank = (unsigned)(member - meeting->members);
        bool is_met = meeting->has_met || (member->data != NULL && member->word <= MEETING_MET);
        if (!member->changed)
            continue;
        bool ends = read_word(meeting, member) && member->word >= MEETING_END;
        if (ends && is_met) {
            meeting->has_met = true;
            meeting_break(meeting, "host %u (%s) has ended the load%s", rank, member->name,
                          member->text + strcspn(member->text, ":"));
        }
        if (member->is_gone && meeting->has_met)
            meeting_break(meeting, "host %u (%s) has gone", rank, member->name);
        member->changed |= !meeting->has_met && (member->is_gone || ends);
    }
}

bool meeting_stands(void *context)
{
    struct meeting *meeting = context;
    struct error error;
    if (meeting->why[0] != '\0')
        return false;
    if (event_loop_poll(meeting->session->loop.event_loop, 0, &error) != ERROR_NONE)
        meeting_break(meeting, "%s", error_words(error.kind));
    if (is_connected(meeting))
        read_changed_words(meeting);
    return meeting->why[0] == '\0';
}

static uint32_t word_of(const struct meeting *meeting, enum meeting_step step)
{
    return step >= MEETING_END ? step : meeting->trial * MEETING_STEPS + step;
}

void meeting_say(struct meeting *meeting, enum meeting_step step, const char *text)
{
    const struct meeting_member *own = &meeting->members[meeting->rank];
    meeting->trial += step == MEETING_TRIAL;
    if (step < MEETING_END && meeting->why[0] != '\0')
        return;
    char *word = memory_format("%u %s\n%s", word_of(meeting, step), meeting->name, text);
    const struct request request = request_set(own->path, word, strlen(word), REQUEST_ANY_VERSION);
    meeting->spent.of[TALLY_SET]++;
    if (ask(meeting, &request) && meeting->session->reply.status != ZK_OK)
        meeting_break(meeting, "the member of host %u (%s) was deleted", meeting->rank,
                      meeting->name);
    free(word);
}

/* Whether each member that this host watches, and that is not gone, has such a word. */
static bool have_said(const struct meeting *meeting, uint32_t least, uint32_t most)
{
    for (uint32_t i = 0; i < meeting->heard_count; i++) {
        const struct meeting_member *member = &meeting->heard[i];
        if (member->changed || (!member->is_gone && (member->word < least || member->word > most)))
            return false;
    }
    return true;
}

bool meeting_has(const struct meeting *meeting, enum meeting_step step)
{
    return have_said(meeting, word_of(meeting, step), UINT32_MAX);
}

/* A turn of the loop, for something to happen. */
static enum error_kind wait_a_turn(const struct meeting *meeting, struct error *error)
{
    if (loop_is_interrupted(meeting->plan.interrupts))
        return error_raise(error, ERROR_INTERRUPTED, 0, "run", "%s", "");
    return loop_turn(&meeting->session->loop, clock_now_ns() + TURN_NS, error);
}

enum error_kind meeting_await(struct meeting *meeting, enum meeting_step step, struct error *error)
{
    meeting->trial += step == MEETING_TRIAL;
    while (meeting_stands(meeting) && !meeting_has(meeting, step)) {
        if (wait_a_turn(meeting, error))
            return error->kind;
    }
    return meeting->why[0] == '\0'
               ? ERROR_NONE
               : error_raise(error, ERROR_APART, 0, "--meet", "%s", meeting->why);
}

/* ------------------------------------------------------------------ records
 *
 * A part is deflated by itself, and has zlib's digest; SENT has how many numbers there are. */

void meeting_send(struct meeting *meeting, const uint64_t *numbers, size_t count)
{
    char path[MEETING_PATH_SIZE];
    unsigned char *packed = memory_new(compressBound(PART_NUMBERS * sizeof *numbers), 1);
    for (size_t at = 0; at < count && meeting_stands(meeting); at += PART_NUMBERS) {
        size_t some = count - at < PART_NUMBERS ? count - at : PART_NUMBERS;
        uLongf bytes = compressBound(PART_NUMBERS * sizeof *numbers);
        int packs = compress2(packed, &bytes, (const Bytef *)(numbers + at), some * sizeof *numbers,
                              Z_BEST_SPEED);
        memory_or_end(packs == Z_OK ? packed : NULL);
        snprintf(path, sizeof path, "%.370s-%zu", meeting->members[meeting->rank].path,
                 at / PART_NUMBERS);
        const struct request request = request_create(path, packed, bytes, EPHEMERAL);
        if (ask(meeting, &request) && meeting->session->reply.status != ZK_OK)
            meeting_break(meeting, "host %u cannot create %.200s", meeting->rank, path);
    }
    free(packed);
}

uint64_t *meeting_take(struct meeting *meeting, uint32_t rank, size_t *count)
{
    const struct meeting_member *member = &meeting->members[rank];
    const struct setup_session *session = meeting->session;
    char path[MEETING_PATH_SIZE];
    const struct request read = request_read(OP_GET, path, NO_WATCH),
                         deletion = request_delete(path);
    size_t at = 0;
    uLongf bytes = 1;
    if (sscanf(member->text, "%zu", count) != 1 || *count > NUMBERS_MAX)
        *count = 0;
    uint64_t *numbers = memory_new(*count, sizeof *numbers);
    for (size_t part = 0; at < *count && bytes > 0; part++) {
        snprintf(path, sizeof path, "%.370s-%zu", member->path, part);
        bytes = (*count - at) * sizeof *numbers;
        if (!ask(meeting, &read) || session->reply.status != ZK_OK ||
            uncompress((Bytef *)(numbers + at), &bytes, (const Bytef *)session->value,
                       session->value_length) != Z_OK ||
            !ask(meeting, &deletion))
            bytes = 0;
        at += bytes / sizeof *numbers;
    }
    if (at == 0 || at < *count)
        meeting_break(meeting, "the record of host %u (%s) is damaged", rank, member->name);
    return numbers;
}

/* ------------------------------------------------------------------ coming */

/* A session without the chroot, which is the place and may have to be made. */
static enum error_kind open_session(const struct connect_string *servers, int interrupts,
                                    struct setup_session **session, struct error *error)
{
    struct connect_string without = *servers;
    without.chroot[0] = '\0';
    return setup_session_new(&without, NULL, OPEN_NS, interrupts, session, error);
}

/* Takes the lowest rank that is free, if there is one. A place that is missing, or that whoever
 * left last has deleted, is made for the next attempt. */
static enum error_kind claim_rank(struct meeting *meeting, const char *word, struct error *error)
{
    struct setup_session *session = meeting->session;
    enum zk_status status;
    uint32_t rank = 0;
    do {
        const char *path = meeting->members[rank].path;
        const struct request member = request_create(path, word, strlen(word), EPHEMERAL);
        if (setup_session_ask(session, &member, path, error))
            return error->kind;
        status = session->reply.status;
        meeting->rank = rank++;
    } while (status == ZK_NODE_EXISTS && rank < meeting->plan.hosts);
    meeting->has_come = status == ZK_OK;
    if (meeting->has_come)
        strcpy(meeting->members[meeting->rank].name, meeting->name);
    meeting->heard = meeting->members + (meeting->rank == 0);
    meeting->heard_count = meeting->rank == 0 ? meeting->plan.hosts - 1 : 1;
    if (status == ZK_OK || status == ZK_NODE_EXISTS)
        return ERROR_NONE;
    if (status != ZK_NO_NODE)
        return error_raise(error, status == ZK_NO_AUTH ? ERROR_FORBIDDEN : ERROR_ZOOKEEPER, 0,
                           meeting->members[0].path, "%s", client_status_word(status));
    enum error_kind made =
        setup_session_create(session, meeting->plan.servers->chroot, PLACE, error);
    return made == ERROR_EXISTS ? ERROR_NONE : made;
}

/* Adds the names of the settings in lines of ours that theirs do not have; both begin with the end
 * of a line. */
static void add_differences(char *text, size_t size, const char *ours, const char *theirs)
{
    const char *between = " ";
    for (size_t length; ours[1] != '\0'; ours += length) {
        length = 1 + strcspn(ours + 1, "\n");
        if (memmem(theirs, strlen(theirs), ours, length + 1) != NULL)
            continue;
        text_append(text, size, "%s%.*s", between, (int)strcspn(ours + 1, " "), ours + 1);
        between = ", ";
    }
}

/* Goes apart for want of hosts: says how many are there, and who waits at the place with other
 * settings. word: this host's. */
static void give_up(struct meeting *meeting, const char *word)
{
    struct error error;
    const char *const *names, *settings = strchr(word, '\n'), *own = meeting->members[0].path,
                              *place = meeting->plan.servers->chroot;
    char time[32], others[300] = "";
    size_t count = 0, are_there = 0, digest = strlen(own) - strlen("00");
    (void)!setup_session_list_children(meeting->session, place, &names, &count, &error);
    for (size_t i = 0; i < count; i++) {
        struct meeting_member member = {.data = NULL};
        snprintf(member.path, sizeof member.path, "%s/%.64s", place, names[i]);
        bool waits = strlen(member.path) == strlen(own) && /* no part */
                     read_word(meeting, &member) && member.word == MEETING_COME;
        if (waits && strncmp(member.path, own, digest) == 0) {
            are_there++;
        } else if (waits) {
            text_append(others, sizeof others, "; %s differs in:", member.name);
            add_differences(others, sizeof others, settings, member.text - 1);
        }
        free(member.data);
    }
    text_format_duration(meeting->plan.timeout_ns, time, sizeof time);
    if (meeting->has_come)
        meeting_break(meeting, "%zu of %u hosts are there after %s%s", are_there,
                      meeting->plan.hosts, time, others);
    else
        meeting_break(meeting, "the %u host%s that --hosts asks for came before this one%s",
                      meeting->plan.hosts, text_plural(meeting->plan.hosts), others);
}

/* ------------------------------------------------------------------ meeting */

static void notified(void *context, enum client_event event, const char *path)
{
    struct meeting *meeting = context;
    (void)event;
    meeting->spent.of[TALLY_NOTIFICATION]++;
    for (uint32_t i = 0; i < meeting->heard_count; i++)
        meeting->heard[i].changed |= strcmp(meeting->heard[i].path, path) == 0;
}

/* A host looks again for a free rank as long as there is none: members of hosts that were killed go
 * with their sessions, and have other words until then. Rank 0 waits until all others have come,
 * and the others for its MET. */
static enum error_kind await_others(struct meeting *meeting, struct error *error)
{
    const struct meeting_plan *plan = &meeting->plan;
    char *word = memory_format("%d %s\n%s", MEETING_COME, meeting->name, plan->settings);
    uint64_t until_ns = clock_now_ns() + plan->timeout_ns;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE && meeting_stands(meeting) && !meeting->has_met) {
        uint32_t awaited = meeting->rank == 0 ? MEETING_COME : MEETING_MET;
        meeting->has_met = meeting->has_come && have_said(meeting, awaited, awaited);
        if (meeting->has_met)
            break;
        if (clock_now_ns() >= until_ns)
            give_up(meeting, word);
        else if (meeting->has_come || claim_rank(meeting, word, error) == ERROR_NONE)
            kind = wait_a_turn(meeting, error);
        else
            kind = error->kind;
    }
    free(word);
    if (kind != ERROR_NONE || meeting->has_met)
        return kind;
    char place[CONNECT_TEXT_SIZE], subject[256];
    snprintf(subject, sizeof subject, "--meet %.240s",
             connect_typed(plan->servers, place, sizeof place));
    return error_raise(error, ERROR_NOT_MET, 0, subject, "%s", meeting->why);
}

enum error_kind meeting_join(const struct meeting_plan *plan, struct meeting **joined,
                             struct error *error)
{
    struct meeting *meeting = memory_new(1, sizeof *meeting);
    const unsigned char *settings = (const unsigned char *)plan->settings;
    uInt length = (uInt)strlen(plan->settings);
    char host[65] = "";
    if (open_session(plan->servers, plan->interrupts, &meeting->session, error)) {
        free(meeting);
        return error->kind;
    }
    meeting->plan = *plan;
    meeting->session->notified = notified;
    meeting->session->context = meeting;
    meeting->session->interrupts = -1; /* no request is given up */
    meeting->session->away_ns = client_timeout_ms(meeting->session->client) * NS_PER_MS;
    meeting->members = memory_new(plan->hosts, sizeof *meeting->members);
    gethostname(host, sizeof host - 1);
    snprintf(meeting->name, sizeof meeting->name, "%s:%d", host, (int)getpid());
    for (uint32_t rank = 0; rank < plan->hosts; rank++) {
        struct meeting_member *member = &meeting->members[rank];
        snprintf(member->path, sizeof member->path, "%.300s/%08lx%08lx-%02u", plan->servers->chroot,
                 crc32(0, settings, length), adler32(1, settings, length), rank);
        member->changed = true;
    }
    enum error_kind kind = await_others(meeting, error);
    if (kind == ERROR_NONE)
        meeting_say(meeting, MEETING_MET, "");
    if (kind == ERROR_NONE && meeting->rank == 0) /* no TRIAL hides it from a host that is slow */
        kind = meeting_await(meeting, MEETING_MET, error);
    if (kind == ERROR_NONE)
        *joined = meeting;
    else
        (void)meeting_leave(meeting, error_exit_status(kind));
    return kind;
}

/* ------------------------------------------------------------------ the end */

void meeting_end(struct meeting *meeting, enum meeting_step step, int status)
{
    char text[sizeof meeting->why + 32];
    snprintf(text, sizeof text, "%d%s%s", status, meeting->why[0] != '\0' ? ": " : "",
             meeting->why);
    meeting_say(meeting, step, text);
}

/* Rank 0 waits until all others have gone; they wait for its last word, or until it has gone,
 * having told it why if they leave first. */
static void end_together(struct meeting *meeting, int status)
{
    bool leads = meeting->rank == 0;
    uint32_t awaited = leads ? UINT32_MAX : MEETING_LAST;
    uint64_t until_ns =
        clock_now_ns() + EXPIRY_SLACK_NS + client_timeout_ms(meeting->session->client) * NS_PER_MS;
    struct error error;
    meeting->plan.interrupts = -1;
    if (leads || meeting->members[0].word < MEETING_END)
        meeting_end(meeting, leads ? MEETING_LAST : MEETING_END, status);
    while (is_connected(meeting) && clock_now_ns() < until_ns &&
           !have_said(meeting, awaited, UINT32_MAX) && wait_a_turn(meeting, &error) == ERROR_NONE)
        read_changed_words(meeting);
}

/* Deletes the place if it is empty and zkherd's own, in a session of its own, as the member goes
 * with that of the meeting: each host tries, and the last one succeeds. A host that is about to
 * come makes it again. */
static void delete_place(const struct connect_string *servers)
{
    const struct request place = request_delete(servers->chroot);
    struct setup_session *session;
    struct error error;
    if (open_session(servers, -1, &session, &error) != ERROR_NONE)
        return;
    if (setup_session_read(session, OP_GET, place.path, &error) == ERROR_NONE &&
        session->reply.status == ZK_OK && session->value != NULL &&
        strcmp(session->value, PLACE) == 0)
        (void)!setup_session_ask(session, &place, place.path, &error);
    setup_session_free(session);
}

int meeting_leave(struct meeting *meeting, int status)
{
    if (meeting == NULL)
        return status;
    const struct meeting_member *first = &meeting->members[0];
    if (meeting->has_met)
        end_together(meeting, status);
    if (meeting->rank > 0 && first->word >= MEETING_END)
        (void)!sscanf(first->text, "%d", &status);
    else if (meeting->has_met && meeting->rank > 0 && first->is_gone)
        status = MEETING_LOST;
    setup_session_free(meeting->session); /* the member and its parts go with it */
    delete_place(meeting->plan.servers);
    for (uint32_t rank = 0; rank < meeting->plan.hosts; rank++)
        free(meeting->members[rank].data);
    free(meeting->members);
    free(meeting);
    return status;
}

/* ------------------------------------------------------------------ the meeting's own requests */

bool meeting_is_at(const struct meeting *meeting, const struct connect_string *servers)
{
    char own[CLIENT_SERVER_SIZE], server[ENDPOINT_TEXT_SIZE];
    client_server(meeting->session->client, own, sizeof own);
    for (size_t i = 0; i < servers->count; i++) {
        if (strcmp(endpoint_address(&servers->endpoints[i], server, sizeof server), own) == 0)
            return true;
    }
    return false;
}
