import Foundation
import HarkCore
import HarkSettings
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// Free texts go from the store first and from files behind it; the machine may stop in between.
@Suite(.timeLimit(.minutes(45))) struct RedactionCrashTests {
    private static let surveys = """
        {"surveys":[{"id":"words","title":"T","message":"M","response":{"type":"text"},"oncePerSession":false,
        "redactTextAfterSeconds":60,"trigger":{"event":{"name":"go"}}}]}
        """
    private static let secret = "secretOfAda"

    /// Whether a file below this folder has the text in it.
    private static func isAnywhere(below folder: String) -> Bool {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.contains { name in
            guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") else { return false }
            return bytes.range(of: Data(secret.utf8)) != nil
        }
    }

    /// What the disk has of a daemon's state, as if the machine had stopped now. The log of the store first: what comes
    /// from it into the file meanwhile is in both then.
    private static func copy(_ state: String, to target: String) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: target, withIntermediateDirectories: true)
        for name in ["hark.db-wal", "hark.db", "archive"] {
            try files.copyItem(atPath: "\(state)/\(name)", toPath: "\(target)/\(name)")
        }
    }

    @DaemonActor
    private static func lines(_ client: FixtureClient) async throws -> [String] {
        try await client.call("event.list", #"{"as":"lines"}"#)["lines"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    @Test("after a crash between the store and the archive the next start takes the texts out of the archive as well")
    func crash() async throws {
        let configuration = #"{"notify":null,"archive":true,"retention":"none"}"#
        try await DaemonFixture.run(configuration: configuration, surveys: Self.surveys) { fixture in
            let (state, crashed) = (fixture.options.paths.state, fixture.folder.path + "/crashed")
            var client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"ada"}"#)
            try await client.call("event.record", #"{"name":"go"}"#)
            let id = try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue ?? ""
            try await client.call("survey.answer", #"{"presentationId":"\#(id)","text":"\#(Self.secret)"}"#)
            try await client.call("session.end")
            try await eventually("the archive has it") { Self.isAnywhere(below: state + "/archive") }
            let before = try await Self.lines(client)
            fixture.clock.advance(seconds: 120)
            var failure: (any Error)?
            fixture.daemon.ledger.alsoOnCommit { changes, _ in
                guard changes.upkeep.contains(where: { if case .redactTexts = $0 { true } else { false } }) else {
                    return
                }
                do { try Self.copy(state, to: crashed) } catch { failure = error }
            }
            #expect(try await client.call("retention.apply")["texts"] == 1)
            if let failure { throw failure }
            #expect(!Self.isAnywhere(below: state))
            // The store had removed the text, and the archive had not.
            #expect(Self.isAnywhere(below: crashed + "/archive"))
            try await fixture.restartAlone {
                let files = FileManager.default
                try files.removeItem(atPath: state)
                try files.copyItem(atPath: crashed, toPath: state)
            }
            client = try fixture.connect()
            let after = before.map { $0.replacing(Self.secret, with: Answers.redactedText) }
            #expect(try await Self.lines(client) == after && after != before)
            try await eventually("no byte of it is left") { !Self.isAnywhere(below: state) }
            let names = FileManager.default.enumerator(atPath: state + "/archive")?.compactMap { $0 as? String } ?? []
            let archived = try names.filter { $0.hasSuffix(".jsonl") }.map {
                try String(contentsOfFile: "\(state)/archive/\($0)", encoding: .utf8)
            }
            #expect(archived.contains { $0.contains(Answers.redactedText) }, "\(names)")
            // It is reported once, and nothing is left to do.
            try await eventually("the mark is gone") {
                try fixture.daemon.ledger.lookUp { reader throws(StoreError) in try reader.redacted(limit: 9) }.rows
                    .isEmpty
            }
            #expect(try await client.call("retention.apply")["texts"] == 0)
        }
    }
}
