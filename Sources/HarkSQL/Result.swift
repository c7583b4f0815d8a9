internal import CSQLite
import HarkClient

/// Hands values of JSON to SQLite: texts, integers, floating-point numbers, NULL; true and false as 1 and 0; arrays and
/// objects as their JSON.
enum Result {
    // SQLITE_TRANSIENT, which is -1 as a pointer to a function and is never called: SQLite makes its own copy.
    static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    static func give(_ value: JSONText?, to context: OpaquePointer?) {
        guard let value, let first = value.bytes.first else { return sqlite3_result_null(context) }
        switch first {
        case .quote:
            if let text = value.stringBytes { give(text: text, to: context) }
        case UInt8(ascii: "n"): sqlite3_result_null(context)
        case UInt8(ascii: "t"): sqlite3_result_int64(context, 1)
        case UInt8(ascii: "f"): sqlite3_result_int64(context, 0)
        case .openBrace, .openBracket: give(text: value.bytes, to: context)
        default:
            // A number with a point or an exponent is no integer, even if its value is one.
            if let integer = value.int {
                sqlite3_result_int64(context, integer)
            } else if let number = value.double {
                sqlite3_result_double(context, number)
            } else {
                sqlite3_result_null(context)
            }
        }
    }

    static func give(time value: JSONText?, to context: OpaquePointer?) {
        guard let value, value.isString else { return sqlite3_result_null(context) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: TimeText.length) { text in
            guard let start = text.baseAddress, TimeText.read(value, into: start) else {
                return give(value, to: context)
            }
            start.withMemoryRebound(to: CChar.self, capacity: TimeText.length) {
                sqlite3_result_text(context, $0, CInt(TimeText.length), transient)
            }
        }
    }

    private static func give(text: ArraySlice<UInt8>, to context: OpaquePointer?) {
        text.withUnsafeBytes { bytes in
            guard let start = bytes.bindMemory(to: CChar.self).baseAddress, !bytes.isEmpty else {
                return sqlite3_result_text(context, "", 0, transient)
            }
            sqlite3_result_text64(context, start, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
        }
    }
}

extension SQLValue {
    /// A value that SQLite compares with a column.
    init(_ value: OpaquePointer?) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            let text = sqlite3_value_text(value)
            let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
            // The daemon cannot filter by a value that is no text.
            self = String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .blob(Array(bytes))
        case SQLITE_NULL: self = .null
        default: self = .blob([])
        }
    }
}
