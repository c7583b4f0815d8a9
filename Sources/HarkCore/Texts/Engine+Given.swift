internal import HarkWire

/// The values that a survey's texts refer to, kept as they are when it is scheduled: events may be gone when it is shown.
extension Engine {
    /// The most bytes of a text that are kept.
    private static let mostValueBytes = 1_000

    /// Sets the flags that are in force.
    package mutating func setFlags(_ flags: FlagSet) { surveys.flags = flags }

    /// Keeps the values for its survey with a presentation. If there is no room for more, it is shown without them.
    func give(_ presentation: inout Presentation, _ survey: Survey, on occasion: SurveyOccasion) {
        guard !survey.asked.isEmpty else { return }
        var given = Properties()
        for name in survey.asked {
            guard let value = value(of: name, on: occasion) else { continue }
            given.append(name.text, value)
        }
        let amount = Amount(bytes: presentation.trigger.byteCount + given.byteCount)
        if lack(of: .presentations, occasion.user.uid, amount) == nil { presentation.given = given }
    }

    private func value(of name: ValueName, on occasion: SurveyOccasion) -> PropertyValue? {
        let value: PropertyValue? =
            switch name {
            case .event(let name): occasion.trigger[name]
            case .session(let name): occasion.session?.metadata[name]
            case .counter(let name): counters.counter(ExactName(name), in: occasion.scope)?.value.property
            case .flag(let name): surveys.flags.value(name)?.property
            case .answer, .user: nil
            }
        guard case .string(let text)? = value else { return value }
        return .string(text.prefix(bytes: Engine.mostValueBytes))
    }
}

extension JSONValue {
    /// The value as a property; nil for null, lists and objects.
    fileprivate var property: PropertyValue? {
        switch self {
        case .string(let text): .string(text)
        case .int(let number): .integer(number)
        case .double(let number): .double(number)
        case .bool(let flag): .bool(flag)
        case .null, .array, .object: nil
        }
    }
}
