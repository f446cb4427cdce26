// SPDX-License-Identifier: Apache-2.0
/* `zkherd load --replay`: the requests of a recording again, and what differs. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/machine.h"
#include "bench/cli/progress.h"
#include "bench/cli/terminal.h"
#include "bench/load/load.h"
#include "bench/output/file_set.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/output/manifest.h"
#include "bench/target/target.h"
#include "measure/hlog.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

TABLE_DEFINE(replay_operation, "replay.csv", REPLAY_OPERATION_COLUMNS)
TABLE_DEFINE(replay_difference, "differences.csv", REPLAY_DIFFERENCE_COLUMNS)

#define DESCRIPTORS_MOST 100000
#define GAP              2 /* blanks between two columns */

struct replaying {
    const struct load_options *options;
    struct targets targets;
    struct prior prior;
    struct replay_result result;
    struct progress progress;
    bool made_data;
    bool interrupted;
    int verdict; /* an exit status */
};

/* ------------------------------------------------------------------ rows */

static struct table operations_of(const struct replaying *replaying)
{
    const struct traffic *recorded = &replaying->prior.traffic;
    const struct traffic *replayed = &replaying->result.traffic;
    struct table table = {.type = &replay_operation_table};
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++) {
        const struct traffic_figures *before = &recorded->operations[opcode],
                                     *now = &replayed->operations[opcode];
        if (before->requests == 0)
            continue;
        struct table_value *row = table_add(&table);
        row[replay_operation_operation] = table_text(opcode_name(opcode));
        row[replay_operation_recorded] = table_count(before->requests);
        row[replay_operation_replayed] = table_count(now->requests);
        row[replay_operation_recorded_failed] = table_count(before->failed);
        row[replay_operation_replayed_failed] = table_count(now->failed);
        row[replay_operation_equal] =
            table_count(replaying->result.compared.operations[opcode].equal);
        row[replay_operation_differ] =
            table_count(replaying->result.compared.operations[opcode].differ);
        row[replay_operation_recorded_p50_us] =
            table_real(histogram_percentile_us(&before->latency, 50));
        row[replay_operation_replayed_p50_us] =
            table_real(histogram_percentile_us(&now->latency, 50));
        row[replay_operation_recorded_p99_us] =
            table_real(histogram_percentile_us(&before->latency, 99));
        row[replay_operation_replayed_p99_us] =
            table_real(histogram_percentile_us(&now->latency, 99));
    }
    for (enum traffic_event event = 0; event < TRAFFIC_EVENT_KINDS; event++) {
        if (recorded->notifications[event] + replayed->notifications[event] == 0)
            continue;
        struct table_value *row = table_add(&table);
        char *name = memory_format("notification %s", traffic_event_word(event));
        row[replay_operation_operation] = table_text(name);
        row[replay_operation_recorded] = table_count(recorded->notifications[event]);
        row[replay_operation_replayed] = table_count(replayed->notifications[event]);
        free(name);
    }
    return table;
}

/* The name of an error; of 0 "none". */
static const char *error_name(int32_t code)
{
    return code == 0 ? "none" : message_error_name(code);
}

static struct table differences_of(const struct replaying *replaying)
{
    struct table table = {.type = &replay_difference_table};
    for (size_t i = 0; i < replaying->result.compared.difference_count; i++) {
        const struct exchange_difference *difference = &replaying->result.compared.differences[i];
        struct table_value *row = table_add(&table);
        row[replay_difference_at_s] = table_real((double)difference->at_ns / 1e9);
        row[replay_difference_connection] = table_count(difference->connection);
        row[replay_difference_operation] = table_text(opcode_name(difference->opcode));
        row[replay_difference_recorded] = table_text(error_name(difference->recorded));
        row[replay_difference_replayed] = table_text(error_name(difference->replayed));
        row[replay_difference_path] = table_text(difference->path);
    }
    return table;
}

static uint64_t sum_of(const struct table *rows, size_t column)
{
    double sum = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        double value = table_number(&table_row(rows, i)[column]);
        sum += isfinite(value) ? value : 0;
    }
    return (uint64_t)sum;
}

/* ------------------------------------------------------------------ the terminal */

enum {
    COLUMN_OPERATION,
    COLUMN_RECORDED,
    COLUMN_REPLAYED,
    COLUMN_DIFFER,
    COLUMN_P50,
    COLUMN_NOW_P50,
    COLUMN_P99,
    COLUMN_NOW_P99,
    COLUMNS
};

static const struct grid_column columns[COLUMNS] = {
    [COLUMN_OPERATION] = {.title = "operation"},
    [COLUMN_RECORDED] = {.title = "recorded", .right = true},
    [COLUMN_REPLAYED] = {.title = "replayed", .right = true},
    [COLUMN_DIFFER] = {.over = "errors", .title = "differ", .right = true},
    [COLUMN_P50] = {.over = "recorded", .title = "p50 ms", .right = true},
    [COLUMN_NOW_P50] = {.over = "replayed", .title = "p50 ms", .right = true},
    [COLUMN_P99] = {.over = "recorded", .title = "p99 ms", .spare = 1, .right = true},
    [COLUMN_NOW_P99] = {.over = "replayed", .title = "p99 ms", .spare = 1, .right = true},
};

static void write_grid(const struct table *rows, FILE *stream)
{
    static const size_t times[] = {
        replay_operation_recorded_p50_us, replay_operation_replayed_p50_us,
        replay_operation_recorded_p99_us, replay_operation_replayed_p99_us};
    unsigned width = terminal_columns(STDOUT_FILENO);
    struct grid grid;
    grid_init(&grid, columns, COLUMNS, GAP);
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        grid_put(&grid, "%s", row[replay_operation_operation].text);
        grid_put_whole(&grid, table_number(&row[replay_operation_recorded]));
        grid_put_whole(&grid, table_number(&row[replay_operation_replayed]));
        grid_put_whole(&grid, table_number(&row[replay_operation_differ]));
        for (size_t j = 0; j < sizeof times / sizeof times[0]; j++)
            grid_put_real(&grid, table_number(&row[times[j]]) / 1e3, 2);
    }
    (void)!grid_fit(&grid, width, 1);
    grid.hidden[COLUMN_P99] = grid.hidden[COLUMN_NOW_P99] =
        grid.hidden[COLUMN_P99] || grid.hidden[COLUMN_NOW_P99];
    grid_write(&grid, width, stream);
    grid_deinit(&grid);
    if (rows->rows > 0)
        fputs("\n", stream);
}

static void write_codes(const struct replaying *replaying, const struct table *rows, FILE *stream)
{
    const struct replay_result *result = &replaying->result;
    uint64_t differ = sum_of(rows, replay_operation_differ),
             equal = sum_of(rows, replay_operation_equal);
    char some[32], all[32];
    text_format_count(differ, some, sizeof some);
    text_format_count(equal + differ, all, sizeof all);
    if (differ == 0) {
        wrap_sentence(stream, "All %s replies have the error codes that were recorded.", all);
        return;
    }
    const struct exchange_difference *first = &result->compared.differences[0];
    char path[512];
    char *place = memory_format(first->path[0] != '\0' ? "of %s " : "%s",
                                printable_text(first->path, path, sizeof path));
    wrap_sentence(stream,
                  "The verdict fails: %s of %s replies have another error code than was recorded. "
                  "The first: %s %son connection %" PRIu64 " at %.3f s, %s where %s was recorded.",
                  some, all, opcode_name(first->opcode), place, first->connection,
                  (double)first->at_ns / 1e9, error_name(first->replayed),
                  error_name(first->recorded));
    free(place);
}

static void write_pace(const struct replaying *replaying, FILE *stream)
{
    const struct replay_result *result = &replaying->result;
    const struct histogram *late = &result->late, *held = &result->held_for;
    char sent[32], count[32];
    if (histogram_recorded(late) > 0)
        wrap_sentence(stream,
                      "Pacing error: %s requests were sent %.3f ms after they were due at the "
                      "median, %.3f ms at the 99th percentile, %.3f ms at most.",
                      text_format_count(histogram_recorded(late), sent, sizeof sent),
                      histogram_percentile_us(late, 50) / 1e3,
                      histogram_percentile_us(late, 99) / 1e3,
                      histogram_percentile_us(late, 100) / 1e3);
    if (result->held > 0)
        wrap_sentence(stream,
                      "%s more were held back until what was done before them was done: "
                      "%.3f ms at the median, %.3f ms at the 99th percentile, %.3f ms at most.",
                      text_format_count(result->held, count, sizeof count),
                      histogram_percentile_us(held, 50) / 1e3,
                      histogram_percentile_us(held, 99) / 1e3,
                      histogram_percentile_us(held, 100) / 1e3);
}

static bool is_incomplete(const struct replay_result *result)
{
    return result->unsent + result->unanswered + result->unconnected > 0;
}

static void write_gaps(const struct replaying *replaying, FILE *stream)
{
    const struct replay_result *result = &replaying->result;
    if (replaying->interrupted)
        wrap_sentence(stream, "Not valid: interrupted; the rest was not sent.");
    if (is_incomplete(result))
        wrap_sentence(stream,
                      "Not valid: %" PRIu64 " requests were not sent, and %" PRIu64
                      " got no reply: %" PRIu64
                      " connections could not be made, and the servers ended %" PRIu64 ".",
                      result->unsent, result->unanswered, result->unconnected, result->lost);
    if (result->left_out > 0)
        wrap_sentence(stream,
                      "%" PRIu64 " requests were left out: auth, sasl, reconfig, or unknown.",
                      result->left_out);
    if (result->given_up > 0)
        wrap_sentence(stream,
                      "%" PRIu64
                      " times a notification that a client had got did not come; its next "
                      "request was sent without it.",
                      result->given_up);
    if (replaying->prior.facts.is_cut)
        wrap_sentence(stream, "The recording has no end, because zkherd was killed.");
}

static void write_text(const struct replaying *replaying, const struct table *rows, FILE *stream)
{
    const struct traffic *replayed = &replaying->result.traffic;
    char requests[32], connections[32];
    write_grid(rows, stream);
    wrap_sentence(
        stream, "%s requests on %s connections in %.1f s, recorded in %.1f s.",
        text_format_count(sum_of(rows, replay_operation_replayed) - traffic_notifications(replayed),
                          requests, sizeof requests),
        text_format_count(replayed->connections, connections, sizeof connections),
        replaying->result.seconds,
        (double)(replaying->prior.facts.ended_ns - replaying->prior.facts.begun_ns) / 1e9);
    write_codes(replaying, rows, stream);
    write_pace(replaying, stream);
    write_gaps(replaying, stream);
}

/* ------------------------------------------------------------------ JSON */

static json_t *describe_rows(const struct table *rows)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows->rows; i++) {
        json_t *object = json_object();
        json_result_set_row(object, rows->type, table_row(rows, i), 0, rows->type->count - 1);
        json_array_append_new(list, object);
    }
    return list;
}

static void set_times(json_t *json, const char *name, const struct histogram *times)
{
    static const double percents[] = {50, 99, 100};
    static const char *const words[] = {"p50", "p99", "max"};
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_%s_us", name, words[i]);
        json_result_set_real(json, key, histogram_percentile_us(times, percents[i]));
    }
}

static json_t *describe(const struct replaying *replaying, const char *folder,
                        const struct table *rows, const struct table *differences)
{
    const struct replay_result *result = &replaying->result;
    json_t *json = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "folder",
                             folder[0] != '\0' ? json_text(folder) : json_null(), "target",
                             replaying->targets.list[0].name, "speed",
                             json_result_real((double)replaying->options->speed_percent / 100),
                             "seconds", json_result_real(result->seconds), "connections",
                             json_integer((json_int_t)result->traffic.connections), "operations",
                             describe_rows(rows), "differences", describe_rows(differences),
                             "verdict", json_result_verdict(replaying->verdict));
#define X(name, meaning) json_object_set_new(json, #name, json_integer((json_int_t)result->name));
    REPLAY_COUNTS(X)
#undef X
    set_times(json, "late", &result->late);
    set_times(json, "held_for", &result->held_for);
    return json;
}

/* ------------------------------------------------------------------ files */

static enum error_kind write_latency(const struct replaying *replaying, FILE *stream,
                                     uint64_t started_utc_ns, struct error *error)
{
    const struct replay_result *result = &replaying->result;
    const struct {
        const char *name;
        const struct traffic *traffic;
    } sides[] = {{"recorded", &replaying->prior.traffic}, {"replayed", &result->traffic}};
    enum error_kind kind =
        hlog_write_header(stream, started_utc_ns, "a tag for each operation", error);
    for (size_t i = 0; i < 2; i++) {
        for (enum opcode opcode = 0; opcode < OPCODES && kind == ERROR_NONE; opcode++) {
            char tag[64];
            snprintf(tag, sizeof tag, "%s.%s", sides[i].name, opcode_name(opcode));
            if (sides[i].traffic->operations[opcode].replies > 0)
                kind = hlog_write_interval(stream, tag, 0, result->seconds,
                                           &sides[i].traffic->operations[opcode].latency, error);
        }
    }
    if (kind == ERROR_NONE)
        kind = hlog_write_interval(stream, "late", 0, result->seconds, &result->late, error);
    return kind == ERROR_NONE
               ? hlog_write_interval(stream, "held", 0, result->seconds, &result->held_for, error)
               : kind;
}

static enum error_kind write_files(const struct replaying *replaying, struct file_set *files,
                                   const struct table *rows, const struct table *differences,
                                   struct error *error)
{
    struct csv csv[2];
    FILE *latency;
    const struct table *const tables[] = {rows, differences};
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < 2; i++)
        kind = file_set_add_table(files, tables[i]->type, &csv[i], error);
    if (kind == ERROR_NONE)
        kind = file_set_add_hlog(files, "latency.hlog", &latency, error);
    if (kind != ERROR_NONE)
        return kind;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < tables[i]->rows; j++)
            table_write_row(tables[i]->type, table_row(tables[i], j), &csv[i]);
    return file_set_commit(files, write_latency(replaying, latency, files->started_utc_ns, error),
                           error);
}

static enum error_kind keep(const struct replaying *replaying, int argc, char **argv,
                            const struct table *rows, const struct table *differences,
                            char folder[PATH_MAX], struct error *error)
{
    const struct load_options *options = replaying->options;
    const struct target *target = &replaying->targets.list[0];
    const struct error interruption = {.kind = ERROR_INTERRUPTED};
    struct file_set files;
    struct manifest manifest;
    struct error closing;
    enum error_kind kind = file_set_open(&files, options->output.out, target->name, error);
    if (kind == ERROR_NONE)
        kind = write_files(replaying, &files, rows, differences, error);
    manifest_begin(&manifest, argc, argv, options->seed,
                   json_pack("{s:o, s:f}", "replay", json_text(options->replay), "speed",
                             (double)options->speed_percent / 100),
                   &options->target, target);
    if (kind == ERROR_NONE)
        kind = manifest_write(&manifest, &files, 1, replaying->interrupted ? &interruption : NULL,
                              NULL, error);
    manifest_deinit(&manifest);
    memcpy(folder, files.folder, sizeof files.folder);
    enum error_kind closed = file_set_close(&files, &closing);
    if (kind == ERROR_NONE && closed != ERROR_NONE)
        *error = closing;
    return kind == ERROR_NONE ? closed : kind;
}

static enum error_kind tell(const struct replaying *replaying, int argc, char **argv,
                            struct error *error)
{
    const struct output_options *output = &replaying->options->output;
    struct table rows = operations_of(replaying), differences = differences_of(replaying);
    char folder[PATH_MAX] = "";
    enum error_kind kind = keep(replaying, argc, argv, &rows, &differences, folder, error);
    if (output->json)
        json_result_write(describe(replaying, folder, &rows, &differences), stdout);
    else if (!output->quiet || replaying->verdict != 0)
        write_text(replaying, &rows, stdout);
    if (kind == ERROR_NONE && !output->json && !output->quiet && folder[0] != '\0')
        printf("\nresults in %s\n", folder);
    table_deinit(&rows);
    table_deinit(&differences);
    return kind == ERROR_NONE ? standard_output_flush(error) : kind;
}

/* ------------------------------------------------------------------ the replay */

/* Serves zkherd's own session, and looks after private servers. */
static enum error_kind look(void *context, const struct replay_result *result, uint64_t done_ns,
                            struct error *error)
{
    struct replaying *replaying = context;
    struct target *target = &replaying->targets.list[0];
    const struct recording_facts *facts = &replaying->prior.facts;
    char line[160], requests[32];
    snprintf(line, sizeof line, "replay: %.0f of %.0f s, %s requests", (double)done_ns / 1e9,
             (double)(facts->ended_ns - facts->begun_ns) / 1e7 /
                 (double)replaying->options->speed_percent,
             text_format_count(traffic_requests(&result->traffic), requests, sizeof requests));
    progress_say(&replaying->progress, line);
    enum error_kind kind = loop_turn(&target->setup->session.loop, 0, error);
    return kind == ERROR_NONE && target->ensemble != NULL ? ensemble_check(target->ensemble, error)
                                                          : kind;
}

/* Makes the znodes that were there before the recording, below the root. */
static enum error_kind make_znodes(struct replaying *replaying, const char *root,
                                   struct error *error)
{
    struct target *target = &replaying->targets.list[0];
    enum error_kind kind = setup_session_create(target->setup, root, error);
    for (size_t i = 0; kind == ERROR_NONE && i < replaying->prior.znode_count; i++) {
        char *path = memory_format("%s%s", root, replaying->prior.znodes[i]);
        kind = setup_session_create(target->setup, path, error);
        free(path);
    }
    return kind;
}

static int verdict_of(const struct replaying *replaying)
{
    const struct replay_result *result = &replaying->result;
    uint64_t differ = 0;
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        differ += result->compared.operations[opcode].differ;
    return replaying->interrupted || is_incomplete(result) ? error_exit_status(ERROR_NOT_VALID)
                                                           : differ > 0;
}

static enum error_kind replay(struct replaying *replaying, struct error *error)
{
    struct target *target = &replaying->targets.list[0];
    char root[TARGET_ROOT_PATH_SIZE + 8], whole[sizeof root + sizeof target->servers.chroot];
    snprintf(root, sizeof root, "%s/t0000", target->root);
    snprintf(whole, sizeof whole, "%s%s", target->servers.chroot, root);
    const struct replay_options options = {.path = replaying->options->replay,
                                           .prior = &replaying->prior,
                                           .servers = &target->placement,
                                           .root = whole,
                                           .speed_percent = replaying->options->speed_percent,
                                           .interrupts = replaying->targets.signals,
                                           .look = look,
                                           .context = replaying};
    enum error_kind kind = make_znodes(replaying, root, error);
    if (kind == ERROR_NONE)
        kind = replay_run(&options, &replaying->result, error);
    progress_clear(&replaying->progress);
    replaying->interrupted = kind == ERROR_INTERRUPTED && replaying->result.begun_ns > 0;
    replaying->verdict = verdict_of(replaying);
    return replaying->interrupted ? ERROR_NONE : target_find_cause(target, kind, error);
}

static enum error_kind lead(struct replaying *replaying, int argc, char **argv, struct error *error)
{
    const struct load_options *options = replaying->options;
    uint64_t descriptors = machine_descriptors();
    enum error_kind kind = prior_read(&replaying->prior, options->replay, error);
    if (kind == ERROR_NONE)
        kind = machine_allow_descriptors(
            descriptors < DESCRIPTORS_MOST ? descriptors : DESCRIPTORS_MOST, error);
    if (kind == ERROR_NONE)
        kind = standard_output_check(error);
    if (kind == ERROR_NONE)
        kind = folder_check(options->output.out, error);
    if (kind == ERROR_NONE)
        kind = target_prepare_data(&options->target, &replaying->made_data, error);
    if (kind == ERROR_NONE)
        kind = targets_open(&replaying->targets, &options->target,
                            replaying->prior.facts.connections, error);
    if (kind == ERROR_NONE)
        kind = targets_make_roots(&replaying->targets, error);
    if (kind == ERROR_NONE)
        kind = replay(replaying, error);
    return kind == ERROR_NONE ? tell(replaying, argc, argv, error) : kind;
}

int load_replay(const struct load_options *options, int argc, char **argv)
{
    struct replaying *replaying = memory_new(1, sizeof *replaying);
    struct error error, left = {0};
    *replaying = (struct replaying){.options = options, .targets.signals = -1};
    json_result_start();
    progress_init(&replaying->progress, 1, options->output.quiet);
    enum error_kind kind = lead(replaying, argc, argv, &error);
    int status = kind == ERROR_NONE ? replaying->verdict : complain_about("load", &error);
    targets_close(&replaying->targets, &left);
    if (left.kind != ERROR_NONE) {
        int left_status = complain(&left);
        status = status <= 1 ? left_status : status;
    }
    if (kind == ERROR_INTERRUPTED && options->output.json) {
        char text[JSON_RESULT_INTERRUPTED_SIZE];
        json_result_interrupted(json_result_verdict(status), text);
        fputs(text, stdout);
    }
    targets_deinit(&replaying->targets, options->output.out);
    target_remove_data(&options->target, replaying->made_data);
    replay_deinit(&replaying->result);
    prior_deinit(&replaying->prior);
    free(replaying);
    return status;
}
