import CSystemd

/// A source for idle work: it runs after every other source, once each time it is armed.
@DaemonActor
package final class IdleSource {
    private let source: EventSource

    init(_ loop: EventLoop, handler: Handler<Void>) throws(SystemError) {
        source = try EventSource("sd_event_add_defer", handler: handler) { source, userdata in
            sd_event_add_defer(
                loop.event, source,
                { _, userdata in
                    let handler = HarkSystem.handler(userdata, of: Void.self)
                    DaemonActor.assumeIsolated { handler.call(()) }
                    return 0
                }, userdata)
        }
        sd_event_source_set_enabled(source.pointer, Int32(SD_EVENT_OFF))
        sd_event_source_set_priority(source.pointer, Int64(SD_EVENT_PRIORITY_IDLE))
    }

    /// Schedules a call of the handler when nothing else is ready.
    package func arm() { sd_event_source_set_enabled(source.pointer, Int32(SD_EVENT_ONESHOT)) }
}

extension EventLoop {
    /// Creates a source for idle work, not armed.
    package func idle(_ handler: @escaping @DaemonActor () -> Void) throws(SystemError) -> IdleSource {
        try IdleSource(self, handler: Handler { _ in handler() })
    }
}
