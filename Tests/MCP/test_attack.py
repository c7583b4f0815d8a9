"""Against whoever would break it: damaged lines and nearly right requests by chance, over and over in one process."""

import json
import os
import random
import unittest

from mcp_types import methods

from scene import LEGACY, MODERN, Scene

SEED = int(os.environ.get("HARK_MCP_SEED", "0")) or random.randrange(1 << 32)
LINES = int(os.environ.get("HARK_MCP_LINES", "1500"))

METHODS = ["initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list", "resources/read",
           "resources/templates/list", "notifications/cancelled", "notifications/initialized", "prompts/list", "x", ""]
TOOLS = ["ask_person", "answer_of", "record_event", "query", "chart", "explain_survey", "watch", "nothing", ""]
NAMES = ["question", "options", "text", "rating", "wait_seconds", "prompt_id", "sql", "rows", "seconds", "name", "value", "by",
         "every", "where", "format", "survey", "user", "action", "id", "every_seconds", "properties", "app", "message"]


class Chance:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, depth=0):
        pick = self.random.randrange(13)
        if pick < 2 and depth < 4:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        if pick < 4 and depth < 4:
            return {self.random.choice(NAMES): self.value(depth + 1) for _ in range(self.random.randrange(4))}
        return self.random.choice([
            None, True, False, 0, 1, -1, 50, 2**63, -2**63, 2**64, 1.5, 1e308, -0.0, "", "x", "list", "add", "svg", "1h", "p95",
            "SELECT 1 AS n", "SELECT * FROM events", "é\u0000\n\u202e", "--help", "a" * 5000, ["Yes", "No"], "\ud7ff"])

    def arguments(self, tool):
        arguments = {self.random.choice(NAMES): self.value() for _ in range(self.random.randrange(5))}
        if self.random.random() < 0.6:
            arguments.update({
                "ask_person": {"question": "Now?", "options": ["Yes"], "wait_seconds": 0}, "query": {"sql": "SELECT name FROM events"},
                "record_event": {"name": "x"}, "watch": {"action": "list"}}.get(tool, {}))
        # Nobody answers here.
        if tool in ("ask_person", "answer_of"):
            arguments["wait_seconds"] = self.random.choice([0, 1])
        return arguments

    def request(self, id):
        method = self.random.choice(METHODS + ["tools/call"] * 12)
        params = {}
        if method == "tools/call":
            tool = self.random.choice(TOOLS)
            params = {"name": tool, "arguments": self.arguments(tool) if self.random.random() < 0.9 else self.value()}
        elif method == "resources/read":
            params = {"uri": self.random.choice(["hark://sql/schema", "hark://help/mcp", "hark://help/", "", "file:///etc/passwd"])}
        elif method == "initialize":
            params = {"protocolVersion": self.random.choice([LEGACY, "x", 5]), "clientInfo": self.value()}
        elif method == "notifications/cancelled":
            params = {"requestId": self.value()}
        if self.random.random() < 0.8:
            params["_meta"] = {"io.modelcontextprotocol/protocolVersion": MODERN,
                               "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": self.value()}
        elif self.random.random() < 0.2:
            params["_meta"] = self.value()
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if not method.startswith("notifications/"):
            message["id"] = id
        return message

    def damaged(self, line):
        line = bytearray(line)
        for _ in range(self.random.randrange(1, 4)):
            place = self.random.randrange(len(line) or 1)
            line[place:place + self.random.randrange(3)] = bytes(
                self.random.choice(b'{}[]",:\\\x00\xff09a') for _ in range(self.random.randrange(3)))
        return bytes(line).replace(b"\n", b" ")


class Attack(Scene):
    def test_each_request_is_answered_once_whatever_comes_between(self):
        chance = Chance(SEED)
        client = self.client()
        replied = {}
        for round in range(LINES // 50):
            asked, data = set(), b""
            for number in range(50):
                id = 1_000_000 + round * 50 + number
                message = chance.request(id)
                if chance.random.random() < 0.3:
                    # Under an id that nobody waits for.
                    data += chance.damaged(json.dumps({**message, "id": f"damaged {id}"}).encode()) + b"\n"
                    continue
                if "id" in message:
                    asked.add(id)
                data += json.dumps(message).encode() + b"\n"
            client.send_all(data)
            while any(id not in replied for id in asked):
                line = client.line()
                self.assertIsNotNone(line, f"seed {SEED}: no reply to {asked - set(replied)}; {client.process.poll()}")
                reply = json.loads(line)
                if "method" in reply:
                    methods.parse_server_notification(reply["method"], MODERN, reply["params"])
                id = reply.get("id")
                if isinstance(id, int) and id >= 1_000_000:
                    replied[id] = replied.get(id, 0) + 1
        self.assertEqual(set(replied.values()), {1}, f"seed {SEED}")
        self.assertIsNone(client.process.poll(), f"seed {SEED}")
        self.assertEqual(client.close(), 0)
        self.assertEqual(client.process.stderr.read(), b"")


if __name__ == "__main__":
    unittest.main()
