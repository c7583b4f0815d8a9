import Foundation
import HarkWire
import Testing

/// Counters and executions on the daemon of the machine.
@Suite(.endToEnd, .enabled(if: geteuid() == 0)) struct CounterAccessTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let root: SocketClient
    private let ada: SocketClient
    private let bob: SocketClient

    init() throws {
        home = try DaemonHome()
        home.options = ["--system"]
        try check("chmod") { [home] in chmod(home.files.path, 0o755) }
        try home.configure(
            """
            {"counters":{"shared":{}},"executions":[{"id":"watch","when":{"shared":{"op":"gte","value":2}},
            "run":{"exec":["sh","-c","id -u > \(home.files.path("ran"))-$HARK_UID"]}}]}
            """)
        daemon = try home.start()
        root = try daemon.connect()
        ada = try daemon.connect(uid: 65_534)
        bob = try daemon.connect(uid: 65_533)
    }

    @Test("every user has counters and executions of its own, and hears of its own only")
    func own() throws {
        for client in [ada, bob, root] { try client.call("counter.register", #"{"name":"c"}"#) }
        try bob.call("counter.subscribe")
        try bob.call("execution.subscribe")
        try ada.call("execution.add", #"{"id":"x","listensTo":["c"],"run":{"notify":true},"keepAlive":true}"#)
        #expect(try ada.call("counter.trigger", #"{"name":"c"}"#)["fired"] == ["x"])
        #expect(try bob.call("counter.get", #"{"name":"c"}"#)["value"] == 0)
        #expect(try bob.call("counter.trigger", #"{"name":"c"}"#)["fired"] == [])
        let told = try bob.notification()
        #expect(told["method"] == "counter.changed" && told["params"]?["value"] == 1)
        #expect(bob.heldNotification() == nil)
        func ids(_ client: SocketClient) throws -> [JSONValue?] {
            try client.call("execution.list")["executions"]?.arrayValue?.map { $0["id"] } ?? []
        }
        #expect(try ids(ada) == ["watch", "x"])
        #expect(try ids(bob) == ["watch"])
        #expect(try ids(root) == ["watch", "x"])
        #expect(try bob.call("execution.list")["runs"] == [])
        #expect(try bob.ask("execution.remove", #"{"id":"x"}"#).reason == "notFound")
        try bob.call("event.clear", #"{"all":true}"#)
        #expect(try ada.call("counter.get", #"{"name":"c"}"#)["value"] == 1)
    }

    @Test("only administrators may add programs, which run as the daemon; others may be told and ask surveys")
    func programs() throws {
        let program = #"{"id":"x","listensTo":["shared"],"run":{"exec":["true"]}}"#
        let refused = try ada.ask("execution.add", program)
        #expect(refused.reason == "permissionDenied" && refused.path == "$.params.run.exec")
        try root.call("execution.add", program)
        let member = try daemon.connect(uid: 60_000, groups: [4])
        try member.call("execution.add", program)
        try ada.call("execution.add", #"{"id":"x","listensTo":["shared"],"run":{"notify":true}}"#)
    }

    @Test("an execution of the settings runs once for each user, as the daemon's user")
    func settings() throws {
        for client in [ada, bob] {
            for _ in 0..<3 { try client.call("counter.trigger", #"{"name":"shared"}"#) }
        }
        for uid in [65_534, 65_533] {
            try waitUntil("it ran for \(uid)") {
                (try? String(contentsOfFile: home.files.path("ran") + "-\(uid)", encoding: .utf8)) == "0\n"
            }
        }
        try waitUntil("both are done") {
            let runs = try root.call("execution.list")["runs"]?.arrayValue ?? []
            return runs.count == 2 && runs.allSatisfy { $0["state"] == "done" }
        }
        #expect(try ada.call("execution.list")["runs"]?.arrayValue?.count == 1)
    }
}
