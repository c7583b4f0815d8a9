import datetime
import itertools
import json
import logging
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import hark
from hark._session import Conversation, socket_paths

from .daemon import Daemon, DaemonTest, ROOT

RATING = {
    "surveys": [{
        "id": "rating", "title": "Quick question", "message": "How was it?", "options": ["Great", "Poor"],
        "trigger": {"event": {"name": "checkout"}}}]}


class Asking(DaemonTest):
    configuration = {"notify": None}

    def client(self):
        client = hark.Client(self.daemon.path)
        self.addCleanup(client.close)
        return client

    def answering(self, answer):
        """Somebody who does that with what is asked next."""
        def run():
            client = self.client()
            while not (waiting := client.surveys()):
                time.sleep(0.05)
            answer(client, waiting[0].id)

        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)

    def test_what_is_asked_is_answered_elsewhere(self):
        self.answering(lambda client, id: client.answer(id, "No"))
        self.assertEqual(self.client().ask("Deploy now?", ["Yes", "No"], timeout=60), "No")
        self.answering(lambda client, id: client.answer(id, answers={"rating": 4}))
        self.assertEqual(self.client().ask("How was it?", scale=5, timeout=60), 4)
        self.answering(lambda client, id: client.answer(id, answers={"answer": 0.3}))
        self.assertEqual(self.client().ask("How far?", kind={"type": "number", "min": 0, "step": 0.1}, timeout=60), 0.3)
        with self.assertRaises(hark.RequestError) as caught:
            self.client().ask("How far?", kind={"type": "number", "mim": 0}, timeout=60)
        self.assertIn("did you mean 'min'", str(caught.exception))

    def test_the_text_of_other_stands_in_its_place(self):
        several = {"type": "multiple", "options": ["Bus", "Bike"], "other": True}
        self.answering(lambda client, id: client.answer(id, answers={"answer": ["Bus", "other"], "answer.other": "Boat"}))
        self.assertEqual(self.client().ask("How did you come?", kind=several, timeout=60), ["Bus", "Boat"])

    def test_an_answer_comes_over_a_kill_of_the_daemon(self):
        def kill_and_answer(client, id):
            self.daemon.end()
            self.daemon.start()
            self.client().answer(id, text="later")

        self.answering(kill_and_answer)
        self.assertEqual(self.client().ask("And now?", text=True, timeout=60), "later")
        self.assertEqual(len(list(self.client().events(name="survey_response"))), 1)

    def test_no_answer_says_why(self):
        self.answering(lambda client, id: client.dismiss(id))
        with self.assertRaises(hark.NoAnswer) as caught:
            self.client().ask("Deploy now?", ["Yes", "No"], timeout=60)
        self.assertEqual(caught.exception.reason, "dismissed")
        self.assertEqual(self.client().ask("Deploy now?", ["Yes", "No"], timeout=1, default="No"), "No")


class Recording(DaemonTest):
    def client(self, **given):
        client = hark.Client(self.daemon.path, **given)
        self.addCleanup(client.close)
        return client

    def test_what_is_recorded_comes_back_as_it_was(self):
        client = self.client()
        given = {"text": "é\n\"'", "whole": 2**63 - 1, "half": 0.5, "double": 1.0, "yes": True}
        first = client.record("checkout", given)
        event, = client.events(name="checkout")
        self.assertEqual((event.id, event.seq, event.session_id), (first.id, first.seq, first.session_id))
        self.assertEqual(event.properties, given)
        self.assertEqual([type(value) for value in event.properties.values()], [type(value) for value in given.values()])
        self.assertFalse(first.was_there)
        self.assertEqual(event.pid, os.getpid())
        self.assertTrue(client._conversation.is_exactly_once)

    def test_none_is_no_property_and_times_are_read_as_python_prints_them(self):
        client = self.client()
        aware = datetime.datetime(2026, 11, 21, 12, 8, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
        for text in (str(aware), aware.isoformat(), aware.strftime("%Y-%m-%dT%H:%M:%S%z"), "@1795259280"):
            client.record("x", {"a": None, "b": 1}, timestamp=text)
        for event in client.events(name="x"):
            self.assertEqual(event.properties, {"b": 1})
            self.assertEqual(event.timestamp, aware)
        client.start_session("ada", {"a": None, "b": 1})
        self.assertEqual(client.call("session.current")["session"]["metadata"], {"b": 1})

    def test_what_a_job_records_is_nobodys(self):
        client = self.client()
        client.start_session("ada")
        client.record("job", unattended=True)
        with unittest.mock.patch.dict(os.environ, HARK_UNATTENDED="1"):
            client.record("job")
            client.record("tap", unattended=False)
            client.record("tap", user="ada")
        self.assertEqual([event.user for event in client.events(name="job")], [None, None])
        self.assertEqual([event.user for event in client.events(name="tap")], ["ada", "ada"])

    def test_an_event_keeps_its_own_time(self):
        when = datetime.datetime(2026, 1, 2, 3, 4, 5, 678_000, datetime.timezone(datetime.timedelta(hours=2)))
        client = self.client()
        client.record("old", timestamp=when)
        event, = client.events(name="old")
        self.assertEqual(event.timestamp, when)

    def test_pages_come_by_themselves_in_both_directions(self):
        client = self.client()
        for number in range(25):
            client.record_soon("tick", {"n": number})
        client.flush()
        self.assertEqual([event.properties["n"] for event in client.events(name="tick", page=10)], list(range(25)))
        self.assertEqual(
            [event.properties["n"] for event in client.events(name="tick", page=10, newest_first=True)],
            list(range(24, -1, -1)))

    def test_a_refusal_says_why_and_takes_nothing_else_with_it(self):
        client = self.client()
        with self.assertRaises(hark.RequestError) as caught:
            client.record("x", {"nested": {}})
        self.assertEqual(caught.exception.reason, "invalidParams")
        self.assertIn("nested", caught.exception.path)
        with self.assertRaises(ValueError):
            client.record("x", {"n": float("nan")})
        with self.assertRaises(hark.RequestError) as caught:
            client.call("event.recrod")
        self.assertIn("event.record", caught.exception.message)
        self.assertGreater(client.record("x").seq, 0)
        self.assertEqual(len(list(client.events(name="x"))), 1)

    def test_threads_share_a_client(self):
        client = self.client()
        threads = [
            threading.Thread(target=lambda k=k: [client.record("t", {"k": k, "n": n}) for n in range(50)]) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        events = list(client.events(name="t"))
        for k in range(8):
            self.assertEqual([event.properties["n"] for event in events if event.properties["k"] == k], list(range(50)))

    def test_a_script_that_ends_leaves_nothing_behind_in_memory(self):
        script = "import hark\nfor n in range(500): hark._shared().record_soon('last', {'n': n})"
        subprocess.run(
            [sys.executable, "-c", script], check=True,
            env={**os.environ, "HARK_SOCKET": self.daemon.path, "PYTHONPATH": str(ROOT / "Python")})
        self.assertEqual([event.properties["n"] for event in self.client().events(name="last")], list(range(500)))

    def test_sessions_counters_and_logs(self):
        client = self.client(app="shop")
        session = client.start_session("ada", {"plan": "pro"})
        self.assertEqual((session.user, session.app, session.metadata), ("ada", "shop", {"plan": "pro"}))
        self.assertEqual(client.record("x").session_id, session.id)
        self.assertEqual([event.user for event in client.events(user="ada")], ["ada"])
        client.call("counter.register", {"name": "opens", "app": "shop"})
        self.assertEqual([client.trigger("opens"), client.trigger("opens")], [1, 2])
        client.log("Printer is out of paper", "warning", {"tray": 2})
        line, = client.call("log.list")["entries"]
        self.assertEqual((line["message"], line["level"]), ("Printer is out of paper", "warning"))
        client.end_session()
        self.assertIsNone(client.call("session.current", {"app": "shop"})["session"])


class Surveys(DaemonTest):
    files = {"surveys": RATING}

    def test_a_survey_is_shown_and_answered(self):
        with hark.Client(self.daemon.path) as client:
            with self.assertRaises(hark.RequestError) as caught:
                client.present()
            self.assertEqual(caught.exception.reason, "notFound")
            client.record("checkout")
            waiting, = client.surveys()
            shown = client.present()
            self.assertEqual((shown.id, shown.survey, shown.title), (waiting.id, "rating", "Quick question"))
            self.assertEqual(client.answer(shown.id, "Great").state, "answered")
            with self.assertRaises(hark.RequestError) as caught:
                client.dismiss(shown.id)
            self.assertEqual(caught.exception.reason, "alreadyClosed")

    def test_a_survey_that_is_dismissed_for_ever_does_not_come_again(self):
        with hark.Client(self.daemon.path) as client:
            client.record("checkout")
            client.dismiss(client.present().id, ever=True)
            client.start_session("somebody")
            client.record("checkout")
            self.assertEqual(list(client.surveys()), [])
            self.assertEqual([mute["surveyId"] for mute in client.call("mute.list")["mutes"]], ["rating"])

    def test_all_surveys_that_wait_are_told_over_pages(self):
        with hark.Client(self.daemon.path) as client:
            users = [f"user{number}" for number in range(101)]
            for user in users:
                client.start_session(user, app=user)
                client.record("checkout", app=user)
            self.assertEqual([survey.details["userId"] for survey in client.surveys()], users)


class Away(unittest.TestCase):
    """The daemon is not there, or goes away."""

    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.remove)

    def test_events_wait_for_the_daemon_and_keep_the_time_of_the_call(self):
        client = hark.Client(self.daemon.path, limit=20)
        self.addCleanup(client.close)
        before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(milliseconds=1)
        futures = [client.record_soon("early", {"n": n}) for n in range(20)]
        after = datetime.datetime.now(datetime.timezone.utc)
        with self.assertRaises(hark.BufferFull):
            client.record_soon("one too many")
        with self.assertRaises(hark.NotYet):
            futures and client.flush(0.01)
        with self.assertRaises(hark.Unavailable) as caught:
            client.call("daemon.status")
        self.assertIn(self.daemon.path, str(caught.exception))
        self.daemon.start()
        client.flush(30)
        self.assertTrue(all(future.result(0).seq > 0 for future in futures))
        events = list(client.events(name="early"))
        self.assertEqual([event.properties["n"] for event in events], list(range(20)))
        self.assertTrue(all(before <= event.timestamp <= after for event in events))
        self.assertEqual(client.waiting_events, 0)

    def test_killed_again_and_again_every_event_is_recorded_once_in_order(self):
        self.daemon.start()
        client = hark.Client(self.daemon.path, limit=100_000)
        self.addCleanup(client.close)
        sent = 0
        for kill in range(8):
            futures = [client.record_soon("once", {"n": sent + n}) for n in range(2_000)]
            sent += len(futures)
            # In the middle of it.
            futures[300 + kill * 50].result(60)
            self.daemon.end()
            self.daemon.start()
        client.flush(60)
        self.assertEqual([event.properties["n"] for event in client.events(name="once")], list(range(sent)))

    def test_a_stream_goes_on_where_it_was(self):
        self.daemon.start()
        with hark.Client(self.daemon.path) as writer, hark.Client(self.daemon.path) as reader:
            stream = reader.stream(name="tick", after=0)
            got = []
            for kill in range(3):
                for n in range(50):
                    writer.record_soon("tick", {"n": kill * 50 + n})
                got += [event.properties["n"] for event in itertools.islice(stream, 30)]
                self.daemon.end()
                self.daemon.start()
            writer.flush(60)
            got += [event.properties["n"] for event in itertools.islice(stream, 60)]
            self.assertEqual(got, list(range(150)))
            stream.close()

    def test_a_request_whose_reply_is_lost_says_so_and_a_read_is_asked_again(self):
        path = self.daemon.path
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        asked = []

        def serve():
            # Takes what comes and hangs up, but answers the second time it is asked for the status.
            while len(asked) < 3:
                connection = listener.accept()[0]
                with connection, connection.makefile("rb") as lines:
                    request = json.loads(lines.readline())
                    asked.append(request["method"])
                    if asked.count("daemon.status") == 2:
                        connection.sendall(json.dumps({"id": request["id"], "result": {"version": "9"}}).encode() + b"\n")
            listener.close()

        thread = threading.Thread(target=serve)
        thread.start()
        with hark.Client(path) as client:
            with self.assertRaises(hark.ConnectionLost):
                client.call("session.start")
            self.assertEqual(client.call("daemon.status")["version"], "9")
        thread.join()
        self.assertEqual(asked, ["session.start", "daemon.status", "daemon.status"])


class Numbers(unittest.TestCase):
    """What is sent again, and under which number."""

    def conversation(self):
        conversation = Conversation()
        self.outcomes = []
        conversation.connected()
        for n in range(3):
            conversation.record("event.record", {"name": f"e{n}"}, lambda result, error, n=n: self.outcomes.append((n, result, error)))
        return conversation

    def sent(self, conversation):
        return [
            (line["params"]["name"], line["params"]["producer"]["seq"])
            for line in map(json.loads, conversation.take_output().splitlines())]

    def test_after_a_break_what_was_not_answered_is_sent_again_as_it_was(self):
        conversation = self.conversation()
        self.assertEqual(self.sent(conversation), [("e0", 1), ("e1", 2), ("e2", 3)])
        conversation.receive(b'{"id":1,"result":{"id":"x","seq":1,"sessionId":"s"}}\n{"id":2,"resu')
        conversation.disconnected("")
        conversation.connected()
        self.assertEqual(self.sent(conversation), [("e1", 2), ("e2", 3)])
        self.assertEqual([outcome[0] for outcome in self.outcomes], [0])

    def test_what_the_store_refused_is_sent_again_behind_the_others(self):
        conversation = self.conversation()
        self.sent(conversation)
        refusal = {"id": 1, "error": {"code": -32000, "message": "full", "data": {"reason": "storeUnavailable"}}}
        conversation.receive(json.dumps(refusal).encode() + b"\n")
        conversation.receive(b'{"id":2,"result":{"id":"x","seq":1,"sessionId":"s"}}\n')
        self.assertEqual(conversation.take_output(), b"")
        conversation.is_held = False
        # Were it sent as 1, it would be taken for what is there already: 2 is.
        self.assertEqual(self.sent(conversation), [("e0", 4)])
        self.assertEqual(conversation.waiting_events, 2)

    def test_the_socket_is_looked_for_as_the_protocol_says(self):
        self.assertEqual(socket_paths({"HARK_SOCKET": "/x"}), ["/x"])
        self.assertEqual(socket_paths({"XDG_RUNTIME_DIR": "/tmp"}), ["/tmp/hark/hark.sock", "/run/hark/hark.sock"])
        self.assertEqual(
            socket_paths({"XDG_RUNTIME_DIR": "/nowhere", "HARK_STATE": "/s"}), ["/s/hark.sock", "/run/hark/hark.sock"])

    def test_who_has_enabled_a_daemon_of_their_own_is_given_no_other(self):
        with tempfile.TemporaryDirectory() as home:
            wants = pathlib.Path(home, ".config/systemd/user/sockets.target.wants")
            wants.mkdir(parents=True)
            (wants / "harkd.socket").touch()
            self.assertEqual(socket_paths({"HOME": home, "XDG_RUNTIME_DIR": "/tmp"}), ["/tmp/hark/hark.sock"])
            self.assertEqual(
                socket_paths({"HOME": home, "XDG_RUNTIME_DIR": "/nowhere", "HARK_STATE": "/s"}), ["/s/hark.sock"])


class Logging(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.remove)
        self.logger = logging.getLogger(self.id())
        self.logger.propagate = False

    def test_lines_wait_for_the_daemon_and_carry_where_they_come_from(self):
        client = hark.Client(self.daemon.path, limit=3)
        handler = hark.LogHandler(client)
        self.logger.addHandler(handler)
        self.logger.warning("low on %s", "paper")
        try:
            raise KeyError("tray")
        except KeyError:
            self.logger.exception("failed")
        self.logger.error("one")
        self.logger.error("too many")
        self.assertEqual(handler.dropped, 1)
        self.daemon.start()
        client.flush(30)
        lines = client.call("log.list")["entries"]
        self.assertEqual([line["level"] for line in lines], ["warning", "error", "error"])
        self.assertEqual(lines[0]["message"], "low on paper")
        self.assertEqual(lines[0]["metadata"]["file"], "test_client.py")
        self.assertEqual(lines[1]["metadata"]["exception"], "KeyError")
        self.assertIn("Traceback", lines[1]["message"])
        self.logger.warning("x" * 2_000_000)
        client.flush(30)
        self.assertEqual(handler.dropped, 2)
        handler.close()
        client.close()
        self.logger.warning("after the end")
        self.assertEqual(handler.dropped, 3)

    def test_a_line_is_what_the_formatter_says_and_loses_nothing(self):
        self.daemon.start()
        handler = hark.LogHandler(hark.Client(self.daemon.path), app="shop")
        self.addCleanup(handler._client.close)
        self.logger.addHandler(handler)
        self.logger.setLevel(1)
        logging.addLevelName(5, "TRACE")
        self.logger.debug("plain", stack_info=True)
        handler.setFormatter(logging.Formatter("%(levelname)s %(order)s: %(message)s", defaults={"order": "-"}))
        try:
            raise OSError("no paper")
        except OSError:
            self.logger.critical("with %s", "extra", exc_info=True, extra={
                "order": 7, "paid": True, "big": 2**70, "none": None, "basket": [1, 2], "nan": float("nan"),
                "path": "a\udcff", "file": "mine"})
        self.logger.log(5, "fine")
        handler.flush()
        plain, extra, fine = handler._client.call("log.list", {"app": "shop"})["entries"]
        self.assertEqual([line["level"] for line in (plain, extra, fine)], ["info", "error", "info"])
        self.assertEqual(
            [line["metadata"]["levelname"] for line in (plain, extra, fine)], ["DEBUG", "CRITICAL", "TRACE"])
        self.assertTrue(plain["message"].startswith("plain\nStack (most recent call last):"))
        self.assertTrue(extra["message"].startswith("CRITICAL 7: with extra\nTraceback"))
        self.assertIn("no paper", extra["message"])
        self.assertEqual(fine["message"], "TRACE -: fine")
        expected = {
            "order": 7, "paid": True, "big": str(2**70), "basket": "[1, 2]", "nan": "nan", "path": "a\\udcff", "file": "mine",
            "exception": "OSError", "logger": self.id()}
        self.assertEqual({key: extra["metadata"].get(key) for key in expected}, expected)
        self.assertNotIn("none", extra["metadata"])


if __name__ == "__main__":
    unittest.main()
