internal import HarkCore
package import HarkSystem
package import HarkWire

/// A bucket as a sink: each batch is an object named by its numbers, so a repeat writes the same object again.
@DaemonActor
package final class S3Sink: Sink {
    package struct Settings: Sendable {
        /// `https://HOST`, or `http://`.
        package var url: String
        package var bucket: String
        package var region = "us-east-1"
        /// The beginning of all objects' names.
        package var prefix = "hark/"
        /// Whether the bucket is part of the path rather than of the host's name.
        package var isPathStyle = true
        package var accessKey = ""
        package var secretKey = ""
        package var timeoutSeconds = 30.0
        /// The reason why the bucket cannot be used.
        package var problem: String?

        package init(url: String, bucket: String) {
            (self.url, self.bucket) = (url, bucket)
        }
    }

    package nonisolated let kind = "s3"
    package nonisolated let place: String
    package nonisolated var needsBounds: Bool { true }
    package var onLost: () -> Void = {}

    private let client: HTTPClient
    private let clock: @Sendable () -> Timestamp
    private let settings: @DaemonActor () -> Settings

    package init(
        place: String, client: HTTPClient, clock: @escaping @Sendable () -> Timestamp,
        settings: @escaping @DaemonActor () -> Settings
    ) {
        self.place = place
        self.client = client
        self.clock = clock
        self.settings = settings
    }

    package func close() { client.close() }

    // MARK: Position

    package func position(
        of logs: [Identifier], near bounds: ClosedRange<UInt64>?
    ) async throws(DeliveryFailure) -> SinkPosition? {
        for log in logs {
            var last: String?
            // Names sort by number, so objects after the last sent batch are found quickly.
            if let bounds {
                last = try await lastKey(of: log, after: S3Sink.number(max(bounds.lowerBound, 1) - 1) + "~")
            }
            if last == nil { last = try await lastKey(of: log, after: nil) }
            guard let last else { continue }
            guard let sequence = S3Sink.last(inName: last) else {
                throw DeliveryFailure(
                    .server, "\(place) has an object that is none of Hark's among them: \(last.suffix(120))")
            }
            let answer = try await send("HEAD", key: last)
            guard let id = answer.headers["x-amz-meta-id"].flatMap({ Identifier($0) }) else {
                throw DeliveryFailure(.server, "\(place) does not say the id of the last record of \(last.suffix(120))")
            }
            return SinkPosition(log: log, mark: SinkMark(sequence: sequence, id: id))
        }
        return nil
    }

    private func folder(of log: Identifier) -> String { "\(settings().prefix)log=\(log)/" }

    private func lastKey(of log: Identifier, after: String?) async throws(DeliveryFailure) -> String? {
        let folder = folder(of: log)
        var (last, next): (String?, String?) = (nil, nil)
        // A page has a thousand objects. More pages than this are a server's mistake.
        for _ in 0..<100_000 {
            var query = [("list-type", "2"), ("prefix", folder)]
            if let next {
                query.append(("continuation-token", next))
            } else if let after {
                query.append(("start-after", folder + after))
            }
            let page = try await send("GET", key: nil, query: query).body
            last = S3Sink.texts(of: "Key", in: page).last ?? last
            next = S3Sink.texts(of: "NextContinuationToken", in: page).first
            if next == nil { return last }
        }
        throw DeliveryFailure(.server, "\(place) lists objects without an end")
    }

    /// Padded to the digits of the largest number, so that names sort by number.
    private nonisolated static func number(_ value: UInt64) -> String {
        let digits = String(value)
        return String(repeating: "0", count: 20 - digits.count) + digits
    }

    private static func last(inName name: String) -> UInt64? {
        let file = name.split(separator: "/").last ?? ""
        guard file.hasSuffix(".jsonl.gz"), file.utf8.count == 20 + 1 + 20 + 9 else { return nil }
        return UInt64(file.dropFirst(21).prefix(20))
    }

    /// The texts of all elements of that name, in order.
    nonisolated static func texts(of element: String, in xml: [UInt8]) -> [String] {
        var texts: [String] = []
        for part in String(decoding: xml, as: UTF8.self).split(separator: "<") where part.hasPrefix("\(element)>") {
            var text = String(part.dropFirst(element.count + 1))
            for (name, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
                text.replace(name, with: character)
            }
            texts.append(text)
        }
        return texts
    }

    // MARK: Batches

    package nonisolated func encode(_ batch: SinkBatch) -> [UInt8] {
        // Only a lack of memory can make it fail. An empty object would then take the place of the batch.
        Gzip.compress(SinkRow.lines(batch)) ?? []
    }

    package func append(_ batch: SinkBatch, _ data: [UInt8]) async -> SinkOutcome {
        guard !data.isEmpty else {
            return .failed(DeliveryFailure(.local, retryAfter: 5, "there is no memory for a request"))
        }
        // A batch that is sent once more gets a name next to that of its first batch.
        let (first, last) = (S3Sink.number(batch.bounds.lowerBound), S3Sink.number(batch.bounds.upperBound))
        let folder =
            batch.mark == nil ? "\(settings().prefix)again=\(batch.log.current)/" : folder(of: batch.log.current)
        let id = batch.mark?.id ?? batch.records.last?.id
        do throws(DeliveryFailure) {
            _ = try await send(
                "PUT", key: "\(folder)\(first)-\(last).jsonl.gz", body: data,
                headers: [("content-type", "application/gzip"), ("x-amz-meta-id", id?.description ?? "")])
            return .appended
        } catch {
            return .failed(error)
        }
    }

    package func remove(_ session: Identifier, of logs: [Identifier]) async throws(DeliveryFailure) {
        throw DeliveryFailure(.unsendable, "what is in a bucket cannot be removed by session")
    }

    // MARK: Requests

    private func send(
        _ method: String, key: String?, query: [(String, String)] = [], body: [UInt8]? = nil,
        headers: [(String, String)] = []
    ) async throws(DeliveryFailure) -> HTTPResponse {
        let settings = settings()
        if let problem = settings.problem { throw DeliveryFailure(.local, retryAfter: 60, problem) }
        let (scheme, authority) = S3Sink.parts(of: settings.url)
        let host = settings.isPathStyle ? authority : "\(settings.bucket).\(authority)"
        let path = (settings.isPathStyle ? "/\(settings.bucket)" : "") + "/" + (key ?? "")
        let encoded = S3Signature.encoded(
            settings.isPathStyle && key == nil ? "/\(settings.bucket)" : path, keeping: "/")
        let signature = S3Signature(
            accessKey: settings.accessKey, secretKey: settings.secretKey, region: settings.region)
        var request = HTTPRequest(method, "\(scheme)://\(host)\(encoded)")
        if !query.isEmpty { request.url += "?" + S3Signature.text(of: query) }
        request.headers = signature.sign(
            method, host: host, path: encoded, query: query, headers: headers, body: body ?? [], at: clock())
        request.body = body
        request.timeoutSeconds = settings.timeoutSeconds
        request.maxResponseBytes = 8 << 20
        return try await SinkHTTP.send(request, by: client, to: place, clock)
    }

    private static func parts(of url: String) -> (scheme: String, authority: String) {
        let isSecure = !url.hasPrefix("http://")
        let rest = url.dropFirst(isSecure ? 8 : 7)
        return (isSecure ? "https" : "http", String(rest.prefix { $0 != "/" }))
    }
}
