import Foundation
import HarkDelivery

/// The web server of all tests in this process: `server.py`, which ends with this process.
final class TestServer: Sendable {
    private struct Place: Decodable {
        /// http, https, elsewhere (with a certificate for another host), closed (nobody listens), mute (nobody answers).
        let ports: [String: Int]
        let folder: String
    }

    private static let instance = Result { try TestServer() }
    static var shared: TestServer { get throws { try instance.get() } }

    private init() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-B", "\(#filePath)".replacing("TestServer.swift", with: "server.py")]
        process.standardInput = Pipe()
        process.standardOutput = output
        try process.run()
        // One write, so one read.
        place = try JSONDecoder().decode(Place.self, from: output.fileHandleForReading.availableData)
        self.process = process
    }

    private let place: Place
    /// Kept, as its end of standard input would close with it.
    private let process: Process

    func url(_ path: String, port: String = "http") -> String {
        "\(["https", "elsewhere"].contains(port) ? "https" : "http")://127.0.0.1:\(place.ports[port]!)\(path)"
    }

    func port(_ name: String) -> Int { place.ports[name]! }
    var unixSocket: String { place.folder + "/socket" }
    /// The certificate of the server `https` or `elsewhere`, which is its own authority.
    func certificate(_ name: String = "own") -> String { "\(place.folder)/\(name).pem" }

    /// What `/echo` tells of a request.
    struct Echo: Decodable {
        let method: String
        let path: String
        let headers: [String: String]
        let body: Data

        init(_ response: HTTPResponse) throws {
            self = try JSONDecoder().decode(Echo.self, from: Data(response.body))
        }

        /// All that a `/box` was sent.
        static func all(_ response: HTTPResponse) throws -> [Echo] {
            try JSONDecoder().decode([Echo].self, from: Data(response.body))
        }
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
