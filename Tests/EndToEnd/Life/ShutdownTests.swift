import Foundation
import HarkWire
import Testing

/// The end in order: SIGTERM and SIGINT.
@Suite(.endToEnd) struct ShutdownTests {
    private let home: DaemonHome

    init() throws { home = try DaemonHome() }

    private static let styles: [LoadWriter.Style] = [
        .init(app: "default", window: 1), .init(app: "desk", window: 64), .init(app: "shop", window: 500),
        .init(app: "lab", window: 50, silence: 10), .init(app: "lab", window: 1, sessionEvery: 3),
    ]

    @Test("SIGTERM and SIGINT under load: all that was received is stored and answered, then exit 0")
    func underLoad() throws {
        var audit = StoreAudit()
        var fastest = Double.infinity
        for round in 1...6 {
            let daemon = try home.start()
            let writers = try ShutdownTests.styles.enumerated().map {
                try LoadWriter("round \(round) writer \($0)", $1, to: daemon)
            }
            let enough = round * 300
            try waitUntil("the writers are answered") { writers.reduce(0) { $0 + $1.progress } >= enough }
            let (ending, seconds) = try daemon.stop(round % 2 == 0 ? SIGTERM : SIGINT)
            #expect(ending == .exited(0))
            fastest = min(fastest, seconds)
            #expect(seconds < 10)
            for writer in writers {
                writer.join()
                let answered = writer.acknowledged.map(\.request)
                // After 0.7 s it ends all the same; a very busy machine takes longer.
                let isCutOff = seconds > 0.7 && writer.received.starts(with: answered)
                #expect(answered == writer.received || isCutOff, "\(writer.label)")
            }
            #expect(access(home.socket, F_OK) != 0, "the socket is put away")
            let next = try home.start()
            try audit.check(try next.connect(), against: writers)
            #expect(try next.stop().ending == .exited(0))
        }
        // Within a second; others use this machine too, so not every time.
        #expect(fastest < 1)
    }

    @Test("a long queue of requests that has been sent is stored and answered to the last")
    func longQueue() throws {
        let daemon = try home.start()
        let clients = try (0..<10).map { _ in try daemon.connect() }
        let requests = (0..<300).map {
            #"{"id":\#($0),"method":"event.record","params":{"name":"a","properties":{"n":\#($0)}}}"# + "\n"
        }
        // One that goes on sending must not keep the daemon from its end.
        let talker = try LoadWriter("talker", .init(app: "talk", window: 1_000), to: daemon)
        for client in clients { try client.send(requests.joined()) }
        daemon.child.signal(SIGTERM)
        for client in clients {
            for number in 0..<300 { #expect(try client.readLine().flatMap(RecordReply.init)?.request == number) }
            #expect(try client.readLine() == nil)
        }
        #expect(try daemon.child.wait() == .exited(0))
        talker.join()
        let next = try home.start().connect()
        #expect(try next.lines(after: 0, #","app":"default""#).count == 10 * 300)
    }

    @Test("a client that connected and sent just before the end is answered")
    func atTheLastMoment() throws {
        let daemon = try home.start()
        // While it is stopped, connections and lines gather in the kernel, and the signal behind them.
        daemon.child.signal(SIGSTOP)
        let clients = try (0..<20).map { _ in try daemon.connect() }
        for client in clients { try client.send(#"{"id":1,"method":"event.record","params":{"name":"late"}}"# + "\n") }
        daemon.child.signal(SIGTERM)
        daemon.child.signal(SIGCONT)
        for client in clients { #expect(try client.reply().result?["seq"] != nil) }
        #expect(try daemon.child.wait() == .exited(0))
        #expect(try home.start().connect().lines().count == 20)
    }

    @Test("neither subscribers nor clients that do not read hold up the end")
    func holdUps() throws {
        let daemon = try home.start()
        let subscriber = try daemon.connect()
        try subscriber.call("event.subscribe")
        let deaf = try daemon.connect()
        let text = String(repeating: "x", count: 500_000)
        for number in 0..<3 {
            try subscriber.send(
                #"{"id":\#(number),"method":"event.record","params":{"name":"a","properties":{"t":"\#(text)"}}}"# + "\n"
            )
            _ = try subscriber.reply()
        }
        try deaf.send(#"{"id":1,"method":"event.list"}"# + "\n")
        let (ending, seconds) = try daemon.stop()
        #expect(ending == .exited(0))
        #expect(seconds < 10, "0.7 s for who does not read, and a lot more on a very busy machine")
        while try subscriber.readLine() != nil {}
    }

    @Test("an archive that is far behind does not hold up the end, and catches up after the next start")
    func archiveBehind() throws {
        try home.configure(#"{"retention":"none"}"#)
        var fastest = Double.infinity
        var count = 0
        for _ in 0..<3 {
            let daemon = try home.start()
            let client = try daemon.connect()
            // A session each, which means a folder and several files to be synced.
            for _ in 0..<5 {
                let requests = (0..<200).map { number in
                    count += 1
                    return #"{"id":\#(number),"method":"event.record","params":{"name":"a","app":"app\#(count)"}}"#
                        + "\n"
                }
                try client.send(requests.joined())
                for _ in requests { _ = try client.readLine() }
            }
            try waitUntil("the archive is at work") {
                try client.call("delivery.status")["destinations"]?[0]?["state"] == "delivering"
            }
            let (ending, seconds) = try daemon.stop()
            #expect(ending == .exited(0) && seconds < 10)
            fastest = min(fastest, seconds)
        }
        #expect(fastest < 1)
        let client = try home.start().connect()
        try client.waitForArchive(within: 600)
        #expect(try Set(ArchiveFiles(home.state + "/archive").lines) == Set(client.lines()))
        #expect(try client.lines().count == count)
    }

    @Test("an idle daemon ends at once, and a second signal changes nothing")
    func idle() throws {
        var fastest = Double.infinity
        for _ in 0..<3 {
            let daemon = try home.start()
            daemon.child.signal(SIGTERM)
            let (ending, seconds) = try daemon.stop()
            #expect(ending == .exited(0))
            fastest = min(fastest, seconds)
            #expect(access(home.socket, F_OK) != 0)
        }
        #expect(fastest < 1)
    }
}
