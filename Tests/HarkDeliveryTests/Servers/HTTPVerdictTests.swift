import Foundation
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// What an answer, or none, means for a parcel (rows L4, L6).
@Suite struct HTTPVerdictTests {
    private static let now = Timestamp("2026-11-21T11:00:00Z")!

    private static func verdict(
        _ status: Int, _ headers: HTTPHeaders = [:], body: String = ""
    ) -> DeliveryOutcome {
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        return HTTPVerdict.of(response, from: "https://logs.test", now: now) { bytes in
            try? JSONReader.read(bytes)
        }
    }

    private static func kind(_ outcome: DeliveryOutcome) -> DeliveryFailure.Kind? {
        if case .failed(let failure) = outcome { failure.kind } else { nil }
    }

    @Test("L6: every status there is means one thing")
    func statuses() {
        let special: [Int: DeliveryFailure.Kind] = [
            401: .unauthorized, 403: .unauthorized, 404: .unauthorized, 405: .unauthorized, 407: .unauthorized,
            410: .unauthorized, 408: .server, 413: .tooLarge, 425: .server, 429: .throttled,
        ]
        for status in 100...999 {
            let expected: DeliveryFailure.Kind? =
                switch status {
                case 200..<300: nil
                case 300..<400: .unauthorized
                case 400..<500: special[status] ?? .refused
                default: .server
                }
            let outcome = Self.verdict(status)
            #expect(Self.kind(outcome) == expected, "\(status)")
            guard case .failed(let failure) = outcome else {
                #expect(outcome == .accepted)
                continue
            }
            #expect(failure.status == status)
            #expect(failure.retryAfter == nil)
            #expect(failure.reason.hasPrefix("https://logs.test "))
            #expect(failure.reason.contains("\(status)"))
        }
    }

    @Test("L6: Retry-After is heard, whatever the case of its name, and whatever the failure")
    func retryAfter() {
        for (status, headers, seconds) in [
            (429, ["Retry-After": "30"], 30), (503, ["retry-after": "Sat, 21 Nov 2026 11:01:00 GMT"], 60),
            (500, ["RETRY-AFTER": "soon"], nil), (429, ["Retry-After": "Sat, 21 Nov 2026 10:00:00 GMT"], 0),
        ] as [(Int, HTTPHeaders, Double?)] {
            guard case .failed(let failure) = Self.verdict(status, headers) else {
                Issue.record("\(status) was accepted")
                continue
            }
            #expect(failure.retryAfter == seconds)
        }
    }

    @Test(
        "L4: 403 with the code QUOTA_EXCEEDED, wherever servers put it, is the quota",
        arguments: [
            (#"{"code":"QUOTA_EXCEEDED"}"#, true), (#"{"message":"no","code":"QUOTA_EXCEEDED"}"#, true),
            (#"{"error":{"code":"QUOTA_EXCEEDED","limit":5}}"#, true), (#"{"error":"QUOTA_EXCEEDED"}"#, true),
            (#" {"code" : "QUOTA_EXCEEDED"} "#, true), ("", false), ("{", false), ("QUOTA_EXCEEDED", false),
            (#""QUOTA_EXCEEDED""#, false), (#"["QUOTA_EXCEEDED"]"#, false), (#"{"code":"quota_exceeded"}"#, false),
            (#"{"code":403}"#, false), (#"{"code":{"code":"QUOTA_EXCEEDED"}}"#, false),
            (#"{"code":"FORBIDDEN"}"#, false),
            (#"{"reason":"QUOTA_EXCEEDED"}"#, false), ("\u{ff}\u{0}", false),
        ])
    func quota(_ body: String, _ isQuota: Bool) {
        #expect(Self.kind(Self.verdict(403, body: body)) == (isQuota ? .quota : .unauthorized))
        // It is the code of a 403, and of nothing else.
        #expect(Self.kind(Self.verdict(429, body: body)) == .throttled)
        #expect(Self.kind(Self.verdict(400, body: body)) == .refused)
        #expect(Self.kind(Self.verdict(500, body: body)) == .server)
    }

    @Test("L3: nothing a server says is repeated: it may hold keys, or what a user has recorded")
    func silence() {
        for status in [301, 400, 401, 403, 413, 429, 500] {
            guard
                case .failed(let failure) = Self.verdict(
                    status, ["Location": "https://secret-place", "X-Secret": "secret"], body: #"{"error":"secret"}"#)
            else { continue }
            #expect(!failure.reason.contains("secret"))
        }
    }

    @Test(
        "what a server says of a refusal is heard for the dead letter, wherever servers put it",
        arguments: [
            (#"{"error":"no text"}"#, "no text"), (#"{"code":50006,"message":"empty"}"#, "empty"),
            (#"{"error":{"code":3,"message":"bad field"}}"#, "bad field"), (#"{"errors":[{"detail":"x"}]}"#, "x"),
            (#"{"errcode":"M_FORBIDDEN","error":"not in the room"}"#, "not in the room"),
            (#"{"error_message":"snake"}"#, "snake"), (#""quoted""#, "quoted"), ("invalid_payload", "invalid_payload"),
            (#"{"code":7}"#, #"{"code":7}"#), ("", nil), (" \n", nil),
            ("<html><title>Bad</title><p>No</p></html>", "  Bad  No  "),
        ] as [(String, String?)])
    func words(_ body: String, _ words: String?) {
        for status in [400, 401, 413, 500] {
            guard case .failed(let failure) = Self.verdict(status, body: body) else {
                Issue.record("accepted")
                continue
            }
            #expect(failure.words == words)
        }
        let page = String(repeating: "x", count: 70_000)
        guard case .failed(let failure) = Self.verdict(400, body: page) else { return }
        #expect(failure.words == nil)
    }

    @Test("L5: every way in which there is no answer", arguments: HTTPError.Kind.allCases)
    func errors(_ kind: HTTPError.Kind) {
        let expected: DeliveryFailure.Kind =
            switch kind {
            // Nothing had gone out yet.
            case .couldNotResolve, .couldNotConnect, .timedOut, .tlsFailed, .connectionLost: .unreachable
            case .badResponse, .tooLarge, .redirectRefused: .server
            case .unavailable, .aborted, .system: .local
            case .invalidURL, .invalidRequest: .unauthorized
            }
        guard case .failed(let failure) = HTTPVerdict.of(HTTPError(kind, "the reason")) else {
            Issue.record("accepted")
            return
        }
        #expect(failure.kind == expected)
        #expect(failure.status == nil)
        #expect(failure.reason == "the reason")
        #expect(failure.retryAfter == (expected == .local ? 30 : nil))
    }
}
