import Foundation

/// Where the programs under test are.
enum Programs {
    static let harkd = path(of: "harkd")
    static let hark = path(of: "hark")

    /// `HARK_BIN_DIR`, or else the folder of this test program: there SwiftPM has put what it built with it.
    private static let folder: String = {
        if let given = ProcessInfo.processInfo.environment["HARK_BIN_DIR"], !given.isEmpty {
            return URL(fileURLWithPath: given).path
        }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    }()

    private static func path(of program: String) -> String {
        let path = "\(folder)/\(program)"
        precondition(
            access(path, X_OK) == 0, "there is no program \(path): 'swift build', or name its folder in HARK_BIN_DIR")
        return path
    }
}
