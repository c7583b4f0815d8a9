"""A `hark-dialog` and whoever sits before it: with a screen reader, or with nothing but keys."""

import subprocess

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

from desktop import BUILT, Failure, wait_until  # noqa: E402

STATE = Atspi.StateType
# Seconds in which everything comes, on a machine that has much else to do.
PATIENCE = 60


def walk(node):
    if node is None:
        return
    yield node
    for place in range(node.get_child_count()):
        yield from walk(node.get_child_at_index(place))


class Started:
    """A process that somebody else has started, and ends."""

    def __init__(self, pid):
        self.pid = pid

    def poll(self):
        return None


class Dialog:
    def __init__(self, daemon, *arguments, environment=None, program=BUILT / "hark-dialog"):
        self.process = subprocess.Popen(
            [program, *arguments], env={**daemon.environment, **(environment or {})},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    @classmethod
    def of(cls, pid):
        """The window of a process that runs already."""
        dialog = cls.__new__(cls)
        dialog.process = Started(pid)
        return dialog

    # What is to be seen.

    def application(self):
        desktop = Atspi.get_desktop(0)
        for place in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(place)
            if child is not None and child.get_process_id() == self.process.pid:
                return child
        return None

    def nodes(self):
        """What a screen reader finds, one after the other: each is asked for."""
        return walk(self.application())

    def tree(self):
        lines = []

        def add(node, depth):
            if node is None:
                return
            states = [word for word in ("visible", "pressed", "checked", "focused", "sensitive", "invalid_entry") if node.get_state_set().contains(getattr(STATE, word.upper()))]
            lines.append("  " * depth + f"{node.get_role_name()} {node.get_name()!r} {node.get_description()!r} {' '.join(states)}")
            for place in range(node.get_child_count()):
                add(node.get_child_at_index(place), depth + 1)

        add(self.application(), 0)
        return "\n".join(lines)

    def look(self, role, name):
        return self.first(lambda node: node.get_role_name() == role and node.get_name() == name)

    def wait_until_gone(self, condition, what):
        """Until nothing is so; what changes while it is looked at says nothing, so it is looked at twice."""
        def is_gone():
            try:
                return not any(condition(node) for _ in range(2) for node in self.nodes())
            except GLib.Error:
                return False

        self.until(is_gone, f"{what} to go")

    def first(self, condition):
        try:
            return next(filter(condition, self.nodes()), None)
        except GLib.Error:
            # It changed, or has ended, while it was looked at.
            return None

    def find(self, role, name):
        return self.until(lambda: self.look(role, name), f"{role} {name!r}")

    def until(self, condition, what):
        """Waits, and tells what is there instead where it is in vain."""
        try:
            return wait_until(condition, what, PATIENCE)
        except Failure as failure:
            ended = "" if self.process.poll() is None else f"; it has ended: {self.process.communicate()}"
            raise Failure(f"{failure}, in\n{self.tree()}{ended}") from None

    def has_text(self, text):
        return self.first(lambda node: text in node.get_name()) is not None

    def wait_for_text(self, text):
        self.until(lambda: self.has_text(text), f"the words {text!r}")

    def is_sensitive(self, role, name):
        node = self.look(role, name)
        return node is not None and node.get_state_set().contains(STATE.SENSITIVE)

    def is_checked(self, role, name):
        node = self.look(role, name)
        return node is not None and node.get_state_set().contains(STATE.CHECKED)

    def box(self, role, name):
        return Atspi.Component.get_extents(self.find(role, name), Atspi.CoordType.WINDOW)

    def left_edge(self, role, name):
        return self.box(role, name).x

    def wait_for_written(self, name, text):
        field = self.find("text", name)
        self.until(lambda: Atspi.Text.get_text(field, 0, -1) == text, f"{text!r} in {name!r}")

    def wait_for_check(self, role, name):
        self.until(lambda: self.is_checked(role, name), f"{name!r} to be chosen")

    def is_invalid(self, node):
        """GTK 4.8 says of a control that it is gone where its content is meant."""
        states = node.get_state_set()
        return states.contains(STATE.INVALID_ENTRY) or states.contains(STATE.INVALID)

    # What somebody does with a screen reader.

    def press(self, role, name):
        node = self.find(role, name)
        self.until(lambda: node.get_state_set().contains(STATE.SENSITIVE), f"{name!r} to be sensitive")
        Atspi.Action.do_action(node, 0)

    def write(self, name, text):
        Atspi.EditableText.insert_text(self.find("text", name), 0, text, len(text.encode()))

    # What somebody does with keys.

    def window(self):
        def identifier():
            said = subprocess.run(
                ["xdotool", "search", "--onlyvisible", "--pid", str(self.process.pid)], capture_output=True, text=True)
            return said.stdout.split()[-1] if said.stdout.split() else None

        return wait_until(identifier, "a window", PATIENCE)

    def activate(self):
        """The window becomes the active one; for a moment keys do not count in it."""
        subprocess.run(["xdotool", "windowfocus", "--sync", self.window()], check=True, stderr=subprocess.DEVNULL)

    def focus(self):
        """The window is the active one, and keys count: from then on something in it has the focus."""
        self.activate()
        self.until(lambda: self.focused() is not None, "the focus")

    def focused(self):
        return self.first(lambda node: node.get_state_set().contains(STATE.FOCUSED))

    def keys(self, *keys):
        subprocess.run(["xdotool", "key", "--delay", "20", *keys], check=True)

    def type(self, text):
        subprocess.run(["xdotool", "type", "--delay", "8", text], check=True)

    def geometry(self):
        said = subprocess.run(
            ["xdotool", "getwindowgeometry", "--shell", self.window()], capture_output=True, text=True, check=True).stdout
        values = dict(line.split("=") for line in said.split())
        return f"{values['WIDTH']}x{values['HEIGHT']}+{values['X']}+{values['Y']}"

    # The end.

    def wait(self, seconds=PATIENCE):
        self.output, self.errors = self.process.communicate(timeout=seconds)
        return self.process.returncode

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
