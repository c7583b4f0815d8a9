"""What an agent asks by `hark mcp` is answered in a window, and the agent hears of it."""

import json
import subprocess
import unittest

from desktop import BUILT
from scene import Scene


class Agent:
    """A program that speaks the protocol, as agents run in one."""

    def __init__(self, daemon):
        self.process = subprocess.Popen(
            [BUILT / "hark", "mcp"], env=daemon.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.call("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "Robot"}})

    def begin(self, method, params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        print(json.dumps(message), file=self.process.stdin, flush=True)

    def result(self):
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, method, params):
        self.begin(method, params)
        return self.result()

    def ask(self, question, **arguments):
        self.begin("tools/call", {"name": "ask_person", "arguments": {"question": question, **arguments}})

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class QuestionsOfAgents(Scene):
    def test_they_are_answered_in_a_window(self):
        daemon = self.daemon()
        window = self.dialog(daemon, "--wait")
        agent = Agent(daemon)
        self.addCleanup(agent.end)
        for question, arguments, form, press, answer in [
                ("Deploy now?", {"options": ["Yes", "No"]}, None, ("push button", "No"), {"option": "No"}),
                ("What is new?", {"text": True}, "Everything", ("push button", "Submit"), {"text": "Everything"})]:
            agent.ask(question, message="All tests pass.", **arguments)
            window.wait_for_text(question)
            window.wait_for_text("An agent asks: Robot")
            if form:
                window.write(question, form)
            window.press(*press)
            result = agent.result()["structuredContent"]
            self.assertEqual((result["status"], result["answer"]), ("answered", answer))
            window.wait_until_gone(lambda node: node.get_name() == question, "the question")

    def test_one_that_is_closed_is_told_as_dismissed(self):
        daemon = self.daemon()
        window = self.dialog(daemon, "--wait")
        agent = Agent(daemon)
        self.addCleanup(agent.end)
        agent.ask("Deploy now?", options=["Yes", "No"])
        window.find("push button", "Yes")
        window.focus()
        window.keys("Escape")
        self.assertEqual(agent.result()["structuredContent"]["status"], "dismissed")


if __name__ == "__main__":
    unittest.main()
