import Foundation
import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Synchronization
import Testing

@testable import HarkDelivery

/// A server over HTTP: what it is sent, and what becomes of its answers (rows L3, L4, L9).
@Suite(.timeLimit(.minutes(45))) struct ServerDestinationTests {
    let server: TestServer
    private let box = UUID().uuidString
    private let folder: TemporaryFolder
    private let records = (1...3).map { number in
        Samples.log(LogEntry("entry \(number)", userId: "ada"), sequence: UInt64(number))
    }

    init() throws {
        server = try TestServer.shared
        folder = try TemporaryFolder(inMemory: true)
    }

    /// A destination at the box, or at a path or URL.
    private func deliver(
        _ records: [Record]? = nil, to place: String? = nil, encoder: any RecordEncoder = WebhookEncoder(.lines),
        authorities: String? = nil, _ adjust: @escaping @Sendable (inout ServerDestination.Settings) -> Void = { _ in }
    ) async throws -> DeliveryOutcome {
        try await deliver(to: place, encoder: encoder, authorities: authorities, adjust) {
            [records = records ?? self.records] in
            await $0.deliver(records)
        }
    }

    private func deliver<Value: Sendable>(
        to place: String? = nil, encoder: any RecordEncoder, authorities: String? = nil,
        _ adjust: @escaping @Sendable (inout ServerDestination.Settings) -> Void = { _ in },
        _ body: @escaping @DaemonActor @Sendable (ServerDestination) async throws -> Value
    ) async throws -> Value {
        let url = place.map { $0.hasPrefix("http") ? $0 : server.url($0) } ?? server.url("/box/\(box)")
        return try await LoopThread.shared.run { [folder] loop in
            let store = try Store(folder: folder.path)
            let reader = DeliveryReader(try store.makeReader())
            defer {
                reader.close()
                store.close()
            }
            var options = HTTPClient.Options()
            options.authoritiesFile = authorities
            let client = HTTPClient(loop: loop, options: options)
            defer { client.close() }
            var settings = ServerDestination.Settings(url: url)
            settings.timeoutSeconds = 30
            settings.headers["x-api-key"] = "secret-key"
            adjust(&settings)
            let destination = ServerDestination(
                name: "hook", kind: "http", settings, batch: BatchLimits(entries: 10, gatherMilliseconds: 0),
                encoder: encoder, client: client, reader: reader, clock: { Samples.at },
                parse: { bytes in try? Samples.parse(bytes) })
            return try await body(destination)
        }
    }

    /// Tells what it was given, and how often.
    private final class CountingEncoder: RecordEncoder {
        private let calls = Mutex<[[UInt64]]>([])
        let contentType = "text/plain"

        var all: [[UInt64]] { calls.withLock { $0 } }

        func body(of records: ArraySlice<Record>) -> [UInt8] {
            let numbers = records.map(\.sequence)
            calls.withLock { $0.append(numbers) }
            return Array("\(numbers)".utf8)
        }
    }

    @Test("the next request is put together while one is under way, and again only if something else comes")
    func prepared() async throws {
        let encoder = CountingEncoder()
        let some = (1...9).map { Samples.log(LogEntry("entry \($0)", userId: "ada"), sequence: UInt64($0)) }
        try await deliver(encoder: encoder) { destination in
            #expect(await destination.deliver(some[0..<2], before: some[2..<4]) == .accepted)
            // The reply may come sooner than the thread that puts the next one together gets to it.
            try await eventually("the next is there") { encoder.all == [[1, 2], [3, 4]] }
            #expect(await destination.deliver(some[2..<4], before: some[4..<7]) == .accepted)
            try await eventually("the one after it is there") { encoder.all == [[1, 2], [3, 4], [5, 6, 7]] }
            // One of them was removed meanwhile.
            #expect(await destination.deliver([some[4], some[6]], before: some[7..<9]) == .accepted)
            #expect(await destination.deliver(some[7..<9], before: []) == .accepted)
            #expect(encoder.all == [[1, 2], [3, 4], [5, 6, 7], [5, 7], [8, 9]])
        }
        #expect(
            try await sent().map { String(decoding: $0.body, as: UTF8.self) } == [
                "[1, 2]", "[3, 4]", "[5, 7]", "[8, 9]",
            ])
        // After a failure it may be long until the next.
        let failing = CountingEncoder()
        try await deliver(to: "/status/500", encoder: failing) { destination in
            for _ in 0..<2 {
                guard case .failed = await destination.deliver(some[0..<2], before: some[2..<4]) else {
                    Issue.record("it was accepted")
                    return
                }
            }
            _ = await destination.deliver(some[2..<4], before: [])
        }
        #expect(failing.all == [[1, 2], [3, 4], [1, 2], [3, 4], [3, 4]])
    }

    /// What the box was sent.
    private func sent() async throws -> [TestServer.Echo] {
        let url = server.url("/box/\(box)")
        return try await LoopThread.shared.run { loop in
            let client = HTTPClient(loop: loop)
            defer { client.close() }
            return try TestServer.Echo.all(try await client.send(HTTPRequest("GET", url)))
        }
    }

    private static func failure(_ outcome: DeliveryOutcome) -> DeliveryFailure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }

    @Test("L4: the body is sent as it was put together, with its type, its length and the key")
    func request() async throws {
        #expect(try await deliver { $0.headers.append("X-Site", "lab 3") } == .accepted)
        let echo = try #require(try await sent().first)
        #expect(echo.method == "POST")
        #expect(echo.headers["x-api-key"] == "secret-key")
        #expect(echo.headers["x-site"] == "lab 3")
        #expect(echo.headers["content-type"] == "application/x-ndjson")
        #expect(echo.headers["content-encoding"] == nil)
        #expect(Array(echo.body) == WebhookEncoder(.lines).body(of: records))
        #expect(try await sent().count == 1)
    }

    @Test("L9: method, format and type are the destination's", arguments: ["POST", "PUT"])
    func method(_ method: String) async throws {
        #expect(try await deliver(encoder: WebhookEncoder(.array)) { $0.method = method } == .accepted)
        let echo = try #require(try await sent().first)
        #expect(echo.method == method)
        #expect(echo.headers["content-type"] == "application/json")
        #expect(try Samples.parse(echo.body).arrayValue?.count == 3)
    }

    @Test("L9: a body is compressed where that is wanted, one record's too", arguments: [1, 3])
    func compressed(_ count: Int) async throws {
        let some = Array(records.prefix(count))
        #expect(try await deliver(some) { $0.isCompressed = true } == .accepted)
        let echo = try #require(try await sent().first)
        #expect(echo.headers["content-encoding"] == "gzip")
        #expect(Array(echo.body) == Gzip.compress(WebhookEncoder(.lines).body(of: some)))
    }

    @Test("L9: a Unix socket is asked instead of the host, and named where something goes wrong")
    func unixSocket() async throws {
        let socket = server.unixSocket
        #expect(try await deliver(to: "http://nowhere.invalid/box/\(box)") { $0.unixSocket = socket } == .accepted)
        #expect(try await sent().first?.headers["host"] == "nowhere.invalid")
        let refused = try await deliver(to: "http://nowhere.invalid/status/500") { $0.unixSocket = socket }
        #expect(Self.failure(refused)?.reason.hasPrefix("the Unix socket \(socket) ") == true)
        let gone = try await deliver { $0.unixSocket = socket + "-gone" }
        #expect(Self.failure(gone)?.kind == .unreachable)
    }

    @Test("L9: certificates are checked, against the authorities that were named")
    func authorities() async throws {
        let url = server.url("/box/\(box)", port: "https")
        #expect(try await deliver(to: url, authorities: server.certificate()) == .accepted)
        for authorities in [nil, server.certificate("elsewhere"), folder.path + "/none.pem"] {
            let failure = Self.failure(try await deliver(to: url, authorities: authorities))
            #expect(failure?.kind == .unreachable, "\(authorities ?? "the system's")")
        }
        let other = server.url("/box/\(box)", port: "elsewhere")
        #expect(
            Self.failure(try await deliver(to: other, authorities: server.certificate("elsewhere")))?.kind
                == .unreachable)
        #expect(try await sent().count == 1)
    }

    @Test("a body over the limit is not sent: several records go in parts, a single one is none for any request")
    func bodyLimit() async throws {
        let length = WebhookEncoder(.lines).body(of: records).count
        #expect(try await deliver { $0.maxBodyBytes = length } == .accepted)
        for isCompressed in [false, true] {
            let several = try await deliver {
                $0.maxBodyBytes = length - 1
                $0.isCompressed = isCompressed
            }
            #expect(Self.failure(several)?.kind == .tooLarge)
            let one = try await deliver([records[0]]) {
                $0.maxBodyBytes = 10
                $0.isCompressed = isCompressed
            }
            #expect(Self.failure(one)?.kind == .unsendable)
            #expect(Self.failure(one)?.reason.contains("entry") == false)
        }
        #expect(try await sent().count == 1)
    }

    @Test(
        "L3: a server that does not answer in time, or at all, is not reached",
        arguments: [("/hang/d", "http"), ("/stall/d", "http"), ("/", "mute"), ("/", "closed"), ("/silence", "http")])
    func silence(_ path: String, _ port: String) async throws {
        let outcome = try await deliver(to: server.url(path, port: port)) { $0.timeoutSeconds = 0.3 }
        #expect(Self.failure(outcome)?.kind == (port == "closed" ? .unreachable : .network))
        #expect(Self.failure(outcome)?.reason.contains("127.0.0.1") == true)
    }

    @Test(
        "L6: what the server says is what becomes of it, by the clock it is told",
        arguments: [
            ("status=429&after=7", .throttled, 429, 7),
            ("status=429&after=Sat,%2021%20Nov%202026%2011:09:00%20GMT", .throttled, 429, 59.877),
            ("status=503", .server, 503, nil), ("status=413", .tooLarge, 413, nil), ("status=400", .refused, 400, nil),
            ("status=302", .unauthorized, 302, nil), ("status=401", .unauthorized, 401, nil),
            ("status=403&body={%22code%22:%22QUOTA_EXCEEDED%22}", .quota, 403, nil),
        ] as [(String, DeliveryFailure.Kind, Int, Double?)])
    func refusals(_ query: String, _ kind: DeliveryFailure.Kind, _ status: Int, _ wait: Double?) async throws {
        let failure = try #require(Self.failure(try await deliver(to: "/box/\(box)?\(query)")))
        #expect(failure.kind == kind)
        #expect(failure.status == status)
        #expect(failure.retryAfter.map { ($0 * 1_000).rounded() } == wait.map { $0 * 1_000 })
        #expect(failure.reason.hasPrefix("http://127.0.0.1:\(server.port("http")) "))
        for secret in ["secret-key", box, "entry"] { #expect(!failure.reason.contains(secret)) }
        #expect(try await sent().count == 1)
    }

    @Test("a redirect is not followed: the key would go with it")
    func redirect() async throws {
        let outcome = try await deliver(to: "/redirect?status=307&to=/box/\(box)")
        #expect(Self.failure(outcome)?.kind == .unauthorized)
        #expect(try await sent().isEmpty)
    }

    @Test("L9: an encoder that reads answers hears what was refused, and any 2xx without JSON is enough")
    func answers() async throws {
        let encoder = OTLPEncoder(host: "lab", version: "1")
        let body = #"{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"no"}}"#
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
        #expect(try await deliver(to: "/box/\(box)?body=\(body)", encoder: encoder) == .partlyRefused(2, reason: "no"))
        #expect(try await deliver(to: "/box/\(box)?body=\(body)") == .accepted)
        for query in ["body=%3Chtml%3E", "body=", "status=202", "status=204"] {
            #expect(try await deliver(to: "/box/\(box)?\(query)", encoder: encoder) == .accepted)
        }
    }

    /// What is told of a refusal that a collector explains so.
    private func reason(
        _ message: String, asked query: String = "",
        _ adjust: @escaping @Sendable (inout ServerDestination.Settings) -> Void
    ) async throws -> String {
        let answer = #"{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"\#(message)"}}"#
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
        let outcome = try await deliver(
            to: "/box/\(box)?body=\(answer)\(query)", encoder: OTLPEncoder(host: "lab", version: "1"), adjust)
        guard case .partlyRefused(1, let reason) = outcome else { return "\(outcome)" }
        return reason
    }

    @Test("L3: a server that repeats keys of ours does not have them told, and a long explanation is cut")
    func explanation() async throws {
        let told = try await reason("no: Bearer token-1234, secret-key", asked: "") {
            $0.headers["Authorization"] = "Bearer token-1234"
        }
        #expect(told == "no: … …, …")
        let query = try await reason("no: k%c3%a4se-1234 or käse-1234", asked: "&token=k%c3%a4se-1234") { _ in }
        #expect(query == "no: … or …")
        let user = try await reason("no: ada:pass%20word pass word YWRhOnBhc3Mgd29yZA==") {
            $0.url = $0.url.replacing("http://", with: "http://ada:pass%20word@")
        }
        #expect(user == "no: … … …")
        #expect(try await reason(String(repeating: "x", count: 9_999)) { _ in }.count == 200)
        // Half a key would be too much as well.
        let cut = try await reason(String(repeating: "x", count: 195) + "secret-key") { _ in }
        #expect(cut == String(repeating: "x", count: 195) + "…")
    }

    @Test("a refusal's dead letter has the server's words on one line, without keys of ours and without end")
    func words() async throws {
        func words(_ body: String) async throws -> String? {
            let body = body.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
            return Self.failure(try await deliver(to: "/box/\(box)?status=400&body=\(body)"))?.words
        }
        #expect(try await words(#"{"message":"no\n\u001b[31m secret-key \#(box)"}"#) == "no [31m … …")
        let cut = try await words(#"{"message":"\#(String(repeating: "x", count: 195))secret-key"}"#)
        #expect(cut == String(repeating: "x", count: 195) + "…")
        #expect(try await words(#"{"error":"\#(String(repeating: "y", count: 4_999))"}"#)?.count == 200)
        // Of an answer longer than 8 KiB nothing is told: it would be gone through on the loop.
        #expect(try await words(#"{"error":"\#(String(repeating: "y", count: 9_999))"}"#) == nil)
    }

    @Test("L3: what cannot be used as it is configured sends nothing, says why, and looks again in a minute")
    func problem() async throws {
        let outcome = try await deliver { $0.problem = "the key cannot be read" }
        #expect(outcome == .failed(DeliveryFailure(.local, retryAfter: 60, "the key cannot be read")))
        #expect(try await sent().isEmpty)
    }

    @Test("a server keeps what it has: it is never asked to forget")
    func forget() async throws {
        let url = server.url("/box/\(box)")
        let answer = try await LoopThread.shared.run { [folder] loop in
            let store = try Store(folder: folder.path)
            let reader = DeliveryReader(try store.makeReader())
            defer {
                reader.close()
                store.close()
            }
            let destination = ServerDestination(
                name: "hook", kind: "http", .init(url: url), batch: BatchLimits(entries: 1, gatherMilliseconds: 0),
                encoder: WebhookEncoder(.lines), client: HTTPClient(loop: loop), reader: reader, clock: { Samples.at },
                parse: { _ in nil })
            #expect(!destination.forgetsWhatItHas)
            return await destination.forget(Samples.session())
        }
        #expect(answer == nil)
        #expect(try await sent().isEmpty)
    }
}
