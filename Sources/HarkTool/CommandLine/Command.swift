/// One command of `hark`, or a family of them.
///
/// Parsing, `--help`, the manual and shell completion all come from these values, so what they say is what is parsed.
struct Command: Sendable {
    /// A line to type, and what it does.
    struct Example: Sendable {
        let line: String
        let purpose: String

        init(_ line: String, _ purpose: String) {
            self.line = line
            self.purpose = purpose
        }
    }

    /// What a shell may offer where no option is expected.
    typealias Operands = Option.Values

    let name: String
    /// One line, an imperative, with a full stop.
    let summary: String
    /// What comes after the command's name, one form a line; help puts `[option …]` before it where there are options.
    var usage: [String] = [""]
    /// Paragraphs parted by empty lines; a paragraph that begins with two spaces is left as it is.
    var about = ""
    var options: [Option] = []
    var examples: [Example] = []
    /// How many arguments there may be that are no options.
    var operands: ClosedRange<Int> = 0...0
    /// What the operands are; of names, only the first is one.
    var completes: Operands = .any
    /// Whether what is named is changed or removed, so that names are read strictly (`NameResolution.isStrict`).
    var isStrict: @Sendable (Arguments) -> Bool = { _ in false }
    /// The members of a family.
    var members: [Member] = []
    /// Which member is meant if none is named.
    var fallback: String?
    /// The method it calls, by which the daemon's advice names it.
    var calls: String?
    /// Of a command that is bound to its method: how the command line calls a member of the params; nil where nothing fills it.
    var label: (@Sendable (_ member: String) -> String?)?
    /// Nil for a family.
    var run: (@Sendable (Arguments, Console) throws -> Void)?

    /// A member of a family, which is made when somebody needs it: making all of them takes longer than to record an event.
    struct Member: Sendable {
        let name: String
        let make: @Sendable () -> Command

        init(_ name: String, _ make: @escaping @Sendable () -> Command) {
            self.name = name
            self.make = make
        }
    }

    var commands: [Command] { members.map { $0.make() } }

    func member(_ name: String) -> Command? {
        members.first { $0.name == name }?.make()
    }

    /// The options it takes, `--help` among them.
    var allOptions: [Option] { options + [.help] }
}
