package import HarkLedger
import HarkSystem
package import HarkWire

/// Methods declared as types: params are read and results are written by their declared members.
extension Method {
    /// A method that decides at once; its reply waits for the commit.
    package init<Request: WireMethod>(
        _ request: Request.Type, summary: String, details: String = "", isForAdministrators: Bool = false,
        refusals: [Refusal] = [], examples: [Example],
        deciding decide: @escaping @DaemonActor @Sendable (Call, Request) throws(WireError) -> Decided<Request.Result>
    ) {
        self.init(
            request: Request.self, parameters: Request.members, summary: summary, details: details,
            isForAdministrators: isForAdministrators, refusals: refusals, examples: examples,
            handler: .write { call, reply throws(WireError) in
                let request = try ParamsReader.read(Request.self, call.params)
                try decide(call, request).tell(in: &reply) { result, json in result.writeMembers(to: &json) }
            })
    }

    /// A method whose handler writes the result.
    package init<Request: WireMethod>(
        _ request: Request.Type, summary: String, details: String = "", isForAdministrators: Bool = false,
        refusals: [Refusal] = [], examples: [Example], handler: RequestHandler<Request>
    ) {
        self.init(
            request: Request.self, parameters: Request.members, summary: summary, details: details,
            isForAdministrators: isForAdministrators, refusals: refusals, examples: examples, handler: handler.handler)
    }

    /// A handler as `Handler`, which takes the request.
    package enum RequestHandler<Request: WireMethod> {
        case write(@DaemonActor @Sendable (Call, Request, inout HeldReply) throws(WireError) -> Void)
        case read(@DaemonActor @Sendable (Call, Request, inout JSONWriter) throws(WireError) -> Void)
        case lasting(@DaemonActor @Sendable (Call, Request) throws(WireError) -> Rest)
        case deferred(@DaemonActor @Sendable (Call, Request, inout JSONWriter) async throws(WireError) -> Void)

        fileprivate var handler: Handler {
            switch self {
            case .write(let body):
                .write { call, reply throws(WireError) in
                    try body(call, ParamsReader.read(Request.self, call.params), &reply)
                }
            case .read(let body):
                .read { call, json throws(WireError) in
                    try body(call, ParamsReader.read(Request.self, call.params), &json)
                }
            case .lasting(let body):
                .lasting { call throws(WireError) in try body(call, ParamsReader.read(Request.self, call.params)) }
            case .deferred(let body):
                .deferred { call, json throws(WireError) in
                    try await body(call, ParamsReader.read(Request.self, call.params), &json)
                }
            }
        }
    }

    /// A method that answers asynchronously.
    package init<Request: WireMethod>(
        _ request: Request.Type, summary: String, details: String = "", isForAdministrators: Bool = false,
        refusals: [Refusal] = [], examples: [Example],
        answering answer: @escaping @DaemonActor @Sendable (Call, Request) async throws(WireError) -> Request.Result
    ) {
        self.init(
            request: Request.self, parameters: Request.members, summary: summary, details: details,
            isForAdministrators: isForAdministrators, refusals: refusals, examples: examples,
            handler: .deferred { call, json throws(WireError) in
                let request = try ParamsReader.read(Request.self, call.params)
                try await answer(call, request).writeMembers(to: &json)
            })
    }
}
