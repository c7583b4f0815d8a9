package import HarkLedger
package import HarkSystem

/// The desks of the daemon, each found by its type, and what every handler needs.
@DaemonActor
package final class Desks {
    package let ledger: Ledger
    package let loop: EventLoop
    /// In system mode, members of this group see and manage the records of all users.
    package var administratorGroup = ""
    /// In the order in which they follow commits.
    package private(set) var all: [any Desk] = []
    private var byType: [ObjectIdentifier: any Desk] = [:]

    package init(ledger: Ledger, loop: EventLoop) {
        self.ledger = ledger
        self.loop = loop
    }

    package func add(_ desks: [any Desk]) {
        all += desks
        for desk in desks { byType[ObjectIdentifier(type(of: desk))] = desk }
    }

    /// Which desks there are does not depend on clients; the tests send every method's examples.
    package func callAsFunction<Kind: Desk>(_ kind: Kind.Type) -> Kind {
        guard let desk = byType[ObjectIdentifier(kind)] as? Kind else { preconditionFailure("there is no \(kind)") }
        return desk
    }
}
