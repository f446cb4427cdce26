// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include "tests/support/test.h"

#include <sys/wait.h>
#include <unistd.h>

TEST(a_list_grows_by_one)
{
    size_t *list = NULL;
    for (size_t i = 0; i < 1000; i++) {
        list = memory_grow(list, i, sizeof *list);
        list[i] = i;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(list[i], i);
    free(list);
}

TEST(a_text_grows_at_its_end)
{
    struct growing_text growing = {0};
    growing_text_add(&growing, "%s", "");
    assert_string_equal(growing.text, "");
    growing_text_add(&growing, "%d sessions", 3);
    growing_text_add(&growing, ", %s", "one lost");
    assert_string_equal(growing.text, "3 sessions, one lost");
    assert_int_equal(growing.length, strlen(growing.text));
    free(growing.text);
}

/* Refuses on demand: a sanitizer ends a program that asks for too much. */
static bool refuses;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
    return refuses ? NULL : __real_calloc(count, size);
}

/* With the sentence of the error, and its status. */
TEST(without_memory_the_program_ends)
{
    int ends[2], status;
    char said[200] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        refuses = true;
        free(memory_new(1, 8));
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    close(ends[0]);
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_string_equal(said, "zkherd: out of memory; run fewer clients, or use a machine with "
                              "more memory\n");
}
