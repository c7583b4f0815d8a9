import asyncio
import itertools
import unittest

import hark
from hark import aio

from .daemon import Daemon
from .test_client import RATING


class Asyncio(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.daemon = Daemon(surveys=RATING)
        self.addCleanup(self.daemon.remove)

    async def start(self):
        await asyncio.to_thread(self.daemon.start)

    async def test_many_record_at_once_and_each_has_its_reply(self):
        await self.start()
        async with aio.Client(self.daemon.path) as client:
            replies = await asyncio.gather(*(client.record("tick", {"n": n}) for n in range(500)))
            self.assertEqual(len({reply.id for reply in replies}), 500)
            events = [event async for event in client.events(name="tick", page=64)]
            self.assertEqual([event.properties["n"] for event in events], list(range(500)))
            self.assertEqual([reply.seq for reply in replies], [event.seq for event in events])

    async def test_events_wait_for_the_daemon_and_whoever_gives_up_takes_none_back(self):
        client = aio.Client(self.daemon.path)
        with self.assertRaises(hark.NotYet) as caught:
            await client.record("early", timeout=0.05)
        self.assertIn(self.daemon.path, str(caught.exception))
        with self.assertRaises(hark.Unavailable):
            await client.call("daemon.status")
        waiting = asyncio.ensure_future(client.record("early"))
        await asyncio.sleep(0)
        waiting.cancel()
        await self.start()
        await client.flush(30)
        self.assertEqual(len([event async for event in client.events(name="early")]), 2)
        await client.close()
        with self.assertRaises(hark.Closed):
            await client.record("late")

    async def test_over_kills_events_are_recorded_once_and_a_stream_goes_on(self):
        await self.start()
        async with aio.Client(self.daemon.path, limit=100_000) as client:
            got = []

            async def listen():
                async for event in client.stream(name="once", after=0):
                    got.append(event.properties["n"])

            listening = asyncio.ensure_future(listen())
            numbers = itertools.count()
            for _ in range(4):
                futures = [client.record_soon("once", {"n": next(numbers)}) for _ in range(1_000)]
                await futures[200]
                await asyncio.to_thread(self.daemon.end)
                await self.start()
            await client.flush(60)
            sent = list(range(next(numbers)))
            self.assertEqual([event.properties["n"] async for event in client.events(name="once")], sent)

            async def heard_all():
                while len(got) < len(sent):
                    if listening.done():
                        listening.result()
                    await asyncio.sleep(0.005)

            await asyncio.wait_for(heard_all(), 60)
            self.assertEqual(got, sent)
            listening.cancel()

    async def test_a_survey_is_shown_and_answered(self):
        await self.start()
        async with aio.Client(self.daemon.path, app="shop") as client:
            session = await client.start_session("ada")
            self.assertEqual(session.user, "ada")
            await client.record("checkout")
            shown = await client.present()
            self.assertEqual((await client.answer(shown.id, "Poor")).state, "answered")
            with self.assertRaises(hark.RequestError):
                await client.present(shown.id)
            await client.end_session()


if __name__ == "__main__":
    unittest.main()
