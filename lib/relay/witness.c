// SPDX-License-Identifier: Apache-2.0
#include "relay/witness.h"

#include "base/process.h"
#include "relay/relay.h"
#include "relay/traffic.h"
#include "wire/wire.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ in the process of the relay */

/* The operations of sessions under test. Any other is among all requests alone, which then differ.
 */
static const struct {
    enum opcode opcode;
    enum tally_kind kind;
} operations[] = {{OPCODE_CREATE, TALLY_CREATE}, {OPCODE_EXISTS, TALLY_EXISTS},
                  {OPCODE_GET_DATA, TALLY_GET},  {OPCODE_GET_CHILDREN, TALLY_GET_CHILDREN},
                  {OPCODE_SET_DATA, TALLY_SET},  {OPCODE_DELETE, TALLY_DELETE},
                  {OPCODE_MULTI, TALLY_MULTI},   {OPCODE_SYNC, TALLY_SYNC}};

/* Whether it is of a session's work, and not of its keeping, its beginning or its end. */
static bool is_work(enum opcode opcode)
{
    return opcode != OPCODE_PING && opcode != OPCODE_CLOSE && opcode != OPCODE_AUTH;
}

static void take(const struct traffic *traffic, struct witness_reading *reading)
{
    const struct traffic_figures *of = traffic->operations;
    struct tally *tally = &reading->tally;
    *reading = (struct witness_reading){
        .requests = traffic_requests(traffic) - of[OPCODE_AUTH].requests,
        .pings = {of[OPCODE_PING].requests, of[OPCODE_PING].replies},
        .tally.of = {[TALLY_CREATE_FAILED] = of[OPCODE_CREATE].failed,
                     [TALLY_DELETE_FAILED] = of[OPCODE_DELETE].failed,
                     [TALLY_NAMES_LISTED] = of[OPCODE_GET_CHILDREN].elements,
                     [TALLY_NOTIFICATION] = traffic_notifications(traffic)}};
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        tally->of[operations[i].kind] = of[operations[i].opcode].requests;
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        if (is_work(opcode)) {
            tally_add(tally, TALLY_BYTES_SENT, of[opcode].bytes_sent);
            tally_add(tally, TALLY_BYTES_RECEIVED, of[opcode].bytes_received);
        }
    for (enum traffic_event event = 0; event < TRAFFIC_EVENT_KINDS; event++)
        tally_add(tally, TALLY_BYTES_RECEIVED, traffic->notification_bytes[event]);
}

/* Until the relay fails, or nobody is there to ask. */
static void live(struct relay *relay, const struct traffic *traffic, int descriptor)
{
    struct witness_reading reading;
    struct error ignored;
    bool asked;
    char question;
    while (relay_poll(relay, descriptor, UINT64_MAX, &asked, &ignored) == ERROR_NONE) {
        if (recv(descriptor, &question, sizeof question, 0) != sizeof question)
            return;
        take(traffic, &reading);
        if (send(descriptor, &reading, sizeof reading, MSG_NOSIGNAL) != sizeof reading)
            return;
    }
}

/* ------------------------------------------------------------------ in the process that asks */

static enum error_kind start_process(struct relay *relay, const struct traffic *traffic,
                                     struct witness *witness, struct error *error)
{
    int ends[2] = {-1, -1};
    pid_t parent = getpid(), pid = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0)
        pid = fork();
    if (pid == 0) {
        close(ends[0]);
        if (process_follow(parent))
            live(relay, traffic, ends[1]);
        _exit(0);
    }
    enum error_kind kind = ERROR_NONE;
    if (pid > 0)
        *witness = (struct witness){pid, ends[0], *relay_connect(relay)};
    else
        kind = error_from_errno(error, errno, "relay", "while starting its process");
    close(ends[1]);
    if (pid < 0)
        close(ends[0]);
    return kind;
}

/* The relay of this process only lends its ports to that of the other. */
enum error_kind witness_start(const struct connect_string *servers, struct witness *witness,
                              struct error *error)
{
    struct traffic traffic;
    struct relay *relay;
    const struct relay_options options = {.servers = servers,
                                          .address = "127.0.0.1",
                                          .listener = &traffic_listener,
                                          .context = &traffic};
    traffic_init(&traffic);
    enum error_kind kind = relay_new(&options, &relay, error);
    if (kind == ERROR_NONE) {
        kind = start_process(relay, &traffic, witness, error);
        relay_free(relay);
    }
    traffic_deinit(&traffic);
    return kind;
}

void witness_end(struct witness *witness)
{
    if (witness->pid == 0)
        return;
    close(witness->descriptor);
    kill(witness->pid, SIGKILL);
    waitpid(witness->pid, NULL, 0);
    *witness = (struct witness){0};
}

enum error_kind witness_read(const struct witness *witness, struct witness_reading *reading,
                             struct error *error)
{
    if (send(witness->descriptor, "", 1, MSG_NOSIGNAL) == 1 &&
        recv(witness->descriptor, reading, sizeof *reading, 0) == sizeof *reading)
        return ERROR_NONE;
    return error_raise(error, ERROR_WORKER_DIED, 0, "relay", "%s", "its process has ended");
}

/* ------------------------------------------------------------------ compared */

/* As many of the pings as bring the two numbers of bytes nearest. */
static uint64_t bytes_of_pings(uint64_t wire, uint64_t sessions, uint64_t pings, uint64_t size)
{
    uint64_t left = sessions > wire ? (sessions - wire) / size : 0;
    return (left < pings ? left : pings) * size;
}

static bool is_received(enum tally_kind kind)
{
    return kind == TALLY_CREATE_FAILED || kind == TALLY_DELETE_FAILED ||
           kind == TALLY_NOTIFICATION || kind == TALLY_NAMES_LISTED || kind == TALLY_BYTES_RECEIVED;
}

bool witness_differs(const struct witness_reading *reading, const struct tally *sessions,
                     bool had_death, struct witness_difference *difference)
{
    for (enum tally_kind kind = 0; kind < TALLY_KINDS; kind++) {
        uint64_t wire = reading->tally.of[kind], own = sessions->of[kind];
        if (kind == TALLY_BYTES_SENT)
            wire += bytes_of_pings(wire, own, reading->pings[CONVERSATION_CLIENT],
                                   WIRE_CLOSE_REQUEST); /* a header alone, as well */
        if (kind == TALLY_BYTES_RECEIVED)
            wire += bytes_of_pings(wire, own, reading->pings[CONVERSATION_SERVER], WIRE_BARE_REPLY);
        bool lacks = had_death && is_received(kind) && wire > own;
        if (kind == TALLY_NOTIFICATION_SPURIOUS || wire == own || lacks)
            continue;
        *difference = (struct witness_difference){kind, wire, own};
        return true;
    }
    *difference = (struct witness_difference){TALLY_KINDS, reading->requests, tally_rpcs(sessions)};
    return difference->wire != difference->sessions;
}
