internal import CSQLite
import Glibc
import HarkClient
import HarkWire

/// Times in the format of SQLite's functions: `2026-11-21 11:08:00.123`, in UTC.
///
/// Such texts sort by time, and can be compared with `datetime('now', '-1 day')`. The daemon's format,
/// `2026-11-21T11:08:00.123Z`, compares as the same time.
enum TimeText {
    static let collation = "hark_time"
    static let length = 23

    /// Copies a quoted time of a reply into `text`; returns false if it is not a time.
    static func read(_ json: JSONText, into text: UnsafeMutablePointer<UInt8>) -> Bool {
        let bytes = json.bytes
        guard bytes.count == length + 3, bytes.first == .quote else { return false }
        let start = bytes.startIndex + 1
        for place in 0..<length { text[place] = bytes[start + place] }
        text[10] = 0x20
        return true
    }

    /// Returns the time for a text in a comparison; nil if a comparison of texts is right.
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

    /// Compares two texts, where `T` before the hour equals a space and a trailing `Z` is ignored.
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
