package import HarkWire

extension DeclaredCounter {
    /// Reads `{"initial": 0, "scope": "app", "app": "shop"}`; each member may be left out.
    ///
    /// - Returns: nil when there are errors.
    package static func read(
        _ name: String, _ value: JSONValue, path: String
    ) -> (counter: DeclaredCounter?, issues: DocumentIssues) {
        let issues = IssueCollector()
        let counter = read(name, value, path: path, issues)
        return (issues.issues.errors.isEmpty ? counter : nil, issues.issues)
    }

    private static func read(
        _ name: String, _ value: JSONValue, path: String, _ issues: IssueCollector
    ) -> DeclaredCounter? {
        guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
        defer { reader.finish() }
        if name.isEmpty || name.utf8.count > Limits.counterNameBytes {
            issues.error(path, "a counter's name has 1 to \(Limits.counterNameBytes) bytes of UTF-8")
        }
        var counter = DeclaredCounter(name: ExactName(name), initial: 0, lifetime: .app)
        counter.initial = reader.value("initial") ?? 0
        do throws(WireError) {
            try Limits.check(counterValue: counter.initial, "initial")
        } catch {
            issues.error(reader.path("initial"), error.message)
        }
        if let word = reader.text("scope") {
            guard let lifetime = CounterLifetime(word: word) else {
                let words = CounterLifetime.allCases.map(\.word).joined(separator: ", ")
                issues.error(reader.path("scope"), "must be one of \(words)")
                return nil
            }
            counter.lifetime = lifetime
        }
        counter.app = reader.app()
        return counter
    }

    /// The declaration as `read` reads it.
    package var document: JSONValue {
        var object: JSONObject = ["initial": initial, "scope": .string(lifetime.word)]
        if let app { object["app"] = .string(app) }
        return .object(object)
    }
}
