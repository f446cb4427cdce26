// SPDX-License-Identifier: Apache-2.0
#include "relay/replay.h"

#include "base/clock.h"
#include "base/id_tree.h"
#include "base/memory.h"
#include "relay/exchange.h"
#include "relay/rename.h"
#include "servers/tcp.h"
#include "wire/wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define PIECE       ((size_t)64 * 1024) /* of bytes that are received at once */
#define EVENTS_MOST 256
#define LOOK_NS     (500 * NS_PER_MS)
#define TURN_NS     (10 * NS_PER_MS) /* what is held back is looked at so often */
#define STALL_NS    (10 * NS_PER_S)  /* behind the end of the recording without a reply */
#define CLOSE_NS    (2 * NS_PER_S)   /* for the sessions that are open at the end */

/* It is the tag of its request in both conversations; 0: a request that is left out. */
union tag {
    uint64_t number;
    struct exchange *exchange;
};

static struct exchange *exchange_of(const struct conversation_request *request)
{
    return (union tag){.number = request->tag}.exchange;
}

/* What is due on a connection, and has not been done yet. */
struct step {
    struct step *next;
    uint64_t due_ns;
    uint64_t waits_ns; /* since when nothing but a notification is waited for; 0: not yet */
    uint64_t replies, notifications; /* that the client had got */
    bool was_held;
    struct exchange *exchange; /* NULL: an opening, or the end of the connection */
    struct fields_message message;
    unsigned char bytes[]; /* none: the end */
};

struct session {
    int64_t recorded;
    struct rename_session now;
};

struct line {
    struct replay *replay;
    uint64_t number;
    int fd; /* -1: not connected yet, or over */
    bool connecting, connected, over, lost, blocked;
    uint32_t events; /* that epoll waits for */
    struct conversation conversations[EXCHANGE_SIDES];
    uint64_t replies[EXCHANGE_SIDES], notifications[EXCHANGE_SIDES];
    struct session own, *session; /* the session is its own, or that of an earlier connection */
    struct exchange *exchanges;
    struct exchange *latest; /* of the request that is being told of */
    struct step *first, *last;
    unsigned char *pending; /* bytes that the server has not taken yet */
    size_t pending_from, pending_to, pending_room;
    struct line *next_blocked;
};

struct replay {
    const struct replay_options *options;
    struct replay_result *result;
    struct recording *recording;
    struct recording_event event; /* the next */
    bool more;                    /* there is one */
    uint64_t begun_ns, heard_ns;  /* of the monotonic clock; of the last bytes of a server */
    struct line **lines;
    size_t line_count, open_count;
    struct line *blocked;
    struct exchanges exchanges;
    struct rename_target target;
    id_tree sessions;     /* by their recorded numbers */
    uint64_t outstanding; /* requests without a reply */
    struct rename_message message;
    int epoll, timer;
    bool interrupted;
    bool closing; /* what servers send is passed over */
    unsigned char piece[PIECE];
};

/* ------------------------------------------------------------------ what is said on either side */

static void end_exchange(struct line *line, struct exchange *exchange)
{
    struct replay *replay = line->replay;
    replay->result->unanswered += exchange_end(&replay->exchanges, exchange);
}

/* A reply has come on one side. */
static void take_reply(struct line *line, enum exchange_side side,
                       const struct conversation_request *request,
                       const struct message_reply *reply)
{
    struct exchange *exchange = exchange_of(request);
    line->replies[side]++;
    exchange_reply(&line->replay->exchanges, exchange, side, reply, request->record.path);
    if (exchange->answered[EXCHANGE_RECORDED] &&
        (exchange->answered[EXCHANGE_REPLAYED] || line->over))
        end_exchange(line, exchange);
}

static enum exchange_side side_of(const struct line *line, const struct conversation *conversation)
{
    return conversation == &line->conversations[EXCHANGE_RECORDED] ? EXCHANGE_RECORDED
                                                                   : EXCHANGE_REPLAYED;
}

/* The session now of a recorded one; NULL: it was opened before the recording. */
static struct session *find_session(struct replay *replay, int64_t recorded)
{
    return id_tree_find(&replay->sessions, recorded);
}

static void hear_opened(void *context, struct conversation *conversation,
                        const struct message_opening *request, const struct message_opening *reply,
                        const size_t bytes[CONVERSATION_SIDES])
{
    struct line *line = context;
    struct replay *replay = line->replay;
    enum exchange_side side = side_of(line, conversation);
    line->replies[side]++;
    if (side == EXCHANGE_REPLAYED) {
        line->session->now.number = reply->session;
        traffic_listener.opened(&replay->result->traffic, conversation, request, reply, bytes);
    } else if (reply->session != 0 && find_session(replay, reply->session) == NULL) {
        line->own.recorded = reply->session;
        id_tree_put(&replay->sessions, &line->own);
    }
}

static bool is_left_out(enum opcode opcode)
{
    return opcode == OPCODE_AUTH || opcode == OPCODE_SASL || opcode == OPCODE_RECONFIG ||
           opcode == OPCODE_OTHER;
}

/* A recorded request becomes an exchange, unless it is left out. */
static void add_exchange(struct line *line, const struct message_request *request,
                         const struct conversation_request *sent)
{
    struct replay *replay = line->replay;
    line->latest = NULL;
    if (is_left_out(request->opcode) || sent->bytes > WIRE_LENGTH + SPLITTER_KEPT_MAX) {
        replay->result->left_out++;
        return;
    }
    const struct exchange facts = {.opcode = request->opcode,
                                   .at_ns = sent->sent_ns - replay->options->prior->facts.begun_ns,
                                   .connection = line->number};
    line->latest =
        exchange_add(&replay->exchanges, &line->exchanges, &facts, line->over ? NULL : request);
}

static uint64_t hear_requested(void *context, struct conversation *conversation,
                               const struct message_request *request,
                               const struct conversation_request *sent)
{
    struct line *line = context;
    struct replay *replay = line->replay;
    if (side_of(line, conversation) == EXCHANGE_RECORDED)
        add_exchange(line, request, sent);
    else {
        line->latest->tag =
            traffic_listener.requested(&replay->result->traffic, conversation, request, sent);
        replay->outstanding++;
    }
    return (union tag){.exchange = line->latest}.number;
}

static void hear_replied(void *context, struct conversation *conversation,
                         const struct conversation_request *request,
                         const struct message_reply *reply, size_t bytes, uint64_t at_ns)
{
    struct line *line = context;
    struct replay *replay = line->replay;
    enum exchange_side side = side_of(line, conversation);
    if (request->tag == 0)
        return;
    if (side == EXCHANGE_REPLAYED) {
        struct conversation_request counted = *request;
        counted.tag = exchange_of(request)->tag;
        traffic_listener.replied(&replay->result->traffic, conversation, &counted, reply, bytes,
                                 at_ns);
        replay->outstanding--;
        if (reply->zxid > line->session->now.zxid)
            line->session->now.zxid = reply->zxid;
    }
    take_reply(line, side, request, reply);
}

static void hear_notified(void *context, struct conversation *conversation,
                          const struct message_notification *notification, size_t bytes,
                          uint64_t at_ns)
{
    struct line *line = context;
    enum exchange_side side = side_of(line, conversation);
    line->notifications[side]++;
    if (side == EXCHANGE_REPLAYED)
        traffic_listener.notified(&line->replay->result->traffic, conversation, notification, bytes,
                                  at_ns);
}

/* The password of a session that the server has opened. */
static void take_password(void *context, char letter, const unsigned char *bytes, size_t count)
{
    struct rename_session *now = context;
    if (letter != FIELDS_PASSWORD || count - WIRE_LENGTH > sizeof now->password)
        return;
    now->password_length = count - WIRE_LENGTH;
    memcpy(now->password, bytes + WIRE_LENGTH, now->password_length);
}

static void look_for_password(void *context, struct conversation *conversation,
                              enum conversation_side from, const struct fields_message *message,
                              uint64_t at_ns)
{
    (void)conversation, (void)from, (void)at_ns;
    if (message->kind == FIELDS_SERVER_OPENING)
        fields_walk(message, take_password, &((struct line *)context)->session->now);
}

/* ------------------------------------------------------------------ connections */

static struct line *line_of(struct replay *replay, uint64_t number)
{
    static const struct conversation_listener listener = {hear_opened, hear_requested, hear_replied,
                                                          hear_notified};
    if (number < replay->line_count)
        return replay->lines[number];
    struct line *line = memory_new(1, sizeof *line);
    *line = (struct line){.replay = replay, .number = number, .fd = -1, .session = &line->own};
    for (enum exchange_side side = 0; side < EXCHANGE_SIDES; side++)
        conversation_init(&line->conversations[side], &listener, line);
    line->conversations[EXCHANGE_REPLAYED].copies =
        (struct conversation_copies){look_for_password, line};
    replay->lines = memory_grow(replay->lines, replay->line_count, sizeof(void *));
    return replay->lines[replay->line_count++] = line;
}

/* Has epoll wait for what the server may do next. */
static void watch(struct line *line)
{
    bool writes = line->connecting || line->pending_from < line->pending_to;
    struct epoll_event event = {.events = EPOLLIN | (writes ? EPOLLOUT : 0), .data.ptr = line};
    if (event.events == line->events)
        return;
    (void)epoll_ctl(line->replay->epoll, line->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD,
                    line->fd, &event);
    line->events = event.events;
}

/* Nothing more is sent or received. */
static void end_line(struct line *line)
{
    struct replay *replay = line->replay;
    struct conversation *conversation = &line->conversations[EXCHANGE_REPLAYED];
    if (line->over)
        return;
    line->over = true;
    if (line->fd >= 0)
        close(line->fd);
    replay->open_count -= line->fd >= 0;
    line->fd = -1;
    if (conversation->fed_bytes[CONVERSATION_CLIENT] > 0)
        traffic_end(&replay->result->traffic, conversation);
    replay->outstanding -= conversation_unanswered(conversation);
    for (struct exchange *exchange = line->exchanges, *next; exchange != NULL; exchange = next) {
        next = exchange->next;
        exchange_give_up(&replay->exchanges, exchange);
        if (exchange->answered[EXCHANGE_RECORDED])
            end_exchange(line, exchange);
    }
}

static void flush(struct line *line)
{
    while (!line->connecting && line->pending_from < line->pending_to) {
        ssize_t sent = send(line->fd, line->pending + line->pending_from,
                            line->pending_to - line->pending_from, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR && errno != EAGAIN)
            end_line(line);
        if (sent < 0 && errno != EINTR)
            break;
        line->pending_from += sent > 0 ? (size_t)sent : 0;
    }
    if (!line->over)
        watch(line);
}

static void send_bytes(struct line *line, const unsigned char *bytes, size_t count)
{
    if (line->pending_from == line->pending_to)
        line->pending_from = line->pending_to = 0;
    if (line->pending_room < line->pending_to + count) {
        line->pending_room = 2 * (line->pending_to + count);
        line->pending = memory_or_end(realloc(line->pending, line->pending_room));
    }
    memcpy(line->pending + line->pending_to, bytes, count);
    line->pending_to += count;
    flush(line);
}

/* Begins to connect. */
static void connect_line(struct line *line)
{
    struct replay *replay = line->replay;
    const struct connect_string *servers = replay->options->servers;
    struct error ignored;
    int on = 1;
    if (tcp_begin(&servers->endpoints[line->number % servers->count], &line->fd, &ignored) !=
        ERROR_NONE) {
        line->fd = -1;
        replay->result->unconnected++;
        end_line(line);
        return;
    }
    (void)setsockopt(line->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    line->connecting = true;
    replay->open_count++;
}

static void end_connecting(struct line *line)
{
    const struct connect_string *servers = line->replay->options->servers;
    struct error ignored;
    line->connecting = false;
    if (tcp_end(&servers->endpoints[line->number % servers->count], line->fd, &ignored) ==
        ERROR_NONE) {
        line->connected = true;
        return;
    }
    line->replay->result->unconnected++;
    end_line(line);
}

/* ------------------------------------------------------------------ steps */

static void add_step(struct line *line, const struct fields_message *message,
                     struct exchange *exchange, uint64_t due_ns)
{
    size_t count = message != NULL ? message->kept : 0;
    struct step *step = memory_new(1, sizeof *step + count);
    *step = (struct step){.due_ns = due_ns,
                          .replies = line->replies[EXCHANGE_RECORDED],
                          .notifications = line->notifications[EXCHANGE_RECORDED],
                          .was_held = line->first != NULL,
                          .exchange = exchange};
    if (message != NULL) {
        step->message = *message;
        memcpy(step->bytes, message->bytes, count);
        step->message.bytes = step->bytes;
    }
    *(line->first != NULL ? &line->last->next : &line->first) = step;
    line->last = step;
}

static void drop_step(struct line *line)
{
    struct step *step = line->first;
    line->first = step->next;
    free(step);
}

/* Sends the message of a step, which replay->message is anew. */
static void send_step(struct line *line, const struct step *step, uint64_t now_ns)
{
    struct replay *replay = line->replay;
    const struct rename_message *message = &replay->message;
    uint64_t late_ns = now_ns > step->due_ns ? now_ns - step->due_ns : 0;
    if (step->exchange != NULL) {
        histogram_record(step->was_held ? &replay->result->held_for : &replay->result->late,
                         late_ns);
        replay->result->held += step->was_held;
        step->exchange->order.sent = true;
    }
    line->latest = step->exchange;
    conversation_feed(&line->conversations[EXCHANGE_REPLAYED], CONVERSATION_CLIENT, message->bytes,
                      message->count, now_ns);
    send_bytes(line, message->bytes, message->count);
}

/* An opening of a session of the recording opens that which it is now. */
static void begin_session(struct line *line)
{
    int64_t recorded = line->conversations[EXCHANGE_RECORDED].opening.session;
    struct session *session = recorded != 0 ? find_session(line->replay, recorded) : NULL;
    if (session != NULL)
        line->session = session;
    connect_line(line);
}

/* Whether the notifications have come that a client had got, or will not come: all other requests
 * before this one have been answered for a while. */
static bool has_notifications(struct line *line, struct step *step, uint64_t now_ns)
{
    step->exchange->waits = line->notifications[EXCHANGE_REPLAYED] < step->notifications;
    if (!step->exchange->waits)
        return true;
    if (line->replay->exchanges.active < step->exchange->order.asked)
        step->waits_ns = 0;
    else if (step->waits_ns == 0)
        step->waits_ns = now_ns;
    uint64_t *given_up = &line->replay->result->given_up;
    if (step->waits_ns == 0 || now_ns - step->waits_ns < REPLAY_PATIENCE_NS / (1 + *given_up))
        return false;
    ++*given_up;
    line->notifications[EXCHANGE_REPLAYED] = step->notifications;
    return true;
}

/* Does the first step, unless it must wait still. */
static bool do_step(struct line *line)
{
    struct replay *replay = line->replay;
    struct step *step = line->first;
    uint64_t now_ns = clock_now_ns();
    bool is_end = step->message.bytes == NULL;
    if (line->over) {
        replay->result->unsent += step->exchange != NULL;
        replay->result->lost += !is_end && !line->lost && line->connected;
        line->lost = line->lost || !is_end;
        return true;
    }
    if (line->replies[EXCHANGE_REPLAYED] < step->replies)
        return false;
    if (is_end) {
        end_line(line);
        return true;
    }
    if (step->exchange != NULL &&
        (!has_notifications(line, step, now_ns) || order_waits(&step->exchange->order)))
        return false;
    if (step->message.kind == FIELDS_CLIENT_OPENING)
        begin_session(line);
    if (!rename_message(&replay->target, &line->session->now, &step->message, &replay->message))
        return false;
    if (!line->over)
        send_step(line, step, now_ns);
    return true;
}

/* Does the steps of a connection that need not wait. */
static void do_steps(struct line *line)
{
    struct replay *replay = line->replay;
    while (line->first != NULL && do_step(line))
        drop_step(line);
    if (line->first == NULL)
        return;
    line->first->was_held = true;
    if (!line->blocked) {
        line->blocked = true;
        line->next_blocked = replay->blocked;
        replay->blocked = line;
    }
}

/* Tries again what had to wait. */
static void do_blocked(struct replay *replay)
{
    struct line *line = replay->blocked;
    replay->blocked = NULL;
    for (struct line *next; line != NULL; line = next) {
        next = line->next_blocked;
        line->blocked = false;
        do_steps(line);
    }
}

/* ------------------------------------------------------------------ events of the recording */

static uint64_t due_ns_of(const struct replay *replay, const struct recording_event *event)
{
    const struct replay_options *options = replay->options;
    return replay->begun_ns +
           (event->at_ns - options->prior->facts.begun_ns) * 100 / options->speed_percent;
}

static void take_event(struct replay *replay, const struct recording_event *event)
{
    struct line *line = line_of(replay, event->connection);
    struct conversation *recorded = &line->conversations[EXCHANGE_RECORDED];
    struct fields_message message = {.kind = recorded->client_opened ? FIELDS_REQUEST
                                                                     : FIELDS_CLIENT_OPENING,
                                     .bytes = event->bytes,
                                     .kept = event->kept,
                                     .length = event->length};
    line->latest = NULL;
    recording_tell(event, recorded);
    if (event->kind == RECORDING_ENDED)
        add_step(line, NULL, NULL, due_ns_of(replay, event));
    else if (event->kind == RECORDING_CLIENT && recorded->unreadable == NULL &&
             (message.kind == FIELDS_CLIENT_OPENING || line->latest != NULL)) {
        message.opcode = line->latest != NULL ? line->latest->opcode : OPCODE_OTHER;
        add_step(line, &message, line->latest, due_ns_of(replay, event));
    }
    do_steps(line);
}

static enum error_kind take_due_events(struct replay *replay, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE && replay->more &&
           due_ns_of(replay, &replay->event) <= clock_now_ns()) {
        take_event(replay, &replay->event);
        kind = recording_next(replay->recording, &replay->event, &replay->more, error);
    }
    return kind;
}

/* ------------------------------------------------------------------ the loop */

static void receive(struct line *line)
{
    struct replay *replay = line->replay;
    ssize_t count = recv(line->fd, replay->piece, PIECE, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    replay->heard_ns = clock_now_ns();
    if (count > 0 && !replay->closing)
        conversation_feed(&line->conversations[EXCHANGE_REPLAYED], CONVERSATION_SERVER,
                          replay->piece, (size_t)count, replay->heard_ns);
    else if (count <= 0)
        end_line(line);
}

static void handle_line(struct line *line, uint32_t events)
{
    if (!line->over && line->connecting)
        end_connecting(line);
    if (!line->over)
        flush(line);
    if (!line->over && (events & ~(uint32_t)EPOLLOUT) != 0)
        receive(line);
    do_steps(line);
}

/* Waits for the servers, and until the next event is due. */
static enum error_kind turn(struct replay *replay, struct error *error)
{
    struct epoll_event events[EVENTS_MOST];
    uint64_t at_ns = clock_now_ns() + (replay->blocked != NULL ? TURN_NS : LOOK_NS), expired;
    if (replay->more && due_ns_of(replay, &replay->event) < at_ns)
        at_ns = due_ns_of(replay, &replay->event);
    const struct itimerspec timer = {
        .it_value = {(time_t)(at_ns / NS_PER_S), (long)(at_ns % NS_PER_S)}};
    (void)timerfd_settime(replay->timer, TFD_TIMER_ABSTIME, &timer, NULL);
    int count = epoll_wait(replay->epoll, events, EVENTS_MOST, -1);
    if (count < 0 && errno != EINTR)
        return error_from_errno(error, errno, "replay", "while waiting for replies");
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr == &replay->timer)
            (void)!read(replay->timer, &expired, sizeof expired);
        else if (events[i].data.ptr == &replay->interrupted) {
            replay->interrupted = true;
            (void)epoll_ctl(replay->epoll, EPOLL_CTL_DEL, replay->options->interrupts, NULL);
        } else
            handle_line(events[i].data.ptr, events[i].events);
    }
    exchange_find_active(&replay->exchanges);
    do_blocked(replay);
    return ERROR_NONE;
}

static enum error_kind look(struct replay *replay, uint64_t *look_ns, struct error *error)
{
    const struct replay_options *options = replay->options;
    uint64_t now_ns = clock_now_ns();
    if (now_ns < *look_ns)
        return ERROR_NONE;
    *look_ns = now_ns + LOOK_NS;
    return options->look(options->context, replay->result, now_ns - replay->begun_ns, error);
}

/* Whether there is anything to do or to wait for. */
static bool goes_on(const struct replay *replay)
{
    return replay->more || ((replay->blocked != NULL || replay->outstanding > 0) &&
                            clock_now_ns() < replay->heard_ns + STALL_NS);
}

/* Until every event was taken, and every reply has come that will. */
static enum error_kind replay_events(struct replay *replay, struct error *error)
{
    uint64_t look_ns = replay->begun_ns;
    enum error_kind kind = recording_next(replay->recording, &replay->event, &replay->more, error);
    while (kind == ERROR_NONE && !replay->interrupted && goes_on(replay)) {
        if (replay->more)
            replay->heard_ns = clock_now_ns();
        kind = look(replay, &look_ns, error);
        if (kind == ERROR_NONE)
            kind = take_due_events(replay, error);
        if (kind == ERROR_NONE && goes_on(replay))
            kind = turn(replay, error);
    }
    return kind == ERROR_NONE && replay->interrupted
               ? error_raise(error, ERROR_INTERRUPTED, 0, "replay", "the rest was not sent")
               : kind;
}

/* Closes the sessions of connections that have not ended, and waits for the servers to do so. */
static void close_sessions(struct replay *replay)
{
    static const unsigned char closing[WIRE_CLOSE_REQUEST] = {0, 0, 0,    8,    0,    0,
                                                              0, 0, 0xff, 0xff, 0xff, 0xf5};
    uint64_t until_ns = clock_now_ns() + CLOSE_NS;
    struct error ignored;
    replay->more = false;
    replay->closing = true;
    for (size_t i = 0; i < replay->line_count; i++) {
        struct line *line = replay->lines[i];
        while (line->first != NULL) {
            replay->result->unsent += line->first->exchange != NULL;
            drop_step(line);
        }
        if (!line->over && line->fd >= 0)
            send_bytes(line, closing, sizeof closing);
    }
    while (replay->open_count > 0 && clock_now_ns() < until_ns &&
           turn(replay, &ignored) == ERROR_NONE)
        ;
}

/* ------------------------------------------------------------------ the whole */

static void free_line(struct line *line)
{
    end_line(line);
    while (line->first != NULL)
        drop_step(line);
    for (struct exchange *exchange = line->exchanges, *next; exchange != NULL; exchange = next) {
        next = exchange->next;
        end_exchange(line, exchange);
    }
    for (enum exchange_side side = 0; side < EXCHANGE_SIDES; side++)
        conversation_deinit(&line->conversations[side]);
    free(line->pending);
    free(line);
}

static void keep_session(void *node)
{
    (void)node; /* it is its connection's */
}

static enum error_kind begin(struct replay *replay, struct error *error)
{
    struct epoll_event timer = {.events = EPOLLIN, .data.ptr = &replay->timer},
                       interrupts = {.events = EPOLLIN, .data.ptr = &replay->interrupted};
    replay->epoll = epoll_create1(EPOLL_CLOEXEC);
    replay->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (replay->epoll < 0 || replay->timer < 0 ||
        epoll_ctl(replay->epoll, EPOLL_CTL_ADD, replay->timer, &timer) != 0 ||
        epoll_ctl(replay->epoll, EPOLL_CTL_ADD, replay->options->interrupts, &interrupts) != 0)
        return error_from_errno(error, errno, "replay", "while making its loop");
    return recording_open(replay->options->path, &replay->recording, error);
}

enum error_kind replay_run(const struct replay_options *options, struct replay_result *result,
                           struct error *error)
{
    struct replay *replay = memory_new(1, sizeof *replay);
    *result = (struct replay_result){0};
    traffic_init(&result->traffic);
    *replay =
        (struct replay){.options = options,
                        .result = result,
                        .target = {options->prior->names, options->root, options->speed_percent},
                        .epoll = -1,
                        .timer = -1};
    replay->exchanges = (struct exchanges){
        .comparison = &result->compared, .names = &replay->target.names, .root = options->root};
    options->prior->names = NULL;
    enum error_kind kind = begin(replay, error);
    result->begun_ns = replay->begun_ns = replay->heard_ns = clock_now_ns();
    if (kind == ERROR_NONE)
        kind = replay_events(replay, error);
    result->seconds = (double)(clock_now_ns() - replay->begun_ns) / 1e9;
    if (replay->recording != NULL)
        close_sessions(replay);
    for (size_t i = 0; i < replay->line_count; i++)
        free_line(replay->lines[i]);
    free(replay->lines);
    tdestroy(replay->sessions, keep_session);
    recording_close(replay->recording);
    rename_free(&replay->target.names);
    order_free(&replay->exchanges.places);
    free(replay->message.bytes);
    if (replay->timer >= 0)
        close(replay->timer);
    if (replay->epoll >= 0)
        close(replay->epoll);
    free(replay);
    return kind;
}

void replay_deinit(struct replay_result *result)
{
    traffic_deinit(&result->traffic);
    exchange_forget(&result->compared);
    *result = (struct replay_result){0};
}
