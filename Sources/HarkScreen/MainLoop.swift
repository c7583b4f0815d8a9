internal import CAdwaita
internal import Dispatch
internal import Glibc

/// GLib's main loop, which runs the main actor.
package enum MainLoop {
    /// Runs the jobs of the main actor on the main loop: libdispatch's main queue wakes it with a descriptor.
    static func adopt() {
        _ = whenReadable(_dispatch_get_main_queue_handle_4CF()) { descriptor in
            var count: UInt64 = 0
            _ = read(descriptor, &count, 8)
            _dispatch_main_queue_callback_4CF(nil)
            return true
        }
    }

    /// Calls `body` when the descriptor is readable or at its end, until it returns false.
    ///
    /// - Returns: The source for `forget`.
    package static func whenReadable(_ descriptor: CInt, _ body: @escaping (CInt) -> Bool) -> UInt32 {
        let context = Unmanaged.passRetained(Call { body(descriptor) }).toOpaque()
        return g_unix_fd_add_full(
            G_PRIORITY_DEFAULT, descriptor, GIOCondition(rawValue: G_IO_IN.rawValue | G_IO_HUP.rawValue),
            { _, _, context in Call.run(context) }, context, { Call.release($0) })
    }

    /// Calls `body` once after a delay.
    ///
    /// - Returns: The source for `forget`, valid until the call.
    @discardableResult
    package static func after(_ seconds: Double, _ body: @escaping () -> Void) -> UInt32 {
        let call = Call {
            body()
            return false
        }
        let milliseconds = UInt32(min(max(seconds * 1000, 0), 86_400_000).rounded(.up))
        return g_timeout_add_full(
            G_PRIORITY_DEFAULT, milliseconds, { Call.run($0) }, Unmanaged.passRetained(call).toOpaque(),
            { Call.release($0) })
    }

    /// Calls `body` when a signal asks the process to end, instead of ending it.
    package static func onEndingSignal(_ body: @escaping () -> Void) {
        for number in [SIGTERM, SIGINT, SIGHUP] {
            let call = Call {
                body()
                return true
            }
            g_unix_signal_add_full(
                G_PRIORITY_DEFAULT, number, { Call.run($0) }, Unmanaged.passRetained(call).toOpaque(),
                { Call.release($0) })
        }
    }

    /// Removes a source.
    package static func forget(_ source: UInt32) { g_source_remove(source) }

    private final class Call {
        private let body: () -> Bool
        init(_ body: @escaping () -> Bool) { self.body = body }

        nonisolated static func run(_ context: UnsafeMutableRawPointer?) -> CInt {
            // The loop runs on the main thread.
            nonisolated(unsafe) let context = context
            return MainActor.assumeIsolated {
                guard let context else { return 0 }
                return Unmanaged<Call>.fromOpaque(context).takeUnretainedValue().body() ? 1 : 0
            }
        }

        nonisolated static func release(_ context: UnsafeMutableRawPointer?) {
            if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
        }
    }
}
