/// Why a person would not see a notification now.
package enum Absence: String, Sendable, CaseIterable {
    case locked, idle, doNotDisturb
}

extension Parameter<Absence> {
    package static var absence: Parameter { Parameter("reason", .word, "why nobody sees it now") }
}
