// SPDX-License-Identifier: Apache-2.0
/* What a tap comes to: the clients, what could not be read, and the servers' counters. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/tap/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>

/* Adds a finding that needs no figure: the tap is not valid. */
#define ADD_FLAW(tap, slug, subject, ...)                                                          \
    TAP_ADD_FINDING(tap, slug, subject, VERDICT_NOT_VALID, NAN, NULL, 1, __VA_ARGS__)

#define ADD_FIGURE(tap, slug, subject, figure, unit, ...)                                          \
    TAP_ADD_FINDING(tap, slug, subject, VERDICT_MEASURED, (double)(figure), unit, 1, __VA_ARGS__)

static void judge_herd(struct tap *tap)
{
    const struct table *herds = &tap->tables[TAP_HERDS];
    if (herds->rows == 0)
        return;
    const struct table_value *row = table_row(herds, 0);
    const char *path = row[tap_herd_pattern].text;
    const uint64_t notified = row[tap_herd_notified].count, got = row[tap_herd_got].count,
                   after = row[tap_herd_requests_after].count;
    /* Data that all sessions follow, such as a configuration, are no lock. */
    const bool is_herd = tap->traffic.watches.costliest[0].opcode != OPCODE_SET_DATA &&
                         notified > 2 && 2 * got < notified;
    ADD_FIGURE(tap, "herd", path, notified, "notifications",
               "%s, %s of %s: %" PRIu64 " notification%s, then %" PRIu64 " request%s%s",
               is_herd ? "Herd of the costliest write" : "The costliest write",
               row[tap_herd_operation].text, path, notified, text_plural(notified), after,
               text_plural(after),
               is_herd ? "; with kazoo's Lock or Curator's InterProcessMutex a release notifies one"
                       : "");
}

static void judge_traffic(struct tap *tap)
{
    const struct traffic *traffic = &tap->traffic;
    const uint64_t all = traffic_requests(traffic), notified = traffic_notifications(traffic);
    uint64_t written = 0, opened = 0;
    char requests[32], notifications[32], sessions[32], connections[32];
    for (size_t i = 0; i < traffic->each_count; i++)
        opened += traffic->each[i]->connections > 0;
    if (opened == TRAFFIC_SESSIONS_MAX) /* the last stands for all that came later */
        opened = traffic->sessions - traffic->resumed;
    ADD_FIGURE(tap, "traffic", "clients", all, "requests",
               "%s request%s without pings and closes, %s notification%s, %s session%s on %s "
               "connection%s, in %.1f s",
               text_format_count(all, requests, sizeof requests), text_plural(all),
               text_format_count(notified, notifications, sizeof notifications),
               text_plural(notified), text_format_count(opened, sessions, sizeof sessions),
               text_plural(opened),
               text_format_count(traffic->connections, connections, sizeof connections),
               text_plural(traffic->connections), tap->seconds);
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        written += opcode_writes(opcode) ? traffic->operations[opcode].requests : 0;
    const double share = 100 * (double)written / (double)all;
    if (all > 0)
        ADD_FIGURE(tap, "writes", "clients", share, "%",
                   "Writes are %.0f %% of the requests, reads %.0f %%", share, 100 - share);
}

/* The last second is not whole. */
static void judge_rates(struct tap *tap)
{
    const size_t count = tap->traffic.second_count > 0 ? tap->traffic.second_count - 1 : 0;
    double *rates = memory_new(count, sizeof *rates);
    for (size_t i = 0; i < count; i++)
        rates[i] = (double)tap->traffic.seconds[i].requests;
    statistics_sort(rates, count);
    if (count > 0)
        ADD_FIGURE(tap, "rates", "clients", statistics_median(rates, count), "requests/s",
                   "Requests by second: lowest %.0f, median %.10g, highest %.0f", rates[0],
                   statistics_median(rates, count), rates[count - 1]);
    free(rates);
}

static void judge_command(struct tap *tap)
{
    const struct tap_command *command = &tap->command;
    const bool connected = tap->traffic.connections > 0, failed = command->failed;
    if (!connected && !failed)
        ADD_FLAW(tap, "passed-by", "command",
                 "The command has opened no connection to the relay: give it the connect "
                 "string, {} in its arguments or ZKHERD_CONNECT");
    if (tap->run_count < tap->run_planned && (connected || !failed || tap->run_count > 0))
        ADD_FLAW(tap, "runs", "command",
                 "Runs that ended well: %zu of %zu; one failed or was cut short", tap->run_count,
                 tap->run_planned);
    if (failed && WIFEXITED(command->status))
        ADD_FLAW(tap, "command", "command", "The command ended with status %d%s%s%s",
                 WEXITSTATUS(command->status), connected ? "" : ", and has opened no connection",
                 command->last[0] != '\0' ? ": " : "", command->last);
    else if (failed)
        ADD_FLAW(tap, "command", "command", "The command was ended by signal %d",
                 WTERMSIG(command->status));
}

static void judge_capture(struct tap *tap)
{
    const struct capture_counts *capture = &tap->capture;
    const bool from_clients = capture->payload[CONVERSATION_CLIENT] > 0,
               from_servers = capture->payload[CONVERSATION_SERVER] > 0;
    ADD_FIGURE(tap, "captured", "capture", capture->segments, "packets",
               "The capture has %" PRIu64 " packets, %" PRIu64
               " of them TCP from or to the servers' ports",
               capture->packets, capture->segments);
    if (capture->segments == 0)
        ADD_FLAW(tap, "no-session", "capture",
                 "No packet is TCP from or to the servers' ports: name these with --port");
    else if (from_clients != from_servers)
        ADD_FLAW(tap, "one-way", "capture",
                 "Only what %s sent was captured: capture both directions",
                 from_clients ? "clients" : "servers");
    else if (traffic_packets(&tap->traffic) == tap->traffic.words + tap->traffic.refused)
        ADD_FLAW(tap, "no-session", "capture",
                 "No session of ZooKeeper was captured at the servers' ports");
    if (tap->cut_short[0] != '\0')
        ADD_FLAW(tap, "cut-short", "capture", "The capture was not read to its end: %s",
                 tap->cut_short);
}

static void judge_losses(struct tap *tap)
{
    const struct traffic *traffic = &tap->traffic;
    const struct capture_counts *capture = &tap->capture;
    const struct {
        uint64_t count;
        const char *slug, *subject, *unit, *words, *why;
        bool is_flaw;
    } losses[] = {
        {traffic->unreadable, "unreadable", "clients", "connections",
         "not read to the end: ", traffic->why_unreadable, true},
        {traffic->unread_bytes, "unread", "clients", "bytes", "in no whole message", "", false},
        {traffic->encrypted, "encrypted", "clients", "connections", "with TLS, which passed unread",
         "", tap->options->expect_given},
        {tap->connections.unconnected, "refused", "servers", "connections",
         "refused by the servers", "", false},
        {traffic->unopened, "unopened", "servers", "connections", "without a session",
         tap->options->pcap != NULL
             ? ""
             : ": all come from the relay's address, of which a server accepts maxClientCnxns",
         false},
        {tap->connections.unaccepted, "unaccepted", "relay", "connections",
         "ended because this process may not open more files: raise ulimit -n", "", true},
        {traffic->watches.unattributed, "unattributed", "clients", "notifications",
         "not attributed to a write", "", false},
        {capture->joined, "joined", "capture", "connections",
         capture->joined == traffic->connections ? "(all) " : "",
         "opened before the capture: read from the first whole request on", false},
        {capture->missing_bytes, "missing", "capture", "bytes", "sent, but not captured", "",
         false},
        {capture->cut, "cut", "capture", "packets",
         "captured in part: capture whole packets (tcpdump -s 0)", "", false},
    };
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
        if (losses[i].count > 0)
            TAP_ADD_FINDING(tap, losses[i].slug, losses[i].subject,
                            losses[i].is_flaw ? VERDICT_NOT_VALID : VERDICT_MEASURED,
                            (double)losses[i].count, losses[i].unit, 1, "%" PRIu64 " %.*s %s%s",
                            losses[i].count, (int)strlen(losses[i].unit) - (losses[i].count == 1),
                            losses[i].unit, losses[i].words, losses[i].why);
}

/* ------------------------------------------------------------------ the servers' counters */

/* The reason why the counters cannot be compared; NULL: they can. */
static const char *obstacle_of(const struct tap *tap)
{
    if (tap->options->pcap != NULL)
        return "a capture does not have them";
    if (tap->is_absent)
        return "a server does not answer any more";
    if (!tap->servers.known)
        return tap->servers.asked_again
                   ? "a server did not give its counters at once, as at an election"
                   : "the servers do not report their counters (mntr)";
    if (tap->servers.began_anew)
        return "a server counts from 0 again, as after a restart or an election";
    if (tap->traffic.encrypted > 0)
        return "what came over TLS was not read";
    return tap->traffic.unreadable > 0 ? "a message could not be read" : NULL;
}

/* Whether the counters of the servers agree with the relay's. A difference proves nothing where
 * others may have used the servers, a connection ended with messages under way, or something else
 * is not valid. */
static enum reconciled judge_servers(struct tap *tap)
{
    const struct server_counters_count *servers = &tap->servers;
    const struct armed_counts *armed = &tap->traffic.watches.armed;
    const bool is_valid = findings_verdict(&tap->tables[TAP_FINDINGS]) != VERDICT_NOT_VALID;
    const char *why = obstacle_of(tap);
    const uint64_t received = servers->packets_received, sent = servers->notifications,
                   passed = traffic_packets(&tap->traffic),
                   once = traffic_notifications(&tap->traffic) - armed->uncounted;
    /* A server with WatchManagerOptimized counts each notification once. */
    const uint64_t notified = sent == once ? once : once + armed->both;
    const bool equal = received == passed && sent == notified,
               more = received > passed + tap->traffic.unopened || sent > notified + armed->unsent,
               fewer = received + tap->traffic.unsure < passed || sent < notified,
               open = !equal && (more ? tap->target.ensemble == NULL : !fewer);
    if (why != NULL) {
        ADD_FIGURE(tap, "servers", "servers", NAN, NULL,
                   "The servers' counters are not compared: %s", why);
        return RECONCILED_NA;
    }
    TAP_ADD_FINDING(tap, "servers", "servers",
                    open       ? VERDICT_MEASURED
                    : equal    ? VERDICT_HOLDS
                    : is_valid ? VERDICT_FAILS
                               : VERDICT_NOT_VALID,
                    (double)received, "packets", 1,
                    "The servers counted %s: %" PRIu64 " packets received, %" PRIu64
                    " notifications sent; the relay passed %" PRIu64 " and %" PRIu64 "%s%s",
                    equal ? "the same" : "otherwise", received, sent, passed, notified,
                    more   ? ": other clients, or clients that do not connect through the relay"
                    : open ? ": the others may be of connections that were ending"
                    : notified > once
                        ? ", deletions twice of which a session watches data and children"
                        : "",
                    armed->uncounted > 0 ? ", without those that setWatches fired" : "");
    return open ? RECONCILED_NA : equal ? RECONCILED_YES : RECONCILED_NO;
}

void tap_judge(struct tap *tap)
{
    if (tap->options->drain)
        tap_judge_laws(tap);
    judge_herd(tap);
    judge_traffic(tap);
    judge_rates(tap);
    if (tap->options->command != NULL)
        judge_command(tap);
    if (tap->options->pcap != NULL)
        judge_capture(tap);
    judge_losses(tap);
    tap->reconciled = judge_servers(tap);
}
