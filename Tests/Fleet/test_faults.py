"""Whatever ends, is cut off, or loses its memory between machines and hub: the hub has every record once, in order."""

import os
import random
import shutil
import threading
import time
import unittest

from world import Mosquitto, Nats, World, compare, is_brought, wait_until

SECONDS = float(os.environ.get("HARK_FAULT_SECONDS", 12))
SEED = os.environ.get("HARK_FAULT_SEED")


class Workload:
    """Clients of a machine that record and send again until they are told that it is kept."""

    def __init__(self, machine, seed):
        self.machine = machine
        self.chance = random.Random(seed)
        self.ended = threading.Event()
        self.sent = 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        number = 0
        while not self.ended.is_set():
            requests = []
            for _ in range(self.chance.randint(1, 200)):
                number += 1
                requests.append(self.request(number))
            while not self.ended.is_set():
                done = self.machine.send(requests)
                self.sent += done
                requests = requests[done:]
                if not requests:
                    break
                self.ended.wait(0.2)
            self.ended.wait(self.chance.random() * 0.1)

    def request(self, number):
        if self.chance.random() < 0.02:
            return {"id": number, "method": "session.start", "params": {
                "app": self.chance.choice(["shop", "till"]), "userId": self.chance.choice(["ada", "bob", "größe"]),
                "metadata": {"n": number}}}
        if self.chance.random() < 0.05:
            return {"id": number, "method": "log.write", "params": {
                "message": f"line {number}", "level": self.chance.choice(["info", "error"]), "app": "till"}}
        return {"id": number, "method": "event.record", "params": {
            "name": self.chance.choice(["tap", "scan", "checkout"]), "app": self.chance.choice(["shop", "till"]),
            "properties": {"n": number, "price": number / 4, "whole": float(number), "text": "äöü \u2028\"" * (number % 5),
                           "ok": number % 2 == 0}}}

    def end(self):
        self.ended.set()
        self.thread.join(60)


class Faults(unittest.TestCase):
    def play(self, broker):
        seed = int(SEED) if SEED else random.SystemRandom().randrange(1 << 32)
        chance = random.Random(seed)
        world = World(broker)
        try:
            self.run_faults(world, chance, seed)
        except BaseException:
            print(f"seed {seed}\n{world.logs()}")
            raise
        finally:
            world.close()

    def run_faults(self, world, chance, seed):
        ways = [world.way() for _ in range(3)]
        hub_way = world.way()
        hub = world.hub(way=hub_way)
        rival = world.hub("rival")
        machines = [world.machine(f"kiosk-{n}", way=ways[n]) for n in range(3)]
        world.start(world.broker)
        world.start(hub, *machines)
        work = [Workload(machine, f"{seed} {n}") for n, machine in enumerate(machines)]
        copy = world.folder / "copy"
        happened = []
        end = time.monotonic() + SECONDS
        try:
            while time.monotonic() < end:
                time.sleep(chance.random() * 1.5)
                fault = chance.choice([
                    "broker", "broker", "broker forgets", "machine", "machine", "hub", "hub", "keep", "set back", "cut", "silent",
                    "cut hub", "rival", "mend", "mend"])
                happened.append(fault)
                self.do(fault, world, chance, hub, rival, machines, ways + [hub_way], copy)
        finally:
            for one in work:
                one.end()
        for way in ways + [hub_way]:
            way.mend()
        rival.kill() if rival.is_up else None
        for program in [world.broker, hub, *machines]:
            if not program.is_up:
                world.start(program)
        for machine in machines:
            wait_until(lambda: is_brought(machine), f"{machine.name} has brought all: {happened}", 150)
        for machine in machines:
            compare(machine, hub, world.folder)
        sent = sum(one.sent for one in work)
        self.assertGreater(sent, 500, happened)
        status = hub.status()
        self.assertEqual(status["refused"], 0)
        self.assertEqual([each["machine"] for each in status["machines"]], [machine.name for machine in machines])

    def do(self, fault, world, chance, hub, rival, machines, ways, copy):
        if fault == "broker":
            world.broker.kill()
            time.sleep(chance.random())
            world.start(world.broker)
        elif fault == "broker forgets":
            world.broker.kill()
            world.broker.forget()
            world.start(world.broker)
        elif fault == "machine":
            machine = chance.choice(machines)
            machine.kill()
            time.sleep(chance.random())
            world.start(machine)
        elif fault == "hub":
            hub.kill()
            time.sleep(chance.random() * 2)
            world.start(hub)
        elif fault == "keep":
            hub.kill()
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(hub.state, copy)
            world.start(hub)
        elif fault == "set back" and copy.exists():
            hub.kill()
            shutil.rmtree(hub.state)
            shutil.copytree(copy, hub.state)
            world.start(hub)
        elif fault == "cut":
            chance.choice(ways[:-1]).cut()
        elif fault == "silent":
            chance.choice(ways[:-1]).is_silent = True
        elif fault == "cut hub":
            ways[-1].cut()
        elif fault == "mend":
            for way in ways:
                way.mend()
        elif fault == "rival":
            if rival.is_up:
                rival.kill()
            else:
                world.start(rival)

    def test_mosquitto(self):
        self.play(Mosquitto)

    def test_nats(self):
        self.play(Nats)


if __name__ == "__main__":
    unittest.main()
