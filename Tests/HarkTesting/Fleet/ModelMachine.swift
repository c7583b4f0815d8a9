import HarkFleet
import HarkWire

/// A machine of the model: its disk, and the data that a run loses.
struct ModelMachine {
    typealias Mark = FleetAcknowledgement.Mark

    let number: Int

    // Its disk.
    var records: [Mark] = []
    var log: Identifier
    /// An account may be lost by a power cut.
    var synced: UInt64 = 0
    private var copy: (records: [Mark], log: Identifier, synced: UInt64)?

    // Its run.
    var cursor: UInt64 = 0
    var course: MachineCourse
    var isConnected = false
    var isReady = false
    var isArmed = false
    var parcel: [[Mark]] = []
    /// Records that were read behind the cursor, and not handed over yet.
    var page: [Mark] = []
    /// The position to go back to, once nothing is in hand.
    private var rewind: UInt64?

    init(number: Int, log: Identifier) {
        self.number = number
        self.log = log
        course = MachineCourse(log: log)
    }

    private var position: UInt64 { course.position?.sequence ?? 0 }

    var isDone: Bool {
        let last = records.last?.sequence ?? 0
        return isReady && parcel.isEmpty && rewind == nil && (last <= cursor || last <= position)
    }
    var standing: String { "\(course.phase) at \(position) of \(records.last?.sequence ?? 0), \(cursor)" }

    mutating func append(_ id: Identifier) {
        // There are unwanted numbers in between.
        let last = records.last?.sequence ?? 0
        records.append(Mark(sequence: last + 1 + (id.low % 3), id: id))
    }

    /// Reads the next records.
    mutating func read(atMost most: Int) {
        guard page.isEmpty, parcel.isEmpty else { return }
        page = Array(records.filter { $0.sequence > cursor }.prefix(most))
    }

    /// The records that were read, as batches; returns their last marks. Records behind a pending rewind are dropped first.
    mutating func next(size: Int) -> [Mark] {
        if let sequence = rewind {
            cursor = min(cursor, sequence)
            (rewind, page) = (nil, [])
        }
        // Records that the hub has are not sent.
        let waiting = page.filter { $0.sequence > position }
        if waiting.isEmpty { settle() }
        parcel = stride(from: waiting.startIndex, to: waiting.endIndex, by: size).map {
            Array(waiting[$0..<min($0 + size, waiting.endIndex)])
        }
        return parcel.compactMap(\.last)
    }

    func batch(_ index: Int, after: Mark?) -> (FleetBatch, [Mark])? {
        guard parcel.indices.contains(index), let first = parcel[index].first, let last = parcel[index].last else {
            return nil
        }
        let batch = FleetBatch(
            machine: "m\(number)", group: nil, log: log, after: after, first: first.sequence, last: last,
            count: parcel[index].count)
        return (batch, parcel[index])
    }

    /// The hub has all that was in hand.
    mutating func settle() {
        if let last = page.last { cursor = max(cursor, last.sequence) }
        (page, parcel) = ([], [])
    }

    mutating func fail() { (page, parcel) = ([], []) }

    mutating func goBack(to sequence: UInt64) { rewind = min(rewind ?? sequence, sequence) }

    func has(_ mark: Mark) -> Bool { records.contains(mark) }

    mutating func restart() {
        cursor = synced
        course = MachineCourse(log: log)
        (isConnected, isReady, isArmed, parcel, page, rewind) = (false, false, false, [], [], nil)
    }

    mutating func keepCopy() { copy = (records, log, synced) }

    mutating func setBack() {
        if let copy { (records, log, synced) = copy }
        restart()
    }
}
