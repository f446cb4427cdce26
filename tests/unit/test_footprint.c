// SPDX-License-Identifier: Apache-2.0
/* What recipes declare of their names, against what their code sends; and what follows from it. */
#include "tests/support/script.h"
#include "tests/support/test.h"

#include "recipes/footprint.h"
#include "wire/maxbuffer.h"
#include "wire/wire.h"

static const struct recipe *find(const char *name)
{
    const struct recipe *recipe = registry_find(name);
    assert_non_null(recipe);
    return recipe;
}

/* ------------------------------------------------------------------ what the code sends */

/* What a client has sent until it waits behind another; "" if nothing. */
struct seen {
    char own[RECIPE_PATH_MAX]; /* its znode, of those that are listed */
    char watched[RECIPE_PATH_MAX];
    bool lists, lock_watched;
};

static struct script script;

static void answer_create(struct seen *seen)
{
    if (script.request.mode != EPHEMERAL_SEQUENTIAL) {
        bool is_place = strcmp(script.recipe->name, "barrier") == 0;
        snprintf(seen->own, sizeof seen->own, "%s", is_place ? script.path : "");
        script_reply(&script, &(struct client_reply){.status = is_place ? ZK_OK : ZK_NODE_EXISTS,
                                                     .path = script.path});
        return;
    }
    snprintf(seen->own, sizeof seen->own, "%.140s%010d", script.path, 7);
    script_created(&script, seen->own);
}

/* One client is before this one, under a name of the same form. */
static void answer_list(struct seen *seen)
{
    char before[RECIPE_PATH_MAX];
    const char *own = strrchr(seen->own, '/');
    seen->lists = true;
    if (script.request.watch == WATCH)
        seen->lock_watched = true;
    if (own == NULL) { /* it looks for a znode of its own */
        script_reply(&script, &(struct client_reply){.name_count = 0});
        return;
    }
    snprintf(before, sizeof before, "%s", own + 1);
    before[strlen(before) - 1] = '0';
    script_reply(&script, &(struct client_reply){.names = NAMES(own + 1, before), .name_count = 2});
}

static void answer(struct seen *seen)
{
    switch (script.request.operation) {
    case OP_CREATE:
        answer_create(seen);
        break;
    case OP_GET_CHILDREN:
        answer_list(seen);
        break;
    default:
        if (script.request.watch == WATCH)
            snprintf(seen->watched, sizeof seen->watched, "%s", script.path);
        script_reply(&script, &(struct client_reply){.value = "x", .value_length = 1});
    }
}

/* Until the client waits for a watch or a pause, or holds. A barrier's client looks for ready,
 * which is there. */
static struct seen watch_arrival(const struct recipe *recipe)
{
    struct seen seen = {0};
    script_init_as(&script, recipe->name, 0, 3); /* of readers and writers, a writer */
    while (script.step == STEP_REPLY && script.requests < 20)
        answer(&seen);
    assert_true(script.requests < 20);
    return seen;
}

/* Below the lock, "/l". */
static void assert_no_longer(const struct recipe *recipe, const char *path, const char *declared)
{
    if (path[0] == '\0')
        return;
    if (declared == NULL || strlen(path) > strlen("/l/") + strlen(declared))
        fail_msg("%s: %s, beyond %s", recipe->name, path, declared == NULL ? "nothing" : declared);
}

/* What is declared is what is sent. */
TEST(every_recipe_declares_its_names)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        struct seen seen = watch_arrival(recipe);
        if (seen.lists)
            assert_no_longer(recipe, seen.own, recipe->names.listed);
        assert_no_longer(recipe, seen.watched, recipe->names.watched);
        assert_int_equal(seen.lock_watched, recipe->names.lock_watched);
        assert_int_equal(seen.watched[0] != '\0', recipe->names.watched != NULL);
        assert_true(!footprint_lists_always(recipe) || seen.lists);
    }
}

/* And no longer than that: the names of two sessions may differ in length only where an id is
 * written in decimals, or where readers and writers have different names. */
TEST(names_are_as_long_as_declared)
{
    static const struct {
        const char *recipe;
        size_t name, watched;
    } expected[] = {
        {"nonscalable", 0, 4},   {"childwatch", 15, 2},     {"scalable", 15, 18},
        {"ticket", 12, 21},      {"scalable-guid", 55, 58}, {"zoolock", 29, 32},
        {"writelock", 33, 36},   {"rwlock", 16, 19},        {"barrier", 12, 15},
        {"poll", 0, 0},          {"counter", 0, 0},         {"scalable-listwatch", 15, 18},
        {"broken-nolock", 0, 0}, {"broken-nowatch", 15, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct recipe *recipe = find(expected[i].recipe);
        assert_int_equal(footprint_name_length(recipe), expected[i].name);
        assert_int_equal(footprint_watched_length(recipe, strlen("/l")), expected[i].watched);
    }
}

/* ------------------------------------------------------------------ what follows */

TEST(the_list_of_the_most_clients_fits)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        uint64_t most = footprint_listed_clients(recipe, 5000);
        if (most == UINT64_MAX) {
            assert_null(recipe->names.listed);
            assert_int_equal(footprint_list_bytes(recipe, 10), 0);
            continue;
        }
        assert_true(footprint_list_bytes(recipe, most) <= 5000);
        assert_true(footprint_list_bytes(recipe, most + 1) > 5000);
    }
    assert_int_equal(footprint_listed_clients(find("scalable"), MAXBUFFER_DEFAULT), 55187);
    assert_int_equal(footprint_listed_clients(find("scalable-guid"), MAXBUFFER_DEFAULT), 17772);
}

/* In the list of ready, beside its clients, is data; queue and turn of the ticket lock are not in
 * that of its clients; the znode ready of a barrier is made when they do not wait any more. */
TEST(what_is_laid_out_is_listed_too)
{
    assert_int_equal(footprint_list_bytes(find("ready"), 3), 20 + 3 * 19 + 8);
    assert_int_equal(footprint_list_bytes(find("scalable"), 3), 20 + 3 * 19);
    assert_int_equal(footprint_list_bytes(find("ticket"), 3), 20 + 3 * 16);
    assert_int_equal(footprint_list_bytes(find("barrier"), 3), 20 + 3 * 16);
}

/* The names that the law has in its longest list are those of all clients. */
TEST(lists_are_those_of_the_law)
{
    assert_true(footprint_lists_always(find("scalable")));
    assert_true(footprint_lists_always(find("walkback")));
    assert_false(footprint_lists_always(find("ticket")));
    assert_false(footprint_lists_always(find("nonscalable")));
    assert_false(footprint_lists_always(find("poll")));
}

TEST(watches)
{
    assert_int_equal(footprint_own_watches(find("scalable"), 100), 1);
    assert_int_equal(footprint_all_watches(find("scalable"), 100), 100);
    assert_int_equal(footprint_own_watches(find("scalable-listwatch"), 100), 2);
    assert_int_equal(footprint_all_watches(find("scalable-listwatch"), 100), 200);
    assert_int_equal(footprint_own_watches(find("walkback"), 100), 99);
    assert_int_equal(footprint_all_watches(find("walkback"), 100), 4950);
    assert_int_equal(footprint_all_watches(find("poll"), 100), 0);
}
