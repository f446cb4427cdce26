// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nest.h"

char nest[64];

size_t nest_count(void)
{
    return count_entries(nest);
}

int nest_make(void **state)
{
    (void)state;
    strcpy(nest, "/tmp/zkherd-test-XXXXXX");
    if (mkdtemp(nest) == NULL)
        return 1;
    return setenv("TMPDIR", nest, 1);
}

int nest_remove(void **state)
{
    (void)state;
    unsetenv("TMPDIR");
    unsetenv("JAVA_HOME");
    unsetenv("ZOOKEEPER_HOME");
    return folder_remove(nest);
}

bool is_running(pid_t pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    int fields = fscanf(file, "%*d %*s %c", &state);
    fclose(file);
    return fields == 1 && state != 'Z' && state != 'X';
}

void assert_ends(pid_t pid)
{
    uint64_t deadline_ns = clock_now_ns() + PATIENCE_NS;
    while (is_running(pid) && clock_now_ns() < deadline_ns)
        pause_ms(10);
    assert_false(is_running(pid));
}

void nest_assert_empties(void)
{
    uint64_t deadline_ns = clock_now_ns() + PATIENCE_NS;
    while (nest_count() > 0 && clock_now_ns() < deadline_ns)
        pause_ms(10);
    assert_int_equal(nest_count(), 0);
}

pid_t parent_of(pid_t pid)
{
    char path[64];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %*s %*c %d", &parent), 1);
    fclose(file);
    return parent;
}

struct ensemble *nest_start(const struct ensemble_options *options)
{
    struct ensemble *ensemble = NULL;
    struct error error = {.detail = ""};
    if (ensemble_start(options, &ensemble, &error) != ERROR_NONE)
        fail_msg("%s: %s: %s", error.subject, error_words(error.kind), error.detail);
    return ensemble;
}

void nest_stop(struct ensemble *ensemble)
{
    char folder[512];
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    snprintf(folder, sizeof folder, "%s", ensemble->folder);
    ensemble_stop(ensemble);
    while (access(folder, F_OK) == 0 && clock_now_ns() < until_ns)
        pause_ms(10);
    assert_int_equal(access(folder, F_OK), -1);
}

bool nest_is_alive(const struct ensemble *ensemble)
{
    struct error error;
    return ensemble_check(ensemble, &error) == ERROR_NONE;
}

struct error nest_start_in_vain(const struct ensemble_options *options, enum error_kind expected)
{
    struct ensemble *ensemble = NULL;
    struct error error = {.detail = ""};
    enum error_kind kind = ensemble_start(options, &ensemble, &error);
    if (kind != expected)
        fail_msg("expected '%s', not '%s' (%s: %s)", error_words(expected), error_words(kind),
                 error.subject, error.detail);
    assert_int_equal(error.kind, expected);
    assert_null(ensemble);
    nest_assert_empties();
    return error;
}

void nest_install_java(const char *script)
{
    char path[128];
    snprintf(path, sizeof path, "%s/.java", nest);
    mkdir(path, 0700);
    setenv("JAVA_HOME", path, 1);
    snprintf(path, sizeof path, "%s/.java/bin", nest);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/.java/bin/java", nest);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    chmod(path, 0700);
}
