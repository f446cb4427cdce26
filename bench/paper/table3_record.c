// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table3_record.h"

#include "base/clock.h"
#include "base/cores.h"
#include "bench/cli/complain.h"
#include "bench/output/record_end.h"

#include <stdio.h>

/* The object "plan" of the manifest. */
static json_t *describe_plan(const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    return json_pack(
        "{s:s, s:o, s:o, s:i, s:b, s:i, s:o, s:I, s:I}", "experiment", "table3", "clients",
        load_options_describe(load->sessions.list, load->sessions.count), "barriers",
        load_options_describe(options->barriers.list, options->barriers.count), "trials",
        (int)load->trials, "rehearsal", load->rehearses, "processes", (int)load->processes,
        "server_cpu_percent",
        load->target.cpu_percent > 0 ? json_integer(load->target.cpu_percent) : json_null(),
        "session_timeout_ms", (json_int_t)(load->session_timeout_ns / NS_PER_MS), "timeout_ms",
        (json_int_t)(load->timeout_ns / NS_PER_MS));
}

enum error_kind table3_record_open(struct table3_record *record,
                                   const struct paper_options *options, const struct target *target,
                                   const char *out, size_t trials, int argc, char **argv,
                                   struct error *error)
{
    *record = (struct table3_record){.options = options, .trials_planned = trials};
    enum error_kind kind = file_set_open(&record->set, out, target->name, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_csv(&record->set, "barriers.csv", table3_sample_columns, &record->csv,
                                error);
    if (kind != ERROR_NONE) {
        struct error second;
        (void)!file_set_close(&record->set, &second);
        return kind;
    }
    snprintf(record->target, sizeof record->target, "%s", target->name);
    record->context = (struct table3_context){record->set.run, record->target,
                                              target->servers.count, options->load.seed};
    manifest_begin(&record->manifest,
                   &(struct manifest_start){argc, argv, options->load.seed, describe_plan(options),
                                            &options->load.target, target});
    return ERROR_NONE;
}

void table3_record_free(struct table3_record *record)
{
    manifest_deinit(&record->manifest);
    table3_samples_deinit(&record->samples);
    *record = (struct table3_record){0};
}

void table3_record_warn(struct table3_record *record, const char *warning)
{
    if (!record->options->load.output.quiet)
        complain_mildly("%s", warning);
    manifest_warn(&record->manifest, warning);
}

static void warn_once(struct table3_record *record, const char *why)
{
    char warning[256];
    snprintf(warning, sizeof warning, "cannot cross-check against the servers' counters: %s", why);
    if (!record->warned)
        table3_record_warn(record, warning);
    record->warned = true;
}

enum error_kind table3_record_add(struct table3_record *record, const struct table3_trial *trial,
                                  const struct trial_result *result, struct error *error)
{
    struct table3_sample sample;
    table3_sample_take(trial, result, cores_allowed(), &sample);
    enum error_kind kind = table3_samples_add(&record->samples, &sample, error);
    if (kind != ERROR_NONE)
        return kind;
    manifest_sessions(&record->manifest, result->memory->fleet);
    if (result->not_reconciled[0] != '\0')
        warn_once(record, result->not_reconciled);
    table3_sample_write(&sample, &record->context, &record->csv);
    return file_set_commit(&record->set, ERROR_NONE, error);
}

enum error_kind table3_record_close(struct table3_record *record, const struct error *cut_short,
                                    struct error *error)
{
    enum error_kind kind = file_set_close(&record->set, error);
    if (record->set.trials == 0)
        return kind;
    const struct record_end end = {.manifest = &record->manifest,
                                   .set = &record->set,
                                   .trials_planned = record->trials_planned,
                                   .cut_short = cut_short};
    return record_end_describe(&end, kind, error);
}

void table3_record_complain(const struct table3_record *record)
{
    char where[100] = "";
    if (record->options->load.target.topology_count > 1)
        snprintf(where, sizeof where, "%s: ", record->target);
    for (size_t i = 0; i < record->samples.count; i++) {
        const struct table3_sample *sample = &record->samples.list[i];
        const struct table3_trial *trial = &sample->trial;
        if (!sample->valid)
            complain_plainly("%s%u client%s, %u barrier%s, trial %u: %s: %s", where, trial->clients,
                             trial->clients == 1 ? "" : "s", trial->barriers,
                             trial->barriers == 1 ? "" : "s", trial->number,
                             sample->fails ? "the verdict fails" : "not valid", sample->reason);
    }
}

bool table3_record_fails(const struct table3_record *record)
{
    bool fails = false;
    for (size_t i = 0; i < record->samples.count; i++)
        fails = fails || record->samples.list[i].fails;
    return fails;
}
