// SPDX-License-Identifier: Apache-2.0
/* The results of a run where there is no memory: nothing is missing without an error. */

#include "bench/run/fits.h"
#include "bench/run/record.h"
#include "bench/run/run.h"
#include "bench/run/table.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

static bool refuses;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    return refuses ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuses ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return refuses ? NULL : __real_realloc(memory, size);
}

/* What a run does without memory. */
static enum { NOTHING, ADDING, TELLING } lacking;

enum error_kind __real_record_add(struct record *record, const struct cell *cell,
                                  const struct trial_result *result,
                                  const struct background_figures *background, struct error *error);
enum error_kind __real_record_tell(const struct record *record, struct error *error);
enum error_kind __wrap_record_add(struct record *record, const struct cell *cell,
                                  const struct trial_result *result,
                                  const struct background_figures *background, struct error *error);
enum error_kind __wrap_record_tell(const struct record *record, struct error *error);

/* The first trial is kept. */
enum error_kind __wrap_record_add(struct record *record, const struct cell *cell,
                                  const struct trial_result *result,
                                  const struct background_figures *background, struct error *error)
{
    refuses = lacking == ADDING && record->samples.count > 0;
    enum error_kind kind = __real_record_add(record, cell, result, background, error);
    refuses = false;
    return kind;
}

enum error_kind __wrap_record_tell(const struct record *record, struct error *error)
{
    refuses = lacking == TELLING;
    enum error_kind kind = __real_record_tell(record, error);
    refuses = false;
    return kind;
}

#define TRIALS 8

static struct sample list[TRIALS];
static struct samples samples = {list, TRIALS};
static uint64_t levels[] = {8, 16, 32, 64};
static struct options options;
static struct waiters *waiters;

/* Two trials at each level, the highest level first. */
static int set_up(void **state)
{
    const struct recipe *recipe = registry_find("scalable");
    struct error error;
    (void)state;
    options = (struct options){.plan = {.recipes = {recipe},
                                        .recipe_count = 1,
                                        .clients = {.list = levels, .count = 4},
                                        .locks = 1}};
    for (size_t i = 0; i < TRIALS; i++) {
        uint64_t n = levels[3 - i % 4];
        list[i] = (struct sample){.cell = {.recipe = recipe, .clients = (uint32_t)n},
                                  .has_law = true,
                                  .valid = true,
                                  .complete = true,
                                  .elapsed_s = 1,
                                  .drain_s = i < 4 ? 1 : 3,
                                  .handoff_of_us = {[ROLE_LEADER] = 1, [ROLE_FOLLOWER] = 2}};
        law_total(recipe, n, n, &list[i].law);
        list[i].total = list[i].law;
    }
    return waiters_new(recipe, 64, &waiters, &error) == ERROR_NONE ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    refuses = false;
    waiters_free(waiters);
    return 0;
}

/* All that write() writes; for the caller to free. */
static char *text_of(void (*write)(FILE *stream), bool without_memory)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    refuses = without_memory;
    write(stream);
    refuses = false;
    fclose(stream);
    return text;
}

static void assert_needs_no_memory(void (*write)(FILE *stream), const char *words)
{
    char *with = text_of(write, false), *without = text_of(write, true);
    assert_non_null(strstr(with, words));
    assert_string_equal(without, with);
    free(with);
    free(without);
}

static void write_fits(FILE *stream)
{
    const struct sample_context context = {"run", "standalone", 1, &options};
    struct csv csv = {.stream = stream};
    fits_write(&samples, waiters, &context, &csv);
}

static void tell_fits(FILE *stream)
{
    fits_tell(&samples, options.plan.recipes[0], &options, stream);
    fits_tell_levels(&samples, &options, stream);
}

static void write_roles(FILE *stream)
{
    table_write_roles(&samples, &options, stream);
}

TEST_BETWEEN(test_fits_are_whole, set_up, tear_down)
{
    assert_needs_no_memory(write_fits, "run,scalable,drain_s,clients,4,0.0000,");
    assert_needs_no_memory(tell_fits, "scalable: RPCs: exactly 5·n - 2 at every n: O(n)\n");
    assert_needs_no_memory(write_roles, "leader 0.00 ms, follower 0.00 ms");
}

TEST_BETWEEN(test_a_table_without_memory_is_an_error, set_up, tear_down)
{
    struct error error;
    char *text = NULL;
    size_t length = 0;
    (void)state;
    FILE *stream = open_memstream(&text, &length);
    refuses = true;
    assert_int_equal(table_write(&samples, &options, 80, stream, &error), ERROR_NO_MEMORY);
    refuses = false;
    fclose(stream);
    assert_string_equal(text, "");
    assert_string_equal(error.subject, "the table");
    free(text);
}

/* What the program says is not for the terminal. */
static int call(int (*function)(int argc, char **argv), int argc, char **argv)
{
    int output = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_true(output >= 0 && errors >= 0 && nowhere >= 0);
    fflush(stdout);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    int status = function(argc, argv);
    fflush(stdout);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    close(nowhere);
    close(output);
    close(errors);
    return status;
}

/* Two trials; the rows of trials.csv, its head included, go to *rows. */
static int run_lacking(int what, size_t *rows)
{
    char words[][40] = {"run",
                        "-d",
                        "simulated",
                        "-r",
                        "scalable",
                        "-n",
                        "4",
                        "-t",
                        "2",
                        "-o",
                        "/tmp/zkherd-test-XXXXXX/run"};
    char *argv[sizeof words / sizeof words[0]], *out = words[10], line[4096], command[64];
    char *slash = strrchr(out, '/');
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        argv[i] = words[i];
    *slash = '\0';
    assert_non_null(mkdtemp(out));
    *slash = '/';
    lacking = what;
    int status = call(run_main, sizeof words / sizeof words[0], argv);
    lacking = NOTHING;
    strcat(out, "/trials.csv");
    FILE *trials = fopen(out, "re");
    assert_non_null(trials);
    for (*rows = 0; fgets(line, sizeof line, trials) != NULL;)
        ++*rows;
    fclose(trials);
    *slash = '\0';
    snprintf(command, sizeof command, "rm -r '%s'", out);
    assert_int_equal(system(command), 0);
    return status;
}

/* The environment's exit status, 3; what was measured before is kept. */
TEST_BETWEEN(test_a_run_without_memory_keeps_its_trials, set_up, tear_down)
{
    size_t rows;
    (void)state;
    assert_int_equal(run_lacking(NOTHING, &rows), 0);
    assert_int_equal(rows, 1 + 2);
    assert_int_equal(run_lacking(ADDING, &rows), 3);
    assert_int_equal(rows, 1 + 1);
    assert_int_equal(run_lacking(TELLING, &rows), 3);
    assert_int_equal(rows, 1 + 2);
}
