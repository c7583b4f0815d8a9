import Foundation
import HarkWire
import Testing

/// A disk that fills up and is emptied again, as a small tmpfs in a mount namespace of the test's own.
@Suite(.endToEnd, .enabled(if: MountSpace.isPossible)) struct DiskFullTests {
    private let home: DaemonHome
    private let space: MountSpace
    /// The state folder, as it is seen from outside the namespace.
    private let state: String

    init() throws {
        home = try DaemonHome()
        space = try MountSpace()
        state = space.outside(home.state)
        home.prefix = space.prefix
        try home.configure(#"{"retention":"none"}"#)
        try check("mkdir") { [home] in mkdir(home.state, 0o700) }
    }

    private func mount(_ folder: String, megabytes: Int) throws {
        try space.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0700", "tmpfs", folder)
    }

    /// The replies to a few clients while the free space came and went.
    private struct Story {
        var acknowledged: [RecordReply] = []
        var refused: Set<String> = []
        var sent = 0
    }

    /// Sends a few requests in one go and takes down what became of each.
    private func record(_ client: SocketClient, app: String, count: Int, size: Int, _ story: inout Story) throws {
        let text = String(repeating: "x", count: size)
        var requests = ""
        for _ in 0..<count {
            requests +=
                #"{"id":\#(story.sent),"method":"event.record","params":{"name":"a","app":"\#(app)","properties":{"token":"\#(app)/\#(story.sent)","t":"\#(text)"}}}"#
                + "\n"
            story.sent += 1
        }
        try client.send(requests)
        for _ in 0..<count {
            guard let line = try client.readLine() else { throw Failure("the connection ended") }
            if let reply = RecordReply(line) {
                story.acknowledged.append(reply)
            } else {
                let refusal = Reply(try SocketClient.parse(line))
                #expect(refusal.reason == "storeUnavailable" && refusal.code == -32000, "\(refusal)")
                #expect(refusal.message?.contains("free some space") == true, "\(refusal)")
                story.refused.insert("\(app)/\(refusal.id?.intValue ?? -1)")
            }
        }
    }

    @Test(
        "while the disk is full clients are told so; with space it goes on by itself, and nothing acknowledged is lost")
    func fullAndFree() throws {
        try mount(home.state, megabytes: 8)
        let manager = try NotifySocket(home.files.path("notify"))
        home.variables = ["NOTIFY_SOCKET": manager.path]
        let daemon = try home.start()
        #expect(manager.messages() == ["READY=1", "STATUS=Recording"])
        let clients = try (0..<3).map { (client: try daemon.connect(), app: "app\($0)") }
        let observer = try daemon.connect()
        var stories = [Story](repeating: Story(), count: 3)
        for round in 0..<3 {
            for (number, (client, app)) in clients.enumerated() {
                try record(client, app: app, count: 20, size: 100, &stories[number])
            }
            let ballast = try Ballast(in: state)
            let refusedBefore = stories.map(\.refused.count)
            for (number, (client, app)) in clients.enumerated() {
                // One client asks for each, the others for many at once.
                for _ in 0..<2_000 where stories[number].refused.count < refusedBefore[number] + 40 {
                    try record(client, app: app, count: number == 0 ? 1 : 20, size: 500, &stories[number])
                }
            }
            let status = try observer.call("daemon.status")
            #expect(status["state"] == "degraded")
            #expect(status["degradedReason"]?.stringValue?.contains("full") == true, "\(status)")
            #expect(manager.messages().contains { $0.hasPrefix("STATUS=Degraded: ") && $0.contains("full") })
            // Reading goes on, and what wants no reply is at least counted.
            #expect(try observer.lines().count == stories.reduce(0) { $0 + $1.acknowledged.count })
            let dropped = status["clients"]?["dropped"]?.intValue ?? 0
            try observer.send(#"{"method":"event.record","params":{"name":"silent","app":"silent"}}"# + "\n")
            try waitUntil("it is counted") {
                try observer.call("daemon.status")["clients"]?["dropped"]?.intValue ?? 0 > dropped
            }
            try ballast.remove()
            // It is noticed without any write.
            try waitUntil("it recovers") { try observer.call("daemon.status")["state"] == "running" }
            #expect(manager.messages().last == "STATUS=Recording")
            if round == 1 { try observer.waitForArchive() }
        }
        for (number, (client, app)) in clients.enumerated() {
            try record(client, app: app, count: 5, size: 10, &stories[number])
        }
        try audit(observer, stories)
        daemon.kill()
        let next = try home.start().connect()
        try audit(next, stories)
        try next.waitForArchive()
        #expect(try Set(ArchiveFiles(state + "/archive").lines) == Set(next.lines()))
        #expect(try ArchiveFiles(state + "/archive").lines.count == next.lines().count)
    }

    private func audit(_ client: SocketClient, _ stories: [Story]) throws {
        let events = try client.lines().map { try EventLine($0) }.filter { $0.name != "silent" }
        let acknowledged = stories.flatMap(\.acknowledged)
        #expect(events.map(\.id).sorted() == acknowledged.map(\.id).sorted())
        #expect(Set(events.map(\.sequence)).count == events.count)
        let refused = stories.reduce(into: Set<String>()) { $0.formUnion($1.refused) }
        #expect(!refused.isEmpty)
        for event in events {
            let token = event.properties.dropFirst(#"{"token":""#.count).prefix { $0 != "\"" }
            #expect(!refused.contains(String(token)), "\(token) was refused and is there")
        }
    }

    @Test("kill -9 on a full disk loses nothing, and the next start serves or says what to do")
    func killedWhileFull() throws {
        try mount(home.state, megabytes: 8)
        let daemon = try home.start()
        let client = try daemon.connect()
        var story = Story()
        try record(client, app: "a", count: 50, size: 1_000, &story)
        let ballast = try Ballast(in: state)
        try recordUntilRefused(client, &story)
        daemon.kill()
        let onFull = try home.launch()
        try waitUntil("it serves or ends") {
            !onFull.child.isRunning || (try? onFull.connect().call("hello")) != nil
        }
        if onFull.child.isRunning {
            let client = try onFull.connect()
            #expect(try client.lines().count == story.acknowledged.count)
            try record(client, app: "a", count: 5, size: 1_000, &story)
            onFull.kill()
        } else {
            #expect(try onFull.child.wait() == .exited(74))
            let errors = try onFull.errors
            #expect(errors.contains("full") && errors.contains("free some space"), "\(errors)")
        }
        try ballast.remove()
        try audit(try home.start().connect(), [story])
    }

    @Test("without an archive it recovers by itself too, and SIGTERM on a full disk ends in order")
    func endWhileFull() throws {
        try mount(home.state, megabytes: 8)
        try home.configure(#"{"archive":false}"#)
        let daemon = try home.start()
        let client = try daemon.connect()
        var story = Story()
        let ballast = try Ballast(in: state)
        try recordUntilRefused(client, &story)
        try ballast.remove()
        try waitUntil("it recovers") { try client.call("daemon.status")["state"] == "running" }
        _ = try Ballast(in: state)
        try recordUntilRefused(client, &story)
        let (ending, seconds) = try daemon.stop()
        #expect(ending == .exited(0) && seconds < 10, "\(seconds) s")
    }

    @Test(
        "a disk that is full to the last byte can be cleared, and what is recorded then is kept", arguments: [8, 24],
        [#"{"all":true}"#, #"{"userId":null}"#])
    func clearWhileFull(megabytes: Int, who: String) throws {
        try mount(home.state, megabytes: megabytes)
        let daemon = try home.start()
        let client = try daemon.connect()
        var story = Story()
        for _ in 0..<2 {
            // First by records, then to the last byte by other files.
            try recordUntilRefused(client, &story, size: 3_000)
            let ballast = try Ballast(in: state)
            let cleared = try client.ask("event.clear", who)
            let errors = try daemon.errors
            #expect(cleared.result?["events"]?.intValue ?? 0 > 0, "\(cleared) \(errors)")
            #expect(try client.lines().isEmpty)
            try waitUntil("there is room again") {
                var story = Story()
                try record(client, app: "new", count: 1, size: 10, &story)
                return story.refused.isEmpty
            }
            try ballast.remove()
            try waitUntil("it recovers") { try client.call("daemon.status")["state"] == "running" }
            try waitUntil("the room is kept again") {
                try record(client, app: "new", count: 1, size: 10, &story)
                return access(state + "/hark.reserve", F_OK) == 0
            }
        }
        daemon.kill()
        let after = try home.start().connect()
        #expect(try after.lines().allSatisfy { try EventLine($0).name == "a" })
    }

    @Test("a start finds its room on a disk that others have filled to the last byte, and a clear after it")
    func startWhileFull() throws {
        try mount(home.state, megabytes: 8)
        let daemon = try home.start()
        let client = try daemon.connect()
        var story = Story()
        try record(client, app: "a", count: 50, size: 1_000, &story)
        #expect(try daemon.stop().0 == .exited(0))
        let ballast = try Ballast(in: state)
        let onFull = try home.start()
        let next = try onFull.connect()
        #expect(try next.lines().count == 50)
        #expect(try next.call("event.clear", #"{"all":true}"#)["events"] == 50)
        #expect(try onFull.errors.contains("the start uses the room that is kept"))
        try ballast.remove()
        try waitUntil("the room is kept again") {
            try record(next, app: "a", count: 1, size: 10, &story)
            return access(state + "/hark.reserve", F_OK) == 0
        }
    }

    private func recordUntilRefused(_ client: SocketClient, _ story: inout Story, size: Int = 1_000) throws {
        let before = story.refused.count
        for _ in 0..<1_000 where story.refused.count < before + 20 {
            try record(client, app: "a", count: 20, size: size, &story)
        }
        #expect(story.refused.count > before)
    }

    @Test("an archive that cannot be written is told and tried again, while events are recorded as ever")
    func archiveFull() throws {
        try check("mkdir") { mkdir(home.state + "/archive", 0o700) }
        try mount(home.state + "/archive", megabytes: 1)
        let daemon = try home.start()
        let client = try daemon.connect()
        var story = Story()
        try record(client, app: "a", count: 30, size: 100, &story)
        try client.waitForArchive()
        let ballast = try Ballast(in: state + "/archive")
        for _ in 0..<20 { try record(client, app: "a", count: 20, size: 200, &story) }
        #expect(story.refused.isEmpty)
        func archive() throws -> JSONValue? { try client.call("delivery.status")["destinations"]?[0] }
        try waitUntil("it is told") { try archive()?["lastError"] != .null }
        let error = try archive()?["lastError"]?.stringValue ?? ""
        #expect(error.contains("\(home.state)/archive") && error.contains("No space left"), "\(error)")
        #expect(try archive()?["state"] == "waiting")
        #expect(try client.call("daemon.status")["state"] == "running")
        try ballast.remove()
        try client.waitForArchive()
        #expect(try archive()?["lastError"] == .null)
        #expect(try ArchiveFiles(state + "/archive").lines == client.lines())
        #expect(story.acknowledged.count == 430)
    }

    @Test("a clear that cannot reach the archive hides at once, says so, and is completed by itself")
    func clearReadOnly() throws {
        try check("mkdir") { mkdir(home.state + "/archive", 0o700) }
        try mount(home.state + "/archive", megabytes: 1)
        let daemon = try home.start()
        let client = try daemon.connect()
        try client.call("event.record", #"{"name":"markOfTheCleared"}"#)
        try client.call("event.record", #"{"name":"kept","app":"kept","userId":"kept"}"#)
        try client.waitForArchive()
        try space.run("mount", "-o", "remount,ro", home.state + "/archive")
        for _ in 0..<2 {
            let refusal = try client.ask("event.clear", #"{"userId":null}"#)
            #expect(refusal.reason == "internalError", "\(refusal)")
            #expect(refusal.message?.contains("'archive'") == true && refusal.message?.contains("tried again") == true)
            #expect(try client.lines().map { try EventLine($0).name } == ["kept"])
        }
        try space.run("mount", "-o", "remount,rw", home.state + "/archive")
        try waitUntil("it is completed") {
            try RawFiles(state).occurring(of: ["markOfTheCleared"]).isEmpty
        }
        #expect(try client.call("event.clear", #"{"userId":null}"#) == ["sessions": 0, "events": 0])
        #expect(try ArchiveFiles(state + "/archive").lines == client.lines())
    }
}
