internal import HarkCore

/// Newly committed records for a lane that is close behind the log, which need not be read back from the store.
///
/// All lanes share the records of a commit, and each lane has the newest ones, so together they hold no more than one
/// lane may.
struct FreshRecords: Sendable {
    /// It holds every record that the lane wants after this number.
    private(set) var start: UInt64
    /// The last number it covers.
    private(set) var end: UInt64
    private(set) var bytes = 0
    private var commits: [Commit] = []

    private struct Commit {
        let records: [Record]
        let end: UInt64
        let bytes: Int
    }

    /// The maximum size per lane, in bytes.
    static let most = 8 << 20

    /// - Parameter newest: The last record that was committed before.
    init(after newest: UInt64) {
        (start, end) = (newest, newest)
    }

    /// Adds a commit up to this number with records that the lane wants.
    mutating func append(_ arrivals: Arrivals, upTo sequence: UInt64) {
        commits.append(Commit(records: arrivals.records, end: sequence, bytes: arrivals.bytes))
        bytes += arrivals.bytes
        end = sequence
    }

    /// Notes a commit up to this number without records for the lane.
    mutating func pass(upTo sequence: UInt64) { end = sequence }

    /// Drops everything up to the lane's cursor.
    mutating func drop(upTo cursor: UInt64) { drop { commit, _ in commit.end <= cursor } }

    /// Drops the oldest commits to make room; they will be read from the store.
    mutating func drop(beyond most: Int) { drop { _, left in left > most } }

    private mutating func drop(while isToGo: (_ commit: Commit, _ bytes: Int) -> Bool) {
        var count = 0
        while count < commits.count, isToGo(commits[count], bytes) {
            start = commits[count].end
            bytes -= commits[count].bytes
            count += 1
        }
        if count > 0 { commits.removeFirst(count) }
    }

    /// The same page that `DeliveryReader` would read, except for removals; nil if it is incomplete here.
    func page(
        after cursor: UInt64, upTo newest: UInt64, _ filter: DeliveryFilter, limit: Int, maxBytes: Int
    ) -> DeliveryReader.Page? {
        guard cursor >= start, newest <= end else { return nil }
        var page = DeliveryReader.Page(records: [], end: newest, isLast: true)
        page.records.reserveCapacity(min(limit, commits.reduce(0) { $0 + $1.records.count }))
        let kinds = filter.kindsAlone
        // The sessions of the page, shared by its records as in a page from the store.
        var sessions: [Int64: SessionIdentity] = [:]
        var session: SessionIdentity?
        for commit in commits where commit.end > cursor {
            commit.records[...].inPlace { records in
                for place in 0..<records.count where page.isLast {
                    let sequence = records.sequence(place)
                    guard sequence > cursor, sequence <= newest else { continue }
                    if let kinds {
                        guard kinds.contains(records.kind(place)) else { continue }
                    } else {
                        guard filter.includes(commit.records[place]) else { continue }
                    }
                    guard page.bytes < maxBytes, page.records.count < limit else {
                        (page.end, page.isLast) = (page.records.last?.sequence ?? cursor, false)
                        return
                    }
                    let row = records.sessionRow(place)
                    if session?.row != row { session = sessions[row] }
                    let own = session ?? SessionIdentity(copyOf: records.session(place))
                    if session == nil { (session, sessions[row]) = (own, own) }
                    page.records.append(records.copy(place, of: own))
                    page.bytes += records.weight(place)
                }
            }
        }
        return page
    }
}
