import HarkCore
import HarkLedger
import HarkServer
import HarkSettings
import HarkSystem
import HarkWire

/// `config.*`: reads and checks settings.
extension DaemonMethods {
    static let configGet = Method(
        ConfigGet.self, summary: "Returns the configuration in force.", isForAdministrators: true,
        examples: [
            .init(
                params: "{}",
                result: """
                    {"config":{"retention":"long","archive":true,"limits":{"lineBytes":1048576,\
                    "lineBytesPerUser":67108864,"connectionsPerUser":256,"subscriptionsPerUser":1024,"queuedBytes":8388608,\
                    "queuedBytesPerUser":67108864,"clientBytes":268435456,"nesting":32},"adminGroup":"adm",\
                    "logLevel":"info","surveys":{"file":"surveys.json"},\
                    "forms":{"file":"forms.json"},"notify":{"command":null,"timeoutSeconds":60,\
                    "open":null},"debug":{"bypassGating":false,"scheduleDelaySeconds":null,\
                    "attemptCooldownSeconds":null},"destinations":[],"flags":{"refreshSeconds":300.0},\
                    "counters":{},"executions":[],"sessions":{"idleSeconds":86400},"look":{},"journal":[],"fleet":null},"file":null,\
                    "problems":[]}
                    """)
        ],
        handler: .read { call, _, json throws(WireError) in
            let settings = call.desk(SettingsDesk.self)
            var configuration = settings.configuration
            configuration.debug = call.ledger.settings.debug
            var result = SettingsResult()
            result.config = AnyJSON(writing: { configuration.write(to: &$0) })
            result.file = settings.hasFile ? settings.options.paths.configurationFile : nil
            result.problems = settings.warnings.map { IssueInfo($0) }
            result.writeMembers(to: &json)
        })

    static let configValidate = Method(
        ConfigValidate.self, summary: "Checks a configuration without using it.",
        details: """
            The reply lists all faults, up to a hundred. A fault in the text is no error of the request: see `valid`.
            """,
        examples: [
            .init(
                params: #"{"text":"{ \"retention\": \"forever\" } // none?"}"#,
                result: """
                    {"valid":false,"errors":[{"path":"$.retention","message":"must be one of none, long, conservative, \
                    standard, aggressive, or an object with numbers","line":1,"column":3}],"problems":[]}
                    """)
        ],
        answering: { call, request throws(WireError) in
            let sections = call.desk(SettingsDesk.self).sections
            let found = await DocumentThread.run(for: call.connection.turnOwner) { () -> DocumentIssues in
                let bytes = Array(request.text.utf8)
                return switch request.kind ?? .harkd {
                case .harkd: DocumentKind.settings(with: sections).read(bytes).1
                case .surveys: DocumentKind.surveys.read(bytes).1
                case .forms: DocumentKind.forms.read(bytes).1
                }
            }
            guard let found else { throw WireError(.internalError, "nobody waits for this") }
            var result = DocumentCheck()
            result.valid = found.errors.isEmpty
            result.errors = found.errors.map { IssueInfo($0) }
            result.problems = found.warnings.map { IssueInfo($0) }
            return result
        })
}
