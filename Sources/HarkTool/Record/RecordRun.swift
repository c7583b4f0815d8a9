import HarkAsking
import HarkClient
import HarkWire

/// What became of the lines so far.
struct RecordRun {
    /// What becomes of a line: "event".
    let what: String
    /// Lines read, the empty ones too.
    var lines = 0
    /// Lines submitted to the daemon.
    var sent = 0
    private(set) var recorded = 0
    private(set) var refused = 0
    /// Of the refused, those that the daemon refused.
    private var refusedByDaemon = 0
    private var refusals: RefusedLines
    private var warnings: RefusedLines
    private let started = MonotonicClock.now

    init(_ what: String, _ console: Console) {
        self.what = what
        refusals = RefusedLines(console)
        warnings = RefusedLines(console)
    }

    /// - Throws: what would befall every line to come as well, such as a store that cannot store.
    mutating func settle(_ outcome: Pipeline.Outcome) throws(ToolError) {
        switch outcome.result {
        case .success(let result):
            recorded += 1
            for warning in Warnings.list(result) { warnings.note("stdin:\(outcome.tag)", "warning: \(warning)") }
        case .failure(let error):
            refusedByDaemon += 1
            guard error.exitCode != .temporary else {
                refused += 1
                throw ToolError(
                    .temporary, "stdin:\(outcome.tag): \(error.message); \(account)", hint: "Nothing more was sent.")
            }
            refuse(outcome.tag, ToolError(error).message)
        }
    }

    mutating func refuse(_ line: Int, _ why: String) {
        refused += 1
        refusals.note("stdin:\(line)", why)
    }

    /// Tells of the lines that were not told of one by one.
    mutating func finish() {
        warnings.finish()
        refusals.finish()
    }

    /// For an end before the end.
    var account: String {
        var parts = [
            "\(Plural.grouped(recorded)) of \(Plural.count(lines, "line")) \(recorded == 1 ? "is" : "are") safely recorded"
        ]
        if refused > 0 { parts.append("\(Plural.grouped(refused)) refused") }
        if unknown > 0 { parts.append("\(Plural.grouped(unknown)) without an answer") }
        return parts.joined(separator: ", ")
    }

    /// What to know before the rest is tried again.
    var hint: String? {
        unknown == 0 ? nil : "Of the lines without an answer some may be recorded: sending them again can double them."
    }

    /// Who numbers the lines; nil for a daemon that knows no producers.
    var producer: OwnProducer?

    /// Lines the daemon has got, or not, and has not answered.
    private var unknown: Int { sent - recorded - refusedByDaemon }

    var summary: String {
        let seconds = MonotonicClock.now - started
        let rate = recorded >= 1000 ? " (\(Plural.grouped(Int(Double(recorded) / seconds))) a second)" : ""
        let bad = refused > 0 ? ", \(Plural.grouped(refused)) refused" : ""
        return "recorded \(Plural.count(recorded, what))\(bad)\(rate)"
    }
}
