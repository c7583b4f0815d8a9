import Glibc
import HarkCore
import HarkFleet
import HarkSystem
import HarkWire

/// The documents from a machine's hub, as files in the state folder: they stay in force without a connection.
///
/// A document for the machine's group precedes the one for all. One with faults is refused and reported to the hub.
@DaemonActor
final class FleetDocuments {
    typealias Kind = FleetDocument.Kind

    /// Called when another file, or none, comes into force.
    var onChange: (Kind) -> Void = { _ in }

    private let folder: String
    private let group: String?
    private var standing: [Kind: FleetHello.Document] = [:]
    /// The newest unread document for each file. They are handled one after the other, because reading takes time.
    private var waiting: [Place: [UInt8]] = [:]
    private var isBusy = false
    private var hasRefused = false

    private struct Place: Hashable {
        let kind: Kind
        let group: String?
    }

    init(state: String, group: String?) {
        folder = FleetDocuments.folder(in: state)
        self.group = group
        for kind in Kind.allCases {
            guard let path = FleetDocuments.path(kind, group: group, in: state) else { continue }
            // An unreadable file is reported when it is used.
            guard let bytes = try? FileDescriptor.contents(of: path, limit: FleetDocument.mostBytes) else { continue }
            standing[kind] = FleetHello.Document(
                kind: kind, version: FleetDocuments.version(of: bytes), problem: nil)
        }
    }

    /// The documents to report to the hub, by kind.
    var told: [FleetHello.Document] { standing.values.sorted { $0.kind < $1.kind } }

    nonisolated static func folder(in state: String) -> String { "\(state)/fleet" }

    /// The file in force; nil if the hub has none for this machine.
    nonisolated static func path(_ kind: Kind, group: String?, in state: String) -> String? {
        let paths = [group.map { file(kind, group: $0) }, file(kind, group: nil)].compactMap { $0 }
        return paths.map { "\(state)/fleet/\($0)" }.first { access($0, F_OK) == 0 }
    }

    nonisolated static func file(_ kind: Kind, group: String?) -> String {
        group.map { "\(kind.rawValue).group-\($0).json" } ?? "\(kind.rawValue).all.json"
    }

    /// The version of a text: its 64-bit FNV-1a hash in hexadecimal.
    nonisolated static func version(of text: some Sequence<UInt8>) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Handles a document from the broker, which may be a repeated one.
    func take(_ payload: [UInt8], _ kind: Kind, group: String?) {
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
            if !hasRefused { Log.warning("fleet: what the broker has as \(kind.rawValue) is no document of a hub") }
            hasRefused = true
            return
        }
        let path = "\(folder)/\(FleetDocuments.file(kind, group: group))"
        let bytes = document.text.map { Array($0.utf8) }
        let state = DurableFile.parent(of: folder)
        let before = FleetDocuments.path(kind, group: self.group, in: state)
        let problem = await DocumentThread.run { FleetDocuments.store(bytes, kind, at: path) }
        let now = FleetDocuments.path(kind, group: self.group, in: state)
        // A document for all has no effect if the group has its own.
        let isForThis = group != nil || now == nil || now == path
        guard isForThis || now != before else { return }
        if let problem {
            let version = FleetDocuments.version(of: bytes ?? [])
            if standing[kind]?.problem != problem { Log.error("fleet: \(kind.rawValue) from the hub: \(problem)") }
            standing[kind] = FleetHello.Document(kind: kind, version: version, problem: problem)
        } else if let now, let text = try? FileDescriptor.contents(of: now, limit: FleetDocument.mostBytes) {
            let version = FleetDocuments.version(of: text)
            guard standing[kind]?.version != version || standing[kind]?.problem != nil || now != before else { return }
            standing[kind] = FleetHello.Document(kind: kind, version: version, problem: nil)
            Log.notice("fleet: \(kind.rawValue) \(version) from the hub")
        } else {
            standing[kind] = nil
            Log.notice("fleet: the hub has no \(kind.rawValue) any more")
        }
        onChange(kind)
    }

    /// - Returns: Why it is not in force.
    private nonisolated static func store(_ bytes: [UInt8]?, _ kind: Kind, at path: String) -> String? {
        do throws(SystemError) {
            try DurableFile.makeFolder(DurableFile.parent(of: path), mode: 0o700, parentMode: 0o700, place: path)
            guard bytes?.count ?? 0 <= FleetDocument.mostBytes else {
                return "it has more than \(FleetDocument.mostBytes >> 20) MiB"
            }
            guard let bytes else {
                if unlink(path) == 0 { try DurableFile.syncFolder(DurableFile.parent(of: path), place: path) }
                return nil
            }
            if let known = try? FileDescriptor.contents(of: path, limit: FleetDocument.mostBytes), known == bytes {
                return nil
            }
            if let fault = issues(of: bytes, kind).errors.first { return fault.description }
            try DurableFile.replace(path, with: bytes, place: path)
            return nil
        } catch {
            return "it cannot be kept: \(error)"
        }
    }

    /// The faults of a text as a document of a kind.
    nonisolated static func issues(of bytes: [UInt8], _ kind: Kind) -> DocumentIssues {
        switch kind {
        case .surveys: DocumentKind.surveys.read(bytes).1
        case .forms: DocumentKind.forms.read(bytes).1
        case .flags: DocumentKind.flags.read(bytes).1
        }
    }
}

extension Configuration {
    /// The origin of a document: the hub's file, if there is one for this machine, precedes the machine's own.
    func origin(of kind: FleetDocument.Kind, in paths: Paths) -> DocumentOrigin? {
        let fleet = sections[FleetSettings.self]
        if fleet.isMachine, let path = FleetDocuments.path(kind, group: fleet.group, in: paths.state) {
            return .file(path)
        }
        switch kind {
        case .surveys: return surveys.absolute(in: paths.configuration)
        case .forms: return forms.absolute(in: paths.configuration)
        case .flags: return flags.origin(among: destinations, in: paths.configuration)
        }
    }
}
