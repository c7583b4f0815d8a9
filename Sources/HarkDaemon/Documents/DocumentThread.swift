import HarkSystem

/// Where documents are read and checked, away from the loop: they may be long, and odd on purpose.
enum DocumentThread {
    /// Made with the first document that comes while somebody is served.
    private static let shared = TurnThread(name: "hark-documents")

    /// Runs `body` in turns with those of other clients.
    ///
    /// - Returns: nil when the client is gone.
    static func run<Value: Sendable>(
        for owner: TurnOwner, _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        await shared.run(for: owner, body)
    }

    /// The same for the daemon itself, whose work nobody forgets.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        while true {
            if let value = await shared.run(for: .daemon, body) { return value }
        }
    }

    /// Drops what waits of a client who is gone.
    static func forget(_ owner: TurnOwner) { shared.forget(owner) }
}
