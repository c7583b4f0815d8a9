package import HarkCore
import HarkDelivery
package import HarkWire

extension DestinationSettings {
    /// Reads `destinations` of the settings.
    package static func read(_ settings: inout ObjectReader) -> [DestinationSettings] {
        let key = "destinations"
        let issues = settings.issues
        guard let elements = settings.elements(key, expected: "an array of destinations") else { return [] }
        guard elements.count <= 1_000 else {
            issues.error(settings.path(key), "must be an array of at most 1000 destinations")
            return []
        }
        var destinations: [DestinationSettings] = []
        var weight = 0
        for (value, path) in elements {
            guard let destination = read(value, path: path, issues: issues) else { continue }
            weight += destination.condition?.condition.weight ?? 0
            guard weight <= Limits.weightOfDestinations else {
                issues.error(
                    "\(path).where",
                    "the conditions of the destinations weigh more than \(Limits.weightOfDestinations) together; ask less "
                        + "in them (a comparison weighs 1, a search in a text 100)")
                return destinations
            }
            if destinations.contains(where: { $0.name == destination.name }) {
                issues.error("\(path).name", "is the name of another destination")
            }
            destinations.append(destination)
        }
        return destinations
    }

    private static func read(_ value: JSONValue, path: String, issues: IssueCollector) -> DestinationSettings? {
        let expected = "an object with a name, a kind and where it is"
        guard
            var reader = ObjectReader(value, path: path, issues: issues, expected: expected, manner: .settings)
        else { return nil }
        let name = reader.read("name", .destinationName, isRequired: true)
        // Without a kind, no other member can be checked.
        guard let kind = reader.read("kind", MemberType<Kind>.ofServers, isRequired: true) else { return nil }
        defer { reader.finish() }
        let place = kind == .sensorcore ? "host" : "url"
        let url = reader.text(place, isRequired: true)
        if let fault = url.flatMap({ fault(ofURL: $0, kind) }) { issues.error(reader.path(place), fault) }
        var settings = DestinationSettings(name: name ?? "", kind: kind, url: url ?? "")
        if kind == .http { settings.readTemplate(&reader) }
        if kind == .sensorcore {
            let host = String(settings.url.reversed().drop { $0 == "/" }.reversed())
            settings.host = host
            settings.url = host + "/api/logs"
        }
        if kind.isSink { settings.readSink(&reader) } else { settings.readMembers(&reader) }
        return name != nil && url != nil ? settings : nil
    }

    private mutating func readMembers(_ reader: inout ObjectReader) {
        apiKey = Secret.read("apiKey", "a key", in: &reader)
        reader.take("enabled", .bool, into: &isEnabled)
        readFilters(&reader)
        reader.take("socket", .string, into: &unixSocket)
        reader.take("caFile", .string, into: &authoritiesFile)
        reader.take("timeoutSeconds", .seconds(upTo: 3_600), into: &timeoutSeconds)
        reader.take("retryBaseSeconds", .seconds(upTo: 86_400), into: &backoff.base)
        reader.take("retryCapSeconds", .seconds(upTo: 86_400), into: &backoff.cap)
        reader.take("concurrency", .integer(in: 1...64), into: &concurrency)
        reader.take("batchEntries", .integer(in: 1...10_000), into: &batchEntries)
        reader.take("batchBytes", .integer(in: 1_024...(16 << 20)), into: &batchBytes)
        reader.take("maxAttempts", .orNull(.integer(in: 1...1_000)), into: &maxAttempts)
        reader.take("persistFailedLogs", .bool, into: &keepsFailedLogs)
        reader.take("maxPendingLogs", .orNull(.integer(in: 0...100_000_000)), into: &maxPendingLogs)
        reader.take("pendingLogMaxAge", .orNull(.integer(in: 1...3_153_600_000)), into: &maxLogAgeSeconds)
        reader.take("maxDeadLetters", .integer(in: 0...1_000_000), into: &maxDeadLetters)
        reader.take("suspendUntilRestart", .bool, into: &suspendsUntilRestart)
        reader.take("defaultUserId", .string, into: &defaultUserId)
        reader.take("compression", .word, into: &compression)
        if kind == .sensorcore {
            if batchEntries != 1 {
                reader.issues.error(reader.path("batchEntries"), "must be 1: SensorCore takes one")
            }
            return
        }
        headers = ServerHeader.read(&reader)
        guard kind == .http else { return }
        reader.take("method", .word(of: ["POST", "PUT"].map { ($0, $0) }), into: &method)
        guard template != nil else { return reader.take("format", .word, into: &format) }
        reader.forbid("format", "is of no use with a template, which is filled for one record at a time")
        if batchEntries != 1 {
            reader.issues.error(reader.path("batchEntries"), "must be 1: a template is filled for one record at a time")
        }
    }

    /// Reads the template for each record, and the defaults that come with one.
    private mutating func readTemplate(_ reader: inout ObjectReader) {
        reader.take("preset", .word, into: &chat)
        template = chat?.template()
        if let document = reader.value("template"),
            let own = MessageTemplate(document, path: reader.path("template"), issues: reader.issues)
        {
            template = document.stringValue.flatMap { chat?.template($0) } ?? own
        }
        guard template != nil else { return }
        (contents, batchEntries, method) = ([.event], 1, chat?.method ?? method)
    }

    /// Reads which records the destination gets.
    package mutating func readFilters(_ reader: inout ObjectReader) {
        reader.take("kinds", .contents, into: &contents)
        reader.take(
            "names", .strings("an array of event names, in which * stands for any characters"), into: &names)
        readCondition(&reader)
        reader.take("level", .word, into: &level)
    }

    private mutating func readCondition(_ reader: inout ObjectReader) {
        guard let value = reader.value("where") else { return }
        let path = reader.path("where")
        guard let condition = Condition.read(value, path: path, issues: reader.issues) else { return }
        reader.issues.warnIfImpossible(condition, path, kind: EventField.kind)
        do throws(ConditionFault) {
            self.condition = try EventCondition(condition)
        } catch {
            reader.issues.error(path, error.message)
        }
        if contents.isDisjoint(with: [.event, .survey]) {
            reader.issues.warning(
                path, "is a condition on events, and 'kinds' has neither event nor survey; it has no effect")
        }
    }
}

extension Secret {
    /// Reads the source of a secret: `apiKeyFile`, `apiKeyCredential` or `apiKeyEnv`, where `name` is `apiKey`.
    package static func read(_ name: String, _ what: String, in reader: inout ObjectReader) -> Secret? {
        reader.forbid(
            name,
            "\(what) does not belong here; put it into a file and name that with \(name)File (or \(name)Credential, "
                + "\(name)Env)")
        let file = reader.text("\(name)File").map(Secret.file)
        let credential = reader.text("\(name)Credential").map(Secret.credential)
        let variable = reader.text("\(name)Env").map(Secret.environment)
        let keys = [file, credential, variable].compactMap(\.self)
        if keys.count > 1 {
            reader.issues.error(reader.path, "give one of \(name)File, \(name)Credential and \(name)Env")
        }
        return keys.first
    }

    /// Writes such a member.
    package func write(as name: String, to json: inout JSONWriter) {
        switch self {
        case .file(let path):
            json.key("\(name)File")
            json.string(path)
        case .credential(let credential):
            json.key("\(name)Credential")
            json.string(credential)
        case .environment(let variable):
            json.key("\(name)Env")
            json.string(variable)
        }
    }
}

extension MemberType<DestinationSettings.Kind> {
    fileprivate static var ofServers: MemberType {
        .word(of: DestinationSettings.Kind.servers.map { ($0.rawValue, $0) })
    }
}

extension MemberType<String> {
    /// A word that can be a file's name. The archive's name is taken.
    fileprivate static var destinationName: MemberType {
        MemberType("\(shortName.words), and not 'archive'") { value in
            shortName.read(value).flatMap { $0 == "archive" ? nil : $0 }
        }
    }

    /// A word that can be a file's name.
    package static var shortName: MemberType {
        MemberType("1 to 64 letters, digits, '-', '_' or '.'") { value in
            guard let name = value.stringValue, (1...64).contains(name.utf8.count) else { return nil }
            let isWord = name.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                        || "-_.".contains(Character(scalar)))
            }
            return isWord ? name : nil
        }
    }
}

extension MemberType<Double> {
    package static func seconds(upTo most: Double) -> MemberType {
        MemberType("a number of seconds, more than 0 and at most \(Int(most))") { value in
            value.doubleValue.flatMap { $0 > 0 && $0 <= most ? $0 : nil }
        }
    }
}

extension MemberType<Set<DestinationSettings.Content>> {
    fileprivate static var contents: MemberType {
        let all = DestinationSettings.Content.allCases.map(\.rawValue).joined(separator: ", ")
        return MemberType("an array of some of \(all)") { value in
            let words = value.arrayValue?.map { $0.stringValue.flatMap(DestinationSettings.Content.init) } ?? []
            let known = words.compactMap(\.self)
            return known.isEmpty || known.count < words.count ? nil : Set(known)
        }
    }
}
