// SPDX-License-Identifier: Apache-2.0
#include "servers/question.h"

#include "servers/tcp.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum error_kind question_begin(struct question *question, const struct endpoint *endpoint,
                               const char *word, struct error *error)
{
    question->endpoint = endpoint;
    question->word = word;
    question->sent = false;
    question->length = 0;
    question->answer[0] = '\0';
    return tcp_begin(endpoint, &question->fd, error);
}

/* Four bytes always fit a new socket; a failure shows in reading. */
static enum error_kind send_word(struct question *question, struct error *error)
{
    enum error_kind kind = tcp_end(question->endpoint, question->fd, error);
    if (kind != ERROR_NONE)
        return kind;
    (void)!send(question->fd, question->word, strlen(question->word), MSG_NOSIGNAL);
    (void)!shutdown(question->fd, SHUT_WR);
    question->sent = true;
    return ERROR_NONE;
}

enum error_kind question_turn(struct question *question, bool *done, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *done = false;
    if (!question->sent) {
        kind = send_word(question, error);
        *done = kind != ERROR_NONE;
    } else {
        enum answer_ending ending =
            answer_receive(question->fd, question->answer, question->size, &question->length);
        *done = ending != ANSWER_COMES;
        if (*done)
            kind =
                answer_judge(question->endpoint, question->word, ending, question->answer, error);
    }
    if (*done)
        question_abandon(question);
    return kind;
}

void question_abandon(struct question *question)
{
    if (question->fd >= 0)
        close(question->fd);
    question->fd = -1;
}
