internal import HarkWire

/// All surveys, in the order in which they are tried, compiled for quick use.
package struct SurveyConfiguration: Sendable, Equatable {
    package let surveys: [Survey]
    /// The least time between two showings of any surveys to the same user; milliseconds.
    package let globalCooldown: Int64?
    /// The caps on showings of all its surveys together, to one user.
    package let atMost: [ShowingCap]
    /// The number of showings of a survey whose times are kept.
    let showingsKept: Int
    /// Whether any survey has quiet hours.
    package let hasQuietHours: Bool
    /// Whether any survey asks for a value of its user's profile.
    let asksForProfiles: Bool
    /// Whether any survey has a schedule that is for everybody.
    package let hasEverybody: Bool
    /// Whether any survey that listens to events of surveys has a condition on counters.
    let followsWithCounters: Bool
    /// Whether they come from a hub or a URL, and not from this machine.
    package var isFromAfar = false
    /// Whether they come from the hub of this machine's fleet, which deals the answers of their quotas.
    package var isFromHub = false
    /// The surveys that listen to an event, by their places, in order.
    private let listeners: [ExactName: [Int]]
    /// The surveys that listen to no event, by the counters they listen to.
    private let counterListeners: [ExactName: [Int]]
    private let places: [ExactName: Int]
    private let groups: [ExactName: SurveyGroup]
    /// The rules that count events, by the events' names.
    private let memories: [ExactName: [EventMemory]]
    /// The rules by which events cancel waiting presentations, by the events' names and the surveys.
    private let cancelRules: [ExactName: [ExactName: [CancelRule]]]
    /// The cost of testing each survey's trigger.
    let work: [TriggerWork]

    package static let none = SurveyConfiguration([])

    /// - Parameter surveys: no two with the same id.
    package init(
        _ surveys: [Survey], globalCooldown: Int64? = nil, atMost: [ShowingCap] = [], groups: [SurveyGroup] = []
    ) {
        self.surveys = surveys
        self.globalCooldown = globalCooldown
        self.atMost = atMost
        var named = Dictionary(groups.map { (ExactName($0.name), $0) }) { first, _ in first }
        for survey in surveys {
            for group in survey.groups { named[ExactName(group)]?.members.append(ExactName(survey.id)) }
        }
        self.groups = named
        let caps = surveys.flatMap(\.limits.atMost) + atMost + groups.flatMap(\.atMost)
        let counted = surveys.flatMap { $0.audience.surveys.map(\.frequency.atLeast) }
        showingsKept = (caps.map(\.count) + counted).reduce(RecentTimes.usual, max)
        memories = EventMemory.all(of: surveys)
        cancelRules = surveys.reduce(into: [:]) { rules, survey in
            for rule in survey.cancelOn {
                rules[ExactName(rule.event.name), default: [:]][ExactName(survey.id), default: []].append(rule)
            }
        }
        var listeners: [ExactName: [Int]] = [:]
        var counterListeners: [ExactName: [Int]] = [:]
        for (place, survey) in surveys.enumerated() {
            if let event = survey.trigger.event {
                listeners[ExactName(event), default: []].append(place)
            } else {
                for name in survey.trigger.counters?.names ?? [] {
                    counterListeners[name, default: []].append(place)
                }
            }
        }
        let ranked = { (places: [Int]) in
            places.sorted { (-surveys[$0].priority, $0) < (-surveys[$1].priority, $1) }
        }
        self.listeners = listeners.mapValues(ranked)
        self.counterListeners = counterListeners.mapValues(ranked)
        work = surveys.map { TriggerWork($0.trigger) }
        followsWithCounters = SurveyEvents.names.contains { name in
            (listeners[ExactName(name)] ?? []).contains { surveys[$0].trigger.counters != nil }
        }
        hasEverybody = surveys.contains { $0.trigger.schedule?.isForEverybody ?? false }
        asksForProfiles = surveys.contains { $0.audience.profile != nil }
        hasQuietHours = surveys.contains { $0.quiet.hours != nil }
        places = Dictionary(uniqueKeysWithValues: surveys.indices.map { (ExactName(surveys[$0].id), $0) })
    }

    package func survey(_ id: String) -> Survey? { places[ExactName(id)].map { surveys[$0] } }

    /// The same limits with other surveys.
    func replacing(_ surveys: [Survey]) -> SurveyConfiguration {
        SurveyConfiguration(
            surveys, globalCooldown: globalCooldown, atMost: atMost,
            groups: groups.values.map { SurveyGroup(name: $0.name, atMost: $0.atMost) })
    }

    /// The surveys that a change of a counter may trigger; nil if none listens to it.
    package func listeners(toCounter name: ExactName) -> [Int]? {
        counterListeners.isEmpty ? nil : counterListeners[name]
    }

    /// Whether any survey listens to events.
    var isListening: Bool { !listeners.isEmpty || !memories.isEmpty || !cancelRules.isEmpty }

    /// Whether surveys use an event: it may trigger or cancel one, or is remembered.
    func hasListeners(to event: String) -> Bool {
        guard isListening else { return false }
        let name = ExactName(event)
        return listeners[name] != nil || memories[name] != nil || cancelRules[name] != nil
    }

    /// The rules that count events, in a fixed order, with the names of their events.
    var rules: [(name: ExactName, memory: EventMemory)] {
        memories.sorted { $0.key < $1.key }.flatMap { name, memories in memories.map { (name, $0) } }
    }

    func memories(of event: String) -> [EventMemory] { memories.isEmpty ? [] : memories[ExactName(event)] ?? [] }

    func cancelled(by event: String) -> [ExactName: [CancelRule]] {
        cancelRules.isEmpty ? [:] : cancelRules[ExactName(event)] ?? [:]
    }

    func groups(of survey: Survey) -> [SurveyGroup] { survey.groups.compactMap { groups[ExactName($0)] } }

    /// The surveys that are tried before one, if the same event triggers both.
    func surveys(before survey: Survey) -> [Survey] {
        guard let place = places[ExactName(survey.id)] else { return [] }
        return surveys.indices.filter { (-surveys[$0].priority, $0) < (-survey.priority, place) }
            .sorted { (-surveys[$0].priority, $0) < (-surveys[$1].priority, $1) }.map { surveys[$0] }
    }

    /// The surveys that an event may trigger; nil if none listens to it.
    package func listeners(to event: String) -> [Int]? {
        // Without surveys the name need not even be hashed.
        listeners.isEmpty ? nil : listeners[ExactName(event)]
    }
}

/// The cost of testing a trigger, in comparisons: a tenth of a microsecond to a few.
struct TriggerWork: Sendable, Equatable {
    /// The greatest cost of all surveys that listen to the same event, so that it is handled within some tens of milliseconds.
    /// Surveys after that are skipped.
    static let most = 100_000
    /// The cost of testing a survey's limits.
    static let limits = 10

    let comparisons: Int
    private let searches: Bool

    init(_ trigger: SurveyTrigger) {
        comparisons = 1 + trigger.condition.comparisons + (trigger.counters?.comparisons ?? 0)
        searches = trigger.condition.searches || trigger.counters?.searches ?? false
    }

    /// Includes the lengths of the searched texts.
    func comparisons(
        of trigger: SurveyTrigger, _ property: (String) -> JSONValue?, counter: (String) -> JSONValue?
    ) -> Int {
        guard searches else { return comparisons }
        return comparisons + trigger.condition.searching(property) + (trigger.counters?.searching(counter) ?? 0)
    }
}
