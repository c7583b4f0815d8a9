package import HarkSystem

/// Schedules clients on the loop in turns. The user who has used least of the loop lately comes first, and among a
/// user's clients the one that has asked little: a short request need not wait for clients that have sent megabytes.
///
/// A turn runs when nothing else is ready, or has waited long: there may be thousands of clients to write to.
@DaemonActor
package final class LineTurns {
    /// The microseconds of a client's turn if it has sent more than fits in `firstSlice`. A longer request is not
    /// interrupted.
    static let slice: UInt64 = 500
    /// Short enough that all clients a user may have take some fifteen milliseconds together.
    static let firstSlice: UInt64 = 50
    /// The microseconds during which turns run one after the other before the loop looks for other ready sources.
    private static let together: UInt64 = 100
    /// Pending input of more bytes is scheduled as long.
    static let shortBytes = 4_096
    /// Users who have used less of the loop lately, in microseconds, need not wait for a turn.
    static let freeMicroseconds: UInt64 = 10_000

    private var users: [UInt32: UserTurns] = [:]
    /// Users who have waiting clients.
    private var waiting: [UserTurns] = []
    private var source: IdleSource?
    /// The microseconds after which a turn runs although other sources are ready.
    private static let patience: UInt64 = 2_000
    /// The time since which clients have waited without any turn.
    private var waitsSince: UInt64 = 0

    init(_ loop: EventLoop) {
        do throws(SystemError) {
            source = try loop.idle { [weak self] in self?.takeTurns() }
        } catch {
            Log.warning("clients that send much cannot be made to stand back: \(error)")
        }
    }

    /// The share of a user, over all of the user's clients.
    func turns(of uid: UInt32) -> UserTurns {
        if let known = users[uid] { return known }
        let made = UserTurns()
        users[uid] = made
        return made
    }

    /// Forgets a user whose last client is gone.
    func forget(_ uid: UInt32) { users[uid] = nil }

    /// - Parameter isShort: Whether the pending input can probably be handled in a moment.
    func append(_ connection: ClientConnection, isShort: Bool) {
        let user = connection.turns
        if waiting.isEmpty { waitsSince = SystemClock.monotonicMicroseconds }
        if user.isEmpty { waiting.append(user) }
        user.append(connection, isShort: isShort)
        arm()
    }

    /// Called at the end of the loop's turn; decisions made here are in the commit that begins after it.
    package func endTurn() {
        if !waiting.isEmpty, SystemClock.monotonicMicroseconds &- waitsSince >= LineTurns.patience { takeTurns() }
    }

    private func takeTurns() {
        let start = SystemClock.monotonicMicroseconds
        var now = start
        // Looking for other ready sources after each of the shortest turns would cost as much as they do.
        repeat {
            takeTurn(at: now)
            now = SystemClock.monotonicMicroseconds
        } while !waiting.isEmpty && now < start &+ LineTurns.together
        waitsSince = now
        arm()
    }

    private func takeTurn(at now: UInt64) {
        if let place = waiting.placeOfLeast({ $0.spent(at: now) }) {
            let user = waiting[place]
            let next = user.takeNext(at: now)
            if user.isEmpty { waiting.remove(at: place) }
            next?.connection.takeTurn(isShort: next?.isShort ?? true)
        }
    }

    private func arm() {
        guard !waiting.isEmpty else { return }
        if let source { source.arm() } else { DaemonActor.post { [weak self] in self?.takeTurns() } }
    }
}

/// The waiting clients of a user, and the loop time that the user's clients have used lately.
@DaemonActor
final class UserTurns {
    /// Clients with short input, served by least use first; and clients with more, served in turns.
    private var short: [ClientConnection] = []
    private var long = Queue<ClientConnection>()
    private var all = RecentShare()
    private var shortShare = RecentShare()
    private var longShare = RecentShare()

    var isEmpty: Bool { short.isEmpty && long.isEmpty }

    func spent(at now: UInt64) -> UInt64 { all.spent(at: now) }

    func append(_ connection: ClientConnection, isShort: Bool) {
        if isShort { short.append(connection) } else { long.append(connection) }
    }

    /// Clients with short input come first, but get no more of the loop than the others.
    func takeNext(at now: UInt64) -> (connection: ClientConnection, isShort: Bool)? {
        if short.isEmpty || !long.isEmpty && longShare.spent(at: now) < shortShare.spent(at: now) {
            return long.popFirst().map { ($0, false) }
        }
        return short.placeOfLeast { $0.share.spent(at: now) }.map { (short.remove(at: $0), true) }
    }

    func spend(_ microseconds: UInt64, at now: UInt64, isShort: Bool) {
        all.spend(microseconds, at: now)
        if isShort { shortShare.spend(microseconds, at: now) } else { longShare.spend(microseconds, at: now) }
    }
}

extension Array {
    /// The index of the first least value; reads each once, because every turn searches all waiting clients.
    @inline(__always)
    fileprivate func placeOfLeast(_ value: (Element) -> UInt64) -> Int? {
        var (place, least): (Int?, UInt64) = (nil, .max)
        for index in indices {
            let candidate = value(self[index])
            if place == nil || candidate < least { (place, least) = (index, candidate) }
        }
        return place
    }
}

/// A limited slice of the loop's time.
@DaemonActor
package struct LoopSlice {
    package let start: UInt64
    private let end: UInt64

    package init(microseconds: UInt64) {
        start = SystemClock.monotonicMicroseconds
        end = start + microseconds
    }

    package var isOver: Bool { SystemClock.monotonicMicroseconds >= end }
}
