import Glibc
package import HarkCore
package import HarkFleet
import HarkServer
package import HarkSettings
package import HarkSystem
package import HarkWire

/// The documents from a machine's hub, as files in the state folder: they stay in force without a connection.
///
/// A document for the machine's group precedes the one for all. One with faults is refused and reported to the hub. There is a
/// file for each version of Hark that reads more of a document than the one before, so that a machine which is updated, or
/// set back, has what it can read before it has heard from the hub.
@DaemonActor
package final class FleetDocuments {
    package typealias Kind = FleetDocument.Kind

    /// Called when another file, or none, comes into force.
    package var onChange: (Kind) -> Void = { _ in }

    private let folder: String
    private let paths: Paths
    private let group: String?
    private var standing: [Kind: FleetHello.Document] = [:]
    /// The newest unread document for each file. They are handled one after the other, because reading takes time.
    private var waiting: [Place: [UInt8]] = [:]
    /// The parts of documents that were held back, by file; known once the hub, or the broker, has sent them to this run.
    private var held: [Place: HeldBack] = [:]
    private var isBusy = false
    private var hasRefused = false

    private struct Place: Hashable {
        let kind: Kind
        let group: String?
    }

    package init(_ paths: Paths, group: String?) {
        folder = paths.hubDocuments
        self.paths = paths
        self.group = group
        for kind in Kind.allCases {
            guard let path = FleetDocuments.path(kind, group: group, in: paths) else { continue }
            // An unreadable file is reported when it is used.
            guard let bytes = try? FileDescriptor.contents(of: path, limit: FleetDocument.mostBytes) else { continue }
            standing[kind] = FleetHello.Document(
                kind: kind, version: FleetDocuments.version(of: bytes), problem: nil)
        }
    }

    /// The documents to report to the hub, by kind.
    package var told: [FleetHello.Document] { standing.values.sorted { $0.kind < $1.kind } }

    /// The file in force; nil if the hub has none for this machine.
    package nonisolated static func path(_ kind: Kind, group: String?, in paths: Paths) -> String? {
        let folder = paths.hubDocuments
        return [group, nil].prefix(group == nil ? 1 : 2).lazy.compactMap { group -> String? in
            let readable = files(kind, group: group, in: folder).filter { $0.reads <= paths.reads }
            return readable.max { $0.reads < $1.reads }.map { "\(folder)/\($0.name)" }
        }.first
    }

    /// The files there are of a document, each with the version from which on it is read.
    private nonisolated static func files(
        _ kind: Kind, group: String?, in folder: String
    ) -> [(name: String, reads: DocumentVersion)] {
        let first = file(kind, group: group)
        let beginning = first.dropLast(ending.count) + "@"
        return FleetPushes.names(in: folder).compactMap { name in
            if name == first { return (name, .first) }
            guard name.hasPrefix(beginning), name.hasSuffix(ending) else { return nil }
            return DocumentVersion(name.dropFirst(beginning.count).dropLast(ending.count)).map { (name, $0) }
        }
    }

    private nonisolated static let ending = ".json"

    /// - Parameter reads: the version from which on it is read.
    package nonisolated static func file(_ kind: Kind, group: String?, reads: DocumentVersion = .first) -> String {
        let place = group.map { "group-\($0)" } ?? "all"
        return "\(kind.rawValue).\(place)\(reads == .first ? "" : "@\(reads)")\(ending)"
    }

    /// The version of a text: its 64-bit FNV-1a hash in hexadecimal.
    package nonisolated static func version(of text: some Sequence<UInt8>) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Handles a document from the broker, which may be a repeated one.
    package func take(_ payload: [UInt8], _ kind: Kind, group: String?) {
        waiting[Place(kind: kind, group: group)] = payload
        guard !isBusy else { return }
        isBusy = true
        DaemonActor.task { [self] in
            while let (place, payload) = waiting.popFirst() { await put(payload, place.kind, group: place.group) }
            isBusy = false
        }
    }

    private func put(_ payload: [UInt8], _ kind: Kind, group: String?) async {
        let read = await DocumentThread.run {
            FleetDocument(payload: payload, mostBytes: 2 * FleetDocument.mostBytes)
        }
        guard let document = read, document.kind == kind else {
            if !hasRefused { Log.warning("fleet: the broker's message for \(kind.rawValue) is no document of a hub") }
            hasRefused = true
            return
        }
        let chosen = document.text(for: paths.reads)
        let (folder, paths) = (folder, paths)
        let before = FleetDocuments.path(kind, group: self.group, in: paths)
        let problem = await DocumentThread.run {
            FleetDocuments.store(document, group: group, checking: chosen?.text, in: folder)
        }
        let now = FleetDocuments.path(kind, group: self.group, in: paths)
        let isOwn = { [folder] (path: String?) in
            path.map { path in
                FleetDocuments.files(kind, group: group, in: folder).contains { "\(folder)/\($0.name)" == path }
            } ?? false
        }
        if problem == nil { held[Place(kind: kind, group: group)] = chosen?.held }
        // A document for all has no effect if the group has its own.
        let isForThis = group != nil || now == nil || isOwn(now)
        guard isForThis || now != before else { return }
        if let problem {
            let version = FleetDocuments.version(of: Array((chosen?.text ?? "").utf8))
            if standing[kind]?.problem != problem { Log.error("fleet: \(kind.rawValue) from the hub: \(problem)") }
            standing[kind] = FleetHello.Document(kind: kind, version: version, problem: problem)
        } else if let now, let text = try? FileDescriptor.contents(of: now, limit: FleetDocument.mostBytes) {
            let place = group == nil || isOwn(now) ? group : nil
            let version = FleetDocuments.version(of: text)
            let known = standing[kind]
            let told = FleetHello.Document(
                kind: kind, version: version, problem: nil, held: held[Place(kind: kind, group: place)] ?? .none)
            guard known != told || now != before else { return }
            standing[kind] = told
            tell(told, known)
        } else {
            standing[kind] = nil
            Log.notice("fleet: the hub has no \(kind.rawValue) any more")
        }
        onChange(kind)
    }

    private func tell(_ now: FleetHello.Document, _ before: FleetHello.Document?) {
        if now.version != before?.version || before?.problem != nil {
            Log.notice("fleet: \(now.kind.rawValue) \(now.version) from the hub")
        }
        guard now.held.count > 0, now.held != before?.held, let first = now.held.parts.first else { return }
        Log.warning(
            "fleet: \(now.held.count) of the hub's \(now.kind.rawValue) need a later version of Hark than this machine's; the "
                + "first needs \(first.version)")
    }

    /// - Parameter text: the one that this machine takes.
    /// - Returns: Why it is not in force.
    private nonisolated static func store(
        _ document: FleetDocument, group: String?, checking text: String?, in folder: String
    ) -> String? {
        do throws(SystemError) {
            try DurableFile.makeFolder(folder, mode: 0o700, parentMode: 0o700, place: folder)
            let files = document.files(group: group)
            guard files.allSatisfy({ $0.bytes.count <= FleetDocument.mostBytes }) else {
                return "it has more than \(FleetDocument.mostBytes >> 20) MiB"
            }
            if let text {
                let bytes = Array(text.utf8)
                let isKnown = FleetDocuments.files(document.kind, group: group, in: folder).contains { name, _ in
                    (try? FileDescriptor.contents(of: "\(folder)/\(name)", limit: FleetDocument.mostBytes)) == bytes
                }
                if !isKnown, let fault = issues(of: bytes, document.kind).errors.first { return fault.description }
            }
            for (name, bytes) in files {
                let path = "\(folder)/\(name)"
                if (try? FileDescriptor.contents(of: path, limit: FleetDocument.mostBytes)) == bytes { continue }
                try DurableFile.replace(path, with: bytes, place: path)
            }
            let stale = FleetDocuments.files(document.kind, group: group, in: folder).filter { name, _ in
                !files.contains { $0.name == name }
            }
            let isRemoved = stale.map { unlink("\(folder)/\($0.name)") == 0 }
            if isRemoved.contains(true) { try DurableFile.syncFolder(folder, place: folder) }
            return nil
        } catch {
            return "it cannot be kept: \(error)"
        }
    }

    /// The faults of a text as a document of a kind.
    package nonisolated static func issues(of bytes: [UInt8], _ kind: Kind) -> DocumentIssues {
        switch kind {
        case .surveys: DocumentKind.surveys.read(bytes).1
        case .forms: DocumentKind.forms.read(bytes).1
        case .flags: DocumentKind.flags.read(bytes).1
        }
    }
}

extension Configuration {
    /// The origin of a document: the hub's file, if there is one for this machine, precedes the machine's own.
    package func origin(of kind: FleetDocument.Kind, in paths: Paths) -> DocumentOrigin? {
        let fleet = sections[FleetSettings.self]
        if fleet.isMachine, let path = FleetDocuments.path(kind, group: fleet.group, in: paths) {
            return .file(path)
        }
        switch kind {
        case .surveys: return surveys.absolute(in: paths.configuration)
        case .forms: return forms.absolute(in: paths.configuration)
        case .flags: return flags.origin(among: destinations, in: paths.configuration)
        }
    }
}
