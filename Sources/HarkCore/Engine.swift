package import HarkWire

/// Decides what a command means. State + command + now → rows to store.
///
/// The engine knows no clock, socket, file or database: time comes in, changes go out, and state it does not hold is
/// brought to it (`admit`) before a command needs it. Every family of commands is an extension in a folder of its own
/// and keeps its state in one value type: a property here where other families call it, else a `Book`.
///
/// A command either throws before it has changed anything, or it changes the state and adds to `Changes`. If the store
/// then refuses the changes, the state here is ahead of the store and has to be built anew from it.
package struct Engine: Sendable {
    /// The number of the newest record. Numbers are never used twice, not even after a clear.
    package internal(set) var lastSequence: UInt64
    package internal(set) var lastSessionRow: Int64
    package internal(set) var sessions = SessionBook()
    package internal(set) var surveys = SurveyBook()
    package internal(set) var forms = FormBook()
    var logs = LogBook()
    var producers = ProducerBook()
    package internal(set) var watches = WatchBook()
    package internal(set) var wishes = WishBook()
    package internal(set) var counters: CounterBook
    package internal(set) var executions = ExecutionBook()
    package var retention: RetentionPolicy
    /// What the clock on the wall shows, by which hours are meant.
    package var zone = LocalZone.utc
    /// By how much the time that is believed lies behind the clock, in milliseconds (`ClockBelief`). Surveys fall due, and
    /// end for the time, by the time that is believed.
    package var clockLag: Int64 = 0
    /// Whether what only the hub of a fleet has to know becomes records as well (`Engine+FleetRecords`).
    package var recordsForFleet = false
    /// Of the families that no other calls, by their types.
    var books: [ObjectIdentifier: any Book]
    /// Removals that the store has not carried out yet: what they mean must not come back from it.
    var unsettledRemovals: [Selection] = []
    /// How many of them were handed to the store.
    var removalsHandedOver = 0
    var identifiers = Identifier.Generator()
    /// By uid; what is not there is asked of the store.
    var holdings: [UInt32: [Holding: Amount]] = [:]
    /// What is to be forgotten of them once more, and was not handed to the store yet; and what was.
    var newForgets: [ForgottenHoldings] = []
    var forgetsHandedOver: [ForgottenHoldings] = []

    /// - Parameters:
    ///   - run: numbers the runs of the daemon, ascending.
    ///   - books: those of the families that no other calls.
    package init(
        watermark: Watermark, retention: RetentionPolicy = .long, run: Int64 = 1, books: [any Book] = []
    ) {
        lastSequence = watermark.lastSequence
        lastSessionRow = watermark.lastSessionRow
        counters = CounterBook(run: run)
        self.books = Dictionary(books.map { (ObjectIdentifier(type(of: $0)), $0) }) { $1 }
        self.retention = retention
    }

    /// An engine with the same settings that has forgotten everything the store can tell it again.
    package func restarted(at watermark: Watermark) -> Engine {
        var engine = Engine(watermark: watermark, retention: retention, books: books.values.map { type(of: $0).init() })
        engine.surveys.document = surveys.document
        engine.surveys.debug = surveys.debug
        engine.surveys.kiosks = surveys.kiosks
        engine.surveys.clock = surveys.clock
        engine.surveys.stopwatches = surveys.stopwatches
        engine.clockLag = clockLag
        engine.zone = zone
        engine.recordsForFleet = recordsForFleet
        engine.forms = forms.restarted
        engine.counters = counters.restarted()
        engine.watches = watches.restarted
        return engine
    }

    /// Where the numbers of a store stand.
    package struct Watermark: Sendable, Equatable {
        package var lastSequence: UInt64
        package var lastSessionRow: Int64

        package init(lastSequence: UInt64 = 0, lastSessionRow: Int64 = 0) {
            self.lastSequence = lastSequence
            self.lastSessionRow = lastSessionRow
        }
    }

    package var watermark: Watermark {
        Watermark(lastSequence: lastSequence, lastSessionRow: lastSessionRow)
    }

    func believed(_ now: Timestamp) -> Timestamp { now.adding(milliseconds: -clockLag) }

    /// An id for something that is no record.
    package mutating func makeIdentifier(at now: Timestamp) -> Identifier { identifiers.next(at: now) }

    /// Gives the next record its number and id and appends it.
    mutating func append(
        _ kind: Record.Kind, of session: SessionIdentity, name: String = "", properties: Properties = .none,
        source: Source, id: Identifier? = nil, at: Timestamp, origin: UInt64 = 0, into changes: inout Changes
    ) -> Recorded {
        lastSequence += 1
        let id = id ?? identifiers.next(at: at)
        changes.records.append(
            Record(
                sequence: lastSequence, id: id, at: at, kind: kind, session: session, name: name, source: source,
                properties: properties, origin: origin))
        return Recorded(id: id, sequence: lastSequence, sessionId: session.id)
    }
}

/// What a sender is told about a record once it is safe.
package struct Recorded: Sendable, Equatable {
    package let id: Identifier
    package let sequence: UInt64
    package let sessionId: Identifier

    package init(id: Identifier, sequence: UInt64, sessionId: Identifier) {
        self.id = id
        self.sequence = sequence
        self.sessionId = sessionId
    }
}
