/// Where a key is kept. The key itself is in no setting, log, error or status; it is read when it is needed.
package enum Secret: Sendable, Equatable {
    /// A path; a relative one begins at the folder of the settings.
    case file(String)
    /// The name of a credential the service manager passes on (`LoadCredential=` in the unit).
    case credential(String)
    /// A variable of the daemon's environment.
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

    /// Why a field cannot be sent; nil when it can: a name of token characters and a value that cannot end the line.
    package static func fault(name: String, value: String) -> String? {
        let isSendable = isToken(name) && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
        return isSendable ? nil : "cannot be a header: names are words, values are one line"
    }

    /// RFC 9110's token: what names of headers and methods are made of.
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
