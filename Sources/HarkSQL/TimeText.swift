internal import CSQLite
import Glibc
import HarkClient
import HarkWire

/// Times as SQLite's functions tell them: `2026-11-21 11:08:00.123`, in UTC.
///
/// Such texts are in order of time, and `datetime('now', '-1 day')` can be compared with them. The daemon's way to write
/// them, `2026-11-21T11:08:00.123Z`, is compared as the same time.
enum TimeText {
    static let collation = "hark_time"
    static let length = 23

    /// Puts the time of a reply, with its quotes, into `text`; false if it is none.
    static func read(_ json: JSONText, into text: UnsafeMutablePointer<UInt8>) -> Bool {
        let bytes = json.bytes
        guard bytes.count == length + 3, bytes.first == .quote else { return false }
        let start = bytes.startIndex + 1
        for place in 0..<length { text[place] = bytes[start + place] }
        text[10] = 0x20
        return true
    }

    /// The moment that a text means which somebody compares times with; nil where the order of texts says more.
    static func moment(_ text: String) -> Timestamp? {
        var bytes = Array(text.utf8)
        if bytes.last == UInt8(ascii: "Z") { bytes.removeLast() }
        let missing: String
        switch bytes.count {
        case 10: missing = "T00:00:00Z"
        case 16: missing = ":00Z"
        case 19, 21...29: missing = "Z"
        default: return nil
        }
        if bytes.count > 10 {
            guard bytes[10] == 0x20 || bytes[10] == UInt8(ascii: "T") else { return nil }
            bytes[10] = UInt8(ascii: "T")
        }
        return Timestamp(String(decoding: bytes, as: UTF8.self) + missing)
    }

    /// Orders two texts, `T` before the hour being as good as a space, and a `Z` at the end as good as nothing.
    static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> CInt {
        let left = trimmed(left)
        let right = trimmed(right)
        let common = min(left.count, right.count)
        for place in 0..<common {
            let (a, b) = (byte(left, place), byte(right, place))
            if a != b { return a < b ? -1 : 1 }
        }
        return left.count == right.count ? 0 : left.count < right.count ? -1 : 1
    }

    private static func byte(_ text: UnsafeRawBufferPointer, _ place: Int) -> UInt8 {
        let byte = text[place]
        return place == 10 && byte == UInt8(ascii: "T") ? 0x20 : byte
    }

    private static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard text.count > 10, text.last == UInt8(ascii: "Z") else { return text }
        return UnsafeRawBufferPointer(rebasing: text.dropLast())
    }

    static func register(in database: OpaquePointer) -> CInt {
        sqlite3_create_collation_v2(
            database, collation, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                TimeText.order(
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
            }, nil)
    }
}
