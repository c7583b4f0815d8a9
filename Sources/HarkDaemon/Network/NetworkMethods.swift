import HarkServer
import HarkSystem
import HarkWire

/// `network.*`: the network connection of this machine.
enum NetworkMethods {
    static let all: [Method] = [status, subscribe]

    private static let example = """
        "network":{"satisfied":true,"ipv4":true,"ipv6":false,"defaultRoute":{"interface":"wlp3s0",\
        "family":"ipv4","gateway":"192.168.0.1"},"interfaces":[{"name":"lo","index":1,"kind":"loopback",\
        "up":true,"running":true,"addresses":["127.0.0.1/8","::1/128"]},{"name":"wlp3s0","index":3,\
        "kind":"wifi","up":true,"running":true,"addresses":["192.168.0.7/24","fe80::5054:ff:fe12:3456/64"]}]}
        """

    static let status = Method(
        NetworkStatus.self, summary: "Returns how this machine is connected.",
        details: """
            The network is there (`satisfied`) if one family has a default route over a running interface, with an address that \
            others can answer to. This does not mean that a server answers.
            """,
        examples: [.init(params: "{}", result: "{\(example)}")],
        handler: .read { call, _, json throws(WireError) in write(call, to: &json) })

    static let subscribe = Method(
        NetworkSubscribe.self, summary: "Streams changes of the network.",
        details: """
            The reply has the present state. Every change comes as the notification `network.changed` with `params.subscription` \
            and the whole `params.network`. A burst of changes comes as one notification, once they have settled; the return of \
            the network is reported at once.
            """,
        examples: [.init(params: "{}", result: "{\"subscription\":1,\(example)}")],
        handler: .read { call, _, json throws(WireError) in
            let subscription = try call.connection.subscribe(to: call.desk(NetworkHub.self).topic, ())
            json.subscription(subscription.number)
            write(call, to: &json)
        })

    @DaemonActor
    private static func write(_ call: Call, to json: inout JSONWriter) {
        var result = NetworkResult()
        result.network = call.desk(NetworkHub.self).path.map { AnyJSON(NetworkInfo($0)) }
        result.writeMembers(to: &json)
    }
}
