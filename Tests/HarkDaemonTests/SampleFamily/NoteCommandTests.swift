import Testing

@testable import HarkTool

/// `hark note`, as it would be in `CommandTable`.
@Suite struct NoteCommandTests {
    @Test("its command fills the members of its method, and is told by help, and where a method is named")
    func command() throws {
        let root = Command(name: "hark", summary: "", members: [.init("note") { .note }])
        #expect(root.path(calling: "note.add") == "note add" && root.path(calling: "note.list") == "note list")
        let add = try #require(root.member("note")?.member("add"))
        #expect(add.label?("userId") == "--user" && add.usage == ["TEXT"] && add.operands == 1...1)
        #expect(add.options.map(\.name) == ["user", "quiet", "json"])
        let help = HelpPage(path: ["note", "add"], command: add).text
        #expect(help.contains("Whose note it is.") && help.contains("hark note add 'buy milk'"))
        #expect(root.member("note")?.fallback == "list")
    }
}
