// SPDX-License-Identifier: Apache-2.0

#include "base/random.h"
#include "sim/children.h"

#include "tests/support/test.h"

#define MODEL_MAX 600
#define VIEWS     8

static struct slab slab;
static struct paths paths;

FIXTURE(begin)
{
    slab_init(&slab);
    paths_init(&paths, &slab);
    return 0;
}

FIXTURE(end)
{
    slab_deinit(&slab);
    return 0;
}

/* What the children ought to be. */
struct model {
    struct path *paths[MODEL_MAX];
    uint64_t marks[MODEL_MAX];
    size_t count;
};

/* A view, and what it has to show as long as it is held. */
struct held {
    struct children_view view;
    char names[MODEL_MAX][16];
    size_t count;
};

static void expect_names(const struct children_view *view, char names[][16], size_t count)
{
    assert_int_equal(view->count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(view->names[i], names[i]);
}

static void add(struct children *children, struct model *model, unsigned number)
{
    char text[32];
    /* Long and short ones. */
    snprintf(text, sizeof text, "/p/%.*s%05u", (int)(number % 8), "child--", number);
    struct path *path = paths_take(&paths, text, strlen(text));
    model->paths[model->count] = path;
    model->marks[model->count++] = children_add(children, &slab, path);
}

static void take_out(struct children *children, struct model *model, size_t at)
{
    children_remove(children, &slab, model->paths[at], model->marks[at]);
    paths_release(&paths, model->paths[at]); /* a view shows its name all the same */
    model->count--;
    memmove(&model->paths[at], &model->paths[at + 1], (model->count - at) * sizeof model->paths[0]);
    memmove(&model->marks[at], &model->marks[at + 1], (model->count - at) * sizeof model->marks[0]);
}

static void look(struct held *held, const struct children *children, const struct model *model)
{
    uint64_t name_bytes = 0;
    children_view_release(&held->view, &slab);
    held->view = children_view(children);
    held->count = model->count;
    for (size_t i = 0; i < model->count; i++) {
        snprintf(held->names[i], sizeof held->names[i], "%s", path_name(model->paths[i]));
        name_bytes += strlen(held->names[i]);
    }
    assert_int_equal(held->view.name_bytes, name_bytes);
}

/* Mostly a queue, at times somebody leaves from its middle; several views are held on the way. */
TEST_BETWEEN(test_a_view_stays_as_it_was, begin, end)
{
    static struct held held[VIEWS];
    static struct model model;
    struct children children = {0};
    struct random random;
    random_init(&random, 1);
    memset(held, 0, sizeof held);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t what = random_below(&random, 100);
        if (model.count < 2 || (what < 48 && model.count < MODEL_MAX))
            add(&children, &model, i);
        else if (what < 90)
            take_out(&children, &model, 0);
        else if (what < 95)
            take_out(&children, &model, random_below(&random, model.count));
        else
            look(&held[random_below(&random, VIEWS)], &children, &model);
        assert_int_equal(children_count(&children), model.count);
        if (i % 64 == 0) {
            for (size_t v = 0; v < VIEWS; v++)
                expect_names(&held[v].view, held[v].names, held[v].count);
        }
    }
    look(&held[0], &children, &model);
    expect_names(&held[0].view, held[0].names, held[0].count);
    for (size_t v = 0; v < VIEWS; v++)
        children_view_release(&held[v].view, &slab);
    children_clear(&children, &slab);
    while (model.count > 0)
        paths_release(&paths, model.paths[--model.count]);
    assert_int_equal(paths.count, 0);
}

TEST_BETWEEN(test_nobody_has_no_children, begin, end)
{
    struct children children = {0};
    struct children_view view = children_view(&children);
    assert_int_equal(view.count, 0);
    children_view_release(&view, &slab);
    children_clear(&children, &slab);
}
