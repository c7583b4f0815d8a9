"""Compiles targets of the package without SwiftPM, which does one thing at a time: unoptimised, and checked as they are built."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = (ROOT / "Package.swift").read_text()


def settings():
    """The flags that every Swift target shares, as Package.swift has them."""
    house = re.search(r"let house: \[SwiftSetting\] = \[(.*?)\n\]", PACKAGE, re.S).group(1)
    features = re.findall(r'enableUpcomingFeature\("(\w+)"\)', house)
    assert "swiftLanguageMode(.v6)" in house and "treatAllWarnings(as: .error)" in house and len(features) > 2
    return ["-swift-version", "6", "-warnings-as-errors"] + [
        word for feature in features for word in ("-enable-upcoming-feature", feature)]


def dependencies():
    """Of each target: those that it is made of, in the order of the package."""
    found = re.findall(r'\.(?:\w+[tT]arget|target)\(\s*name: "([^"]+)"(?:,\s*dependencies: \[(.*?)\])?', PACKAGE, re.S)
    return {name: re.findall(r'"(\w+)"', needed) for name, needed in found}


class Targets:
    """The targets of a copy of the sources."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.made = self.folder / "made"
        self.made.mkdir()
        self.needs = dependencies()
        self.flags = [
            *settings(), "-package-name", "hark", "-enable-testing", "-Onone", "-parse-as-library",
            "-module-cache-path", self.made / "cache", "-I", self.made]
        for target in sorted((self.folder / "Sources").glob("C*")):
            maps, headers = target / "module.modulemap", target / "include"
            if headers.exists():
                # As SwiftPM makes it.
                maps = self.made / f"{target.name}.modulemap"
                maps.write_text(f'module {target.name} {{ umbrella "{headers}" export * }}\n')
                self.flags += ["-Xcc", f"-I{headers}"]
            self.flags += ["-Xcc", f"-fmodule-map-file={maps}"]

    def all(self, names):
        """The Swift targets that are named, and those they are made of, each behind those."""
        found = {}

        def add(name):
            for needed in self.needs.get(name, []):
                add(needed)
            if any((self.folder / "Sources" / name).rglob("*.swift")):
                found[name] = None

        for name in sorted(names):
            add(name)
        return list(found)

    def make(self, names, objects):
        """Compiles targets, and what they are made of: the code of those that a program is made of, else the module alone."""
        linked = self.all(objects)
        for name in self.all([*names, *objects]):
            code = ["-c", "-o", self.made / f"{name}.o"] if name in linked else []
            self.run(
                "swiftc", *self.flags, "-wmo", "-module-name", name, "-emit-module", "-emit-module-path",
                self.made / f"{name}.swiftmodule", *code, *sorted((self.folder / "Sources" / name).rglob("*.swift")))

    def program(self, main, names):
        """A program that is made of targets, with their C."""
        linked = self.all(names)
        sources = [
            file for needed in sorted({one for name in linked for one in self.needs.get(name, [])})
            for file in sorted((self.folder / "Sources" / needed).rglob("*.c"))]
        code = [self.made / f"{file.stem}.c.o" for file in sources]
        for file, made in zip(sources, code):
            self.run("clang", "-O2", "-c", "-I", file.parent / "include", file, "-o", made)
        built = self.made / "program"
        self.run("swiftc", *self.flags, "-module-name", "added", main, *(self.made / f"{name}.o" for name in linked), *code, "-o", built)
        return built

    def run(self, *words):
        words = ["nice", *map(str, words)]
        said = subprocess.run(words, cwd=self.made, capture_output=True, encoding="utf-8", env={**os.environ, "LC_ALL": "C"})
        if said.returncode != 0:
            faults = [line for line in said.stderr.split("\n") if "error:" in line]
            raise AssertionError("\n".join(faults[:20]) or said.stderr[-4000:])
