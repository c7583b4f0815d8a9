import Foundation
import HarkTesting
import Testing

@testable import HarkDelivery

@Suite struct DocumentCopyTests {
    let url = "https://user:secret@example.com/surveys.json?key=secret"

    @Test(
        "a copy comes back as it was",
        arguments: [
            DocumentCopy(version: ServedVersion(etag: "W/\"a b\"", lastModified: "Sat, 21 Nov"), body: [0, 10, 10]),
            DocumentCopy(version: ServedVersion(), body: []),
            DocumentCopy(version: ServedVersion(lastModified: "é"), body: Array("{}\n".utf8)),
        ])
    func roundTrip(copy: DocumentCopy) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/copy"
        #expect(try DocumentCopy.read(path, of: url, maxBytes: 100) == nil)
        try copy.write(path, of: url)
        #expect(try DocumentCopy.read(path, of: url, maxBytes: 100) == copy)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["copy"])
    }

    @Test("the file holds nothing of a URL that could be a secret")
    func secrets() {
        let text = String(decoding: DocumentCopy(version: ServedVersion(), body: []).bytes(of: url), as: UTF8.self)
        #expect(!text.contains("secret"))
        #expect(!text.contains("example.com"))
    }

    @Test("a document from another URL is none of ours")
    func otherURL() {
        let bytes = DocumentCopy(version: ServedVersion(), body: [1]).bytes(of: url)
        #expect(DocumentCopy(bytes, of: url) != nil)
        #expect(DocumentCopy(bytes, of: url + "2") == nil)
    }

    @Test("a file that was cut off anywhere, or holds something else, is refused")
    func damaged() {
        let bytes = DocumentCopy(version: ServedVersion(etag: "\"1\""), body: [1, 2, 3]).bytes(of: url)
        for length in bytes.indices { #expect(DocumentCopy(Array(bytes[..<length]), of: url) == nil) }
        #expect(DocumentCopy(bytes + [4], of: url) == nil)
        for text in ["", "\n", "\n\n", "{}\n\n", "hark document 2\n\n", "hark document 1\nsource\n\n"] {
            #expect(DocumentCopy(Array(text.utf8), of: url) == nil)
        }
    }
}
