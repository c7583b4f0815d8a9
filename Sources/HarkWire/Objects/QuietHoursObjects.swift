/// Hours of the day, on certain days of the week.
package struct QuietSpan: WireObject, Equatable {
    package var from = ""
    package var until = ""
    package var days: [String]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("from", &from)
        m("until", &until)
        m("days", &days)
    }
}

/// The hours at which an account is not asked.
package struct QuietInfo: WireObject {
    package var hours: [QuietSpan] = []
    package var alarms = false
    package var quietUntil: Timestamp?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("hours", &hours, "as they were given; empty: none")
        m("alarms", &alarms, "whether surveys with `alarm` may ask at these hours")
        m("quietUntil", orNull: &quietUntil, "when the present quiet time ends; null: it is not quiet")
    }
}

package struct QuietGet: WireMethod {
    package static let name = "quiet.get"

    package typealias Result = QuietInfo

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {}
}

package struct QuietSet: WireMethod {
    package static let name = "quiet.set"

    package typealias Result = QuietInfo

    /// An array of `QuietSpan`, parsed where its errors can be reported together.
    package var hours: AnyJSON?
    package var alarms: Bool?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "hours", &hours, .quietHours,
            "spans of the day, in the machine's time zone; `days` left out: all; an empty array: no quiet hours. Without it, they stay"
        )
        m("alarms", &alarms, "whether surveys with `alarm` may ask at these hours; without it, that stays")
    }
}

extension MemberType<JSONValue> {
    fileprivate static var quietHours: MemberType {
        MemberType("an array", .array(QuietSpan.shape)) { value in value.arrayValue.map { _ in value } }
    }
}
