import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkSettings

/// `fleet` in `harkd.json`: valid values, the errors for others, and the cost for a daemon without a fleet.
@Suite(.timeLimit(.minutes(45))) struct FleetSettingsTests {
    private static func read(
        _ members: String, name: String = #""name":"shop","#, broker: String = "mqtt://broker.test"
    ) -> ReadSettings {
        let rest = members.isEmpty ? String(name.dropLast()) : name + members
        return ReadSettings(Array(#"{"fleet":{"broker":"\#(broker)",\#(rest)}}"#.utf8))
    }

    @Test("without more than a broker and a name it is a machine in no group, with the defaults")
    func defaults() {
        let settings = Self.read("").configuration.sections[FleetSettings.self]
        #expect(
            settings.isMachine && !settings.isHub && settings.name == "shop" && settings.broker == "mqtt://broker.test")
        #expect(settings.machine == nil && settings.group == nil && settings.shards == 1 && settings.serves == nil)
        #expect(settings.acknowledgeSeconds == 10 && !settings.followsClears && settings.password == nil)
        #expect(settings.destination.batchBytes == 100_000 && settings.destination.maxAttempts == nil)
        #expect(settings.destination.maxLogAgeSeconds == nil && settings.destination.maxPendingLogs == nil)
        #expect(settings.destination.contents == [.log, .event, .survey, .session])
        for text in [#"{"fleet":null}"#, "{}"] {
            let read = ReadSettings(Array(text.utf8))
            #expect(read.errors.isEmpty && read.warnings.isEmpty)
            #expect(read.configuration.sections[FleetSettings.self] == FleetSettings())
            #expect(read.configuration.allDestinations.isEmpty)
        }
    }

    @Test(
        "each member that is wrong is told at its place",
        arguments: [
            (#""role":"boss""#, "role"), (#""role":7"#, "role"), (#""userName":1"#, "userName"),
            (#""machine":"a/b""#, "machine"), (#""machine":"""#, "machine"), (#""machine":3"#, "machine"),
            (#""group":"a+b""#, "group"), (#""group":[]"#, "group"), (#""shards":0"#, "shards"),
            (#""shards":1025"#, "shards"), (#""shards":"2""#, "shards"),
            (#""ackTimeoutSeconds":0"#, "ackTimeoutSeconds"),
            (#""ackTimeoutSeconds":3601"#, "ackTimeoutSeconds"), (#""batchBytes":4095"#, "batchBytes"),
            (#""batchBytes":16777217"#, "batchBytes"), (#""kinds":["x"]"#, "kinds"), (#""kinds":"log""#, "kinds"),
            (#""names":"x""#, "names"), (#""where":"x = = 1""#, "where"), (#""level":"loud""#, "level"),
            (#""caFile":1"#, "caFile"), (#""certificateFile":1,"keyFile":"k""#, "certificateFile"),
            (#""certificateFile":"c","keyFile":1"#, "keyFile"), (#""certificateFile":"c""#, ""),
            (#""keyFile":"k""#, ""),
            (#""passwordFile":1"#, "passwordFile"), (#""passwordEnv":1"#, "passwordEnv"),
            (#""role":"hub","followClears":1"#, "followClears"), (#""role":"hub","serves":1"#, "serves"),
            (#""role":"hub","serves":[]"#, "serves"), (#""role":"hub","serves":[1]"#, "serves"),
            (#""role":"hub","serves":[0,0]"#, "serves"), (#""role":"hub","serves":[-1]"#, "serves"),
            (#""role":"hub","serves":["0"]"#, "serves"), (#""role":"hub","shards":2,"serves":[2]"#, "serves"),
        ])
    func wrong(members: String, member: String) {
        let errors = Self.read(members).errors
        let path = member.isEmpty ? "$.fleet" : "$.fleet.\(member)"
        #expect(errors.contains { $0.path.hasPrefix(path) }, "\(errors)")
    }

    @Test("the broker and the name are needed, and right")
    func needed() {
        #expect(ReadSettings(Array(#"{"fleet":{"name":"shop"}}"#.utf8)).errors.map(\.path) == ["$.fleet"])
        #expect(
            ReadSettings(Array(#"{"fleet":{"broker":"mqtt://b.test"}}"#.utf8)).errors.map(\.path) == ["$.fleet"])
        for text in ["[]", "7", #""x""#, "true"] {
            #expect(ReadSettings(Array(#"{"fleet":\#(text)}"#.utf8)).errors.map(\.path) == ["$.fleet"])
        }
        for name in ["", "a/b", "#", String(repeating: "n", count: 65)] {
            #expect(Self.read("", name: #""name":"\#(name)","#).errors.map(\.path) == ["$.fleet.name"])
        }
        for url in [
            "", "broker", "http://b.test", "mqtt://", "mqtt://b.test:0", "mqtt://b.test:99999", "mqtt://u:p@b.test",
        ] {
            let errors = Self.read("", broker: url).errors
            #expect(errors.map(\.path) == ["$.fleet.broker"], "\(url)")
            #expect(!errors.description.contains("u:p"))
        }
        #expect(!Self.read(#""servs":[0]"#).warnings.isEmpty || !Self.read(#""servs":[0]"#).errors.isEmpty)
    }

    @Test("config.get tells every setting and where the password is, and no password")
    func shown() async throws {
        let secret = "fleet-0123456789"
        try await FleetStage.run([FleetStage.Kiosk(fleet: nil)]) { stage in
            let fixture = stage.machine
            try fixture.put(secret, in: "fleet.password")
            let client = try fixture.connect()
            for (role, more) in [
                ("machine", #","machine":"kiosk-1","group":"g","kinds":["event"],"names":["a*"],"batchBytes":5000"#),
                ("hub", #","shards":4,"serves":[3,1],"followClears":true"#),
            ] {
                try fixture.configure(
                    """
                    {"archive":false,"notify":null,"fleet":{"broker":"\(stage.broker.url())","name":"far","role":"\(role)",\
                    "userName":"u","passwordFile":"fleet.password"\(more)}}
                    """)
                try await fixture.reload()
                let reply = try await client.call("config.get")
                let fleet = reply["config"]?["fleet"]
                #expect(
                    fleet?["passwordFile"] == "fleet.password" && fleet?["userName"] == "u"
                        && fleet?["role"] == .string(role))
                if role == "hub" {
                    #expect(fleet?["serves"] == [1, 3] && fleet?["shards"] == 4 && fleet?["followClears"] == true)
                } else {
                    #expect(fleet?["group"] == "g" && fleet?["kinds"] == ["event"] && fleet?["batchBytes"] == 5_000)
                }
                for method in ["config.get", "fleet.status", "daemon.status", "delivery.status"] {
                    #expect(try await !client.ask(method).description.contains(secret), "\(method)")
                }
            }
        }
    }

    @Test("who is not let in, or not let through, is told so in fleet.status, and why; without a word of the password")
    func rights() async throws {
        let rights = """
            user hub
            topic readwrite hark/shop/#
            user kiosk-1
            topic read hark/shop/#
            topic write hark/shop/hello/#
            user mute
            topic read hark/shop/#
            user deaf
            topic readwrite hark/shop/hello/#
            topic readwrite hark/shop/up/#
            topic read hark/shop/hub/#

            """
        let start: @DaemonActor @Sendable (EventLoop) async throws -> Broker = { loop in
            let folder = try TemporaryFolder(inMemory: true)
            for (number, name) in ["hub", "kiosk-1", "mute", "deaf"].enumerated() {
                let create = number == 0 ? ["-c"] : []
                try await HarkTesting.run(
                    ["mosquitto_passwd", "-b"] + create + [folder.path + "/passwords", name, "secret-\(name)"], on: loop
                )
            }
            let passwords = try String(contentsOfFile: folder.path + "/passwords", encoding: .utf8)
            return try await Broker.start(on: loop, files: ["rights": rights, "passwords": passwords]) {
                "allow_anonymous false\npassword_file \($0)/passwords\nacl_file \($0)/rights"
            }
        }
        try await LoopThread.shared.run { loop in
            let broker = try await start(loop)
            let url = broker.url()
            try await DaemonFixture.run(configuration: #"{"archive":false,"notify":null}"#) { hub in
                try hub.put("secret-hub", in: "p")
                try hub.configure(FleetStage.hub(url, fleet: #","userName":"hub","passwordFile":"p""#))
                try await hub.reload()
                try await eventually("the hub serves") { hub.daemon.fleet.hub?.state == .serving }
                try await DaemonFixture.run(configuration: #"{"archive":false,"notify":null}"#) { fixture in
                    @DaemonActor func problem(_ user: String, _ password: String, _ words: String...) async throws {
                        try fixture.put(password, in: "p")
                        try fixture.configure(
                            FleetStage.Kiosk(fleet: #","userName":"\#(user)","passwordFile":"p""#).text(url))
                        try await fixture.reload()
                        try await fixture.record("x")
                        try await eventually("\(user) is told \(words)") {
                            let problem = try await fixture.fleetStatus()["problem"]?.stringValue ?? ""
                            #expect(!problem.contains("secret"))
                            return words.allSatisfy(problem.contains)
                        }
                        let delivery = try await fixture.connect().call("delivery.status", #"{"destination":"fleet"}"#)
                        #expect(delivery["destinations"]?[0]?["lastError"]?.stringValue != nil)
                    }
                    try await problem("kiosk-1", "secret-wrong", "check user and password")
                    try await problem("nobody", "secret-nobody", "check user and password")
                    // It may say hello, and bring no records.
                    try await problem("kiosk-1", "secret-kiosk-1", "hark/shop/up/0/kiosk-1", "ACL")
                    try await problem("mute", "secret-mute", "hark/shop/hello/0/kiosk-1", "ACL")
                    try await problem("deaf", "secret-deaf", "read hark/shop/ack/kiosk-1")
                    try FileManager.default.removeItem(atPath: fixture.folder.path + "/p")
                    try fixture.configure(FleetStage.Kiosk(fleet: #","userName":"gone","passwordFile":"p""#).text(url))
                    try await fixture.reload()
                    try await eventually("it is told that it is missing") {
                        try await fixture.fleetStatus()["problem"]?.stringValue?.contains("p") == true
                    }
                }
            }
            try await broker.stop()
        }
    }

    @Test("a hub tells of its machines by pages, and of those that are asked for")
    func pages() async throws {
        let kiosks = (1...5).map { FleetStage.Kiosk(name: "kiosk-\($0)") }
        try await FleetStage.run(kiosks) { stage in
            for machine in stage.machines { try await machine.record("x") }
            try await stage.settle()
            var names: [String] = []
            var after = ""
            repeat {
                let page = try await stage.hub.fleetStatus(#"{"limit":2\#(after)}"#)
                names += page["machines"]?.arrayValue?.compactMap { $0["machine"]?.stringValue } ?? []
                #expect(page["machineCount"] == 5 && page["hereCount"] == 5 && page["refused"] == 0)
                after = page["next"]?.stringValue.map { #","after":"\#($0)""# } ?? ""
            } while !after.isEmpty
            #expect(names == kiosks.map(\.name))
            let line = try await stage.hub.fleetStatus(#"{"limit":1}"#)["machines"]?[0]
            #expect(line?["here"] == true && line?["pending"] == 0 && line?["lagSeconds"] == 0.0)
            #expect(line?["cursor"]?.intValue ?? 0 > 0 && line?["seenAt"]?.stringValue != nil)
            await stage.machines[2].daemon.stop()
            try await stage.hub.connect().wait(for: "fleet.status") {
                $0["hereCount"] == 4 && $0["machines"]?[2]?["here"] == false
            }
        }
    }

    /// Resources that a daemon without a fleet must not use, checked in a process without other uses of them.
    @Test("a daemon that is in no fleet does not load libmosquitto, and has no thread of it")
    func unloaded() async throws {
        try await LoopThread.shared.run { loop in
            let folder = try TemporaryFolder(inMemory: true)
            let path = DaemonFixture.folderOfPrograms + "/harkd"
            try DaemonFixture.write(#"{"archive":false,"notify":null}"#, to: folder.path + "/harkd.json")
            var command = ChildProcess.Command([path])
            command.environment = [
                "HARK_SOCKET": folder.path + "/socket", "HARK_STATE": folder.path + "/state",
                "HARK_CONFIG": folder.path,
            ]
            command.timeoutMicroseconds = 600_000_000
            var isOver = false
            let process = try ChildProcess(command, on: loop) { _ in isOver = true }
            try await eventually("it serves") { access(folder.path + "/socket", F_OK) == 0 || isOver }
            let client = try FixtureClient(path: folder.path + "/socket", loop: loop)
            #expect(try await client.call("fleet.status") == ["role": .null])
            try await client.call("event.record", #"{"name":"x"}"#)
            @DaemonActor func text(_ name: String) throws -> String {
                String(
                    decoding: try FileDescriptor.contents(of: "/proc/\(process.pid)/\(name)", limit: 1 << 20),
                    as: UTF8.self)
            }
            let maps = try text("maps")
            #expect(maps.contains("libsystemd") && !maps.contains("mosquitto"))
            let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.pid)/task").map {
                try text("task/\($0)/comm")
            }
            #expect(!tasks.contains { $0.contains("mqtt") || $0.contains("fleet") }, "\(tasks)")
            process.terminate()
            try await eventually("it ends") { isOver }
        }
    }
}
