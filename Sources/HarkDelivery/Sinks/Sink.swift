package import HarkCore
package import HarkSystem
package import HarkWire

/// A record as a position: its number in the store, and its id, because another history may have that number too.
package struct SinkMark: Sendable, Equatable {
    package let sequence: UInt64
    package let id: Identifier

    package init(sequence: UInt64, id: Identifier) {
        self.sequence = sequence
        self.id = id
    }
}

/// The position up to which a sink has the records of a store.
package struct SinkPosition: Sendable, Equatable {
    /// The id of the store for which the position was stored.
    package let log: Identifier
    package let mark: SinkMark

    package init(log: Identifier, mark: SinkMark) {
        self.log = log
        self.mark = mark
    }
}

/// Records that a sink takes at a time: all or none.
package struct SinkBatch: Sendable {
    /// The ids of the store's log.
    package let log: SinkLog
    package let records: ArraySlice<Record>
    /// The name of the batch: the first and last number in the store when it was first sent. Records removed since then are
    /// missing in it.
    package let bounds: ClosedRange<UInt64>
    /// The position of the sink after this batch; nil for dead letters that are sent again.
    package let mark: SinkMark?

    package init(log: SinkLog, records: ArraySlice<Record>, bounds: ClosedRange<UInt64>, mark: SinkMark?) {
        self.log = log
        self.records = records
        self.bounds = bounds
        self.mark = mark
    }
}

package enum SinkOutcome: Sendable, Equatable {
    /// The sink has all of it safely, once, with the position: by this attempt or an earlier one.
    case appended
    /// The sink has another record under this number of the store's own log. Nothing was written.
    case taken(UInt64)
    case failed(DeliveryFailure)
}

/// A database that keeps records for good, each once, and knows the position up to which it has them.
///
/// One `SinkDestination` uses it, for one thing at a time.
@DaemonActor
package protocol Sink: AnyObject, Sendable {
    nonisolated var kind: String { get }
    /// Its name in messages.
    nonisolated var place: String { get }
    /// Whether a batch that may have arrived must be repeated exactly as it was: its bounds are stored before it is sent.
    nonisolated var needsBounds: Bool { get }
    /// Whether it reports a number under which it has another record.
    nonisolated var tellsWhatIsTaken: Bool { get }
    /// Whether it reports a lost connection. Otherwise another database may take its place unnoticed.
    nonisolated var tellsWhenLost: Bool { get }
    /// Called when the connection is lost between two calls. The next one may reach another database.
    var onLost: () -> Void { get set }

    /// Opens the connection, makes the tables, and returns the position of a store; nil for none.
    ///
    /// - Parameters:
    ///   - logs: The ids of the store, the current one first; the position of the first id that has one counts.
    ///   - bounds: The bounds of the last batch, if known: it is probably the last one there.
    func position(
        of logs: [Identifier], near bounds: ClosedRange<UInt64>?
    ) async throws(DeliveryFailure) -> SinkPosition?

    /// Returns the first record of a log from this number on; nil if the sink has none or cannot tell. Not called for a sink
    /// with `tellsWhatIsTaken`.
    func mark(of log: Identifier, from sequence: UInt64) async throws(DeliveryFailure) -> SinkMark?

    /// Encodes a batch. It takes time, so another thread does it.
    nonisolated func encode(_ batch: SinkBatch) -> [UInt8]

    /// Writes a batch and the position.
    func append(_ batch: SinkBatch, _ data: [UInt8]) async -> SinkOutcome

    /// Removes all records of a session.
    /// - Parameter logs: The logs to which its records may belong.
    func remove(_ session: Identifier, of logs: [Identifier]) async throws(DeliveryFailure)

    /// Fails the current call, and closes the connection. The next call opens it again.
    func close()
}

extension Sink {
    package nonisolated var needsBounds: Bool { false }
    package nonisolated var tellsWhatIsTaken: Bool { false }
    package nonisolated var tellsWhenLost: Bool { false }
    package func mark(of log: Identifier, from sequence: UInt64) async throws(DeliveryFailure) -> SinkMark? { nil }
}
