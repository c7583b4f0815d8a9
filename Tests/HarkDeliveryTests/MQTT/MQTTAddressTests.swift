import HarkDelivery
import Testing

@Suite struct MQTTAddressTests {
    @Test(
        "a broker's address is a scheme, a host and a port",
        arguments: [
            ("mqtt://broker", "broker", 1883, false, "mqtt://broker"),
            ("mqtts://Broker.Example", "broker.example", 8883, true, "mqtts://broker.example"),
            ("MQTT://10.0.0.1:1884/", "10.0.0.1", 1884, false, "mqtt://10.0.0.1:1884"),
            ("mqtts://[2001:db8::1]:9999", "2001:db8::1", 9999, true, "mqtts://[2001:db8::1]:9999"),
            ("mqtt://[::1]", "::1", 1883, false, "mqtt://[::1]"),
        ])
    func taken(url: String, host: String, port: Int, isSecure: Bool, shown: String) throws {
        let address = try MQTTAddress(url)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.isSecure == isSecure)
        #expect(address.description == shown)
        #expect(try MQTTAddress(shown) == address)
    }

    @Test(
        "anything else is refused with what to do, and without what could be secret",
        arguments: [
            ("mqtt://user:secret@host", "settings for them"), ("mqtt://secret@host", "settings for them"),
            ("mqtt://host/secret", "neither paths nor queries"), ("mqtt://host?secret", "neither paths nor queries"),
            ("mqtt://host#secret", "neither paths nor queries"), ("http://secret", "must begin with mqtt://"),
            ("host:1883", "must begin with mqtt://"), ("mqtt:/host", "must begin with mqtt://"), ("", "must begin"),
            ("mqtt://", "names no host"), ("mqtt://:1883", "names no host"), ("mqtt://[]", "names no host"),
            ("mqtt://host:0", "1 to 65535"), ("mqtt://host:65536", "1 to 65535"), ("mqtt://host:", "1 to 65535"),
            ("mqtt://host:+1", "1 to 65535"), ("mqtt://::1", "names no host"), ("mqtt://fe80::1", "brackets"),
            ("mqtt://[::1", "not closed"), ("mqtt://[::1]x", "1 to 65535"), ("mqtt://a b", "blanks"),
            ("mqtt://a\\b", "backslashes"), ("mqtt://a\u{1}b", "control characters"),
        ])
    func refused(url: String, reason: String) throws {
        let failure = try #require(throws: MQTTFailure.self) { try MQTTAddress(url) }
        #expect(failure.kind == .invalid)
        #expect(failure.reason.contains(reason), "\(failure)")
        #expect(!failure.reason.contains("secret"))
    }
}
