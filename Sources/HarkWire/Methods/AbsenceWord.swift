/// Why a person would not see a notification now.
package enum Absence: String, Sendable, CaseIterable {
    case locked, idle, doNotDisturb
}
