import HarkCore
import HarkFleet
import HarkHub
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

extension FleetStatus.Fleet {
    @DaemonActor
    init(_ desk: FleetDesk, broker: String) {
        self.init()
        name = desk.settings.name
        self.broker = broker
        state = desk.hub?.state ?? desk.member?.state ?? .connecting
        problem = desk.problem
        cause = desk.cause
        switch desk.settings.role {
        case .machine:
            hub = desk.member?.course.hub?.store
            documents = (desk.documents?.told ?? []).map(FleetDocumentInfo.init)
        case .hub:
            hub = desk.hub?.store
            documents = (desk.pushes?.all ?? []).map { FleetDocumentInfo($0.0, group: $0.1) }
        }
    }
}

extension FleetStatus.Machine {
    /// - Returns: nil if the fleet member has not been created yet.
    @DaemonActor
    init?(_ desk: FleetDesk) {
        guard let member = desk.member else { return nil }
        self.init()
        machine = member.machine
        group = desk.settings.group
        log = member.course.log
        cursor = Int64(clamping: member.cursor)
        pending = member.pending.map { Int64($0) }
        acknowledgedAt = member.acknowledgedAt
        notes = member.notes
    }
}

extension FleetDocumentInfo {
    fileprivate init(_ document: FleetHello.Document) {
        self.init()
        kind = document.kind
        version = document.version
        problem = document.problem
        tell(document.held)
    }

    fileprivate init(_ document: FleetDocument, group: String?) {
        self.init()
        kind = document.kind
        self.group = group
        version = document.version
        pushedAt = document.pushedAt
    }
}

extension FleetClearInfo {
    fileprivate init(_ clear: WaitingClear) {
        self.init()
        machine = clear.machine
        target = clear.notice.word
        userId = clear.userId
        if case .session(let id) = clear.notice.target { sessionId = id }
        uid = clear.notice.uid.map { Int64($0) }
        sessions = Int64(clear.sessions)
        clearedAt = clear.at
    }
}

/// The status of a hub's machines.
extension FleetMethods {
    /// A log that the hub has stored, or has heard of.
    private struct Line {
        let name: String
        let key: FleetLogKey
        let place: FleetPlace?
        let number: Int
    }

    /// - Returns: nil if the hub has not started.
    @DaemonActor
    static func hub(
        _ desk: FleetDesk, _ request: FleetStatus, _ clears: [WaitingClear], _ call: Call
    ) throws(WireError) -> FleetStatus.Hub? {
        guard let hub = desk.hub, desk.pushes != nil else { return nil }
        let now = call.ledger.now
        let pattern = try MachineChoice.pattern("machine", request.machine)
        let lines = try lines(of: hub, call).filter { line in
            var name = line.name
            return pattern.map { pattern in name.withUTF8 { pattern.matches($0) } } ?? true
        }
        let rest = lines.drop { line in request.after.map { line.name <= $0 } ?? false }
        let page = rest.prefix(Int(request.limit ?? 100))
        var told = FleetStatus.Hub()
        // Of many machines they are counted: a page of all would have a hundred thousand lines.
        let isOne = request.machine.map { !$0.contains("*") } ?? false
        told.machines = page.map { machine($0, of: hub, now: now, isOne: isOne) }
        told.machineCount = Int64(lines.count)
        told.hereCount = Int64(lines.count { hub.peers[$0.key]?.isHere ?? false })
        told.behindCount = Int64(lines.count { lag(of: $0, hub, now).map { $0 >= lateness } ?? false })
        told.heldCount = Int64(lines.count { hub.peers[$0.key]?.hello.map { hub.isOlder($0) } ?? false })
        told.clears = clears.map(FleetClearInfo.init)
        told.refused = Int64(hub.refused)
        told.next = rest.count > page.count ? page.last?.name : nil
        return told
    }

    /// The age in seconds at which a hub's copy of a machine's log is late, if records wait at the machine.
    private static let lateness = 60.0

    /// How late the hub's copy is, in seconds; nil if the machine has not reported its pending records.
    @DaemonActor
    private static func lag(of line: Line, _ hub: FleetHub, _ now: Timestamp) -> Double? {
        guard let pending = hub.peers[line.key]?.pending else { return nil }
        guard pending > 0, let place = line.place else { return 0 }
        return Double(max(0, now.milliseconds - place.at.milliseconds)) / 1_000
    }

    /// All logs by name: stored ones, and those only heard of.
    @DaemonActor
    private static func lines(of hub: FleetHub, _ call: Call) throws(WireError) -> [Line] {
        let places = try call.ledger.lookUp { reader throws(StoreError) in try reader.fleetPlaces() }
        var counts: [String: Int] = [:]
        var lines: [Line] = []
        var known: Set<FleetLogKey> = []
        func add(_ key: FleetLogKey, _ place: FleetPlace?) {
            guard known.insert(key).inserted else { return }
            let number = counts[key.machine, default: 0]
            counts[key.machine] = number + 1
            lines.append(
                Line(name: FleetHub.name(key.machine, number: number), key: key, place: place, number: number))
        }
        for place in places { add(FleetLogKey(machine: place.machine, log: place.log), place) }
        // Sorted, because pages depend on the numbers.
        for key in hub.peers.keys.filter({ !known.contains($0) }).sorted(by: { $0.log < $1.log }) { add(key, nil) }
        return lines.sorted { $0.name < $1.name }
    }

    @DaemonActor
    private static func machine(_ line: Line, of hub: FleetHub, now: Timestamp, isOne: Bool) -> FleetMachineInfo {
        let peer = hub.peers[line.key]
        var told = FleetMachineInfo()
        told.machine = line.name
        told.group = peer?.group
        told.log = line.key.log
        told.here = peer?.isHere ?? false
        told.seenAt = peer?.seenAt ?? line.place?.takenAt
        told.cursor = Int64(clamping: line.place?.sequence ?? 0)
        told.pending = peer?.pending.map { Int64(clamping: $0) }
        told.lagSeconds = lag(of: line, hub, now)
        told.version = peer?.hello?.version ?? ""
        if let hello = peer?.hello {
            told.reads = hello.reads?.description
            told.documents = hello.documents.map { document in
                var info = FleetDocumentInfo(document)
                info.tell(hub.held(hello, document.kind))
                if !isOne { info.held = [] }
                return info
            }
        }
        guard line.number > 0 else { return told }
        told.note =
            "\(line.key.machine) has had another log before: a new disk, one that was set back, or a copy of its disk that "
            + "runs elsewhere; what they brought is kept apart"
        return told
    }
}
