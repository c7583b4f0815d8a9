package import CAdwaita

/// A GLib object, held as long as this one lives.
///
/// The C functions take pointers of many types, or untyped ones for private structs; `c()` converts to whichever is
/// needed.
open class Object {
    package let reference: UnsafeMutableRawPointer

    /// Takes ownership of a new object.
    package init(_ new: UnsafeMutableRawPointer) { reference = hark_take(new) }

    package convenience init(_ new: OpaquePointer) { self.init(UnsafeMutableRawPointer(new)) }

    /// Adds a reference to an existing object.
    package convenience init(borrowing other: UnsafeMutableRawPointer) { self.init(g_object_ref(other)) }

    isolated deinit { g_object_unref(reference) }

    package func c<T>() -> UnsafeMutablePointer<T> { reference.assumingMemoryBound(to: T.self) }
    package func c() -> OpaquePointer { OpaquePointer(reference) }

    /// Returns a pointer with an extra reference, for functions that take ownership.
    func retained() -> OpaquePointer {
        g_object_ref(reference)
        return c()
    }

    // MARK: Signals

    private final class Handler {
        let body: (UnsafeBufferPointer<GValue>) -> Bool
        init(_ body: @escaping (UnsafeBufferPointer<GValue>) -> Bool) { self.body = body }
    }

    /// Calls `body` with the arguments of each signal. Its result is used if the signal returns a bool.
    ///
    /// The object holds the body, so the body must not hold the object.
    package func on(_ signal: String, taking body: @escaping (UnsafeBufferPointer<GValue>) -> Bool) {
        let context = Unmanaged.passRetained(Handler(body)).toOpaque()
        hark_connect(
            reference, signal,
            { context, arguments, count in
                // GTK and its signals run on the main thread.
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
