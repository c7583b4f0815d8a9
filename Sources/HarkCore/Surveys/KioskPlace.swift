import HarkWire

/// Where a kiosk shows surveys just now, so that whoever has no name there is somebody else each time.
package struct KioskPlace: Sendable, Equatable {
    let uid: UInt32
    /// nil: in any app.
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
    /// From now on kiosks are there, and nowhere else. Like the debug mode it is no part of what is stored.
    package mutating func setKiosks(_ places: [KioskPlace]) { surveys.kiosks = places }

    /// Whether whoever is asked there is a visitor, whom nobody has asked anything before.
    func isVisitor(_ user: UserKey, in scope: Scope) -> Bool {
        user.userId == nil && surveys.kiosks.contains { $0.contains(scope) }
    }
}
