#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""n clients of a recipe of kazoo, a session each, each once: kazoo_recipes.py RECIPE N CONNECT

RECIPE is ReadWriteLock, Semaphore, Election, DoubleBarrier, ChildrenWatch or Party; Deadlock has three clients that wait
for each other. A client acts only when all others wait, so that every run has the same messages:

    zkherd tap --drain -n 4..64x2 -- /usr/bin/python3 kazoo_recipes.py Election {n} {connect}
"""
import collections
import logging
import os
import sys
import threading

from kazoo.client import KazooClient
from kazoo.protocol.states import Callback

PATH = "/app/recipe"
LEASES = 3  # of the semaphore


class Answers(logging.Handler):
    """Hears from the clients' logs which requests were answered: by their type, and those that set a watch."""

    def __init__(self):
        super().__init__()
        self.changed, self.sent = threading.Condition(), {}
        self.heard, self.expected = collections.Counter(), collections.Counter()

    def emit(self, record):
        text = record.getMessage()
        with self.changed:
            if text.startswith("Sending request"):
                self.sent[record.name, record.args[0]] = record.args[1]
            elif text.startswith("Received") and (record.name, record.args[0]) in self.sent:
                request = self.sent.pop((record.name, record.args[0]))
                self.heard[type(request).__name__] += 1
                self.heard["watch"] += getattr(request, "watcher", None) is not None
                self.changed.notify_all()

    def wait(self, more, kind="watch"):
        """Returns when so many more have been answered."""
        self.expected[kind] += more
        with self.changed:
            self.changed.wait_for(lambda: self.heard[kind] >= self.expected[kind])


class Contender(threading.Thread):
    """Acquires, and releases when it may."""

    def __init__(self, acquire, release):
        super().__init__()
        self.steps, self.granted, self.may_release = (acquire, release), threading.Event(), threading.Event()

    def run(self):
        self.steps[0]()
        self.granted.set()
        self.may_release.wait()
        self.steps[1]()


def drain(contenders, first, arrival, release):
    """One after another arrives, of which the first are granted at once; then they release in that order. So many watches
    does an arrival set, and the release of client k."""
    for i, contender in enumerate(contenders):
        contender.start()
        answers.wait(arrival(i))
        if i < first:
            contender.granted.wait()
    for k, contender in enumerate(contenders):
        contender.may_release.set()
        contender.join()
        if k + first < n:
            contenders[k + first].granted.wait()
        answers.wait(release(k))


def read_write_lock():
    # The first client writes, and all others read: see deadlock().
    locks = [clients[0].WriteLock(PATH)] + [client.ReadLock(PATH) for client in clients[1:]]
    drain([Contender(lock.acquire, lock.release) for lock in locks], 1, lambda i: i > 0, lambda k: 0)


def deadlock():
    # A reader that is woken waits for the last writer of the queue, even for one behind it, which waits for the reader.
    locks = [clients[0].WriteLock(PATH), clients[1].ReadLock(PATH), clients[2].WriteLock(PATH)]
    contenders = [Contender(lock.acquire, lock.release) for lock in locks]
    for i, contender in enumerate(contenders):
        contender.start()
        answers.wait(i > 0)
        if i == 0:
            contender.granted.wait()
    contenders[0].may_release.set()
    answers.wait(1)
    os._exit(0)


def semaphore():
    # One waits for a lease, and all behind it for that one; both list the leases when the lease before is free.
    leases = [client.Semaphore(PATH, max_leases=LEASES) for client in clients]
    drain([Contender(lease.acquire, lease.release) for lease in leases], LEASES, lambda i: 1,
          lambda k: min(max(n - LEASES - k, 0), 2))


def election():
    def contend(client):
        granted, done = threading.Event(), threading.Event()
        leading = threading.Thread(target=client.Election(PATH).run, args=(lambda: (granted.set(), done.wait()),))
        return Contender(lambda: (leading.start(), granted.wait()), lambda: (done.set(), leading.join()))

    drain([contend(client) for client in clients], 1, lambda i: i > 0, lambda k: 0)


def double_barrier():
    # The client whose znode is the first by name waits until the last has left, all others wait for the first.
    barriers = [client.DoubleBarrier(PATH, n) for client in clients]
    entering = [threading.Thread(target=barrier.enter) for barrier in barriers]
    for thread in entering:
        thread.start()
        answers.wait(1, "GetChildren")
    for thread in entering:
        thread.join()
    barriers.sort(key=lambda barrier: barrier.node_name)
    leaving = [threading.Thread(target=barrier.leave) for barrier in barriers]
    all_wait = threading.Event()
    for thread in leaving:
        if thread is leaving[-1]:  # the first hears of it, and goes on, when the last waits for the first
            barriers[0].client.handler.dispatch_callback(Callback("watch", all_wait.wait, ()))
        thread.start()
        answers.wait(1)
    all_wait.set()
    for thread in leaving:
        thread.join()


def children_watch():
    clients[0].ensure_path(PATH)
    for client in clients:
        client.ChildrenWatch(PATH, lambda children: None)
    answers.wait(n)
    members = []
    for client in clients:
        members.append(client.create(PATH + "/member-", ephemeral=True, sequence=True))
        answers.wait(n)
    for client, member in zip(clients, members):
        client.delete(member)
        answers.wait(n)


def party():
    parties = [client.Party(PATH) for client in clients]
    for one in parties:
        one.join()
    for one in parties:
        list(one)
    for one in parties:
        one.leave()


recipes = {"ReadWriteLock": read_write_lock, "Semaphore": semaphore, "Election": election,
           "DoubleBarrier": double_barrier, "ChildrenWatch": children_watch, "Party": party, "Deadlock": deadlock}
recipe, n, connect = recipes[sys.argv[1]], int(sys.argv[2]), sys.argv[3]
answers = Answers()
clients = []
for number in range(n):
    logger = logging.Logger(str(number), logging.DEBUG)
    logger.addHandler(answers)
    clients.append(KazooClient(hosts=connect, timeout=30.0, logger=logger))
    clients[number].start()
recipe()
for client in clients:
    client.stop()
    client.close()
