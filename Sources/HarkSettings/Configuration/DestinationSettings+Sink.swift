package import HarkCore
import HarkDelivery
import HarkWire

extension DestinationSettings {
    /// Settings that only databases have.
    package struct SinkTerms: Sendable, Equatable {
        /// The password of PostgreSQL and ClickHouse, or the secret key of S3.
        package var secret: Secret?
        /// Whether records that are removed here are removed there.
        package var followsRemovals = false
        /// PostgreSQL: whether each month of records has a table.
        package var isByMonth = false
        /// ClickHouse.
        package var user: String?
        /// S3.
        package var bucket = ""
        package var region = "us-east-1"
        package var prefix = "hark/"
        package var style = BucketStyle.path
        package var accessKey = ""
    }

    /// The place of the bucket's name: in the path, or before the host's name.
    package enum BucketStyle: String, Sendable, CaseIterable {
        case path, host
    }

    /// Whether the database is reached without a network.
    package var isOnThisMachine: Bool {
        unixSocket != nil || kind == .postgresql && PostgresOptions.isOnThisMachine(url)
    }

    /// Returns the fault of a database's URL; nil if it has none.
    package static func fault(ofURL url: String, _ kind: Kind) -> String? {
        kind == .postgresql ? PostgresOptions.fault(ofURL: url) : HTTPRequest.fault(ofURL: url)
    }

    mutating func readSink(_ reader: inout ObjectReader) {
        switch kind {
        case .postgresql:
            sink.secret = Secret.read("password", "a password", in: &reader)
            var period: String?
            reader.take("partitionBy", .word(of: [("month", "month")]), into: &period)
            sink.isByMonth = period != nil
        case .clickhouse:
            sink.secret = Secret.read("password", "a password", in: &reader)
            reader.take("user", .string, into: &sink.user)
        case .s3: readBucket(&reader)
        case .sensorcore, .otlp, .http, .fleet: return
        }
        if kind != .s3 { reader.take("followRemovals", .bool, into: &sink.followsRemovals) }
        reader.take("enabled", .bool, into: &isEnabled)
        readFilters(&reader)
        reader.take("caFile", .string, into: &authoritiesFile)
        reader.take("timeoutSeconds", .seconds(upTo: 3_600), into: &timeoutSeconds)
        reader.take("retryBaseSeconds", .seconds(upTo: 86_400), into: &backoff.base)
        reader.take("retryCapSeconds", .seconds(upTo: 86_400), into: &backoff.cap)
        reader.take("batchEntries", .integer(in: 1...10_000), into: &batchEntries)
        reader.take("batchBytes", .integer(in: 1_024...(16 << 20)), into: &batchBytes)
        reader.take("maxAttempts", .orNull(.integer(in: 1...1_000)), into: &maxAttempts)
        reader.take("maxDeadLetters", .integer(in: 0...1_000_000), into: &maxDeadLetters)
    }

    private mutating func readBucket(_ reader: inout ObjectReader) {
        sink.secret = Secret.read("secretKey", "a key", in: &reader)
        if let name = reader.read("bucket", .bucketName, isRequired: true) { sink.bucket = name }
        reader.take("accessKey", .string, into: &sink.accessKey)
        reader.take("region", .bucketName, into: &sink.region)
        reader.take("prefix", .string, into: &sink.prefix)
        reader.take("style", .word, into: &sink.style)
    }

    /// Writes the settings of a database, defaults included. Of a secret, only its name is written.
    func writeSink(to json: inout JSONWriter) {
        func text(_ key: StaticString, _ value: String?) {
            guard let value else { return }
            json.key(key)
            json.string(value)
        }
        text("url", kind == .postgresql ? PostgresOptions.shown(url) : HTTPRequest.shown(url))
        switch kind {
        case .s3:
            text("bucket", sink.bucket)
            text("region", sink.region)
            text("prefix", sink.prefix)
            text("style", sink.style.rawValue)
            text("accessKey", sink.accessKey)
            sink.secret?.write(as: "secretKey", to: &json)
        default:
            text("user", sink.user)
            sink.secret?.write(as: "password", to: &json)
            json.key("followRemovals")
            json.bool(sink.followsRemovals)
            if sink.isByMonth { text("partitionBy", "month") }
        }
        json.key("enabled")
        json.bool(isEnabled)
        writeFilters(to: &json)
        text("caFile", authoritiesFile)
        for (key, number) in [
            ("timeoutSeconds", timeoutSeconds), ("retryBaseSeconds", backoff.base), ("retryCapSeconds", backoff.cap),
        ] as [(StaticString, Double)] {
            json.key(key)
            json.double(number)
        }
        for (key, number) in [
            ("batchEntries", batchEntries), ("batchBytes", batchBytes), ("maxAttempts", maxAttempts),
            ("maxDeadLetters", maxDeadLetters),
        ] as [(StaticString, Int?)] {
            json.key(key)
            if let number { json.int(number) } else { json.null() }
        }
    }
}

extension MemberType<String> {
    /// A name that can be part of a host's name and of a path without escapes.
    fileprivate static var bucketName: MemberType {
        MemberType("1 to 63 lower-case letters, digits, '-' or '.'") { value in
            guard let name = value.stringValue, (1...63).contains(name.utf8.count) else { return nil }
            let isName = name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: ".")
            }
            return isName ? name : nil
        }
    }
}
