/// What a machine's version of Hark does not get of a document.
package struct FleetHeldInfo: WireObject {
    package var id: String?
    package var member = ""
    package var version = ""
    package var whole = false

    package init() {}

    package init(_ part: HeldBack.Part) {
        id = part.id
        member = part.member
        version = part.version.description
        whole = part.isWhole
    }

    package static var title: String? { "FleetHeld" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", orNull: &id, "the survey or form; null: the document")
        m("member", &member, "what the machine cannot read, such as `questions[1].type: ranking`")
        m("version", &version, "the version of Hark that it came with")
        m("whole", &whole, "the survey, form or document is held back; false: only the member is left out")
    }
}

/// A document of the hub: on a machine, the version it has; on a hub, the version it pushed.
package struct FleetDocumentInfo: WireObject {
    package var kind = FleetDocumentKind.surveys
    package var group: String?
    package var version = ""
    /// Nil on a machine, which does not know it.
    package var pushedAt: Timestamp?
    package var problem: String?
    package var heldCount: Int64 = 0
    package var held: [FleetHeldInfo] = []

    package init() {}

    package static var title: String? { "FleetDocument" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("kind", &kind)
        m("group", orNull: &group, leftOut: pushedAt == nil)
        m("version", &version)
        m("pushedAt", &pushedAt)
        m("problem", orNull: &problem, leftOut: pushedAt != nil, "why it is not in force")
        m(
            "heldCount", &heldCount, .count,
            "of a machine: surveys or forms that it does not get, as its version cannot read them")
        m(
            "held", &held,
            "what is held back, and what is left out of others; at most 20, and on a hub only for a single machine")
    }
}

/// A clear on a machine whose records the hub still has.
package struct FleetClearInfo: WireObject {
    package var machine = ""
    package var target = ""
    package var userId: String?
    package var sessionId: Identifier?
    package var uid: Int64?
    package var sessions: Int64 = 0
    package var clearedAt = Timestamp.earliest

    package init() {}

    package static var title: String? { "FleetClear" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("machine", &machine)
        m("target", &target, "`all`, `user` or `session`")
        m("userId", orNull: &userId, "of `user`: the user; null: everybody anonymous")
        m("sessionId", orNull: &sessionId, "of `session`: which")
        m("uid", orNull: &uid, .count, "the account of the machine; null: all accounts")
        m("sessions", &sessions, .count, "how many sessions of it are here, 1000 at most")
        m("clearedAt", &clearedAt)
    }
}

/// A machine's log, as known to the hub.
package struct FleetMachineInfo: WireObject {
    package var machine = ""
    package var group: String?
    package var log = Identifier(high: 0, low: 0)
    package var here = false
    package var seenAt: Timestamp?
    package var cursor: Int64 = 0
    package var pending: Int64?
    package var lagSeconds: Double?
    package var version = ""
    package var reads: String?
    package var documents: [FleetDocumentInfo] = []
    package var note: String?

    package init() {}

    package static var title: String? { "FleetMachine" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("machine", &machine)
        m("group", orNull: &group)
        m("log", &log)
        m("here", &here, "whether it is connected")
        m("seenAt", orNull: &seenAt, "the time of its last message")
        m("cursor", &cursor, .count, "the hub has everything of its log up to this number")
        m("pending", orNull: &pending, .count, "records that wait there by its last report; null: it has not reported")
        m("lagSeconds", orNull: &lagSeconds, "how far the records here are behind, while records wait there")
        m("version", &version, "of its daemon; empty: it has not reported")
        m("reads", orNull: &reads, "the version up to which it reads documents; null: it has not reported")
        m("documents", &documents)
        m("note", orNull: &note, "a note for the administrator")
    }
}

package struct FleetStatus: PagedMethod {
    package static let name = "fleet.status"

    package var machine: String?
    package var after: String?
    package var limit: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("machine", &machine, "only machines of this name; `*` stands for any characters")
        m.after(&after)
        m("limit", &limit, .integer(in: 1...1_000), "machines a page (100)")
    }

    package struct Result: WirePage {
        package var role: FleetRole?
        package var fleet: Fleet?
        package var own: Machine?
        package var hub: Hub?

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("role", orNull: &role, "null: this daemon is in no fleet, and all other members are left out")
            m.part(&fleet)
            m.part(&own)
            m.part(&hub)
        }

        package var items: [FleetMachineInfo] { hub?.machines ?? [] }
        package var next: String? { hub?.next }
    }

    /// The members for both machines and hubs.
    package struct Fleet: WireObject {
        package var name = ""
        package var broker = ""
        /// Nil for a state that this version does not know.
        package var state: FleetState?
        package var problem: String?
        package var cause: FleetCause?
        package var hub: Identifier?
        package var documents: [FleetDocumentInfo] = []

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("fleet", &name, "its name")
            m("broker", &broker)
            m(
                "state", &state,
                """
                `connecting`: the broker is not reached; `alone`: there is no hub; `greeting`: the hub is asked how far it has \
                the log; `ready`; on a hub also `standby`: another hub serves the fleet; `serving`
                """)
            m("problem", orNull: &problem, "the present problem, and what to do; null: none")
            m(
                "cause", orNull: &cause,
                """
                the kind of a problem with the broker: `unreachable`; `login`: it refuses this daemon, or is not trusted; \
                `rights`: it does not allow something; `limit`: a message is too long for it; `setting`: a setting or its file \
                cannot be used; `broker`: anything else
                """)
            m("hub", orNull: &hub, "the store of the present hub; on a hub, its own")
            m("documents", &documents, "the documents from the hub; on a hub, those that it has pushed")
        }
    }

    /// The additional members for machines.
    package struct Machine: WireObject {
        package var machine = ""
        package var group: String?
        package var log = Identifier(high: 0, low: 0)
        package var cursor: Int64 = 0
        package var pending: Int64?
        package var acknowledgedAt: Timestamp?
        package var notes: [String] = []

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("machine", &machine, "on a machine, like all members until `notes`: its name")
            m("group", orNull: &group)
            m("log", &log, "the id of the machine's log; another disk has another one")
            m("cursor", &cursor, .count, "the hub has everything up to this number")
            m("pending", orNull: &pending, .count, "records still to send; null until they are counted")
            m("acknowledgedAt", orNull: &acknowledgedAt, "when the hub last acknowledged records, since the start")
            m("notes", &notes, "notes for the administrator, such as that another machine has a copy of this disk")
        }
    }

    /// The additional members for hubs.
    package struct Hub: WireObject {
        package var machines: [FleetMachineInfo] = []
        package var machineCount: Int64 = 0
        package var hereCount: Int64 = 0
        package var behindCount: Int64 = 0
        package var heldCount: Int64 = 0
        package var clears: [FleetClearInfo] = []
        package var refused: Int64 = 0
        package var next: String?

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("machines", &machines, "on a hub: the logs of its machines by name, one page")
            m("machineCount", &machineCount, .count, "how many there are")
            m("hereCount", &hereCount, .count, "how many are connected")
            m("behindCount", &behindCount, .count, "how many have had records waiting for a minute or longer")
            m(
                "heldCount", &heldCount, .count,
                "how many do not get all surveys and forms because their version cannot read them")
            m("clears", &clears, "on a hub: clears on machines whose records are still here, the newest first")
            m("refused", &refused, .count, "records that were refused because they break a rule, since the start")
            m.next(&next)
        }
    }
}

package struct FleetPushDocument: WireMethod {
    package static let name = "fleet.push"

    package var kind = FleetDocumentKind.surveys
    package var text = ""
    package var group: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("kind", &kind, "the kind of the document")
        m("text", &text, "the text of the document, with its comments; it is checked before it is sent")
        m(
            "group", &group,
            "for the machines of this group, in place of the one for all machines; without it, for all")
    }

    package struct Result: WireObject {
        package var kind = FleetDocumentKind.surveys
        package var group: String?
        package var version = ""
        package var changed = false
        package var issues: [IssueInfo] = []

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("kind", &kind)
            m("group", orNull: &group)
            m("version", &version)
            m("changed", &changed, "false: it was in force already")
            m(
                "issues", &issues,
                "warnings about the document, and whether no machine is in the group or the broker refuses it")
        }
    }
}

package struct FleetWithdraw: WireMethod {
    package static let name = "fleet.withdraw"

    package var kind = FleetDocumentKind.surveys
    package var group: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("kind", &kind, "the kind of the document")
        m(
            "group", &group,
            "for the machines of this group, in place of the one for all machines; without it, for all")
    }

    package struct Result: WireObject {
        package var withdrawn = false

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("withdrawn", &withdrawn, "false: there was none")
        }
    }
}
