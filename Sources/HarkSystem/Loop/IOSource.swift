import CSystemd

/// The events to watch a descriptor for.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let read = Interest(rawValue: EPOLLIN.rawValue)
    package static let write = Interest(rawValue: EPOLLOUT.rawValue)
    /// The peer has shut its writing side.
    package static let hangup = Interest(rawValue: EPOLLRDHUP.rawValue)
    /// Reported once per arrival, including the end: read until a read gives less than requested (epoll(7)), and after
    /// a hangup until it gives nothing. Other interests combined with it are reported once too.
    package static let arrival = Interest(rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue)
    /// Only the end: both sides have hung up, or the descriptor is broken. Reported once.
    package static let end = Interest(rawValue: EPOLLET.rawValue)
}

/// The current state of a descriptor.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let read = Readiness(rawValue: EPOLLIN.rawValue)
    package static let write = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer has closed, or shut its writing side; earlier data can still be read.
    package static let hangup = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLRDHUP.rawValue)
    /// The peer is gone; earlier data can still be read.
    package static let gone = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
    /// The descriptor is broken; close it.
    package static let error = Readiness(rawValue: EPOLLERR.rawValue)

    /// There is something to read, or the end.
    package static let input = Readiness(rawValue: read.rawValue | end.rawValue)
    /// The input ends, or the descriptor is broken.
    package static let end = Readiness(rawValue: hangup.rawValue | error.rawValue)

    /// Whether any of `others` is set; `contains` would require both kinds of hangup.
    package func has(_ others: Readiness) -> Bool { rawValue & others.rawValue != 0 }
}

/// A watched descriptor, level-triggered unless the interest says otherwise; it ends with `cancel()` or this object.
///
/// It does not own the descriptor: cancel it on the loop's thread before closing; releasing this object elsewhere ends
/// it only in the next turn, when the number may belong to another descriptor. With any interest, hangups of both sides
/// and errors are always reported; with none the descriptor is not watched.
@DaemonActor
package final class IOSource {
    private var source: EventSource?
    private let handler: Handler<Readiness>
    private var interest: Interest

    init(_ loop: EventLoop, fd: Int32, interest: Interest, handler: Handler<Readiness>) throws(SystemError) {
        self.handler = handler
        self.interest = interest
        let source = try EventSource("sd_event_add_io", handler: handler) { source, userdata in
            sd_event_add_io(
                loop.event, source, fd, interest.rawValue,
                { _, _, events, userdata in
                    let readiness = Readiness(rawValue: events)
                    let handler = HarkSystem.handler(userdata, of: Readiness.self)
                    DaemonActor.assumeIsolated { handler.call(readiness) }
                    return 0
                }, userdata)
        }
        self.source = source
        if interest.isEmpty { sd_event_source_set_enabled(source.pointer, Int32(SD_EVENT_OFF)) }
    }

    /// Replaces the interest. An empty one (`[]`) pauses the source.
    ///
    /// If the kernel refuses to watch the descriptor again, the handler gets `.error` in the next turn.
    package func setInterest(_ interest: Interest) {
        guard let source, interest != self.interest else { return }
        self.interest = interest
        if interest.isEmpty {
            sd_event_source_set_enabled(source.pointer, Int32(SD_EVENT_OFF))
            return
        }
        guard sd_event_source_set_io_events(source.pointer, interest.rawValue) >= 0,
            sd_event_source_set_enabled(source.pointer, Int32(SD_EVENT_ON)) >= 0
        else {
            DaemonActor.post { [weak self] in
                guard let self, self.source != nil else { return }
                handler.call(.error)
            }
            return
        }
    }

    /// Stops watching; later calls have no effect. Safe within the handler itself.
    package func cancel() {
        source = nil
    }
}

extension EventLoop {
    /// Watches `fd` and calls `handler` once per turn while the interest is met.
    package func watch(
        _ fd: Int32, for interest: Interest, _ handler: @escaping @DaemonActor (Readiness) -> Void
    ) throws(SystemError) -> IOSource {
        try IOSource(self, fd: fd, interest: interest, handler: Handler(handler))
    }
}
