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
            case "completion/hark.bash": CompletionScript.bash
            case "completion/_hark": CompletionScript.zsh
            default: CompletionScript.fish
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

    @Test("every command of hark is in one group, each group has a head, and what is about names comes last")
    func groups() {
        let groups = CommandTable.hark.groups
        let names = groups.flatMap { $0.members.map(\.name) }
        #expect(Set(names).count == names.count)
        #expect(names == CommandTable.hark.members.map(\.name))
        #expect(groups.allSatisfy { $0.title.hasSuffix(":") && !$0.members.isEmpty })
        let text = HelpPage(path: ["hark"], command: CommandTable.hark).text
        for group in groups { #expect(text.contains("\n\n\(group.title)\n  \(group.members[0].name) ")) }
        #expect(text.hasSuffix("never changes the wrong thing."))
    }

    @Test(
        "on a narrow terminal help breaks no word, and its heads are bold where there are styles", arguments: [40, 60])
    func narrowHelp(columns: Int) {
        for (path, command) in CommandTable.hark.walk(["hark"]) {
            let text = HelpPage(path: path, command: command, columns: columns).text
            let examples = command.examples.map { "  " + $0.line }
            let known = Set(HelpPage(path: path, command: command).text.split(whereSeparator: \.isWhitespace))
            for line in text.split(separator: "\n") where !examples.contains(String(line)) {
                #expect(TextWidth.of(line) <= columns, "\(path): \(line)")
                for word in line.split(whereSeparator: \.isWhitespace) where word.count < columns - 12 {
                    // A path may be longer than a row.
                    let isPart = known.contains { $0.count > columns - 12 && $0.contains(word) }
                    #expect(isPart || known.contains(word), "\(path): \(word)")
                }
            }
        }
        let styled = HelpPage(path: ["hark"], command: CommandTable.hark, TextStyle(coloured: true)).text
        for head in ["Usage:", "Ask people:", "Options:", "Examples:"] {
            #expect(styled.contains("\u{1B}[1m\(head)\u{1B}[0m"))
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
