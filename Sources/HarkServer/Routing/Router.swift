import HarkCore
import HarkLedger
package import HarkSystem
package import HarkWire

/// Finds the method of a line, makes the checks that all methods share, and sends the reply.
@DaemonActor
package final class Router {
    private let desks: Desks
    private let all: [Method]
    private let methods: [String: Method]
    private var reader: RequestReader
    private let recordLane: RecordLane
    private let importLane: ImportLane

    /// - Parameter importer: Takes the events of `event.import` that need no method.
    package init(_ methods: [Method], desks: Desks, importer: any EventImporter, nesting: Int) {
        self.desks = desks
        all = methods
        self.methods = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0) })
        reader = RequestReader(maxNesting: nesting)
        recordLane = RecordLane(ledger: desks.ledger)
        importLane = ImportLane(importer, desks.ledger)
    }

    /// Handles one line. The line and all nodes in it are invalid when this returns.
    ///
    /// - Returns: Whether it was one of the quickest requests.
    @discardableResult
    func handle(_ line: UnsafeBufferPointer<UInt8>, from connection: ClientConnection) -> Bool {
        if let order = recordLane.order(plain: line) {
            do throws(WireError) {
                try recordLane.take(order, from: connection)
            } catch {
                refuse(order.id, error, connection)
                return false
            }
            return line.count < 1_024
        }
        let request: Request
        do throws(Request.Refusal) {
            request = try reader.read(line)
        } catch {
            connection.server.statistics.refused += 1
            connection.reply(error.id, error.error)
            return false
        }
        do throws(WireError) {
            if recordLane.isMeant(by: request.method) {
                try recordLane.take(request, from: connection)
                return line.count < 1_024
            }
            if importLane.take(request, from: connection) { return line.count < 1_024 }
            try dispatch(request, bytes: line.count, from: connection)
        } catch {
            refuse(request.id, error, connection)
        }
        return false
    }

    private func dispatch(_ request: Request, bytes: Int, from connection: ClientConnection) throws(WireError) {
        let name = String(decoding: request.method, as: UTF8.self)
        guard let method = methods[name] else { throw unknown(name) }
        // What it asks for is kept as long as the subscription lasts.
        guard bytes <= Limits.subscriptionBytes || method.notifications.isEmpty else {
            throw WireError(
                .tooLarge, "a request that begins a subscription has at most \(Limits.subscriptionBytes) bytes",
                path: "$.params")
        }
        var unknown = request.unknown
        let params = Router.params(request, method, &unknown)
        let warnings = CallWarnings(unknown.warnings)
        let call = Call(desks: desks, methods: all, connection: connection, params: params, warnings: warnings)
        if method.isForAdministrators { try call.requireAdministrator(for: name) }
        for parameter in method.parameters where !parameter.isOptional && !params.has(parameter) {
            throw Params.missing(parameter.name, parameter.type.withArticle)
        }
        let id = request.id
        switch method.handler {
        case .read(let handler):
            let result = try Router.result(warnings) { json throws(WireError) in try handler(call, &json) }
            try check(result.count, for: connection)
            if let id { connection.send { Envelope.result(result, id, in: &$0) } }
        case .write(let handler):
            var reply = HeldReply()
            try handler(call, &reply)
            reply.send(on: connection, to: id, warnings.all)
        case .lasting(let begin):
            run(try begin(call), for: id, warnings, connection)
        case .deferred(let handler):
            run({ json throws(WireError) in try await handler(call, &json) }, for: id, warnings, connection)
        }
    }

    private func run(
        _ rest: @escaping Method.Rest, for id: RequestID?, _ warnings: CallWarnings, _ connection: ClientConnection
    ) {
        connection.deferredCallBegins()
        DaemonActor.task { [self] in
            do throws(WireError) {
                // Written in place within the line: a list is long, and would be copied otherwise.
                var json = JSONWriter()
                Envelope.beginResult(id ?? .null, in: &json)
                let start = json.bytes.count
                json.beginObject()
                try await rest(&json)
                Envelope.finishResult(warnings.all, in: &json)
                try check(json.bytes.count - start, for: connection)
                Envelope.end(&json)
                if id != nil { connection.enqueue(json.bytes) }
            } catch {
                refuse(id, error, connection)
            }
            connection.deferredCallEnded()
        }
    }

    /// Checks the length of a result: lists have pages, and other results must fit in a client's bounds too.
    private func check(_ length: Int, for connection: ClientConnection) throws(WireError) {
        let most = max(connection.server.limits.queuedBytes, 4 * Method.pageBytes)
        guard length > most else { return }
        throw WireError(
            .tooLarge,
            "the answer has \(length) bytes, and may have \(most) (limits.queuedBytes in harkd.json raises the bound); "
                + "ask for less, as with 'limit'")
    }

    /// Refuses a request; one without a reply is only counted.
    package func refuse(_ id: RequestID?, _ error: WireError, _ connection: ClientConnection) {
        connection.server.statistics.refused += 1
        if let id { connection.reply(id, error) }
    }

    private static func result(
        _ warnings: CallWarnings, _ write: (inout JSONWriter) throws(WireError) -> Void
    ) throws(WireError) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        try write(&json)
        Envelope.finishResult(warnings.all, in: &json)
        return json.bytes
    }

    /// The declared parameters as values; of unknown members, only the names are read.
    private static func params(_ request: Request, _ method: Method, _ unknown: inout UnknownMembers) -> Params {
        var members: [(String, JSONValue)] = []
        if let given = request.params?.members {
            let known = Set(method.parameters.map(\.name))
            let longest = known.reduce(0) { max($0, $1.utf8.count) }
            for member in given {
                let name = member.key.count <= longest ? String(decoding: member.key, as: UTF8.self) : ""
                if known.contains(name) {
                    members.append((name, member.value.toValue()))
                } else {
                    unknown.add(member.key)
                }
            }
        }
        return Params(object: JSONObject(members), declared: method.parameters)
    }

    private func unknown(_ name: String) -> WireError {
        let hint = Suggestion.question(for: name, among: methods.keys.sorted())
        return WireError(
            .methodNotFound, "there is no method '\(name.prefix(64))'\(hint) ('hello' lists them all)",
            path: "$.method")
    }
}
