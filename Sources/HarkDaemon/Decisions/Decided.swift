import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// A value that is on disk, or follows from what is.
///
/// What leaves the daemon asks for one: a reply, a notification to subscribers, a program, a request to a server. Only a
/// commit that has succeeded makes one (`Decided`), or what was read from the store (`Ledger.stored`).
struct Stored<Value> {
    let value: Value

    fileprivate init(_ value: Value) { self.value = value }

    /// What follows from it is stored as well as it is.
    func map<Other>(_ transform: (Value) -> Other) -> Stored<Other> { Stored<Other>(transform(value)) }
}

extension Decided where Value == Int {
    /// Writes a number into a reply.
    func tell(in reply: inout HeldReply, as name: StaticString) throws(WireError) {
        try tell(in: &reply) { count, json in
            json.key(name)
            json.int(count)
        }
    }
}

extension Stored: Sendable where Value: Sendable {}

/// What the engine has decided and the store does not hold yet.
///
/// The value can be had once its commit is on disk (`stored`, `then`), written into text that is held back until then
/// (`tell`, `hold`), or be the ground for another decision, whose commit cannot come before its own (`flatMap`).
@DaemonActor
struct Decided<Value: Sendable> {
    private let value: Value
    private let commitment: Commitment

    /// For the ledger, which alone knows which commit it will be.
    init(_ value: Value, by commitment: Commitment) {
        self.value = value
        self.commitment = commitment
    }

    /// Waits until it is on disk.
    @discardableResult
    func stored() async throws(WireError) -> Stored<Value> { try await reported().value }

    /// The same, with what the commit did.
    func reported() async throws(WireError) -> (value: Stored<Value>, report: CommitReport) {
        let report = try await commitment.report()
        return (Stored(value), report)
    }

    /// Has `body` called in the turn in which it is on disk or refused, before anybody else is told of that commit.
    func then(_ body: @escaping @DaemonActor (Result<Stored<Value>, WireError>) -> Void) {
        commitment.whenOver { outcome in
            switch outcome {
            case .success: body(.success(Stored(value)))
            case .failure(let error): body(.failure(WireError(error)))
            }
        }
    }

    func map<Other: Sendable>(_ transform: (Value) throws(WireError) -> Other) throws(WireError) -> Decided<Other> {
        Decided<Other>(try transform(value), by: commitment)
    }

    /// Goes on deciding: commits come in order, so what is decided after it is refused with it.
    func flatMap<Other: Sendable>(
        _ next: (Value) throws(WireError) -> Decided<Other>
    ) throws(WireError) -> Decided<Other> {
        try next(value)
    }

    /// Looks at it at once, to remember who it is about. Such a note is worth nothing once the engine has started again
    /// (`Ledger.restarts`), and nothing may leave the daemon for it.
    @discardableResult
    func note(_ body: (Value) throws(WireError) -> Void) throws(WireError) -> Decided {
        try body(value)
        return self
    }

    /// Writes it into a reply, which goes out once it is on disk.
    func tell(
        in reply: inout HeldReply, _ write: (Value, inout JSONWriter) throws(WireError) -> Void
    ) throws(WireError) {
        try reply.write { json throws(WireError) in try write(value, &json) }
    }

    /// Writes a reply of its own, which goes out once it is on disk.
    func hold(on connection: ClientConnection, _ write: (Value, inout JSONWriter) -> Void) {
        connection.hold { write(value, &$0) }
    }
}

/// The result of a call while it is written: nobody reads it before everything decided until then is on disk.
@DaemonActor
struct HeldReply {
    private var json = JSONWriter()

    init() { json.beginObject() }

    mutating func write(_ body: (inout JSONWriter) throws(WireError) -> Void) throws(WireError) { try body(&json) }

    /// Ends the result, and has the connection send it in its place.
    mutating func send(on connection: ClientConnection, to id: RequestID?, _ warnings: CallWarnings) {
        Router.finish(&json, warnings)
        let result = json.bytes
        if let id { connection.hold { Router.write(result, to: id, in: &$0) } }
    }
}

/// One commit to come, and those who wait for it.
@DaemonActor
final class Commitment {
    private var outcome: Ledger.Outcome?
    private var followers: [(Ledger.Outcome) -> Void] = []

    /// Of what needed none.
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

    /// What this commit has put on disk; nil when it has not.
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
    /// Reads what is stored, as proof of it.
    func stored<Value>(_ query: (StoreReader) throws(StoreError) -> Value) throws(WireError) -> Stored<Value> {
        Stored(try lookUp(query))
    }
}

extension WireError {
    init(_ error: StoreError) {
        self.init(.storeUnavailable, error.message)
    }
}
