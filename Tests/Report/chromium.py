"""A headless Chromium that is told what to do through a pipe, by Chrome's DevTools protocol."""

import base64
import json
import os
import shutil
import subprocess
import tempfile


class Chromium:
    """Every host's name leads nowhere, so nothing but files can be loaded."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="hark-chromium-")
        commands, self.to = os.pipe()
        self.answers, answers = os.pipe()
        # The protocol is spoken on descriptors 3 and 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "chromium", "chromium", "--headless=new",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "HOME": self.folder, "TZ": "UTC"})
        os.close(commands)
        os.close(answers)
        self.number = 0
        self.rest = b""
        #: What was asked of the network, and violations of the page's own policy, since the last page.
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        os.close(self.to)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.answers)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b"\0" not in self.rest:
            part = os.read(self.answers, 1 << 16)
            if not part:
                raise EOFError("Chromium has ended")
            self.rest += part
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if getattr(self, "session", None):
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def open(self, path) -> None:
        """Loads a file, and waits until all that belongs to it is there."""
        self.events = []
        self.call("Page.navigate", url=f"file://{path}")
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())
        # What a page asks for once it is there has been asked for when it has drawn two frames.
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def requests(self):
        """The URLs that were asked for, the page's own among them; not what the page's policy held back."""
        held = {event["params"]["requestId"] for event in self.events
                if event.get("method") == "Network.loadingFailed" and event["params"].get("blockedReason") == "csp"}
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent" and event["params"]["requestId"] not in held]

    def complaints(self):
        """What the browser had to say of the page: violations of its policy, errors."""
        return [event["params"]["entry"]["text"] for event in self.events if event.get("method") == "Log.entryAdded"]

    def look(self, width, height=800, dark=False, media="", scale=1) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def picture(self, path, whole=True) -> None:
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, path) -> None:
        data = self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
