import HarkCore
package import HarkStore
package import HarkSystem
package import HarkWire

/// A value that is on disk, or follows from one that is.
///
/// Everything that leaves the daemon requires one: replies, notifications to subscribers, programs, requests to
/// servers. It is made only by a commit that has succeeded (`Decided`) or by reading the store (`Ledger.stored`).
package struct Stored<Value> {
    package let value: Value

    fileprivate init(_ value: Value) { self.value = value }

    /// Derives a value, which counts as stored because this one is.
    package func map<Other>(_ transform: (Value) -> Other) -> Stored<Other> { Stored<Other>(transform(value)) }
}

extension Decided where Value == Int {
    /// Writes a number into a reply.
    package func tell(in reply: inout HeldReply, as name: StaticString) throws(WireError) {
        try tell(in: &reply) { count, json in
            json.key(name)
            json.int(count)
        }
    }
}

extension Stored: Sendable where Value: Sendable {}

/// A decision of the engine that the store does not hold yet.
///
/// After the commit, its value is available (`stored`, `then`). It can be written into text that is held back until
/// then (`tell`, `hold`), or lead to another decision, whose commit cannot come before its own (`flatMap`).
@DaemonActor
package struct Decided<Value: Sendable> {
    // Inaccessible to other targets.
    let value: Value
    let commitment: Commitment

    /// Called by the ledger, which alone knows which commit will contain the decision.
    init(_ value: Value, by commitment: Commitment) {
        self.value = value
        self.commitment = commitment
    }

    /// Waits until the decision is on disk.
    @discardableResult
    package func stored() async throws(WireError) -> Stored<Value> { try await reported().value }

    /// Waits until the decision is on disk, and returns the report of the commit too.
    package func reported() async throws(WireError) -> (value: Stored<Value>, report: CommitReport) {
        let report = try await commitment.report()
        return (Stored(value), report)
    }

    /// Calls `body` in the turn in which the decision is committed or refused, before all other waiters.
    package func then(_ body: @escaping @DaemonActor (Result<Stored<Value>, WireError>) -> Void) {
        commitment.whenOver { outcome in
            switch outcome {
            case .success: body(.success(Stored(value)))
            case .failure(let error): body(.failure(WireError(error)))
            }
        }
    }

    package func map<Other: Sendable>(
        _ transform: (Value) throws(WireError) -> Other
    ) throws(WireError) -> Decided<Other> {
        Decided<Other>(try transform(value), by: commitment)
    }

    /// Makes another decision from this one. Commits come in order, so if this one is refused, the next one is too.
    package func flatMap<Other: Sendable>(
        _ next: (Value) throws(WireError) -> Decided<Other>
    ) throws(WireError) -> Decided<Other> {
        try next(value)
    }

    /// Reads the value at once, to remember who it is about. Such a note is invalid once the engine has restarted
    /// (`Ledger.restarts`), and must not cause anything to leave the daemon.
    @discardableResult
    package func note(_ body: (Value) throws(WireError) -> Void) throws(WireError) -> Decided {
        try body(value)
        return self
    }

    /// Writes the value into a reply, which is sent once the decision is on disk.
    package func tell(
        in reply: inout HeldReply, _ write: (Value, inout JSONWriter) throws(WireError) -> Void
    ) throws(WireError) {
        try reply.write { json throws(WireError) in try write(value, &json) }
    }

    /// Writes a separate reply, which is sent once the decision is on disk.
    package func hold(on client: some CommitWaiter, _ write: (Value, inout JSONWriter) -> Void) {
        client.hold { write(value, &$0) }
    }
}

/// The result of a call while it is being written. It is sent once everything decided before is on disk.
@DaemonActor
package struct HeldReply {
    private var json = JSONWriter()

    package init() { json.beginObject() }

    package mutating func write(_ body: (inout JSONWriter) throws(WireError) -> Void) throws(WireError) {
        try body(&json)
    }

    /// Completes the result and sends it as the reply, in order.
    package mutating func send(on client: some CommitWaiter, to id: RequestID?, _ warnings: [String]) {
        Envelope.finishResult(warnings, in: &json)
        let result = json.bytes
        if let id { client.hold { Envelope.result(result, id, in: &$0) } }
    }
}

/// A commit to come, and its waiters.
@DaemonActor
package final class Commitment {
    private var outcome: Ledger.Outcome?
    private var followers: [(Ledger.Outcome) -> Void] = []

    /// The commitment of a decision that needs no commit.
    static let over: Commitment = {
        let commitment = Commitment()
        commitment.end(.success(CommitReport()))
        return commitment
    }()

    func end(_ outcome: Ledger.Outcome) {
        self.outcome = outcome
        for follower in followers { follower(outcome) }
        followers = []
    }

    /// The value as stored by this commit; nil if the commit did not succeed.
    func stored<Value>(_ value: Value) -> Stored<Value>? {
        if case .success? = outcome { Stored(value) } else { nil }
    }

    fileprivate func whenOver(_ body: @escaping (Ledger.Outcome) -> Void) {
        if let outcome { body(outcome) } else { followers.append(body) }
    }

    fileprivate func report() async throws(WireError) -> CommitReport {
        let outcome = await withCheckedContinuation { continuation in whenOver { continuation.resume(returning: $0) } }
        switch outcome {
        case .success(let report): return report
        case .failure(let error): throw WireError(error)
        }
    }
}

extension Ledger {
    /// Reads a value from the store, which proves that it is stored.
    package func stored<Value>(_ query: (StoreReader) throws(StoreError) -> Value) throws(WireError) -> Stored<Value> {
        Stored(try lookUp(query))
    }
}

extension WireError {
    package init(_ error: StoreError) {
        self.init(.storeUnavailable, error.message)
    }
}
