// SPDX-License-Identifier: Apache-2.0
/* The digest of FIPS 180-4, of bytes that come in pieces of any length. */
#include "base/sha256.h"

#include "tests/support/test.h"

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

TEST(the_examples_of_the_standard_in_pieces_of_any_length)
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        size_t length = strlen(examples[i].text);
        for (size_t piece = 1; piece <= length + 1; piece++) {
            struct sha256 sha256;
            char digest[SHA256_TEXT_SIZE];
            sha256_begin(&sha256);
            for (size_t at = 0; at < length; at += piece)
                sha256_add(&sha256, examples[i].text + at,
                           length - at < piece ? length - at : piece);
            sha256_end(&sha256, digest);
            assert_string_equal(digest, examples[i].digest);
        }
    }
}

#define MILLION 1000000

/* FIPS 180-4's long example: a million times the letter a. */
TEST(a_million_bytes_in_pieces)
{
    static const size_t pieces[] = {1, 7, 55, 56, 63, 64, 65, 127, 128, 129, 4096, MILLION};
    static char bytes[MILLION];
    memset(bytes, 'a', sizeof bytes);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct sha256 sha256;
        char digest[SHA256_TEXT_SIZE];
        sha256_begin(&sha256);
        for (size_t at = 0; at < MILLION; at += pieces[i])
            sha256_add(&sha256, bytes + at, MILLION - at < pieces[i] ? MILLION - at : pieces[i]);
        sha256_end(&sha256, digest);
        assert_string_equal(digest,
                            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}
