import Foundation
import HarkWire
import Testing

/// Keys are sent to their server, and stand nowhere else.
@Suite(.endToEnd) struct KeyTests {
    private let scene: DeliveryScene

    private static let keys = [
        "sc_keyOfAFile", "sc_keyOfACredential", "sc_keyOfAVariable", "tokenOfAHeader", "pwOfAURL",
    ]

    init() throws { scene = try DeliveryScene() }

    @Test("L3: no key appears in any log, error, status, setting, file of the store or command line")
    func nowhere() throws {
        let home = scene.home
        try home.files.write(Self.keys[0] + "\n", to: "config/core.key")
        try check("mkdir") { mkdir(home.files.path("credentials"), 0o700) }
        try home.files.write(Self.keys[1], to: "credentials/core-key")
        home.variables = ["CREDENTIALS_DIRECTORY": home.files.path("credentials"), "CORE_KEY": Self.keys[2]]
        let doors = try ["file", "credential", "variable", "otel", "hook"].map { try scene.receiver.door($0) }
        let quick = DeliveryScene.quick + #","kinds":["log"],"maxAttempts":2"#
        func core(_ door: Receiver.Door, _ key: String) -> String {
            #"{"name":"\#(door.name)","kind":"sensorcore","host":"\#(door.url)",\#(key),\#(quick)}"#
        }
        func header(_ door: Receiver.Door, _ kind: String) -> String {
            let url = door.url.replacing("http://", with: "http://user:\(Self.keys[4])@")
            return
                #"{"name":"\#(door.name)","kind":"\#(kind)","url":"\#(url)/\#(kind == "otlp" ? "v1/logs" : "in")?key=\#(Self.keys[4])","#
                + #""headers":{"Authorization":"Bearer \#(Self.keys[3])"},\#(quick)}"#
        }
        try scene.configure(
            core(doors[0], #""apiKeyFile":"core.key""#), core(doors[1], #""apiKeyCredential":"core-key""#),
            core(doors[2], #""apiKeyEnv":"CORE_KEY""#), header(doors[3], "otlp"), header(doors[4], "http"))
        try scene.start()

        var told: [String] = []
        func ask(_ method: String, _ params: String = "{}") throws {
            told.append(try scene.client.ask(method, params).description)
        }
        // Servers that repeat the request, in every form of a wrong answer.
        let own = Self.keys.prefix(3) + [String](repeating: "Bearer \(Self.keys[3]) \(Self.keys[4])", count: 2)
        func weathers(_ echo: String) -> [[Receiver.Rule]] {
            [
                [],
                [
                    .init(
                        "accept",
                        #""answer":{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"no: \#(echo)"}}"#)
                ],
                [.init("reset")], [.init("garbage")],
                [.status(401, headers: #"{"WWW-Authenticate":"Bearer \#(echo)"}"#, body: #""no: \#(echo)""#)],
                [.status(400, body: #"{"error":"\#(echo)"}"#)], [.status(500, body: #""\#(echo)""#)],
                [.status(302, headers: #"{"Location":"http://x.test/?key=\#(Self.keys[4])"}"#)],
                [.status(429, headers: #"{"Retry-After":"\#(echo)"}"#)],
            ]
        }
        for number in weathers("").indices {
            for (door, echo) in zip(doors, own) {
                try door.set(weathers(echo)[number])
                try ask(
                    "log.write",
                    #"{"message":"m","metadata":{"w":"w","n":\#(told.count)},"confirm":true,"destination":"\#(door.name)"}"#
                )
            }
            try ask("delivery.status")
            try ask("delivery.resume")
        }
        for door in doors { try door.close() }
        try ask("log.write", #"{"message":"m","confirm":true}"#)
        // Each has met its server, with its key.
        #expect(try doors.prefix(3).map { try $0.report.header("x-api-key") } == Self.keys.prefix(3).map { $0 })
        #expect(
            try doors.suffix(2).allSatisfy { try $0.report.header("Authorization")?.contains(Self.keys[3]) == true })

        for method in ["config.get", "daemon.status", "delivery.status", "delivery.deadletters", "daemon.metrics"] {
            try ask(method)
        }
        told.append(try home.hark("config", "show").output)
        told.append(try home.hark("delivery").output)
        told.append(try home.hark("delivery", "dead").output)
        told.append(try String(contentsOfFile: "/proc/\(scene.daemon.id)/cmdline", encoding: .utf8))
        let variables = try String(contentsOfFile: "/proc/\(scene.daemon.id)/environ", encoding: .utf8)
            .split(separator: "\0").filter { !$0.hasPrefix("CORE_KEY=") }
        told.append(variables.joined(separator: " "))
        // While it runs its write-ahead log is there too.
        let files = try RawFiles(home.state)
        #expect(files.content.contains { $0.name.hasSuffix("-wal") && !$0.data.isEmpty })
        #expect(files.occurring(of: Self.keys).isEmpty)
        try scene.daemon.stop()
        #expect(try RawFiles(home.state).occurring(of: Self.keys).isEmpty)
        told.append(try scene.daemon.errors)
        #expect(try scene.daemon.errors.contains("HTTP 401"))
        // The server has explained itself, and was heard: in the log where it took the rest, in dead letters where it did not.
        #expect(told.contains { $0.contains("it says: no: ") })
        #expect(try scene.daemon.errors.contains("no: "))
        for text in told {
            for key in Self.keys where text.contains(key) { Issue.record("\(key) is in \(text)") }
        }
    }

    @Test("a key that is not there, or is none, is told without it, and looked for again at a reload")
    func missing() throws {
        let door = try scene.receiver.door("core")
        try scene.home.files.write("sc_two\nlines", to: "config/core.key")
        try scene.configure(DeliveryScene.core(door))
        try scene.start()
        try scene.log(0...0)
        let status = try scene.client.wait(for: "core", "it is told") { $0.lastError != nil }
        #expect(
            status.lastError?.contains("core.key") == true && status.lastError?.contains("sc_two") == false, "\(status)"
        )
        #expect(status.dropped.isEmpty && status.pending == 1)
        try scene.home.files.write("sc_one\n", to: "config/core.key")
        try scene.reload()
        try scene.wait(for: door, toHave: 1)
        #expect(try door.report.header("x-api-key") == "sc_one")
    }

    @Test("L3: a key that is replaced after the server has refused it is used with the next request, without a word")
    func replaced() throws {
        let door = try scene.receiver.door("core")
        try scene.home.files.write("sc_old", to: "config/core.key")
        try scene.configure(DeliveryScene.core(door))
        try scene.start()
        try door.set(.status(401, times: 1))
        try scene.log(0...0)
        try scene.client.wait(for: "core", "it was refused") { $0.dropped == ["refused": 1] }
        #expect(try door.report.header("x-api-key") == "sc_old")
        try scene.home.files.write("sc_new", to: "config/core.key")
        try scene.log(1...1)
        try scene.wait(for: door, toHave: 1)
        #expect(try door.report.header("x-api-key") == "sc_new")
    }
}
