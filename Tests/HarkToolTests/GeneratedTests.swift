import Foundation
import Testing

@testable import HarkTool

@Suite struct GeneratedTests {
    private static let packaging = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "packaging")

    @Test(
        "the files that are installed are what hark prints; 'make docs' writes them anew",
        arguments: ["man/hark.1", "completion/hark.bash", "completion/_hark", "completion/hark.fish"])
    func files(path: String) throws {
        let printed =
            switch path {
            case "man/hark.1": ManualPage.text
            case "completion/hark.bash": BashCompletion.script
            case "completion/_hark": ZshCompletion.script
            default: FishCompletion.script
            }
        let installed = try String(contentsOf: Self.packaging.appending(path: path), encoding: .utf8)
        let isCurrent = installed == printed
        #expect(isCurrent)
    }

    @Test("no help line is wider than 80 columns, and every option is in it")
    func help() {
        for (path, command) in CommandTable.hark.walk(["hark"]) {
            let text = HelpPage(path: path, command: command).text
            for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(path): \(line)") }
            for option in command.allOptions { #expect(text.contains("--\(option.name)")) }
            #expect(command.summary.hasSuffix("."))
        }
    }

    @Test("no command has two options of one name or letter")
    func options() {
        for (path, command) in CommandTable.hark.walk(["hark"]) {
            let names = command.allOptions.map(\.name)
            let letters = command.allOptions.compactMap(\.letter)
            #expect(Set(names).count == names.count, "\(path)")
            #expect(Set(letters).count == letters.count, "\(path)")
            #expect(command.commands.isEmpty != (command.run == nil) || path == ["hark"], "\(path)")
            #expect(command.members.map(\.name) == command.commands.map(\.name), "\(path)")
        }
    }
}
