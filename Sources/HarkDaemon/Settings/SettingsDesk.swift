import HarkCore
import HarkLedger
import HarkServer
import HarkSettings
import HarkSystem
import HarkWire

/// The settings in force and the options of the start. Reads the settings and the documents they name again on request.
@DaemonActor
final class SettingsDesk: Desk {
    let options: DaemonOptions
    /// The sections of the families.
    let sections: [any SettingsSection.Type]
    private(set) var configuration: Configuration
    private(set) var warnings: [DocumentIssue]
    private(set) var hasFile: Bool
    /// Called when other settings come into force, before the desks apply them.
    var onChange: (Configuration) -> Void = { _ in }
    private let ledger: Ledger
    private var isStopping = false

    init(
        _ loaded: ConfigurationFile.Loaded, _ options: DaemonOptions, _ sections: [any SettingsSection.Type],
        ledger: Ledger
    ) {
        self.options = options
        self.sections = sections
        self.ledger = ledger
        configuration = loaded.configuration
        configuration.fitRetention(to: options.paths.state)
        warnings = loaded.warnings + loaded.configuration.networkIssues
        hasFile = loaded.exists
    }

    /// Reloads the configuration and the documents it names. If a file has errors, the previous content stays in force.
    @discardableResult
    func reload(_ desks: Desks) async throws(WireError) -> [DocumentIssue] {
        ServiceManager.tell(.reloading)
        defer { ServiceManager.tell(.ready) }
        let path = options.paths.configurationFile
        let reading = await DocumentThread.run { [sections] in
            Result { () throws(ConfigurationFile.Refusal) in try ConfigurationFile.load(path, sections) }
        }
        guard !isStopping else {
            throw WireError(.shuttingDown, "harkd is ending; it reads its settings at the next start")
        }
        let loaded: ConfigurationFile.Loaded
        do throws(ConfigurationFile.Refusal) {
            loaded = try reading.get()
        } catch {
            throw WireError(.invalidParams, "\(error); the configuration in force was kept")
        }
        guard loaded.exists || !hasFile else {
            throw WireError(
                .invalidParams,
                "\(path) is gone; the configuration in force was kept (to be rid of all settings, let it say {})")
        }
        take(loaded)
        try desks.configure(configuration)
        let decided = try ledger.decide { _, _, _ in }
        for desk in desks.all { await desk.reloadDocuments() }
        _ = try await decided.stored()
        Log.notice("configuration reloaded", ["file": path])
        logWarnings()
        return warnings
    }

    private func take(_ loaded: ConfigurationFile.Loaded) {
        configuration = loaded.configuration
        configuration.fitRetention(to: options.paths.state)
        warnings = loaded.warnings + configuration.networkIssues
        hasFile = loaded.exists
        Log.level = configuration.logLevel
        ledger.adjust { $0.retention = configuration.retention }
        onChange(configuration)
    }

    func logWarnings() {
        for warning in warnings { Log.warning("\(options.paths.configurationFile): \(warning)") }
    }

    func stop() { isStopping = true }
}

extension ServiceManager {
    /// Notifies the service manager, which need not listen.
    static func tell(_ notice: Notice) {
        do throws(SystemError) {
            try notify(notice)
        } catch {
            Log.warning("the service manager does not listen: \(error)")
        }
    }
}
