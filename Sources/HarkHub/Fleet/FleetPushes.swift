import Glibc
import HarkCore
package import HarkFleet
import HarkServer
package import HarkSystem
package import HarkWire

/// The documents of a hub for its machines, kept in the state folder in case the broker loses them.
@DaemonActor
package final class FleetPushes {
    private struct Key: Hashable {
        let kind: FleetDocument.Kind
        let group: String?
    }

    private struct Pushed: Sendable {
        /// The document as it was pushed.
        let original: FleetDocument
        /// The same with the texts for each version of Hark.
        let message: FleetDocument

        init(_ original: FleetDocument) {
            self.original = original
            message = original.fitted()
        }
    }

    private let folder: String
    private var documents: [Key: Pushed] = [:]
    nonisolated static let mostDocuments = 1_000

    package init(state: String) {
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
                documents[Key(kind: document.kind, group: group)] = Pushed(document)
            } catch {
                Log.warning("fleet: a document that was pushed cannot be read: \(error)")
            }
        }
    }

    /// The names of JSON files in a folder, sorted.
    package nonisolated static func names(in folder: String) -> [String] {
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
    package func messages(_ topics: FleetTopics) -> [(topic: String, document: FleetDocument)] {
        documents.map { (topics.document($0.kind, group: $0.group), $1.message) }
    }

    /// The message that the broker has for machines of a group.
    package func message(_ kind: FleetDocument.Kind, group: String?) -> FleetDocument? {
        documents[Key(kind: kind, group: group)]?.message
    }

    /// The parts of a document that a machine does not get, as its version cannot read them.
    ///
    /// - Parameter version: up to which it reads documents; nil: it does not say.
    package func held(_ kind: FleetDocument.Kind, group: String?, for version: DocumentVersion?) -> HeldBack {
        let own = group.flatMap { message(kind, group: $0) }.flatMap { $0.text == nil ? nil : $0 }
        return (own ?? message(kind, group: nil))?.text(for: version ?? .first)?.held ?? .none
    }

    /// The documents in force, sorted for display.
    package var all: [(document: FleetDocument, group: String?)] {
        documents.filter { $0.value.original.text != nil }.map { ($0.value.original, $0.key.group) }
            .sorted { ($0.0.kind.rawValue, $0.1 ?? "") < ($1.0.kind.rawValue, $1.1 ?? "") }
    }

    package func document(_ kind: FleetDocument.Kind, group: String?) -> FleetDocument? {
        documents[Key(kind: kind, group: group)]?.original
    }

    /// Keeps a document; it is on disk when this returns.
    package func keep(_ document: FleetDocument, group: String?) async throws(WireError) {
        let key = Key(kind: document.kind, group: group)
        guard documents[key] != nil || documents.count < FleetPushes.mostDocuments else {
            throw WireError(
                .tooLarge, "\(documents.count) documents are kept for machines, and that is the most there may be")
        }
        let path = "\(folder)/\(FleetDocuments.file(document.kind, group: group))"
        let (folder, payload) = (folder, document.payload)
        let kept = await DocumentThread.run { () -> Result<Pushed, WireError> in
            let pushed = Pushed(document)
            // Each text may be as long as a document; machines take twice that, with what JSON adds.
            guard pushed.message.texts.isEmpty || pushed.message.payload.count <= 2 * FleetDocument.mostBytes else {
                return .failure(
                    WireError(
                        .tooLarge,
                        "with what earlier versions of Hark can read of it, the document is longer than machines take "
                            + "(\(2 * FleetDocument.mostBytes >> 20) MiB); push a shorter one"))
            }
            do throws(SystemError) {
                try DurableFile.makeFolder(folder, mode: 0o700, parentMode: 0o700, place: folder)
                try DurableFile.replace(path, with: payload, place: path)
                return .success(pushed)
            } catch {
                return .failure(WireError(.storeUnavailable, "the document could not be kept: \(error)"))
            }
        }
        documents[key] = try kept.get()
    }
}
