/// The address of a broker: `mqtt://host[:1883]`, or `mqtts://host[:8883]` for TLS.
///
/// It is shown in logs and lists, so it may have no secrets; and a broker has no paths or queries.
package struct MQTTAddress: Sendable, Equatable, CustomStringConvertible {
    /// In lower case; an IPv6 address has no brackets.
    package let host: String
    package let port: Int
    /// Whether TLS is used.
    package let isSecure: Bool

    package init(_ url: String) throws(MQTTFailure) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\\") }) else {
            throw Self.invalid("it holds blanks, control characters or backslashes")
        }
        let parts = url.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = Self.text(parts[0])
        guard parts.count == 2, scheme == "mqtt" || scheme == "mqtts", parts[1].starts(with: "//".utf8) else {
            throw Self.invalid("it must begin with mqtt:// or, for TLS, mqtts://")
        }
        let rest = parts[1].dropFirst(2)
        let place = rest.prefix { !"/?#".utf8.contains($0) }
        guard !place.contains(UInt8(ascii: "@")) else {
            throw Self.invalid("it must not have a user and a password; use the settings for them")
        }
        let after = rest[place.endIndex...]
        guard after.isEmpty || after.elementsEqual("/".utf8) else {
            throw Self.invalid("it must end with the host or its port, as brokers have neither paths nor queries")
        }
        isSecure = scheme == "mqtts"
        (host, port) = try Self.hostAndPort(place, defaultPort: isSecure ? 8883 : 1883)
    }

    /// The URL, with the port unless it is the default.
    package var description: String {
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return (isSecure ? "mqtts://" : "mqtt://") + shown + (port == (isSecure ? 8883 : 1883) ? "" : ":\(port)")
    }

    private static func hostAndPort(
        _ place: Substring.UTF8View, defaultPort: Int
    ) throws(MQTTFailure) -> (String, Int) {
        var host = place.prefix { $0 != UInt8(ascii: ":") }
        var rest = place[host.endIndex...]
        if place.first == UInt8(ascii: "[") {
            guard let end = place.firstIndex(of: UInt8(ascii: "]")) else {
                throw invalid("the bracket before its IPv6 address is not closed")
            }
            host = place[..<end].dropFirst()
            rest = place[end...].dropFirst()
        }
        guard !host.isEmpty else { throw invalid("it names no host") }
        guard !rest.isEmpty else { return (text(host), defaultPort) }
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let port = UInt16(text(digits)), port > 0
        else { throw invalid("its port must be a number from 1 to 65535; an IPv6 address stands in brackets") }
        return (text(host), Int(port))
    }

    private static func text(_ bytes: Substring.UTF8View) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }

    private static func invalid(_ reason: String) -> MQTTFailure {
        MQTTFailure(.invalid, "this is not the address of a broker: \(reason)")
    }
}
