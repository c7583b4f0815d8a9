import HarkSystem

/// What the clients of all users make the daemon keep: requests that have not wholly come, and replies that are not read.
///
/// One bound holds for all. Within it, a user may have as much as is left for all others: so however many take what they can
/// get, each gets the same, and whoever comes next finds as much again.
@DaemonActor
final class ClientMemory {
    var most: Int
    private(set) var taken = 0
    private var users: [UInt32: UserMemory] = [:]

    init(most: Int) { self.most = most }

    func user(_ uid: UInt32) -> UserMemory {
        if let known = users[uid] { return known }
        let made = UserMemory(of: self)
        users[uid] = made
        return made
    }

    /// The last client of a user is gone.
    func forget(_ uid: UInt32) {
        // Else what is still being given back would not count for those who come again.
        if users[uid]?.taken == 0 { users[uid] = nil }
    }

    fileprivate func note(_ more: Int) { taken += more }

    /// As much as any user may have now.
    var share: Int { max(0, most - taken) }
}

/// What the clients of one user make the daemon keep.
@DaemonActor
final class UserMemory {
    private let all: ClientMemory
    /// Of buffers for requests, beyond what any client may have of those (`LineBuffer.freeCapacity`).
    private(set) var longLines = 0
    /// Of buffers for requests, and of what is not read or will be told with the next commit.
    private(set) var taken = 0
    private(set) var owed = 0

    fileprivate init(of all: ClientMemory) { self.all = all }

    /// Whether this user has more than is left for others.
    var isBeyondShare: Bool { taken > all.share }

    /// Counts a buffer for requests that is to have another size, if the user may have that.
    func resize(from old: Int, to new: Int, mostLong: Int) -> Resizing {
        let (before, after) = (LineBuffer.long(old), LineBuffer.long(new))
        if new > old {
            // One client alone always may, as its lines have a bound of their own.
            if after > before, longLines > before, longLines + after - before > mostLong { return .tooMuchForUser }
            if taken + new - old > all.share - (new - old) { return .tooMuchForAll }
        }
        longLines += after - before
        note(new - old)
        return .counted
    }

    func note(owed more: Int) {
        owed += more
        note(more)
    }

    private func note(_ more: Int) {
        taken += more
        all.note(more)
    }

    enum Resizing {
        case counted
        case tooMuchForUser
        case tooMuchForAll
    }
}
