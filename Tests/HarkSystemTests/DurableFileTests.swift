import Foundation
import HarkSystem
import HarkTesting
import Testing

/// Folders and files whose names are on disk. That they are is shown by `make powerloss`; here is what they look like.
@Suite struct DurableFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
    }

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test("a folder is made with those above it, each with its mode, and what is there stays")
    func makes() throws {
        let path = folder.path + "/a/b/c"
        for _ in 0..<2 {
            try DurableFile.makeFolder(path, mode: 0o700, parentMode: 0o755, place: "here")
            #expect(try mode(path) == 0o700)
            #expect(try mode(folder.path + "/a/b") == 0o755)
        }
        try DurableFile.makeFolder(path + "/", mode: 0o755, parentMode: 0o755, place: "here")
        #expect(try mode(path) == 0o700)
    }

    @Test("a file in the way of a folder is an error that says where")
    func inTheWay() throws {
        try Data().write(to: URL(fileURLWithPath: folder.path + "/a"))
        #expect {
            try DurableFile.makeFolder(folder.path + "/a/b", mode: 0o700, parentMode: 0o755, place: "somewhere")
        } throws: { error in
            (error as? SystemError)?.code == ENOTDIR && "\(error)".contains("somewhere")
        }
    }

    @Test("a file is replaced as a whole, and no draft is left")
    func replaces() throws {
        let path = folder.path + "/file"
        for text in ["a longer first content", "short", ""] {
            try DurableFile.replace(path, with: Array(text.utf8), place: "here")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test(
        "the folder of a path",
        arguments: [("/a/b", "/a"), ("/a", "/"), ("/a/b/", "/a"), ("a", "."), ("a/b", "a")])
    func parent(_ path: String, _ parent: String) {
        #expect(DurableFile.parent(of: path) == parent)
    }
}
