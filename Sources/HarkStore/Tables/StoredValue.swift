internal import HarkCore
internal import HarkWire

/// The content of a column. NULL is allowed if it is optional.
protocol StoredContent {
    static func read(_ row: Statement, _ column: Int32) throws(StoreError) -> Self
    func bind(to statement: Statement, _ place: Int32)
}

/// The value of a column. The empty value is used if nothing is read.
protocol StoredValue: StoredContent {
    init()
}

extension Optional: StoredContent, StoredValue where Wrapped: StoredContent {
    init() { self = nil }

    static func read(_ row: Statement, _ column: Int32) throws(StoreError) -> Wrapped? {
        row.isNull(column) ? nil : try Wrapped.read(row, column)
    }

    func bind(to statement: Statement, _ place: Int32) {
        if let self { self.bind(to: statement, place) } else { statement.bind(place, nil as Int64?) }
    }
}

/// A whole number within bounds.
protocol StoredNumber: StoredValue, FixedWidthInteger {
    static var bounds: ClosedRange<Int64> { get }
}

extension StoredNumber {
    static func read(_ row: Statement, _ column: Int32) throws(StoreError) -> Self {
        Self(try row.number(column, in: bounds))
    }

    func bind(to statement: Statement, _ place: Int32) { statement.bind(place, Int64(clamping: self)) }
}

extension Int64: StoredNumber { static let bounds = min...max }
/// A count.
extension Int: StoredNumber { static let bounds = 0...Statement.largest }
/// A record's sequence number.
extension UInt64: StoredNumber { static let bounds = 0...Statement.largest }
/// A uid of the machine.
extension UInt32: StoredNumber { static let bounds = 0...Int64(max) }

/// A case of an enumeration, by its number.
protocol StoredChoice: StoredContent, RawRepresentable<Int> {}

extension StoredChoice {
    static func read(_ row: Statement, _ column: Int32) throws(StoreError) -> Self {
        guard let choice: Self = row.choice(column) else { throw .unreadable(row, column) }
        return choice
    }

    func bind(to statement: Statement, _ place: Int32) { statement.bind(place, Int64(rawValue)) }
}

/// A value that is packed into bytes.
protocol StoredBytes: StoredContent {
    /// - Returns: Nil for bytes that are no packed value.
    static func unpacked(_ bytes: [UInt8]) -> Self?
    var packed: [UInt8] { get }
}

extension StoredBytes {
    static func read(_ row: Statement, _ column: Int32) throws(StoreError) -> Self {
        guard let value = unpacked(row.bytes(column)) else { throw .unreadable(row, column) }
        return value
    }

    func bind(to statement: Statement, _ place: Int32) { statement.bind(place, packed) }
}

extension Bool: StoredValue {
    static func read(_ row: Statement, _ column: Int32) -> Bool { row.integer(column) != 0 }
    func bind(to statement: Statement, _ place: Int32) { statement.bind(place, self ? 1 : 0) }
}

extension Timestamp: StoredValue {
    init() { self.init(milliseconds: 0) }
    static func read(_ row: Statement, _ column: Int32) -> Timestamp { row.timestamp(column) }
    func bind(to statement: Statement, _ place: Int32) { statement.bind(place, milliseconds) }
}

extension String: StoredValue {
    static func read(_ row: Statement, _ column: Int32) throws(StoreError) -> String {
        guard let text = row.wholeText(column) else { throw .unreadable(row, column) }
        return text
    }

    func bind(to statement: Statement, _ place: Int32) { statement.bind(place, self) }
}

extension ExactName: StoredValue {
    init() { self.init("") }

    static func read(_ row: Statement, _ column: Int32) throws(StoreError) -> ExactName {
        ExactName(try String.read(row, column))
    }

    func bind(to statement: Statement, _ place: Int32) { statement.bind(place, text) }
}

extension Identifier: StoredValue {
    init() { self.init(high: 0, low: 0) }

    static func read(_ row: Statement, _ column: Int32) throws(StoreError) -> Identifier {
        guard let id = row.withBytes(column, { Identifier(raw: $0) }) else { throw .unreadable(row, column) }
        return id
    }

    func bind(to statement: Statement, _ place: Int32) { statement.bind(place, rawBytes) }
}

extension [UInt8]: StoredContent, StoredValue {
    static func read(_ row: Statement, _ column: Int32) -> [UInt8] { row.bytes(column) }
    func bind(to statement: Statement, _ place: Int32) { statement.bind(place, self) }
}

extension Properties: StoredValue {
    init() { self = .none }
    static func read(_ row: Statement, _ column: Int32) -> Properties { Properties(bytes: row.bytes(column)) }
    func bind(to statement: Statement, _ place: Int32) { statement.bind(place, bytes) }
}

extension JSONValue: StoredBytes {
    static func unpacked(_ bytes: [UInt8]) -> JSONValue? { JSONValue(packed: bytes) }
}

extension StoreError {
    static func unreadable(_ row: Statement, _ column: Int32) -> StoreError {
        StoreError(.damaged, "what the store holds as '\(row.name(of: column))' cannot be read")
    }
}

extension UserKey {
    /// The user in the form that tables have.
    var column: String { userId ?? "" }

    init(uid: UInt32, column: String) {
        self.init(uid: uid, userId: column.isEmpty ? nil : column)
    }
}

/// Values of several columns.
extension Columns {
    /// The columns `uid` and `user`.
    mutating func user(_ role: ColumnRole = .key, _ value: (Row) -> UserKey) -> UserKey {
        UserKey(uid: self("uid", role) { value($0).uid }, column: self("user", role) { value($0).column })
    }

    /// The columns `uid` and `app`.
    mutating func scope(_ value: (Row) -> Scope) -> Scope {
        Scope(uid: self("uid", .key) { value($0).uid }, app: self("app", .key) { value($0).app })
    }
}
