internal import HarkSystem

/// A connection being opened, on a temporary thread: libpq blocks while it looks hosts up and reads files.
@DaemonActor
final class PostgresOpening {
    private var waiter: CheckedContinuation<Result<PostgresHandle, DeliveryFailure>, Never>?

    /// Connects, within the timeout of the options. Call it once.
    func handle(_ options: PostgresOptions) async throws(DeliveryFailure) -> PostgresHandle {
        try await withCheckedContinuation { continuation in
            waiter = continuation
            let thread = WorkerThread(name: "hark-postgres")
            thread.perform {
                let result = Result { () throws(DeliveryFailure) in
                    try PostgresHandle(options, seconds: options.timeoutSeconds)
                }
                // The thread has nothing else to do, so closing it takes no time.
                DaemonActor.post { [self] in
                    thread.close()
                    end(result)
                }
            }
        }.get()
    }

    /// Stops waiting. The thread returns when it can, and its connection is closed then.
    func giveUp() { end(.failure(DeliveryFailure(.local, "it was given up"))) }

    private func end(_ result: Result<PostgresHandle, DeliveryFailure>) {
        guard let waiter else {
            if case .success(let handle) = result { handle.close() }
            return
        }
        self.waiter = nil
        waiter.resume(returning: result)
    }
}
