# SPDX-License-Identifier: Apache-2.0
# Clients that hold two locks again and again, whatever becomes of the servers, for the live scenarios of tests/golden.
# Usage: holders.py HOST:PORT,HOST:PORT,HOST:PORT FILE
#
# Whoever is granted a lock appends a line "PATH SESSION" to the file before it goes on. At each server a client wants the
# znode /app/one and another one waits in the queue /app/queue; a last one dies with its first place in that. They end when
# FILE.end is there.
import logging
import os
import signal
import sys
import threading
import time
import uuid

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException

ONE, QUEUE = "/app/one", "/app/queue"
hosts, file = sys.argv[1].split(","), sys.argv[2]
logging.disable()


def wait(client, path):
    """Until a znode has gone; for a second at most, because a watch may be lost with its connection."""
    gone = threading.Event()
    if client.retry(client.exists, path, watch=lambda event: gone.set()):
        gone.wait(1)


def is_own(client, path):
    stat = client.retry(client.exists, path)
    return stat is not None and stat.ephemeralOwner == client.client_id[0]


def take_one(client):
    """A create without a reply may be done all the same."""
    while not is_own(client, ONE):
        try:
            client.create(ONE, ephemeral=True)
        except KazooException:
            wait(client, ONE)
    return [ONE]


def list_queue(client):
    return sorted(client.retry(client.get_children, QUEUE), key=lambda name: name[-10:])


def take_place(client):
    """Without a reply there may be two places."""
    prefix, names, own = uuid.uuid4().hex + "__lock__", [], []
    while not own:
        try:
            client.create(f"{QUEUE}/{prefix}", ephemeral=True, sequence=True)
        except KazooException:
            client.retry(client.sync, QUEUE)
        names = list_queue(client)
        own = [name for name in names if name.startswith(prefix)]
    while names[0] != own[0]:
        wait(client, f"{QUEUE}/{names[names.index(own[0]) - 1]}")
        names = list_queue(client)
    return [f"{QUEUE}/{name}" for name in names if name.startswith(prefix)]


def leave(client, path):
    """A delete that is sent again may delete the znode of another client."""
    while is_own(client, path):
        try:
            client.delete(path)
        except KazooException:
            client.retry(client.sync, path)


def contend(number):
    here, dies = number % len(hosts), number == 2 * len(hosts)
    often = {"max_tries": -1, "delay": 0.1, "max_delay": 0.5}
    client = KazooClient(",".join(hosts[here:] + hosts[:here]), timeout=4 if dies else 60, randomize_hosts=False,
                         connection_retry=often, command_retry=often)
    client.start(60)
    client.ensure_path(QUEUE)
    while not os.path.exists(file + ".end"):
        paths = (take_one if number < len(hosts) else take_place)(client)
        with open(file, "a") as held:
            held.write(f"{ONE if paths[0] == ONE else QUEUE} {client.client_id[0]:#x}\n")
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.01)
        for path in reversed(paths):
            leave(client, path)
    client.stop()


clients = range(2 * len(hosts) + 1)
for number in clients:
    if os.fork() == 0:
        contend(number)
        sys.exit()
for number in clients:
    os.wait()
