import HarkCore
import HarkLedger
import HarkStore
import HarkSystem
import HarkWire

/// The scopes with open prompts, so that others need no look-up if no surveys are configured.
@DaemonActor
final class OpenPrompts {
    private let ledger: Ledger
    private var places: [Identifier: Scope] = [:]
    private var counts: [Scope: Int] = [:]

    init(ledger: Ledger) { self.ledger = ledger }

    func contains(_ scope: Scope) -> Bool { counts[scope] != nil }

    func begin() throws(WireError) {
        places = [:]
        counts = [:]
        let standings = try ledger.lookUp { reader throws(StoreError) in try reader.openPrompts() }
        for presentation in standings.flatMap(\.presentations) { follow(presentation) }
    }

    /// Notes a committed presentation.
    func follow(_ presentation: Presentation) {
        guard presentation.prompt != nil else { return }
        let scope = presentation.scope
        if presentation.state.isOpen {
            if places.updateValue(scope, forKey: presentation.id) == nil { counts[scope, default: 0] += 1 }
        } else {
            remove(presentation.id)
        }
    }

    func remove(_ id: Identifier) {
        guard let scope = places.removeValue(forKey: id), let count = counts[scope] else { return }
        counts[scope] = count > 1 ? count - 1 : nil
    }
}
