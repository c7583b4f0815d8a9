"""`hark mcp` line by line: both eras of the protocol, and what clients do that are broken or in a hurry."""

import json
import os
import select
import shutil
import signal
import subprocess
import threading
import unittest

from scene import LEGACY, MODERN, PATIENCE, Client, Scene, hark_path, wait_until

TOOLS = ["ask_person", "answer_of", "record_event", "query", "chart", "explain_survey", "watch"]


class Eras(Scene):
    def test_each_version_with_initialize_is_spoken_and_an_unknown_one_gets_the_latest(self):
        for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]:
            self.assertEqual(self.client().initialize(version)["protocolVersion"], version)
        result = self.client().initialize("2031-01-01")
        self.assertEqual(result["protocolVersion"], LEGACY)
        self.assertEqual(result["serverInfo"]["name"], "hark")

    def test_a_modern_request_stands_for_itself(self):
        client = self.client()
        found = client.call("server/discover")
        self.assertEqual(found["supportedVersions"][0], MODERN)
        self.assertEqual(found["resultType"], "complete")
        self.assertEqual([tool["name"] for tool in client.call("tools/list")["tools"]], TOOLS)

    def test_both_eras_share_a_process(self):
        client = self.client()
        client.initialize(name="old one")
        self.assertEqual(client.call("ping", version=LEGACY), {})
        client.tool("query", {"sql": "SELECT 1"}, version=LEGACY)
        client.tool("query", {"sql": "SELECT 2"}, name="new one")
        self.assertEqual(
            [(event["properties"]["client"], event["properties"]["sql"]) for event in self.events("agent.queried")],
            [("old one", "SELECT 1"), ("new one", "SELECT 2")])

    def test_what_a_request_lacks_is_told(self):
        client = self.client()
        self.assertEqual(client.error("tools/list", version=LEGACY)["code"], -32602)
        self.assertEqual(client.call("ping", version=LEGACY), {})
        message = client.message("tools/list")
        message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2030-01-01"
        client.send(message)
        error = client.reply(message["id"])["error"]
        self.assertEqual(error["code"], -32022)
        self.assertEqual(error["data"]["requested"], "2030-01-01")
        self.assertIn(MODERN, error["data"]["supported"])
        message = client.message("tools/list")
        del message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
        client.send(message)
        self.assertEqual(client.reply(message["id"])["error"]["code"], -32602)
        self.assertEqual(client.error("ping")["code"], -32601)
        self.assertEqual(client.error("no/method")["code"], -32601)
        self.assertEqual(client.error("tools/call", {"name": "ask_persn"})["code"], -32602)

    def test_resources_are_listed_and_read_in_both_eras(self):
        client = self.client()
        client.initialize()
        for version, missing in [(LEGACY, -32002), (MODERN, -32602)]:
            listed = client.call("resources/list", version=version)["resources"]
            self.assertIn("hark://help/mcp", [one["uri"] for one in listed])
            for one in listed:
                read = client.call("resources/read", {"uri": one["uri"]}, version=version)["contents"][0]
                self.assertEqual((read["uri"], read["mimeType"]), (one["uri"], one["mimeType"]))
                self.assertTrue(read["text"])
            schema = client.call("resources/read", {"uri": "hark://sql/schema"}, version=version)["contents"][0]["text"]
            for table in ["events", "logs", "sessions", "presentations", "answers", "counters"]:
                self.assertIn(f"## {table}\n", schema)
            self.assertEqual(client.call("resources/templates/list", version=version)["resourceTemplates"], [])
            self.assertEqual(client.error("resources/read", {"uri": "hark://nothing"}, version=version)["code"], missing)


class Traps(Scene):
    def test_two_lines_in_one_read_and_a_line_in_pieces(self):
        client = self.client()
        first, second, third = (client.message("tools/list") for _ in range(3))
        client.send_bytes(json.dumps(first).encode() + b"\n" + json.dumps(second).encode() + b"\r\n\n")
        client.reply(first["id"])
        client.reply(second["id"])
        for byte in json.dumps(third).encode() + b"\n":
            client.send_bytes(bytes([byte]))
        client.reply(third["id"])

    def test_what_is_no_message_is_answered_and_the_next_one_is_read(self):
        client = self.client()
        for line, code in [
                (b"{", -32700), (b"\xff\xfe", -32700), (b"null", -32600), (b"[]", -32600), (b"[1]", -32600),
                (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), (b'{"id":1,"method":"ping"}', -32600),
                (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600), (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
                (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600), (b'{"jsonrpc":"2.0","id":1}', -32600),
                (b"[" * 5000, -32700), (b'{"jsonrpc":"2.0","id":' + b"9" * 400 + b',"method":"ping"}', None)]:
            client.send_bytes(line + b"\n")
            error = client.receive()["error"]
            if code:
                self.assertEqual(error["code"], code, line[:80])
        client.send({"jsonrpc": "2.0", "id": 5, "result": {}})
        client.notify("notifications/unheard_of", {})
        client.notify("notifications/cancelled", {"requestId": 4711})
        client.notify("notifications/cancelled", {})
        self.assertEqual(client.call("ping", version=LEGACY), {})

    def test_a_batch_is_answered_message_by_message(self):
        client = self.client()
        messages = [client.message("tools/list"), client.message("ping", version=LEGACY)]
        client.send(messages)
        for message in messages:
            client.reply(message["id"])

    def test_a_megabyte_as_an_argument_is_a_result_and_more_than_a_line_may_have_an_error(self):
        client = self.client()
        self.assertIn("bytes", client.fault("record_event", {"name": "big", "properties": {"a": "x" * 1_000_000}}))
        self.assertIn("bytes", client.fault("query", {"sql": "SELECT '" + "x" * 1_100_000 + "'"}))
        self.assertIn("bytes", client.fault("ask_person", {"question": "x" * 1_000_000, "text": True}))
        self.assertIn("argument", client.fault("watch", {"x" * 1_000_000: 1}))
        rows = client.tool("query", {"sql": "SELECT length('" + "x" * 1_000_000 + "') AS n"})["rows"]
        self.assertEqual(rows, [{"n": 1_000_000}])
        client.send({"jsonrpc": "2.0", "id": 1, "method": "x" * 9_000_000})
        self.assertEqual(client.receive()["error"]["code"], -32600)
        self.assertEqual(client.call("ping", version=LEGACY), {})
        self.assertEqual(client.others, [])

    def test_what_never_ends_takes_no_memory_beyond_a_line(self):
        client = self.client()
        for _ in range(60):
            client.send_all(b"[" * (1 << 20))
        client.send_bytes(b"\n")
        self.assertEqual(client.receive()["error"]["code"], -32600)
        for _ in range(3):
            client.send_all(b'{"a":[' + b"1," * 200_000 + b"1]}\n")
            self.assertEqual(client.receive()["error"]["code"], -32600)
        self.assertEqual(client.call("ping", version=LEGACY), {})
        with open(f"/proc/{client.process.pid}/status") as file:
            most = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        self.assertLess(most, 100_000, "KiB")

    def test_a_client_that_closes_its_end_gets_its_replies_and_the_program_ends(self):
        client = self.client()
        id = client.begin_tool("query", {"sql": "SELECT 7 AS n"})
        client.process.stdin.close()
        self.assertEqual(client.reply(id)["result"]["structuredContent"]["rows"], [{"n": 7}])
        self.assertEqual(client.process.wait(PATIENCE), 0)
        self.assertEqual(client.process.stderr.read(), b"")

    def test_a_client_that_does_not_read_is_not_read_from_and_gets_all_replies_once_it_does(self):
        client = self.client()
        messages = [client.message("tools/list") for _ in range(2_000)]
        writer = threading.Thread(target=lambda: [client.send(message) for message in messages])
        writer.start()
        wait_until(lambda: all(self.is_left_alone(client) for _ in range(100)), "it sleeps, and nothing is read")
        self.assertTrue(writer.is_alive())
        for message in messages:
            client.reply(message["id"])
        writer.join()

    def is_left_alone(self, client):
        """Whether what was written to it waits, and it does not work on it."""
        with open(f"/proc/{client.process.pid}/stat") as file:
            state = file.read().rpartition(")")[2].split()[0]
        return state == "S" and not select.select([], [client.process.stdin], [], 0)[1]

    def test_a_client_that_reads_no_more_ends_the_program(self):
        client = self.client()
        client.process.stdout.close()
        self.assertEqual(client.process.wait(PATIENCE), 0)
        self.assertEqual(client.process.stderr.read(), b"")

    def test_a_signal_ends_the_program_and_what_it_runs(self):
        client = self.client()
        client.begin_tool("query", {"sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"})
        child = wait_until(client.children, "the query runs")
        client.process.send_signal(signal.SIGTERM)
        self.assertEqual(client.process.wait(PATIENCE), -signal.SIGTERM)
        wait_until(lambda: not os.path.exists(f"/proc/{child[0]}"), "the query is gone")

    def test_an_upgrade_leaves_it_as_it_is(self):
        program = self.daemon.folder / "hark"
        shutil.copy(hark_path(), program)
        client = self.client(program=program)
        program.unlink()
        program.write_text("something else")
        self.assertEqual(client.tool("query", {"sql": "SELECT 1 AS n"})["rows"], [{"n": 1}])

    def test_too_many_calls_at_a_time_are_refused_and_those_that_wait_go_on(self):
        client = self.client()
        id = client.begin_tool("ask_person", {"question": "Why?", "text": True})
        prompt = self.shown("Why?")
        ids = [client.begin_tool("answer_of", {"prompt_id": self.prompt_id(), "wait_seconds": 50}) for _ in range(40)]
        refused = [client.receive() for _ in range(9)]
        self.assertTrue(all(one["result"]["isError"] for one in refused), refused)
        self.ask_daemon("survey.answer", {"presentationId": prompt["presentationId"], "text": "Because."})
        for one in {id, *ids} - {one["id"] for one in refused}:
            self.assertEqual(client.reply(one)["result"]["structuredContent"]["status"], "answered")

    def prompt_id(self):
        return self.events("agent.asked")[-1]["properties"]["promptId"]


class CommandLine(Scene):
    def test_the_configuration_of_each_host_names_this_program_and_this_socket(self):
        for host, key in [("claude", "mcpServers"), ("cursor", "mcpServers"), ("vscode", "servers")]:
            entry = json.loads(self.hark("mcp", "--config", host))[key]["hark"]
            self.assertTrue(os.path.samefile(entry["command"], hark_path()))
            self.assertEqual(entry["env"], {"HARK_SOCKET": self.daemon.path})
            # As a host does it, and from nowhere in particular.
            run = subprocess.run(
                [entry["command"], *entry["args"]], env=entry["env"], cwd="/", capture_output=True, timeout=60,
                input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            self.assertEqual(json.loads(run.stdout), {"jsonrpc": "2.0", "id": 1, "result": {}})
        self.hark("mcp", "--config", "emacs", code=64)
        self.hark("mcp", "--since", "today", code=64)

    def test_the_log_shows_what_was_asked_by_which_client(self):
        client = self.client("Claude\nCode\x1b[31m")
        client.tool("query", {"sql": "SELECT 1"})
        client.tool("record_event", {"name": "deploy.finished", "properties": {"client": "somebody else"}})
        client.tool("watch")
        client.tool("explain_survey")
        log = self.hark("mcp", "--log")
        self.assertEqual(len(log.splitlines()), 4, log)
        self.assertIn("SELECT 1", log)
        self.assertNotIn("\x1b", log)
        names = [json.loads(line)["name"] for line in self.hark("mcp", "--log", "--json").splitlines()]
        self.assertEqual(names, ["agent.queried", "agent.recorded", "agent.watched", "agent.explained"])
        self.assertEqual(len(self.hark("mcp", "--log", "--limit", "1").splitlines()), 1)
        event = self.events("deploy.finished")[0]
        self.assertTrue(event["properties"]["client"].startswith("Claude"))
        self.assertNotIn("\n", event["properties"]["client"])

    def test_doctor_sees_a_host_that_cannot_start_it_or_asks_nobody(self):
        home = self.daemon.folder / "home"
        (home / ".cursor").mkdir(parents=True)
        file = home / ".cursor" / "mcp.json"
        environment = {"HOME": str(home), "PWD": str(home), "XDG_CONFIG_HOME": str(home / ".config")}

        def agents():
            run = subprocess.run(
                [hark_path(), "doctor", "--json"], capture_output=True, timeout=60, cwd=home,
                env={**os.environ, "HARK_SOCKET": self.daemon.path, **environment})
            return [(one["state"], one["message"]) for one in json.loads(run.stdout)["checks"] if one["id"] == "agents"]

        self.assertEqual(agents(), [])
        good = json.loads(self.hark("mcp", "--config", "cursor"))
        file.write_text(json.dumps(good))
        self.assertEqual([state for state, _ in agents()], ["ok"])
        for change in [{"command": "/nowhere/hark"}, {"command": str(file)}, {"args": []}, {"env": {"HARK_SOCKET": "/nowhere/s"}}]:
            file.write_text(json.dumps({"mcpServers": {"hark": {**good["mcpServers"]["hark"], **change}}}))
            [(state, message)] = agents()
            self.assertEqual(state, "fault", message)
            self.assertIn(str(file), message)
        file.write_text('{"mcpServers": {"hark": ')
        self.assertEqual([state for state, _ in agents()], ["warning"])


if __name__ == "__main__":
    unittest.main()
