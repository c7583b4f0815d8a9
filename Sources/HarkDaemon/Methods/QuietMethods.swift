import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// `quiet.*`: the hours at which an account is not asked.
enum QuietMethods {
    static let all: [Method] = [set, get]

    static let set = Method(
        .quietSet, summary: "Says at which hours this account is not asked by surveys.",
        details: """
            What would be shown then waits for their end. They go by the clock on the wall, over daylight saving; hours over \
            midnight belong to the day on which they begin. They hold whatever a survey or the debug mode says, except that a \
            survey with `alarm` passes where `alarms` says so; programs' questions are asked at any hour. See \
            [quiet hours](guides/being-left-alone.md#quiet-hours).
            """,
        refusals: [
            .init(
                reason: .invalidParams, when: "they take the whole week, or are none",
                params: #"{"hours":[{"from":"00:00","until":"24:00"}]}"#)
        ],
        examples: [
            .init(
                params: #"{"hours":[{"from":"12:00","until":"12:01","days":["wed"]}],"alarms":true}"#,
                result: #"{"hours":[{"from":"12:00","until":"12:01","days":["wed"]}],"alarms":true,"quietUntil":null}"#)
        ],
        handler: .write { call, reply throws(WireError) in
            let uid = call.peer.uid
            let given = try call.params.read(.quietHours)
            let hours = try given.map { spans throws(WireError) in
                do throws(WireError) {
                    return try QuietHours.read(spans)
                } catch {
                    throw WireError(error.reason, error.message, path: Params.path(.quietHours) + (error.path ?? ""))
                }
            }
            let alarms = try call.params.read(.quietAlarms)
            let desk = call.daemon.surveys
            let now = call.daemon.ledger.now
            try call.decide(needing: .quiet(of: uid, at: now)) { engine, changes, _ in
                var quiet = engine.wishes.quiet(of: uid)
                if let hours { quiet.hours = hours }
                quiet.allowsAlarms = alarms ?? quiet.allowsAlarms
                engine.setQuiet(quiet, of: uid, now: now, into: &changes)
                return (quiet, engine.quietEnd(of: uid, now: now))
            }.note { _ in DaemonActor.post { desk.lookAtWhatIsReady() } }.tell(in: &reply, write)
        })

    static let get = Method(
        .quietGet, summary: "Tells at which hours this account is not asked.",
        examples: [
            .init(params: "{}", result: #"{"hours":[],"alarms":false,"quietUntil":null}"#)
        ],
        handler: .write { call, reply throws(WireError) in
            let uid = call.peer.uid
            try call.decide(needing: .wishes) { engine, _, now in
                (engine.wishes.quiet(of: uid), engine.quietEnd(of: uid, now: now))
            }.tell(in: &reply, write)
        })

    private static func write(_ told: (PersonalQuiet, Timestamp?), to json: inout JSONWriter) {
        let (quiet, until) = told
        json.key("hours")
        if let hours = quiet.hours { hours.write(to: &json) } else { json.value(.array([])) }
        json.key("alarms")
        json.bool(quiet.allowsAlarms)
        json.key("quietUntil")
        if let until { json.timestamp(until) } else { json.null() }
    }
}
