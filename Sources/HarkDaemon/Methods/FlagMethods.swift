import HarkCore
import HarkSystem
import HarkWire

/// `flags.*`: settings that a server or a file hands out.
enum FlagMethods {
    static let all: [Method] = [get, refresh]

    static let get = Method(
        name: "flags.get", summary: "Tells the value of a flag, or all flags.",
        details: """
            It never fails for what the flags are: one that is not there, or of another type than was asked for, is the \
            `default`, or null. A number is a `double` however it is written, and an `int` only if it is a whole one. The \
            flags are those that were last good, whatever becomes of the server, and over restarts.
            """,
        parameters: [
            .init(name: "key", type: .string, meaning: "which flag; without it, all of them"),
            .init(
                name: "type", type: .oneOf(FlagType.allCases.map(\.rawValue)),
                meaning: "`bool`, `string`, `double`, `int` or `raw` (as it is; default)"),
            .init(name: "default", type: .any, meaning: "what to tell instead of null"),
            .init(
                name: "refresh", type: .bool,
                meaning:
                    "true: the server is asked first; where it cannot be reached, or takes more than 2 seconds while "
                    + "there are flags to go on with, those are told. From others than administrators, it is asked at most "
                    + "every 10 seconds"),
        ],
        result: [
            .init(name: "value", type: .any, isOptional: true, meaning: "the value, with a `key`"),
            .init(name: "flags", type: .object, isOptional: true, meaning: "all flags, without a `key`"),
            .init(
                name: "source", type: .flagSource, isOptional: true,
                meaning:
                    "with `flags`, for administrators: `place` (the file or URL), `loadedAt` (since when these flags hold), `checkedAt` (when "
                    + "they were last seen to be up to date), `dueAt` (when the server is asked next), `isCopy` (the last "
                    + "good ones of an earlier run) and `problems`; null where no flags are configured"),
        ],
        examples: [
            .init(params: #"{"key":"max_retries","type":"int"}"#, result: #"{"value":3}"#),
            .init(params: #"{"key":"api_timeout_seconds","type":"bool","default":true}"#, result: #"{"value":true}"#),
            .init(
                params: "{}",
                result: """
                    {"flags":{"api_timeout_seconds":2.5,"max_retries":3,"paywall_variant":"control",\
                    "show_new_onboarding":true},"source":{"place":"/home/ada/.config/hark/flags.json",\
                    "loadedAt":"2026-11-21T11:08:00.123Z","checkedAt":"2026-11-21T11:08:00.123Z","dueAt":null,\
                    "isCopy":false,"problems":[]}}
                    """),
        ],
        handler: .deferred { call, json throws(WireError) in
            let desk = call.daemon.flags
            let word = try call.params.choice("type", of: FlagType.allCases.map(\.rawValue))
            let key = try call.params.string("key")
            let fallback = call.params["default"] ?? .null
            await desk.started()
            if try call.params.bool("refresh") == true { await desk.ask(isUrgent: call.peer.isAdministrator) }
            guard let key else {
                json.key("flags")
                json.object(desk.flags.members)
                if call.peer.isAdministrator {
                    json.key("source")
                    desk.writeSource(to: &json)
                }
                return
            }
            json.key("value")
            json.value(desk.flags.value(key, as: word.flatMap(FlagType.init) ?? .raw) ?? fallback)
        })

    static let refresh = Method(
        name: "flags.refresh", summary: "Looks for new flags now.", isForAdministrators: true, parameters: [],
        result: [
            .init(
                name: "outcome", type: .oneOf(["updated", "unchanged", "failed", "none"]),
                meaning:
                    "`updated`, `unchanged`, `failed` (the last good ones stay), or `none`: no flags are configured"),
            .init(name: "error", type: .string, isOptional: true, meaning: "why it failed"),
        ],
        examples: [.init(params: "{}", result: #"{"outcome":"unchanged"}"#)],
        handler: .deferred { call, json throws(WireError) in
            let outcome = await call.daemon.flags.refresh()
            json.key("outcome")
            switch outcome {
            case .updated: json.string("updated")
            case .unchanged: json.string("unchanged")
            case .nowhere: json.string("none")
            case .failed(let reason):
                json.string("failed")
                json.key("error")
                json.string(reason)
            }
        })
}
