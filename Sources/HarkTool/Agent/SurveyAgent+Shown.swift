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
        /// When to report to the daemon that the person sees it; nil: it was reported.
        var toldAt: Double?
        /// It ended elsewhere, or the daemon went away. Its output is ignored.
        var isOver = false
    }
}
