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
            MethodShape(Request.self), summary: summary, details: details, isForAdministrators: isForAdministrators,
            refusals: refusals, examples: examples,
            handler: .write { call, reply throws(WireError) in
                let request = try ParamsReader.read(Request.self, call.params)
                try decide(call, request).tell(in: &reply) { result, json in result.writeMembers(to: &json) }
            })
    }

    /// A method that answers asynchronously.
    package init<Request: WireMethod>(
        _ request: Request.Type, summary: String, details: String = "", isForAdministrators: Bool = false,
        refusals: [Refusal] = [], examples: [Example],
        answering answer: @escaping @DaemonActor @Sendable (Call, Request) async throws(WireError) -> Request.Result
    ) {
        self.init(
            MethodShape(Request.self), summary: summary, details: details, isForAdministrators: isForAdministrators,
            refusals: refusals, examples: examples,
            handler: .deferred { call, json throws(WireError) in
                let request = try ParamsReader.read(Request.self, call.params)
                try await answer(call, request).writeMembers(to: &json)
            })
    }
}
