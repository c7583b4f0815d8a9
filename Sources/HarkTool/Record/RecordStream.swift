import Glibc
import HarkClient
import HarkWire

/// `hark record --stdin`: one event a line, many under way at a time.
///
/// A line is put into its request as it is: the daemon is the one that reads it. What is looked at here is only that
/// the line is one object, so that it cannot reach out of the request.
struct RecordStream {
    private let arguments: Arguments
    private let console: Console
    private let form: RecordLine
    private let signals: SignalQueue

    init(_ arguments: Arguments, _ console: Console) throws {
        if let extra = arguments.operands.first {
            throw ToolError.usage(
                "unexpected argument '\(extra)'", hint: "With --stdin the events come from standard input.")
        }
        try arguments.atMostOne(of: RecordOptions.name, RecordOptions.bare)
        if arguments.has(RecordOptions.timestamp) {
            throw ToolError.usage(
                "'--timestamp' does not go with '--stdin'", hint: "Each line may have a \"timestamp\" of its own.")
        }
        self.arguments = arguments
        self.console = console
        form = RecordLine(arguments)
        signals = SignalQueue(SignalQueue.endings)
    }

    func run() throws {
        if console.inputIsTerminal { console.say("hark: one event a line, Ctrl-D ends") }
        var run = RecordRun(console)
        do {
            try pump(&run)
        } catch let error as ClientError where error.code == .disconnected {
            throw ToolError(.unavailable, "the daemon went away; \(run.account)", hint: run.hint)
        }
        if console.errorIsTerminal { console.say("hark: \(run.summary)") }
        if run.refused > 0 { throw QuietExit(exit: .data) }
    }

    private func pump(_ run: inout RecordRun) throws {
        var pipeline = Pipeline(try Connection())
        var reader = LineReader(capacity: 1 << 18, limit: RecordLine.limit)
        var params: [UInt8] = []
        var atEnd = false
        while !atEnd || pipeline.open > 0 || reader.hasBytes {
            while pipeline.hasRoom, let line = reader.next() ?? (atEnd ? reader.rest() : nil) {
                run.lines += 1
                params.removeAll(keepingCapacity: true)
                switch form.append(line, to: &params) {
                case .event:
                    pipeline.submit("event.record", params: params, tag: run.lines)
                    run.sent += 1
                case .empty: break
                case .wrong(let why): run.refuse(run.lines, why)
                }
            }
            if atEnd, pipeline.open == 0, !reader.hasBytes { break }
            let wantsInput = !atEnd && pipeline.hasRoom
            let wake = try pipeline.turn(source: wantsInput ? 0 : nil, interrupt: signals.descriptor) {
                try run.settle($0)
            }
            if wake.contains(.interrupt) {
                console.say("hark: interrupted; \(run.account)")
                SignalQueue.endProcess(by: signals.next() ?? SIGTERM)
            }
            if wake.contains(.source) { atEnd = try read(&reader, &run) }
        }
    }

    /// Reads once; true at the end of the input.
    private func read(_ reader: inout LineReader, _ run: inout RecordRun) throws -> Bool {
        switch reader.fill({ Glibc.read(0, $0, $1) }) {
        case .bytes, .nothing: return false
        case .end: return true
        case .failed(let code):
            throw ToolError(
                .noInput, "cannot read standard input: \(String(cString: strerror(code))); \(run.account)",
                hint: code == EBADF ? "It is closed. Give hark a pipe or a file." : nil)
        case .tooLong:
            throw ToolError(
                .data, "stdin:\(run.lines + 1): the line is longer than \(RecordLine.limit >> 20) MiB; \(run.account)",
                hint: "Is this one JSON object a line? 'jq -c .' makes it so.")
        }
    }
}
