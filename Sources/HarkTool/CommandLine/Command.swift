/// A command of `hark`, or a family of commands.
///
/// Parsing, `--help`, the manual and shell completion all use these values, so they always agree.
struct Command: Sendable {
    /// An example command line and its purpose.
    struct Example: Sendable {
        let line: String
        let purpose: String

        init(_ line: String, _ purpose: String) {
            self.line = line
            self.purpose = purpose
        }
    }

    /// What a shell offers where no option is expected.
    typealias Operands = Option.Values

    let name: String
    /// One imperative sentence with a full stop.
    let summary: String
    /// The arguments after the command's name, one form per line. Help puts `[option …]` before it if there are
    /// options.
    var usage: [String] = [""]
    /// Paragraphs separated by empty lines. A paragraph that begins with two spaces is not wrapped.
    var about = ""
    /// A paragraph that help shows last.
    var closing = ""
    var options: [Option] = []
    var examples: [Example] = []
    /// The permitted number of operands.
    var operands: ClosedRange<Int> = 0...0
    /// The kind of the operands. Of names, only the first operand is one.
    var completes: Operands = .any
    /// Whether the command changes or removes what is named, so that names are resolved strictly
    /// (`NameResolution.isStrict`).
    var isStrict: @Sendable (Arguments) -> Bool = { _ in false }
    /// The members of a family by what they are for, if it has that many; help has a list for each.
    var groups: [Group] = []
    /// The members of a family.
    var members: [Member] = []
    /// The member to run if none is named.
    var fallback: String?
    /// The method it calls. The daemon's hints name the command by it.
    var calls: String?
    /// For a command bound to its method: the option that fills a member of the params; nil if none does.
    var label: (@Sendable (_ member: String) -> String?)?
    /// Runs the command; nil for a family.
    var run: (@Sendable (Arguments, Console) throws -> Void)?

    /// A member of a family, made on demand: making all of them takes longer than recording an event.
    struct Member: Sendable {
        let name: String
        let make: @Sendable () -> Command

        init(_ name: String, _ make: @escaping @Sendable () -> Command) {
            self.name = name
            self.make = make
        }
    }

    /// Members of a family that belong together.
    struct Group: Sendable {
        /// The head of their list, with a colon.
        let title: String
        let members: [Member]

        init(_ title: String, _ members: [Member]) {
            self.title = title
            self.members = members
        }

        var commands: [Command] { members.map { $0.make() } }
    }

    var commands: [Command] { members.map { $0.make() } }

    func member(_ name: String) -> Command? {
        members.first { $0.name == name }?.make()
    }

    /// All options it takes, including `--help`.
    var allOptions: [Option] { options + [.help] }
}
