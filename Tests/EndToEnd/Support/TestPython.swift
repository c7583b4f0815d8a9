import Foundation

/// Python with the modules of `Tests/Python`, such as `web`.
enum TestPython {
    /// What a shell runs, in the place of itself.
    static let program =
        "PYTHONPATH='\(DocumentedPage.root.appending(path: "Tests/Python").path)' exec /usr/bin/python3 -B"
}
