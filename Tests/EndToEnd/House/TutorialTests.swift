import Foundation
import HarkWire
import Testing

/// The tutorials of docs/start, read from the first line to the last, and the commands in all other pages that show what
/// they print.
@Suite(.endToEnd) struct TutorialTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify": null}"#)
        home.variables["PATH"] = PageReader.path
        daemon = try home.start()
    }

    @Test("every tutorial runs from its first line to its last", arguments: ["desktop", "shop", "lab"])
    func tutorial(_ name: String) throws {
        let page = try DocumentedPage("docs/start/\(name).md")
        #expect(try PageReader(home).read(page) >= 8)
        // No survey or watch of a tutorial is left.
        #expect(try daemon.connect().call("survey.list")["surveys"]?.arrayValue?.isEmpty == true)
        #expect(try daemon.connect().call("watch.list")["watches"]?.arrayValue?.isEmpty == true)
    }

    @Test(
        "a command in a guide or in the reference prints what stands below it, unless the page says which test runs it",
        arguments: ["guides", "reference", "background"])
    func guides(_ folder: String) throws {
        let place = DocumentedPage.root.appending(path: "docs/\(folder)")
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
        #expect(names.count > 1)
        for name in names where name.hasSuffix(".md") {
            let page = try DocumentedPage("docs/\(folder)/\(name)")
            guard page.blocks.contains(where: { $0.language == "console" && $0.note == "" }) else { continue }
            // Each page has a reader who begins anew.
            let home = try DaemonHome()
            try home.configure(#"{"notify": null}"#)
            let daemon = try home.start()
            #expect(try PageReader(home).read(page, languages: ["console"]) > 0, "\(name)")
            withExtendedLifetime(daemon) {}
        }
    }
}
