// SPDX-License-Identifier: Apache-2.0
#include "client/mailbox.h"

#include "base/clock.h"

#include <assert.h>
#include <string.h>

void mailbox_init(struct mailbox *mailbox)
{
    *mailbox = (struct mailbox){0};
    pthread_mutex_init(&mailbox->mutex, NULL);
    condition_init(&mailbox->changed);
}

void mailbox_deinit(struct mailbox *mailbox)
{
    pthread_cond_destroy(&mailbox->changed);
    pthread_mutex_destroy(&mailbox->mutex);
}

static bool takes(const struct mailbox *mailbox, enum letter_kind kind)
{
    return !mailbox->closed && (!mailbox->orders_only || kind == LETTER_ORDER);
}

/* The caller holds the mutex. */
static void put(struct mailbox *mailbox, enum letter_kind kind, int value, const char *path,
                struct client_reply *reply)
{
    while (mailbox->count == MAILBOX_LETTERS_MAX && takes(mailbox, kind))
        condition_wait(&mailbox->changed, &mailbox->mutex, 0);
    if (!takes(mailbox, kind))
        return;
    size_t last = (mailbox->first + mailbox->count) % MAILBOX_LETTERS_MAX;
    struct letter *letter = &mailbox->letters[last];
    letter->kind = kind;
    letter->value = value;
    letter->reply = reply;
    assert(strlen(path) < sizeof letter->path);
    strcpy(letter->path, path);
    mailbox->count++;
    pthread_cond_broadcast(&mailbox->changed);
}

void mailbox_post(struct mailbox *mailbox, enum letter_kind kind, int value, const char *path)
{
    pthread_mutex_lock(&mailbox->mutex);
    put(mailbox, kind, value, path, NULL);
    pthread_mutex_unlock(&mailbox->mutex);
}

void mailbox_post_or_call(struct mailbox *mailbox, enum letter_kind kind, int value,
                          void (*at_once)(void *context, int value), void *context)
{
    pthread_mutex_lock(&mailbox->mutex);
    if (mailbox->busy)
        at_once(context, value);
    else
        put(mailbox, kind, value, "", NULL);
    pthread_mutex_unlock(&mailbox->mutex);
}

/* Waits for a reply that is being read, also when the mailbox takes no replies any more. */
void mailbox_hand_over(struct mailbox *mailbox, struct client_reply *reply)
{
    pthread_mutex_lock(&mailbox->mutex);
    mailbox->reply_posted = true;
    put(mailbox, LETTER_REPLY, 0, "", reply);
    while (mailbox->reply_posted && (mailbox->reply_taken || takes(mailbox, LETTER_REPLY)))
        condition_wait(&mailbox->changed, &mailbox->mutex, 0);
    pthread_mutex_unlock(&mailbox->mutex);
}

void mailbox_reply_read(struct mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->mutex);
    mailbox->reply_taken = false;
    mailbox->reply_posted = false;
    pthread_cond_broadcast(&mailbox->changed);
    pthread_mutex_unlock(&mailbox->mutex);
}

bool mailbox_is_busy(struct mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->mutex);
    bool busy = mailbox->busy;
    pthread_mutex_unlock(&mailbox->mutex);
    return busy;
}

void mailbox_keep_orders(struct mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->mutex);
    mailbox->orders_only = true;
    pthread_cond_broadcast(&mailbox->changed);
    pthread_mutex_unlock(&mailbox->mutex);
}

void mailbox_close(struct mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->mutex);
    mailbox->closed = true;
    pthread_cond_broadcast(&mailbox->changed);
    pthread_mutex_unlock(&mailbox->mutex);
}

static enum mailbox_news take(struct mailbox *mailbox, struct letter *letter)
{
    while (!mailbox->closed && mailbox->count > 0) {
        *letter = mailbox->letters[mailbox->first];
        mailbox->first = (mailbox->first + 1) % MAILBOX_LETTERS_MAX;
        mailbox->count--;
        if (mailbox->count == MAILBOX_LETTERS_MAX - 1)
            pthread_cond_broadcast(&mailbox->changed);
        if (!takes(mailbox, letter->kind))
            continue;
        mailbox->reply_taken = letter->kind == LETTER_REPLY;
        return MAILBOX_LETTER;
    }
    return mailbox->closed ? MAILBOX_CLOSED : MAILBOX_EMPTY;
}

enum mailbox_news mailbox_take(struct mailbox *mailbox, bool has_to_do, struct letter *letter)
{
    pthread_mutex_lock(&mailbox->mutex);
    enum mailbox_news news = take(mailbox, letter);
    if (news == MAILBOX_EMPTY && has_to_do)
        mailbox->busy = true;
    pthread_mutex_unlock(&mailbox->mutex);
    return news;
}

bool mailbox_return(struct mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->mutex);
    mailbox->busy = false;
    bool closed = mailbox->closed;
    pthread_mutex_unlock(&mailbox->mutex);
    return !closed;
}

void mailbox_await(struct mailbox *mailbox, uint64_t until_ns)
{
    pthread_mutex_lock(&mailbox->mutex);
    while (mailbox->count == 0 && !mailbox->closed && (until_ns == 0 || clock_now_ns() < until_ns))
        condition_wait(&mailbox->changed, &mailbox->mutex, until_ns);
    pthread_mutex_unlock(&mailbox->mutex);
}
