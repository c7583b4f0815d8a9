import HarkClient
import HarkFleet

/// The address of a fleet's broker, as given to `hark fleet join`: `mqtt[s]://host[:port][/FLEET]`.
struct BrokerAddress: Equatable {
    /// The URL for the settings, without a path.
    let url: String
    let isEncrypted: Bool
    /// The name of the fleet, if the URL has it as its path.
    let fleet: String?

    private static let forms = "Give mqtt://HOST/FLEET, or mqtts://HOST:PORT/FLEET for TLS."

    init(_ text: String) throws(ToolError) {
        guard let colon = text.firstRange(of: "://"),
            ["mqtt", "mqtts"].contains(text[..<colon.lowerBound].lowercased())
        else { throw .usage("'\(text)' is no address of an MQTT broker", hint: Self.forms) }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        // The text may be a password, so the error does not repeat it.
        guard !authority.contains("@") else {
            throw .usage(
                "a user's name and password must not be in the address, where everybody can read them",
                hint: "Give --user NAME and --password-file FILE.")
        }
        guard !authority.isEmpty, !rest.contains(where: { $0 == "?" || $0 == "#" || $0.isWhitespace }) else {
            throw .usage("'\(text)' is no address of an MQTT broker", hint: Self.forms)
        }
        var path = rest.dropFirst(authority.count + 1)
        if path.hasSuffix("/") { path = path.dropLast() }
        fleet = path.isEmpty ? nil : String(path)
        let scheme = text[..<colon.lowerBound].lowercased()
        isEncrypted = scheme == "mqtts"
        url = "\(scheme)://\(authority)"
    }
}
