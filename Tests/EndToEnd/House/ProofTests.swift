import Foundation
import Testing

/// What the compiler keeps out of the daemon: acting on what is decided before it is stored, and reaching from a lower layer
/// into a higher one.
@Suite(.endToEnd) struct ProofTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Pieces of a function of the daemon, each with a word of the error it leads to; nil: it compiles.
    private static let pieces: [(code: String, error: String?)] = [
        // A reply and a program that wait for their commit.
        (#"try ledger.decide { _, _, _ in 1 }.tell(in: &reply, as: "one")"#, nil),
        (
            """
            try ledger.decide { engine, changes, now in engine.startRun(run, now: now, into: &changes) }.then { outcome in
                if case .success(let started) = outcome { _ = ExecutionHook.command(for: started, socketPath: "") }
            }
            """, nil
        ),
        // An effect without proof.
        (#"_ = ExecutionHook.command(for: run, socketPath: "")"#, "cannot convert value of type 'ExecutionRun'"),
        (
            #"_ = ExecutionHook.command(for: Stored(run), socketPath: "")"#,
            "inaccessible due to 'fileprivate' protection level"
        ),
        (
            """
            let started = try ledger.decide { engine, changes, now in engine.startRun(run, now: now, into: &changes) }
            _ = ExecutionHook.command(for: started, socketPath: "")
            """, "cannot convert value of type 'Decided<ExecutionRun>'"
        ),
        ("hooks.start(for: presentation)", "cannot convert value of type 'Presentation'"),
        ("survey.tell(presentation, nil)", "cannot convert value of type 'Presentation'"),
        ("desk.follow(changes, report)", "cannot convert value of type 'Changes'"),
        // The engine's state, seen from outside.
        ("_ = ledger.engine.lastSequence", "'engine' is inaccessible"),
        ("let seen: Int = try ledger.decide { _, _, _ in 1 }", "cannot convert value of type 'Decided<Int>'"),
        ("_ = try ledger.decide { _, _, _ in 1 }.value", "'value' is inaccessible"),
        // A decision that the ledger has not made.
        ("_ = Decided(1, by: commitment)", "initializer is inaccessible due to 'internal' protection level"),
        // A handler that asks for a desk, and one that reaches for the daemon.
        ("_ = call.desk(SurveyDesk.self).hasPresenter(in: call.scope(of: nil))", nil),
        ("_ = call.daemon", "value of type 'Call' has no member 'daemon'"),
        ("_ = call.desk(Daemon.self)", "requires that 'Daemon' conform to 'Desk'"),
        ("_ = call.connection.server.router.desks", "'desks' is inaccessible due to 'private' protection level"),
        // Rows that the engine has not decided.
        (
            #"try ledger.decide { _, changes, _ in changes.rows.append(.setMeta(key: "a", value: "b")) }"#,
            "'rows' setter is inaccessible"
        ),
        // A reply before the commit.
        ("connection.enqueue(reply.json.bytes)", "'json' is inaccessible"),
        (
            #"connection.send { json in _ = try? ledger.decide { _, _, _ in 1 }.tell(in: &json, as: "one") }"#,
            "'HeldReply'"
        ),
    ]

    @Test("what is decided cannot be shown, sent or started without proof that it is stored: that does not compile")
    func proof() throws {
        let files = try TemporaryFiles()
        var program = """
            import HarkCore
            @testable import HarkDaemon
            import HarkLedger
            import HarkServer
            import HarkSettings
            import HarkStore
            import HarkSystem
            import HarkWire

            """
        // One file for all, as importing the daemon takes longer than all the rest.
        for (place, piece) in Self.pieces.enumerated() {
            program += """
                @DaemonActor func piece\(place)(
                    ledger: Ledger, reply: inout HeldReply, connection: ClientConnection, run: ExecutionRun,
                    presentation: Presentation, hooks: NotifyHooks, survey: SurveySubscription, desk: any Desk,
                    changes: Changes, report: CommitReport, commitment: Commitment, call: Call
                ) throws(WireError) {
                \(piece.code)
                }

                """
        }
        try files.write(program, to: "pieces.swift")
        let run = try Child.run(
            ["swiftc", "-swift-version", "6", "-typecheck", "-package-name", packageName] + (try modules())
                + [files.path("pieces.swift")],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": files.path("")],
            within: 600)
        let lines = program.components(separatedBy: "\n")
        let errors = run.errors.components(separatedBy: "\n").filter {
            $0.contains("pieces.swift:") && $0.contains("error:")
        }
        for (place, piece) in Self.pieces.enumerated() {
            let begin = lines.firstIndex { $0.contains("func piece\(place)(") } ?? 0
            let end = lines.firstIndex { $0.contains("func piece\(place + 1)(") } ?? lines.count
            let own = errors.filter { error in
                let line = error.components(separatedBy: "pieces.swift:").last?.prefix { $0 != ":" }
                return line.flatMap { Int($0) }.map { (begin...end).contains($0 - 1) } ?? false
            }
            if let error = piece.error {
                #expect(own.contains { $0.contains(error) }, "\(piece.code)\n\(own)\n\(run.errors.prefix(2_000))")
            } else {
                #expect(own.isEmpty, "\(piece.code)\n\(own)")
            }
        }
        #expect(!errors.isEmpty, "\(run.errors.prefix(2_000))")
    }

    /// The name that SwiftPM gives the package when it compiles it.
    private var packageName: String {
        String(Self.root.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// The folders of the daemon's modules, and of the C libraries that it uses.
    private func modules() throws -> [String] {
        let built = URL(fileURLWithPath: Programs.harkd).deletingLastPathComponent()
        var options = ["-I", built.appending(path: "Modules").path]
        for folder in [Self.root.appending(path: "Sources"), built] {
            let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in found ?? .init()
            where file.pathExtension == "modulemap" && !file.path.contains("/include/") {
                options += ["-Xcc", "-fmodule-map-file=\(file.path)"]
            }
        }
        return options
    }
}
