/// The params of `hello`, `daemon.*`, `config.*` and `retention.apply`.

package struct Hello: WireMethod {
    package typealias Result = Greeting
    package static let name = "hello"

    package var client: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("client", &client, "the name of the client, for people who read the traffic")
    }
}

package struct DaemonStatus: WireMethod {
    package typealias Result = DaemonStatusInfo
    package static let name = "daemon.status"

    package var format: StatusFormat?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("format", &format, "`json` (default), or `openmetrics` for the text format of Prometheus")
    }
}

package struct DaemonRepair: BareMethod {
    package typealias Result = RepairReport
    package static let name = "daemon.repair"

    package init() {}
}

package struct DaemonReload: BareMethod {
    package typealias Result = ReloadResult
    package static let name = "daemon.reload"

    package init() {}
}

package struct ConfigReload: BareMethod {
    package typealias Result = ReloadResult
    package static let name = "config.reload"

    package init() {}
}

package struct ConfigGet: BareMethod {
    package typealias Result = SettingsResult
    package static let name = "config.get"

    package init() {}
}

package struct ConfigValidate: WireMethod {
    package typealias Result = DocumentCheck
    package static let name = "config.validate"

    package var text = ""
    package var kind: ConfigurationDocument?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("text", &text, "the content of the file")
        m("kind", &kind, "`harkd` (default), `surveys`, or `forms`")
    }
}

package struct RetentionApply: WireMethod {
    package typealias Result = RetentionResult
    package static let name = "retention.apply"

    /// Read as the settings' own.
    package var policy: AnyJSON?
    package var dryRun: Bool?
    package var trustClock: Bool?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "policy", given: &policy, MemberType("a policy", .retentionPolicy) { $0 },
            """
            `none`, `long` (two years, at most 4 GB or a tenth of the disk), `conservative` (90 days, 100 sessions a user), \
            `standard` (30, 50), `aggressive` (7, 20), or an object with `maxAgeDays`, `maxSessionsPerUser`, `maxStoreBytes` and \
            `answers` (its `maxAgeDays`); without it, the configured policy
            """)
        m("dryRun", &dryRun, "true: only return what would be removed")
        m("trustClock", &trustClock, "true: the machine's clock is right; for administrators")
    }
}

extension Shape {
    fileprivate static let retentionPolicy = Shape.either([
        MemberType<RetentionPreset>.word.shape,
        .members([
            .maybe("maxAgeDays", .seconds), .maybe("maxSessionsPerUser", .count), .maybe("maxStoreBytes", .count),
            .maybe("answers", .members([.maybe("maxAgeDays", .seconds)])),
        ]),
    ])
}

package struct Discover: BareMethod {
    package typealias Result = DiscoveryDocument
    package static let name = "rpc.discover"

    package init() {}
}

/// The result of `rpc.discover`. It is described here and written as OpenRPC has it.
package struct DiscoveryDocument: WireObject {
    package var openrpc = ""
    package var info = AnyJSON(.null)
    package var methods = AnyJSON(.null)
    package var components = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("openrpc", &openrpc, "the version of OpenRPC")
        m("info", &info, .objectValue, "`title`, `version` (the daemon's) and `description`")
        m("methods", &methods, .shaped(.array(.object)), "the methods")
        m("components", &components, .objectValue, "`schemas` and `errors` that several methods have")
    }
}
