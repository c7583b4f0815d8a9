import Glibc
import HarkCore
import HarkFleet
import HarkSystem
import HarkWire

/// The documents of a hub for its machines, kept in the state folder in case the broker loses them.
@DaemonActor
final class FleetPushes {
    private struct Key: Hashable {
        let kind: FleetDocument.Kind
        let group: String?
    }

    private let folder: String
    private var documents: [Key: FleetDocument] = [:]
    nonisolated static let mostDocuments = 1_000

    init(state: String) {
        folder = "\(state)/fleet/pushed"
        for name in FleetPushes.names(in: folder) {
            do throws(SystemError) {
                let bytes = try FileDescriptor.contents(of: "\(folder)/\(name)", limit: 2 * FleetDocument.mostBytes)
                guard let document = FleetDocument(payload: bytes, mostBytes: 2 * FleetDocument.mostBytes) else {
                    Log.warning("fleet: \(folder)/\(name) is no document that was pushed, and is left alone")
                    continue
                }
                let parts = name.split(separator: ".").map(String.init)
                let group = parts.dropFirst().first.flatMap { $0.hasPrefix("group-") ? String($0.dropFirst(6)) : nil }
                documents[Key(kind: document.kind, group: group)] = document
            } catch {
                Log.warning("fleet: a document that was pushed cannot be read: \(error)")
            }
        }
    }

    private nonisolated static func names(in folder: String) -> [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries), names.count < mostDocuments {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".json") { names.append(name) }
        }
        return names.sorted()
    }

    /// All documents, with their topics.
    func messages(_ topics: FleetTopics) -> [(topic: String, document: FleetDocument)] {
        documents.map { (topics.document($0.kind, group: $0.group), $1) }
    }

    /// The documents in force, sorted for display.
    var all: [(document: FleetDocument, group: String?)] {
        documents.filter { $0.value.text != nil }.map { ($0.value, $0.key.group) }
            .sorted { ($0.0.kind.rawValue, $0.1 ?? "") < ($1.0.kind.rawValue, $1.1 ?? "") }
    }

    func document(_ kind: FleetDocument.Kind, group: String?) -> FleetDocument? {
        documents[Key(kind: kind, group: group)]
    }

    /// Keeps a document; it is on disk when this returns.
    func keep(_ document: FleetDocument, group: String?) async throws(WireError) {
        let key = Key(kind: document.kind, group: group)
        guard documents[key] != nil || documents.count < FleetPushes.mostDocuments else {
            throw WireError(
                .tooLarge, "\(documents.count) documents are kept for machines, and that is the most there may be")
        }
        let path = "\(folder)/\(FleetDocuments.file(document.kind, group: group))"
        let (folder, payload) = (folder, document.payload)
        let failure = await DocumentThread.run { () -> SystemError? in
            do throws(SystemError) {
                try DurableFile.makeFolder(folder, mode: 0o700, parentMode: 0o700, place: folder)
                try DurableFile.replace(path, with: payload, place: path)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw WireError(.storeUnavailable, "the document could not be kept: \(failure)") }
        documents[key] = document
    }
}
