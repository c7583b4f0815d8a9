import HarkAsking
import HarkClient

/// What the agent knows of each notification.
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
        /// When the daemon is told that it is before the person; nil: it was told.
        var toldAt: Double?
        /// It ended elsewhere, or the daemon went away: what it prints is of no use any more.
        var isOver = false
    }
}
