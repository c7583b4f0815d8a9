/// The place of a secret. The secret itself is in no setting, log, error or status, and is read when it is needed.
package enum Secret: Sendable, Equatable {
    /// A path; a relative one starts at the folder of the settings.
    case file(String)
    /// The name of a credential passed by the service manager (`LoadCredential=` in the unit).
    case credential(String)
    /// The name of an environment variable of the daemon.
    case environment(String)
}

/// A header that is sent to a server with every request.
package struct ServerHeader: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case text(String)
        case secret(Secret)
    }

    package let name: String
    package let value: Value

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// Why a header cannot be sent; nil if it can: its name is a token and its value cannot end the line.
    package static func fault(name: String, value: String) -> String? {
        let isSendable = isToken(name) && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
        return isSendable ? nil : "cannot be a header: names are words, values are one line"
    }

    /// Whether a text is a token of RFC 9110, as names of headers and methods are.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
