"""Runs all tests of windows side by side: each worker is a process with a desktop of its own, and takes the next test that
nobody has taken. With --times it tells how long each took."""

import ast
import multiprocessing
import os
import pathlib
import queue
import sys
import tempfile
import time
import unittest

# More than a small machine has processors: much of a test is waiting, for a word of thanks to go for instance.
WORKERS = 3
# Seconds for them all, after which something hangs.
PATIENCE = 600


def tests():
    """The names of all tests. They are read, not imported, as that would start a desktop."""
    for path in sorted(pathlib.Path(__file__).parent.glob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            for part in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(part, ast.FunctionDef) and part.name.startswith("test_"):
                    yield f"{path.stem}.{node.name}.{part.name}"


def work(names, results, errors):
    """Runs tests until there are no more. What libraries say of each other's absence goes to a file."""
    os.dup2(os.open(errors, os.O_WRONLY | os.O_APPEND | os.O_CREAT), 2)
    while (name := names.get()) is not None:
        start = time.monotonic()
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromName(name).run(result)
        problems = [text for _, text in result.failures + result.errors]
        if not result.testsRun:
            problems.append("it was not run")
        results.put((name, time.monotonic() - start, problems))


def outcomes(results, workers):
    """What comes of the tests, until there is no worker any more."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        is_over = not any(worker.is_alive() for worker in workers)
        try:
            yield results.get(timeout=0.5)
        except queue.Empty:
            if is_over:
                return


def main():
    names, results = multiprocessing.Queue(), multiprocessing.Queue()
    waiting = list(tests())
    count = len(waiting)
    for name in waiting + [None] * WORKERS:
        names.put(name)
    with tempfile.TemporaryDirectory() as folder:
        errors = pathlib.Path(folder) / "errors"
        workers = [multiprocessing.Process(target=work, args=(names, results, errors)) for _ in range(WORKERS)]
        start = time.monotonic()
        for worker in workers:
            worker.start()
        failed = 0
        times = []
        for name, seconds, problems in outcomes(results, workers):
            waiting.remove(name)
            times.append((seconds, name))
            failed += bool(problems)
            for text in problems:
                print(f"\n{name} failed after {seconds:.1f} s:\n{text}", flush=True)
        for worker in workers:
            # It takes its desktop along.
            worker.terminate()
            worker.join()
        if "--times" in sys.argv:
            for seconds, name in sorted(times, reverse=True):
                print(f"{seconds:6.1f} s  {name}")
        if waiting:
            print(f"{errors.read_text()[-5000:]}\nDid not end: {', '.join(waiting)}")
    print(f"{count} tests of windows in {time.monotonic() - start:.0f} s, {failed + len(waiting)} failed")
    sys.exit(1 if failed or waiting or not count else 0)


if __name__ == "__main__":
    # Not forked: a desktop is made where the tests are imported, and ends with that process.
    multiprocessing.set_start_method("spawn")
    main()
