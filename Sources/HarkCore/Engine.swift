package import HarkWire

/// Decides the effect of a command: state + command + now → rows to store.
///
/// The engine uses no clock, socket, file or database. The time comes in, changes go out, and state that it does not
/// hold is loaded (`admit`) before a command needs it. Every family of commands is an extension in its own folder and
/// keeps its state in one value type: a property here if other families call it, else a `Book`.
///
/// A command either throws before it changes anything, or changes the state and adds to `Changes`. If the store then
/// refuses the changes, the state here is ahead of the store and must be rebuilt from it.
package struct Engine: Sendable {
    /// The number of the newest record. Numbers are never reused, not even after a clear.
    package internal(set) var lastSequence: UInt64
    package internal(set) var lastSessionRow: Int64
    package internal(set) var sessions = SessionBook()
    package internal(set) var surveys = SurveyBook()
    package internal(set) var forms = FormBook()
    var logs = LogBook()
    var producers = ProducerBook()
    package internal(set) var watches = WatchBook()
    package internal(set) var wishes = WishBook()
    var quotas = QuotaBook()
    var eventRules: EventRuleBook
    package internal(set) var counters: CounterBook
    package internal(set) var executions = ExecutionBook()
    package var retention: RetentionPolicy
    /// The local time zone, in which hours of the day are read.
    package var zone = LocalZone.utc
    /// How far the believed time lies behind the clock, in milliseconds (`ClockBelief`). Surveys fall due and expire by
    /// the believed time.
    package var clockLag: Int64 = 0
    /// Whether data that only the hub of a fleet needs is also recorded (`Engine+FleetRecords`).
    package var recordsForFleet = false
    /// The books of families that no other family calls, by type.
    var books: [ObjectIdentifier: any Book]
    /// Removals that the store has not carried out yet; data they cover must not be loaded from it.
    var unsettledRemovals: [Selection] = []
    /// The number of them that were handed to the store.
    var removalsHandedOver = 0
    var identifiers = Identifier.Generator()
    /// Holdings by uid; missing ones are read from the store.
    var holdings: [UInt32: [Holding: Amount]] = [:]
    /// Holdings to forget once more: those not yet handed to the store, and those handed over.
    var newForgets: [ForgottenHoldings] = []
    var forgetsHandedOver: [ForgottenHoldings] = []

    /// - Parameters:
    ///   - run: the number of this run of the daemon, ascending.
    ///   - books: the books of families that no other family calls.
    package init(
        watermark: Watermark, retention: RetentionPolicy = .long, run: Int64 = 1, books: [any Book] = []
    ) {
        lastSequence = watermark.lastSequence
        lastSessionRow = watermark.lastSessionRow
        counters = CounterBook(run: run)
        eventRules = EventRuleBook(counted: watermark.lastSequence)
        self.books = Dictionary(books.map { (ObjectIdentifier(type(of: $0)), $0) }) { $1 }
        self.retention = retention
    }

    /// A new engine with the same settings, but without any state that the store can load again.
    package func restarted(at watermark: Watermark) -> Engine {
        var engine = Engine(watermark: watermark, retention: retention, books: books.values.map { type(of: $0).init() })
        engine.surveys.document = surveys.document
        engine.surveys.debug = surveys.debug
        engine.surveys.kiosks = surveys.kiosks
        engine.surveys.clock = surveys.clock
        engine.surveys.flags = surveys.flags
        engine.surveys.stopwatches = surveys.stopwatches
        engine.clockLag = clockLag
        engine.zone = zone
        engine.recordsForFleet = recordsForFleet
        engine.forms = forms.restarted
        engine.counters = counters.restarted()
        engine.watches = watches.restarted
        engine.quotas = quotas.restarted
        return engine
    }

    /// The last numbers that a store has used.
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

    /// The date by the believed clock, in the local time zone.
    func today(at now: Timestamp) -> CivilDate { zone.date(believed(now)).civil }

    /// Makes an id for something other than a record.
    package mutating func makeIdentifier(at now: Timestamp) -> Identifier { identifiers.next(at: now) }

    /// Assigns the next number and id to a record and appends it.
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

/// The reply to a sender once its record is safe.
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
