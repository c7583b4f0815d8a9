/// An error or a warning about a document.
package struct IssueInfo: WireObject, Equatable {
    package var path = ""
    package var message = ""
    package var line: Int64?
    package var column: Int64?

    package init() {}

    package static var title: String? { "Issue" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("path", &path, "the JSON path of the member")
        m("message", &message)
        m("line", &line, .integer(in: 1 ... .max))
        m("column", &column, .integer(in: 1 ... .max))
    }
}
