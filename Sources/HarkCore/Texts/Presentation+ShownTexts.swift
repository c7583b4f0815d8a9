internal import HarkWire

extension Presentation {
    /// The shown content as a JSON object, with the values in its texts, and options in the shown order. It is
    /// kept without both, so that showings with the same texts are of one version.
    var shownWithValues: [UInt8] {
        guard let object = try? JSONDocument(shown, .json).value.objectValue else { return shown }
        let isPiped = object["piping"]?.boolValue ?? false
        guard isPiped || object["shuffle"]?.boolValue ?? false, let content = SurveyContent(shown: shown) else {
            return shown
        }
        let values = values(for: content)
        let drawn = content.questionnaire.drawn(for: prompt?.id ?? id)
        var json = JSONWriter()
        let members = object.filter { $0.key != "piping" }.map { member in
            let value = isPiped ? values.fill(member.value, of: member.key) : member.value
            return (member.key, member.key == "questions" ? drawn.ordering(value) : value)
        }
        json.value(.object(JSONObject(members)))
        return json.bytes
    }
}

extension Questionnaire {
    /// Puts the options of questions that were written into the order that they have here.
    fileprivate func ordering(_ written: JSONValue) -> JSONValue {
        .array(
            (written.arrayValue ?? []).map { element in
                guard let members = element.objectValue, let id = members["id"]?.stringValue,
                    let question = question(id), question.order != nil, let choices = question.kind.choices
                else { return element }
                let options = Dictionary(
                    (members["options"]?.arrayValue ?? []).compactMap { option in
                        option.objectValue?["value"]?.stringValue.map { (ExactName($0), option) }
                    }
                ) { first, _ in first }
                let ordered = choices.compactMap { options[ExactName($0.value)] }
                return .object(
                    JSONObject(members.map { ($0.key, $0.key == "options" ? .array(ordered) : $0.value) }))
            })
    }
}

extension TextValues {
    /// The members that are not texts for people.
    private static let fixed: Set<String> = [
        "id", "type", "responseType", "value", "locale", "when", "emoji", "shape", "pattern", "of", "shuffle",
    ]

    /// Fills the texts of the shown content. Its depth and size are limited like those of a survey that was read.
    fileprivate func fill(_ value: JSONValue, of key: String) -> JSONValue {
        switch value {
        case .string(let text): .string(TextValues.fixed.contains(key) ? text : fill(text))
        // Options that are bare texts are values.
        case .array(let elements):
            .array(elements.map { key == "options" && $0.stringValue != nil ? $0 : fill($0, of: key) })
        case .object(let object): .object(JSONObject(object.map { ($0.key, fill($0.value, of: $0.key)) }))
        case .null, .bool, .int, .double: value
        }
    }
}
