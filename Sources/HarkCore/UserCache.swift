/// What is known of users that were heard of lately.
///
/// A user is loaded on first touch and dropped when there are too many, but never while the store does not know of its
/// newest changes: what comes from there would be older.
struct UserCache<State: Sendable>: Sendable {
    private struct Entry: Sendable {
        var state: State
        /// How many of its changes the store has not committed yet.
        var unsettled = 0
    }

    private let capacity: Int
    private var entries: [SurveyUser: Entry] = [:]
    /// The users changed since the changes were last handed to the store, once for each change.
    private var touched: [SurveyUser] = []
    /// How many users there may be before the next attempt to drop some.
    private var limit: Int

    /// - Parameter capacity: so many are remembered at least; dropping happens at twice that.
    init(capacity: Int = 2048) {
        self.capacity = capacity
        limit = capacity * 2
    }

    subscript(user: SurveyUser) -> State? { entries[user]?.state }

    var users: [SurveyUser] { Array(entries.keys) }

    /// Brings in what the store knows of a user.
    mutating func admit(_ user: SurveyUser, _ state: State) {
        guard entries[user] == nil else { return }
        if entries.count >= limit { makeRoom() }
        entries[user] = Entry(state: state)
    }

    /// Changes what is known of a user that was admitted; what only the store knows would be overwritten.
    mutating func change(_ user: SurveyUser, _ body: (inout State) -> Void) {
        guard let place = entries.index(forKey: user) else { preconditionFailure("a user was not admitted") }
        body(&entries.values[place].state)
        entries.values[place].unsettled += 1
        touched.append(user)
    }

    /// The changes decided so far go to the store; the answer comes back through `settle`.
    mutating func takeTouched() -> [SurveyUser] {
        defer { touched.removeAll() }
        return touched
    }

    mutating func settle(_ users: [SurveyUser]) {
        for user in users { entries[user]?.unsettled -= 1 }
        limit = capacity * 2
    }

    private mutating func makeRoom() {
        var surplus = entries.count - capacity
        for (user, entry) in entries where entry.unsettled == 0 && surplus > 0 {
            entries[user] = nil
            surplus -= 1
        }
        // While most wait for a commit, it would be in vain to look at all of them again for each newcomer.
        limit = max(entries.count, capacity) + capacity
    }
}
