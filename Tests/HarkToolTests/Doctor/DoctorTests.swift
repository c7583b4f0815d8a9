import Glibc
import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// `hark doctor` on made-up machines: each fault by itself, with its remedy.
@Suite struct DoctorTests {
    private static let start =
        "systemctl --user enable harkd.socket && systemctl --user restart harkd.socket"

    /// Changes one thing, and expects one fault with its advice.
    private func expect(
        _ id: String, state: Finding.State = .fault, _ advice: Finding.Advice?, saying words: String = "",
        _ location: SourceLocation = #_sourceLocation, _ change: (inout MadeUpMachine) -> Void
    ) {
        var made = MadeUpMachine()
        change(&made)
        let found = made.wrong.filter { $0.id == id }
        #expect(found.count == 1, "\(made.wrong)", sourceLocation: location)
        #expect(found.first?.state == state && found.first?.advice == advice, "\(found)", sourceLocation: location)
        #expect(found.first?.message.contains(words) == true, "\(found)", sourceLocation: location)
        #expect(made.findings.hasFault == (state == .fault), sourceLocation: location)
    }

    @Test("where all is well, nothing is found, whether there is a desktop, a terminal and systemd or not")
    func well() {
        var made = MadeUpMachine()
        #expect(made.wrong == [])
        made.variables["WAYLAND_DISPLAY"] = nil
        made.programs = ["harkd"]
        made.entries["/run/systemd/system"] = nil
        made.terminal.isThere = false
        #expect(made.wrong == [])
    }

    @Test("programs: none, one of another version, one whose library is missing, one that hangs")
    func programs() {
        expect("programs", .mend("sudo apt-get install hark")) { $0.programs.remove("harkd") }
        expect("programs", .mend("sudo apt-get install --reinstall hark"), saying: "9.9.9") { made in
            made.version = "9.9.9"
            made.programs.remove("hark-dialog")
            made.variables["WAYLAND_DISPLAY"] = nil
        }
        let loader =
            "/usr/bin/harkd: error while loading shared libraries: libsimdjson.so.14: cannot open shared object file\n"
        expect("programs", .mend("sudo apt-get install libsimdjson14"), saying: "libsimdjson.so.14") {
            $0.outcomes["/usr/bin/harkd --version"] = .ended(127, loader)
        }
        expect("programs", .mend("sudo apt-get install --reinstall hark"), saying: "does not end") {
            $0.outcomes["/usr/bin/harkd --version"] = .tookTooLong
        }
        let packages = ["libsystemd.so.0", "libsqlite3.so.0", "libz.so.1", "libcurl.so.4"].map(Examination.package)
        #expect(packages == ["libsystemd0", "libsqlite3-0", "zlib1g", "libcurl4"])
    }

    @Test("the socket: none, left behind, no socket, closed, too long, silent")
    func socket() {
        expect("daemon", .mend(Self.start), saying: "there is no socket") { made in
            made.contacts = [:]
            made.units = MadeUpMachine.units(service: "inactive")
        }
        expect("daemon", .mend(Self.start), saying: "left behind") { made in
            made.contacts[MadeUpMachine.socket] = .unreachable(ECONNREFUSED)
            made.units = MadeUpMachine.units(service: "inactive")
        }
        let path = MadeUpMachine.socket
        expect("daemon", .mend("mv \(path) \(path).away && \(Self.start)"), saying: "no socket") { made in
            made.contacts[path] = .unreachable(ECONNREFUSED)
            made.entries[path]?.kind = .file
            made.units = MadeUpMachine.units(service: "inactive")
        }
        expect("daemon", .mend("chmod 600 \(path)")) { $0.contacts[path] = .unreachable(EACCES) }
        expect("daemon", .mend("unset HARK_SOCKET"), saying: "107") { made in
            let long = "/" + String(repeating: "x", count: 120)
            made.variables["HARK_SOCKET"] = long
            made.contacts[long] = .unreachable(ENAMETOOLONG)
        }
        expect("daemon", .mend("systemctl --user restart harkd.service"), saying: "did not answer") {
            $0.contacts[path] = .silent(nil)
        }
    }

    @Test("without systemd, a daemon is started and ended by hand")
    func byHand() {
        expect("daemon", .mend("setsid /usr/bin/harkd >/dev/null 2>&1 &")) { made in
            made.contacts = [:]
            made.entries["/run/systemd/system"] = nil
        }
        expect(
            "daemon",
            .mend(
                "kill -KILL 812; while grep -q . /proc/812/cmdline 2>/dev/null; do sleep 0.1; done; "
                    + "setsid /usr/bin/harkd >/dev/null 2>&1 &")
        ) { made in
            made.contacts[MadeUpMachine.socket] = .silent(812)
            made.entries["/run/systemd/system"] = nil
        }
    }

    @Test("a daemon of another version is to be started anew")
    func version() {
        expect("daemon", .mend("systemctl --user restart harkd.service"), saying: "0.0.9") {
            $0.contacts[MadeUpMachine.socket] = .answers(
                status: MadeUpMachine.status(#""version":"0.0.9""#), configuration: MadeUpMachine.configuration)
        }
    }

    @Test("the unit: masked, failed, not enabled, not listening, a systemd that does not answer")
    func service() {
        func away(_ made: inout MadeUpMachine, _ units: String) {
            made.contacts = [:]
            made.units = units
        }
        expect(
            "service", .mend("systemctl --user unmask harkd.socket harkd.service && \(Self.start)"), saying: "masked"
        ) {
            away(&$0, MadeUpMachine.units(load: "masked", socket: "inactive", service: "inactive", file: "masked"))
        }
        let reset = "systemctl --user reset-failed harkd.socket harkd.service"
        expect("service", .mend("\(reset) && \(Self.start)"), saying: "exit-code") {
            away(&$0, MadeUpMachine.units(service: "failed"))
        }
        expect("service", .mend(Self.start), saying: "at login") {
            away(&$0, MadeUpMachine.units(socket: "inactive", service: "inactive", file: "disabled"))
        }
        expect("service", .mend(Self.start), saying: "does not listen") {
            away(&$0, MadeUpMachine.units(socket: "inactive", service: "inactive"))
        }
        expect("service", state: .warning, .mend("systemctl --user enable harkd.socket")) {
            $0.units = MadeUpMachine.units(file: "disabled")
        }
        expect("service", state: .warning, nil, saying: "Failed to connect to bus") {
            $0.outcomes["/usr/bin/systemctl"] = .ended(1, "Failed to connect to bus: No medium found\n")
        }
        expect("service", state: .warning, nil, saying: "no answer within 2 s") {
            $0.outcomes["/usr/bin/systemctl"] = .tookTooLong
        }
    }

    @Test("root is told of the machine's daemon, and needs no sudo")
    func root() {
        var made = MadeUpMachine()
        made.uid = 0
        made.variables = ["HOME": "/root", "TERM": "xterm", "LANG": "C.UTF-8"]
        made.contacts = [:]
        made.units = MadeUpMachine.units(socket: "inactive", service: "inactive", file: "disabled")
        let wrong = made.wrong
        let start = "systemctl enable harkd.socket && systemctl restart harkd.socket"
        #expect(wrong.map(\.id) == ["daemon", "service"])
        #expect(wrong.allSatisfy { $0.advice == .mend(start) } && wrong[0].message.contains("/run/hark/hark.sock"))
    }

    @Test("folders and files: another's, open to others, closed to their own user")
    func folders() {
        let state = "/home/ada/.local/state/hark"
        expect("state-folder", .mend("chmod 700 \(state)"), saying: "users may read") {
            $0.entries[state]?.mode = 0o755
        }
        expect("state-folder", .mend("chmod 700 \(state)"), saying: "write into") { $0.entries[state]?.mode = 0o777 }
        expect("state-folder", .mend("chmod 700 \(state)"), saying: "closed") { $0.entries[state]?.mode = 0o500 }
        expect("state-folder", .mend("sudo chown -R 1000 \(state)")) { $0.entries[state]?.owner = 0 }
        expect("runtime-folder", .mend("chmod go-w /run/user/1000/hark")) {
            $0.entries["/run/user/1000/hark"]?.mode = 0o777
        }
        let file = "/home/ada/.config/hark/harkd.json"
        expect("configuration-file", .mend("chmod go-w \(file)")) { $0.entries[file]?.mode = 0o666 }
        expect("configuration-folder", .mend("sudo chown 1000 /home/ada/.config/hark")) {
            $0.entries["/home/ada/.config/hark"]?.owner = 1001
        }
        let key = "/home/ada/.config/hark/core.key"
        expect("key-file", .mend("chmod 600 \(key)")) { $0.entries[key]?.mode = 0o644 }
        expect("key-file", .mend("sh -c 'umask 077; ${EDITOR:-vi} \"$0\"' \(key)")) { $0.entries[key] = nil }
    }

    @Test("the configuration: what is wrong comes with file, line and column, and the command that opens it there")
    func configuration() {
        let file = "/home/ada/.config/hark/harkd.json"
        let found = #"[{"file":"\#(file)","path":"$.archive","message":"must be true or false","line":3,"column":5}]"#
        expect(
            "configuration", .mend("${EDITOR:-vi} +3 \(file) && hark config reload"),
            saying: "\(file):3:5: $.archive: must be true or false"
        ) { $0.check = #"{"valid":false,"errors":\#(found),"problems":[],"keyFiles":[]}"# }
        expect("configuration", state: .warning, .mend("${EDITOR:-vi} +3 \(file) && hark config reload")) {
            $0.check = #"{"valid":true,"errors":[],"problems":\#(found),"keyFiles":[]}"#
        }
        expect("configuration", .look("harkd --check")) { $0.outcomes["/usr/bin/harkd --config"] = .tookTooLong }
    }

    @Test("the store: it refuses, its disk is full, rows cannot be read, its clock is not believed")
    func store() {
        func answers(_ status: String) -> Machine.Contact {
            .answers(status: status, configuration: MadeUpMachine.configuration)
        }
        expect("store", .look("hark status"), saying: "the disk is full") {
            $0.contacts[MadeUpMachine.socket] = answers(
                MadeUpMachine.status(#""degradedReason":"the disk is full""#, state: "degraded"))
        }
        let look = Finding.Advice.look("du -xah /home/ada/.local/state/hark | sort -h | tail")
        expect("disk", look, saying: "too little") { $0.room?.free = 1 << 20 }
        expect("disk", state: .warning, look) { $0.room?.free = 100 << 20 }
        expect(
            "unreadable", .mend("hark repair"),
            saying: "2 pieces of the store cannot be read and are passed over, with up to 12 records"
        ) {
            $0.contacts[MadeUpMachine.socket] = answers(
                MadeUpMachine.status(
                    #""store":{"path":"/home/ada/.local/state/hark/hark.db","unreadable":2,"lostRecords":12}"#))
        }
        expect("clock", state: .warning, .mend("hark retention apply --trust-clock")) {
            $0.contacts[MadeUpMachine.socket] = answers(
                MadeUpMachine.status(#""believedTime":"2026-11-21T11:08:00.123Z""#))
        }
    }

    @Test("destinations: one that fails is tried again, one with dead letters is looked at")
    func destinations() {
        func with(_ destination: String) -> Machine.Contact {
            .answers(
                status: MadeUpMachine.status(destinations: destination), configuration: MadeUpMachine.configuration)
        }
        expect("destination", .mend("hark delivery resume core"), saying: "core: connection refused, 3 records wait") {
            $0.contacts[MadeUpMachine.socket] = with(
                #"{"name":"core","state":"open","pending":3,"lastError":"connection refused","deadLetters":0}"#)
        }
        // Another try does not help against a restriction of the unit.
        expect(
            "destination",
            .mend("sudo install -D -m 644 /usr/share/hark/network.conf /etc/x.conf && sudo systemctl restart harkd"),
            saying: "core: harkd may not use the network, as its unit keeps it away, 3 records wait"
        ) {
            $0.contacts[MadeUpMachine.socket] = with(
                #"""
                {"name":"core","state":"open","pending":3,"deadLetters":0,"lastError":"harkd may not use the network, as \#
                its unit keeps it away; to let it: 'sudo install -D -m 644 /usr/share/hark/network.conf /etc/x.conf' and \#
                'sudo systemctl restart harkd'"}
                """#)
        }
        expect("destination", state: .warning, .look("hark delivery dead core")) {
            $0.contacts[MadeUpMachine.socket] = with(
                #"{"name":"core","state":"idle","pending":0,"lastError":null,"deadLetters":1}"#)
        }
    }

    @Test("the fleet: the broker away, no hub, documents that are not in force; nothing where there is none")
    func fleet() {
        func member(_ state: String, _ more: String = "", broker: String = "mqtts://b") -> Machine.Contact {
            .answers(
                status: MadeUpMachine.status(), configuration: MadeUpMachine.configuration,
                fleet:
                    #"{"role":"machine","fleet":"shop","broker":"\#(broker)","state":"\#(state)","pending":3\#(more)}"#)
        }
        let look = Finding.Advice.look("hark fleet")
        expect(
            "fleet", look, saying: "shop: the broker mqtts://b is not reached: it refused the password, 3 records wait"
        ) {
            $0.contacts[MadeUpMachine.socket] = member("connecting", #","problem":"it refused the password""#)
        }
        expect("fleet", .mend("sudo systemctl restart mosquitto")) {
            $0.programs.insert("mosquitto")
            $0.contacts[MadeUpMachine.socket] = member(
                "connecting", #","cause":"unreachable""#, broker: "mqtt://127.0.0.1:1883")
        }
        // A restart of the broker does not help against a wrong setting.
        for cause in [#","cause":"login""#, #","cause":"limit""#, #","cause":"setting""#, #","cause":"broker""#, ""] {
            expect("fleet", look) {
                $0.programs.insert("mosquitto")
                $0.contacts[MadeUpMachine.socket] = member("connecting", cause, broker: "mqtt://127.0.0.1:1883")
            }
        }
        expect("fleet", state: .warning, look, saying: "records that machines have cleared are still here: 2 clears") {
            $0.contacts[MadeUpMachine.socket] = member("ready", #","clears":[{},{}]"#)
        }
        expect("fleet", look, saying: "there is no hub") { $0.contacts[MadeUpMachine.socket] = member("alone") }
        expect("fleet", state: .warning, look, saying: "surveys from the hub are not in force: no title") {
            $0.contacts[MadeUpMachine.socket] = member(
                "ready", #","documents":[{"kind":"surveys","version":"1","problem":"no title"}]"#)
        }
        let held = #"{"id":"nps","member":"quota","version":"0.2.0","whole":true}"#
        expect(
            "fleet", state: .warning, look,
            saying:
                "this Hark cannot read 2 surveys from the hub; update it: survey nps needs Hark 0.2.0 (quota); 1 survey more"
        ) {
            $0.contacts[MadeUpMachine.socket] = member(
                "ready", #","documents":[{"kind":"surveys","version":"1","heldCount":2,"held":[\#(held)]}]"#)
        }
        expect(
            "fleet", state: .warning, look,
            saying: "2 machines have an older Hark, which cannot read everything that is pushed; update them"
        ) {
            $0.contacts[MadeUpMachine.socket] = member("serving", #","machines":[],"machineCount":3,"heldCount":2"#)
        }
        expect("fleet", state: .warning, look, saying: "a copy") {
            $0.contacts[MadeUpMachine.socket] = member("ready", #","notes":["another has a copy of this disk"]"#)
        }
        var made = MadeUpMachine()
        made.contacts[MadeUpMachine.socket] = member("ready")
        #expect(made.wrong == [] && made.findings.contains { $0.message == "shop: the hub is there, 3 records wait" })
        made.contacts[MadeUpMachine.socket] = .answers(
            status: MadeUpMachine.status(), configuration: MadeUpMachine.configuration, fleet: #"{"role":null}"#)
        #expect(!made.findings.contains { $0.id == "fleet" })
    }

    @Test("a survey that is ready and that nobody shows is no fault, as who is to see it may only not have come")
    func waitingSurveys() {
        expect("surveys", state: .warning, .look("hark surveys"), saying: "nothing here shows surveys") {
            $0.contacts[MadeUpMachine.socket] = .answers(
                status: MadeUpMachine.status(
                    #""problems":[{"about":"waiting surveys","message":"nothing here shows surveys"}]"#),
                configuration: MadeUpMachine.configuration)
        }
    }

    @Test("the desktop: no notify-send, no bus, no windows, and windows without a library")
    func desktop() {
        expect("notifications", .mend("sudo apt-get install libnotify-bin")) {
            $0.programs.remove("notify-send")
            $0.variables["HARK_NOTIFY_SEND"] = "1"
        }
        var made = MadeUpMachine()
        made.programs.remove("notify-send")
        #expect(made.wrong == [])
        expect("notifications", .mend("sudo apt-get install dbus-user-session")) {
            $0.entries["/run/user/1000/bus"] = nil
        }
        expect("windows", state: .warning, .mend("sudo apt-get install hark-dialog")) {
            $0.programs.remove("hark-dialog")
        }
        expect("windows", .mend("sudo apt-get install libadwaita-1-0")) {
            $0.outcomes["/usr/bin/hark-dialog --version"] = .ended(
                127, "hark-dialog: error while loading shared libraries: libadwaita-1.so.0: cannot open\n")
        }
    }

    @Test("the terminal: the C locale, none that can show a form, too few columns")
    func terminal() {
        expect("terminal", state: .warning, .mend("export LC_ALL=C.UTF-8")) { $0.variables["LC_ALL"] = "C" }
        expect("terminal", state: .warning, .mend("export LANG=C.UTF-8")) { $0.variables["LANG"] = nil }
        expect("terminal", state: .warning, .mend("export TERM=xterm-256color")) { $0.variables["TERM"] = "dumb" }
        expect("terminal", state: .warning, nil, saying: "30 columns") { $0.terminal.columns = 30 }
    }

    @Test("without a package system of Debian's, what is missing is named and no command made up")
    func elsewhere() {
        expect("programs", nil) { made in made.programs.subtract(["harkd", "apt-get"]) }
    }

    @Test(
        "a user of the machine's daemon who is no administrator is told what they may know, and nothing that is not so")
    func outsider() {
        var made = MadeUpMachine()
        made.contacts = [
            "/run/hark/hark.sock": .answers(
                status:
                    #"{"version":"\#(Version.current)","pid":812,"mode":"system","uptimeSeconds":1,"state":"running"}"#,
                configuration: nil)
        ]
        #expect(made.wrong == [])
        #expect(!made.findings.contains { ["state-folder", "key-file", "clock"].contains($0.id) })
    }

    @Test("what an account recorded in a daemon of its own, and the machine's does not know, is found and brought over")
    func twoPlaces() {
        let state = "/home/ada/.local/state/hark"
        expect(
            "place", state: .warning,
            .mend("hark import \(state)/archive && mkdir -p \(state)/moved && mv \(state)/hark.db* \(state)/moved/"),
            saying: "the machine's daemon"
        ) { made in
            made.entries[state + "/hark.db"] = .init(kind: .file, owner: 1000, mode: 0o600)
            made.contacts = [
                "/run/hark/hark.sock": .answers(
                    status:
                        #"{"version":"\#(Version.current)","pid":812,"mode":"system","uptimeSeconds":1,"state":"running"}"#,
                    configuration: nil)
            ]
        }
    }

    @Test("while no daemon answers, the store of an account's own daemon is not to be moved away")
    func ownStopped() {
        var made = MadeUpMachine()
        made.entries["/home/ada/.local/state/hark/hark.db"] = .init(kind: .file, owner: 1000, mode: 0o600)
        for code in [ENOENT, ECONNREFUSED] {
            made.contacts = ["/run/hark/hark.sock": .unreachable(code)]
            #expect(made.findings.contains { $0.id == "daemon" && $0.state == .fault })
            #expect(!made.findings.contains { $0.id == "place" })
        }
    }

    @Test(
        "what an account recorded in the machine's daemon before it had its own is found and brought over; an administrator looks"
    )
    func twoPlacesOtherWay() {
        let state = "/home/ada/.local/state/hark"
        let there = "HARK_SOCKET=/run/hark/hark.sock"
        func made(_ made: inout MadeUpMachine, _ more: String, has: Bool) {
            made.programs.formUnion(["env", "hark"])
            made.contacts["/run/hark/hark.sock"] = .answers(
                status: #"{"version":"\#(Version.current)","pid":8,"mode":"system","state":"running"\#(more)}"#,
                configuration: nil)
            made.outcomes["/usr/bin/env \(there) /usr/bin/hark sql"] = .ended(0, has ? #"{"1":1}"# : "")
        }
        expect(
            "place", state: .warning,
            .mend(
                "\(there) hark export \(state)/from-machine && hark import \(state)/from-machine && \(there) hark clear --all --yes"
            ), saying: "its earlier records are in the machine's daemon"
        ) { made(&$0, "", has: true) }
        expect(
            "place", state: .warning,
            .look("\(there) hark sql 'SELECT * FROM sessions WHERE uid = 1000 LIMIT 1'"), saying: "the machine's"
        ) { made(&$0, #","store":{"path":"/var/lib/hark/hark.db"}"#, has: true) }
        var machine = MadeUpMachine()
        made(&machine, "", has: false)
        #expect(machine.wrong == [])
    }

    @Test("a daemon of one's own that goes with the login is told of, and one that lingers is not")
    func lingering() {
        func chosen(_ made: inout MadeUpMachine) {
            made.variables["USER"] = "ada"
            made.entries["/home/ada/.config/systemd/user/sockets.target.wants/harkd.socket"] = .init(
                kind: .other, owner: 1000, mode: 0o777)
        }
        expect("lingering", state: .warning, .mend("loginctl enable-linger"), saying: "cron jobs") { chosen(&$0) }
        var machine = MadeUpMachine()
        chosen(&machine)
        machine.entries["/var/lib/systemd/linger/ada"] = .init(kind: .file, owner: 0, mode: 0o644)
        #expect(machine.wrong == [])
    }

    @Test("settings that are gone and still in force are not called the defaults")
    func settingsThatAreGone() {
        let file = "/home/ada/.config/hark/harkd.json"
        expect("configuration", state: .warning, .look("hark config show"), saying: "last settings") {
            $0.entries[file] = nil
        }
    }

    @Test("words of shell are quoted")
    func quoting() {
        #expect(Examination.quoted("/a/b-c.d") == "/a/b-c.d" && Examination.quoted("") == "''")
        #expect(Examination.quoted("it's $x") == #"'it'\''s $x'"#)
    }
}
