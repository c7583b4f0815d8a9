import CSystemd

/// A callback of sd-event: a closure in a class, for use as a C pointer.
@DaemonActor
final class Handler<Argument> {
    let call: @DaemonActor (Argument) -> Void

    init(_ call: @escaping @DaemonActor (Argument) -> Void) {
        self.call = call
    }
}

/// Owns an sd-event source, which ends with it, on any thread.
///
/// The handler lives exactly as long as the source, so cancelling within the handler is safe.
final class EventSource: Sendable {
    /// Used only on the loop's thread: every user is bound to it, and `deinit` releases it there.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Adds a source by `add`, which gets the place for the source, and the handler as user data.
    @DaemonActor
    init<Argument>(
        _ operation: String, detail: @autoclosure () -> String = "", handler: Handler<Argument>,
        add: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutableRawPointer) -> Int32
    ) throws(SystemError) {
        let retained = Unmanaged.passRetained(handler as AnyObject)
        var source: OpaquePointer?
        let result = add(&source, retained.toOpaque())
        guard result >= 0, let source else {
            retained.release()
            throw SystemError(code: -result, operation: operation, detail: detail())
        }
        sd_event_source_set_destroy_callback(source) {
            if let handler = $0 { Unmanaged<AnyObject>.fromOpaque(handler).release() }
        }
        pointer = source
    }

    deinit {
        nonisolated(unsafe) let pointer = pointer
        if DaemonActor.isCurrent {
            sd_event_source_disable_unref(pointer)
        } else {
            DaemonActor.post { sd_event_source_disable_unref(pointer) }
        }
    }
}

/// The handler of a source from the user data of a callback, as set by `EventSource` and `MessageBus`.
func handler<Argument>(_ userdata: UnsafeMutableRawPointer?, of: Argument.Type) -> Handler<Argument> {
    Unmanaged<Handler<Argument>>.fromOpaque(userdata!).takeUnretainedValue()
}
