internal import HarkWire

/// Signs a request as S3 wants it (Signature Version 4).
struct S3Signature {
    let accessKey: String
    let secretKey: String
    let region: String

    /// Percent-encodes a text. Only unreserved characters, as the signature defines them, and `kept` stay as they are.
    static func encoded(_ text: String, keeping kept: String = "") -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~\(kept)".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: text.utf8.flatMap { byte -> [UInt8] in
                plain.contains(byte)
                    ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }, as: UTF8.self)
    }

    /// - Parameters:
    ///   - path: The encoded path, from the `/` on.
    ///   - query: Names and values without encoding, sorted by name.
    ///   - headers: Headers in addition to `host` and those of the signature. All of them are signed.
    /// - Returns: All headers of the request except `host`.
    func sign(
        _ method: String, host: String, path: String, query: [(String, String)], headers: [(String, String)],
        body: [UInt8], at now: Timestamp
    ) -> HTTPHeaders {
        let digest = SHA256.hex(SHA256.hash(body))
        let moment = String(now.description.filter { $0 != "-" && $0 != ":" }.prefix(15)) + "Z"
        let day = moment.prefix(8)
        let own = headers + [("x-amz-content-sha256", digest), ("x-amz-date", moment)]
        let signed = (own + [("host", host)]).map { ($0.0.lowercased(), $0.1) }.sorted { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let request = [
            method, path, Self.text(of: query), signed.map { "\($0.0):\($0.1)\n" }.joined(), names, digest,
        ].joined(separator: "\n")
        let scope = "\(day)/\(region)/s3/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(moment)\n\(scope)\n\(SHA256.hex(SHA256.hash(Array(request.utf8))))"
        var key = Array("AWS4\(secretKey)".utf8)
        for part in [String(day), region, "s3", "aws4_request"] { key = SHA256.keyed(key, Array(part.utf8)) }
        let signature = SHA256.hex(SHA256.keyed(key, Array(text.utf8)))
        var all = HTTPHeaders()
        for (name, value) in own { all.append(name, value) }
        all.append(
            "Authorization",
            "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope),SignedHeaders=\(names),Signature=\(signature)")
        return all
    }

    /// The query as it is signed and sent.
    static func text(of query: [(String, String)]) -> String {
        query.map { (encoded($0.0), encoded($0.1)) }.sorted { $0.0 < $1.0 }.map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }
}
