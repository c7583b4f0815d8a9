package import HarkWire

/// A schedule of upcoming changes to presentations: a window on the earliest ones.
///
/// The store holds the whole schedule in order. Uncommitted entries of any time are kept here too, because
/// a page from the store would not have them. Entries are hints: before acting on one, check that its presentation
/// still wakes then.
package struct SurveySchedule: Sendable {
    /// The number of entries in a page from the store. The window holds at most twice that.
    package static let page = 256

    package struct Key: Sendable, Hashable, Comparable {
        package let at: Timestamp
        package let id: Identifier

        package init(at: Timestamp, id: Identifier) {
            self.at = at
            self.id = id
        }

        package static func < (left: Key, right: Key) -> Bool { (left.at, left.id) < (right.at, right.id) }
    }

    package struct Entry: Sendable, Equatable {
        package let key: Key
        package let user: UserKey

        package init(key: Key, user: UserKey) {
            self.key = key
            self.user = user
        }
    }

    /// Sorted; all entries up to the horizon.
    private var near: [Entry] = []
    /// Entries beyond the horizon that the store may not have yet.
    private var far: [Entry] = []
    /// The end of the window; nil if there is nothing beyond it. At first it is before everything, because nothing is loaded.
    private var horizon: Key? = SurveySchedule.start

    private static let start = Key(at: .earliest, id: Identifier(high: 0, low: 0))

    package init() {}

    /// When to look next: at the next entry, or at the next page.
    package var earliest: Timestamp? { near.first?.key.at ?? horizon?.at }

    /// The start of the page that is needed to know which entries are due; nil if none is needed.
    package func pageNeeded(at now: Timestamp) -> Key? {
        guard near.isEmpty, let horizon, horizon.at <= now else { return nil }
        return horizon
    }

    package func due(at now: Timestamp) -> ArraySlice<Entry> { near.prefix { $0.key.at <= now } }

    mutating func insert(_ entry: Entry) {
        if let horizon, entry.key > horizon {
            far.append(entry)
            return
        }
        let place = near.firstPlace { $0.key >= entry.key }
        if place < near.count, near[place].key == entry.key { return }
        near.insert(entry, at: place)
        if near.count > 2 * SurveySchedule.page { narrow(to: SurveySchedule.page) }
    }

    /// Adds the store's entries that follow the horizon.
    mutating func admit(_ page: [Entry], isLast: Bool) {
        var all = Set(near.map(\.key))
        for entry in page + far where all.insert(entry.key).inserted { near.append(entry) }
        near.sort { $0.key < $1.key }
        far = []
        horizon = isLast ? nil : page.last?.key
        if let horizon { divide(at: near.firstPlace { $0.key > horizon }) }
        if near.count > 2 * SurveySchedule.page { narrow(to: SurveySchedule.page) }
    }

    /// Starts over, so that entries that were removed and still wake are read from the store again.
    mutating func rewind() {
        far = near + far
        near = []
        horizon = SurveySchedule.start
    }

    mutating func removeFirst(_ count: Int) { near.removeFirst(count) }

    /// Drops entries that the store has committed.
    mutating func settle(_ isUnsettled: (UserKey) -> Bool) {
        far.removeAll { !isUnsettled($0.user) }
    }

    private mutating func narrow(to count: Int) {
        horizon = near[count - 1].key
        divide(at: count)
    }

    private mutating func divide(at place: Int) {
        far.append(contentsOf: near[place...])
        near.removeSubrange(place...)
    }
}

extension Array {
    /// The first index whose element fits, in an array whose fitting elements come last.
    fileprivate func firstPlace(_ fits: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
