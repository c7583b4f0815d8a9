import Foundation

/// The bytes of a file as text, valid UTF-8 or not; empty if there is no such file.
func contents(of path: String) throws -> String {
    guard FileManager.default.fileExists(atPath: path) else { return "" }
    return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
}
