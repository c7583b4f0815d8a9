import Foundation
import HarkWire
import Testing

/// `kill -9`: all acknowledged records are there, once, and no others.
@Suite(.endToEnd) struct KillTests {
    private static let styles: [LoadWriter.Style] = [
        .init(app: "default", window: 1),
        .init(app: "desk", window: 1, sessionEvery: 5),
        .init(app: "desk", window: 64),
        .init(app: "shop", window: 200),
        .init(app: "lab", window: 50, silence: 10),
        .init(app: "lab", window: 20, sessionEvery: 3),
    ]

    @Test("E4: every acknowledged event survives kill -9 under load, once, and nothing else is there")
    func killUnderLoad() throws {
        let home = try DaemonHome()
        try home.configure(#"{"retention":"none"}"#)
        var audit = StoreAudit()
        for round in 1...22 {
            let daemon = try home.start()
            let writers = try KillTests.styles.enumerated().map {
                try LoadWriter("round \(round) writer \($0)", $1, to: daemon)
            }
            // Some rounds end early, some in the middle of the archive's work.
            let enough = Int.random(in: 1...(round % 4 == 0 ? 6_000 : 600))
            try waitUntil("the writers are answered") { writers.reduce(0) { $0 + $1.progress } >= enough }
            daemon.kill()
            for writer in writers { writer.join() }
            let next = try home.start()
            try audit.check(try next.connect(), against: writers)
            next.kill()
        }
        let last = try home.start()
        let client = try last.connect()
        #expect(try client.lines() == audit.lines)
        try client.waitForArchive()
        try compareArchive(of: home, with: audit.lines, client)
    }

    private func compareArchive(of home: DaemonHome, with lines: [String], _ client: SocketClient) throws {
        let archive = try ArchiveFiles(home.state + "/archive")
        // In each file the lines ascend, and all of them together are the store's, byte for byte.
        let bySession = Dictionary(grouping: try lines.map { try EventLine($0) }, by: \.session)
        for (id, session) in archive.sessions {
            #expect(session.lines == bySession[id, default: []].map(\.text), "\(session.folder)")
            var told = try client.call("session.get", #"{"sessionId":"\#(id)"}"#)["session"]?.objectValue
            told?["eventCount"] = nil
            #expect(session.description.objectValue == told)
        }
        #expect(archive.lines.count == lines.count)
    }
}
