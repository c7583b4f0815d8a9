import Foundation
import HarkWire
import Testing

/// `hark doctor` with real daemons and without: after the command that it prints, the fault is gone.
@Suite(.endToEnd) struct DoctorTests {
    private let scene: DoctorScene
    private var home: DaemonHome { scene.home }

    init() throws {
        scene = try DoctorScene()
        try home.configure(#"{"notify": null}"#)
    }

    @Test("a daemon that serves is all right, and looking at it changes nothing")
    func well() throws {
        let daemon = try home.start()
        try daemon.connect().call("event.record", #"{"name":"x"}"#)
        let before = try daemon.connect().call("daemon.status")["store"]?["lastSeq"]
        let findings = try scene.examine()
        #expect(findings.ending == .exited(0), "\(findings.checks)")
        for id in ["programs", "daemon", "service", "state-folder", "configuration", "store", "disk", "clock"] {
            #expect(findings.isOK(id), "\(id): \(findings.checks)")
        }
        #expect(try daemon.connect().call("daemon.status")["store"]?["lastSeq"] == before)
        let quiet = try Child.run([Programs.hark, "doctor", "--quiet"], environment: scene.variables)
        #expect(quiet.ending == .exited(0) && !quiet.output.contains("FAIL"))
    }

    @Test("no daemon, and a socket that was left behind or is none: the command starts one")
    func away() throws {
        try scene.mend("daemon", saying: "there is no socket")
        let other = try DoctorScene()
        try other.home.start().kill()
        try other.mend("daemon", saying: "left behind")
        let third = try DoctorScene()
        try third.home.files.write("", to: "s")
        try third.mend("daemon", saying: "is no socket")
    }

    @Test("a daemon that takes connections and does not answer is named, soon, and replaced")
    func silent() throws {
        let daemon = try home.start()
        daemon.child.signal(SIGSTOP)
        let start = ContinuousClock.now
        #expect(try scene.examine()["daemon"]?["message"]?.stringValue?.contains("did not answer within 2 s") == true)
        // Each check has two seconds, on a machine that may be busy.
        #expect(ContinuousClock.now - start < .seconds(40))
        try scene.mend("daemon", saying: "did not answer") { _ = try daemon.child.wait() }
    }

    @Test("folders and files that others may look into or change, and keys that they may read")
    func rights() throws {
        try home.files.write("secret\n", to: "config/core.key")
        try home.configure(
            #"{"destinations":[{"name":"core","kind":"sensorcore","host":"http://127.0.0.1:9","apiKeyFile":"core.key"}]}"#
        )
        for (path, mode) in [(home.configuration + "/core.key", 0o600), (home.configuration + "/harkd.json", 0o644)] {
            try check("chmod") { chmod(path, mode_t(mode)) }
        }
        let daemon = try home.start()
        let loosened: [(String, String, mode_t, String)] = [
            ("state-folder", home.state, 0o755, "users may read"), ("state-folder", home.state, 0o777, "write into"),
            ("key-file", home.configuration + "/core.key", 0o644, "has a key"),
            ("configuration-file", home.configuration + "/harkd.json", 0o666, "other users may change"),
        ]
        for (id, path, mode, words) in loosened {
            try check("chmod") { chmod(path, mode) }
            let found = try scene.examine()
            #expect(found[id]?["message"]?.stringValue?.contains(words) == true, "\(id): \(found.checks)")
            let line = try #require(found[id]?["mend"]?.stringValue)
            #expect(try Child.run(["bash", "-c", line], environment: scene.variables).ending == .exited(0))
            #expect(try scene.examine()[id] == nil, "\(line)")
        }
        #expect(daemon.child.isRunning)
    }

    @Test("a configuration that is wrong is told with its line, and the command opens it there and has it read again")
    func configuration() throws {
        let daemon = try home.start()
        try home.configure("{\n  \"archive\": 1\n}")
        try scene.stub("edit", #"[ "$1" = +2 ] && sed -i 's/1/false/' "$2""#)
        scene.variables["EDITOR"] = home.files.path("stubs/edit")
        try scene.mend("configuration", saying: "harkd.json:2:3: $.archive: must be true or false")
        #expect(try daemon.connect().call("config.get")["config"]?["archive"] == false)
    }

    @Test("a destination that is down is a fault, and tried again at once by the command when it is back")
    func destination() throws {
        let receiver = try Receiver()
        let door = try receiver.door("hook")
        try door.set(.status(503))
        try home.configure(
            #"{"notify":null,"archive":false,"destinations":[{"name":"hook","kind":"http","url":"\#(door.url)","kinds":["event"]}]}"#
        )
        let daemon = try home.start()
        try daemon.connect().call("event.record", #"{"name":"x"}"#)
        try waitUntil("the destination fails") { try scene.examine()["destination"] != nil }
        try door.set([])
        try scene.mend("destination", saying: "hook: ")
    }

    @Test(
        "no notify-send where it is asked for: the package is installed by the command; without a display, none is missed"
    )
    func desktop() throws {
        let daemon = try home.start()
        let folder = home.files.path("stubs")
        for name in ["bash", "sh", "chmod", "cp", "true"] {
            mkdir(folder, 0o755)
            try check("symlink") { symlink("/bin/\(name)", "\(folder)/\(name)") }
        }
        try scene.stub("apt-get", #"[ "$*" = "install libnotify-bin" ] && cp /bin/true "\#(folder)/notify-send""#)
        try scene.stub("sudo", #"exec "$@""#)
        scene.variables["PATH"] = folder
        scene.variables["HARK_NOTIFY_SEND"] = "1"
        scene.variables["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere"
        #expect(try scene.examine().isOK("notifications"))
        scene.variables["DISPLAY"] = ":4711"
        try scene.mend("notifications", saying: "HARK_NOTIFY_SEND")
        #expect(daemon.child.isRunning)
    }

    @Test("on a small terminal without signs, marks are words, lines fit, and what is wrong is seen")
    func terminal() throws {
        let screen = try TmuxScreen(home, columns: 40, rows: 60, environment: ["LANG": "C", "HARK_STATE": home.state])
        try screen.run(#"$hark doctor; echo "exit $?""#)
        try screen.wait(for: "exit 1")
        let text = try screen.text
        #expect(text.contains("FAIL daemon: no daemon runs") && text.contains("warn terminal: the locale C"))
        try screen.run(#"export LANG=C.UTF-8; $hark doctor --quiet; echo "exit $?""#)
        try screen.wait(for: "exit 1")
        let quiet = try screen.text
        #expect(quiet.contains("✗ daemon") && !quiet.contains("terminal:"))
    }

    @Test("a disk that is full is a fault, and no more once there is room", .enabled(if: MountSpace.isPossible))
    func fullDisk() throws {
        let space = try MountSpace()
        home.prefix = space.prefix
        scene.prefix = space.prefix
        try check("mkdir") { mkdir(home.state, 0o700) }
        try space.run("mount", "-t", "tmpfs", "-o", "size=40m,mode=0700", "tmpfs", home.state)
        let daemon = try home.start()
        #expect(try scene.examine().isOK("disk"))
        try space.run("dd", "if=/dev/zero", "of=\(home.state)/ballast", "bs=1M", "count=30", "status=none")
        let found = try scene.examine()
        #expect(found["disk"]?["state"] == "fault" && found["disk"]?["mend"] == nil, "\(found.checks)")
        let look = try #require(found["disk"]?["look"]?.stringValue)
        let shown = try Child.run(space.prefix + ["bash", "-c", look], environment: scene.variables)
        #expect(shown.output.contains("ballast"))
        try space.run("rm", "\(home.state)/ballast")
        #expect(try scene.examine().isOK("disk"))
        #expect(daemon.child.isRunning)
    }
}
