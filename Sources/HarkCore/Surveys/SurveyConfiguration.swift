/// All surveys, in the order in which they are tried, compiled for quick use.
package struct SurveyConfiguration: Sendable, Equatable {
    package let surveys: [Survey]
    /// Between two showings of whatever surveys to the same user; milliseconds.
    package let globalCooldown: Int64?
    /// The surveys that listen to an event, by their places, in order.
    private let listeners: [String: [Int]]
    private let places: [String: Int]

    package static let none = SurveyConfiguration([])

    /// - Parameter surveys: no two with the same id.
    package init(_ surveys: [Survey], globalCooldown: Int64? = nil) {
        self.surveys = surveys
        self.globalCooldown = globalCooldown
        listeners = Dictionary(grouping: surveys.indices) { surveys[$0].trigger.event }
        places = Dictionary(uniqueKeysWithValues: surveys.indices.map { (surveys[$0].id, $0) })
    }

    package func survey(_ id: String) -> Survey? { places[id].map { surveys[$0] } }

    /// The surveys an event may bring about; nil when none listens to it.
    package func listeners(to event: String) -> [Int]? {
        // Without surveys the name need not even be hashed.
        listeners.isEmpty ? nil : listeners[event]
    }
}
