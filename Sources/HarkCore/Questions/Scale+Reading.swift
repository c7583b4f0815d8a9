import HarkWire

extension Scale {
    /// The most steps of a scale.
    private static let mostSteps = 10_000

    static func read(_ reader: inout ObjectReader) -> Scale {
        var rule = NumberRule(
            min: reader.read("min", .exact) ?? NumberRule.zero, max: reader.read("max", .exact) ?? 100,
            step: reader.read("step", .exact) ?? NumberRule.one, unit: reader.name("unit"))
        rule.check(&reader)
        let isShort = rule.listed(most: ScaleControl.mostButtons) != nil
        if rule.step != nil, rule.listed(most: mostSteps) == nil, let min = rule.min, let max = rule.max, min < max {
            reader.issues.error(reader.path("step"), "is too small: a scale has at most \(mostSteps) steps")
        }
        let control = reader.read("show", .word(of: ScaleControl.allCases.map { ($0.rawValue, $0) }))
        if control == .buttons, !isShort {
            reader.issues.error(
                reader.path("show"), "cannot be 'buttons' for more than \(ScaleControl.mostButtons) numbers")
        }
        return Scale(
            rule: rule, labels: readLabels(&reader, rule), control: control ?? (isShort ? .buttons : .slider),
            showsValue: reader.flag("showValue") ?? true)
    }

    /// Reads `"labels": {"0": "not at all", …}`.
    static func readLabels(_ reader: inout ObjectReader, _ rule: NumberRule) -> [Label] {
        let issues = reader.issues
        guard var texts = reader.object("labels", expected: "an object of texts by their numbers") else { return [] }
        return texts.members().compactMap { key, value, path -> Label? in
            guard let number = ExactNumber(key), rule.takes(number) else {
                issues.error(path, "must stand at \(rule.words)")
                return nil
            }
            guard let text = value.stringValue, !text.trimmed.isEmpty else {
                issues.error(path, "must be a string that is not empty")
                return nil
            }
            return Label(number: number, text: text)
        }.sorted { $0.number < $1.number }
    }
}
