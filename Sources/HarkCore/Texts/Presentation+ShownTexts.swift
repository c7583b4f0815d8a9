internal import HarkWire

extension Presentation {
    /// What was shown, as a JSON object, with the values in its texts. It is kept without them, so that showings with
    /// the same texts are of one version.
    var shownWithValues: [UInt8] {
        guard let object = try? JSONDocument(shown, .json).value.objectValue, object["piping"]?.boolValue ?? false,
            let content = SurveyContent(shown: shown)
        else { return shown }
        let values = values(for: content)
        var json = JSONWriter()
        let members = object.filter { $0.key != "piping" }.map { ($0.key, values.fill($0.value, of: $0.key)) }
        json.value(.object(JSONObject(members)))
        return json.bytes
    }
}

extension TextValues {
    /// The members that are no text which a person reads.
    private static let fixed: Set<String> = ["id", "type", "responseType", "value", "locale", "when", "emoji", "shape", "pattern", "of",
    ]

    /// Fills the texts of what was shown. Depth and size are those of a survey that was read.
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
