package import HarkWire

/// The state of one user: the gating of each survey, and the open presentations.
package struct UserSurveys: Sendable, Equatable {
    package var gating: [ExactName: Gating]
    /// The user's enrolments in surveys with a schedule, ended ones included.
    package var enrolments: [ExactName: Enrolment]
    /// The times of events for rules about the user's history, by rule (`EventPattern.rule`).
    package var eventTimes: [ExactName: RecentTimes]
    /// When the user's oldest session in the store began, at the time of loading; nil: there was none.
    package var firstSeen: Timestamp?
    /// The open presentations by their due times, equal ones in the order of creation; and presentations that were closed since
    /// they were loaded.
    package private(set) var presentations: [Presentation]

    /// - Parameter presentations: in the order of creation.
    package init(
        gating: [ExactName: Gating] = [:], enrolments: [ExactName: Enrolment] = [:],
        eventTimes: [ExactName: RecentTimes] = [:], firstSeen: Timestamp? = nil, presentations: [Presentation] = []
    ) {
        self.gating = gating
        self.enrolments = enrolments
        self.eventTimes = eventTimes
        self.firstSeen = firstSeen
        self.presentations = []
        for presentation in presentations { put(presentation) }
    }

    package var lastPresented: Timestamp? { gating.values.compactMap(\.lastPresented).max() }

    package subscript(id: Identifier) -> Presentation? { presentations.first { $0.id == id } }

    package var open: [Presentation] { presentations.filter(\.state.isOpen) }

    mutating func put(_ presentation: Presentation) {
        let known = presentations.firstIndex { $0.id == presentation.id }
        if let known, presentations[known].dueAt == presentation.dueAt {
            presentations[known] = presentation
            return
        }
        if let known { presentations.remove(at: known) }
        let place = presentations.firstIndex { presentation.dueAt < $0.dueAt } ?? presentations.endIndex
        presentations.insert(presentation, at: place)
    }

    /// Forgets the properties of a session's events that triggered presentations.
    mutating func forgetEvents(of session: Identifier) {
        for place in presentations.indices where presentations[place].origin == session {
            presentations[place].trigger = .none
            presentations[place].given = .none
        }
    }

    /// Drops presentations and hands them out.
    mutating func remove(_ isMeant: (Presentation) -> Bool) -> [Presentation] {
        let removed = presentations.filter(isMeant)
        if !removed.isEmpty { presentations.removeAll(where: isMeant) }
        return removed
    }
}
