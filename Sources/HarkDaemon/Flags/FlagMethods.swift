import HarkCore
import HarkServer
import HarkSystem
import HarkWire

/// `flags.*`: the flags from a server or a file.
enum FlagMethods {
    static let all: [Method] = [get, refresh]

    static let get = Method(
        FlagsGet.self, summary: "Returns the value of a flag, or all flags.",
        details: """
            A missing flag, or a flag of another type, is no error: its value is the `default`, or null. A number is a `double` \
            however it is written, and an `int` only if it is a whole number. The last good flags stay in force if the server \
            fails, and over restarts.
            """,
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
        answering: { call, request throws(WireError) in
            let desk = call.desk(FlagDesk.self)
            await desk.started()
            if request.refresh == true {
                await desk.ask(for: call.connection, isUrgent: call.peer.isAdministrator)
            }
            var result = FlagValues()
            if let key = request.key {
                let value = desk.flags.value(key, as: request.type ?? .raw).map { AnyJSON($0) }
                result.value = value ?? request.fallback ?? AnyJSON(.null)
            } else {
                result.flags = AnyJSON(.object(desk.flags.members))
                if call.peer.isAdministrator {
                    result.source = desk.sourceInfo.map { AnyJSON($0) } ?? AnyJSON(.null)
                }
            }
            return result
        })

    static let refresh = Method(
        FlagsRefresh.self, summary: "Looks for new flags now.", isForAdministrators: true,
        examples: [.init(params: "{}", result: #"{"outcome":"unchanged"}"#)],
        answering: { call, _ in
            let (outcome, problem) = await call.desk(FlagDesk.self).refresh()
            var result = RefreshedFlags()
            (result.outcome, result.error) = (outcome.rawValue, problem)
            return result
        })
}
