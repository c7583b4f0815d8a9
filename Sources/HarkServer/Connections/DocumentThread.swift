package import HarkSystem

/// Reads and checks documents on another thread than the loop: they may be long, or hostile.
package enum DocumentThread {
    /// Created with the first document that arrives while clients are being served.
    private static let shared = TurnThread(name: "hark-documents")

    /// Runs `body` in turns with the work of other clients.
    ///
    /// - Returns: nil if the client is gone.
    package static func run<Value: Sendable>(
        for owner: TurnOwner, _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        await shared.run(for: owner, body)
    }

    /// Runs `body` for the daemon itself, whose work is never dropped.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        while true {
            if let value = await shared.run(for: .daemon, body) { return value }
        }
    }

    /// Drops the waiting work of a client that is gone.
    package static func forget(_ owner: TurnOwner) { shared.forget(owner) }
}
