package import HarkCore
package import HarkSystem
package import HarkWire

/// A record by which a position is known: its number in the store, and its id, as another history may have that number too.
package struct SinkMark: Sendable, Equatable {
    package let sequence: UInt64
    package let id: Identifier

    package init(sequence: UInt64, id: Identifier) {
        self.sequence = sequence
        self.id = id
    }
}

/// Up to where a sink has the records of a store.
package struct SinkPosition: Sendable, Equatable {
    /// By which of the store's ids it was told.
    package let log: Identifier
    package let mark: SinkMark

    package init(log: Identifier, mark: SinkMark) {
        self.log = log
        self.mark = mark
    }
}

/// What a sink is given at a time, all of it or nothing.
package struct SinkBatch: Sendable {
    /// How the store is known, and its own records in it.
    package let log: SinkLog
    package let records: ArraySlice<Record>
    /// What it is called: the numbers in the store from the first to the last, as they were when it was first sent. What was
    /// removed since is not among the records.
    package let bounds: ClosedRange<UInt64>
    /// Up to where the sink has all once it has this; nil for dead letters that are tried once more.
    package let mark: SinkMark?

    package init(log: SinkLog, records: ArraySlice<Record>, bounds: ClosedRange<UInt64>, mark: SinkMark?) {
        self.log = log
        self.records = records
        self.bounds = bounds
        self.mark = mark
    }
}

package enum SinkOutcome: Sendable, Equatable {
    /// All of it is safe there, once, and the position with it, whether by this or by an earlier try.
    case appended
    /// It has another record under this number of the store's own log. Nothing was written.
    case taken(UInt64)
    case failed(DeliveryFailure)
}

/// An engine that keeps records for good, each once, and can say up to where it has them.
///
/// It is used by one `SinkDestination`, for one thing at a time.
@DaemonActor
package protocol Sink: AnyObject, Sendable {
    nonisolated var kind: String { get }
    /// Whom it is about, for messages.
    nonisolated var place: String { get }
    /// Whether a batch that may have arrived must be repeated exactly as it was: its bounds are stored before it is sent.
    nonisolated var needsBounds: Bool { get }
    /// Whether it says so where it has another record under a number.
    nonisolated var tellsWhatIsTaken: Bool { get }
    /// Whether it says so when the way there is lost; else it may be another one, unnoticed, after a while.
    nonisolated var tellsWhenLost: Bool { get }
    /// Called when the way there is lost while nothing is asked: it may be another when it is there again.
    var onLost: () -> Void { get set }

    /// Opens what has to be opened, makes the tables, and tells up to where it has the records of a store; nil for none.
    ///
    /// - Parameters:
    ///   - logs: The ids of the store, the current one first; the position is that of the first of them that has one.
    ///   - bounds: Of the batch that was sent last, as far as is known: most likely it is the last there.
    func position(
        of logs: [Identifier], near bounds: ClosedRange<UInt64>?
    ) async throws(DeliveryFailure) -> SinkPosition?

    /// The first record of a store, by its own number, that it has from there on; nil where it has none or cannot tell. Not asked
    /// of those that say what is taken.
    func mark(of log: Identifier, from sequence: UInt64) async throws(DeliveryFailure) -> SinkMark?

    /// What is sent for a batch. Takes its time, so it is done on another thread.
    nonisolated func encode(_ batch: SinkBatch) -> [UInt8]

    /// Writes a batch and the position.
    func append(_ batch: SinkBatch, _ data: [UInt8]) async -> SinkOutcome

    /// Removes all records of a session.
    /// - Parameter logs: that its records may be of.
    func remove(_ session: Identifier, of logs: [Identifier]) async throws(DeliveryFailure)

    /// Ends what is under way, and closes the way there; what comes later opens it again.
    func close()
}

extension Sink {
    package nonisolated var needsBounds: Bool { false }
    package nonisolated var tellsWhatIsTaken: Bool { false }
    package nonisolated var tellsWhenLost: Bool { false }
    package func mark(of log: Identifier, from sequence: UInt64) async throws(DeliveryFailure) -> SinkMark? { nil }
}
