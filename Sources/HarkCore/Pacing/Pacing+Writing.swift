package import HarkWire

extension Survey {
    /// Writes whom it asks and when not, as far as the survey says something.
    package func writePacing(to json: inout JSONWriter) {
        if priority != 0 {
            json.key("priority")
            json.int(priority)
        }
        func put(_ key: String, _ words: [String]) {
            guard !words.isEmpty else { return }
            json.key(key)
            json.beginArray()
            for text in words { json.string(text) }
            json.endArray()
        }
        put("groups", groups)
        put("atMost", limits.atMost.map { "\($0.count) within \(SurveyGate.seconds($0.within)) s" })
        put("audience", audience.words)
        put("cancelOn", cancelOn.map(\.words))
        put("quota", quota?.words ?? [])
    }
}

extension Audience {
    fileprivate var words: [String] {
        events.map { "\($0.event.words) \($0.frequency.words)" }
            + surveys.map { "survey '\($0.survey)' \($0.was.rawValue) \($0.frequency.words)" }
            + (session.map { ["session where \($0.words)"] } ?? [])
            + (profile.map { ["profile where \($0.words)"] } ?? [])
            + (firstSeen.map { ["first seen \($0.words)"] } ?? [])
    }
}
