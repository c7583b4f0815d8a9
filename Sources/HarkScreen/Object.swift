package import CAdwaita

/// An object of GLib's, held as long as this one lives.
///
/// The C functions ask for pointers of many types, or of none where a struct is private; `c()` is whichever is asked for.
open class Object {
    package let reference: UnsafeMutableRawPointer

    /// Takes a new object over.
    package init(_ new: UnsafeMutableRawPointer) { reference = hark_take(new) }

    package convenience init(_ new: OpaquePointer) { self.init(UnsafeMutableRawPointer(new)) }

    /// An object that is another's as well.
    package convenience init(borrowing other: UnsafeMutableRawPointer) { self.init(g_object_ref(other)) }

    isolated deinit { g_object_unref(reference) }

    package func c<T>() -> UnsafeMutablePointer<T> { reference.assumingMemoryBound(to: T.self) }
    package func c() -> OpaquePointer { OpaquePointer(reference) }

    /// For functions that take a reference over.
    func retained() -> OpaquePointer {
        g_object_ref(reference)
        return c()
    }

    // MARK: Signals

    private final class Handler {
        let body: (UnsafeBufferPointer<GValue>) -> Bool
        init(_ body: @escaping (UnsafeBufferPointer<GValue>) -> Bool) { self.body = body }
    }

    /// Calls `body` with the arguments of each such signal; what it returns counts where the signal asks for a bool.
    ///
    /// The object holds the body, so a body must not hold what holds the object.
    package func on(_ signal: String, taking body: @escaping (UnsafeBufferPointer<GValue>) -> Bool) {
        let context = Unmanaged.passRetained(Handler(body)).toOpaque()
        hark_connect(
            reference, signal,
            { context, arguments, count in
                // GTK is on the main thread, and so are its signals.
                nonisolated(unsafe) let (context, arguments) = (context, arguments)
                return MainActor.assumeIsolated {
                    guard let context else { return 0 }
                    let handler = Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue()
                    return handler.body(UnsafeBufferPointer(start: arguments, count: Int(count))) ? 1 : 0
                }
            },
            context,
            { context, _ in
                if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
            })
    }

    package func on(_ signal: String, do body: @escaping () -> Void) {
        on(signal) { _ in
            body()
            return false
        }
    }
}
