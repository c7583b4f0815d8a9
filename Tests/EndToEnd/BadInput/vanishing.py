"""Clients that subscribe many times, stop sending and vanish while they are told: `vanishing.py SOCKET ROUNDS`."""

import json
import socket
import sys

METHODS = ["counter.subscribe", "execution.subscribe", "event.subscribe", "survey.subscribe", "network.subscribe"]


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.last = 0

    def send(self, method, **params):
        self.last += 1
        self.socket.sendall(json.dumps({"id": self.last, "method": method, "params": params}).encode() + b"\n")

    def reply(self):
        while True:
            line = self.lines.readline()
            if not line:
                sys.exit("the daemon is gone")
            message = json.loads(line)
            if "method" not in message:
                return message

    def call(self, method, **params):
        self.send(method, **params)
        message = self.reply()
        if "error" in message:
            sys.exit(f"{method}: {message}")

    def close(self):
        self.lines.close()
        self.socket.close()


def main(path, rounds):
    writer = Client(path)
    writer.call("counter.register", name="c")
    writer.call("execution.add", id="e", keepAlive=True, run={"notify": True}, when={"c": {"op": "gte", "value": 0}})
    for number in range(rounds):
        reader = Client(path)
        methods = METHODS if number % 6 == 5 else [METHODS[number % 6]]
        # So many that telling them all takes the daemon a while, in the middle of which the reader goes.
        for method in methods * (60 // len(methods)):
            reader.call(method)
        reader.socket.shutdown(socket.SHUT_WR)
        for _ in range(20):
            writer.send("counter.trigger", name="c")
            writer.send("event.record", name="e")
        for _ in range(number % 40):
            writer.reply()
        reader.close()
        for _ in range(40 - number % 40):
            writer.reply()


main(sys.argv[1], int(sys.argv[2]))
