import HarkWire

extension NumberRule {
    static func read(_ reader: inout ObjectReader) -> NumberRule {
        var rule = NumberRule(
            min: reader.read("min", .exact), max: reader.read("max", .exact), step: reader.read("step", .exact),
            unit: reader.name("unit"))
        rule.check(&reader)
        if reader.flag("integer") == true {
            if let step = rule.step, !step.isWhole {
                reader.issues.error(reader.path("step"), "must be a whole number with 'integer'")
            }
            if let min = rule.min, !min.isWhole {
                reader.issues.error(reader.path("min"), "must be a whole number with 'integer'")
            }
            rule.step = rule.step ?? one
        }
        return rule
    }

    /// Notes an error for each bound that contradicts another one.
    mutating func check(_ reader: inout ObjectReader) {
        if let given = step, given <= Self.zero {
            reader.issues.error(reader.path("step"), "must be greater than 0")
            step = nil
        }
        if let min, let max, min >= max { reader.issues.error(reader.path("max"), "must be greater than min (\(min))") }
        if let max, let step, min != nil, !max.isStep(step, from: base) {
            reader.issues.error(reader.path("max"), "is not reached from min (\(base)) in steps of \(step)")
        }
    }
}

extension MemberType<ExactNumber> {
    /// A number that is kept exactly.
    static var exact: MemberType<ExactNumber> {
        MemberType("a number with at most \(ExactNumber.digits) digits behind the point", .number) { ExactNumber($0) }
    }
}
