import CSystemd
import Glibc

/// A connection to the bus of the user's session, on the loop. It is made at once and is there when the bus has answered;
/// what is asked before that waits.
@DaemonActor
package final class SessionBus {
    /// Only used on the loop's thread; `deinit` goes there.
    private nonisolated(unsafe) let bus: OpaquePointer
    /// What sd-bus calls back lives as long as the connection.
    private var handlers: [Handler<BusMessage>] = []

    /// - Throws: when there is no session bus.
    package init(loop: EventLoop) throws(SystemError) {
        var opened: OpaquePointer?
        let result = sd_bus_open_user(&opened)
        guard result >= 0, let opened else {
            throw SystemError(code: -result, operation: "sd_bus_open_user", detail: "the session bus")
        }
        bus = opened
        do {
            try checked("sd_bus_attach_event") { sd_bus_attach_event(opened, loop.event, 0) }
        } catch {
            sd_bus_close_unref(opened)
            throw error
        }
    }

    deinit {
        nonisolated(unsafe) let bus = bus
        if DaemonActor.isCurrent {
            sd_bus_flush_close_unref(bus)
        } else {
            DaemonActor.post { sd_bus_flush_close_unref(bus) }
        }
    }

    /// What a method is called on.
    package struct Target: Sendable {
        let destination: String
        let path: String
        let interface: String

        package init(destination: String, path: String, interface: String) {
            self.destination = destination
            self.path = path
            self.interface = interface
        }
    }

    /// Calls a method without arguments, or with one number, and hands its reply, or the error, to `reply`.
    package func call(
        _ method: String, of target: Target, _ number: UInt32? = nil, timeoutMicroseconds: UInt64 = 10_000_000,
        _ reply: @escaping @DaemonActor (BusMessage) -> Void
    ) throws(SystemError) {
        var message: OpaquePointer?
        try checked("sd_bus_message_new_method_call", detail: method) {
            sd_bus_message_new_method_call(
                bus, &message, target.destination, target.path, target.interface, method)
        }
        defer { sd_bus_message_unref(message) }
        if var number {
            try checked("sd_bus_message_append_basic") {
                sd_bus_message_append_basic(message, CChar(UInt8(ascii: "u")), &number)
            }
        }
        let handler = keep(reply)
        try checked("sd_bus_call_async", detail: method) {
            sd_bus_call_async(bus, nil, message, SessionBus.deliver, handler, timeoutMicroseconds)
        }
    }

    /// Hands every signal that a rule of the bus matches to `handler`.
    package func onSignal(
        _ rule: String, _ handler: @escaping @DaemonActor (BusMessage) -> Void
    ) throws(SystemError) {
        let handler = keep(handler)
        try checked("sd_bus_add_match_async", detail: rule) {
            sd_bus_add_match_async(bus, nil, rule, SessionBus.deliver, nil, handler)
        }
    }

    private func keep(_ body: @escaping @DaemonActor (BusMessage) -> Void) -> UnsafeMutableRawPointer {
        let handler = Handler(body)
        handlers.append(handler)
        return Unmanaged.passUnretained(handler).toOpaque()
    }

    private static let deliver: sd_bus_message_handler_t = { message, userdata, _ in
        guard let message else { return 0 }
        let handler = HarkSystem.handler(userdata, of: BusMessage.self)
        nonisolated(unsafe) let received = BusMessage(pointer: message)
        DaemonActor.assumeIsolated { handler.call(received) }
        return 0
    }
}

/// A message that came over the bus; valid only during the call that hands it out, and read from front to back.
package struct BusMessage {
    fileprivate let pointer: OpaquePointer

    /// What went wrong, if it is an error instead of a reply.
    package var error: String? {
        guard let error = sd_bus_message_get_error(pointer) else { return nil }
        return (error.pointee.message ?? error.pointee.name).map { String(cString: $0) } ?? "an unnamed error"
    }

    /// The next text; nil if something else comes.
    package func text() -> String? {
        var text: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(pointer, CChar(UInt8(ascii: "s")), &text) > 0 else { return nil }
        return text.map { String(cString: $0) }
    }

    /// The next array of texts; nil if something else comes.
    package func texts() -> [String]? {
        guard sd_bus_message_enter_container(pointer, CChar(UInt8(ascii: "a")), "s") > 0 else { return nil }
        var texts: [String] = []
        while let text = text() { texts.append(text) }
        sd_bus_message_exit_container(pointer)
        return texts
    }
}
