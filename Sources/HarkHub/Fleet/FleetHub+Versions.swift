import HarkCore
package import HarkFleet
package import HarkWire

/// The versions of machines, and the documents of this hub.
extension FleetHub {
    /// The parts of a document that a machine does not get because its version cannot read them. The machine reports
    /// them; one that reports nothing counts as version 0.1.0.
    package func held(_ hello: FleetHello, _ kind: FleetDocument.Kind) -> HeldBack {
        if hello.reads != nil, let told = hello.documents.first(where: { $0.kind == kind }), told.problem == nil {
            return told.held
        }
        return documents.held(kind, group: hello.group, for: hello.reads)
    }

    /// Whether a survey or form that is pushed does not go to a machine.
    package func isOlder(_ hello: FleetHello) -> Bool {
        FleetDocument.Kind.allCases.contains { held(hello, $0).count > 0 }
    }

    /// A sentence for each version of machines that do not get all of a document which is pushed for a group, or for all.
    package func olderMachines(_ document: FleetDocument, group: String?) -> [String] {
        var counts: [DocumentVersion: Int] = [:]
        for hello in peers.values.compactMap(\.hello) {
            let own =
                hello.group.flatMap { documents.message(document.kind, group: $0) }?.text == nil ? nil : hello.group
            if own == group { counts[hello.reads ?? .first, default: 0] += 1 }
        }
        return counts.sorted { $0.key < $1.key }.compactMap { version, count in
            guard let held = document.text(for: version)?.held, !held.isEmpty else { return nil }
            let machines = count == 1 ? "1 machine reads" : "\(count) machines read"
            let shown = held.parts.prefix(FleetHub.mostTold).map(FleetHub.words)
            let more = max(held.count, held.parts.count) > shown.count ? ", and more" : ""
            return "\(machines) what version \(version) reads: \(shown.joined(separator: ", "))\(more); update them"
        }
    }

    private static let mostTold = 5

    private nonisolated static func words(_ part: HeldBack.Part) -> String {
        let what = part.id.map { "'\($0)'" } ?? "the document"
        return part.isWhole
            ? "\(what) is held back ('\(part.member)' came with \(part.version))"
            : "\(what) goes without '\(part.member)' (\(part.version))"
    }
}
