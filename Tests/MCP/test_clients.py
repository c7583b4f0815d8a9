"""The clients of PyPI, in all their modes: every tool, resources, progress and cancelling, as programs that agents run in do it."""

import asyncio
import os
import unittest

import fastmcp
import mcp
from fastmcp.client.transports import StdioTransport
from mcp.client.stdio import StdioServerParameters, stdio_client

from scene import MODERN, Scene, hark_path, wait_until

MODES = ["auto", "legacy", MODERN]
YES = ["Yes", "No"]


class Clients(Scene):
    def setUp(self):
        super().setUp()
        # What clients leave behind of their own goes with the daemon.
        self.environment = {"HARK_SOCKET": self.daemon.path, "HOME": str(self.daemon.folder), "FASTMCP_CHECK_FOR_UPDATES": "off"}
        self.errors = open(self.daemon.folder / "errors", "w+")
        self.addCleanup(self.errors.close)

    def mcp(self, mode):
        parameters = StdioServerParameters(command=hark_path(), args=["mcp"], env={**os.environ, **self.environment})
        return mcp.Client(stdio_client(parameters, errlog=self.errors), mode=mode)

    def fastmcp(self, mode):
        transport = StdioTransport(
            hark_path(), ["mcp"], env={**os.environ, **self.environment}, keep_alive=False, log_file=self.errors)
        return fastmcp.Client(transport, mode=mode)

    def in_each_mode(self, test):
        for name, make in [("mcp", self.mcp), ("fastmcp", self.fastmcp)]:
            for mode in MODES:
                with self.subTest(client=name, mode=mode):
                    async def run():
                        async with make(mode) as client:
                            await test(client, mode)
                    asyncio.run(asyncio.wait_for(run(), 60))
        self.errors.seek(0)
        self.assertEqual(self.errors.read(), "")

    async def structured(self, client, tool, arguments=None, **more):
        result = await client.call_tool(tool, arguments or {}, **more)
        return getattr(result, "structured_content", None) or result.structuredContent

    def test_every_tool_in_every_mode(self):
        async def test(client, mode):
            tools = await client.list_tools()
            tools = getattr(tools, "tools", tools)
            self.assertEqual(len(tools), 7)
            self.assertTrue(all(tool.description and tool.title for tool in tools))
            await self.structured(client, "record_event", {"name": "checkout", "properties": {"amount": 2.5}})
            rows = await self.structured(
                client, "query", {"sql": "SELECT amount FROM events WHERE name = 'checkout' LIMIT 1"})
            self.assertEqual(rows["rows"], [{"amount": 2.5}])
            for form in ["text", "svg"]:
                chart = await client.call_tool("chart", {"name": "checkout", "every": "1h", "format": form})
                text = chart.content[0].text if form == "text" else chart.content[0].resource.text
                self.assertIn("checkout", text)
            self.assertEqual((await self.structured(client, "watch"))["watches"], [])
            self.assertEqual((await self.structured(client, "explain_survey"))["surveys"], [])
            question = f"In {mode} of {type(client).__module__}?"
            asked = await self.structured(client, "ask_person", {"question": question, "options": YES, "wait_seconds": 0})
            self.assertEqual(asked["status"], "pending")
            await asyncio.to_thread(self.answer, question, option="Yes")
            answer = await self.structured(client, "answer_of", {"prompt_id": asked["prompt_id"]})
            self.assertEqual((answer["status"], answer["answer"]), ("answered", {"option": "Yes"}))
        self.in_each_mode(test)

    def test_a_question_that_is_waited_for_tells_progress(self):
        async def test(client, mode):
            question = f"Wait in {mode} of {type(client).__module__}?"
            told = []

            async def progress(value, total, message):
                told.append(message)

            more = {"progress_callback": progress} if isinstance(client, mcp.Client) else {"progress_handler": progress}
            call = asyncio.create_task(self.structured(
                client, "ask_person", {"question": question, "options": YES}, **more))
            await asyncio.to_thread(wait_until, lambda: told, "progress")
            await asyncio.to_thread(self.answer, question, option="No")
            result = await call
            self.assertEqual(result["answer"], {"option": "No"})
            self.assertIn(result["prompt_id"], told[0])
        self.in_each_mode(test)

    def test_a_call_that_the_client_gives_up_is_taken_back(self):
        async def test(client, mode):
            question = f"Give up in {mode} of {type(client).__module__}?"
            call = asyncio.create_task(client.call_tool("ask_person", {"question": question, "options": YES}))
            await asyncio.to_thread(self.shown, question)
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            await asyncio.to_thread(wait_until, lambda: not self.waiting(), "the question goes")
            self.assertEqual((await self.structured(client, "query", {"sql": "SELECT 1 AS n"}))["rows"], [{"n": 1}])
        self.in_each_mode(test)

    def test_what_is_wrong_is_a_result_and_resources_are_read(self):
        async def test(client, mode):
            more = {} if isinstance(client, mcp.Client) else {"raise_on_error": False}
            result = await client.call_tool("query", {"sql": "SELECT nonsense FROM nowhere"}, **more)
            self.assertTrue(result.is_error)
            self.assertIn("There are events", result.content[0].text)
            read = await client.read_resource("hark://sql/schema")
            contents = getattr(read, "contents", read)
            self.assertIn("## events", contents[0].text)
            listed = await client.list_resources()
            self.assertGreater(len(getattr(listed, "resources", listed)), 40)
        self.in_each_mode(test)


if __name__ == "__main__":
    unittest.main()
