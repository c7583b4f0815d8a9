internal import CSQLite
package import HarkWire

/// The values of a statement's parameters. SQLite takes them as values, never as part of the text.
package enum Parameters: Sendable, Equatable {
    /// For `?` and `?1`, in the order of their numbers.
    case ordered([SQLValue])
    /// For `:name`, `@name` and `$name`, by the name without its sign.
    case named([String: SQLValue])

    /// Takes a JSON array, or an object of names. True and false become 1 and 0; arrays and objects inside become their JSON.
    package init(_ json: JSONValue) throws(SQLError) {
        switch json {
        case .array(let values): self = .ordered(values.map { SQLValue($0) })
        case .object(let object):
            self = .named(
                Dictionary(object.members.map { ($0.key, SQLValue($0.value)) }, uniquingKeysWith: { $1 }))
        default: throw SQLError(.text, "parameters are a JSON array, or an object of names")
        }
    }
}

extension SQLValue {
    /// A value of JSON, in the form that tables have.
    init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .integer(value ? 1 : 0)
        case .int(let value): self = .integer(value)
        case .double(let value): self = .real(value)
        case .string(let value): self = .text(value)
        case .array, .object:
            var writer = JSONWriter()
            writer.value(json)
            self = .text(String(decoding: writer.bytes, as: UTF8.self))
        }
    }
}

extension Query {
    private static let hint = "Give the values with --params '[1, \"text\"]', or '{\"name\": 1}' for :name."

    /// Binds values to the parameters. Every parameter must have a value, and numbered ones must not have more.
    package func bind(_ parameters: Parameters?) throws(SQLError) {
        let count = Int(sqlite3_bind_parameter_count(handle))
        guard let parameters else {
            guard count == 0 else {
                throw SQLError(.text, "the statement has parameters, and no values are given for them", hint: Self.hint)
            }
            return
        }
        switch parameters {
        case .ordered(let values):
            guard values.count == count else {
                throw SQLError(
                    .text, "the statement has \(count) parameters, and \(values.count) values are given",
                    hint: Self.hint)
            }
            for (place, value) in values.enumerated() { try bind(value, at: place + 1) }
        case .named(let values):
            for place in stride(from: 1, through: count, by: 1) {
                guard let name = sqlite3_bind_parameter_name(handle, CInt(place)).map({ String(cString: $0) }) else {
                    throw SQLError(
                        .text, "the statement has a parameter without a name, and values are given by names",
                        hint: Self.hint)
                }
                guard let value = values[String(name.dropFirst())] else {
                    throw SQLError(.text, "no value is given for the parameter \(name)", hint: Self.hint)
                }
                try bind(value, at: place)
            }
        }
    }

    private func bind(_ value: SQLValue, at place: Int) throws(SQLError) {
        let place = CInt(place)
        let status =
            switch value {
            case .null: sqlite3_bind_null(handle, place)
            case .integer(let number): sqlite3_bind_int64(handle, place, number)
            case .real(let number): sqlite3_bind_double(handle, place, number)
            case .text(let text):
                Array(text.utf8).withUnsafeBytes { bytes in
                    guard let start = bytes.bindMemory(to: CChar.self).baseAddress, !bytes.isEmpty else {
                        return sqlite3_bind_text(handle, place, "", 0, Result.transient)
                    }
                    return sqlite3_bind_text64(
                        handle, place, start, UInt64(bytes.count), Result.transient, UInt8(SQLITE_UTF8))
                }
            case .blob(let bytes):
                bytes.withUnsafeBytes {
                    sqlite3_bind_blob64(handle, place, $0.baseAddress, UInt64($0.count), Result.transient)
                }
            }
        guard status == SQLITE_OK else {
            throw status == SQLITE_TOOBIG || status == SQLITE_NOMEM
                ? SQLError(.space, "a parameter needs more memory than a value may have")
                : SQLError(.other, "SQLite does not take a parameter")
        }
    }
}
