extension HTTPRequest {
    /// Why a URL cannot be requested; nil if it can.
    package static func fault(ofURL url: String) -> String? {
        do throws(HTTPError) {
            _ = try HTTPTarget(url)
            return nil
        } catch {
            return error.message
        }
    }

    /// A URL without its credentials and its query, for display.
    package static func shown(_ url: String) -> String {
        do throws(HTTPError) { return try HTTPTarget(url).shown } catch { return "?" }
    }

    /// The server of a URL whose path may be a key, for display.
    package static func shownServer(_ url: String) -> String {
        do throws(HTTPError) { return try HTTPTarget(url).origin + "/…" } catch { return "?" }
    }
}

/// The parts of an http or https URL that matter here: the server, and the parts that may be displayed.
///
/// Refuses characters that parsers read in different ways: backslashes, blanks, control characters. The URL is
/// parsed by bytes, like libcurl does: a Swift character could combine a slash with an accent.
struct HTTPTarget: Equatable {
    let scheme: String
    /// In lower case, with the brackets of an IPv6 address.
    let host: String
    let port: Int
    /// The name and password before the host, as written.
    let credentials: String?
    /// The values in its query, as written and decoded.
    let queryValues: [String]
    /// Long parts of its path, which may be keys: those of chats are.
    let longNames: [String]
    /// The URL without credentials and query values, which may be keys.
    let shown: String

    init(_ url: String) throws(HTTPError) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\\") }) else {
            throw HTTPTarget.invalid("it holds blanks, control characters or backslashes; percent-encode them")
        }
        let parts = url.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        scheme = HTTPTarget.text(parts[0])
        guard parts.count == 2, scheme == "http" || scheme == "https", parts[1].starts(with: "//".utf8) else {
            throw HTTPTarget.invalid("it must begin with http:// or https://")
        }
        let rest = parts[1].dropFirst(2)
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        let at = authority.lastIndex(of: UInt8(ascii: "@"))
        credentials = at.map { String(decoding: authority[..<$0], as: UTF8.self) }
        let place = at.map { authority[authority.index(after: $0)...] } ?? authority
        (host, port) = try HTTPTarget.hostAndPort(place, defaultPort: scheme == "https" ? 443 : 80)
        let path = rest[authority.endIndex...].prefix { !"?#".utf8.contains($0) }
        let asked = rest[path.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        queryValues = asked.dropFirst().split(separator: UInt8(ascii: "&")).flatMap { member in
            let value = member.firstIndex(of: UInt8(ascii: "=")).map { member[$0...].dropFirst() } ?? member
            return [String(decoding: value, as: UTF8.self), HTTPTarget.withoutPercents(value)]
        }
        longNames = path.split(separator: UInt8(ascii: "/")).filter { $0.count >= HTTPTarget.shortestKey }
            .map { String(decoding: $0, as: UTF8.self) }
        let query = asked.isEmpty ? "" : "?…"
        shown = HTTPTarget.origin(scheme, host, port) + String(decoding: path, as: UTF8.self) + query
    }

    /// Scheme, host and port, for messages.
    var origin: String { HTTPTarget.origin(scheme, host, port) }

    private static let shortestKey = 16

    /// All parts that may be keys: name and password before the host, also as sent, the query values, and long parts of
    /// the path.
    var secrets: [String] {
        guard let credentials else { return queryValues + longNames }
        let meant = HTTPTarget.withoutPercents(credentials.utf8[...])
        let parts = [credentials, meant].flatMap { [$0] + $0.split(separator: ":", maxSplits: 1).map(String.init) }
        return parts + [HTTPTarget.base64(meant)] + queryValues + longNames
    }

    /// Whether the host's name denotes this machine.
    var isLoopback: Bool { host == "localhost" || host == "[::1]" || host.hasPrefix("127.") }

    func isSameOrigin(as other: HTTPTarget) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    private static func origin(_ scheme: String, _ host: String, _ port: Int) -> String {
        "\(scheme)://\(host)" + (port == (scheme == "https" ? 443 : 80) ? "" : ":\(port)")
    }

    private static func hostAndPort(
        _ place: Substring.UTF8View, defaultPort: Int
    ) throws(HTTPError) -> (String, Int) {
        // The colons of an IPv6 address are within brackets.
        let end =
            place.first == UInt8(ascii: "[")
            ? place.firstIndex(of: UInt8(ascii: "]")).map(place.index(after:))
            : place.firstIndex(of: UInt8(ascii: ":")) ?? place.endIndex
        guard let end, end > place.startIndex else { throw invalid("it names no host") }
        let host = text(place[..<end])
        let digits = place[end...].dropFirst()
        guard !digits.isEmpty else { return (host, defaultPort) }
        guard place[end] == UInt8(ascii: ":"), digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let port = UInt16(text(digits)), port > 0
        else { throw invalid("its port must be a number from 1 to 65535") }
        return (host, Int(port))
    }

    private static func withoutPercents(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let meant = UInt8(digits, radix: 16) {
                bytes.append(meant)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func base64(_ text: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var rest = Array(text.utf8)[...]
        var bytes: [UInt8] = []
        while !rest.isEmpty {
            let three = rest.prefix(3)
            rest = rest.dropFirst(3)
            let bits = three.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - three.count))
            for place in 0...three.count { bytes.append(letters[bits >> (18 - 6 * place) & 63]) }
            bytes += [UInt8](repeating: UInt8(ascii: "="), count: 3 - three.count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func text(_ bytes: Substring.UTF8View) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }

    private static func invalid(_ reason: String) -> HTTPError {
        HTTPError(.invalidURL, "this is not a URL that can be asked: \(reason)")
    }
}
