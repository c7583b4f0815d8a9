import Foundation
import HarkWire
import Testing

/// `event.clear`: the cleared data is gone from every file, and no other data is.
@Suite(.endToEnd) struct ClearTests {
    private let home: DaemonHome

    init() throws { home = try DaemonHome() }

    /// Records sessions of two users and without a user, each full of its own mark. Returns the ids by mark.
    private func fill(_ client: SocketClient) throws -> [String: String] {
        var sessions: [String: String] = [:]
        for mark in ["markAda1", "markAda2", "markBob1", "markAnon1"] {
            let user = mark.hasPrefix("markAnon") ? "null" : "\"user-\(mark.dropLast())\""
            let session = try client.call(
                "session.start",
                #"{"app":"app-\#(mark)","userId":\#(user),"metadata":{"key-\#(mark)":"text-\#(mark)"}}"#)
            sessions[mark] = try session["session"]?["id"]?.text
            let long = String(repeating: "\(mark) ", count: 1_000)
            for number in 0..<40 {
                let text = number % 10 == 0 ? long : mark
                try client.send(
                    #"{"id":1,"method":"event.record","params":{"name":"name-\#(mark)","app":"app-\#(mark)","properties":{"prop-\#(mark)":"\#(text)"}}}"#
                        + "\n")
            }
            for _ in 0..<40 { _ = try client.readLine() }
        }
        return sessions
    }

    /// Which marks occur in the names or the content of the files of the state folder.
    private func marksOnDisk() throws -> Set<String> {
        try RawFiles(home.state).occurring(of: ["markAda1", "markAda2", "markAda", "markBob1", "markAnon1"])
    }

    struct Target: Sendable, CustomTestStringConvertible {
        let params: @Sendable ([String: String]) -> String
        let testDescription: String
        let kept: Set<String>
        let sessions: Int64
    }

    static let targets: [Target] = [
        .init(params: { _ in #"{"all":true}"# }, testDescription: "all", kept: [], sessions: 4),
        .init(
            params: { _ in #"{"userId":"user-markAda"}"# }, testDescription: "a user",
            kept: ["markBob1", "markAnon1"], sessions: 2),
        .init(
            params: { _ in #"{"userId":null}"# }, testDescription: "nobody",
            kept: ["markAda", "markAda1", "markAda2", "markBob1"], sessions: 1),
        .init(
            params: { #"{"sessionId":"\#($0["markAda1"] ?? "")"}"# }, testDescription: "a session",
            kept: ["markAda", "markAda2", "markBob1", "markAnon1"], sessions: 1),
    ]

    @Test("E6: what is cleared is gone from the store, its log and the archive tree", arguments: targets)
    func gone(_ target: Target) throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        let sessions = try fill(client)
        try client.waitForArchive()
        #expect(try marksOnDisk().count == 5)
        // Somebody who reads all the time must not keep the old pages alive.
        let reader = try BusyReader(daemon)
        let before = try client.lines()
        let cleared = try client.call("event.clear", target.params(sessions))
        #expect(cleared == ["sessions": .int(target.sessions), "events": .int(target.sessions * 40)])
        reader.end()
        #expect(try marksOnDisk() == target.kept)
        let keptSessions = target.kept.filter { $0.last?.isNumber == true }
        let kept = before.filter { line in keptSessions.contains { line.contains($0) } }
        #expect(try client.lines() == kept)
        let left = try client.call("session.list")["sessions"]?.arrayValue ?? []
        #expect(left.count == 4 - Int(target.sessions))

        // It is the same after kill -9, and the archive tree equals the store.
        daemon.kill()
        let next = try home.start().connect()
        #expect(try next.lines() == kept)
        #expect(try marksOnDisk() == target.kept)
        #expect(try Set(ArchiveFiles(home.state + "/archive").lines) == Set(kept))
    }

    @Test("a clear before the archive has caught up keeps what is cleared out of it")
    func beforeTheArchive() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        _ = try fill(client)
        try client.call("event.clear", #"{"userId":"user-markAda"}"#)
        try client.waitForArchive()
        #expect(try marksOnDisk() == ["markBob1", "markAnon1"])
    }

    @Test("clearing the current session leaves its app without one, and the next event starts another")
    func currentSession() throws {
        let client = try home.start().connect()
        let old = try client.call("event.record", #"{"name":"a"}"#)["sessionId"]?.text ?? ""
        try client.call("event.record", #"{"name":"a","app":"other"}"#)
        try client.call("event.clear", #"{"sessionId":"\#(old)"}"#)
        #expect(try client.call("session.current")["session"] == .null)
        #expect(try client.call("session.current", #"{"app":"other"}"#)["session"] != .null)
        #expect(try client.ask("session.get", #"{"sessionId":"\#(old)"}"#).reason == "notFound")
        #expect(try client.ask("event.clear", #"{"sessionId":"\#(old)"}"#).reason == "notFound")
        let new = try client.call("event.record", #"{"name":"b"}"#)
        #expect(new["sessionId"]?.stringValue != old)
        #expect(new["seq"] == 6, "numbers are not used again")
    }

    @Test("an event right behind a clear is kept, also when its app had not been heard of since the start")
    func rightBehind() throws {
        for round in 0..<5 {
            let first = try home.start()
            for app in 0..<8 { try first.connect().call("event.record", #"{"name":"old","app":"\#(app)"}"#) }
            first.kill()
            let daemon = try home.start()
            let client = try daemon.connect()
            var text = #"{"id":1,"method":"event.clear","params":{"all":true}}"# + "\n"
            for app in 0..<8 {
                text += #"{"id":2,"method":"event.record","params":{"name":"new","app":"\#(app)"}}"# + "\n"
            }
            try client.send(text)
            let others = try (0..<3).map { _ in try daemon.connect() }
            for other in others { try other.call("event.record", #"{"name":"new","app":"\#(round)"}"#) }
            for _ in 0..<9 { #expect(try client.reply().result != nil) }
            let events = try client.lines().map { try EventLine($0).name }
            #expect(events.filter { $0 == "new" }.count >= 8, "round \(round): \(events)")
            #expect(events.filter { $0 == "old" }.isEmpty)
            daemon.kill()
            let left = try home.start()
            let after = try left.connect().lines().map { try EventLine($0).name }
            #expect(after == events)
            try left.connect().call("event.clear", #"{"all":true}"#)
            left.kill()
        }
    }

    @Test("without the archive a clear does not begin one; switched on, it holds what is left")
    func withoutArchive() throws {
        try home.configure(#"{"archive":false}"#)
        let first = try home.start()
        let doomed = try first.connect().call("event.record", #"{"name":"a"}"#)["sessionId"]?.text ?? ""
        try first.connect().call("event.record", #"{"name":"b","app":"kept"}"#)
        first.kill()
        let daemon = try home.start()
        let client = try daemon.connect()
        try client.call("event.clear", #"{"sessionId":"\#(doomed)"}"#)
        let archive = try client.call("delivery.status")["destinations"]?[0]
        #expect(archive?["state"] == "off" && archive?["cursor"] == 0)
        try home.configure(#"{"archive":true}"#)
        #expect(access(home.state + "/archive", F_OK) != 0)
        try client.call("daemon.reload")
        try client.waitForArchive()
        #expect(try ArchiveFiles(home.state + "/archive").lines == client.lines())
    }
}

/// Lists all events again and again until it is told to end.
private final class BusyReader: @unchecked Sendable {
    // The client is the thread's own until `end` has returned.
    private let client: SocketClient
    private let lock = NSLock()
    private var isToldToEnd = false
    private let done = DispatchSemaphore(value: 0)

    init(_ daemon: DaemonProcess) throws {
        client = try daemon.connect()
        Thread.detachNewThread { [self] in
            while !lock.withLock({ isToldToEnd }), (try? client.lines()) != nil {}
            done.signal()
        }
    }

    func end() {
        lock.withLock { isToldToEnd = true }
        done.wait()
    }
}
