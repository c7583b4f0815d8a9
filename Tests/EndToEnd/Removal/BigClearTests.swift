import Foundation
import HarkWire
import Testing

/// A clear that takes its time.
@Suite(.endToEnd) struct BigClearTests {
    private let home: DaemonHome
    private static let sessions = 30
    private static let eventsEach = 400
    private static let mark = "MarkOfTheCleared"

    /// A home whose daemon holds some 12 MB of one user's events and a few of somebody else's.
    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"retention":"none"}"#)
        let daemon = try home.start()
        let client = try daemon.connect()
        try client.call("session.start", #"{"app":"kept","userId":"kept"}"#)
        try client.call("event.record", #"{"name":"kept","app":"kept"}"#)
        let text = String(repeating: "\(BigClearTests.mark) ", count: 60)
        let request =
            #"{"id":1,"method":"event.record","params":{"name":"a","app":"big","properties":{"t":"\#(text)"}}}"# + "\n"
        for number in 0..<BigClearTests.sessions {
            try client.call(
                "session.start", #"{"app":"big","userId":"user-\#(BigClearTests.mark)","metadata":{"n":\#(number)}}"#)
            for _ in 0..<4 {
                try client.send(String(repeating: request, count: BigClearTests.eventsEach / 4))
                for _ in 0..<BigClearTests.eventsEach / 4 { _ = try client.readLine() }
            }
        }
        try client.waitForArchive()
        #expect(try daemon.stop().ending == .exited(0))
    }

    private static let clear = #"{"userId":"user-\#(mark)"}"#

    /// How many of the sessions to be cleared are in the archive tree.
    private var archived: Int {
        get throws {
            let users = try FileManager.default.contentsOfDirectory(atPath: home.state + "/archive/users")
            guard let user = users.first(where: { $0.contains(BigClearTests.mark.lowercased()) }) else { return 0 }
            let sessions = "\(home.state)/archive/users/\(user)/sessions"
            return (try? FileManager.default.contentsOfDirectory(atPath: sessions).count) ?? 0
        }
    }

    private var isMarkOnDisk: Bool {
        get throws { try !RawFiles(home.state).occurring(of: [BigClearTests.mark]).isEmpty }
    }

    @Test("a clear that kill -9 interrupts is completed after the next start, however often")
    func interrupted() throws {
        #expect(try archived == BigClearTests.sessions)
        var recorded: [String] = ["kept"]
        var left = BigClearTests.sessions
        for round in 0..<4 {
            let daemon = try home.start()
            let client = try daemon.connect()
            if round == 0 {
                try client.send(#"{"id":1,"method":"event.clear","params":\#(BigClearTests.clear)}"# + "\n")
            }
            // It is under way once more of the tree is gone.
            try waitUntil("the clear goes on") { try archived < left || archived == 0 }
            try daemon.connect().call("event.record", #"{"name":"round\#(round)","app":"kept"}"#)
            recorded.append("round\(round)")
            daemon.kill()
            left = try archived
            if left == 0 { break }
        }
        let daemon = try home.start()
        let client = try daemon.connect()
        // From the first moment on nobody sees any of it.
        #expect(try client.lines().map { try EventLine($0).name } == recorded)
        #expect(try client.call("session.list")["sessions"]?.arrayValue?.count == 1)
        try waitUntil("the mark is gone from every file") { try !isMarkOnDisk }
        let events = try client.call("daemon.status")["store"]?["events"]
        #expect(events == .int(Int64(recorded.count)))
        try client.waitForArchive()
        #expect(try ArchiveFiles(home.state + "/archive").lines == client.lines())
        let store = StoreFile(of: home)
        try waitUntil("the space is given back") { try store.query("PRAGMA freelist_count") == [0] }
    }

    @Test("recording and reading go on during a big clear")
    func meanwhile() throws {
        let daemon = try home.start()
        let cleaner = try daemon.connect()
        try cleaner.send(#"{"id":1,"method":"event.clear","params":\#(BigClearTests.clear)}"# + "\n")
        let client = try daemon.connect()
        var during = 0
        var isOver = false
        while !isOver {
            try client.call("event.record", #"{"name":"kept","app":"kept"}"#)
            #expect(try client.call("event.list", #"{"app":"big"}"#)["events"] == [])
            during += 1
            var entry = pollfd(fd: cleaner.descriptor, events: Int16(POLLIN), revents: 0)
            isOver = poll(&entry, 1, 0) > 0
        }
        let reply = try cleaner.reply()
        let (sessions, events) = (reply.result?["sessions"]?.intValue, reply.result?["events"]?.intValue)
        #expect(sessions == Int64(Self.sessions) && events == Int64(Self.sessions * Self.eventsEach), "\(reply)")
        // Once, if the clear held up everybody until it is done.
        #expect(during > 5, "recorded \(during) times meanwhile")
        #expect(try !isMarkOnDisk)
        #expect(try client.lines().count == during + 1)
    }
}
