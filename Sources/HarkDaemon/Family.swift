import HarkCore
import HarkLedger
package import HarkServer
import HarkSettings
import HarkStore
import HarkSystem

/// A family in the daemon: everything that connects it with the daemon, apart from the content of its own folders.
package struct Family: Sendable {
    var methods: [Method] = []
    /// Its part of `harkd.json`.
    var settings: (any SettingsSection.Type)?
    /// The engine's state of the family, if no other family uses it.
    var book: (any Book.Type)?
    /// Its tables, where not every store has them.
    var store: StoreFamily?
    /// The consequences of commits; made once.
    var desks: @DaemonActor @Sendable (Daemon) -> [any Desk] = { _ in [] }

    /// Those of every daemon. The protocol's documents have their methods in this order, and the desks follow commits in it.
    package static let all: [Family] = [
        Family(methods: EventMethods.all, desks: { [$0.hub, $0.importer, StatisticsGate()] }),
        Family(
            methods: SessionMethods.all, settings: SessionSettings.self,
            desks: { [$0.sweeper, $0.retention, SessionDesk(ledger: $0.ledger, loop: $0.loop)] }),
        Family(methods: UserMethods.all),
        Family(desks: { [$0.machines] }),
        Family(methods: StreamMethods.all),
        Family(methods: SurveyMethods.all, settings: LookSettings.self, desks: { [$0.surveys] }),
        Family(methods: StudyMethods.all),
        Family(methods: MuteMethods.all + QuietMethods.all),
        Family(methods: PromptMethods.all, desks: { [$0.prompts] }),
        Family(
            methods: CounterMethods.all,
            desks: { [CounterDesk(ledger: $0.ledger), CounterRuns(ledger: $0.ledger, loop: $0.loop)] }),
        Family(methods: ExecutionMethods.all, desks: { [ExecutionDesk(ledger: $0.ledger, loop: $0.loop, $0.options)] }),
        Family(methods: WatchMethods.all, desks: { [WatchDesk(ledger: $0.ledger, loop: $0.loop)] }),
        Family(methods: FormMethods.all, desks: { [$0.forms.submissions, $0.forms] }),
        Family(methods: ProfileMethods.all),
        Family(methods: LogMethods.all),
        Family(methods: DeliveryMethods.all, desks: { [$0.archive, $0.delivery] }),
        Family(settings: JournalSettings.self, desks: { [$0.journal] }),
        Family(methods: FleetMethods.all, settings: FleetSettings.self, desks: { [$0.fleet] }),
        Family(methods: NetworkMethods.all, desks: { [NetworkHub($0.network)] }),
        Family(methods: FlagMethods.all, desks: { [$0.flags] }),
        Family(methods: DaemonMethods.all, desks: { [$0.settings, StatusDesk($0.ledger.store), $0.scrub] }),
        Family(methods: DiscoveryMethods.all),
    ]

    /// The sections of the settings that families of every daemon have.
    static let sections: [any SettingsSection.Type] = all.compactMap(\.settings)
}

/// All methods of the protocol.
package enum MethodRegistry {
    package static let all: [Method] = Family.all.flatMap(\.methods)
}
