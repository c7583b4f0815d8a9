import HarkSystem

/// Gives clients the loop in turns: users after each other by what they had of it lately, and of a user's clients those
/// first who have asked little, so that somebody with one short request does not wait for all who have sent megabytes.
///
/// Turns come when nothing else is ready, or has been for long: there may be thousands to whom something is written.
@DaemonActor
final class LineTurns {
    /// Microseconds that a client is dealt with at a time if it has sent more than is dealt with in `firstSlice`; a request
    /// that takes longer is not interrupted.
    static let slice: UInt64 = 500
    /// As many clients as a user may have are to be done with in some fifteen milliseconds.
    static let firstSlice: UInt64 = 50
    /// Turns begin one after the other for so many microseconds, then the loop looks for what else is ready.
    private static let together: UInt64 = 100
    /// What is longer than so many bytes waits with what takes longer than `firstSlice`.
    static let shortBytes = 4_096
    /// Users who had less of the loop lately, in microseconds, need not wait for a turn.
    static let freeMicroseconds: UInt64 = 10_000

    private var users: [UInt32: UserTurns] = [:]
    /// Users of whom somebody waits.
    private var waiting: [UserTurns] = []
    private var source: IdleSource?
    /// Microseconds after which a turn comes although something else is ready.
    private static let patience: UInt64 = 2_000
    /// Since when somebody waits and nobody had a turn.
    private var waitsSince: UInt64 = 0

    init(_ loop: EventLoop) {
        do throws(SystemError) {
            source = try loop.idle { [weak self] in self?.takeTurns() }
        } catch {
            Log.warning("clients that send much cannot be made to stand back: \(error)")
        }
    }

    /// What a user had, for all of the user's clients.
    func turns(of uid: UInt32) -> UserTurns {
        if let known = users[uid] { return known }
        let made = UserTurns()
        users[uid] = made
        return made
    }

    /// The last client of a user is gone.
    func forget(_ uid: UInt32) { users[uid] = nil }

    /// - Parameter isShort: what it has sent is dealt with in a moment, as far as one can tell.
    func append(_ connection: ClientConnection, isShort: Bool) {
        let user = connection.turns
        if waiting.isEmpty { waitsSince = SystemClock.monotonicMicroseconds }
        if user.isEmpty { waiting.append(user) }
        user.append(connection, isShort: isShort)
        arm()
    }

    /// The loop's turn ends; what is decided here is in the commit that begins behind it.
    func endTurn() {
        if !waiting.isEmpty, SystemClock.monotonicMicroseconds &- waitsSince >= LineTurns.patience { takeTurns() }
    }

    private func takeTurns() {
        let start = SystemClock.monotonicMicroseconds
        var now = start
        // Looking for what else is ready after each of the shortest would cost as much as they do.
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

/// The clients of a user that wait for the loop, and what the user's clients had of it lately.
@DaemonActor
final class UserTurns {
    /// With something short, the one who had least first; and with more, in turns.
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

    /// Those who ask little come first, but have no more of the loop than the others.
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
    /// Where the first element of the least value is, each looked at once: this is done with every turn, with all who wait.
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

/// The end of a slice of the loop's time.
@DaemonActor
struct LoopSlice {
    let start: UInt64
    private let end: UInt64

    init(microseconds: UInt64) {
        start = SystemClock.monotonicMicroseconds
        end = start + microseconds
    }

    var isOver: Bool { SystemClock.monotonicMicroseconds >= end }
}
