package import HarkCore
internal import HarkSystem
package import HarkWire

/// Sends records to a server over HTTP.
package final class ServerDestination: Destination {
    package struct Settings: Sendable {
        package var url: String
        package var method = "POST"
        package var headers: HTTPHeaders = [:]
        package var unixSocket: String?
        package var timeoutSeconds = 10.0
        /// Whether bodies are compressed with gzip.
        package var isCompressed = false
        /// The longest body, before compression.
        package var maxBodyBytes = 4 << 20
        /// Why the configuration is not usable, such as an unreadable key.
        package var problem: String?

        package init(url: String) {
            self.url = url
        }
    }

    package nonisolated let name: String
    package nonisolated let kind: String
    package nonisolated let batch: BatchLimits
    package nonisolated let forgetsWhatItHas = false
    package private(set) var settings: Settings
    /// Returns the settings with the current keys.
    private let renew: (@DaemonActor () -> Settings)?
    /// Whether the server has refused the keys, which may have been replaced since they were read.
    private var isRefused = false
    private let encoder: any RecordEncoder
    /// The next requests, encoded while the current ones are in progress.
    private var prepared: [Parcel: Task<Body?, Never>] = [:]
    private let client: HTTPClient
    private let reader: DeliveryReader
    private let clock: @Sendable () -> Timestamp
    private let parse: @Sendable ([UInt8]) -> JSONValue?

    package nonisolated init(
        name: String, kind: String, _ settings: Settings, batch: BatchLimits, encoder: any RecordEncoder,
        client: HTTPClient, reader: DeliveryReader, clock: @escaping @Sendable () -> Timestamp,
        renew: (@DaemonActor () -> Settings)? = nil, parse: @escaping @Sendable ([UInt8]) -> JSONValue?
    ) {
        self.name = name
        self.kind = kind
        self.settings = settings
        self.batch = batch
        self.encoder = encoder
        self.client = client
        self.reader = reader
        self.clock = clock
        self.renew = renew
        self.parse = parse
    }

    /// Reads the keys again if the current ones do not work.
    package func renewKeys() {
        guard isRefused || settings.problem != nil, let renew else { return }
        settings = renew()
        isRefused = false
    }

    package func deliver(_ records: ArraySlice<Record>, before next: ArraySlice<Record>) async -> DeliveryOutcome {
        renewKeys()
        if let problem = settings.problem { return .failed(DeliveryFailure(.local, retryAfter: 60, problem)) }
        if let problem = encoder.problem { return .failed(DeliveryFailure(.local, retryAfter: 5, problem)) }
        let body = prepared.removeValue(forKey: Parcel(records)) ?? encode(records)
        let following = next.count > 1 ? Parcel(next) : nil
        if let following {
            // At most one per concurrent request: earlier ones that were never used are dropped.
            if prepared.count >= batch.concurrency { prepared = [:] }
            prepared[following] = encode(next)
        }
        let outcome = await send(records, await body.value)
        if let following, case .failed = outcome { prepared[following] = nil }
        return outcome
    }

    private func send(_ records: ArraySlice<Record>, _ body: Body?) async -> DeliveryOutcome {
        guard let body else {
            return .failed(DeliveryFailure(.local, retryAfter: 5, "there is no memory for a request"))
        }
        guard body.length <= settings.maxBodyBytes else {
            let reason = "a request of \(body.length) bytes is over the limit of \(settings.maxBodyBytes)"
            return .failed(DeliveryFailure(records.count > 1 ? .tooLarge : .unsendable, reason))
        }
        let url = encoder.url(for: records, at: settings.url)
        var request = HTTPRequest(settings.method, url, headers: settings.headers, body: body.bytes)
        request.headers["Content-Type"] = encoder.contentType
        request.isCompressed = settings.isCompressed
        request.unixSocket = settings.unixSocket
        request.timeoutSeconds = settings.timeoutSeconds
        request.connectTimeoutSeconds = settings.timeoutSeconds
        do throws(HTTPError) {
            let response = try await client.send(request)
            if response.isSuccess {
                return withoutKeys(
                    encoder.outcome(of: records, answer: encoder.readsAnswers ? parse(response.body) : nil))
            }
            if [401, 403, 407].contains(response.status) { isRefused = true }
            let place = settings.unixSocket.map { "the Unix socket \($0)" } ?? origin
            return withoutKeys(HTTPVerdict.of(response, from: place, now: clock(), parse: parse))
        } catch {
            return HTTPVerdict.of(error)
        }
    }

    /// Removes keys from the outcome, because the server may quote the request.
    private func withoutKeys(_ outcome: DeliveryOutcome) -> DeliveryOutcome {
        let words = settings.headers.fields.flatMap { $0.value.split(separator: " ").map(String.init) }
        func told(_ text: String) -> String { ServerWords.told(text, without: words + urlSecrets) }
        switch outcome {
        case .accepted: return outcome
        case .partlyRefused(let count, let reason): return .partlyRefused(count, reason: told(reason))
        case .failed(var failure):
            failure.words = failure.words.map(told)
            return .failed(failure)
        }
    }

    private var urlSecrets: [String] {
        do throws(HTTPError) { return try HTTPTarget(settings.url).secrets } catch { return [] }
    }

    /// Does nothing: servers keep their records.
    package func forget(_ session: SessionIdentity) async -> String? { nil }

    /// Interrupts the current requests after the network's return; their loss would show only at the timeout.
    package func networkReturned() {
        if !isOnThisMachine { client.interrupt() }
    }

    package var isOnThisMachine: Bool {
        if settings.unixSocket != nil { return true }
        do throws(HTTPError) { return try HTTPTarget(settings.url).isLoopback } catch { return false }
    }

    private var origin: String {
        do throws(HTTPError) { return try HTTPTarget(settings.url).origin } catch { return "the server" }
    }

    private struct Body: Sendable {
        let bytes: [UInt8]
        /// The length before compression.
        let length: Int
    }

    /// Encodes a request; long work runs on another thread than the loop.
    private func encode(_ records: ArraySlice<Record>) -> Task<Body?, Never> {
        let (encoder, isCompressed, reader) = (encoder, settings.isCompressed, reader)
        let body: @Sendable () -> Body? = {
            let bytes = encoder.body(of: records)
            guard isCompressed else { return Body(bytes: bytes, length: bytes.count) }
            return Gzip.compress(bytes).map { Body(bytes: $0, length: bytes.count) }
        }
        let isQuick = records.count == 1 && !isCompressed && (records.first?.properties.byteCount ?? 0) < 1 << 14
        return DaemonActor.task { isQuick ? body() : await reader.work(body) }
    }

    /// Identifies a parcel of a lane: no record is ever inserted between two records of the log.
    private struct Parcel: Hashable {
        let first, last: UInt64
        let count: Int

        init(_ records: ArraySlice<Record>) {
            first = records.first?.sequence ?? 0
            last = records.last?.sequence ?? 0
            count = records.count
        }
    }
}
