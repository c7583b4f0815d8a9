package import HarkCore
package import HarkStore
internal import HarkSystem
internal import HarkWire

/// Reads the log for the couriers, on a thread that yields when the machine is busy.
package final class DeliveryReader: Sendable {
    package struct Page: Sendable {
        package internal(set) var records: [Record]
        /// The approximate memory of the page.
        var bytes = 0
        /// The number up to which `records` has all wanted records.
        package internal(set) var end: UInt64
        package internal(set) var isLast: Bool
        package var removals = Removals()
    }

    /// The parts of the log that are being removed, and belong in no page.
    package struct Removals: Sendable {
        /// By row of the session: the number of waiting records that were not counted before, and the last of them.
        package var waiting: [Int64: (count: Int, last: UInt64)] = [:]
        /// All sessions that are being removed, by row; nil if they are not needed.
        package var rows: Set<Int64>?
    }

    /// The most records that are searched for one page, so that a lane with few records does not hold up the others.
    private static let maxLooked = 65_536

    private let thread = WorkerThread(name: "hark-delivery", niceness: 19)
    private let box: Box

    // The reader is only touched by jobs of `thread`, and released after the thread has ended.
    private final class Box: @unchecked Sendable {
        var reader: StoreReader?
        /// Pages that were read ahead while the page before them was delivered.
        var ahead: [(stretch: Stretch, page: Page)] = []
        init(_ reader: StoreReader) { self.reader = reader }
    }

    /// Everything that defines a page, except the end of the log.
    private struct Stretch: Equatable {
        var cursor: UInt64
        let filter: DeliveryFilter
        let limit: Int
        var maxBytes: Int
    }

    /// The number of lanes that may have a page read ahead, and its size. Of a larger page, the first part is kept.
    private static let mostAhead = 4
    private static let mostBytesAhead = 1 << 20

    package init(_ reader: StoreReader) {
        box = Box(reader)
    }

    /// Returns a page of the records that a filter wants after `cursor` and up to `newest`, and the number of records that are
    /// being removed and are not `done`.
    ///
    /// - Parameter fresh: The records of the last commits. If they are enough, the log is not read.
    func read(
        after cursor: UInt64, upTo newest: UInt64, _ filter: DeliveryFilter, done: Set<UInt64> = [], limit: Int,
        maxBytes: Int, fresh: FreshRecords? = nil
    ) async throws(StoreError) -> Page {
        let stretch = Stretch(cursor: cursor, filter: filter, limit: limit, maxBytes: maxBytes)
        let page = try await query { [box] reader throws(StoreError) in
            var page =
                if let known = try DeliveryReader.known(stretch, upTo: newest, fresh, box, reader) { known } else {
                    try DeliveryReader.page(stretch, upTo: newest, reader)
                }
            // Looked up afterwards: sessions marked in between are in the page, and count with the next one.
            var rows: Set<Int64>?
            try reader.forEachRemovedRecord(after: cursor, upTo: newest) { row, view, session throws(StoreError) in
                let inPage = rows ?? Set(page.records.lazy.map(\.session.row))
                rows = inPage
                guard !inPage.contains(row), try filter.includes(view, ofSession: row, session),
                    !done.contains(view.sequence)
                else { return }
                let known = page.removals.waiting[row] ?? (0, 0)
                page.removals.waiting[row] = (known.count + 1, max(known.last, view.sequence))
            }
            if !filter.removed.isEmpty { page.removals.rows = try reader.removedSessionRows() }
            return page
        }
        // If there is probably another full page to read.
        if !page.isLast, fresh.map({ page.end < $0.start }) ?? true, newest > page.end,
            newest - page.end >= UInt64(limit)
        {
            readAhead(stretch, from: page.end, upTo: newest)
        }
        return page
    }

    /// The page, if it was read ahead or just committed, and is still valid.
    private static func known(
        _ stretch: Stretch, upTo newest: UInt64, _ fresh: FreshRecords?, _ box: Box, _ reader: StoreReader
    ) throws(StoreError) -> Page? {
        let page: Page
        if let place = box.ahead.firstIndex(where: { $0.stretch == stretch && $0.page.end <= newest }) {
            page = box.ahead.remove(at: place).page
        } else if let known = fresh?.page(
            after: stretch.cursor, upTo: newest, stretch.filter, limit: stretch.limit, maxBytes: stretch.maxBytes)
        {
            page = known
        } else {
            return nil
        }
        let removed = try reader.removedSessionRows()
        return removed.isEmpty || !page.records.contains { removed.contains($0.session.row) } ? page : nil
    }

    /// Reads the next page while another is delivered. Unused pages give way to others.
    private func readAhead(_ stretch: Stretch, from cursor: UInt64, upTo newest: UInt64) {
        var next = stretch
        next.cursor = cursor
        thread.perform { [box, next] in
            guard let reader = box.reader, !box.ahead.contains(where: { $0.stretch == next }) else { return }
            do throws(StoreError) {
                var kept = next
                kept.maxBytes = min(next.maxBytes, DeliveryReader.mostBytesAhead)
                let page = try DeliveryReader.page(kept, upTo: newest, reader)
                guard !page.isLast else { return }
                if box.ahead.count == DeliveryReader.mostAhead { box.ahead.removeFirst() }
                box.ahead.append((next, page))
            } catch {
                // The next read reports the error.
            }
        }
    }

    private static func page(
        _ stretch: Stretch, upTo newest: UInt64, _ reader: StoreReader
    ) throws(StoreError) -> Page {
        let (filter, limit, maxBytes) = (stretch.filter, stretch.limit, stretch.maxBytes)
        var query = RecordQuery(limit: .max)
        query.kinds = filter.kinds
        query.from = stretch.cursor
        let most = min(limit, Int(clamping: newest - min(newest, stretch.cursor)), CourierState.mostAhead)
        var records = RecordCopies(reservingCapacity: most)
        // Called for each record, so a decision by kind does without the filter.
        let isWanted: (RecordView, SessionIdentity) -> Bool
        if let byKind = filter.byKind {
            isWanted = { view, _ in byKind.includes(view) }
        } else {
            isWanted = { filter.includes($0, of: $1) }
        }
        var (count, bytes) = (0, 0)
        var isBeyond = false
        var looked = 0
        let page = try reader.forEachRecord(query) { session, view in
            guard view.sequence <= newest else {
                isBeyond = true
                return false
            }
            looked += 1
            guard isWanted(view, session) else { return looked < DeliveryReader.maxLooked }
            records.append(view, of: session)
            count += 1
            bytes += view.properties.count + view.name.count + 128
            return bytes < maxBytes && count < limit
        }
        let all = records.take()
        guard let next = page.next, !isBeyond else {
            return Page(records: all, bytes: bytes, end: newest, isLast: true)
        }
        return Page(records: all, bytes: bytes, end: next, isLast: false)
    }

    /// The number of records up to `newest` that a filter wants and that the lane is not done with, including records that are
    /// being removed and were not counted as such.
    package func count(
        _ progress: LaneProgress, upTo newest: UInt64, _ filter: DeliveryFilter
    ) async throws(StoreError) -> Int {
        guard progress.cursor < newest else { return 0 }
        return try await query { reader throws(StoreError) in
            try reader.countRecords(after: progress.cursor, upTo: newest) { row, view, session throws(StoreError) in
                try filter.includes(view, ofSession: row, session) && !progress.done.contains(view.sequence)
            }
        }
    }

    /// The numbers of the wanted records of a session that is being removed, and of its dead letters.
    package func sequences(
        ofRemoved session: SessionIdentity, _ filter: DeliveryFilter, to destination: String
    ) async throws(StoreError) -> (all: [UInt64], dead: Set<UInt64>) {
        try await query { [box] reader throws(StoreError) in
            // Pages from before the removal must not be delivered afterwards.
            box.ahead = []
            var sequences: [UInt64] = []
            try reader.forEachRecord(ofRemoved: session) { view in
                if filter.wants(view, of: session) { sequences.append(view.sequence) }
            }
            return (sequences, try reader.deadLetters(of: destination, session: session.row))
        }
    }

    /// The dead letters of a lane that must be sent again, and their records that still exist.
    package func dueLetters(
        of destination: String, lane: String, limit: Int
    ) async throws(StoreError) -> (letters: [DeadLetter], records: [Record]) {
        try await query { reader throws(StoreError) in
            let letters = try reader.deadLetters(of: destination, lane: lane, onlyDue: true, limit: limit)
            var records: [Record] = []
            for letter in letters {
                if let record = try reader.record(letter.sequence) { records.append(record) }
            }
            return (letters, records)
        }
    }

    /// The id of the record with this number; nil if there is none.
    func id(of sequence: UInt64) async throws(StoreError) -> Identifier? {
        try await query { reader throws(StoreError) in try reader.record(sequence)?.id }
    }

    /// Does slow work, such as the encoding of a large request, on the thread.
    package func work<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await thread.run(body)
    }

    private func query<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await thread.run { [box] () throws(StoreError) in
            guard let reader = box.reader else { throw StoreError(.internal, "delivery has stopped") }
            return try body(reader)
        }
    }

    package func close() {
        thread.close()
        box.reader = nil
        box.ahead = []
    }
}
