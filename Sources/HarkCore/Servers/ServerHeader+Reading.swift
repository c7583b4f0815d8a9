internal import HarkWire

extension ServerHeader {
    /// Reads `headers`.
    package static func read(_ reader: inout ObjectReader) -> [ServerHeader] {
        let issues = reader.issues
        var headers = reader.object("headers", expected: "an object of header names and values")
        return headers?.members().compactMap { name, value, path in
            if let fault = fault(name: name, value: value.stringValue ?? "") {
                issues.error(path, fault)
                return nil
            }
            return read(value, path: path, issues: issues).map { ServerHeader(name, $0) }
        } ?? []
    }

    /// Reads a text, or the place of a secret: `{"file": …}`, `{"credential": …}` or `{"env": …}`.
    private static func read(_ value: JSONValue, path: String, issues: IssueCollector) -> Value? {
        if let text = value.stringValue { return .text(text) }
        let expected = "a string, or {\"file\": …}, {\"credential\": …} or {\"env\": …}"
        guard var reader = ObjectReader(value, path: path, issues: issues, expected: expected) else { return nil }
        defer { reader.finish() }
        let places = ["file", "credential", "env"].filter { reader.has($0) }
        guard places.count == 1, let text = reader.name(places[0]) else {
            if places.count != 1 { issues.error(path, "must be \(expected)") }
            return nil
        }
        switch places[0] {
        case "file": return .secret(.file(text))
        case "credential": return .secret(.credential(text))
        default: return .secret(.environment(text))
        }
    }
}
