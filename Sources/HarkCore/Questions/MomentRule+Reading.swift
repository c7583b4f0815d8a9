import HarkWire

extension MomentRule {
    /// Reads `min` and `max`.
    static func read(_ reader: inout ObjectReader, isDate: Bool) -> MomentRule {
        guard isDate else {
            let type = MemberType("a time of day such as \"\(timeExample)\"", .string) { (value: JSONValue) in
                value.stringValue.flatMap { ClockTime($0) }
            }
            let (min, max) = (reader.read("min", type), reader.read("max", type))
            if let min, min == max { reader.issues.error(reader.path("max"), "must differ from min (\(min))") }
            return .time(min: min, max: max)
        }
        let type = MemberType(DateBound.expectation, .string) { (value: JSONValue) in
            value.stringValue.flatMap { DateBound($0) }
        }
        let (min, max) = (reader.read("min", type), reader.read("max", type))
        // Any day serves to compare two bounds that are both relative or both fixed; a fixed and a relative one cannot be
        // compared.
        let isComparable = min?.isRelative == max?.isRelative
        let day = CivilDate(daysSince1970: 0)
        if isComparable, let first = min?.date(on: day), let last = max?.date(on: day), first > last {
            reader.issues.error(reader.path("max"), "must not be before min (\(min?.text ?? ""))")
        }
        return .date(min: min, max: max)
    }
}
