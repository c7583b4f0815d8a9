internal import HarkSystem

/// A connection that is being made, on a thread that lives only as long: libpq blocks while it looks hosts up and reads files.
@DaemonActor
final class PostgresOpening {
    private var waiter: CheckedContinuation<Result<PostgresHandle, DeliveryFailure>, Never>?

    /// Connects, for as long as the options let; to be called once.
    func handle(_ options: PostgresOptions) async throws(DeliveryFailure) -> PostgresHandle {
        try await withCheckedContinuation { continuation in
            waiter = continuation
            let thread = WorkerThread(name: "hark-postgres")
            thread.perform {
                let result = Result { () throws(DeliveryFailure) in
                    try PostgresHandle(options, seconds: options.timeoutSeconds)
                }
                // The last thing the thread does, so closing it takes no time.
                DaemonActor.post { [self] in
                    thread.close()
                    end(result)
                }
            }
        }.get()
    }

    /// Nobody waits for it any more; the thread comes back when it can, and what it brings is closed.
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
