import HarkClient
import Testing

@Suite struct PipelineTests {
    /// Submits that many requests and returns the outcomes in the order in which they came.
    private func outcomes(
        _ count: Int, window: Int = 8, _ script: @escaping @Sendable (Peer) -> Void
    ) throws -> [(tag: Int, text: String)] {
        var pipeline = Pipeline(Connection(adopting: Peer.answering(script)), window: window)
        var found: [(tag: Int, text: String)] = []
        var submitted = 0
        while submitted < count || pipeline.open > 0 {
            while submitted < count, pipeline.hasRoom {
                submitted += 1
                pipeline.submit("m", params: "{}".utf8, tag: submitted * 10)
            }
            _ = try pipeline.turn { outcome in
                switch outcome.result {
                case .success(let result): found.append((outcome.tag, result.text))
                case .failure(let error): found.append((outcome.tag, error.message))
                }
            }
        }
        return found
    }

    private static func id(_ line: String) -> Int {
        JSONText(line).member("id")?.int.map(Int.init) ?? 0
    }

    @Test("each reply is told with its request's tag, over many windows")
    func tags() throws {
        let found = try outcomes(1000) { peer in
            while let line = peer.line() { peer.write("{\"id\":\(Self.id(line)),\"result\":\(Self.id(line))}\n") }
        }
        #expect(found.map(\.tag) == (1...1000).map { $0 * 10 })
        #expect(found.map(\.text) == (1...1000).map { "\($0)" })
    }

    @Test("there is no room for more requests than the window holds until a reply comes")
    func window() throws {
        var pipeline = Pipeline(
            Connection(
                adopting: Peer.answering { peer in
                    _ = peer.line()
                    peer.write("{\"id\":1,\"result\":1}\n")
                    while peer.line() != nil {}
                }), window: 5)
        for tag in 1...5 {
            let hasRoom = pipeline.hasRoom
            #expect(hasRoom)
            pipeline.submit("m", params: "{}".utf8, tag: tag)
        }
        let isFull = !pipeline.hasRoom
        #expect(isFull)
        while pipeline.open == 5 { _ = try pipeline.turn { #expect($0.tag == 1) } }
        let hasRoomAgain = pipeline.hasRoom
        #expect(hasRoomAgain)
    }

    @Test("replies out of order find their requests")
    func outOfOrder() throws {
        let found = try outcomes(40) { peer in
            for _ in 0..<5 {
                let ids = (0..<8).compactMap { _ in peer.line().map(Self.id) }
                for id in ids.reversed() { peer.write("{\"id\":\(id),\"result\":\(id)}\n") }
            }
        }
        #expect(found.allSatisfy { $0.text == "\($0.tag / 10)" })
        #expect(Set(found.map(\.tag)).count == 40)
    }

    @Test("a refusal without an id belongs to the requests nothing else was heard of")
    func withoutId() throws {
        let found = try outcomes(30) { peer in
            while let line = peer.line() {
                let id = Self.id(line)
                if id % 10 == 3 {
                    peer.write(#"{"id":null,"error":{"code":-32700,"message":"torn"}}"# + "\n")
                } else {
                    peer.write("{\"id\":\(id),\"result\":true}\n")
                }
            }
        }
        #expect(Set(found.filter { $0.text == "torn" }.map(\.tag)) == [30, 130, 230])
        #expect(found.count == 30)
    }

    @Test("what was answered before the daemon went away is told, then that it did")
    func goneAway() throws {
        var pipeline = Pipeline(
            Connection(
                adopting: Peer.answering { peer in
                    for _ in 0..<3 { _ = peer.line() }
                    peer.write("{\"id\":1,\"result\":1}\n{\"id\":2,\"result\":2}\n")
                }))
        for tag in 1...3 { pipeline.submit("m", params: "{}".utf8, tag: tag) }
        var tags: [Int] = []
        var failure: ClientError?
        do {
            while pipeline.open > 0 { _ = try pipeline.turn { tags.append($0.tag) } }
        } catch {
            failure = error as? ClientError
        }
        #expect(tags == [1, 2])
        #expect(failure?.code == .disconnected)
        let open = pipeline.open
        #expect(open == 1)
    }

    @Test("requests larger than every buffer together get through while replies come back")
    func large() throws {
        let payload = #"{"text":""# + String(repeating: "x", count: 300_000) + #""}"#
        var pipeline = Pipeline(
            Connection(
                adopting: Peer.answering { peer in
                    while let line = peer.line() {
                        peer.write(
                            "{\"id\":\(Self.id(line)),\"result\":\"\(String(repeating: "y", count: 100_000))\"}\n")
                    }
                }))
        var answered = 0
        for tag in 1...20 {
            while !pipeline.hasRoom { _ = try pipeline.turn { _ in answered += 1 } }
            pipeline.submit("m", params: payload.utf8, tag: tag)
        }
        while pipeline.open > 0 { _ = try pipeline.turn { _ in answered += 1 } }
        #expect(answered == 20)
    }

    @Test("over another connection what was not answered is sent again in order, and nothing else")
    func resumed() throws {
        var pipeline = Pipeline(
            Connection(
                adopting: Peer.answering { peer in
                    let ids = (0..<6).compactMap { _ in peer.line().map(Self.id) }
                    for id in [ids[0], ids[1], ids[3]] { peer.write("{\"id\":\(id),\"result\":\(id)}\n") }
                }), window: 100)
        var found: [Int] = []
        for tag in 1...6 { pipeline.submit("m", params: "{\"n\":\(tag)}".utf8, tag: tag) }
        while pipeline.open > 0 {
            do {
                _ = try pipeline.turn { found.append($0.tag) }
            } catch let error as ClientError where error.code == .disconnected {
                #expect(found == [1, 2, 4])
                pipeline.submit("m", params: "{\"n\":7}".utf8, tag: 7)
                pipeline.resume(
                    over: Connection(
                        adopting: Peer.answering { peer in
                            while let line = peer.line() {
                                let number = JSONText(line).member("params")?.member("n")?.int ?? 0
                                peer.write("{\"id\":\(Self.id(line)),\"result\":\(number)}\n")
                            }
                        }))
                found = []
            }
        }
        #expect(found == [3, 5, 6, 7])
        // And once more, with what came after.
        pipeline.submit("m", params: "{\"n\":8}".utf8, tag: 8)
        while pipeline.open > 0 { _ = try pipeline.turn { found.append($0.tag) } }
        #expect(found == [3, 5, 6, 7, 8])
    }
}
