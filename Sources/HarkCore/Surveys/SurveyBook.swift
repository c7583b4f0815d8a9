package import HarkWire

/// The surveys in force, and the users and presentations that have been heard of lately.
///
package struct SurveyBook: Sendable {
    /// So many users are remembered, beside those whose changes the store does not know yet or who are shown a survey.
    package static let capacity = 4096

    /// nil until a document was read: then nothing is known to be gone, and what is due waits.
    var document: SurveyConfiguration? {
        didSet {
            isListening = configuration.isListening
            asksForProfiles = configuration.asksForProfiles
            lastUnheard = nil
        }
    }
    package var configuration: SurveyConfiguration { document ?? .none }
    /// Whether any survey listens to events. Asked of every event, for which the configuration would be copied.
    private(set) var isListening = false
    /// Whether any survey asks for something of its user's profile.
    private(set) var asksForProfiles = false
    /// The last event that was asked of and has no listeners: the next one often has the same name.
    private var lastUnheard: String?
    package internal(set) var debug = DebugMode.production
    /// Where kiosks are.
    var kiosks: [KioskPlace] = []
    package internal(set) var schedule = SurveySchedule()
    var clock = ShowingClock()
    /// For texts and conditions that ask for some.
    var flags = FlagSet.none
    /// Of what is shown, as far as that is measured.
    var stopwatches: [Identifier: Stopwatch] = [:]

    /// A user to whom a survey is shown is held.
    private var cache = Cache<UserKey, UserSurveys>(capacity: SurveyBook.capacity)
    /// Whose the presentations of the loaded users are.
    private var owners: [Identifier: UserKey] = [:]
    /// The presentations of each prompt, among those of the loaded users.
    private var prompts: [Identifier: Set<Identifier>] = [:]
    /// The presentation that is shown in a scope, and to whom.
    private var shown: [Scope: (id: Identifier, user: UserKey)] = [:]
    /// What is shown of each survey.
    private var shownOf: [ExactName: Set<Identifier>] = [:]

    package init() {}

    mutating func hasListeners(to event: String) -> Bool {
        guard isListening, !lastUnheard.hasSameBytes(as: event) else { return false }
        if configuration.hasListeners(to: event) { return true }
        lastUnheard = event
        return false
    }

    package func isLoaded(_ user: UserKey) -> Bool { cache.contains(user) }

    /// Whether a user is loaded; if so, what follows finds it.
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

    /// Brings in what the store knows of a user.
    mutating func admit(_ user: UserKey, _ state: UserSurveys) {
        guard !cache.contains(user) else { return }
        while let dropped = cache.dropForRoom() {
            for presentation in dropped.value.presentations { forget(presentation) }
        }
        cache.admit(user, state)
        for presentation in state.presentations { follow(presentation) }
        for enrolment in state.enrolments.values { follow(enrolment) }
    }

    /// Brings in a presentation that is closed, so that somebody who asks for it can be told.
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

    /// What is shown of a survey, to anybody.
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

/// Letting go.
extension SurveyBook {
    mutating func handOver() { cache.handOver() }

    mutating func settle() {
        for user in cache.settle() { dropClosed(of: user) }
        schedule.settle { [cache] in cache.isUnsettled($0) }
    }

    /// Drops what a removal means.
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
    /// - Returns: the presentations that went.
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
    /// Whether it means all that is known about a user and not only some of the sessions.
    package func containsEverything(of user: UserKey) -> Bool {
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
