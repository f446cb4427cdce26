// SPDX-License-Identifier: Apache-2.0
/* Messages that come from a capture in place of a relay. */
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/tap/internal.h"

#include <inttypes.h>
#include <stdio.h>

static bool has_sessions(const struct tap_result *result)
{
    return result->traffic->sessions + result->capture.joined > 0;
}

enum error_kind tap_capture_read(const struct tap_options *options, struct observer *observer,
                                 struct tap_result *result, struct error *error)
{
    const struct capture_options reading = {.ports = options->ports.list,
                                            .port_count = options->ports.count,
                                            .listener = &observer_listener,
                                            .ended = observer_ended,
                                            .context = observer};
    struct capture *capture = capture_new(&reading);
    enum error_kind kind =
        capture_read(capture, options->pcap, result->cut_short, sizeof result->cut_short, error);
    result->capture = *capture_counts(capture);
    result->incomplete = result->cut_short[0] != '\0' || !has_sessions(result);
    snprintf(result->comparison.sentence, sizeof result->comparison.sentence,
             "The servers' counters are not compared: a capture does not have them.");
    result->begun_ns = result->capture.first_ns;
    result->ended_ns = result->capture.last_ns;
    result->seconds = (double)(result->ended_ns - result->begun_ns) / 1e9;
    capture_free(capture);
    return kind;
}

static void write_capture(const struct tap_result *result, FILE *stream)
{
    const struct capture_counts *counts = &result->capture;
    char packets[32], segments[32];
    wrap_sentence(stream,
                  "%s packets were captured, of them %s of TCP from or to the servers' ports.",
                  text_format_count(counts->packets, packets, sizeof packets),
                  text_format_count(counts->segments, segments, sizeof segments));
    if (counts->joined > 0)
        wrap_sentence(stream,
                      "%" PRIu64 " of %" PRIu64 " connections began before the capture: what was "
                      "said before their first whole request in it is not counted.",
                      counts->joined, result->traffic->connections);
    if (counts->missing_bytes > 0)
        wrap_sentence(stream, "%" PRIu64 " bytes were sent that are not in the capture.",
                      counts->missing_bytes);
    if (counts->cut > 0)
        wrap_sentence(stream,
                      "Of %" PRIu64 " packets only a part was captured: capture whole packets "
                      "(tcpdump -s 0).",
                      counts->cut);
    if (!has_sessions(result))
        wrap_sentence(stream, "Not valid: no session of ZooKeeper was captured at the servers' "
                              "ports: name these with --port.");
}

static void describe_capture(const struct capture_counts *counts, json_t *json)
{
    json_t *object = json_object();
#define X(name, meaning) json_object_set_new(object, #name, json_integer((json_int_t)counts->name));
    CAPTURE_COUNTS(X)
#undef X
    json_object_set_new(json, "capture", object);
}

bool tap_capture_conflicts(const struct tap_options *options)
{
    const struct target_options *target = &options->target;
    const char *private_option = target_private_option(target);
    const char *command = options->command != NULL ? options->command[0] : NULL;
    const struct {
        bool found;
        const char *option, *why;
    } conflicts[] = {
        {target->connect, "--connect", "a file is read without servers"},
        {target->servers_given, "--servers", "a file is read without servers"},
        {private_option != NULL, private_option, "a file is read without servers"},
        {options->listen_given, "--listen", "a file is read without a relay"},
        {options->duration_ns > 0, "--duration", "a file is read to its end"},
        {options->drain, "--drain",
         "a law needs runs of a command, with several numbers of clients"},
        {command != NULL, command, "no command is run beside a file"},
    };
    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
        if (conflicts[i].found)
            return !complain_value("tap", conflicts[i].option, "with --pcap", conflicts[i].why);
    }
    return false;
}

void tap_capture_write(const struct tap_result *result, FILE *stream)
{
    if (result->options->pcap != NULL)
        write_capture(result, stream);
    if (result->cut_short[0] != '\0')
        wrap_sentence(stream, "Not valid: the file was not read to its end: %s.",
                      result->cut_short);
}

void tap_capture_describe(const struct tap_result *result, json_t *json)
{
    if (result->options->pcap != NULL)
        describe_capture(&result->capture, json);
    json_object_set_new(json, "cut_short", json_result_text(result->cut_short));
}
