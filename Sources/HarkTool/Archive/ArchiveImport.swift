import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// Sends the sessions of an archive tree to the daemon, with many requests in flight.
final class ArchiveImport {
    private let sessions: [ArchiveFolder.Session]
    private let progress: Progress
    private var refusals: RefusedLines
    /// Sessions that the daemon did not take, so their events have no place.
    private var refusedSessions: Set<Int> = []
    private var newSessions = 0
    private var knownSessions = 0
    private var newEvents = 0
    private var knownEvents = 0
    /// The number of sessions and lines that were not imported.
    private(set) var problems = 0

    init(_ sessions: [ArchiveFolder.Session], _ console: Console) {
        self.sessions = sessions
        progress = Progress(console)
        refusals = RefusedLines(console)
    }

    func run() throws {
        defer {
            progress.clear()
            refusals.finish()
        }
        var pipeline = Pipeline(try Connection())
        do {
            // All sessions first: a session must be on disk before its events are sent.
            for index in sessions.indices { try sendSession(index, &pipeline) }
            try finish(&pipeline)
            for index in sessions.indices where !refusedSessions.contains(index) {
                try sendEvents(index, &pipeline)
            }
            try finish(&pipeline)
        } catch let error as ClientError where error.code == .disconnected {
            progress.clear()
            throw ToolError(
                .unavailable, "\(error.message); so far: \(summary)",
                hint: "Import it again when the daemon is back: what is there already is skipped.")
        }
        progress.clear()
    }

    var summary: String {
        let problem = problems > 0 ? "; \(Plural.count(problems, "problem"))" : ""
        return "imported \(Plural.count(newSessions, "session")) and \(Plural.count(newEvents, "event")), "
            + "\(Plural.count(knownSessions, "session")) and \(Plural.count(knownEvents, "event")) were there\(problem)"
    }

    private func finish(_ pipeline: inout Pipeline) throws {
        while pipeline.open > 0 { _ = try pipeline.turn { try settle($0) } }
    }

    private func sendSession(_ index: Int, _ pipeline: inout Pipeline) throws {
        let session = sessions[index]
        guard let json = session.json else {
            refusedSessions.insert(index)
            return report(session.path + "/session.json", session.problem ?? "unusable")
        }
        var request = SessionImport()
        request.session = AnyJSON(text: Array(json.bytes))
        try submit(SessionImport.name, index, line: 0, &pipeline) { $0 += request.json }
    }

    private func sendEvents(_ index: Int, _ pipeline: inout Pipeline) throws {
        let session = sessions[index]
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("sessionId", session.id ?? "")
        writer.key("event")
        let (method, head) = (EventImport.name, writer.bytes)
        try forEachLine(of: session.path + "/events.jsonl") { number, line in
            let event = JSONText(line)
            if event.bytes.isEmpty { return }
            guard event.isOneObject else {
                return report("\(session.path)/events.jsonl:\(number)", "this is not one JSON object")
            }
            try submit(method, index, line: number, &pipeline) { params in
                params += head
                params += event.bytes
                params.append(.closeBrace)
            }
        }
    }

    private func submit(
        _ method: String, _ index: Int, line: Int, _ pipeline: inout Pipeline, params: (inout [UInt8]) -> Void
    ) throws {
        while !pipeline.hasRoom { _ = try pipeline.turn { try settle($0) } }
        pipeline.submit(method, tag: index << 32 | line, params: params)
    }

    private func forEachLine(of path: String, _ body: (Int, ArraySlice<UInt8>) throws -> Void) throws {
        // A session without events has no such file.
        if access(path, F_OK) != 0, errno == ENOENT { return }
        let file: CInt
        do throws(ToolError) {
            file = try InputFile.openRegular(path)
        } catch {
            return report(path, error.message)
        }
        defer { close(file) }
        var reader = LineReader(capacity: 1 << 16)
        var number = 0
        while true {
            while var line = reader.next() {
                number += 1
                if number == 1 { line = ByteOrderMark.dropped(from: line) }
                try body(number, line)
            }
            switch reader.fill({ read(file, $0, $1) }) {
            case .bytes, .nothing: continue
            case .end:
                if let line = reader.rest() { try body(number + 1, line) }
                return
            case .failed(let code): return report(path, "cannot read: \(String(cString: strerror(code)))")
            case .tooLong:
                return report("\(path):\(number + 1)", "the line is too long; the rest of the file is left out")
            }
        }
    }

    private func settle(_ outcome: Pipeline.Outcome) throws(ToolError) {
        let (index, line) = (outcome.tag >> 32, outcome.tag & 0xffff_ffff)
        switch outcome.result {
        case .success(let result) where line == 0:
            if ImportedSession(result).created { newSessions += 1 } else { knownSessions += 1 }
        case .success(let result):
            if ImportedEventInfo(result).imported { newEvents += 1 } else { knownEvents += 1 }
        case .failure(let error) where error.exitCode == .temporary:
            progress.clear()
            throw ToolError(
                .temporary, "\(error.message); so far: \(summary)",
                hint: "Import it again later: what is there already is skipped.")
        case .failure(let error) where line == 0:
            refusedSessions.insert(index)
            report(sessions[index].path + "/session.json", ToolError(error).message)
        case .failure(let error):
            report("\(sessions[index].path)/events.jsonl:\(line)", ToolError(error).message)
        }
        progress.show("\(Plural.count(newEvents + knownEvents, "event")), session \(index + 1) of \(sessions.count) …")
    }

    private func report(_ place: String, _ why: String) {
        problems += 1
        progress.clear()
        refusals.note(place, why)
    }
}
