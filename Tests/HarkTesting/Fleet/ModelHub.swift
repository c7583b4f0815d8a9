import HarkFleet
import HarkWire

/// The hub of the model: its disk, the data that waits for a commit, and the data that a run loses.
struct ModelHub {
    typealias Mark = FleetAcknowledgement.Mark

    struct LogKey: Hashable {
        let machine: Int
        let log: Identifier
    }

    struct Record {
        let machine: Int
        let log: Identifier
        let mark: Mark
    }

    // Its disk.
    var store = Identifier(high: 0, low: 0)
    var records: [Record] = []
    private var places: [LogKey: HubPlace] = [:]
    private var copy: (records: [Record], places: [LogKey: HubPlace])?

    // Its run.
    var isUp = false
    private var run = Identifier(high: 0, low: 0)
    private var decided: [LogKey: HubPlace] = [:]
    private var decidedRecords: [Record] = []
    /// Messages to send once the data is on disk.
    var pending: [(Int, FleetAcknowledgement)] = []

    var presence: FleetPresence { FleetPresence(store: store, run: run, isUp: true) }

    mutating func start(run: Identifier) {
        isUp = true
        self.run = run
        (decided, decidedRecords, pending) = (places, [], [])
    }

    mutating func crash() {
        isUp = false
        (decidedRecords, pending) = ([], [])
    }

    mutating func keepCopy() { copy = (records, places) }

    mutating func setBack() {
        if let copy { (records, places) = copy }
    }

    func welcome(_ machine: Int, _ hello: FleetHello) -> FleetAcknowledgement {
        FleetAcknowledgement(
            .welcome, store: store, run: run, log: hello.log,
            mark: places[LogKey(machine: machine, log: hello.log)]?.mark, hello: hello.number)
    }

    mutating func takes(_ batch: FleetBatch, _ marks: [Mark], of machine: Int) -> HubPlace.Verdict {
        let key = LogKey(machine: machine, log: batch.log)
        let place = decided[key] ?? HubPlace()
        let verdict = place.judge(batch) { sequence in marks.first { $0.sequence == sequence }?.id }
        let cursor = place.mark?.sequence ?? 0
        var kind = FleetAcknowledgement.Kind.taken
        switch verdict {
        case .take:
            // If the log may share records with another log of this machine, existing records are left out.
            let known = Set(
                (records + decidedRecords).filter { $0.machine == machine && $0.log != key.log }.map(\.mark.id))
            for mark in marks where mark.sequence > cursor && !known.contains(mark.id) {
                decidedRecords.append(Record(machine: machine, log: batch.log, mark: mark))
            }
            decided[key] = HubPlace(batch.last)
        case .known: break
        case .gap: kind = .gap
        case .conflict: kind = .conflict
        }
        pending.append(
            (
                machine,
                FleetAcknowledgement(kind, store: store, run: run, log: batch.log, mark: decided[key]?.mark)
            ))
        return verdict
    }

    mutating func commit() -> [(Int, FleetAcknowledgement)] {
        records += decidedRecords
        places = decided
        decidedRecords = []
        defer { pending = [] }
        return pending
    }
}
