package import HarkWire

/// The credits of a machine for a quota that its hub deals, as machine and hub report them to each other.
package struct FleetCredit: Sendable, Equatable {
    /// Four numbers that only grow, and the state of the fleet, which only the hub reports.
    package struct Cell: Sendable, Equatable {
        package var dealt = 0
        package var returned = 0
        package var spent = 0
        package var freed = 0
        package var standing: Standing?

        package init(dealt: Int, returned: Int, spent: Int, freed: Int, standing: Standing? = nil) {
            (self.dealt, self.returned, self.spent, self.freed) = (dealt, returned, spent, freed)
            self.standing = standing
        }
    }

    package struct Standing: Sendable, Equatable {
        package let limit: Int
        package let used: Int
        package let held: Int

        package init(limit: Int, used: Int, held: Int) { (self.limit, self.used, self.held) = (limit, used, held) }
    }

    package struct Want: Sendable, Equatable {
        package let cells: [String]
        package let count: Int

        package init(cells: [String], count: Int) { (self.cells, self.count) = (cells, count) }
    }

    package let survey: String
    /// The beginning of the period; nil if the quota has none.
    package let begins: Timestamp?
    /// The cells by name; "" is the whole quota.
    package var cells: [String: Cell] = [:]
    package var wants: [Want] = []

    package init(survey: String, begins: Timestamp?) {
        self.survey = survey
        self.begins = begins
    }

    /// The maximum number in a message.
    package static let most = 32
    package static let mostCells = 17
    package static let mostWants = 64
    /// The maximum number of answers.
    package static let mostAnswers: Int64 = 1_000_000_000

    /// - Returns: Nil if the value is no credit.
    init?(_ value: JSONValue) {
        guard let members = value.objectValue, let survey = members["survey"]?.stringValue,
            (1...1_000).contains(survey.utf8.count), let cells = members["cells"]?.objectValue,
            cells.count <= FleetCredit.mostCells
        else { return nil }
        self.init(survey: survey, begins: members["begins"]?.exactInteger.map { Timestamp(milliseconds: $0) })
        for member in cells {
            // A cell of another kind belongs to a later version.
            guard member.value.arrayValue != nil else { continue }
            guard let numbers = FleetCredit.counts(member.value), numbers.count >= 4 else { return nil }
            self.cells[member.key] = Cell(
                dealt: numbers[0], returned: numbers[1], spent: numbers[2], freed: numbers[3],
                standing: numbers.count >= 7 ? Standing(limit: numbers[4], used: numbers[5], held: numbers[6]) : nil)
        }
        for want in (members["wants"]?.arrayValue ?? []).prefix(FleetCredit.mostWants) {
            guard let names = want["cells"]?.arrayValue, names.count <= FleetCredit.mostCells,
                let count = want["count"]?.exactInteger, (1...1_000).contains(count)
            else { return nil }
            wants.append(Want(cells: names.compactMap(\.stringValue), count: Int(count)))
        }
    }

    private static func counts(_ value: JSONValue) -> [Int]? {
        guard let elements = value.arrayValue, elements.count <= 16 else { return nil }
        let numbers = elements.compactMap { element in
            element.exactInteger.flatMap { (0...mostAnswers).contains($0) ? Int($0) : nil }
        }
        return numbers.count == elements.count ? numbers : nil
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("survey", survey)
        if let begins {
            json.key("begins")
            json.int(Int(begins.milliseconds))
        }
        json.key("cells")
        json.beginObject()
        for (name, cell) in cells.sorted(by: { $0.key < $1.key }) {
            json.key(name)
            let standing = cell.standing.map { [$0.limit, $0.used, $0.held] } ?? []
            json.beginArray()
            for number in [cell.dealt, cell.returned, cell.spent, cell.freed] + standing { json.int(number) }
            json.endArray()
        }
        json.endObject()
        if !wants.isEmpty {
            json.key("wants")
            json.beginArray()
            for want in wants {
                json.beginObject()
                json.key("cells")
                json.value(.array(want.cells.map { .string($0) }))
                json.key("count")
                json.int(want.count)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
    }

    static func read(_ value: JSONValue?) -> [FleetCredit]? {
        guard let elements = value?.arrayValue, elements.count <= FleetCredit.most else { return nil }
        let credits = elements.compactMap { FleetCredit($0) }
        return credits.count == elements.count ? credits : nil
    }

    package static func write(_ credits: [FleetCredit], to json: inout JSONWriter) {
        json.key("credits")
        json.beginArray()
        for credit in credits { credit.write(to: &json) }
        json.endArray()
    }
}

/// A hub's message to a machine about the credits of quotas, apart from its acknowledgements.
package struct FleetCreditWord: FleetMessage {
    package let store: Identifier
    package let run: Identifier
    package let log: Identifier
    /// The tag of the machine's report; nil if this answers none.
    package var tag: Int64?
    /// How long the machine may use credits after that report, in milliseconds.
    package var lease: Int64 = 0
    package var credits: [FleetCredit] = []
    /// Surveys whose unused credits the machine must return.
    package var recalled: [String] = []

    private static let kind = "credits"

    package init(store: Identifier, run: Identifier, log: Identifier) {
        (self.store, self.run, self.log) = (store, run, log)
    }

    package init?(_ members: JSONObject) {
        guard members["kind"]?.stringValue == FleetCreditWord.kind, let store = members.identifier("store"),
            let run = members.identifier("run"), let log = members.identifier("log"),
            let credits = FleetCredit.read(members["credits"])
        else { return nil }
        self.init(store: store, run: run, log: log)
        self.credits = credits
        tag = members["tag"]?.exactInteger
        lease = members["lease"]?.exactInteger ?? 0
        recalled = (members["recalled"]?.arrayValue ?? []).prefix(FleetCredit.most).compactMap(\.stringValue)
    }

    package func write(to json: inout JSONWriter) {
        json.member("kind", FleetCreditWord.kind)
        json.member("store", store)
        json.member("run", run)
        json.member("log", log)
        if let tag {
            json.key("tag")
            json.int(Int(tag))
            json.key("lease")
            json.int(Int(lease))
        }
        FleetCredit.write(credits, to: &json)
        if !recalled.isEmpty {
            json.key("recalled")
            json.value(.array(recalled.map { .string($0) }))
        }
    }
}
