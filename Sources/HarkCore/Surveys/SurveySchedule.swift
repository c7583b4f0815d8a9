package import HarkWire

/// When something happens to presentations by itself: the next few moments.
///
/// The store holds all of them, in order; here is a window on the earliest. What is decided but not committed is kept,
/// too, wherever it lies, because a page from the store would not have it. Entries are hints: whoever acts on one looks
/// whether its presentation still wakes at that moment.
package struct SurveySchedule: Sendable {
    /// How many entries a page from the store has. The window holds at most twice that.
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

    /// In order; all there are up to the horizon.
    private var near: [Entry] = []
    /// Beyond the horizon, and perhaps not in the store yet.
    private var far: [Entry] = []
    /// How far the window reaches; nil: there is nothing beyond. At first nothing is known at all.
    private var horizon: Key? = SurveySchedule.start

    private static let start = Key(at: .earliest, id: Identifier(high: 0, low: 0))

    package init() {}

    /// When to look next: at the next entry, or at the next page.
    package var earliest: Timestamp? { near.first?.key.at ?? horizon?.at }

    /// Where the page begins that is needed to know what is due; nil when none is.
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

    /// Takes the entries that follow the horizon in the store.
    mutating func admit(_ page: [Entry], isLast: Bool) {
        var all = Set(near.map(\.key))
        for entry in page + far where all.insert(entry.key).inserted { near.append(entry) }
        near.sort { $0.key < $1.key }
        far = []
        horizon = isLast ? nil : page.last?.key
        if let horizon { divide(at: near.firstPlace { $0.key > horizon }) }
        if near.count > 2 * SurveySchedule.page { narrow(to: SurveySchedule.page) }
    }

    /// Begins anew, so that what was taken off the window and still wakes comes again from the store.
    mutating func rewind() {
        far = near + far
        near = []
        horizon = SurveySchedule.start
    }

    mutating func removeFirst(_ count: Int) { near.removeFirst(count) }

    /// Lets go of what the store holds by now.
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
    /// The first place whose element fits, in an array in which all that fit come last.
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
