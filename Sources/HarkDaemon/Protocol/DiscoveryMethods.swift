import HarkServer
import HarkSystem
import HarkWire

/// `rpc.discover`, under the name that OpenRPC defines.
enum DiscoveryMethods {
    static let all: [Method] = [discover]

    static let discover = Method(
        Discover.self, summary: "Returns the protocol as an OpenRPC document.",
        details: """
            The result is the document itself ([OpenRPC 1.3](https://spec.open-rpc.org)): each method with JSON Schemas of its parameters and its result, its errors and \
            examples. The notifications of a subscription are under `x-notifications` of the method that begins it. \
            `harkd --describe --json` prints the same.
            """,
        examples: [
            .init(
                params: "{}",
                result: """
                    {"openrpc":"\(OpenRPC.version)","info":{"title":"harkd","version":"\(Version.current)"},\
                    "methods":[],"components":{"schemas":{},"errors":{}}}
                    """)
        ],
        handler: .read { _, _, json in
            for member in OpenRPC.document {
                json.key(member.key)
                json.value(member.value)
            }
        })
}
