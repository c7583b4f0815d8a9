import Foundation
import HarkCore
import HarkTesting
import Testing

@testable import HarkDaemon
@testable import HarkSettings

/// The sources of keys, and the errors for missing ones (row L3).
@Suite struct SecretTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
    }

    private func put(_ text: String, in name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }
    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// The key, or the error.
    private func read(_ secret: Secret, _ variables: [String: String] = [:]) -> String {
        read(secret, bytes: variables.mapValues { Array($0.utf8) })
    }

    private func read(_ secret: Secret, bytes variables: [String: [UInt8]]) -> String {
        do throws(Secret.Missing) {
            return try secret.read(in: folder.path) { variables[$0] }
        } catch {
            return "missing: \(error)"
        }
    }

    /// Contents of a key's source, for every kind of source.
    private static let contents: [(text: String, key: String?)] = [
        ("sc_1", "sc_1"), ("sc_1\n", "sc_1"), ("sc_1\r\n", "sc_1"), ("sc_1 \n\n", "sc_1"), ("a b=c ü\n", "a b=c ü"),
        ("", nil), ("\n", nil), ("  \r\n", nil), ("sc_1\nsc_2", nil), ("sc\t1", nil),
        ("sc_1\u{0}", nil), ("sc_1\u{7f}", nil), ("\u{FEFF}sc_1\n", "sc_1"), ("\u{FEFF}", nil), ("\u{FEFF}\n", nil),
        ("sc_1\u{200B}", nil), ("sc\u{FEFF}_1", nil), ("\u{202A}sc_1", nil), ("sc_1\u{85}x", nil),
        (String(repeating: "k", count: 65_536), String(repeating: "k", count: 65_536)),
    ]

    @Test("L3: a key is the one line of a file, from the configuration's folder or anywhere")
    func file() throws {
        for (text, key) in Self.contents {
            try put(text, in: "key")
            for secret in [Secret.file("key"), .file(path("key"))] {
                let found = read(secret)
                if let key {
                    #expect(found == key)
                } else {
                    #expect(found == "missing: \(path("key")) does not hold a key: one line of text is expected")
                }
            }
        }
    }

    @Test("a key in another encoding is refused instead of sent damaged, wherever it is kept")
    func encodings() throws {
        for (bytes, word) in [([0x73, 0xE9, 0x0A], "not UTF-8 text;"), ([0xFF, 0xFE, 0x73, 0x01], "but UTF-16")]
            as [([UInt8], String)]
        {
            try Data(bytes).write(to: URL(filePath: path("key")))
            let directory = ["CREDENTIALS_DIRECTORY": Array(folder.path.utf8)]
            for (secret, place) in [
                (Secret.file("key"), path("key")), (.credential("key"), path("key")),
                (.environment("CORE_KEY"), "the variable CORE_KEY"),
            ] {
                let found = read(secret, bytes: directory.merging(["CORE_KEY": bytes]) { $1 })
                #expect(found.hasPrefix("missing: \(place) is") && found.contains(word), "\(found)")
            }
        }
    }

    @Test("the daemon's own environment is read as the bytes it holds")
    func ownEnvironment() async throws {
        await #expect(processExitsWith: .success) {
            setenv("HARK_TEST_KEY", "sc_\u{FC}", 1)
            guard try Secret.environment("HARK_TEST_KEY").read(in: "/") == "sc_\u{FC}" else { exit(1) }
            var damaged: [CChar] = [0x73, -23, 0]
            setenv("HARK_TEST_KEY", &damaged, 1)
            do throws(Secret.Missing) {
                _ = try Secret.environment("HARK_TEST_KEY").read(in: "/")
                exit(2)
            } catch {
                exit(error.description.contains("not UTF-8") ? 0 : 3)
            }
        }
    }

    @Test("L3: a credential is what the service manager has put into its folder")
    func credential() throws {
        let variables = ["CREDENTIALS_DIRECTORY": folder.path]
        for (text, key) in Self.contents {
            try put(text, in: "core-key")
            let found = read(.credential("core-key"), variables)
            if let key {
                #expect(found == key)
            } else {
                #expect(found == "missing: \(path("core-key")) does not hold a key: one line of text is expected")
            }
        }
        let other = read(.credential("other"), variables)
        #expect(other.hasPrefix("missing: ") && other.contains(path("other")), "\(other)")
        let none = read(.credential("core-key"))
        #expect(none.contains("'core-key'") && none.contains("LoadCredential="), "\(none)")
    }

    @Test("L3: a key of the environment is what its variable holds")
    func environment() {
        for (text, key) in Self.contents where !text.contains("\u{0}") {
            let found = read(.environment("CORE_KEY"), ["CORE_KEY": text])
            if let key {
                #expect(found == key)
            } else if text.isEmpty {
                #expect(found == "missing: the variable CORE_KEY is not set in harkd's environment")
            } else {
                #expect(
                    found == "missing: the variable CORE_KEY does not hold a key: one line of text is expected")
            }
        }
        #expect(
            read(.environment("CORE_KEY"), ["OTHER": "x"])
                == "missing: the variable CORE_KEY is not set in harkd's environment")
    }

    @Test("L3: a file that is not there, cannot be read or is too long is told with its path, without its content")
    func unreadable() throws {
        try put(String(repeating: "k", count: 65_537), in: "long")
        try put("key", in: "file")
        // A folder is unreadable for root as well.
        // A named pipe would hold the daemon up until somebody writes to it.
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        for name in ["nowhere", ".", "file/key", "long", "pipe"] {
            let found = read(.file(name))
            #expect(found.hasPrefix("missing: the key cannot be read: "), "\(found)")
            #expect(found.contains("\(folder.path)/\(name)"), "\(found)")
            #expect(!found.contains("kkk"))
        }
    }

    @Test("L3: a key is read when it is needed: one that was replaced is the new one")
    func replaced() throws {
        for key in ["one", "two"] {
            try put("\(key)\n", in: "key")
            #expect(read(.file("key")) == key)
        }
    }
}
