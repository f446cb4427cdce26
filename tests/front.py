# SPDX-License-Identifier: Apache-2.0
# A port of 127.0.0.1 in front of a server of ZooKeeper, or of none, for the live scenarios of tests/golden: passes
# everything on, but answers four-letter words in its own way. Usage: front.py HOST:PORT MANNER; prints its address.
#
#     no-words        refuses mntr and srvr             falters         hangs up on mntr, two of three times
#     no-counters     refuses mntr                      miscounts       tells nine of ten writes
#     no-connections  refuses cons                      hostile         answers bytes that a terminal would obey
#     version         is of version 9                   silent          answers nothing at all
#     no-session      answers srvr, and opens none      http            is no ZooKeeper
import itertools
import re
import socket
import sys
import threading

HOSTILE = b"\x1b[31m\x07\xe2\x80\xae"
REFUSED = {"no-words": (b"mntr", b"srvr"), "no-counters": (b"mntr",), "no-connections": (b"cons",)}
SERVER = b"Zookeeper version: 3.8.0-1, built on 2022-02-25 08:49 UTC\nConnections: 1\nMode: standalone\nNode count: 5\n"

host, port = sys.argv[1].rsplit(":", 1)
manner = sys.argv[2]
asked = itertools.count()


def change(word, answer):
    if manner == "version":
        return re.sub(rb"(Zookeeper version: ).", rb"\g<1>9", answer)
    if manner == "hostile":
        return re.sub(rb"( /|Zookeeper version: ).{%d}" % len(HOSTILE), lambda found: found[1] + HOSTILE, answer)
    if manner == "miscounts" and word == b"mntr":
        return re.sub(rb"(zk_cnt_updatelatency\t)(\d+)", lambda found: found[1] + b"%d" % (int(found[2]) * 9 // 10), answer)
    return answer


def copy(source, to):
    while data := source.recv(65536):
        to.sendall(data)
    to.shutdown(socket.SHUT_WR)


def serve(client):
    if manner == "silent":
        threading.Event().wait()
    word = client.recv(4, socket.MSG_WAITALL)
    if manner == "http":
        client.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
    elif manner == "no-session":
        threading.Event().wait() if word != b"srvr" else client.sendall(SERVER)
    elif word in REFUSED.get(manner, ()):
        client.sendall(word + b" is not executed because it is not in the whitelist.\n")
    elif manner != "falters" or word != b"mntr" or next(asked) % 3 == 2:
        server = socket.create_connection((host, int(port)))
        server.sendall(word)
        if word.isalpha():
            client.sendall(change(word, server.makefile("rb").read()))
        else:
            thread = threading.Thread(target=copy, args=(client, server), daemon=True)
            thread.start()
            copy(server, client)
            thread.join()
    client.close()


def serve_quietly(client):
    try:
        serve(client)
    except OSError:
        client.close()


listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print("127.0.0.1:%d" % listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve_quietly, args=(listener.accept()[0],), daemon=True).start()
