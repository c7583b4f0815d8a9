package import HarkLedger
package import HarkServer
package import HarkSystem
package import HarkWire

/// A desk that settings are for.
@DaemonActor
package protocol ConfiguredDesk: Desk {
    /// Applies the settings: before `begin`, and after each reload.
    func configure(_ settings: Configuration) throws(WireError)
}

extension Desks {
    package func configure(_ settings: Configuration) throws(WireError) {
        for case let desk as any ConfiguredDesk in all { try desk.configure(settings) }
    }
}
