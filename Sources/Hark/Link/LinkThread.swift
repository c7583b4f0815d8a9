internal import Glibc
internal import HarkClient
internal import HarkWire

/// The thread of a link: connects, sends and receives as the link's state says.
struct LinkThread: ~Copyable {
    private let link: Link
    private var pipeline: Pipeline?
    private let producer = OwnProducer()

    /// The tag of the greeting; those of requests are greater.
    private static let greeting = 0

    init(_ link: Link) { self.link = link }

    mutating func run() {
        while true {
            let hasRoom = pipeline?.hasRoom ?? false
            switch link.update({ $0.step(at: MonotonicClock.now, hasRoom: hasRoom) }) {
            case .connect: connect()
            case .send(let requests): for (tag, request) in requests { send(request, tag) }
            case .wait(let time): wait(until: time)
            case .end: return
            }
        }
    }

    private mutating func connect() {
        switch SocketAddress.connect(to: link.places) {
        case .success((let descriptor, _)):
            pipeline = Pipeline(Connection(adopting: descriptor))
            // Asks for the daemon's features.
            pipeline?.submit(Hello(), tag: Self.greeting)
            link.update { $0.connected() }
        case .failure(let failure):
            let there = failure.tried.last { !$0.failure.isAbsent }
            let message =
                there.map { "harkd does not answer on \($0.path): \($0.failure.text)" }
                ?? "harkd does not run: there is no socket at \(link.places.map(\.path).joined(separator: " or "))"
            link.update { $0.failed(ClientError(.notRunning, message), at: MonotonicClock.now) }
        }
    }

    private mutating func send(_ request: LinkState.Request, _ tag: Int) {
        pipeline?.submit(request.method, tag: tag) { [producer] params in
            params += request.params
            guard let number = request.number else { return }
            // There is always a member before it, which is required.
            params[params.count - 1] = .comma
            producer.append(number, to: &params)
            params.append(.closeBrace)
        }
    }

    private mutating func wait(until time: Double?) {
        let timeout = MonotonicClock.milliseconds(until: time)
        var replies: [(tag: Int, result: Result<JSONText, ClientError>)] = []
        do {
            let wake = try pipeline?.turn(source: link.sleeper, atMost: timeout) { outcome in
                // The line's memory is reused by the next read.
                replies.append((outcome.tag, outcome.result.map { JSONText(ArraySlice(Array($0.bytes))) }))
            }
            let isOpen = pipeline != nil
            take(replies)
            if isOpen, pipeline == nil { return }
            if wake == nil { Input.wait(for: link.sleeper, atMost: timeout) }
            guard wake?.contains(.source) != false else { return }
            var bytes = [UInt8](repeating: 0, count: 256)
            while read(link.sleeper, &bytes, bytes.count) == bytes.count {}
        } catch {
            take(replies)
            guard pipeline != nil else { return }
            pipeline = nil
            if let error = error as? ClientError, error.code == .malformedReply {
                link.tell(.refused(HarkError(error)))
            }
            link.update { $0.lost(at: MonotonicClock.now) }
        }
    }

    private mutating func take(_ replies: [(tag: Int, result: Result<JSONText, ClientError>)]) {
        guard !replies.isEmpty else { return }
        // A daemon that does not know greetings takes requests all the same. One that refuses to greet, as it has as many
        // connections as it takes, ends the connection.
        for case (Self.greeting, .failure(let refusal)) in replies where refusal.reason != .methodNotFound {
            pipeline = nil
            return link.update { $0.failed(refusal, at: MonotonicClock.now) }
        }
        link.update { state in
            for (tag, result) in replies {
                if tag == Self.greeting {
                    state.greeted(knowsProducers: (try? result.get())?.hasFeature(.producer) == true)
                } else {
                    state.answered(tag, result)
                }
            }
        }
    }
}
