internal import CCurl
internal import Glibc
internal import HarkSystem

/// libcurl, loaded on first use and never unloaded.
///
/// It loads some thirty libraries, in 5 ms and with 9 MB; a daemon that talks to no server does without.
@DaemonActor
final class CurlLibrary {
    nonisolated static let defaultName = "libcurl.so.4"

    /// The functions, valid for the life of the process.
    let functions: UnsafePointer<hark_curl>
    /// The folder in which libcurl looks up authorities; nil for its own default.
    let authoritiesFolder = CurlLibrary.hashedFolder("/etc/ssl/certs")

    private static var loaded: [String: CurlLibrary] = [:]

    static func load(_ name: String = defaultName) throws(HTTPError) -> CurlLibrary {
        if let library = loaded[name] { return library }
        let library = try CurlLibrary(name)
        loaded[name] = library
        return library
    }

    private init(_ name: String) throws(HTTPError) {
        let functions = UnsafeMutablePointer<hark_curl>.allocate(capacity: 1)
        functions.initialize(to: hark_curl())
        var reason = hark_curl_load(functions, name).map { String(cString: $0) }
        if reason == nil {
            let code = functions.pointee.global_init(Int(CURL_GLOBAL_DEFAULT))
            if code != CURLE_OK { reason = "curl_global_init says \(code.rawValue)" }
        }
        if let reason {
            functions.deallocate()
            throw HTTPError(
                .unavailable,
                "nothing can be sent over HTTP without libcurl; install it (Debian: apt install libcurl4): \(reason)")
        }
        self.functions = UnsafePointer(functions)
    }

    /// The folder, if it contains certificates named by their hashes.
    ///
    /// OpenSSL then reads only the one it needs. The usual file with all of them costs the loop 20 ms, and a megabyte.
    private static func hashedFolder(_ path: String) -> String? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let isHash = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                name.prefix(8).allSatisfy { "0123456789abcdef".utf8.contains($0) } && name[8] == UInt8(ascii: ".")
                    && name[9] == UInt8(ascii: "0") && name[10] == 0
            }
            if isHash { return path }
        }
        return nil
    }
}
