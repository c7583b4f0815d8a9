package import HarkCore
package import HarkServer
package import HarkSystem
package import HarkWire

/// The content of `harkd.json`, with defaults for everything that it leaves out.
package struct Configuration: Sendable, Equatable {
    package var retention = RetentionPolicy.long
    /// The preset the retention was given by; nil for custom numbers.
    var retentionPreset: RetentionPreset? = .long
    /// Whether the settings define the retention; if not, the default holds.
    package var namesRetention = false
    package var archive = true
    package var limits = SocketLimits()
    /// In system mode, members of this group see and manage the records of all users.
    package var administratorGroup = "adm"
    package var logLevel = Log.Level.info
    package var surveys = DocumentOrigin.file("surveys.json")
    package var forms = DocumentOrigin.file("forms.json")
    package var notify = NotifySettings()
    package var debug = DebugMode.production
    package var destinations: [DestinationSettings] = []
    package var flags = FlagSettings()
    package var counters = CounterConfiguration.none
    /// The sections of families that declare their own settings.
    package var sections = SettingsSections()

    package init() {}

    /// Settings that take effect only after a restart of the daemon.
    package static let needsRestart = ["adminGroup", "limits.nesting"]

    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("retention")
        if let retentionPreset { json.string(retentionPreset.rawValue) } else { retention.write(to: &json) }
        json.key("archive")
        json.bool(archive)
        json.key("limits")
        json.beginObject()
        json.key("lineBytes")
        json.int(limits.lineBytes)
        json.key("lineBytesPerUser")
        json.int(limits.lineBytesPerUser)
        json.key("connectionsPerUser")
        json.int(limits.connectionsPerUser)
        json.key("subscriptionsPerUser")
        json.int(limits.subscriptionsPerUser)
        json.key("queuedBytes")
        json.int(limits.queuedBytes)
        json.key("queuedBytesPerUser")
        json.int(limits.queuedBytesPerUser)
        json.key("clientBytes")
        json.int(limits.clientBytes)
        json.key("nesting")
        json.int(limits.nesting)
        json.endObject()
        json.key("adminGroup")
        json.string(administratorGroup)
        json.key("logLevel")
        json.string(logLevel.word)
        json.key("surveys")
        surveys.write(to: &json)
        json.key("forms")
        forms.write(to: &json)
        json.key("notify")
        notify.write(to: &json)
        json.key("debug")
        debug.write(to: &json)
        json.key("destinations")
        json.beginArray()
        for destination in destinations { destination.write(to: &json) }
        json.endArray()
        json.key("flags")
        if flags.place == .nowhere { json.null() } else { flags.write(to: &json) }
        json.key("counters")
        json.object(JSONObject(counters.counters.map { ($0.name.text, $0.document) }))
        json.key("executions")
        json.value(.array(counters.executions.map(\.document)))
        sections.write(to: &json)
        json.endObject()
    }
}

extension Log.Level {
    package static let words: [(String, Log.Level)] = [
        ("error", .error), ("warning", .warning), ("notice", .notice), ("info", .info), ("debug", .debug),
    ]

    package var word: String { Log.Level.words.first { $0.1 == self }?.0 ?? "info" }
}
