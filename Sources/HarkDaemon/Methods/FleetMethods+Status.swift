import HarkCore
import HarkFleet
import HarkStore
import HarkSystem
import HarkWire

extension FleetMethods {
    @DaemonActor
    static func write(_ desk: FleetDesk, _ call: Call, to json: inout JSONWriter) {
        json.key("hub")
        if let store = desk.member?.course.hub?.store { json.identifier(store) } else { json.null() }
        json.key("documents")
        json.beginArray()
        for document in desk.documents?.told ?? [] { write(document, to: &json) }
        json.endArray()
        guard let member = desk.member else { return }
        json.key("machine")
        json.string(member.machine)
        json.key("group")
        if let group = desk.settings.group { json.string(group) } else { json.null() }
        json.key("log")
        json.identifier(member.course.log)
        json.key("cursor")
        json.uint(member.cursor)
        json.key("pending")
        if let pending = member.pending { json.int(pending) } else { json.null() }
        json.key("acknowledgedAt")
        if let at = member.acknowledgedAt { json.timestamp(at) } else { json.null() }
        json.key("notes")
        json.beginArray()
        for note in member.notes { json.string(note) }
        json.endArray()
    }

    private static func write(_ document: FleetHello.Document, to json: inout JSONWriter) {
        json.beginObject()
        json.key("kind")
        json.string(document.kind.rawValue)
        json.key("version")
        json.string(document.version)
        json.key("problem")
        if let problem = document.problem { json.string(problem) } else { json.null() }
        json.endObject()
    }

    /// One of the logs that a hub has, or has heard of.
    private struct Line {
        let name: String
        let key: FleetLogKey
        let place: FleetPlace?
        let number: Int
    }

    @DaemonActor
    static func writeHub(
        _ desk: FleetDesk, _ page: MachinePage, _ clears: [WaitingClear], _ call: Call, to json: inout JSONWriter
    ) throws(WireError) {
        guard let hub = desk.hub, let pushes = desk.pushes else { return }
        json.key("hub")
        json.identifier(hub.store)
        json.key("documents")
        json.beginArray()
        for (document, group) in pushes.all {
            json.beginObject()
            json.key("kind")
            json.string(document.kind.rawValue)
            json.key("group")
            if let group { json.string(group) } else { json.null() }
            json.key("version")
            json.string(document.version)
            json.key("pushedAt")
            json.timestamp(document.pushedAt)
            json.endObject()
        }
        json.endArray()
        json.key("clears")
        json.beginArray()
        for clear in clears { write(clear, to: &json) }
        json.endArray()
        let lines = try lines(of: hub, call).filter { line in
            var name = line.name
            return page.pattern.map { pattern in name.withUTF8 { pattern.matches($0) } } ?? true
        }
        json.key("machines")
        json.beginArray()
        let rest = lines.drop { line in page.after.map { line.name <= $0 } ?? false }
        for line in rest.prefix(page.limit) { write(line, of: hub, now: call.daemon.ledger.now, to: &json) }
        json.endArray()
        json.key("machineCount")
        json.int(lines.count)
        json.key("hereCount")
        json.int(lines.count { hub.peers[$0.key]?.isHere ?? false })
        json.key("behindCount")
        let now = call.daemon.ledger.now
        json.int(lines.count { lag(of: $0, hub, now).map { $0 >= lateness } ?? false })
        json.key("refused")
        json.int(hub.refused)
        json.key("next")
        if rest.count > page.limit, let last = rest.prefix(page.limit).last {
            json.string(last.name)
        } else {
            json.null()
        }
    }

    private static func write(_ clear: WaitingClear, to json: inout JSONWriter) {
        json.beginObject()
        json.key("machine")
        json.string(clear.machine)
        json.key("target")
        json.string(clear.notice.word)
        json.key("userId")
        if let user = clear.userId { json.string(user) } else { json.null() }
        json.key("sessionId")
        if case .session(let id) = clear.notice.target { json.identifier(id) } else { json.null() }
        json.key("uid")
        if let uid = clear.notice.uid { json.int(Int(uid)) } else { json.null() }
        json.key("sessions")
        json.int(clear.sessions)
        json.key("clearedAt")
        json.timestamp(clear.at)
        json.endObject()
    }

    /// What is here of a machine is behind once it is so many seconds old, while more waits there.
    private static let lateness = 60.0

    /// How far what is here is behind; nil where the machine has not said what waits there.
    @DaemonActor
    private static func lag(of line: Line, _ hub: FleetHub, _ now: Timestamp) -> Double? {
        guard let pending = hub.peers[line.key]?.pending else { return nil }
        guard pending > 0, let place = line.place else { return 0 }
        return Double(max(0, now.milliseconds - place.at.milliseconds)) / 1_000
    }

    /// By name: those it has, and those it has only heard of.
    @DaemonActor
    private static func lines(of hub: FleetHub, _ call: Call) throws(WireError) -> [Line] {
        let places = try call.daemon.ledger.lookUp { reader throws(StoreError) in try reader.fleetPlaces() }
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
        // In the same order each time, as pages go by the numbers.
        for key in hub.peers.keys.filter({ !known.contains($0) }).sorted(by: { $0.log < $1.log }) { add(key, nil) }
        return lines.sorted { $0.name < $1.name }
    }

    @DaemonActor
    private static func write(_ line: Line, of hub: FleetHub, now: Timestamp, to json: inout JSONWriter) {
        let peer = hub.peers[line.key]
        json.beginObject()
        json.key("machine")
        json.string(line.name)
        json.key("group")
        if let group = peer?.group { json.string(group) } else { json.null() }
        json.key("log")
        json.identifier(line.key.log)
        json.key("here")
        json.bool(peer?.isHere ?? false)
        json.key("seenAt")
        if let seenAt = peer?.seenAt ?? line.place?.takenAt { json.timestamp(seenAt) } else { json.null() }
        json.key("cursor")
        json.uint(line.place?.sequence ?? 0)
        json.key("pending")
        if let pending = peer?.pending { json.uint(pending) } else { json.null() }
        json.key("lagSeconds")
        if let lag = lag(of: line, hub, now) { json.double(lag) } else { json.null() }
        json.key("version")
        json.string(peer?.hello?.version ?? "")
        json.key("documents")
        json.beginArray()
        for document in peer?.hello?.documents ?? [] { write(document, to: &json) }
        json.endArray()
        json.key("note")
        if line.number > 0 {
            json.string(
                "\(line.key.machine) has had another log before: a new disk, one that was set back, or a copy of its disk that "
                    + "runs elsewhere; what they brought is kept apart")
        } else {
            json.null()
        }
        json.endObject()
    }
}
