internal import HarkWire

/// Records about forms and profiles, for destinations that ask for them; none does by default.
extension Engine {
    /// Records each answer with the kind `form` and the form's id as name.
    mutating func note(
        _ form: Form, answers questions: [String], in state: FormState, by participant: FormParticipant,
        now: Timestamp, into changes: inout Changes
    ) {
        for question in questions {
            var properties: [(String, PropertyValue)] = [("question", .string(question))]
            if let answer = state.answers[question]?.answer {
                properties = [("action", .string("answered"))] + properties + [("answer", answer.property)]
            } else {
                properties = [("action", .string("withdrawn"))] + properties
            }
            emit(.form, form.id, properties, by: participant, now: now, into: &changes)
        }
    }

    /// Records a `profile` when the derived values have changed. The answers are not included.
    mutating func noteProfile(
        about form: Form, before: FormState?, by participant: FormParticipant, now: Timestamp,
        into changes: inout Changes
    ) {
        guard let rules = forms.configuration.profile, rules.form.hasSameBytes(as: form.id) else { return }
        let after = forms.state(of: participant.user, form.id)
        let earlier = rules.lastingValues(form, before)
        let current = rules.lastingValues(form, after)
        let isCompleted = after?.completedAt != nil
        guard !earlier.elementsEqual(current, by: ==) || isCompleted != (before?.completedAt != nil) else { return }
        var properties: [(String, PropertyValue)] = [("form", .string(form.id)), ("completed", .bool(isCompleted))]
        for (key, value) in current {
            if let property = PropertyValue(value) { properties.append(("value.\(key)", property)) }
        }
        emit(.profile, "profile", properties, by: participant, now: now, into: &changes)
    }

    mutating func emit(
        _ kind: Record.Kind, _ name: String, _ properties: [(String, PropertyValue)], by participant: FormParticipant,
        now: Timestamp, into changes: inout Changes
    ) {
        let session = sessionForEntry(of: participant.user.userId, in: participant.scope, now: now, into: &changes)
        _ = append(
            kind, of: session, name: name, properties: Properties(properties), source: participant.source, at: now,
            into: &changes)
    }
}

extension ProfileRules {
    /// The values that do not change from day to day by themselves.
    fileprivate func lastingValues(_ form: Form, _ state: FormState?) -> [(String, JSONValue)] {
        let answers = state.map(form.answers) ?? Answers()
        let draw = DailyDraw(UserKey(uid: 0, userId: nil), day: 0)
        return values.filter { !$0.rule.isDaily }.map { ($0.key, $0.rule.value(answers, draw) ?? .null) }
    }
}

extension PropertyValue {
    /// Joins the elements of a list with `||`; nil for null and objects.
    fileprivate init?(_ value: JSONValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .int(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .bool(let flag): self = .bool(flag)
        case .array(let elements):
            self = .string(elements.map { $0.stringValue ?? $0.description }.joined(separator: "||"))
        case .null, .object: return nil
        }
    }
}
