"""Listens on 127.0.0.1 and is no good broker: prints its port, behaves as told, and prints what came of it.

listener.py mute|closing|full|lying|flooding|dismissing|lying-older|garbled
"""

import array
import ctypes
import fcntl
import signal
import socket
import sys
import termios
import time

ctypes.CDLL(None).prctl(1, signal.SIGTERM)
mode = sys.argv[1]
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0 if mode == "full" else 16)


def say(line):
    print(line, flush=True)


def accept():
    peer, _ = listener.accept()
    return peer


waiting = []
if mode == "full":
    # One more than the queue takes: the kernel drops whoever comes now.
    for _ in range(3):
        peer = socket.socket()
        peer.setblocking(False)
        peer.connect_ex(listener.getsockname())
        waiting.append(peer)
say(listener.getsockname()[1])

if mode in ("mute", "full"):
    signal.pause()
elif mode == "closing":
    while True:
        accept().close()
        say("closed")
elif mode in ("lying", "lying-older"):
    # Says yes in the version it is asked in, announces 256 MiB, and sends as long as it is listened to.
    while True:
        peer = accept()
        asked = peer.recv(4096)
        if mode == "lying-older" and asked[8] == 5:
            peer.sendall(b"\x20\x02\x00\x01")
            peer.close()
            continue
        peer.sendall(b"\x20\x03\x00\x00\x00" if asked[8] == 5 else b"\x20\x02\x00\x00")
        count = 0
        try:
            peer.sendall(b"\x30\xff\xff\xff\x7f\x00\x01t")
            while count < 1 << 28:
                count += peer.send(bytes(1 << 20))
                # As a network does it: not faster than it is read.
                while array.array("i", fcntl.ioctl(peer, termios.TIOCOUTQ, bytes(4)))[0]:
                    time.sleep(0.0001)
        except OSError:
            pass
        say(count)
elif mode == "flooding":
    # Messages without end.
    peer = accept()
    asked = peer.recv(4096)
    peer.sendall(b"\x20\x03\x00\x00\x00" if asked[8] == 5 else b"\x20\x02\x00\x00")
    empty = b"\x00" if asked[8] == 5 else b""
    message = b"\x00\x01t" + empty + b"x" * 90
    packet = (b"\x30" + bytes([len(message)]) + message) * 1000
    try:
        while True:
            peer.sendall(packet)
    except OSError:
        say("ended")
    signal.pause()
elif mode == "garbled":
    while True:
        peer = accept()
        peer.recv(4096)
        peer.sendall(b"\x20\x03\x00\x00\x00\x30\x05\x00\x02\xff\xfe\x00")
        peer.recv(4096)
        peer.close()
elif mode == "dismissing":
    # Takes whoever comes, and ends it with a reason: another has taken the session over.
    while True:
        peer = accept()
        peer.recv(4096)
        peer.sendall(b"\x20\x03\x00\x00\x00\xe0\x01\x8e")
        peer.recv(4096)
        peer.close()
