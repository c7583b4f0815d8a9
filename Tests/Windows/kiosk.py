"""A screen that one visitor after the other stands before, and what is to be seen on it."""

import ctypes
import subprocess

from scene import DESKTOP, Scene, wait_until
from screen import PATIENCE

# Ten seconds of it are the countdown.
SOON = ("--idle-reset", "15")
QUESTION = "Are You Still There?"


def pixels():
    """All that is to be seen."""
    return subprocess.run(
        ["convert", f"xwd:{DESKTOP.folder}/Xvfb_screen0", "rgb:-"], capture_output=True, check=True).stdout


def touch():
    """A finger where nothing is."""
    subprocess.run(["xdotool", "mousemove", "3", "300", "click", "1", "mousemove", "0", "0"], check=True)


def ask_to_close(window):
    """What a window manager sends at Alt-F4."""
    class Message(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                    ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                    ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("padding", ctypes.c_long * 24)]

    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    x11.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    x11.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
    for function in (x11.XCloseDisplay, x11.XSync):
        function.argtypes = [ctypes.c_void_p] + ([ctypes.c_int] if function is x11.XSync else [])
    display = x11.XOpenDisplay(DESKTOP.environment["DISPLAY"].encode())
    atoms = [x11.XInternAtom(display, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW")]
    client_message = 33
    message = Message(type=client_message, window=window, message_type=atoms[0], format=32)
    message.data[0] = atoms[1]
    x11.XSendEvent(display, window, 0, 0, ctypes.byref(message))
    x11.XSync(display, 0)
    x11.XCloseDisplay(display)


class KioskScene(Scene):
    # A visitor takes a while to be gone.
    PATIENCE = 240

    def kiosk(self, daemon, *arguments, environment=None, **more):
        subprocess.run(["xdotool", "mousemove", "0", "0"], check=True)
        # What stands still can be compared.
        config = daemon.folder / "still/gtk-4.0"
        config.mkdir(parents=True, exist_ok=True)
        (config / "settings.ini").write_text("[Settings]\ngtk-font-name=Cantarell 11\ngtk-enable-animations=0\n")
        more["environment"] = {"XDG_CONFIG_HOME": str(config.parent), **(environment or {})}
        dialog = self.dialog(daemon, "--kiosk", "--rest", "Welcome!", "--min-gap", "0", *arguments, **more)
        dialog.find("heading", "Welcome!")
        # The session is there, so it listens.
        wait_until(lambda: daemon.call("session.current")["session"], "the first visitor's session", PATIENCE)
        return dialog

    def come(self, daemon, name):
        daemon.call("event.record", name=name, properties={})

    def until_next_visit(self, daemon, shown):
        """The session that a showing was in is over: what happens before that is still the last visitor's."""
        wait_until(lambda: (daemon.call("session.current")["session"] or {}).get("id", shown["sessionId"])
                   != shown["sessionId"], "the next visitor's session", PATIENCE)

    def history(self, daemon, name):
        return daemon.call("survey.history", surveyId=name)["presentations"]

    def until_left(self, daemon, name):
        wait_until(lambda: not daemon.pending(name), "the daemon knows", PATIENCE)
        self.until_next_visit(daemon, self.history(daemon, name)[-1])

    def until_rest(self, dialog, names=("Submit", "Next", "Thank You")):
        """The rest page is there, and nothing else."""
        dialog.find("heading", "Welcome!")
        dialog.wait_until_gone(lambda node: node.get_name() in names or QUESTION in node.get_name(), "what was there")

    def settled(self, other):
        """The screen once it stands still, and is another than it was."""
        def still():
            seen = pixels()
            return seen if seen != other and all(pixels() == seen for _ in range(3)) else None

        return wait_until(still, "the page to stand still", PATIENCE)
