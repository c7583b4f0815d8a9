/// The error of a reply.
package struct RefusalInfo: WireObject {
    package var code: Int64 = 0
    package var message = ""
    package var data: Details?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("code", &code, .whole)
        m("message", &message)
        m("data", &data)
    }

    package struct Details: WireObject {
        package var reason: String?
        package var path: String?
        package var status: Int64?

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("reason", &reason)
            m("path", &path)
            m("status", &status, .whole)
        }
    }
}

/// The warnings of a reply about a request that succeeded.
package struct WarningList: WireObject {
    package var warnings: [String]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("warnings", &warnings)
    }
}
