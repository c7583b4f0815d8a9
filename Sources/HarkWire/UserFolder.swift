/// The folder name of a user in the archive tree.
///
/// Every user id maps to a name that is safe on any file system and unique to that id:
/// - no user is `anon`;
/// - an id of 1 to 64 characters out of `a–z 0–9 . _ -` that starts with a letter or a digit is its own name;
/// - any other id (upper case, `/`, `..`, NUL, spaces, a user really called "anon", 300 characters …) becomes
///   `<up to 40 cleaned characters>~<32 hex digits>`, where the digits are the 128-bit FNV-1a hash of the id.
///   `~` never occurs in a plain name, so the two kinds cannot collide; names never differ by case alone.
package enum UserFolder {
    package static let anonymous = "anon"

    package static func name(for userId: String?) -> String {
        guard let userId else { return anonymous }
        if isPlain(userId) { return userId }
        var cleaned = userId.utf8.prefix(40).map { lowercased($0) }.map { isSafe($0) ? $0 : UInt8(ascii: "_") }
        // No folder is hidden from `ls` and `users/*`, or looks like an option.
        if let first = cleaned.first, !isAlphanumeric(first) { cleaned[0] = UInt8(ascii: "_") }
        let hash = fnv1a128(userId.utf8)
        return String(decoding: cleaned, as: UTF8.self) + "~" + hex(hash)
    }

    private static func isPlain(_ id: String) -> Bool {
        let bytes = id.utf8
        guard id != anonymous, (1...64).contains(bytes.count), let first = bytes.first else { return false }
        return isAlphanumeric(first) && bytes.allSatisfy(isSafe)
    }

    private static func isSafe(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// FNV-1a with 128 bits; offset basis and prime from the Fowler–Noll–Vo draft (draft-eastlake-fnv).
    private static func fnv1a128(_ bytes: String.UTF8View) -> (UInt64, UInt64) {
        var high: UInt64 = 0x6c62_272e_07bb_0142
        var low: UInt64 = 0x62b8_2175_6295_c58d
        for byte in bytes {
            low ^= UInt64(byte)
            // The prime is 2^88 + 0x13b: multiply 128 × 128 bits and keep the lower half.
            let product = low.multipliedFullWidth(by: 0x13b)
            high = product.high &+ high &* 0x13b &+ low << 24
            low = product.low
        }
        return (high, low)
    }

    private static func hex(_ value: (UInt64, UInt64)) -> String {
        func padded(_ word: UInt64) -> String {
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return padded(value.0) + padded(value.1)
    }
}
