import Glibc
import HarkCore
import HarkLedger
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Reads systemd's journal for the sources of the settings.
@DaemonActor
final class JournalDesk: ConfiguredDesk {
    private let ledger: Ledger
    private let loop: EventLoop
    private let isSystem: Bool
    /// The user of log entries, if the settings name one.
    private let owner: @DaemonActor () -> String?
    private var sources: [JournalSource] = []
    private var hasBegun = false

    init(ledger: Ledger, loop: EventLoop, isSystem: Bool, owner: @escaping @DaemonActor () -> String?) {
        self.ledger = ledger
        self.loop = loop
        self.isSystem = isSystem
        self.owner = owner
    }

    /// Sources that stay as they are read on.
    func configure(_ settings: Configuration) {
        let wanted = settings.sections[JournalSettings.self].sources
        for source in sources where !wanted.contains(source.settings) { source.stop() }
        sources = wanted.map { wanted in
            if let known = sources.first(where: { $0.settings == wanted }) { return known }
            let source = JournalSource(wanted, ledger: ledger, loop: loop, isSystem: isSystem, owner: owner)
            if hasBegun { source.begin() }
            return source
        }
    }

    func begin() {
        hasBegun = true
        for source in sources { source.begin() }
    }

    func stop() { for source in sources { source.stop() } }

    var troubles: [Trouble] {
        sources.compactMap { source in source.problem.map { ("journal", "\(source.settings.name): \($0)") } }
    }

    var status: [JournalStatus] { sources.map(\.status) }
}
