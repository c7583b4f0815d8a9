/// What `fleet.*` takes and gives.
extension MethodShape {
    package static let fleetStatus = MethodShape(
        "fleet.status", [.optional(.onlyMachinesNamed), .optional(.after), .optional(.machineLimit)],
        result: [
            .always(
                "role", .orNull(MemberType<FleetRole>.word.shape),
                "null: this daemon is in no fleet, and all else is left out"),
            .maybe("fleet", .string, "its name"),
            .maybe("broker", .string),
            .maybe("state", MemberType<FleetState>.word.shape, states),
            .maybe("problem", .orNull(.string), "what keeps it from working, and what to do; null: nothing"),
            .maybe("cause", .orNull(MemberType<FleetCause>.word.shape), causes),
            .maybe("hub", .orNull(.id), "the store of the hub that is there; of a hub, its own"),
            .maybe("documents", .array(.fleetDocument), "what came from the hub; of a hub, what it has pushed"),
            .maybe("machine", .string, "of a machine, as all until `notes`: its name"),
            .maybe("group", .orNull(.string)),
            .maybe("log", .id, "which log of the machine it is; another disk has another"),
            .maybe("cursor", .count, "everything up to this number is at the hub"),
            .maybe("pending", .orNull(.count), "records that are to be sent; null until they were counted"),
            .maybe("acknowledgedAt", .orNull(.time), "when the hub last acknowledged records, since the start"),
            .maybe(
                "notes", .strings, "what somebody should know, as that another machine has a copy of this one's disk"),
            .maybe("machines", .array(.fleetMachine), "of a hub: the logs of machines it has, by name, a page"),
            .maybe("machineCount", .count, "how many there are"), .maybe("hereCount", .count, "how many are connected"),
            .maybe("behindCount", .count, "how many have records that have waited for a minute or longer"),
            .maybe(
                "clears", .array(.fleetClear),
                "of a hub: what was cleared on machines and is still here, the newest first"),
            .maybe("refused", .count, "records that broke a rule and were not taken, since the start"),
            .maybe("next", .orNull(.string), "the cursor of the next page; null on the last"),
        ])

    private static let states = """
        `connecting`: the broker is not reached; `alone`: no hub is there; `greeting`: the hub is asked where it stands; \
        `ready`; of a hub also `standby`: another hub serves the fleet; `serving`
        """

    private static let causes = """
        what kind of thing that is, where it concerns the broker: `unreachable`; `login`: it does not let this daemon in, or is not \
        trusted; `rights`: it does not allow something; `limit`: a message is too long for it; `setting`: a setting or a file of \
        one cannot be used; `broker`: anything else
        """

    package static let fleetPush = MethodShape(
        "fleet.push", [.required(.fleetKind), .required(.fleetText), .optional(.toGroup)],
        result: [
            .always("kind", MemberType<FleetDocumentKind>.word.shape), .always("group", .orNull(.string)),
            .always("version", .string), .always("changed", .bool, "false: it was in force already"),
            .always(
                "issues", .issues,
                "what is odd in it, and that no machine is in the group, or the broker does not take it"),
        ])

    package static let fleetWithdraw = MethodShape(
        "fleet.withdraw", [.required(.fleetKind), .optional(.toGroup)],
        result: [.always("withdrawn", .bool, "false: there was none")])
}

/// What a daemon is in its fleet.
package enum FleetRole: String, Sendable, CaseIterable {
    case machine, hub
}

/// How it stands with a fleet.
package enum FleetState: String, Sendable, CaseIterable {
    case connecting, alone, greeting, ready, standby, serving
}

/// What kind of thing keeps a daemon from its broker.
package enum FleetCause: String, Sendable, CaseIterable {
    case unreachable, login, rights, limit, setting, broker
}

/// What a hub has for its machines.
package enum FleetDocumentKind: String, Sendable, CaseIterable {
    case surveys, forms, flags
}

extension Parameter<FleetDocumentKind> {
    package static var fleetKind: Parameter { Parameter("kind", .word, "what it is about") }
}

extension Parameter<String> {
    package static var fleetText: Parameter {
        Parameter("text", .string, "the document as it is written, comments included; it is checked before it goes out")
    }
    package static var toGroup: Parameter {
        Parameter(
            "group", .string,
            "for the machines of this group, which then take it instead of the one for all; without it, for all")
    }
    package static var onlyMachinesNamed: Parameter {
        Parameter("machine", .string, "only machines so called; `*` stands for any characters")
    }
}

extension Parameter<Int> {
    package static var machineLimit: Parameter { Parameter("limit", .integer(in: 1...1_000), "machines a page (100)") }
}

extension Shape {
    fileprivate static let fleetDocument = Shape.named(
        "FleetDocument",
        .members([
            .always("kind", MemberType<FleetDocumentKind>.word.shape), .maybe("group", .orNull(.string)),
            .always("version", .string), .maybe("pushedAt", .time),
            .maybe("problem", .orNull(.string), "why it is not in force"),
        ]))

    fileprivate static let fleetClear = Shape.named(
        "FleetClear",
        .members([
            .always("machine", .string), .always("target", .string, "`all`, `user` or `session`"),
            .always("userId", .orNull(.string), "of `user`: whose; null: everybody anonymous"),
            .always("sessionId", .orNull(.id), "of `session`: which"),
            .always("uid", .orNull(.count), "of which account of the machine's; null: of all"),
            .always("sessions", .count, "how many sessions of it are here, 1000 at most"),
            .always("clearedAt", .time),
        ]))

    fileprivate static let fleetMachine = Shape.named(
        "FleetMachine",
        .members([
            .always("machine", .string), .always("group", .orNull(.string)), .always("log", .id),
            .always("here", .bool, "whether it is connected"),
            .always("seenAt", .orNull(.time), "when it was heard of last"),
            .always("cursor", .count, "everything up to this number of its log is here"),
            .always("pending", .orNull(.count), "records that wait there, as it said last; null: it has not said"),
            .always("lagSeconds", .orNull(.seconds), "how far what is here is behind, while something waits there"),
            .always("version", .string, "of its daemon; empty: it has not said"),
            .always("documents", .array(.fleetDocument)),
            .always("note", .orNull(.string), "what somebody should know of it"),
        ]))
}
