internal import CLinux
internal import Glibc
internal import HarkWire

/// The header `Retry-After` (RFC 9110, 10.2.3): seconds, or a date in any of the three HTTP formats.
enum RetryAfter {
    private static let formats = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]

    /// The seconds to wait; nil if the text is neither. A date in the past means 0.
    static func seconds(_ text: String, now: Timestamp) -> Double? {
        let text = text.trimmed
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return Double(text)
        }
        for format in formats {
            var date = tm()
            // The end pointer is valid only while the text stays in place.
            let isDate = text.withCString { strptime($0, format, &date).map { $0.pointee == 0 } ?? false }
            if isDate { return max(0, Double(timegm(&date)) - Double(now.milliseconds) / 1_000) }
        }
        return nil
    }
}

extension String {
    fileprivate var trimmed: String {
        let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        return String(
            decoding: utf8.drop(while: blanks.contains).reversed().drop(while: blanks.contains).reversed(),
            as: UTF8.self)
    }
}
