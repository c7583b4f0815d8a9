import HarkFleet
import HarkWire

/// A machine of the model: its disk, and what is lost with a run.
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

    init(number: Int, log: Identifier) {
        self.number = number
        self.log = log
        course = MachineCourse(log: log)
    }

    private var position: UInt64 { course.position?.sequence ?? 0 }

    var isDone: Bool {
        let last = records.last?.sequence ?? 0
        return isReady && parcel.isEmpty && (last <= cursor || last <= position)
    }
    var standing: String { "\(course.phase) at \(position) of \(records.last?.sequence ?? 0), \(cursor)" }

    mutating func append(_ id: Identifier) {
        // Numbers that nobody wants lie in between.
        let last = records.last?.sequence ?? 0
        records.append(Mark(sequence: last + 1 + (id.low % 3), id: id))
    }

    /// The next records as batches; the last marks of those.
    mutating func next(atMost most: Int, size: Int) -> [Mark] {
        // What is behind the cursor is read; what of it the hub has is not sent.
        let waiting = records.filter { $0.sequence > cursor && $0.sequence > position }.prefix(most)
        guard !waiting.isEmpty else { return [] }
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

    mutating func accepted() {
        if let last = parcel.last?.last { cursor = max(cursor, last.sequence) }
        parcel = []
    }

    mutating func rewind(to sequence: UInt64) { cursor = min(cursor, sequence) }

    func has(_ mark: Mark) -> Bool { records.contains(mark) }

    mutating func restart() {
        cursor = synced
        course = MachineCourse(log: log)
        (isConnected, isReady, isArmed, parcel) = (false, false, false, [])
    }

    mutating func keepCopy() { copy = (records, log, synced) }

    mutating func setBack() {
        if let copy { (records, log, synced) = copy }
        restart()
    }
}
