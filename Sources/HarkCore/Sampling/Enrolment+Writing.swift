package import HarkWire

extension ParticipantInfo {
    /// - Parameter tellsNext: Whether to include when the next prompt comes, which participants must not know.
    package init(_ enrolment: Enrolment, now: Timestamp, tellsNext: Bool) {
        self.init()
        let (isActive, isPaused) = (enrolment.isActive, enrolment.isPaused(at: now))
        surveyId = enrolment.survey
        userId = enrolment.user.userId
        uid = Int64(enrolment.user.uid)
        app = enrolment.app
        state = isActive ? isPaused ? "paused" : "active" : "ended"
        joinedAt = enrolment.joinedAt
        dayOne = enrolment.first.text
        group = enrolment.group
        hours = enrolment.hours?.text
        if isActive, isPaused, enrolment.pausedUntil != .latest { pausedUntil = enrolment.pausedUntil }
        endedAt = enrolment.endedAt
        reason = enrolment.endReason
        if tellsNext, enrolment.isPlanned { nextAt = enrolment.wakesAt }
    }
}
