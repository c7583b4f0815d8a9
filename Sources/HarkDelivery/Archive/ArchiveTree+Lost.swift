package import HarkCore
internal import HarkStore
internal import HarkSystem
internal import HarkWire

/// The data in the tree that the store has lost, as found by one pass.
package struct ArchiveFinds: Sendable {
    package var sessions: [FoundSession] = []
    /// Lines that cannot be restored: damaged, of other machines, or with a number that the store has used again.
    package var hopeless = 0
    /// The place to continue.
    package var next: Place?

    package struct Place: Sendable {
        package var folder = 0
        /// The number of lines of its events file already read.
        package var lines = 0

        package init() {}
    }
}

extension ArchiveTree {
    /// The bytes of lines in one batch.
    private static let findsAtOnce = 8 << 20

    private struct IsEnough: Error {}

    /// Finds data that the store has lost.
    ///
    /// - Parameter place: The place in the folders to start at.
    func finds(in folders: [String], from place: ArchiveFinds.Place) throws(SystemError) -> ArchiveFinds {
        defer { closeSource() }
        var finds = ArchiveFinds()
        var (place, bytes) = (place, 0)
        guard let source = try source() else { return finds }
        while place.folder < folders.count {
            let folder = folders[place.folder]
            if bytes >= ArchiveTree.findsAtOnce || finds.sessions.count >= 200 {
                finds.next = place
                return finds
            }
            guard let id = ArchiveTree.id(of: folder),
                let lost = try lost(of: id, in: folder, source, from: place.lines, &bytes, &finds.hopeless)
            else {
                place = ArchiveFinds.Place(folder: place.folder + 1)
                continue
            }
            if let session = lost.session { finds.sessions.append(session) }
            if let lines = lost.next {
                place.lines = lines
            } else {
                place = ArchiveFinds.Place(folder: place.folder + 1)
            }
        }
        return finds
    }

    private func lost(
        of id: Identifier, in folder: String, _ source: ArchiveSource, from start: Int, _ bytes: inout Int,
        _ hopeless: inout Int
    ) throws(SystemError) -> (session: FoundSession?, next: Int?)? {
        let known: Session?
        var own: Set<Identifier> = []
        switch try reading({ () throws(StoreError) in try source.holder(of: id) }) {
        case .removed: return nil
        case .nobody: known = nil
        case .session(let session):
            known = session
            own = try reading { () throws(StoreError) in try source.eventIds(of: id) }
        }
        var events: [FoundSession.Event] = []
        var row: Int64 = 0
        var (number, next, failed) = (0, Int?.none, 0)
        var fault: SystemError?
        do throws(IsEnough) {
            try ArchiveLines.forEach(in: folder + "/events.jsonl") { line throws(IsEnough) in
                number += 1
                guard number > start, let id = line.id, !own.contains(id) else { return }
                do throws(SystemError) {
                    switch try reading({ () throws(StoreError) in try source.holder(ofNumber: line.sequence) }) {
                    case .record(id, row: let holder): row = holder
                    case .record, .damaged: failed += 1
                    case .nobody:
                        guard known?.identity.machine == nil, let event = ArchivedTexts.event(line) else {
                            failed += 1
                            return
                        }
                        events.append(event)
                        bytes += line.bytes.count
                    }
                } catch {
                    fault = error
                }
                if fault != nil || bytes >= ArchiveTree.findsAtOnce {
                    next = number
                    throw IsEnough()
                }
            }
        } catch {}
        if let fault { throw fault }
        hopeless += failed
        events.sort { $0.sequence < $1.sequence }
        // A number identifies one record, so repeated numbers are skipped.
        var last: UInt64 = 0
        events = events.filter { event in
            defer { last = event.sequence }
            return event.sequence > last
        }
        if let known { return (events.isEmpty ? nil : FoundSession(known, isLost: false, events: events), next) }
        if row != 0, try reading({ () throws(StoreError) in try source.isTaken(sessionRow: row) }) { row = 0 }
        let session = ArchivedTexts.session(id, row: row, in: folder)
        let found = session.flatMap { FoundSession($0, isLost: true, events: events) }
        if found == nil { hopeless += events.count }
        return (found, next)
    }
}

extension ArchiveFinds.Place {
    fileprivate init(folder: Int) { self.folder = folder }
}
