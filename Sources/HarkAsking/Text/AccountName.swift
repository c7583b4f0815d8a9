import Glibc

/// The names of accounts of this machine.
enum AccountName {
    /// Room for an entry of the account database, in bytes.
    private static let bytes = 16_384

    /// Returns the name of an account, or its number if it has none here.
    static func of(_ uid: UInt32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes) { buffer in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let room = buffer.baseAddress, getpwuid_r(uid, &entry, room, buffer.count, &found) == 0,
                let name = found?.pointee.pw_name
            else { return String(uid) }
            return String(cString: name)
        }
    }
}
