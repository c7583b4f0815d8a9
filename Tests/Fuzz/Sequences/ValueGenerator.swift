import HarkDaemon
import HarkServer
import HarkTesting
import HarkWire

/// Makes values for parameters: mostly sensible ones, and values at and beyond each bound.
struct ValueGenerator {
    /// The user, whose texts bear a mark so that a leak to another user is noticed. Nil: they bear none.
    var user: Int?

    private static let apps = ["default", "shop", "kiosk", "é", "e\u{301}", "", String(repeating: "a", count: 129)]
    private static let users = [
        "ada", "bob", "user-123", "é", "e\u{301}", "../x", "", String(repeating: "u", count: 1_025),
    ]
    private static let events = [
        "checkout_success", "door_opened", "button_tap", "app_opened", "visit_completed", "survey_response", "*",
    ]
    private static let counters = ["opens", "shares", "closes", "taps", "plain", "n0", "n1", "n2", "é", "e\u{301}"]
    private static let integers: [Int64] = [
        0, 1, 2, 3, 10, 100, 1_000, 10_000, -1, .max, .min, .max - 1, 1 << 53, 1 << 31, 31_536_000,
    ]
    private static let doubles = [
        0.0, -0.0, 0.5, 1.5, 1e308, .leastNonzeroMagnitude, -1e308, 9_007_199_254_740_992, 1e19,
    ]
    private static let texts = [
        "", "x", "Great", "Sleep", "Tea", "a\"b", "\u{0}", "\u{7F}", "\u{9B}31m", "\u{202E}", "😀", "日本語", "e\u{301}",
        "‖", "||", "08:00-18:00", "22:00-06:00", "mon-fri", "sat,sun",
        "a,b\nc", " padded ", "2026-11-21T11:08:00.123Z", "2026-11-21T00:00:00Z", "9999-12-31T23:59:59Z", "production",
    ]
    private static let fields = [
        "opens", "n", "screen", "a", "@name", "@user", "@app", "@session", "@uid", "@pid", "@seq", "@@x", "@none", "",
    ]
    private static let operators = [
        "eq", "ne", "gt", "gte", "lt", "lte", "contains", "notContains", "exists", "notExists", "like",
    ]

    mutating func value(
        for parameter: Shape.Member, of method: String, _ random: inout SplitMix64
    ) -> JSONValue {
        if random.once(in: 25) { return any(&random) }
        if let value = named(parameter.name, method, &random) { return value }
        return value(of: parameter.type, &random)
    }

    private mutating func value(of type: Shape, _ random: inout SplitMix64) -> JSONValue {
        switch type {
        case .string: text(&random)
        case .oneOf(let words): .string(random.once(in: 6) ? random.pick(Self.texts) : random.pick(words))
        case .integers: integer(&random)
        case .bool: .bool(random.once(in: 2))
        case .map, .members: .object(properties(&random))
        case .id: .string(id(&random))
        case .time: .string(random.pick(Self.texts.suffix(4)))
        case .array(.string): .array((0..<random.below(4)).map { _ in .string(random.pick(Self.counters)) })
        case .array(let element): .array((0..<random.below(4)).map { _ in value(of: element, &random) })
        case .orNull(let shape), .named(_, let shape): value(of: shape, &random)
        case .either(let shapes): value(of: random.pick(shapes), &random)
        case .numbers, .any: any(&random)
        }
    }

    private mutating func named(_ name: String, _ method: String, _ random: inout SplitMix64) -> JSONValue? {
        let family = method.prefix { $0 != "." }
        switch name {
        case "app": return .string(pick(Self.apps, &random))
        case "userId": return random.once(in: 6) ? .null : .string(pick(Self.users, &random))
        case "name": return .string(family == "counter" ? pick(Self.counters, &random) : pick(Self.events, &random))
        case "surveyId": return .string(random.pick(["rating", "words", "counted", "quarterly", "both", "none"]))
        case "formId": return .string(random.pick(["start", "sent", "none"]))
        case "questionId": return .string(random.pick(["goal", "tried", "q", "recommend", "rooms", "pace", "why"]))
        case "id": return .string(random.pick(["third-open", "often", "e0", "e1", "e2", "tell", "program"]))
        case "destination": return .string(random.pick(["archive", "hook", "core", "nobody"]))
        case "limit": return .int(random.once(in: 40) ? random.pick(Self.integers) : Int64(random.below(30)))
        case "subscription": return .int(Int64(random.below(4)))
        case "presentationId": return .string(LearnedIDs.place(.presentation, random.below(4)))
        case "sessionId": return .string(LearnedIDs.place(.session, random.below(8)))
        case "scope": return .string(random.pick(["instance", "session", "app"]))
        case "type": return .string(random.pick(["integer", "double", "bool", "string", "array", "any", "int", "raw"]))
        case "order": return .string(random.pick(["asc", "desc"]))
        case "as": return .string(random.pick(["objects", "lines"]))
        case "level": return .string(random.pick(["info", "warning", "error", "messages"]))
        case "format": return .string(random.pick(["json", "openmetrics"]))
        case "kind": return .string(random.pick(["harkd", "surveys", "forms"]))
        case "text": return document(&random)
        case "when", "where": return random.once(in: 2) ? conditionText(&random) : condition(&random, depth: 0)
        case "by": return .array((0..<random.below(5)).map { _ in .string(random.pick(Self.fields)) })
        case "distinct": return .string(random.pick(Self.fields))
        case "percentiles": return random.once(in: 3) ? any(&random) : [0, 50, 99.9, 100]
        case "boundaries":
            return random.once(in: 3)
                ? any(&random) : ["2026-01-01T00:00:00Z", "2026-11-21T00:00:00Z", "9999-12-31T23:59:59Z"]
        case "run": return action(&random)
        case "answers": return .object(answers(&random))
        case "seconds": return random.once(in: 4) ? integer(&random) : .int(1)
        case "policy": return policy(&random)
        default: return nil
        }
    }

    // MARK: What makes sense

    private func pick(_ words: [String], _ random: inout SplitMix64) -> String {
        // The first are the usual ones.
        random.once(in: 4) ? random.pick(words) : words[random.below(min(3, words.count))]
    }

    private func id(_ random: inout SplitMix64) -> String {
        LearnedIDs.place(LearnedIDs.Kind.allCases[random.below(LearnedIDs.Kind.allCases.count)], random.below(8))
    }

    private func document(_ random: inout SplitMix64) -> JSONValue {
        let variants = FuzzedFiles.variants(of: random.pick(FuzzedFiles.names)).compactMap(\.self)
        return random.once(in: 2)
            ? text(&random) : .string(random.pick(variants).replacing(FuzzedFiles.secret, with: "word"))
    }

    /// Words of conditions, in an order that makes one now and then.
    private func conditionText(_ random: inout SplitMix64) -> JSONValue {
        let words =
            Self.fields + [
                "and", "or", "not", "(", ")", "=", ">", "<=", "in", "contains", "exists", "\"a b\"", "3", ",",
            ]
        if random.once(in: 2) {
            let parts = (0...random.below(4)).map { _ in
                "\(random.pick(Self.fields)) \(random.pick(["=", "!=", ">", "contains"])) \(random.pick(["3", "1e400", "'x'"]))"
            }
            return .string(parts.joined(separator: random.pick([" and ", " or ", " and not "])))
        }
        return .string((0..<random.below(12)).map { _ in random.pick(words) }.joined(separator: " "))
    }

    private func condition(_ random: inout SplitMix64, depth: Int) -> JSONValue {
        switch random.below(depth < 4 ? 6 : 2) {
        case 2:
            return [
                random.pick(["all", "any"]): .array(
                    (0..<random.below(4)).map { _ in condition(&random, depth: depth + 1) })
            ]
        case 3: return ["not": condition(&random, depth: depth + 1)]
        default:
            let matcher: JSONValue =
                random.once(in: 3)
                ? any(&random) : ["op": .string(random.pick(Self.operators)), "value": any(&random)]
            return .object(JSONObject([(pick(Self.counters, &random), matcher)]))
        }
    }

    private func action(_ random: inout SplitMix64) -> JSONValue {
        switch random.below(12) {
        case 0: ["exec": ["/bin/true", "\(mark)"]]
        case 1: ["exec": ["/nonexistent/program"]]
        case 2: ["exec": []]
        case 3, 4: ["survey": "rating"]
        default: ["notify": true]
        }
    }

    private func answers(_ random: inout SplitMix64) -> JSONObject {
        var answers: JSONObject = [:]
        for _ in 0..<random.below(4) {
            answers[random.pick(["goal", "tried", "q", "recommend", "rooms", "x"])] =
                random.pick(["Sleep", ["Tea", "Music"], "Why", 9, ["Lab"], [], ""])
        }
        return answers
    }

    private func policy(_ random: inout SplitMix64) -> JSONValue {
        random.once(in: 2)
            ? .string(random.pick(["none", "long", "conservative", "standard", "aggressive"]))
            : .object(
                JSONObject([(random.pick(["maxAgeDays", "maxSessionsPerUser", "maxStoreBytes"]), integer(&random))]))
    }

    private func properties(_ random: inout SplitMix64) -> JSONObject {
        var object: JSONObject = [:]
        for index in 0..<random.below(5) {
            object[random.once(in: 5) ? random.pick(Self.texts) : "k\(index)"] =
                random.once(in: 12) ? any(&random) : primitive(&random)
        }
        return object
    }

    // MARK: Whatever there is

    private var mark: String { user.map { "secret-of-\(ReplyReader.secret(of: $0))" } ?? "word" }

    private func text(_ random: inout SplitMix64) -> JSONValue {
        if random.once(in: 300) {
            return .string(String(repeating: random.pick(["x", "é", "\u{1}"]), count: random.below(70_000)))
        }
        return .string(random.once(in: 4) ? mark : random.pick(Self.texts))
    }

    private func integer(_ random: inout SplitMix64) -> JSONValue {
        random.once(in: 12) ? .double(random.pick(Self.doubles)) : .int(random.pick(Self.integers))
    }

    private func primitive(_ random: inout SplitMix64) -> JSONValue {
        switch random.below(6) {
        case 0: integer(&random)
        case 1: .bool(random.once(in: 2))
        case 2: .double(random.pick(Self.doubles))
        case 3: .null
        default: text(&random)
        }
    }

    func any(_ random: inout SplitMix64, depth: Int = 0) -> JSONValue {
        switch random.below(depth < 4 ? 9 : 6) {
        case 6: .array((0..<random.below(5)).map { _ in any(&random, depth: depth + 1) })
        case 7: .object(properties(&random))
        default: primitive(&random)
        }
    }

    /// Changes one place of a value.
    func damaged(_ value: JSONValue, _ random: inout SplitMix64) -> JSONValue {
        switch value {
        case .object(var object) where !object.isEmpty && !random.once(in: 6):
            let key = random.pick(object.keys)
            switch random.below(8) {
            case 0: object[key] = nil
            case 1: object["k"] = object[key]
            default: object[key] = object[key].map { damaged($0, &random) }
            }
            return .object(object)
        case .array(var array) where !array.isEmpty && !random.once(in: 6):
            let index = random.below(array.count)
            if random.once(in: 6) { array.append(array[index]) }
            array[index] = damaged(array[index], &random)
            return .array(array)
        default: return any(&random)
        }
    }
}
