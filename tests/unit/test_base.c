// SPDX-License-Identifier: Apache-2.0
/* What all else stands on: memory, errors, random numbers, digests, and counts that threads share.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sha256.h"
#include "measure/tally.h"

#include "tests/support/test.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
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

/* ------------------------------------------------------------------ errors */

static const enum error_kind kinds[] = {
#define X(name, status, words, advice) ERROR_##name,
    ERROR_LIST(X)
#undef X
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

TEST(errno_finds_its_kind)
{
    static const struct {
        enum error_kind kind;
        int os_errors[4];
    } kinds_of[] = {{ERROR_NO_SPACE, {ENOSPC, EDQUOT, EFBIG}},
                    {ERROR_DENIED, {EACCES, EPERM, EROFS}},
                    {ERROR_NO_MEMORY, {ENOMEM}},
                    {ERROR_EXISTS, {EEXIST}},
                    {ERROR_NO_DESCRIPTORS, {EMFILE, ENFILE}},
                    {ERROR_SYSTEM, {ENOENT, EIO}}};
    for (size_t i = 0; i < sizeof kinds_of / sizeof kinds_of[0]; i++) {
        for (const int *os_error = kinds_of[i].os_errors; *os_error != 0; os_error++) {
            struct error error;
            assert_int_equal(error_from_errno(&error, *os_error, "a.csv", "row %d", 7),
                             kinds_of[i].kind);
            assert_int_equal(error.kind, kinds_of[i].kind);
            assert_int_equal(error.os_error, *os_error);
            assert_string_equal(error.subject, "a.csv");
            assert_string_equal(error.detail, "row 7");
        }
    }
}

/* ------------------------------------------------------------------ random numbers */

enum { DRAWS = 100000 };

/* The published test vector of xoshiro256** from the state 1, 2, 3, 4. */
TEST(the_sequence_is_the_published_one)
{
    static const uint64_t expected[] = {
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
        607988272756665600,
        UINT64_C(16172922978634559625),
        8476171486693032832,
        UINT64_C(10595114339597558777),
        2904607092377533576,
    };
    struct random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_true(random_next(&random) == expected[i]);
}

/* And that of splitmix64, which spreads the seed. */
TEST(the_seed_is_spread_as_published)
{
    static const uint64_t expected[] = {6457827717110365317, 3203168211198807973,
                                        UINT64_C(9817491932198370423), 4593380528125082431};
    struct random random;
    random_init(&random, 1234567);
    assert_memory_equal(random.state, expected, sizeof expected);
    random_init(&random, 0);
    static const uint64_t zeros[4];
    assert_memory_not_equal(random.state, zeros, sizeof zeros);
}

/* A bare remainder of this bound would fall into the lower third twice as often. */
TEST(a_large_bound_has_no_bias)
{
    struct random random;
    random_init(&random, 2);
    const uint64_t third = UINT64_C(1) << 62;
    size_t lower = 0;
    for (int i = 0; i < DRAWS; i++)
        lower += random_below(&random, 3 * third) < third;
    assert_in_range(lower, DRAWS / 3 - 600, DRAWS / 3 + 600);
}

/* Each of three items comes first, second and last equally often. */
TEST(shuffles_are_even)
{
    struct random random;
    random_init(&random, 5);
    unsigned seen[3][3] = {{0}};
    for (int i = 0; i < 6000; i++) {
        unsigned char items[3][24] = {{0}, {1}, {2}};
        random_shuffle(&random, items, 3, sizeof items[0]);
        for (size_t place = 0; place < 3; place++)
            seen[place][items[place][0]]++;
    }
    for (size_t i = 0; i < 9; i++)
        assert_in_range(seen[i / 3][i % 3], 1850, 2150);
    random_shuffle(&random, NULL, 0, 8);
}

/* ------------------------------------------------------------------ digests */

/* Of the examples of FIPS 180-4, and of the empty text. */
static const struct {
    const char *text;
    const char *digest;
} examples[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
     "lmnopqrsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

TEST(the_examples_of_the_standard)
{
    char path[] = P_tmpdir "/test_base.XXXXXX", digest[SHA256_TEXT_SIZE];
    struct error error;
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(examples[i].text, file);
        fclose(file);
        assert_int_equal(sha256_file(path, digest, &error), ERROR_NONE);
        assert_string_equal(digest, examples[i].digest);
    }
    unlink(path);
}

/* ------------------------------------------------------------------ shared counts */

#define ROUNDS 100000

static struct tally tally;
static uint64_t before[ROUNDS]; /* written before the count that announces it */

static void *write_and_count(void *context)
{
    (void)context;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        before[i] = i + 1;
        tally_add_shared(&tally, TALLY_NOTIFICATION, 1);
    }
    return NULL;
}

/* ThreadSanitizer finds a weaker order on every machine; a processor with a strong order (x86)
 * hides it. */
TEST(test_what_precedes_a_count_is_visible_to_its_reader)
{
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_and_count, NULL), 0);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        while (tally_read_shared(&tally, TALLY_NOTIFICATION) <= i)
            continue;
        assert_int_equal(before[i], i + 1);
    }
    pthread_join(writer, NULL);
}
