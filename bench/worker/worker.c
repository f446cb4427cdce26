// SPDX-License-Identifier: Apache-2.0
/*
 * zkherd worker: offers this host to runs elsewhere, and carries out their jobs, until a signal
 * ends it.
 *
 * Invariant: between two jobs, and after the last, no worker process and no session on the measured
 * servers is left.
 */
#include "base/clock.h"
#include "base/cores.h"
#include "base/process.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/output/crew_kinds.h"
#include "fleet/crew.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define RATE_MAX 1000000000
/* How long a host that has lost the meeting place waits before it tries again. */
#define AGAIN_NS NS_PER_S

static const char usage[] =
    "Usage: zkherd worker --meet HOSTS[/CHROOT] [OPTION]...\n"
    "Offer this host to runs that are started elsewhere with the same --meet.\n"
    "\n"
    "The servers of --meet are the meeting place, preferably not those that are\n"
    "measured. A worker waits there for jobs, and runs nothing but trials of zkherd.\n"
    "\n";

static const char notes[] =
    "\n"
    "No job lifts the limits. SIGTERM and Ctrl-C end the worker: the trial that it is\n"
    "part of is then not valid.\n"
    "\n"
    "Exit status: 0 ended by a signal or --once; 2 wrong usage; 3 the environment.\n"
    "\n"
    "Examples:\n"
    "  zkherd worker --meet zk9:2181/lab\n"
    "  zkherd worker --meet zk9:2181/lab --max-clients 2000 --only zk1,zk2,zk3\n";

/* ------------------------------------------------------------------ the command line */

struct call {
    bool meets;
    struct connect_string meet;
    uint64_t share;
    struct host_limits limits;
    bool once, quiet;
};

#define MEMBER(member) OPTION_MEMBER(struct call, member)

static const struct option_row rows[] = {
    {.name = "--meet",
     OPTION_SERVERS(struct call, meet),
     .given = MEMBER(meets),
     .help = "      --meet HOSTS[/CHROOT]  the meeting place\n"},
    {OPTION_AUTH(struct call, meet),
     .help = "      --auth FILE      log in, there and at the measured servers, as FILE says:\n"
             "                       name:password; needs --only [$" ROWS_AUTH_VARIABLE "]\n"},
    {OPTION_ACL(struct call, meet),
     .help = "      --acl open|creator  who may use its znodes: all, or --auth alone [open]\n"},
    ROW_TLS,
    {.name = "--share",
     OPTION_NUMBER(struct call, share, 1, MEETING_SHARE_MAX),
     .help = "      --share N        worker processes for a job [as many as cores]\n"},
    {.name = "--max-clients",
     OPTION_NUMBER(struct call, limits.max_clients, 1, FLEET_SESSIONS_MAX),
     .help = "      --max-clients N  refuse a job with more sessions on this host\n"},
    {.name = "--max-rate",
     OPTION_NUMBER(struct call, limits.max_rate, 1, RATE_MAX),
     .help = "      --max-rate R     refuse a job with more requests a second here\n"},
    {.name = "--only",
     OPTION_SERVERS(struct call, limits.only),
     .help = "      --only HOSTS     refuse a job for other servers\n"},
    {.name = "--once",
     OPTION_FLAG(struct call, once),
     .help = "      --once           end with the first run that has used this host\n"},
    {.name = "--quiet",
     .letter = 'q',
     OPTION_FLAG(struct call, quiet),
     .help = "  -q, --quiet          print only errors\n"},
    OPTION_ROW_HELP("  -h, --help           print this help\n"),
    {0},
};

/* ------------------------------------------------------------------ what it tells of itself */

static void describe(const struct call *call, struct meeting_member *member)
{
    struct utsname system;
    double cores = cores_allowed();
    *member = (struct meeting_member){
        .protocol = MEETING_PROTOCOL,
        .process = (uint32_t)getpid(),
        .cores = cores < 1 ? 1 : (uint32_t)floor(cores),
        .memory_mib = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >> 20,
        .max_clients = call->limits.max_clients,
        .max_rate = call->limits.max_rate};
    member->share = call->share > 0 ? (uint32_t)call->share : member->cores;
    snprintf(member->version, sizeof member->version, "%.31s", version_text);
    crew_meaning(crew_kinds, member->meaning);
    gethostname(member->host, sizeof member->host - 1);
    if (uname(&system) == 0)
        snprintf(member->system, sizeof member->system, "%.30s %.30s", system.release,
                 system.machine);
    if (call->limits.only.count > 0) {
        char text[CONNECT_TEXT_SIZE];
        snprintf(member->only, sizeof member->only, "%.255s",
                 connect_typed(&call->limits.only, text, sizeof text));
    }
}

static void say(const struct call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const struct call *call, const char *format, ...)
{
    char text[400], time[32];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clock_format_utc(clock_utc_ns(), false, time, sizeof time);
    if (!call->quiet)
        complain_plainly("%s %s", time, text);
}

/* ------------------------------------------------------------------ jobs */

/* How a job has ended, in words. A job that cannot go on ends no worker. */
static enum error_kind settle(const struct call *call, const char *name, enum error_kind kind,
                              const struct error *error)
{
    const char *subject = strcmp(error->subject, name) == 0 ? "" : error->subject;
    if (kind == ERROR_INTERRUPTED || kind == ERROR_MEETING_LOST)
        return kind;
    if (kind == ERROR_NONE)
        say(call, "job %s has ended", name);
    else
        say(call, "job %s was given up: %s%s%s", name, subject, subject[0] != '\0' ? ": " : "",
            error->detail[0] != '\0' ? error->detail : error_words(kind));
    return ERROR_NONE;
}

static enum error_kind set_doing(const struct host *host, struct meeting_member *member,
                                 const char *doing, struct error *error)
{
    snprintf(member->doing, sizeof member->doing, "%.95s", doing);
    return meeting_tell(host->meeting, member, error);
}

/* From the next job to the loss of the meeting place, or a signal. `name`: the last job, or "". */
static enum error_kind serve(const struct call *call, const struct host *host,
                             struct meeting_member *member, char name[MEETING_PATH_SIZE],
                             struct error *error)
{
    for (;;) {
        enum error_kind kind = host_await(host, name, error);
        if (kind == ERROR_NONE && name[0] == '\0')
            return ERROR_NONE;
        if (kind == ERROR_NONE)
            kind = set_doing(host, member, name, error);
        if (kind != ERROR_NONE)
            return kind;
        say(call, "job %s begins", name);
        kind = settle(call, name, host_serve(host, name, error), error);
        host->meeting->setup->interrupts = host->interrupts;
        if (kind == ERROR_NONE)
            kind = set_doing(host, member, MEETING_WAITS, error);
        if (kind != ERROR_NONE)
            return kind;
    }
}

static enum error_kind meet(const struct call *call, int signals, bool *met,
                            char job[MEETING_PATH_SIZE], struct error *error)
{
    struct meeting_member member;
    struct meeting *meeting = NULL;
    char where[CONNECT_TEXT_SIZE];
    describe(call, &member);
    enum error_kind kind = meeting_open(&call->meet, signals, true, &meeting, error);
    if (kind != ERROR_NONE)
        return kind;
    snprintf(member.doing, sizeof member.doing, MEETING_WAITS);
    kind = meeting_join(meeting, &member, error);
    const struct host host = {meeting, &member, &call->limits, crew_kinds, signals, call->once};
    if (kind == ERROR_NONE) {
        *met = true;
        say(call, "%s waits for jobs at %s", member.name,
            connect_typed(&call->meet, where, sizeof where));
        kind = serve(call, &host, &member, job, error);
    }
    meeting_free(meeting);
    return kind;
}

/* Errors of a meeting place that may come back. Its name may go with it for a while, as that of a
 * container that is started again. */
static bool may_come_back(enum error_kind kind)
{
    return kind == ERROR_MEETING_LOST || kind == ERROR_NO_ANSWER || kind == ERROR_UNRESOLVED ||
           kind == ERROR_REFUSED || kind == ERROR_CLOSED || kind == ERROR_NOT_SERVING;
}

/* Whoever has met once meets again when the meeting place is back. */
static int work(const struct call *call, int signals)
{
    struct error error = {0};
    char where[CONNECT_TEXT_SIZE], job[MEETING_PATH_SIZE] = "";
    bool met = false;
    enum error_kind kind = meet(call, signals, &met, job, &error);
    connect_typed(&call->meet, where, sizeof where);
    while (met && may_come_back(kind)) {
        struct pollfd end = {.fd = signals, .events = POLLIN};
        say(call, "the meeting place %.120s is lost (%s): trying again", where,
            error.detail[0] != '\0' ? error.detail : error_words(kind));
        if (poll(&end, 1, (int)(AGAIN_NS / NS_PER_MS)) > 0)
            kind = ERROR_INTERRUPTED;
        else
            kind = meet(call, signals, &met, job, &error);
    }
    if (kind == ERROR_INTERRUPTED)
        say(call, "ended by a signal");
    return kind == ERROR_NONE || kind == ERROR_INTERRUPTED ? 0 : complain(&error);
}

/* A job names the servers, whoever has written it, and they are told the password. */
static bool refuse_servers(const struct call *call)
{
    const char *lacks = rows_acl_lacks(&call->meet);
    if (call->limits.only.chroot[0] != '\0')
        return !complain_value("worker", "--only", "with a chroot",
                               "servers are limited, not their znodes: leave the chroot out");
    if (lacks != NULL)
        return complain_usage("worker", "--acl creator", "%s", lacks) != 0;
    return identity_is_known(call->meet.identity) && call->limits.only.count == 0 &&
           complain_usage("worker", "--auth or " ROWS_AUTH_VARIABLE, "%s",
                          "without --only, any server that a job names is told the password: "
                          "name those that may have it") != 0;
}

int worker_main(int argc, char **argv)
{
    static const struct arguments arguments = {"worker", usage, rows, notes, NULL};
    struct call call = {0};
    struct error error;
    int status = arguments_take(&arguments, argc, argv, &call, NULL);
    if (status != ARGUMENTS_GO)
        return status;
    if (!call.meets)
        return complain_usage("worker", "--meet", "missing: where to wait for jobs");
    if (refuse_servers(&call)) {
        identity_free(call.meet.identity);
        return error_exit_status(ERROR_USAGE);
    }
    /* As many as may be: what a job needs, nobody knows yet. A session on threads takes three. */
    uint64_t descriptors = machine_descriptors(), most = UINT64_C(3) * FLEET_SESSIONS_MAX;
    if (machine_allow_descriptors(descriptors < most ? descriptors : most, &error) != ERROR_NONE)
        return complain(&error);
    int signals = signals_block();
    status = work(&call, signals);
    close(signals);
    identity_free(call.meet.identity);
    return status;
}
