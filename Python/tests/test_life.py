"""What programs do to a client: fork, end, give up, interrupt."""

import asyncio
import ctypes
import itertools
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import unittest
from concurrent.futures import Future
from unittest import mock

import hark
from hark import aio
from hark._session import Conversation, Request
from hark._stream import Feed

from .daemon import Daemon, DaemonTest, ROOT, wait_until


def run(script, path, timeout=60):
    return subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=timeout,
        env={**os.environ, "HARK_SOCKET": path, "PYTHONPATH": str(ROOT / "Python")})


class Outcomes(DaemonTest):
    """Nothing a caller does with an outcome ends the thread that brings it."""

    def setUp(self):
        super().setUp()
        self.client = hark.Client(self.daemon.path)
        self.addCleanup(self.client.close)

    def names(self):
        return [event.name for event in self.client.events()]

    def test_a_caller_who_gives_up_during_a_restart_takes_nothing_back(self):
        self.client.record("first")
        self.daemon.end()

        async def give_up():
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.wrap_future(self.client.record_soon("given up")), 0.05)

        asyncio.run(give_up())
        self.assertFalse(self.client.record_soon("cancelled").cancel())
        self.daemon.start()
        self.client.record("last")
        self.assertEqual(self.names(), ["first", "given up", "cancelled", "last"])

    def test_whatever_a_callback_does_the_thread_goes_on(self):
        told = []

        def ends(future):
            raise SystemExit(3)

        def waits(future):
            try:
                self.client.record("never")
            except RuntimeError as error:
                told.append(str(error))
            self.client.record_soon("from a callback")

        with mock.patch.object(threading, "excepthook"):
            self.client.record_soon("a").add_done_callback(ends)
            self.client.record_soon("b").add_done_callback(waits)
            settled = Future()
            with self.assertLogs("concurrent.futures", logging.ERROR):
                future = self.client.record_soon("c")
                future.add_done_callback(lambda _: settled.set_result(1 / 0))
                future.result(60)
                self.client.flush(60)
                self.client.record("d")
        self.assertIn("record_soon", told[0])
        self.assertEqual(self.names(), ["a", "b", "c", "from a callback", "d"])

    def test_a_thread_that_has_died_is_replaced_and_what_was_unsent_is_sent(self):
        self.client.record("first")
        with mock.patch.object(self.client._link, "_sleep", side_effect=SystemExit):
            self.daemon.end()
            wait_until(lambda: not self.client._link._has_thread(), "the thread has ended")
        soon = self.client.record_soon("soon")
        self.daemon.start()
        self.assertGreater(soon.result(60).seq, 0)
        # What is raised in it from without ends its connection at most.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self.client._link._thread.ident), ctypes.py_object(KeyboardInterrupt))
        self.assertGreater(self.client.record("last", timeout=60).seq, 0)
        self.assertEqual(self.names(), ["first", "soon", "last"])

    def test_a_signal_handler_may_record_whatever_it_interrupts(self):
        numbers = itertools.count()

        def handle(*_):
            if (n := next(numbers)) < 2_000:
                self.client.record_soon("signal", {"n": n})

        before = signal.signal(signal.SIGALRM, handle)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        for n in range(3_000):
            signal.setitimer(signal.ITIMER_REAL, 0.00001 * (n % 7 + 1))
            self.client.record_soon("main", {"n": n})
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.client.flush(60)
        count = min(next(numbers), 2_000)
        self.assertGreater(count, 0)
        self.assertEqual([event.properties["n"] for event in self.client.events(name="main")], list(range(3_000)))
        # One may interrupt another.
        self.assertEqual(sorted(event.properties["n"] for event in self.client.events(name="signal")), list(range(count)))

    def test_a_client_that_nobody_has_any_more_sends_what_it_was_given_and_ends(self):
        thread = self.client._link._thread
        self.assertIsNone(thread)
        other = hark.Client(self.daemon.path)
        future, thread = other.record_soon("left"), other._link._thread
        del other
        future.result(60)
        thread.join(60)
        self.assertFalse(thread.is_alive())


class Forks(DaemonTest):
    def test_each_process_sends_what_it_took_and_the_child_goes_on_by_itself(self):
        self.daemon.end()
        client = hark.Client(self.daemon.path)
        handler = hark.LogHandler(client)
        logger = logging.getLogger(self.id())
        logger.addHandler(handler)
        logger.propagate = False
        logger.warning("parent's")
        waiting = client.record_soon("parent")
        child = os.fork()
        if child == 0:
            status = 1
            try:
                if client.waiting_events == 0:
                    try:
                        waiting.result(60)
                    except hark.Closed:
                        logger.warning("child's")
                        client.record("child", timeout=60)
                        client.flush(60)
                        status = 7
            finally:
                os._exit(status)
        self.daemon.start()
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
        waiting.result(60)
        client.flush(60)
        events = {event.name: event.pid for event in client.events()}
        self.assertEqual(events, {"parent": os.getpid(), "child": child})
        lines = [line["message"] for line in client.call("log.list")["entries"]]
        self.assertEqual(sorted(lines), ["child's", "parent's"])
        self.assertEqual(handler.dropped, 0)
        client.close()

    def test_many_children_under_load_lose_nothing_and_nothing_comes_twice(self):
        ended = run("""
            import multiprocessing, sys, threading, hark
            client = hark.Client()
            def work(number):
                for n in range(50): client.record_soon(f"child{number}", {"n": n})
            if __name__ == "__main__":
                context = multiprocessing.get_context("fork")
                stop = threading.Event()
                def load():
                    for n in range(2_000): client.record_soon("parent", {"n": n})
                loading = threading.Thread(target=load)
                loading.start()
                children = [context.Process(target=work, args=(number,)) for number in range(8)]
                for child in children: child.start()
                for child in children: child.join()
                loading.join()
                sys.exit(sum(child.exitcode for child in children))
            """, self.daemon.path)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        with hark.Client(self.daemon.path) as client:
            for name, many in [("parent", 2_000), *((f"child{number}", 50) for number in range(8))]:
                self.assertEqual([event.properties["n"] for event in client.events(name=name)], list(range(many)), name)

    def test_a_client_is_handed_to_processes_that_are_begun_otherwise(self):
        script = self.daemon.folder / "spawned.py"
        script.write_text(textwrap.dedent("""
            import multiprocessing, sys, hark
            def work(client, way): client.record_soon(way)
            if __name__ == "__main__":
                client = hark.Client(app="shop")
                client.record("parent")
                for way in ("spawn", "forkserver"):
                    child = multiprocessing.get_context(way).Process(target=work, args=(client, way))
                    child.start(); child.join()
                    assert child.exitcode == 0
            """))
        ended = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, timeout=60,
            env={**os.environ, "HARK_SOCKET": self.daemon.path, "PYTHONPATH": str(ROOT / "Python")})
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        with hark.Client(self.daemon.path, app="shop") as client:
            self.assertEqual([event.name for event in client.events()], ["parent", "spawn", "forkserver"])

    def test_a_stream_of_the_parent_goes_on_in_the_child(self):
        client = hark.Client(self.daemon.path)
        self.addCleanup(client.close)
        stream = client.stream(name="tick", after=0)
        client.record("tick", {"n": 1})
        self.assertEqual(next(stream).properties["n"], 1)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = next(stream).properties["n"]
            finally:
                os._exit(status)
        client.record("tick", {"n": 2})
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 2)
        self.assertEqual(next(stream).properties["n"], 2)
        stream.close()


class Ends(DaemonTest):
    def test_without_a_daemon_a_program_ends_at_once_and_says_what_is_lost(self):
        self.daemon.end()
        begin = time.monotonic()
        ended = run("""
            import logging, hark
            logging.getLogger().addHandler(hark.LogHandler())
            for n in range(3): hark.Client().record_soon("lost")
            logging.warning("lost too")
            """, self.daemon.path)
        self.assertLess(time.monotonic() - begin, 3)
        self.assertEqual(ended.returncode, 0)
        self.assertNotIn("Traceback", ended.stderr)
        self.assertEqual(ended.stderr.count("were not recorded"), 4)
        self.assertIn(self.daemon.path, ended.stderr)

    def test_beside_a_daemon_that_hangs_it_ends_after_a_few_seconds(self):
        self.daemon.process.send_signal(signal.SIGSTOP)
        begin = time.monotonic()
        ended = run('import hark\nfor n in range(4): hark.Client().record_soon("lost")', self.daemon.path)
        self.assertLess(time.monotonic() - begin, 6)
        self.assertEqual(ended.returncode, 0)
        self.assertNotIn("Traceback", ended.stderr)
        self.daemon.process.send_signal(signal.SIGCONT)

    def test_what_is_recorded_last_is_recorded_also_by_handlers_of_the_end(self):
        ended = run("""
            import atexit
            atexit.register(lambda: client.record_soon("after hark's own"))
            import hark
            client = hark.Client()
            atexit.register(lambda: client.record_soon("before it"))
            class Last:
                def __del__(self): client.record_soon("from a finalizer")
            last = Last()
            for n in range(500): client.record_soon("last")
            del last
            """, self.daemon.path)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        with hark.Client(self.daemon.path) as client:
            names = [event.name for event in client.events()]
        self.assertEqual(names, ["last"] * 500 + ["from a finalizer", "before it", "after hark's own"])

    def test_where_no_thread_can_be_had_the_caller_does_the_work(self):
        with mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("can't create new thread")):
            client = hark.Client(self.daemon.path)
            self.assertGreater(client.record("x").seq, 0)
            self.assertEqual([event.name for event in client.events()], ["x"])
            client.close()

    def test_the_module_follows_the_environment_as_tests_change_it(self):
        other = Daemon().start()
        self.addCleanup(other.remove)
        for path in (self.daemon.path, other.path, self.daemon.path):
            with mock.patch.dict(os.environ, HARK_SOCKET=path):
                hark.record("x")
        for path, many in ((self.daemon.path, 2), (other.path, 1)):
            with hark.Client(path) as client:
                self.assertEqual(len(list(client.events(name="x"))), many)


class Loops(DaemonTest):
    configuration = {"limits": {"subscriptionsPerUser": 4}}

    def test_one_client_works_in_one_loop_after_the_other_and_in_two_at_once(self):
        client = aio.Client(self.daemon.path)

        async def work(n):
            await client.record("x", {"n": n})
            return [event.properties["n"] async for event in client.events(name="x")]

        for n in range(3):
            self.assertEqual(asyncio.run(asyncio.wait_for(work(n), 30)), list(range(n + 1)))
        beside = threading.Thread(target=lambda: asyncio.run(work(3)))
        beside.start()
        asyncio.run(work(3))
        beside.join()

        async def leave_behind():
            client.record_soon("x", {"n": 4})

        asyncio.run(leave_behind())
        asyncio.run(client.close())
        with hark.Client(self.daemon.path) as reader:
            self.assertEqual([event.properties["n"] for event in reader.events(name="x")], [0, 1, 2, 3, 3, 4])

    def test_streams_that_are_cancelled_or_left_end_their_subscriptions(self):
        async def cancelled(client):
            async def listen():
                async for _ in client.stream(name="never"):
                    pass

            listening = asyncio.ensure_future(listen())
            for _ in range(number % 4):
                await asyncio.sleep(0)
            if number % 3:
                await client.call("hello")
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

        async def all_of_them():
            nonlocal number
            async with aio.Client(self.daemon.path) as client:
                for number in range(24):
                    await cancelled(client)
                for number in range(8):
                    stream = client.stream(name="x", after=0)
                    await client.record("x")
                    await stream.__anext__()
                    await stream.aclose()

        number = 0
        asyncio.run(asyncio.wait_for(all_of_them(), 60))
        with hark.Client(self.daemon.path) as client:
            for _ in range(8):
                next(client.stream(name="x", after=0))
            with mock.patch("hark._stream.Event.read", side_effect=KeyboardInterrupt):
                for _ in range(8):
                    with self.assertRaises(KeyboardInterrupt):
                        next(client.stream(name="x", after=0))
            next(client.stream(name="x", after=0))

    def test_a_slow_reader_has_a_bounded_queue_and_gets_everything(self):
        with mock.patch("hark._stream._MOST", 10), hark.Client(self.daemon.path) as client:
            stream = client.stream(name="x", after=0)
            got = []
            for n in range(200):
                client.record_soon("x", {"n": n})
                if n == 0:
                    got.append(next(stream).properties["n"])
            client.flush(60)
            got += [next(stream).properties["n"] for _ in range(199)]
            self.assertEqual(got, list(range(200)))
            stream.close()
        put = []
        feed = Feed(mock.Mock(), put.append)
        with mock.patch("hark._stream._MOST", 10):
            for n in range(100):
                feed("event", {"event": n})
        self.assertEqual(put, [*range(10), None])


class Restarts(unittest.TestCase):
    """What was not done is asked of the next daemon."""

    def listener(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.remove)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(self.daemon.path)
        listener.listen()
        return listener

    def answer(self, listener, result):
        connection = listener.accept()[0]
        with connection, connection.makefile("rb") as lines:
            request = json.loads(lines.readline())
            connection.sendall(json.dumps({"id": request["id"], **result}).encode() + b"\n")
            return request["method"]

    def test_a_call_that_a_daemon_refuses_as_it_ends_is_asked_of_the_next(self):
        listener = self.listener()
        asked = []

        def serve():
            asked.append(self.answer(listener, {"error": {"message": "ending", "data": {"reason": "shuttingDown"}}}))
            asked.append(self.answer(listener, {"result": {"value": 1}}))

        thread = threading.Thread(target=serve)
        thread.start()
        with hark.Client(self.daemon.path) as client:
            self.assertEqual(client.trigger("opens"), 1)
        thread.join()
        self.assertEqual(asked, ["counter.trigger"] * 2)

    def test_what_was_not_sent_when_the_connection_broke_waits_for_the_next_one(self):
        conversation = Conversation()
        told = []
        conversation.connected()
        for method in ("a.set", "b.set", "c.set"):
            conversation.add(Request(method, b"{}", lambda result, error, method=method: told.append((method, error))))
        output = conversation.take_output()
        last = output.splitlines(keepends=True)[-1]
        # All of the last line is unwritten, and the end of the one before.
        conversation.disconnected("it ended", len(last) + 1)
        self.assertEqual([method for method, _ in told], ["a.set", "b.set"])
        self.assertIsInstance(told[0][1], hark.ConnectionLost)
        conversation.connected()
        self.assertEqual(conversation.take_output(), last)

    def test_a_reply_that_is_none_ends_its_connection_and_nothing_else(self):
        listener = self.listener()

        def serve():
            connection = listener.accept()[0]
            with connection, connection.makefile("rb") as lines:
                lines.readline()
                connection.sendall(b"no JSON\n")
                lines.read()
            self.answer(listener, {"result": {"id": "x", "seq": 1, "sessionId": "s"}})

        thread = threading.Thread(target=serve)
        thread.start()
        with hark.Client(self.daemon.path) as client:
            self.assertEqual(client.record("x", timeout=60).seq, 1)
        thread.join()

    def test_a_full_disk_is_tried_again_while_others_go_on_recording(self):
        listener = self.listener()
        got = []

        def serve():
            connection = listener.accept()[0]
            with connection, connection.makefile("rb") as lines:
                for line in lines:
                    request = json.loads(line)
                    got.append(request["params"]["name"])
                    answer = {"result": {"id": "x", "seq": len(got), "sessionId": "s"}}
                    if len(got) == 1:
                        answer = {"error": {"message": "full", "data": {"reason": "storeUnavailable"}}}
                    connection.sendall(json.dumps({"id": request["id"], **answer}).encode() + b"\n")

        thread = threading.Thread(target=serve)
        thread.start()
        with hark.Client(self.daemon.path, limit=1_000_000) as client:
            first = client.record_soon("first")
            deadline = time.monotonic() + 30
            # Each wakes the thread up.
            while not first.done() and time.monotonic() < deadline:
                client.record_soon("more")
                time.sleep(0.001)
            self.assertTrue(first.done())
            client.flush(60)
        thread.join()

    def test_a_users_daemon_that_is_down_is_waited_for_and_the_machines_gets_nothing(self):
        listener = self.listener()
        listener.close()
        machine = Daemon().start()
        self.addCleanup(machine.remove)
        client = hark.Client(self.daemon.path)
        client._link.paths.append(machine.path)
        with self.assertRaises(hark.Unavailable):
            client.call("hello")
        client._link.paths[0] += ".gone"
        client.call("hello")
        client.close()


if __name__ == "__main__":
    unittest.main()
