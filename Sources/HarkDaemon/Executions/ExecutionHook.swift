import HarkCore
import HarkLedger
import HarkSystem
import HarkWire

/// Builds the command of a run, with its arguments, environment and input.
enum ExecutionHook {
    /// - Returns: nil for a run that is no program.
    static func command(for started: Stored<ExecutionRun>, socketPath: String) -> ChildProcess.Command? {
        let run = started.value
        guard case .exec(let words, let timeout) = run.action else { return nil }
        var command = ChildProcess.Command(words)
        command.environment = environment(of: run)
        command.environment["HARK_SOCKET"] = socketPath
        command.input = input(of: run)
        command.timeoutMicroseconds = UInt64(timeout) * 1_000_000
        return command
    }

    private static func environment(of run: ExecutionRun) -> [String: String] {
        [
            "HARK_EXECUTION_ID": run.key.id.text,
            "HARK_RUN_ID": run.id.description,
            "HARK_COUNTER": run.counter?.text ?? "",
            "HARK_VALUE": run.event == nil ? run.value.map { $0.stringValue ?? $0.description } ?? "" : "",
            "HARK_EVENT": run.event?.name ?? "",
            "HARK_APP": run.key.scope.app,
            "HARK_UID": String(run.key.scope.uid),
            "HARK_FIRED_AT": run.firedAt.description,
            // The user may be present by chance, but did not cause the run.
            "HARK_UNATTENDED": "1",
        ]
    }

    private static func input(of run: ExecutionRun) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        ExecutionRunInfo(run, tellsProperties: true).writeMembers(to: &json)
        json.key("counters")
        json.object(run.counters)
        json.endObject()
        json.newline()
        return json.bytes
    }

    /// The output of a program as log lines, limited in number and length.
    static func lines(of outcome: ChildProcess.Outcome) -> [String] {
        let said = [outcome.output, outcome.errorOutput].flatMap { bytes in
            String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0.prefix(1_000)) }
        }
        guard said.count > 50 else { return said }
        return said.prefix(50) + ["… and \(said.count - 50) lines more"]
    }

    /// Why a program failed; nil if it succeeded.
    static func fault(of outcome: ChildProcess.Outcome, _ run: ExecutionRun) -> String? {
        if outcome.timedOut, case .exec(_, let timeout) = run.action { return "it was ended after \(timeout) s" }
        return outcome.status.isSuccess ? nil : "it ended with \(outcome.status)"
    }
}
