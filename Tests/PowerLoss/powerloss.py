"""What harkd has acknowledged survives a loss of power, and what it has cleared stays cleared.

    powerloss.py HARKD [--disks N] [--seed N] [--keep FOLDER]

A run: harkd starts on an empty disk under `journal.c`, which journals what it does to files and what it answers. Clients
(`workload.py`) use it in all ways that change what it keeps, side by side, and remember what they did; it is killed or stopped
and started again in between. Then disks are rebuilt (`disk.py`) as they may be when the power goes at random moments of the run,
half of them just after an answer. On some of them the power goes a second time, while a daemon takes up what the first time
has left. On each a daemon is started, and everything promised until then is looked for (`promises.py`): in the store, in the
archive tree, at the server that all of it is to be delivered to. Some runs are of the machine's daemon (`--system`).

The exit code is 0 when nothing was missing and nothing had come back. A run with the same seed does the same, but for how its
clients get into each other's way; `--keep` keeps the journals and the disks that failed.
"""

import argparse
import json
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

from daemon import Client, Failure, Hark, Server, build_journal
from disk import Disk, entries, tree
from promises import Moment, Verdict, examine
from workload import Run

DISKS_A_RUN = 10
STATE = "home/ada/.local/state/hark"


def run_clients(program, scratch, disk, library, server, seed):
    """One life of a daemon, or several, in the journal; returns what its clients know."""
    chance = random.Random(seed)
    journal = scratch / "journal"
    journal.touch()
    (disk / "home/ada").mkdir(parents=True)
    run = Run(journal, str(scratch / "hark.sock"), seed, writers=3, is_system=seed % 4 == 3)
    was_killed = False
    for _ in range(3):
        hark = Hark(
            program, disk / STATE, scratch, server.port, journaling(library, disk, journal), run.is_system)
        for _ in range(2):
            run.phase(chance.randint(3, 12))
            if not was_killed and chance.random() < 0.6:
                run.apply_retention()
        if chance.random() < 0.5:
            hark.end()
            continue
        # Killed at work, it comes back on a disk that has lost nothing.
        was_killed = True
        stopping = threading.Event()
        killer = threading.Timer(chance.uniform(0.02, 0.3), lambda: (stopping.set(), kill(hark.process)))
        killer.start()
        run.phase(200, stopping.is_set)
        killer.join()
        for writer in run.writers:
            writer.harkd_was_killed()
    return run


def journaling(library, disk, journal):
    return {"LD_PRELOAD": str(library), "POWERLOSS_DISK": str(disk), "POWERLOSS_JOURNAL": str(journal)}


def kill(process):
    """As SIGKILL, but not between a change and its entry in the journal; a signal may come when nobody looks at it."""
    while process.poll() is None:
        process.send_signal(signal.SIGUSR2)
        time.sleep(0.01)


def answers(journal):
    """At which entry of the journal each request was answered."""
    answered, streams = {}, {}
    for number, ((kind, a, _, _, first, _), _) in enumerate(journal):
        if kind == b"C":
            streams[a] = b""
        elif kind == b"A":
            *lines, streams[a] = (streams[a] + first).split(b"\n")
            for line in lines:
                answered[json.loads(line).get("id")] = number
    return answered


def moments(journal, answered, chance, count):
    """Where the power goes, in order: half of it anywhere, half just after an answer that somebody may rely on."""
    ends = list(answered.values())
    chosen = [chance.randrange(len(journal)) if n % 2 else chance.choice(ends) for n in range(count)]
    return sorted(chosen)


def lose_power_again(program, scratch, folder, library, server, chance, shares, run):
    """Has the power go once more while a daemon takes up what was left in a folder; returns that of the disk then."""
    disk, journal, after = Disk.found(folder), scratch / f"{folder.name}.journal", folder.with_name(folder.name + "-again")
    hark = Hark(program, folder / STATE, scratch, server.port, journaling(library, folder, journal), run.is_system)
    try:
        client = Client(hark.socket)
        # Waits for removals that were under way.
        client.call("event.clear", userId="nobody")
        client.close()
    finally:
        hark.end()
    second = [entry for entry, _ in entries(journal)]
    for entry in second[:chance.randrange(len(second) + 1)]:
        disk.take(*entry)
    disk.rebuild(after, chance, *shares)
    journal.unlink()
    shutil.rmtree(folder)
    return after


def new_disk(place):
    disk = Disk(place)
    disk.mkdir_synced("home/ada")
    return disk


def run_once(program, scratch, library, server, seed, count, keep):
    """A run and its disks; returns a verdict for each."""
    live = scratch / "live"
    run = run_clients(program, scratch, live, library, server, seed)
    journal = list(entries(scratch / "journal"))
    answered = answers(journal)
    chance = random.Random(seed)
    disk = new_disk(live)
    verdicts = []
    at = 0
    for number, moment in enumerate(moments(journal, answered, chance, count)):
        while at <= moment:
            disk.take(*journal[at][0])
            at += 1
        folder = scratch / f"disk-{number}"
        shares = chance.choice([0, 0, 1, 0.5, chance.random()]), chance.choice([0, 0, 1, 0.5, chance.random()])
        disk.rebuild(folder, chance, *shares)
        verdict = Verdict()
        is_second = False
        try:
            if (folder / STATE / "hark.db").exists() and chance.random() < 0.4:
                is_second = True
                folder = lose_power_again(program, scratch, folder, library, server, chance, shares, run)
            verdict = examine(program, folder / STATE, scratch, server, Moment(run, moment, journal[moment][1], answered))
        except Failure as failure:
            verdict.add("harkd fails", str(failure))
        verdicts.append(verdict)
        if verdict.faults:
            print(f"seed {seed}, disk {number} (power lost after entry {moment} of {len(journal)}"
                  f"{', and once more' * is_second}, of unsynced bytes {shares[0]:.0%} arrived, of names {shares[1]:.0%}): "
                  f"{verdict}", flush=True)
            if keep:
                disk.rebuild(pathlib.Path(keep) / f"{seed}-{number}", chance, *shares)
        shutil.rmtree(folder)
    while at < len(journal):
        disk.take(*journal[at][0])
        at += 1
    disk.rebuild(scratch / "all", chance, 1, 1)
    if tree(scratch / "all") != tree(live):
        raise SystemExit("the journal does not tell all that was done to the disk: journal.c misses a call")
    if keep:
        shutil.copy(scratch / "journal", pathlib.Path(keep) / f"{seed}-journal")
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("harkd")
    parser.add_argument("--disks", type=int, default=200, help="how many disks to rebuild (200)")
    parser.add_argument("--seed", type=int, default=None, help="where chance begins; without it, anywhere")
    parser.add_argument("--keep", help="a folder to keep journals and failed disks in")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 20)
    if arguments.keep:
        pathlib.Path(arguments.keep).mkdir(parents=True, exist_ok=True)
    start, verdicts, server = time.monotonic(), [], Server()
    with tempfile.TemporaryDirectory(prefix="hark-powerloss-") as folder:
        folder = pathlib.Path(folder)
        library = build_journal(folder)
        while len(verdicts) < arguments.disks:
            scratch = folder / f"run-{seed}"
            scratch.mkdir()
            count = min(DISKS_A_RUN, arguments.disks - len(verdicts))
            verdicts += run_once(
                pathlib.Path(arguments.harkd).resolve(), scratch, library, server, seed, count, arguments.keep)
            shutil.rmtree(scratch)
            seed += 1
    server.close()
    failed = sum(bool(verdict.faults) for verdict in verdicts)
    for kind in sorted({kind for verdict in verdicts for kind in verdict.faults}):
        print(f"{sum(kind in verdict.faults for verdict in verdicts):4} disks: {kind}")
    print(f"power loss: {len(verdicts)} disks, {failed} with something wrong, {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
