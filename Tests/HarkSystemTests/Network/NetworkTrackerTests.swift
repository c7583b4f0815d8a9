import Testing

@testable import HarkSystem

/// Dumps and news in any order.
@Suite struct NetworkTrackerTests {
    /// A kernel that answers the requests of a tracker.
    private struct Kernel {
        var tracker = NetworkTracker(port: NetlinkDatagram.port) { _ in .init() }
        var hasRoute = true
        private var request: [UInt8]?

        /// The kind of the request that waits, and its number.
        var waiting: (type: UInt16, sequence: UInt32)? {
            guard var rest = request.map({ $0[...] }), let message = NetlinkMessage.take(from: &rest) else {
                return nil
            }
            return (message.type, message.sequence)
        }

        mutating func begin() { request = tracker.begin() }

        mutating func tell(_ news: NetlinkDatagram) {
            #expect(tracker.take(news.bytes[...]) == nil)
        }

        /// Answers the request that waits, as things are now.
        mutating func answer(
            isInterrupted: Bool = false, _ end: (NetlinkDatagram) -> NetlinkDatagram = { $0.done() }
        ) {
            guard let (type, sequence) = waiting else { return }
            var answer = NetlinkDatagram(answering: sequence, isInterrupted: isInterrupted)
            switch type {
            case 18: answer = answer.loopback().link(2, "eth0")
            case 22: answer = answer.address("10.0.0.2", 24, on: 2)
            default:
                if hasRoute, request?[16] == 2 { answer = answer.route(over: 2, by: "10.0.0.1") }
            }
            request = tracker.take(end(answer).bytes[...])
        }

        /// Answers until there is nothing to answer.
        mutating func finish() {
            while waiting != nil { answer() }
        }
    }

    @Test("a first dump asks for links, addresses and the routes of both families, and then the path is known")
    func firstDump() {
        var kernel = Kernel()
        #expect(kernel.tracker.need == .everything)
        kernel.begin()
        var asked: [UInt16] = []
        while let (type, _) = kernel.waiting {
            asked.append(type)
            #expect(!kernel.tracker.path.isSatisfied)
            kernel.answer()
        }
        #expect(asked == [18, 22, 26, 26])
        #expect(kernel.tracker.path.isSatisfied)
        #expect(kernel.tracker.need == nil)
        #expect(!kernel.tracker.isDumping)
    }

    @Test("the carrier, addresses and links are followed by the news alone")
    func news() {
        var kernel = Kernel()
        kernel.begin()
        kernel.finish()
        kernel.tell(NetlinkDatagram().link(2, "eth0", flags: 0x1001))
        #expect(!kernel.tracker.path.isSatisfied)
        kernel.tell(NetlinkDatagram().link(2, "eth0"))
        #expect(kernel.tracker.path.isSatisfied)
        kernel.tell(NetlinkDatagram().link(3, "eth1").address("10.1.0.2", 24, on: 3))
        #expect(kernel.tracker.path.interfaces.count == 3)
        kernel.tell(NetlinkDatagram().address("10.1.0.2", 24, on: 3, isGone: true).link(3, "eth1", isGone: true))
        #expect(kernel.tracker.path.interfaces.count == 2)
        #expect(kernel.tracker.need == nil)
    }

    @Test(
        "routes are asked for again when one comes or goes, and when the kernel may have taken some without a word",
        arguments: [
            NetlinkDatagram().route(over: 2, by: "10.0.0.9"), NetlinkDatagram().route(over: 2, isGone: true),
            NetlinkDatagram().link(2, "eth0", flags: 0x1000), NetlinkDatagram().link(2, "eth0", isGone: true),
            NetlinkDatagram().address("10.0.0.2", 24, on: 2, isGone: true),
        ])
    func silentLoss(_ news: NetlinkDatagram) {
        var kernel = Kernel()
        kernel.begin()
        kernel.finish()
        kernel.tell(news)
        #expect(kernel.tracker.need == .routes)
        kernel.hasRoute = false
        kernel.begin()
        #expect(kernel.waiting?.type == 26)
        kernel.finish()
        #expect(kernel.tracker.path.defaultRoute == nil)
        #expect(kernel.tracker.need == nil)
    }

    @Test("news that come between the pieces of a dump are not lost")
    func newsMeanwhile() {
        var kernel = Kernel()
        kernel.begin()
        kernel.answer()
        kernel.answer()
        kernel.tell(NetlinkDatagram().link(2, "eth0", flags: 0x1001).link(3, "eth1"))
        kernel.finish()
        #expect(!kernel.tracker.path.isSatisfied)
        #expect(kernel.tracker.path.interfaces.map(\.name) == ["lo", "eth0", "eth1"])
        #expect(kernel.tracker.need == nil)
    }

    @Test("a route that comes or may go during a dump makes another one needed")
    func routeMeanwhile() {
        for news in [NetlinkDatagram().route(over: 2), NetlinkDatagram().link(2, "eth0", flags: 0x1000)] {
            var kernel = Kernel()
            kernel.begin()
            kernel.finish()
            kernel.tell(NetlinkDatagram().route(over: 2, isGone: true))
            kernel.begin()
            kernel.tell(news)
            kernel.finish()
            #expect(kernel.tracker.need == .routes)
        }
    }

    @Test("a dump that the kernel calls inconsistent is made again")
    func interrupted() {
        var kernel = Kernel()
        kernel.begin()
        kernel.answer(isInterrupted: true)
        kernel.finish()
        #expect(kernel.tracker.need == .everything)
        kernel.begin()
        kernel.finish()
        #expect(kernel.tracker.need == nil)
    }

    @Test("lost messages make everything be asked for again, and what is under way then counts for nothing")
    func lost() {
        var kernel = Kernel()
        kernel.begin()
        kernel.finish()
        kernel.tracker.lose()
        #expect(kernel.tracker.need == .everything)
        #expect(kernel.tracker.path.isSatisfied)
        kernel.begin()
        kernel.answer()
        let stale = NetlinkDatagram(answering: kernel.waiting!.sequence).done()
        kernel.tracker.lose()
        kernel.begin()
        #expect(kernel.waiting?.type == 18)
        #expect(kernel.tracker.take(stale.bytes[...]) == nil)
        #expect(kernel.waiting?.type == 18)
        kernel.finish()
        #expect(kernel.tracker.path.isSatisfied)
        #expect(kernel.tracker.need == nil)
    }

    @Test("a refused part is an answer; one refused because the kernel is busy is asked for again")
    func refused() {
        for (code, need) in [(-95, nil), (-16, .everything), (-12, .everything)]
            as [(Int32, NetworkTracker.RouteScope?)]
        {
            var kernel = Kernel()
            kernel.begin()
            while kernel.waiting?.type != 26 { kernel.answer() }
            kernel.answer()
            kernel.answer { $0.failed(code) }
            #expect(kernel.tracker.path.isSatisfied)
            #expect(!kernel.tracker.isDumping)
            #expect(kernel.tracker.need == need)
        }
    }

    @Test("answers to other programs are not taken for ours")
    func foreign() {
        var tracker = NetworkTracker(port: 7) { _ in .init() }
        _ = tracker.begin()
        #expect(tracker.take(NetlinkDatagram(answering: 1).done().bytes[...]) == nil)
        #expect(tracker.isDumping)
    }
}
