package import HarkWire

/// A machine's report of its state: on connecting, on meeting another run of the hub, and on changes of the state. The
/// last will of its connection says that it is gone.
package struct FleetHello: FleetMessage {
    /// The id of the machine's log, which belongs to its store: another disk has another.
    package let log: Identifier
    /// The run of the machine's daemon, or one of its connections.
    package let run: Identifier
    /// The number of this hello, which the answer repeats; 0: no answer is wanted.
    package var number: UInt64 = 0
    package var group: String?
    /// The machine's cursor: everything up to here was acknowledged, as far as it knows.
    package var cursor: UInt64 = 0
    /// The last record of its log.
    package var newest: UInt64 = 0
    /// The pending records; nil if not known yet.
    package var pending: UInt64?
    /// The version of the daemon.
    package var version = ""
    /// The version up to which it reads documents; machines of version 0.1.0 do not say.
    package var reads: DocumentVersion?
    package var documents: [Document] = []
    /// Whether it answers pings; machines of version 0.1.0 do not.
    package var answersPings = false
    /// Whether it reports the credits of quotas, now or in another hello; machines of version 0.1.0 have none.
    package var knowsCredits = false
    /// The machine's credits for quotas, and a tag for the hub's answer; nil if the hello says nothing about them.
    package var credits: Credits?
    package var isGone = false
    /// Whether it comes from another hub that probes whether this one is alive.
    package var isProbe = false

    /// A document from the hub, as the machine has it.
    package struct Document: Sendable, Equatable {
        package let kind: FleetDocument.Kind
        package let version: String
        /// Why it is not in force.
        package let problem: String?
        /// The parts that the machine did not get, because its version cannot read them.
        package let held: HeldBack

        package init(kind: FleetDocument.Kind, version: String, problem: String?, held: HeldBack = .none) {
            self.kind = kind
            self.version = version
            self.problem = problem
            self.held = held
        }
    }

    package struct Credits: Sendable, Equatable {
        package let tag: Int64
        package let list: [FleetCredit]

        package init(tag: Int64, list: [FleetCredit]) { (self.tag, self.list) = (tag, list) }
    }

    /// In bytes; longer values are cut, because a hub keeps them for each machine.
    package static let longestVersion = 64
    package static let longestProblem = 500

    package init(log: Identifier, run: Identifier) {
        self.log = log
        self.run = run
    }

    package init?(_ members: JSONObject) {
        guard let log = members.identifier("log"), let run = members.identifier("run") else { return nil }
        self.init(log: log, run: run)
        number = members.number("hello") ?? 0
        group = members.name("group")
        cursor = members.number("cursor") ?? 0
        newest = members.number("newest") ?? 0
        pending = members.number("pending")
        version = (members["harkd"]?.stringValue ?? "").cut(to: FleetHello.longestVersion)
        reads = members["reads"]?.stringValue.flatMap(DocumentVersion.init)
        isGone = members["gone"]?.boolValue ?? false
        isProbe = members["probe"]?.boolValue ?? false
        answersPings = members["ping"]?.boolValue ?? false
        knowsCredits = members["quotas"]?.boolValue ?? false
        if let list = FleetCredit.read(members["credits"]), let tag = members["tag"]?.exactInteger {
            credits = Credits(tag: tag, list: list)
        }
        for kind in FleetDocument.Kind.allCases {
            guard let given = members["config"]?[kind.rawValue], let version = given["version"]?.stringValue else {
                continue
            }
            documents.append(
                Document(
                    kind: kind, version: version.cut(to: FleetHello.longestVersion),
                    problem: given["problem"]?.stringValue.map { $0.cut(to: FleetHello.longestProblem) },
                    held: HeldBack(given["held"])))
        }
    }

    package func write(to json: inout JSONWriter) {
        json.member("log", log)
        json.member("run", run)
        if isGone {
            json.key("gone")
            json.bool(true)
            return
        }
        json.member("hello", number)
        if isProbe {
            json.key("probe")
            json.bool(true)
        }
        if answersPings {
            json.key("ping")
            json.bool(true)
        }
        if knowsCredits {
            json.key("quotas")
            json.bool(true)
        }
        if let group { json.member("group", group) }
        json.member("cursor", cursor)
        json.member("newest", newest)
        if let pending { json.member("pending", pending) }
        json.member("harkd", version)
        if let reads { json.member("reads", reads.description) }
        if let credits {
            json.key("tag")
            json.int(Int(credits.tag))
            FleetCredit.write(credits.list, to: &json)
        }
        json.key("config")
        json.beginObject()
        for document in documents {
            json.key(document.kind.rawValue)
            json.beginObject()
            json.member("version", document.version)
            if let problem = document.problem { json.member("problem", problem) }
            document.held.write(to: &json)
            json.endObject()
        }
        json.endObject()
    }
}

extension String {
    /// The text cut to this many bytes, at a scalar: a character may have any number of scalars.
    func cut(to most: Int) -> String {
        guard utf8.count > most else { return self }
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= most else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
