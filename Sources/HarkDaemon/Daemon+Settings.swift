import HarkCore
import HarkSystem
import HarkWire

/// Loads the settings and the documents they name, and loads them again on request.
extension Daemon {
    /// Reloads the configuration and the documents it names. If a file has errors, the previous content stays in force.
    @discardableResult
    func reload() async throws(WireError) -> [DocumentIssue] {
        notify(.reloading)
        defer { notify(.ready) }
        let loaded: ConfigurationFile.Loaded
        let path = options.paths.configurationFile
        let reading = await DocumentThread.run { [families] in
            Result { () throws(ConfigurationFile.Refusal) in try ConfigurationFile.load(path, families) }
        }
        guard !isStopping else {
            throw WireError(.shuttingDown, "harkd is ending; it reads its settings at the next start")
        }
        do throws(ConfigurationFile.Refusal) {
            loaded = try reading.get()
        } catch {
            throw WireError(.invalidParams, "\(error); the configuration in force was kept")
        }
        guard loaded.exists || !hasConfigurationFile else {
            throw WireError(
                .invalidParams,
                "\(path) is gone; the configuration in force was kept (to be rid of all settings, let it say {})")
        }
        take(loaded)
        ledger.adjust { $0.retention = configuration.retention }
        server.limits = configuration.limits
        for desk in desks { try desk.configure(configuration) }
        let decided = try ledger.decide { _, _, _ in }
        for desk in desks { await desk.reloadDocuments() }
        _ = try await decided.stored()
        Log.notice("configuration reloaded", ["file": options.paths.configurationFile])
        logConfigurationWarnings()
        return configurationWarnings
    }

    /// Reloads without a caller that waits, as on SIGHUP.
    package func reloadAndLog() {
        DaemonActor.task { [self] in
            do throws(WireError) {
                try await reload()
            } catch {
                Log.error(error.message)
            }
        }
    }

    func logConfigurationWarnings() {
        for warning in configurationWarnings { Log.warning("\(options.paths.configurationFile): \(warning)") }
    }
}
