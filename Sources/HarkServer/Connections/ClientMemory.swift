import HarkSystem

/// The memory that clients of all users occupy in the daemon: incomplete requests and unread replies.
///
/// One bound holds for all. A user may have at most as much as is left for all others. So however many users take all
/// they can, each gets the same, and the next one finds as much again.
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

    /// Forgets a user whose last client is gone.
    func forget(_ uid: UInt32) {
        // Otherwise memory that is still being released would not count if the user comes back.
        if users[uid]?.taken == 0 { users[uid] = nil }
    }

    fileprivate func note(_ more: Int) { taken += more }

    /// The amount that any user may have now.
    var share: Int { max(0, most - taken) }
}

/// The memory that the clients of one user occupy in the daemon.
@DaemonActor
final class UserMemory {
    private let all: ClientMemory
    /// The bytes of request buffers beyond the uncounted size that every client may have (`LineBuffer.freeCapacity`).
    private(set) var longLines = 0
    /// The bytes of request buffers, unread replies and replies that wait for the next commit.
    private(set) var taken = 0
    private(set) var owed = 0

    fileprivate init(of all: ClientMemory) { self.all = all }

    /// Whether this user has more than is left for others.
    var isBeyondShare: Bool { taken > all.share }

    /// Counts the new size of a request buffer, if the user may have that much.
    func resize(from old: Int, to new: Int, mostLong: Int) -> Resizing {
        let (before, after) = (LineBuffer.long(old), LineBuffer.long(new))
        if new > old {
            // A single client always may, because its lines have a bound of their own.
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
