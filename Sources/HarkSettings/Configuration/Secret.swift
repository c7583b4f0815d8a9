import Glibc
package import HarkCore
package import HarkDelivery
import HarkSystem
package import HarkWire

extension Secret {
    private static let maxBytes = 65_536

    /// The key cannot be read; the description gives the remedy.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// - Parameters:
    ///   - folder: The base of relative paths.
    ///   - variable: Reads the daemon's environment, whose values may be any bytes.
    package func read(
        in folder: String, variable: (String) -> [UInt8]? = Secret.ownVariable
    ) throws(Missing) -> String {
        switch self {
        case .file(let path):
            return try read(file: path.hasPrefix("/") ? path : "\(folder)/\(path)")
        case .credential(let name):
            guard let credentials = variable("CREDENTIALS_DIRECTORY") else {
                throw Missing(
                    description: "the credential '\(name)' is not there: harkd was not started with credentials "
                        + "(LoadCredential= in its unit)")
            }
            return try read(file: "\(String(decoding: credentials, as: UTF8.self))/\(name)")
        case .environment(let name):
            guard let value = variable(name), !value.isEmpty else {
                throw Missing(description: "the variable \(name) is not set in harkd's environment")
            }
            return try key(in: value, "the variable \(name)")
        }
    }

    private func read(file path: String) throws(Missing) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor.contents(of: path, limit: Secret.maxBytes)
        } catch {
            throw Missing(description: "the key cannot be read: \(error)")
        }
        return try key(in: bytes, path)
    }

    /// Extracts the key, one line, without the newline that editors append and the byte order mark that some prepend.
    private func key(in bytes: [UInt8], _ place: String) throws(Missing) -> String {
        // Not repaired: a replacement character would be sent, and the server would only call the key wrong.
        guard let text = String(validating: ByteOrderMark.dropped(from: bytes), as: UTF8.self) else {
            throw Missing(
                description:
                    "\(place) is not UTF-8 text\(ByteOrderMark.otherEncoding(of: bytes).map { " but \($0)" } ?? ""); "
                    + "write the key into it again, as one line of plain text")
        }
        var key = text[...]
        while let last = key.last, last.isNewline || last == " " { key.removeLast() }
        guard !key.isEmpty, !key.unicodeScalars.contains(where: Secret.isUnseen) else {
            throw Missing(description: "\(place) does not hold a key: one line of text is expected")
        }
        return String(key)
    }

    /// Whether a character is a control or invisible, and so was probably copied by mistake.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        VisibleText.isHidden(scalar) || (0x200B...0x200D).contains(scalar.value) || scalar.value == 0x2060
    }

    private static func ownVariable(_ name: String) -> [UInt8]? {
        getenv(name).map { Array(UnsafeBufferPointer(start: $0, count: strlen($0)).map(UInt8.init(bitPattern:))) }
    }

    package func write(to json: inout JSONWriter) {
        json.beginObject()
        switch self {
        case .file(let path):
            json.key("file")
            json.string(path)
        case .credential(let name):
            json.key("credential")
            json.string(name)
        case .environment(let name):
            json.key("env")
            json.string(name)
        }
        json.endObject()
    }
}

extension HTTPHeaders {
    /// Creates the headers, with the current content of their keys.
    package init(_ headers: [ServerHeader], in folder: String) throws(Secret.Missing) {
        self.init()
        for header in headers {
            switch header.value {
            case .text(let text): append(header.name, text)
            case .secret(let secret): append(header.name, try secret.read(in: folder))
            }
        }
    }
}
