// SPDX-License-Identifier: Apache-2.0
/*
 * script: a recipe played by hand: a session without a server, whose requests are looked at and
 * whose replies are made up.
 */
#ifndef TESTS_SCRIPT_H
#define TESTS_SCRIPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recipes/registry.h"

#include <string.h>

struct script {
    struct client client;
    struct contender contender;
    const struct recipe *recipe;
    enum recipe_step step;
    bool releasing;
    unsigned requests;           /* so far */
    struct request request;      /* the last one, without what it points to … */
    char path[RECIPE_PATH_MAX];  /* … but for its path, or that of its last part … */
    char value[RECIPE_PATH_MAX]; /* … and its value, or that of its first part */
};

void script_resume(struct script *script);

/* Begins to acquire, or to release. */
void script_begin(struct script *script, bool releasing);

/* Begins to acquire, as this one of the clients. */
void script_init_as(struct script *script, const char *recipe, uint32_t number, uint32_t clients);

void script_init(struct script *script, const char *recipe);

void script_reply(struct script *script, const struct client_reply *reply);

/* The request that is out is this one; its reply is a status alone. */
void script_answer(struct script *script, enum operation operation, const char *path,
                   enum zk_status status);

/* A create is out; the znode becomes this one. */
void script_created(struct script *script, const char *path);

/* A list of this folder is out; these are its names, up to NULL. */
void script_listed(struct script *script, const char *folder, const char *const names[]);

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A getData is out; this is the znode's data. */
void script_data(struct script *script, const char *path, const char *value);

/* Parked on the deletion of this znode, which happens. */
void script_gone(struct script *script, const char *path);

#endif
