import HarkSQL
import HarkWire

/// For a program that wants the types of values: an object of the columns, then each row as an array, in lines of JSON.
///
/// Each statement begins with `{"columns": […], "types": […]}`; a type is `integer`, `real`, `text`, `time`, or null where each value
/// has its own. Bytes are `{"bytes": "…"}` in hexadecimal digits; a number with a point or an exponent is a floating-point one.
final class ArrayRowPrinter: RowPrinter {
    private let console: Console

    init(_ console: Console) { self.console = console }

    func begin(_ columns: [String], _ types: [ColumnType?]) throws {
        var json = JSONWriter()
        json.beginObject()
        json.key("columns")
        json.beginArray()
        for column in columns { json.string(column) }
        json.endArray()
        json.key("types")
        json.beginArray()
        for type in types {
            if let type { json.string(type.rawValue) } else { json.null() }
        }
        json.endArray()
        json.endObject()
        try print(json)
    }

    func add(_ row: [SQLValue]) throws {
        var json = JSONWriter()
        json.beginArray()
        for value in row {
            switch value {
            case .null: json.null()
            case .integer(let number): json.int(number)
            case .real(let number): json.raw(Array(ValueText.number(number).utf8))
            case .text(let text): json.string(text)
            case .blob(let bytes):
                json.beginObject()
                json.key("bytes")
                json.string(ValueText.hex(bytes))
                json.endObject()
            }
        }
        json.endArray()
        try print(json)
    }

    func end() {}

    private func print(_ json: JSONWriter) throws {
        try console.print(json: String(decoding: json.bytes, as: UTF8.self))
    }
}
