import HarkTesting
import Testing

@testable import HarkSystem

/// Messages of the kernel, taken apart.
@Suite struct NetlinkMessageTests {
    private func news(_ datagram: ArraySlice<UInt8>) -> [NetworkNews] {
        var rest = datagram
        var news: [NetworkNews] = []
        while let message = NetlinkMessage.take(from: &rest) {
            if let one = NetworkNews(message) { news.append(one) }
        }
        return news
    }

    private func address(_ text: String) throws -> IPAddress {
        let news = news(NetlinkDatagram().address(text, 0, on: 1).bytes[...])
        guard case .address(let own, _)? = news.first else { throw SystemError(code: 0, operation: text) }
        return own.address
    }

    @Test("L7: captured links have their names, kinds and states")
    func links() {
        let links = news(Captured.links).compactMap { if case .link(let link) = $0 { link } else { nil } }
        #expect(links.map(\.name) == ["lo", "v1", "v0"])
        #expect(links.map(\.driver) == [nil, "veth", "veth"])
        #expect(links.map(\.hardware) == [772, 1, 1])
        #expect(links.allSatisfy { $0.isUp && $0.isRunning })
        let later = news(Captured.carrierLost).compactMap { if case .link(let link) = $0 { link } else { nil } }
        #expect(later.last { $0.name == "v0" }?.isUp == true)
        #expect(later.last { $0.name == "v0" }?.isRunning == false)
        #expect(later.last { $0.name == "v1" }?.isUp == false)
    }

    @Test("L7: captured addresses are read, and on a point-to-point link the own one")
    func addresses() {
        let texts = news(Captured.addresses).map { news in
            if case .address(let address, let interface) = news { "\(interface) \(address)" } else { "?" }
        }
        let own = ["1 127.0.0.1/8", "1 ::1/128", "3 10.1.1.1/24", "3 10.9.9.1/32", "3 fd00:1::1/64"]
        #expect(texts.filter { !$0.contains(" fe80::") }.sorted() == own)
        #expect(texts.filter { $0.contains(" fe80::") }.count == 2)
        let gone = news(Captured.addressRemoved)
        #expect(
            gone.contains { if case .addressGone(let own, 3) = $0 { own.description == "10.9.9.1/32" } else { false } })
    }

    @Test(
        "L7: of captured routes the default ones are read: metrics, tables, refusals, several ways, a foreign gateway")
    func routes() throws {
        func routes(_ datagram: ArraySlice<UInt8>) -> [DefaultRoute] {
            news(datagram).compactMap { if case .route(let route) = $0 { route } else { nil } }
        }
        func hop(_ gateway: String?) throws -> DefaultRoute.Hop {
            .init(interface: 3, gateway: try gateway.map(address))
        }
        func route(
            _ family: IPAddress.Family, _ metric: UInt32, _ hops: [DefaultRoute.Hop], table: UInt32 = 254
        ) -> DefaultRoute {
            DefaultRoute(
                family: family, table: table, metric: metric, isRefusal: hops.isEmpty, hops: hops, source: nil)
        }
        let expected = [
            route(.ipv4, 0, [try hop("10.1.1.4"), try hop("10.9.9.2")], table: 77),
            route(.ipv4, 100, [try hop("10.1.1.2")]), route(.ipv4, 300, [try hop("fd00:1::3")]), route(.ipv4, 4000, []),
        ]
        #expect(routes(Captured.routes4).sorted { $0.metric < $1.metric } == expected)
        #expect(routes(Captured.routes6) == [route(.ipv6, 1024, [try hop("fd00:1::2")])])
    }

    @Test("an address that is still looked for elsewhere is not there yet, an optimistic one is")
    func tentative() {
        func isThere(flags: UInt32) -> Bool {
            let news = news(NetlinkDatagram().address("fd00::1", 64, on: 2, flags: flags).bytes[...])
            if case .address? = news.first { return true } else { return false }
        }
        #expect(isThere(flags: 0x80))
        #expect(!isThere(flags: 0x40))
        #expect(isThere(flags: 0x44))
        #expect(!isThere(flags: 0x08))
    }

    @Test("what a bridge says of its ports, and routes that are none to everywhere, are passed over")
    func passedOver() {
        #expect(news(NetlinkDatagram().link(2, "eth0", family: 7, isGone: true).bytes[...]).isEmpty)
        #expect(news(NetlinkDatagram().route(over: 2, length: 8).bytes[...]).isEmpty)
        #expect(news(NetlinkDatagram().route(over: 2, type: 2).bytes[...]).isEmpty)
        #expect(news(NetlinkDatagram().other(99).bytes[...]).isEmpty)
    }

    @Test("addresses are written as people write them, and know whether others can answer to them")
    func addressText() throws {
        for text in ["10.0.0.2", "fd00::2", "2001:db8::1", "100.64.0.1", "1::2:3"] {
            #expect(try address(text).description == text)
            #expect(try address(text).isRoutable)
        }
        for text in ["0.0.0.0", "127.0.0.1", "169.254.7.7", "224.0.0.1", "fe80::1", "febf::1", "::1", "ff02::1"] {
            #expect(try !address(text).isRoutable, "\(text)")
        }
    }

    @Test("a datagram that is cut off anywhere yields the whole messages before the cut, and nothing else")
    func truncated() {
        for datagram in [Captured.links, Captured.addresses, Captured.routes4, Captured.carrierLost] {
            let whole = news(datagram)
            var seen = 0
            for length in 0...datagram.count {
                let cut = news(datagram[..<length])
                #expect(whole.starts(with: cut) && (seen...seen + 1).contains(cut.count))
                seen = cut.count
            }
            #expect(seen == whole.count)
        }
    }

    @Test("damaged bytes never bring the reader down", arguments: 0..<8)
    func garbage(_ seed: UInt64) {
        var random = SplitMix64(state: seed)
        let samples = [Captured.links, Captured.addresses, Captured.routes4, Captured.routes6, Captured.carrierLost]
        var tracker = NetworkTracker(port: Captured.port) { _ in .init() }
        for _ in 0..<2_000 {
            var datagram = Array(random.pick(samples).prefix(random.below(4_000)))
            for _ in 0..<random.below(20) where !datagram.isEmpty {
                datagram[random.below(datagram.count)] = UInt8(random.below(256))
            }
            if tracker.need != nil, random.once(in: 3) { _ = tracker.begin() }
            _ = tracker.take(datagram[...])
            _ = tracker.path
        }
        let noise = (0..<4_096).map { _ in UInt8(random.below(256)) }
        for start in 0..<64 { _ = tracker.take(noise[start...]) }
    }
}
