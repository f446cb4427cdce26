// SPDX-License-Identifier: Apache-2.0
/*
 * script: runs a recipe without a server: a test checks each request and makes up its reply.
 */
#ifndef TESTS_SCRIPT_H
#define TESTS_SCRIPT_H

#include "recipes/registry.h"
#include "tests/support/test.h"

struct script {
    struct client client;
    struct contender contender;
    const struct recipe *recipe;
    enum recipe_step step;
    bool releasing;
    unsigned requests;           /* so far */
    struct request request;      /* the last one; what it points to may be gone */
    char path[RECIPE_PATH_MAX];  /* of that request, or of its last part */
    char value[RECIPE_PATH_MAX]; /* of that request, or of its first part */
};

void script_resume(struct script *script);

/* Begins to acquire, or to release. */
void script_begin(struct script *script, bool releasing);

/* Begins to acquire, as this one of the clients. */
void script_init_as(struct script *script, const char *recipe, uint32_t number, uint32_t clients);

void script_init(struct script *script, const char *recipe);

void script_reply(struct script *script, const struct client_reply *reply);

/* Checks that this request waits for its reply, and replies with a status alone. */
void script_answer(struct script *script, enum operation operation, const char *path,
                   enum zk_status status);

/* Replies to a create: this is the znode's path. */
void script_created(struct script *script, const char *path);

/* Replies to getChildren of this znode with these names, up to NULL. */
void script_listed(struct script *script, const char *folder, const char *const names[]);

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Replies to getData of this znode with this data. */
void script_data(struct script *script, const char *path, const char *value);

/* Checks that the recipe waits for the deletion of this znode, and delivers that event. */
void script_gone(struct script *script, const char *path);

#endif
