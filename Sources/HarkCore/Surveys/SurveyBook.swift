package import HarkWire

/// The surveys in force, and the users and presentations that have been heard of lately.
///
package struct SurveyBook: Sendable {
    /// The number of users to keep in memory, apart from those with uncommitted changes or a survey on screen.
    package static let capacity = 4096

    /// nil until a document was read: then no survey is known to be gone, and due entries wait.
    var document: SurveyConfiguration? {
        didSet {
            isListening = configuration.isListening
            asksForProfiles = configuration.asksForProfiles
            lastUnheard = nil
        }
    }
    package var configuration: SurveyConfiguration { document ?? .none }
    /// Whether any survey listens to events. Called for every event, for which the configuration would be copied.
    private(set) var isListening = false
    /// Whether any survey asks for a value of its user's profile.
    private(set) var asksForProfiles = false
    /// The name of the last event without listeners: the next one often has the same name.
    private var lastUnheard: String?
    package internal(set) var debug = DebugMode.production
    /// The places of kiosks.
    var kiosks: [KioskPlace] = []
    package internal(set) var schedule = SurveySchedule()
    var clock = ShowingClock()
    /// The flags, for texts and conditions that refer to them.
    var flags = FlagSet.none
    /// For showings on screen, as far as they are measured.
    var stopwatches: [Identifier: Stopwatch] = [:]

    /// A user with a survey on screen is held.
    private var cache = Cache<UserKey, UserSurveys>(capacity: SurveyBook.capacity)
    /// The owners of the loaded users' presentations.
    private var owners: [Identifier: UserKey] = [:]
    /// The presentations of each prompt, among those of the loaded users.
    private var prompts: [Identifier: Set<Identifier>] = [:]
    /// The presentation that is shown in a scope, and its user.
    private var shown: [Scope: (id: Identifier, user: UserKey)] = [:]
    /// The presentations on screen of each survey.
    private var shownOf: [ExactName: Set<Identifier>] = [:]

    package init() {}

    mutating func hasListeners(to event: String) -> Bool {
        guard isListening, !lastUnheard.hasSameBytes(as: event) else { return false }
        if configuration.hasListeners(to: event) { return true }
        lastUnheard = event
        return false
    }

    package func isLoaded(_ user: UserKey) -> Bool { cache.contains(user) }

    /// Whether a user is loaded; if so, the user stays loaded for the command.
    mutating func use(_ user: UserKey) -> Bool { cache.use(user) }

    package func state(of user: UserKey) -> UserSurveys? { cache[user] }

    package func presentation(_ id: Identifier) -> Presentation? {
        owners[id].flatMap { cache[$0]?[id] }
    }

    /// A loaded user's enrolment in a survey, ended or not.
    package func enrolment(of user: UserKey, _ survey: String) -> Enrolment? {
        cache[user]?.enrolments[ExactName(survey)]
    }

    func enrolment(_ id: Identifier, of user: UserKey) -> Enrolment? {
        cache[user]?.enrolments.values.first { $0.id == id }
    }

    package func presentations(ofPrompt id: Identifier) -> [Presentation] {
        prompts[id]?.compactMap { presentation($0) } ?? []
    }

    package func shown(in scope: Scope) -> Presentation? {
        shown[scope].flatMap { presentation($0.id) }
    }

    package var allShown: [Presentation] { shown.values.compactMap { presentation($0.id) } }

    /// All open presentations of the loaded users.
    package var allOpen: [Presentation] { cache.values.flatMap(\.open) }

    /// Adds a user's surveys as the store has them.
    mutating func admit(_ user: UserKey, _ state: UserSurveys) {
        guard !cache.contains(user) else { return }
        while let dropped = cache.dropForRoom() {
            for presentation in dropped.value.presentations { forget(presentation) }
        }
        cache.admit(user, state)
        for presentation in state.presentations { follow(presentation) }
        for enrolment in state.enrolments.values { follow(enrolment) }
    }

    /// Adds a closed presentation, so that a client that asks for it gets the reason of its end.
    mutating func admit(closed presentation: Presentation) {
        let user = presentation.user
        guard !presentation.state.isOpen, let state = cache[user], state[presentation.id] == nil else { return }
        if !cache.isUnsettled(user) { dropClosed(of: user) }
        cache.adjust(user) { $0.put(presentation) }
        own(presentation)
    }

    mutating func put(_ presentation: Presentation) {
        cache.change(presentation.user) { $0.put(presentation) }
        follow(presentation)
    }

    mutating func put(_ gating: Gating?, of survey: String, _ user: UserKey) {
        cache.change(user) { $0.gating[ExactName(survey)] = gating }
    }

    mutating func put(_ times: RecentTimes, of rule: ExactName, _ user: UserKey) {
        cache.change(user) { $0.eventTimes[rule] = times }
    }

    mutating func put(_ enrolment: Enrolment) {
        cache.change(enrolment.user) { $0.enrolments[ExactName(enrolment.survey)] = enrolment }
        follow(enrolment)
    }

    private mutating func follow(_ enrolment: Enrolment) {
        guard let at = enrolment.wakesAt else { return }
        schedule.insert(SurveySchedule.Entry(key: SurveySchedule.Key(at: at, id: enrolment.id), user: enrolment.user))
    }

    private mutating func own(_ presentation: Presentation) {
        owners[presentation.id] = presentation.user
        if let prompt = presentation.prompt { prompts[prompt.id, default: []].insert(presentation.id) }
    }

    private mutating func follow(_ presentation: Presentation) {
        own(presentation)
        if presentation.state == .presented {
            show(presentation)
        } else {
            hide(presentation)
        }
        guard let at = presentation.wakesAt else { return }
        schedule.insert(
            SurveySchedule.Entry(key: SurveySchedule.Key(at: at, id: presentation.id), user: presentation.user))
    }

    /// The presentations of a survey that are on screen, for all users.
    func shown(of survey: String) -> Set<Identifier> { shownOf[ExactName(survey)] ?? [] }

    private mutating func show(_ presentation: Presentation) {
        shownOf[ExactName(presentation.survey), default: []].insert(presentation.id)
        cache.hold(presentation.user)
        let before = shown.updateValue((presentation.id, presentation.user), forKey: presentation.scope)
        if let before { cache.letGo(before.user) }
    }

    private mutating func hide(_ presentation: Presentation) {
        stopwatches[presentation.id] = nil
        let survey = ExactName(presentation.survey)
        if shownOf[survey]?.remove(presentation.id) != nil, shownOf[survey]?.isEmpty ?? false { shownOf[survey] = nil }
        guard let now = shown[presentation.scope], now.id == presentation.id else { return }
        shown[presentation.scope] = nil
        cache.letGo(now.user)
    }
}

/// Dropping state.
extension SurveyBook {
    mutating func handOver() { cache.handOver() }

    mutating func settle() {
        for user in cache.settle() { dropClosed(of: user) }
        schedule.settle { [cache] in cache.isUnsettled($0) }
    }

    /// Drops the data that a removal covers.
    mutating func remove(_ removal: Selection) {
        for user in cache.keys where removal.uid == nil || removal.uid == user.uid {
            var gone: [Presentation] = []
            cache.change(user) { gone = $0.remove(removal, of: user) }
            for presentation in gone { forget(presentation) }
        }
    }

    private mutating func dropClosed(of user: UserKey) {
        var gone: [Presentation] = []
        cache.adjust(user) { state in gone = state.remove { !$0.state.isOpen } }
        for presentation in gone { forget(presentation) }
    }

    private mutating func forget(_ presentation: Presentation) {
        owners[presentation.id] = nil
        if let prompt = presentation.prompt {
            prompts[prompt.id]?.remove(presentation.id)
            if prompts[prompt.id]?.isEmpty ?? false { prompts[prompt.id] = nil }
        }
        hide(presentation)
    }
}

extension UserSurveys {
    /// - Returns: the presentations that were dropped.
    @discardableResult
    mutating func remove(_ removal: Selection, of user: UserKey) -> [Presentation] {
        if removal.containsEverything(of: user) {
            (gating, enrolments, eventTimes) = ([:], [:], [:])
            firstSeen = nil
        }
        if case .session(let id) = removal.target { forgetEvents(of: id) }
        return remove(removal.contains)
    }
}

extension Selection {
    /// Whether it covers all data of a user and not only some of the sessions.
    package func containsEverything(of user: UserKey) -> Bool {
        guard uid == nil || uid == user.uid else { return false }
        return switch target {
        case .all: true
        case .user(let userId): userId.hasSameBytes(as: user.userId)
        case .session: false
        }
    }

    /// Whether it covers a presentation: by its user, or by the session in which it was last shown, or, while it is
    /// open, by the session of its event.
    package func contains(_ presentation: Presentation) -> Bool {
        guard case .session(let id) = target else { return containsEverything(of: presentation.user) }
        guard uid == nil || uid == presentation.user.uid else { return false }
        if presentation.state.isOpen, presentation.origin == id { return true }
        return presentation.session ?? presentation.origin == id
    }
}
