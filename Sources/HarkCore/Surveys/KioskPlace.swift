import HarkWire

/// A place where a kiosk shows surveys: each anonymous person there counts as a new visitor.
package struct KioskPlace: Sendable, Equatable {
    let uid: UInt32
    /// nil: any app.
    let app: String?

    package init(uid: UInt32, app: String?) {
        self.uid = uid
        self.app = app
    }

    func contains(_ scope: Scope) -> Bool {
        uid == scope.uid && (app.map { $0.hasSameBytes(as: scope.app) } ?? true)
    }
}

extension Engine {
    /// Sets all kiosk places. Like the debug mode they are not stored.
    package mutating func setKiosks(_ places: [KioskPlace]) { surveys.kiosks = places }

    /// Whether the user is a visitor of a kiosk, and counts as never asked before.
    func isVisitor(_ user: UserKey, in scope: Scope) -> Bool {
        user.userId == nil && surveys.kiosks.contains { $0.contains(scope) }
    }
}
