import HarkDaemon
import HarkServer
import HarkTesting
import HarkWire

/// Makes requests that are nearly right, from the daemon's own tables of methods, parameters and examples.
struct RequestGenerator {
    struct Request {
        let method: String
        let answer: Step.Answer
        var params: JSONObject
    }

    /// A method with its examples read once.
    private struct Known {
        let method: Method
        let examples: [JSONObject]
        /// Requests that lead up to them.
        let before: [[(method: String, params: JSONObject)]]
    }

    private let methods: [Known]
    private let places: [String: Int]
    private let frequent: [Int]
    private var values = ValueGenerator()

    /// Methods that are called rarely: they take long, or leave no data to look at.
    private static let rare: Set<String> = [
        "event.clear", "retention.apply", "daemon.reload", "config.reload", "flags.refresh", "survey.reset",
        "delivery.flush", "delivery.resume", "delivery.replay", "log.device", "network.status",
    ]
    /// Replied to once somebody has answered, which may be never.
    private static let never: Set<String> = ["prompt.wait"]
    private static let often: Set<String> = [
        "event.record", "counter.trigger", "counter.set", "session.start", "survey.present", "survey.answer",
        "log.write",
    ]

    init() {
        methods = MethodRegistry.all.map { method in
            Known(
                method: method, examples: method.examples.map { Self.object($0.params) },
                before: method.examples.map { $0.before.map(Self.request) })
        }
        places = Dictionary(uniqueKeysWithValues: methods.enumerated().map { ($1.method.name, $0) })
        frequent = methods.indices.flatMap { index -> [Int] in
            let name = MethodRegistry.all[index].name
            if Self.never.contains(name) { return [] }
            return Array(repeating: index, count: Self.often.contains(name) ? 40 : Self.rare.contains(name) ? 1 : 8)
        }
    }

    private static func object(_ text: String) -> JSONObject {
        // The tests see to it that examples are JSON.
        let value = try? JSONReader.read(text)
        return value?.objectValue ?? JSONObject()
    }

    private static func request(_ text: String) -> (method: String, params: JSONObject) {
        let request = object(text)
        return (request["method"]?.stringValue ?? "hello", request["params"]?.objectValue ?? JSONObject())
    }

    /// Any method, with what leads up to it now and then.
    mutating func requests(_ random: inout SplitMix64, for user: Int) -> [Request] {
        let known = methods[random.pick(frequent)]
        guard let example = known.before.indices.randomElement(using: &random) else {
            return [make(known, &random, user)]
        }
        let before = random.once(in: 3) ? known.before[example] : []
        return before.map { make($0.method, $0.params) } + [make(known, &random, user)]
    }

    /// A call of a method by its name, with the given params.
    func make(_ name: String, _ params: JSONObject) -> Request {
        let isOrdered = places[name].map { methods[$0].method.answersInOrder } ?? false
        return Request(method: name, answer: isOrdered ? .ordered : .once, params: Self.withPlaces(params))
    }

    mutating func make(_ name: String, _ random: inout SplitMix64, _ user: Int) -> Request {
        guard let place = places[name] else { return make(name, JSONObject()) }
        return make(methods[place], &random, user)
    }

    private mutating func make(_ known: Known, _ random: inout SplitMix64, _ user: Int) -> Request {
        // A session that root imports for another user, or an answer in that user's place, is that user's to see.
        let isForAnother = ["import", "answer", "change"].contains { known.method.name.hasSuffix(".\($0)") }
        values.user = user == 0 && isForAnother ? nil : user
        var params = JSONObject()
        if !random.once(in: 3), let example = known.examples.randomElement(using: &random) { params = example }
        for parameter in known.method.parameters {
            let isMissing = params[parameter.name] == nil
            if isMissing && !parameter.isOptional ? !random.once(in: 12) : random.once(in: isMissing ? 4 : 3) {
                params[parameter.name] = values.value(for: parameter, of: known.method.name, &random)
            }
        }
        params = Self.withPlaces(params)
        if random.once(in: 5) { params = values.damaged(.object(params), &random).objectValue ?? params }
        if random.once(in: 20) { params["unknown"] = values.any(&random) }
        // A step of its own clears everything, as it knows the expected rest.
        if known.method.name == "event.clear" { params["all"] = nil }
        return Request(
            method: known.method.name, answer: known.method.answersInOrder ? .ordered : .once, params: params)
    }

    /// Replaces ids of the documentation by ids that the daemon has given.
    private static func withPlaces(_ params: JSONObject) -> JSONObject {
        var params = params
        for member in params where member.value.stringValue?.hasPrefix("0199e0f4-8c7a-7000-8000") == true {
            params[member.key] = .string(LearnedIDs.place(member.key == "presentationId" ? .presentation : .session, 0))
        }
        return params
    }

    static func text(_ request: Request, id: Int?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        if let id {
            json.key("id")
            // The form in which `FuzzedConnection` expects it back.
            if id % 7 == 0 { json.string("s\(id)") } else { json.int(id) }
        }
        json.key("method")
        json.string(request.method)
        json.key("params")
        json.object(request.params)
        json.endObject()
        return json.bytes
    }
}
