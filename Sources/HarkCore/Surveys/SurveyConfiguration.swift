internal import HarkWire

/// All surveys, in the order in which they are tried, compiled for quick use.
package struct SurveyConfiguration: Sendable, Equatable {
    package let surveys: [Survey]
    /// Between two showings of whatever surveys to the same user; milliseconds.
    package let globalCooldown: Int64?
    /// Whether any of them has hours at which it is not shown.
    let hasQuietHours: Bool
    /// Whether any survey has a schedule that is for everybody.
    package let hasEverybody: Bool
    /// They come from a hub or a URL: nobody at this machine has written them.
    package var isFromAfar = false
    /// The surveys that listen to an event, by their places, in order.
    private let listeners: [ExactName: [Int]]
    /// The surveys that listen to no event, by the counters they listen to.
    private let counterListeners: [ExactName: [Int]]
    private let places: [ExactName: Int]
    /// What it takes to look at each survey's trigger.
    let work: [TriggerWork]

    package static let none = SurveyConfiguration([])

    /// - Parameter surveys: no two with the same id.
    package init(_ surveys: [Survey], globalCooldown: Int64? = nil) {
        self.surveys = surveys
        self.globalCooldown = globalCooldown
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
        self.listeners = listeners
        self.counterListeners = counterListeners
        work = surveys.map { TriggerWork($0.trigger) }
        hasEverybody = surveys.contains { $0.trigger.schedule?.isForEverybody ?? false }
        hasQuietHours = surveys.contains { $0.quiet.hours != nil }
        places = Dictionary(uniqueKeysWithValues: surveys.indices.map { (ExactName(surveys[$0].id), $0) })
    }

    package func survey(_ id: String) -> Survey? { places[ExactName(id)].map { surveys[$0] } }

    /// The surveys a change of a counter may bring about; nil when none listens to it.
    package func listeners(toCounter name: ExactName) -> [Int]? {
        counterListeners.isEmpty ? nil : counterListeners[name]
    }

    /// Whether there are surveys that listen to events at all.
    var isListening: Bool { !listeners.isEmpty }

    func hasListeners(to event: String) -> Bool { isListening && listeners[ExactName(event)] != nil }

    /// The surveys an event may bring about; nil when none listens to it.
    package func listeners(to event: String) -> [Int]? {
        // Without surveys the name need not even be hashed.
        listeners.isEmpty ? nil : listeners[ExactName(event)]
    }
}

/// What it takes to look at a trigger, in comparisons: a tenth of a microsecond to a few.
struct TriggerWork: Sendable, Equatable {
    /// What the surveys that listen to something may take together when it happens, so that it is done with in some tens of
    /// milliseconds. Those after them are passed over.
    static let most = 100_000
    /// What it takes to see whether a survey may be shown by its limits.
    static let limits = 10

    let comparisons: Int
    private let searches: Bool

    init(_ trigger: SurveyTrigger) {
        comparisons = 1 + trigger.condition.comparisons + (trigger.counters?.comparisons ?? 0)
        searches = trigger.condition.searches || trigger.counters?.searches ?? false
    }

    /// With the lengths of what is searched.
    func comparisons(
        of trigger: SurveyTrigger, _ property: (String) -> JSONValue?, counter: (String) -> JSONValue?
    ) -> Int {
        guard searches else { return comparisons }
        return comparisons + trigger.condition.searching(property) + (trigger.counters?.searching(counter) ?? 0)
    }
}
