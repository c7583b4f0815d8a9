/// The type of a member: its wording for errors, its shape for schemas, and its parser. Shared by settings, documents
/// and parameters.
package struct MemberType<Value> {
    /// The words after "must be": "a string".
    package let words: String
    /// The shape for the documentation and schemas of parameters. Settings and documents have separate schemas.
    package let shape: Shape
    /// Parses a value; nil if it has another type.
    package let read: (JSONValue) -> Value?
    /// Returns a clause about an invalid value, if there is more to say than what it must be.
    private let fault: (JSONValue) -> String?

    package init(
        _ words: String, _ shape: Shape = .any, fault: @escaping (JSONValue) -> String? = { _ in nil },
        _ read: @escaping (JSONValue) -> Value?
    ) {
        self.words = words
        self.shape = shape
        self.fault = fault
        self.read = read
    }

    /// Returns the words after "must be" for an invalid value.
    package func words(for value: JSONValue) -> String { words + (fault(value).map { "; \($0)" } ?? "") }

    /// The type of the JSON that it takes.
    package var json: MemberType<JSONValue> {
        MemberType<JSONValue>(words, shape, fault: fault) { value in read(value).map { _ in value } }
    }

    /// One of several words.
    package static func word(of words: [(String, Value)]) -> MemberType {
        MemberType("one of \(words.map(\.0).joined(separator: ", "))", .oneOf(words.map(\.0))) { value in
            value.stringValue.flatMap { word in words.first { $0.0 == word }?.1 }
        }
    }

    /// Accepts null as nil.
    package static func orNull<Other>(_ type: MemberType<Other>) -> MemberType where Value == Other? {
        MemberType("\(type.words), or null", .orNull(type.shape), fault: type.fault) {
            $0.isNull ? .some(nil) : type.read($0).map { $0 }
        }
    }
}

extension MemberType where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of an enum.
    package static var word: MemberType { word(of: Value.allCases.map { ($0.rawValue, $0) }) }
}

extension MemberType<String> {
    package static var string: MemberType { MemberType("a string", .string, \.stringValue) }
}

extension MemberType<Bool> {
    package static var bool: MemberType { MemberType("true or false", .bool, \.boolValue) }
}

extension MemberType<JSONObject> {
    package static var object: MemberType { MemberType("an object", .object, \.objectValue) }
}

extension MemberType where Value: FixedWidthInteger {
    /// An integer in any spelling: 3, 3.0 and 3e0 are the same.
    package static func integer(in range: ClosedRange<Value>) -> MemberType {
        let bounds =
            range.upperBound == .max
            ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        let shape = Shape.integer(in: Int64(clamping: range.lowerBound)...Int64(clamping: range.upperBound))
        return MemberType("an integer \(bounds)", shape) { value in
            value.exactInteger.flatMap(Value.init(exactly:)).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension MemberType<Double> {
    /// - Parameter unit: Such as "of seconds".
    package static func number(in range: ClosedRange<Double>, _ unit: String? = nil) -> MemberType {
        let bounds = [range.lowerBound, range.upperBound].map { bound in
            Int64(exactly: bound).map(\.description) ?? bound.description
        }
        let words = "a number\(unit.map { " " + $0 } ?? "") from \(bounds[0]) to \(bounds[1])"
        return MemberType(words, .numbers(range)) { value in
            value.doubleValue.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension MemberType<Int64> {
    /// A duration in seconds, parsed as milliseconds; at most some 300 years.
    package static var seconds: MemberType {
        let type = MemberType<Double>.number(in: 0...10_000_000_000, "of seconds")
        return MemberType(type.words, type.shape) { value in type.read(value).map { Int64(($0 * 1_000).rounded()) } }
    }
}

extension MemberType<[String]> {
    package static var strings: MemberType { strings("an array of strings") }

    /// - Parameter words: The description of the strings.
    package static func strings(_ words: String) -> MemberType {
        MemberType(words, .strings) { value in
            let texts = value.arrayValue?.compactMap(\.stringValue)
            return texts?.count == value.arrayValue?.count ? texts : nil
        }
    }

    /// A command line.
    package static var command: MemberType {
        MemberType("an array with a program and its arguments, all strings") { value in
            strings.read(value).flatMap { words in
                let isRunnable = words.first?.isEmpty == false && !words.contains { $0.utf8.contains(0) }
                return isRunnable ? words : nil
            }
        }
    }
}

extension MemberType<JSONValue> {
    /// Any JSON value, including null.
    package static var anything: MemberType { MemberType("any JSON value", .any) { $0 } }
}

extension MemberType<Identifier> {
    package static var identifier: MemberType {
        MemberType("an id such as 0199e0f4-8c7a-7000-8000-000000000000", .id) {
            $0.stringValue.flatMap(Identifier.init)
        }
    }
}

extension MemberType<Timestamp> {
    package static var time: MemberType {
        MemberType(
            "a time such as 2026-11-21T11:08:00.123Z", .time,
            fault: { value in
                do throws(TimeReader.Fault) {
                    _ = try TimeReader.read(value)
                    return nil
                } catch {
                    return error.words
                }
            }, { try? TimeReader.read($0) })
    }
}
