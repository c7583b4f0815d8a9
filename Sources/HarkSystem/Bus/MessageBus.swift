import CSystemd
import Glibc

/// A connection to a message bus on the loop. It is usable at once; calls wait until the bus has answered. Nothing
/// blocks: each call has a timeout, and fails after it; a bus that does not accept the connection in time is given up.
@DaemonActor
package final class MessageBus {
    package enum Kind: Sendable {
        /// The bus of the user's session.
        case session
        /// The bus of the machine.
        case system
    }

    /// Used only on the loop's thread; `deinit` releases it there.
    private nonisolated(unsafe) let bus: OpaquePointer
    /// The handlers of signals, which live as long as the connection.
    private var handlers: [Handler<BusMessage>] = []
    private var patience: TimerSource?

    /// The timeout of the connection; the timeouts of calls begin after it.
    private static let patienceMicroseconds: UInt64 = 5_000_000

    /// - Throws: If there is no such bus.
    package init(_ kind: Kind, loop: EventLoop) throws(SystemError) {
        var opened: OpaquePointer?
        let result = kind == .session ? sd_bus_open_user(&opened) : sd_bus_open_system(&opened)
        guard result >= 0, let opened else {
            throw SystemError(code: -result, operation: "sd_bus_open", detail: "the \(kind) bus")
        }
        bus = opened
        do {
            try checked("sd_bus_attach_event") { sd_bus_attach_event(opened, loop.event, 0) }
            // Otherwise the end of the loop would flush it, and a hanging bus would block the process.
            try checked("sd_bus_set_close_on_exit") { sd_bus_set_close_on_exit(opened, 0) }
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 100_000) { [weak self] in
                self?.giveUpUnlessReady()
            }
            timer.arm(afterMicroseconds: MessageBus.patienceMicroseconds)
            patience = timer
        } catch {
            sd_bus_close_unref(opened)
            throw error
        }
    }

    /// Shuts the connection down if the bus has not answered. Pending calls fail and `onEnd` is called.
    private func giveUpUnlessReady() {
        let descriptor = sd_bus_get_fd(bus)
        if sd_bus_is_ready(bus) <= 0, descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    deinit {
        // Closed without flushing.
        nonisolated(unsafe) let bus = bus
        if DaemonActor.isCurrent {
            sd_bus_close_unref(bus)
        } else {
            DaemonActor.post { sd_bus_close_unref(bus) }
        }
    }

    /// The target of a method call.
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

    package enum Argument: Sendable {
        case text(String)
        case number(UInt32)
        case signed(Int32)
        case texts([String])
        case properties([String: BusMessage.Property])
    }

    /// Calls a method, and passes its reply or error to `reply`.
    package func call(
        _ method: String, of target: Target, _ arguments: [Argument] = [], timeoutMicroseconds: UInt64 = 10_000_000,
        _ reply: @escaping @DaemonActor (BusMessage) -> Void
    ) throws(SystemError) {
        var message: OpaquePointer?
        try checked("sd_bus_message_new_method_call", detail: method) {
            sd_bus_message_new_method_call(
                bus, &message, target.destination, target.path, target.interface, method)
        }
        defer { sd_bus_message_unref(message) }
        for argument in arguments {
            try checked("sd_bus_message_append", detail: method) { MessageBus.append(argument, to: message) }
        }
        // Released with the call, because a bus may be used for months.
        let handler = Unmanaged.passRetained(Handler(reply) as AnyObject)
        var slot: OpaquePointer?
        do {
            try checked("sd_bus_call_async", detail: method) {
                sd_bus_call_async(bus, &slot, message, MessageBus.deliver, handler.toOpaque(), timeoutMicroseconds)
            }
        } catch {
            handler.release()
            throw error
        }
        sd_bus_slot_set_destroy_callback(slot) {
            if let handler = $0 { Unmanaged<AnyObject>.fromOpaque(handler).release() }
        }
        sd_bus_slot_set_floating(slot, 1)
        sd_bus_slot_unref(slot)
    }

    /// - Returns: The result of sd-bus; negative for an error.
    private static func append(_ argument: Argument, to message: OpaquePointer?) -> Int32 {
        /// Appends a container, and the content that `body` appends to it.
        func inside(_ type: CChar, of content: String, _ body: () -> Int32) -> Int32 {
            let opened = sd_bus_message_open_container(message, type, content)
            guard opened >= 0 else { return opened }
            let appended = body()
            return appended >= 0 ? sd_bus_message_close_container(message) : appended
        }
        switch argument {
        case .text(let text): return sd_bus_message_append_basic(message, BusMessage.textType, text)
        case .number(var number): return sd_bus_message_append_basic(message, BusMessage.numberType, &number)
        case .signed(var number): return sd_bus_message_append_basic(message, BusMessage.signedType, &number)
        case .texts(let texts):
            return inside(BusMessage.arrayType, of: "s") {
                for text in texts {
                    let result = sd_bus_message_append_basic(message, BusMessage.textType, text)
                    if result < 0 { return result }
                }
                return 0
            }
        case .properties(let properties):
            return inside(BusMessage.arrayType, of: "{sv}") {
                for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
                    let result = inside(BusMessage.entryType, of: "sv") {
                        let named = sd_bus_message_append_basic(message, BusMessage.textType, name)
                        guard named >= 0 else { return named }
                        switch value {
                        case .text(let text):
                            return inside(BusMessage.variantType, of: "s") {
                                sd_bus_message_append_basic(message, BusMessage.textType, text)
                            }
                        case .bool(let isTrue):
                            var number: Int32 = isTrue ? 1 : 0
                            return inside(BusMessage.variantType, of: "b") {
                                sd_bus_message_append_basic(message, BusMessage.boolType, &number)
                            }
                        }
                    }
                    if result < 0 { return result }
                }
                return 0
            }
        }
    }

    /// Reads all properties of an interface of an object; empty if that fails.
    package func properties(
        of target: Target, timeoutMicroseconds: UInt64,
        _ reply: @escaping @DaemonActor ([String: BusMessage.Property]) -> Void
    ) throws(SystemError) {
        let object = Target(
            destination: target.destination, path: target.path, interface: "org.freedesktop.DBus.Properties")
        try call("GetAll", of: object, [.text(target.interface)], timeoutMicroseconds: timeoutMicroseconds) { message in
            reply(message.error == nil ? message.properties() ?? [:] : [:])
        }
    }

    /// Calls `handler` for every signal that matches a rule.
    package func onSignal(
        _ rule: String, _ handler: @escaping @DaemonActor (BusMessage) -> Void
    ) throws(SystemError) {
        let handler = Handler(handler)
        handlers.append(handler)
        try checked("sd_bus_add_match_async", detail: rule) {
            sd_bus_add_match_async(
                bus, nil, rule, MessageBus.deliver, nil, Unmanaged.passUnretained(handler).toOpaque())
        }
    }

    /// Calls `body` when the owner of a bus name changes, with the previous and the new owner (empty for none).
    package func onOwner(
        of name: String, _ body: @escaping @DaemonActor (_ before: String, _ now: String) -> Void
    ) throws(SystemError) {
        let rule = """
            type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',\
            interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(name)'
            """
        try onSignal(rule) { signal in
            guard signal.text() != nil, let before = signal.text(), let now = signal.text() else { return }
            body(before, now)
        }
    }

    /// Calls `body` when the connection has ended.
    package func onEnd(_ body: @escaping @DaemonActor () -> Void) throws(SystemError) {
        // sd-bus generates this signal itself.
        try onSignal("type='signal',interface='org.freedesktop.DBus.Local',member='Disconnected'") { _ in body() }
    }

    private static let deliver: sd_bus_message_handler_t = { message, userdata, _ in
        guard let message else { return 0 }
        let handler = HarkSystem.handler(userdata, of: BusMessage.self)
        nonisolated(unsafe) let received = BusMessage(pointer: message)
        DaemonActor.assumeIsolated { handler.call(received) }
        return 0
    }
}
