import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// `hark record --stdin` and `hark log --stdin`: records one event or message per line, with many requests in flight.
///
/// A line is put into its request as it is, and the daemon parses it. This program only checks that the line is one
/// object, so that it cannot break out of the request. Tables and lines to be flattened are exceptions.
struct RecordStream {
    private let method: String
    /// The noun for the result of a line, such as "event".
    private let what: String
    private let console: Console
    private var form: any LineForm
    private let signals: SignalQueue
    /// How long to wait for a daemon that went away, in seconds.
    private let patience: Int64

    init(_ method: String, _ what: String, _ form: any LineForm, _ arguments: Arguments, _ console: Console) throws {
        patience =
            try arguments[RecordOptions.wait].map { text throws(ToolError) in
                try DurationArgument.parse(text, name: "--wait")
            } ?? RecordOptions.patience
        (self.method, self.what, self.form, self.console) = (method, what, form, console)
        signals = SignalQueue(SignalQueue.endings)
    }

    mutating func run() throws {
        if console.inputIsTerminal { console.say("hark: one \(what) a line, Ctrl-D ends") }
        var run = RecordRun(what, console)
        defer { run.finish() }
        do {
            try pump(&run)
        } catch let error as ClientError where error.code == .disconnected {
            throw ToolError(.unavailable, "the daemon went away; \(run.account)", hint: run.hint)
        }
        run.finish()
        if console.errorIsTerminal { console.say("hark: \(run.summary)") }
        if run.refused > 0 { throw QuietExit(exit: .data) }
    }

    private mutating func pump(_ run: inout RecordRun) throws {
        var pipeline = Pipeline(try Connection())
        if try knowsProducers(&pipeline, &run) {
            run.producer = OwnProducer()
        }
        var reader = LineReader(capacity: 1 << 18, limit: RecordLine.limit)
        var params: [UInt8] = []
        var atEnd = false
        while !atEnd || pipeline.open > 0 || reader.hasBytes {
            while pipeline.hasRoom, var line = reader.next() ?? (atEnd ? reader.rest() : nil) {
                run.lines += 1
                if run.lines == 1 { line = ByteOrderMark.dropped(from: line) }
                params.removeAll(keepingCapacity: true)
                switch try form.append(line, to: &params) {
                case .event:
                    if let producer = run.producer { RecordLine.number(&params, producer: producer, run.lines) }
                    pipeline.submit(method, tag: run.lines) { $0 += params }
                    run.sent += 1
                case .empty: break
                case .wrong(let why): run.refuse(run.lines, why)
                }
            }
            if atEnd, pipeline.open == 0, !reader.hasBytes {
                if let why = form.unfinished { run.refuse(run.lines, why) }
                break
            }
            let wantsInput = !atEnd && pipeline.hasRoom
            do {
                let wake = try pipeline.turn(source: wantsInput ? 0 : nil, interrupt: signals.descriptor) {
                    try run.settle($0)
                }
                if wake.contains(.interrupt) { interrupt(&run) }
                if wake.contains(.source) { atEnd = try read(&reader, &run) }
            } catch let error as ClientError where error.code == .disconnected {
                guard run.producer != nil, !pipeline.hasUnattributed else { throw error }
                pipeline.resume(over: try reconnect(&run, after: error))
            }
        }
    }

    /// Whether numbered lines can be sent again after a broken connection.
    private func knowsProducers(_ pipeline: inout Pipeline, _ run: inout RecordRun) throws -> Bool {
        pipeline.submit(Hello(), tag: 0)
        var knows = false
        while pipeline.open > 0 {
            let wake = try pipeline.turn(interrupt: signals.descriptor) { outcome in
                if case .success(let hello) = outcome.result { knows = hello.hasFeature(.producer) }
            }
            if wake.contains(.interrupt) { interrupt(&run) }
        }
        return knows
    }

    /// Waits for the daemon to come back, up to `patience`.
    private func reconnect(_ run: inout RecordRun, after error: ClientError) throws -> Connection {
        console.say("hark: the daemon went away; waiting for it, Ctrl-C ends")
        var course = Reconnection(until: MonotonicClock.now + Double(patience))
        do throws(ClientError) {
            let connection = try course.reach(wait: { pause in
                if Input.wait(for: signals.descriptor, atMost: pause)[0] { interrupt(&run) }
            })
            console.say("hark: the daemon is back")
            return connection
        } catch _ {
            throw error
        }
    }

    private func interrupt(_ run: inout RecordRun) -> Never {
        run.finish()
        console.say("hark: interrupted; \(run.account)")
        SignalQueue.endProcess(by: signals.next() ?? SIGTERM)
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
