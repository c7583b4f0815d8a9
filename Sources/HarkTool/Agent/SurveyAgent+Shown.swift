import HarkAsking
import HarkClient

/// The agent's state of each notification.
extension SurveyAgent {
    /// A survey as the daemon brought it.
    struct Offer {
        let presentation: ShownSurvey
        let json: JSONText
    }

    struct Shown {
        let offer: Offer
        let program: ChildProgram
        /// How often it could not be shown before.
        let attempts: Int
        /// Whether a desktop may show it; if not, only its end by the person counts as shown.
        let mayBeSeen: Bool
        /// When it is decided whether the person has seen it; nil: it was, and reported if so.
        var decidedAt: Double?
        /// It ended elsewhere, or the daemon went away. Its output is ignored.
        var isOver = false
    }
}
