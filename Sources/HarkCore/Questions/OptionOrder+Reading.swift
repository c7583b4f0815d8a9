internal import HarkWire

extension OptionOrder {
    /// Reads `"shuffle": true`, or `"exceptLast"`.
    static func read(_ reader: inout ObjectReader) -> OptionOrder? {
        switch reader.value("shuffle") {
        case .bool(true): return .all
        case .string(word): return .exceptLast
        case nil, .bool(false): return nil
        default:
            reader.issues.error(reader.path("shuffle"), "must be true or '\(word)'")
            return nil
        }
    }
}
