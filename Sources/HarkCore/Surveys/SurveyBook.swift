package import HarkWire

/// The surveys in force, and the users and presentations that have been heard of lately.
///
/// As in the `SessionBook`, a user is loaded on first touch and dropped when there are too many, but never while the
/// store does not know of its newest changes, nor while a survey is shown to it.
package struct SurveyBook: Sendable {
    /// So many users are remembered at least; dropping happens at twice that.
    package static let capacity = 2048

    /// nil until a document was read: then nothing is known to be gone, and what is due waits.
    var document: SurveyConfiguration?
    package var configuration: SurveyConfiguration { document ?? .none }
    package internal(set) var debug = DebugMode.production
    package internal(set) var schedule = SurveySchedule()

    private struct Entry: Sendable {
        var state: SurveyUserState
        /// How many of its changes the store has not committed yet.
        var unsettled = 0
    }

    private var entries: [SurveyUser: Entry] = [:]
    /// Whose the presentations of the loaded users are.
    private var owners: [Identifier: SurveyUser] = [:]
    /// The presentation that is shown in a scope.
    private var shown: [Scope: Identifier] = [:]
    /// The users changed since the changes were last handed to the store, once for each change.
    private var touched: [SurveyUser] = []
    /// How many users there may be before the next attempt to drop some.
    private var limit = SurveyBook.capacity * 2

    package init() {}

    package func isLoaded(_ user: SurveyUser) -> Bool { entries[user] != nil }

    package func state(of user: SurveyUser) -> SurveyUserState? { entries[user]?.state }

    package func presentation(_ id: Identifier) -> Presentation? {
        owners[id].flatMap { entries[$0]?.state[id] }
    }

    package func shown(in scope: Scope) -> Presentation? {
        shown[scope].flatMap(presentation)
    }

    package var allShown: [Presentation] { shown.values.compactMap(presentation) }

    /// All open presentations of the loaded users.
    package var allOpen: [Presentation] { entries.values.flatMap { $0.state.open } }

    /// Brings in what the store knows of a user.
    mutating func admit(_ user: SurveyUser, _ state: SurveyUserState) {
        guard entries[user] == nil else { return }
        makeRoom()
        entries[user] = Entry(state: state)
        for presentation in state.presentations { follow(presentation) }
    }

    /// Brings in a presentation that is closed, so that somebody who asks for it can be told.
    mutating func admit(closed presentation: Presentation) {
        let user = presentation.user
        guard !presentation.state.isOpen, let entry = entries[user], entry.state[presentation.id] == nil else {
            return
        }
        if entry.unsettled == 0 { dropClosed(of: user) }
        entries[user]?.state.put(presentation)
        owners[presentation.id] = user
    }

    /// A user must be loaded before anything of it changes: what the store knows would be overwritten.
    mutating func put(_ presentation: Presentation) {
        precondition(isLoaded(presentation.user), "a presentation of a user that was not admitted")
        entries[presentation.user]?.state.put(presentation)
        follow(presentation)
        touch(presentation.user)
    }

    mutating func put(_ gating: Gating?, of survey: String, _ user: SurveyUser) {
        precondition(isLoaded(user), "gating of a user that was not admitted")
        entries[user]?.state.gating[ExactName(survey)] = gating
        touch(user)
    }

    private mutating func touch(_ user: SurveyUser) {
        entries[user]?.unsettled += 1
        touched.append(user)
    }

    private mutating func follow(_ presentation: Presentation) {
        owners[presentation.id] = presentation.user
        if presentation.state == .presented {
            shown[presentation.scope] = presentation.id
        } else if shown[presentation.scope] == presentation.id {
            shown[presentation.scope] = nil
        }
        guard let at = presentation.wakesAt else { return }
        schedule.insert(
            SurveySchedule.Entry(key: SurveySchedule.Key(at: at, id: presentation.id), user: presentation.user))
    }
}

/// Letting go.
extension SurveyBook {
    mutating func takeTouched() -> [SurveyUser] {
        defer { touched.removeAll() }
        return touched
    }

    mutating func settle(_ users: [SurveyUser]) {
        for user in users {
            entries[user]?.unsettled -= 1
            if entries[user]?.unsettled == 0 { dropClosed(of: user) }
        }
        limit = SurveyBook.capacity * 2
        schedule.settle { [entries] in entries[$0].map { $0.unsettled > 0 } ?? false }
    }

    /// Drops what a removal means.
    mutating func remove(_ removal: Selection) {
        for user in Array(entries.keys) where removal.uid == nil || removal.uid == user.uid {
            for presentation in entries[user]?.state.remove(removal, of: user) ?? [] { forget(presentation) }
            touch(user)
        }
    }

    private mutating func dropClosed(of user: SurveyUser) {
        for presentation in entries[user]?.state.remove({ !$0.state.isOpen }) ?? [] { forget(presentation) }
    }

    private mutating func forget(_ presentation: Presentation) {
        owners[presentation.id] = nil
        if shown[presentation.scope] == presentation.id { shown[presentation.scope] = nil }
    }

    private mutating func makeRoom() {
        guard entries.count >= limit else { return }
        let pinned = Set(allShown.map(\.user))
        var surplus = entries.count - SurveyBook.capacity
        for (user, entry) in entries where entry.unsettled == 0 && surplus > 0 && !pinned.contains(user) {
            for presentation in entry.state.presentations { forget(presentation) }
            entries[user] = nil
            surplus -= 1
        }
        // While most wait for a commit, it would be in vain to look at all of them again for each newcomer.
        limit = max(entries.count, SurveyBook.capacity) + SurveyBook.capacity
    }
}

extension SurveyUserState {
    /// - Returns: the presentations that went.
    @discardableResult
    mutating func remove(_ removal: Selection, of user: SurveyUser) -> [Presentation] {
        if removal.containsEverything(of: user) { gating = [:] }
        return remove(removal.contains)
    }
}

extension Selection {
    /// Whether it means all that is known about a user and not only some of the sessions.
    package func containsEverything(of user: SurveyUser) -> Bool {
        guard uid == nil || uid == user.uid else { return false }
        return switch target {
        case .all: true
        case .user(let userId): userId.hasSameBytes(as: user.userId)
        case .session: false
        }
    }

    /// Whether a presentation goes: with its user, or with its session: the one it was shown in, and as long as it is
    /// open also the one it came about in.
    package func contains(_ presentation: Presentation) -> Bool {
        guard case .session(let id) = target else { return containsEverything(of: presentation.user) }
        guard uid == nil || uid == presentation.user.uid else { return false }
        if presentation.state.isOpen, presentation.origin == id { return true }
        return presentation.session ?? presentation.origin == id
    }
}
