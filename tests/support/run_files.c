// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_files.h"

#include "tests/support/schema.h"
#include "tests/support/work.h"

/* Whether two rows are of the same trial. */
static bool same_trial(const struct csv_file *a, size_t row, const struct csv_file *b, size_t other)
{
    static const char *const key[] = {"run", "recipe", "clients", "trial"};
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
        if (strcmp(csv_file_text(a, row, key[i]), csv_file_text(b, other, key[i])) != 0)
            return false;
    }
    return true;
}

void run_files_deinit(struct run_files *files)
{
    csv_file_deinit(&files->trials);
    csv_file_deinit(&files->handoffs);
    csv_file_deinit(&files->sessions);
    csv_file_deinit(&files->latency);
}

/* Every column that both files have adds up, trial by trial, and no row is of another trial. */
static void assert_ledger_adds_up(const struct run_files *files)
{
    static const char *const columns[] = {"creates",        "exists",
                                          "gets",           "get_children",
                                          "sets",           "deletes",
                                          "multis",         "notifications",
                                          "names_listed",   "bytes_sent",
                                          "bytes_received", "creates_failed",
                                          "deletes_failed", "notifications_spurious",
                                          "syncs"};
    size_t rows = 0;
    for (size_t trial = 0; trial < files->trials.rows; trial++) {
        uint64_t sums[sizeof columns / sizeof columns[0]] = {0}, rpcs = 0;
        for (size_t row = 0; row < files->handoffs.rows; row++) {
            if (!same_trial(&files->trials, trial, &files->handoffs, row))
                continue;
            rows++;
            rpcs += csv_file_count(&files->handoffs, row, "rpcs");
            for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
                sums[i] += csv_file_count(&files->handoffs, row, columns[i]);
        }
        assert_int_equal(rpcs, csv_file_count(&files->trials, trial, "rpcs"));
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
            if (sums[i] != csv_file_count(&files->trials, trial, columns[i]))
                fail_msg("%s: %s in trials.csv, but %llu in handoffs.csv", columns[i],
                         csv_file_text(&files->trials, trial, columns[i]),
                         (unsigned long long)sums[i]);
        }
    }
    assert_int_equal(rows, files->handoffs.rows);
}

/* Every trial has all of its sessions, once each, and no other; what they acquired are the trial's
 * grants. */
static void assert_sessions_add_up(const struct run_files *files)
{
    size_t rows = 0;
    for (size_t trial = 0; trial < files->trials.rows; trial++) {
        uint64_t session = 0, acquisitions = 0;
        for (size_t row = 0; row < files->sessions.rows; row++) {
            if (!same_trial(&files->trials, trial, &files->sessions, row))
                continue;
            rows++;
            assert_int_equal(csv_file_count(&files->sessions, row, "session"), session++);
            acquisitions += csv_file_count(&files->sessions, row, "acquisitions");
        }
        assert_int_equal(session, csv_file_count(&files->trials, trial, "clients"));
        assert_int_equal(acquisitions, csv_file_count(&files->trials, trial, "handoffs"));
    }
    assert_int_equal(rows, files->sessions.rows);
}

static bool is_request(const char *kind)
{
    return strcmp(kind, "notification") != 0 && strcmp(kind, "handoff") != 0 &&
           strcmp(kind, "acquire") != 0 && strcmp(kind, "release") != 0;
}

/* A latency for every request of every trial of a drain, and of no other. A steady trial's are
 * those of its steady part, which a stall may leave empty. One that a violation cut short had
 * requests out. */
static void assert_latencies_add_up(const struct run_files *files)
{
    size_t rows = 0;
    for (size_t trial = 0; trial < files->trials.rows; trial++) {
        uint64_t requests = 0;
        for (size_t row = 0; row < files->latency.rows; row++) {
            if (!same_trial(&files->trials, trial, &files->latency, row))
                continue;
            rows++;
            if (is_request(csv_file_text(&files->latency, row, "kind")) &&
                strcmp(csv_file_text(&files->latency, row, "role"), "all") == 0)
                requests += csv_file_count(&files->latency, row, "count");
        }
        uint64_t rpcs = csv_file_count(&files->trials, trial, "rpcs");
        bool drain = strcmp(csv_file_text(&files->trials, trial, "workload"), "drain") == 0,
             stalled = csv_file_count(&files->trials, trial, "stalls") > 0;
        if (csv_file_count(&files->trials, trial, "violations") > 0)
            assert_true(requests <= rpcs);
        else
            assert_true(drain ? requests == rpcs : (requests > 0 || stalled) && requests < rpcs);
    }
    assert_int_equal(rows, files->latency.rows);
}

/* An interval in the log for each row of latency.csv, and whole lines. */
static void assert_log_is_whole(const struct run_files *files, const char *path)
{
    char *text = read_text(path);
    size_t intervals = 0;
    assert_int_equal(text[strlen(text) - 1], '\n');
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        intervals += strncmp(line, "Tag=", 4) == 0;
    assert_int_equal(intervals, files->latency.rows);
    free(text);
}

static void assert_no_parts(const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        fail_msg("%s: %s", folder, strerror(errno));
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strstr(entry->d_name, ".part") != NULL)
            fail_msg("%s is left behind", entry->d_name);
    }
    closedir(directory);
}

struct run_files run_files_read(const char *folder)
{
    assert_no_parts(in_work("%s", folder));
    struct run_files files = {
        .trials = csv_file_read(in_work("%s/trials.csv", folder)),
        .handoffs = csv_file_read(in_work("%s/handoffs.csv", folder)),
        .sessions = csv_file_read(in_work("%s/sessions.csv", folder)),
        .latency = csv_file_read(in_work("%s/latency.csv", folder)),
    };
    assert_ledger_adds_up(&files);
    assert_sessions_add_up(&files);
    assert_latencies_add_up(&files);
    assert_log_is_whole(&files, in_work("%s/latency.hlog", folder));
    return files;
}

json_t *read_manifest(const char *folder)
{
    json_error_t error;
    json_t *manifest = json_load_file(in_work("%s/manifest.json", folder), 0, &error);
    if (manifest == NULL)
        fail_msg("%s/manifest.json: %s", folder, error.text);
    assert_schema(manifest, "manifest", folder);
    return manifest;
}

void assert_cut_short(const char *folder, const char *words, size_t trials)
{
    json_t *manifest = read_manifest(folder);
    bool interrupted = json_is_true(json_object_get(manifest, "interrupted"));
    const char *told = json_string_value(json_object_get(manifest, "cut_short"));
    assert_non_null(told);
    assert_string_equal(told, words);
    assert_int_equal(interrupted, strcmp(words, "interrupted") == 0);
    assert_int_equal(json_integer_value(json_object_get(manifest, "trials_finished")), trials);
    assert_true(json_integer_value(json_object_get(manifest, "trials_planned")) >
                (json_int_t)trials);
    json_decref(manifest);
}
