import HarkFleet
import HarkSystem

/// The id of this machine, as in machine-id(5).
enum MachineId {
    static let path = "/etc/machine-id"

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: `Missing`, with what to do.
    static func read(from path: String = MachineId.path) throws -> String {
        let advice = "give the machine a name (fleet.machine)"
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor.contents(of: path, limit: 4_096)
        } catch {
            throw Missing(description: "the machine's id cannot be read: \(error); \(advice)")
        }
        let id = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard FleetName.isValid(id) else { throw Missing(description: "\(path) holds no id of a machine; \(advice)") }
        return id
    }
}
