internal import HarkCore

/// What was committed last, for a lane that is close behind it: what is at hand need not be read back from the store.
///
/// The records of a commit are shared by all lanes that have them, and each lane has the newest there are, so together they
/// hold no more than one of them may.
struct FreshRecords: Sendable {
    /// All that the lane wants of what was committed after this number is here.
    private(set) var start: UInt64
    /// Up to here.
    private(set) var end: UInt64
    private(set) var bytes = 0
    private var commits: [Commit] = []

    private struct Commit {
        let records: [Record]
        let end: UInt64
        let bytes: Int
    }

    /// A lane may have so much of it, in bytes.
    static let most = 8 << 20

    /// - Parameter newest: The last record that was committed before.
    init(after newest: UInt64) {
        (start, end) = (newest, newest)
    }

    /// A commit up to this number had something that the lane wants.
    mutating func append(_ arrivals: Arrivals, upTo sequence: UInt64) {
        commits.append(Commit(records: arrivals.records, end: sequence, bytes: arrivals.bytes))
        bytes += arrivals.bytes
        end = sequence
    }

    /// A commit up to this number had nothing for the lane.
    mutating func pass(upTo sequence: UInt64) { end = sequence }

    /// The lane is done with everything up to its cursor.
    mutating func drop(upTo cursor: UInt64) { drop { commit, _ in commit.end <= cursor } }

    /// The oldest make room for others, and are read when their turn comes.
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

    /// The page that `DeliveryReader` would read, but for what is being removed; nil if it is not all here.
    func page(
        after cursor: UInt64, upTo newest: UInt64, _ filter: DeliveryFilter, limit: Int, maxBytes: Int
    ) -> DeliveryReader.Page? {
        guard cursor >= start, newest <= end else { return nil }
        var page = DeliveryReader.Page(records: [], end: newest, isLast: true)
        page.records.reserveCapacity(min(limit, commits.reduce(0) { $0 + $1.records.count }))
        let kinds = filter.kindsAlone
        // The page's own, as they are where they are read.
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
