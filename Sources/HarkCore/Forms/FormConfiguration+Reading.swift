package import HarkWire

extension FormConfiguration {
    /// Reads a document of forms.
    ///
    /// - Returns: no configuration when there are errors; the one in force then stays.
    package static func read(
        _ document: JSONValue
    ) -> (configuration: FormConfiguration?, issues: DocumentIssues) {
        let issues = IssueCollector()
        let configuration = read(document, issues)
        return (issues.issues.errors.isEmpty ? configuration : nil, issues.issues)
    }

    /// The greatest number of forms: far more than a user would ever look through.
    static let mostForms = 10_000

    private static func read(_ document: JSONValue, _ issues: IssueCollector) -> FormConfiguration? {
        guard var reader = ObjectReader(document, path: "$", issues: issues) else { return nil }
        defer { reader.finish() }
        _ = reader.text("$schema")
        var forms: [Form] = []
        var ids: Set<ExactName> = []
        let elements = reader.elements("forms", isRequired: true) ?? []
        if elements.count > mostForms {
            issues.error(reader.path("forms"), "holds \(elements.count) forms; \(mostForms) is the most")
            return nil
        }
        for (value, path) in elements {
            guard let form = Form.read(value, path: path, issues: issues) else { continue }
            guard ids.insert(ExactName(form.id)).inserted else {
                issues.error("\(path).id", "there is another form '\(form.id)'")
                continue
            }
            forms.append(form)
        }
        // If some forms have errors, the rules that refer to them cannot be checked.
        let known = forms.count == elements.count ? forms : nil
        return FormConfiguration(forms, profile: ProfileRules.read(&reader, of: known))
    }
}
