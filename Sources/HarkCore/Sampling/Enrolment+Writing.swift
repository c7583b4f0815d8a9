package import HarkWire

extension Enrolment {
    /// Writes the enrolment as an object of a reply.
    ///
    /// - Parameter tellsNext: whether to tell when the next prompt comes, which participants must not know.
    package func write(to json: inout JSONWriter, now: Timestamp, tellsNext: Bool) {
        func put(_ name: StaticString, _ text: String?) {
            guard let text else { return }
            json.key(name)
            json.string(text)
        }
        func put(_ name: StaticString, _ time: Timestamp?) {
            guard let time else { return }
            json.key(name)
            json.timestamp(time)
        }
        let isPaused = isPaused(at: now)
        json.beginObject()
        put("surveyId", survey)
        json.key("userId")
        if let userId = user.userId { json.string(userId) } else { json.null() }
        json.key("uid")
        json.uint(UInt64(user.uid))
        put("app", app)
        put("state", isActive ? isPaused ? "paused" : "active" : "ended")
        put("joinedAt", joinedAt)
        put("dayOne", first.text)
        put("group", group)
        put("hours", hours?.text)
        put("pausedUntil", isActive && isPaused && pausedUntil != .latest ? pausedUntil : nil)
        put("endedAt", endedAt)
        put("reason", endReason)
        if tellsNext { put("nextAt", isPlanned ? wakesAt : nil) }
        json.endObject()
    }
}
