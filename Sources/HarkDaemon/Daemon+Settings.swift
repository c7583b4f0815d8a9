import HarkCore
import HarkSystem
import HarkWire

/// The settings and the documents they name: in force, and read again.
extension Daemon {
    /// Reads the configuration again, and the documents it names. With errors in a file, what is in force stays in force.
    @discardableResult
    func reload() async throws(WireError) -> [DocumentIssue] {
        notify(.reloading)
        defer { notify(.ready) }
        let loaded: ConfigurationFile.Loaded
        let path = options.paths.configurationFile
        let reading = await DocumentThread.run {
            Result { () throws(ConfigurationFile.Refusal) in try ConfigurationFile.load(path) }
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
        ledger.setRetention(configuration.retention)
        configureSurveys()
        try executions.configure(configuration.counters)
        server.limits = configuration.limits
        delivery.configure(configuration)
        let decided = try ledger.decide { _, _, _ in }
        await surveys.source.reload(from: surveysOrigin)
        await forms.source.reload(from: formsOrigin)
        await flags.follow(flagsOrigin)
        _ = try await decided.stored()
        Log.notice("configuration reloaded", ["file": options.paths.configurationFile])
        logConfigurationWarnings()
        return configurationWarnings
    }

    /// A reload that nobody waits for, as on SIGHUP.
    package func reloadAndLog() {
        DaemonActor.task { [self] in
            do throws(WireError) {
                try await reload()
            } catch {
                Log.error(error.message)
            }
        }
    }

    var formsOrigin: DocumentOrigin { configuration.forms.absolute(in: options.paths.configuration) }

    var surveysOrigin: DocumentOrigin { configuration.surveys.absolute(in: options.paths.configuration) }

    var flagsOrigin: DocumentOrigin? {
        configuration.flags.origin(among: configuration.destinations, in: options.paths.configuration)
    }

    func configureSurveys() {
        surveys.setDebugMode(configuration.debug)
        surveys.hooks.settings = configuration.notify
        surveys.hooks.socketPath = options.paths.socket
        // The machine's daemon has no desktop to show anything on; `hark agent` does it in each user's session.
        surveys.hooks.settings.notifier = options.isSystem ? nil : options.notifier
    }

    func logConfigurationWarnings() {
        for warning in configurationWarnings { Log.warning("\(options.paths.configurationFile): \(warning)") }
    }
}
