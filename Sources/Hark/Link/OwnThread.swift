internal import Glibc

/// A thread that may block, which Swift's own must not.
enum OwnThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                // The pointer was retained above and is consumed exactly once.
                Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        precondition(status == 0, "cannot start a thread: \(String(cString: strerror(status)))")
        pthread_detach(thread)
    }
}
