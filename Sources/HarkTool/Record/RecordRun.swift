import HarkAsking
import HarkClient
import HarkWire

/// The results for the lines so far.
struct RecordRun {
    /// The noun for the result of a line, such as "event".
    let what: String
    /// The number of lines read, including empty ones.
    var lines = 0
    /// The number of lines submitted to the daemon.
    var sent = 0
    private(set) var recorded = 0
    private(set) var refused = 0
    /// The number of lines refused by the daemon.
    private var refusedByDaemon = 0
    private var refusals: RefusedLines
    private var warnings: RefusedLines
    private let started = MonotonicClock.now

    init(_ what: String, _ console: Console) {
        self.what = what
        refusals = RefusedLines(console)
        warnings = RefusedLines(console)
    }

    /// - Throws: An error that every further line would get too, such as a store that cannot write.
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

    /// Prints a summary of the lines that were not reported one by one.
    mutating func finish() {
        warnings.finish()
        refusals.finish()
    }

    /// The summary for a run that ended early.
    var account: String {
        var parts = [
            "\(Plural.grouped(recorded)) of \(Plural.count(lines, "line")) \(recorded == 1 ? "is" : "are") safely recorded"
        ]
        if refused > 0 { parts.append("\(Plural.grouped(refused)) refused") }
        if unknown > 0 { parts.append("\(Plural.grouped(unknown)) without an answer") }
        return parts.joined(separator: ", ")
    }

    /// A warning before the rest is sent again.
    var hint: String? {
        unknown == 0 ? nil : "Of the lines without an answer some may be recorded: sending them again can double them."
    }

    /// The producer that numbers the lines; nil for a daemon that knows no producers.
    var producer: OwnProducer?

    /// The number of lines sent but not answered, which the daemon may or may not have received.
    private var unknown: Int { sent - recorded - refusedByDaemon }

    var summary: String {
        let seconds = MonotonicClock.now - started
        let rate = recorded >= 1000 ? " (\(Plural.grouped(Int(Double(recorded) / seconds))) a second)" : ""
        let bad = refused > 0 ? ", \(Plural.grouped(refused)) refused" : ""
        return "recorded \(Plural.count(recorded, what))\(bad)\(rate)"
    }
}
