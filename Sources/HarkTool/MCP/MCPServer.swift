import Glibc
import HarkClient
import HarkWire

/// `hark mcp`: serves a client on standard input and output until it closes its end, with several calls at a time.
///
/// One loop waits for all events: lines of the client, room to write to it, replies of the daemon, programs, and
/// timers. Only the protocol is written to standard output. Questions to a person belong to the daemon and outlive this
/// process.
final class MCPServer {
    private struct Job {
        let call: MCPCall
        var step: MCPStep
    }

    private var methods = MCPMethods()
    private var reader = LineReader(capacity: 1 << 16, limit: MCPLimits.lineBytes)
    /// Whether the rest of a line that is too long is being skipped.
    private var isSkipping = false
    private var jobs: [Job] = []
    private var unwritten: ArraySlice<UInt8> = []
    /// The deadline for pending calls, once the client has closed its end.
    private var end: ContinuousClock.Instant?
    /// Whether the client no longer reads.
    private var isDeaf = false
    private let signals = SignalQueue(SignalQueue.endings)

    /// The number of bytes that a writable pipe takes without blocking.
    private static let pieceBytes = 4_096
    /// The maximum number of steps of one call in a row, so that it does not delay others.
    private static let mostSteps = 16

    /// - Returns: When the client has closed its end or no longer reads.
    func run() {
        // The write itself reports a closed pipe.
        signal(SIGPIPE, SIG_IGN)
        while true {
            advance()
            if isDeaf || (end != nil && jobs.isEmpty && unwritten.isEmpty) { return }
            if let end, ContinuousClock.now >= end { return }
            wait()
        }
    }

    // MARK: Waiting

    private func wait() {
        var entries = [
            pollfd(fd: takesInput ? 0 : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: 1, events: unwritten.isEmpty ? 0 : Int16(POLLOUT), revents: 0),
            pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let now = ContinuousClock.now
        var next = end
        func sooner(_ time: ContinuousClock.Instant?) {
            if let time { next = next.map { min($0, time) } ?? time }
        }
        for job in jobs {
            sooner(job.call.progressDue)
            switch job.step {
            case .request(let request, _):
                entries.append(pollfd(fd: request.descriptor, events: Int16(POLLIN), revents: 0))
                sooner(request.next)
            case .program(let run, _):
                entries += run.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                sooner(run.next(after: now))
            case .done: sooner(now)
            }
        }
        guard poll(&entries, nfds_t(entries.count), Self.milliseconds(until: next, from: now)) > 0 else { return }
        if entries[2].revents != 0, let number = signals.next() {
            endPrograms()
            SignalQueue.endProcess(by: number)
        }
        if entries[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { isDeaf = true }
        if entries[1].revents & Int16(POLLOUT) != 0 { write() }
        if entries[0].revents != 0 { read() }
    }

    private var takesInput: Bool { end == nil && unwritten.count < MCPLimits.unreadBytes }

    private static func milliseconds(
        until time: ContinuousClock.Instant?, from now: ContinuousClock.Instant
    ) -> CInt {
        guard let time else { return -1 }
        let left = (time - now) / .milliseconds(1)
        return left <= 0 ? 0 : CInt(min(left.rounded(.up), 3_600_000))
    }

    // MARK: Reading

    private func read() {
        switch reader.fill({ Glibc.read(0, $0, $1) }) {
        case .bytes: break
        case .nothing: return
        case .tooLong:
            if !isSkipping {
                let fault = MCPError(.invalidRequest, "a line has at most \(MCPLimits.lineBytes) bytes")
                send(MCPReply.error(nil, fault))
            }
            isSkipping = true
            reader.dropUnfinished()
        case .end, .failed: close()
        }
        while let line = reader.next() {
            if isSkipping { isSkipping = false } else { take(line) }
        }
        // At the end of input, an unterminated line is taken too.
        if end != nil, !isSkipping, let rest = reader.rest() { take(rest) }
    }

    /// Notes that the client has closed its end. Calls that wait for a person return their state; others get time to
    /// end.
    private func close() {
        guard end == nil else { return }
        end = .now + .milliseconds(MCPLimits.graceMilliseconds)
    }

    private func take(_ line: ArraySlice<UInt8>) {
        guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == 9 }) else { return }
        for message in MCPMessage.read(line) {
            switch message {
            case .request(let id, let method, let params): take(id, method, params)
            case .notification("notifications/cancelled", let params):
                if let id = params["requestId"].flatMap(MCPMessage.id) { cancel(id) }
            case .notification, .reply: break
            case .fault(let id, let error): send(MCPReply.error(id, error))
            }
        }
    }

    private func take(_ id: RequestID, _ method: String, _ params: JSONObject) {
        switch methods.answer(id, method, params) {
        case .reply(let line): send(line)
        case .call(let call, let tool):
            guard jobs.count < MCPLimits.calls else {
                let fault = MCPToolResult.fault("\(jobs.count) calls are under way, which is the most; wait for one")
                return send(MCPReply.result(id, call.era) { fault.write(to: &$0) })
            }
            jobs.append(Job(call: call, step: tool.start(call)))
        }
    }

    /// Cancels a call, for which nothing more is sent. An id without a pending call is ignored.
    private func cancel(_ id: RequestID) {
        guard let place = jobs.lastIndex(where: { $0.call.id == id && !$0.call.isCancelled }) else { return }
        if let step = jobs[place].call.cancel() {
            jobs[place].step = step
        } else if case .program(let run, _) = jobs[place].step {
            run.end()
            jobs.remove(at: place)
        }
    }

    // MARK: Calls

    private func advance() {
        let now = ContinuousClock.now
        var left: [Job] = []
        for var job in jobs {
            if end != nil, job.call.waiting != nil, case .request(let request, _) = job.step { request.hurry() }
            let isOver = advance(&job, at: now)
            if let line = job.call.progressLine(at: now), !isOver { send(line) }
            if !isOver { left.append(job) }
        }
        jobs = left
    }

    /// Advances a call until it has to wait.
    ///
    /// - Returns: Whether the call is finished.
    private func advance(_ job: inout Job, at now: ContinuousClock.Instant) -> Bool {
        for _ in 0..<Self.mostSteps {
            switch job.step {
            case .request(let request, let then):
                guard let outcome = request.outcome(at: max(now, .now)) else { return false }
                job.step = then(outcome)
            case .program(let run, let then):
                if job.call.isCancelled { return true }
                guard let outcome = run.outcome(at: now) else { return false }
                job.call.waiting = nil
                job.step = then(outcome)
            case .done(let result):
                if !job.call.isCancelled { send(MCPReply.result(job.call.id, job.call.era) { result.write(to: &$0) }) }
                return true
            }
        }
        return false
    }

    private func endPrograms() {
        for case .program(let run, _) in jobs.map(\.step) { run.end() }
    }

    // MARK: Writing

    private func send(_ line: [UInt8]) { unwritten += line }

    private func write() {
        let piece = unwritten.prefix(Self.pieceBytes)
        let count = piece.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
        if count > 0 {
            unwritten = unwritten.dropFirst(count)
        } else if count < 0, errno != EINTR, errno != EAGAIN {
            isDeaf = true
        }
    }
}
