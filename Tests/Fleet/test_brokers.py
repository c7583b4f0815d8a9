"""The settings of brokers that are installed: real brokers start with them, let through what a fleet says, and nothing else."""

import ssl
import unittest

from brokers import SAMPLES, Client, Folder, mosquitto, mosquitto_passwords, nats, wait_until

UP, HELLO, ACK, HUB = "hark/shop/up/0/", "hark/shop/hello/0/", "hark/shop/ack/", "hark/shop/hub/0"


class Rules:
    """What holds with every broker."""

    def open(self, name: str, **options) -> Client:
        client = self.client(name, **options)
        self.assertFalse(client.is_refused, f"{name}: {client.error or client.code}\n{self.broker.log.read_text()}")
        self.addCleanup(client.close)
        return client

    def hub(self) -> Client:
        hub = self.open("hub")
        hub.hear(UP + "+", HELLO + "+", HUB)
        return hub

    def machine(self, name: str, **options) -> Client:
        machine = self.open(name, **options)
        machine.hear(ACK + name, HUB, "hark/shop/config/all/+", "hark/shop/config/group/north/+")
        return machine

    def test_what_a_fleet_says_comes_through(self):
        hub = self.hub()
        hub.say("hark/shop/config/all/surveys", "surveys", retain=True)
        hub.say("hark/shop/config/group/north/flags", "flags", retain=True)
        machine = self.machine("kiosk-1", will=HELLO + "kiosk-1")
        kept = sorted([machine.next(), machine.next()])
        self.assertEqual(kept, [("hark/shop/config/all/surveys", "surveys"), ("hark/shop/config/group/north/flags", "flags")])
        machine.say(HELLO + "kiosk-1", "hello")
        machine.say(UP + "kiosk-1", "records")
        # A broker may keep an order for each subscription alone.
        self.assertCountEqual([hub.next(), hub.next()], [(HELLO + "kiosk-1", "hello"), (UP + "kiosk-1", "records")])
        hub.say(ACK + "kiosk-1", "taken")
        self.assertEqual(machine.next(), (ACK + "kiosk-1", "taken"))
        hub.say(HUB, "here", retain=True)
        self.assertEqual((machine.next(), hub.next()), ((HUB, "here"), (HUB, "here")))
        machine.vanish()
        self.assertEqual(hub.next(), (HELLO + "kiosk-1", "gone"))

    def test_the_longest_batch_comes_through(self):
        hub, machine = self.hub(), self.machine("kiosk-1")
        text = "x" * 7_900_000
        machine.say(UP + "kiosk-1", text)
        self.assertEqual(len(hub.next()[1]), len(text))

    def test_a_machine_speaks_for_itself_alone(self):
        hub, other = self.hub(), self.machine("kiosk-2")
        for topic in [UP + "kiosk-2", HELLO + "kiosk-2", ACK + "kiosk-2", ACK + "kiosk-1", HUB,
                      "hark/shop/config/all/surveys", "hark/shop/config/group/north/flags", "hark/other/up/0/kiosk-1"]:
            # A broker may hang up on who says such things.
            liar = self.client("kiosk-1")
            liar.say(topic, "a lie", retain=True)
            liar.close()
        self.open("kiosk-1").say(UP + "kiosk-1", "the truth")
        self.assertEqual(hub.next(), (UP + "kiosk-1", "the truth"))
        hub.say(ACK + "kiosk-2", "taken")
        self.assertEqual(other.next(), (ACK + "kiosk-2", "taken"))
        # Nor is anything kept that others hear later.
        late = self.machine("kiosk-2")
        hub.say(ACK + "kiosk-2", "taken as well")
        self.assertEqual(late.next(), (ACK + "kiosk-2", "taken as well"))
        self.assertEqual(hub.all() + late.all(), [])

    def test_a_machine_hears_nothing_of_others(self):
        hub, other = self.hub(), self.machine("kiosk-2")
        spy = self.client("kiosk-1")
        spy.hear("#", "hark/#", UP + "+", HELLO + "+", ACK + "+", ACK + "kiosk-2")
        spy.close()
        spy = self.machine("kiosk-1")
        spy.hear(UP + "+", ACK + "kiosk-2")
        other.say(UP + "kiosk-2", "records")
        other.say(HELLO + "kiosk-2", "hello")
        hub.say(ACK + "kiosk-2", "taken")
        self.assertEqual(other.next(), (ACK + "kiosk-2", "taken"))
        hub.say(ACK + "kiosk-1", "for you")
        wait_until(lambda: spy.is_connected, "the machine is connected")
        self.assertEqual(spy.next(), (ACK + "kiosk-1", "for you"))
        self.assertEqual(spy.all(), [])

    def test_nobody_comes_in_without_tls(self):
        client = Client(self.broker, "kiosk-1", self.password("kiosk-1"), is_encrypted=False)
        self.addCleanup(client.close)
        self.assertTrue(client.is_refused)


class PasswordRules(Rules):
    def client(self, name: str, **options) -> Client:
        return Client(self.broker, name, self.password(name), **options)

    def test_nobody_comes_in_without_the_password(self):
        for name, password in [(None, None), ("kiosk-1", "wrong"), ("kiosk-1", self.password("kiosk-2")), ("nobody", "")]:
            client = Client(self.broker, name, password)
            self.addCleanup(client.close)
            self.assertTrue(client.is_refused, name)


class MosquittoTests(PasswordRules, unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.folder.make_authority("broker")
        mosquitto_passwords(self.folder, {name: self.password(name) for name in ["hub", "kiosk-1", "kiosk-2"]})
        self.broker = mosquitto(self.folder, (SAMPLES / "mosquitto.conf").read_text())
        self.addCleanup(self.broker.stop)

    def password(self, name: str) -> str:
        return f"of {name}"


class MosquittoCertificateTests(Rules, unittest.TestCase):
    """As the comment in the settings says it."""

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.folder.make_authority("broker", "hub", "kiosk-1", "kiosk-2")
        settings = (SAMPLES / "mosquitto.conf").read_text()
        for old, new in [("\npassword_file ", "\n#password_file "), ("\n#require_certificate", "\nrequire_certificate"),
                         ("\n#use_identity_as_username", "\nuse_identity_as_username")]:
            self.assertEqual(settings.count(old), 1, old)
            settings = settings.replace(old, new)
        self.broker = mosquitto(self.folder, settings)
        self.addCleanup(self.broker.stop)

    def password(self, name: str) -> None:
        return None

    def client(self, name: str, **options) -> Client:
        return Client(self.broker, certificate=name, **options)

    def test_nobody_comes_in_without_a_certificate(self):
        # With TLS 1.3, a client takes itself for connected before it is looked at.
        client = Client(self.broker, "kiosk-1", "password", newest=ssl.TLSVersion.TLSv1_2)
        self.addCleanup(client.close)
        self.assertTrue(client.is_refused)


class NATSTests(PasswordRules, unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.folder.make_authority("broker")
        self.broker = nats(self.folder)
        self.addCleanup(self.broker.stop)

    def password(self, name: str) -> str:
        return f"change-this-of-{'the-hub' if name == 'hub' else name}"


if __name__ == "__main__":
    unittest.main()
