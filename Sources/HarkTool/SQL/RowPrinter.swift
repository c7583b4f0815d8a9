import HarkSQL
import HarkWire

/// Prints the rows of one statement after the other.
protocol RowPrinter: AnyObject {
    /// - Parameter types: The types of the columns' values.
    func begin(_ columns: [String], _ types: [ColumnType?]) throws
    func add(_ row: [SQLValue]) throws
    func end() throws
}

/// How values of SQL are written.
enum ValueText {
    /// The shortest text that reads back as the same number.
    static func number(_ value: Double) -> String {
        // JSON has no word for these; SQLite reads them as what they are.
        guard value.isFinite else { return value.isNaN ? "null" : value < 0 ? "-1e999" : "1e999" }
        var json = JSONWriter()
        json.double(value)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Hexadecimal digits.
    static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The value for a person or a spreadsheet; NULL is empty.
    static func plain(_ value: SQLValue) -> String {
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): Self.number(number)
        case .text(let text): text
        case .blob(let bytes): hex(bytes)
        }
    }
}

extension ValueText {
    /// The value for a table: bytes, and a text that reads as a number or as NULL, are in the quotes of SQL.
    static func shown(_ value: SQLValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer, .real: plain(value)
        case .text(let text): ScalarText.isNumber(text.utf8) || text == "NULL" ? "'\(text)'" : text
        case .blob(let bytes): "x'\(hex(bytes))'"
        }
    }
}

/// Each row as a line of JSON, an object by the names of the columns.
final class JSONRowPrinter: RowPrinter {
    private let console: Console
    private var names: [String] = []

    init(_ console: Console) { self.console = console }

    /// Names that come twice get a number, as members of an object have to differ.
    func begin(_ columns: [String], _: [ColumnType?]) {
        var taken: Set<String> = []
        names = columns.map { column in
            var name = column
            var count = 1
            while !taken.insert(name).inserted {
                name = "\(column):\(count)"
                count += 1
            }
            return name
        }
    }

    func add(_ row: [SQLValue]) throws {
        var json = JSONWriter()
        json.beginObject()
        for (name, value) in zip(names, row) {
            json.key(name)
            switch value {
            case .null: json.null()
            case .integer(let number): json.int(number)
            case .real(let number): json.raw(Array(ValueText.number(number).utf8))
            case .text(let text): json.string(text)
            case .blob(let bytes): json.string(ValueText.hex(bytes))
            }
        }
        json.endObject()
        try console.print(json: String(decoding: json.bytes, as: UTF8.self))
    }

    func end() {}
}

/// A table for other programs (RFC 4180), with the names of the columns above.
final class CSVRowPrinter: RowPrinter {
    private let console: Console

    private let table: CSVTable
    private var hasBegun = false

    init(_ table: CSVTable, _ console: Console) {
        self.table = table
        self.console = console
    }

    func begin(_ columns: [String], _: [ColumnType?]) throws {
        if !hasBegun { try console.write(lines: table.mark) }
        hasBegun = true
        try write(columns.map(table.text))
    }

    func add(_ row: [SQLValue]) throws {
        try write(
            row.map { value in
                if case .text(let text) = value { table.text(text) } else { ValueText.plain(value) }
            })
    }

    func end() {}

    private func write(_ fields: [String]) throws {
        // A line with nothing on it would be no row at all.
        try console.write(lines: (fields == [""] ? "\"\"" : "") + String(decoding: table.row(fields), as: UTF8.self))
    }
}
